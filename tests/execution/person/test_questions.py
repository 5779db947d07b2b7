"""The questions to a person for one call, and the values of their answers."""

import json
from dataclasses import asdict, dataclass
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, SecretStr

from pyfunctools import Controller, File, Function, Human, Outcome, Question, human
from pyfunctools.execution.person.questions import questions_for

Schema = dict[str, Any]
S = {"type": "string"}
I = {"type": "integer"}  # noqa: E741
CLOSED = {"additionalProperties": False}


def mine(schema: Schema) -> Schema:
    return {**schema, "x-human": True}


def object_of(properties: Schema, *required: str, **keywords: Any) -> Schema:
    return {"type": "object", "properties": properties, "required": [*required], **keywords}


def controller_of(parameters: Schema) -> Controller:
    made = Function.from_schema(name="f", parameters=parameters, handler=lambda **given: given)
    return Controller.from_functions([made])


def asked(outcome: Outcome) -> dict[str, Question]:
    assert outcome.waiting is not None, outcome
    return {each.path: each for each in outcome.waiting.questions}


class Speed(Enum):
    SLOW = "slow"
    FAST = "fast"


class Card(BaseModel):
    kind: Literal["card"] = "card"
    number: SecretStr


class Bank(BaseModel):
    kind: Literal["bank"] = "bank"
    iban: str


@dataclass
class Guest:
    """A guest."""

    name: str
    passport: Annotated[str, human("Passport number")]
    born: Human[date]


def book(
    hotel: str,
    guests: list[Guest],
    pay: Human[Card | Bank],
    speed: Human[Speed],
    scan: Human[bytes],
    nights: Human[int],
    agreed: Human[bool],
    tags: Human[list[str]] = [],  # noqa: B006
    others: Human[list[Guest]] = [],  # noqa: B006
) -> str:
    """Book a hotel."""
    return repr((hotel, guests, pay, speed, scan, nights, agreed, tags, others))


WROTE = {"hotel": "Ritz", "guests": [{"name": "Kim"}, {"name": "Ada"}]}
FORM: dict[str, Any] = {
    "$input.guests[0].passport": "P1",
    "$input.guests[0].born": "1990-01-02",
    "$input.guests[1].passport": "P2",
    "$input.guests[1].born": date(1999, 12, 2),
    "$input.pay": "bank",
    "$input.pay.iban": "DE02-IBAN",
    "$input.speed": "Fast",
    "$input.scan": File(b"scan", "a.png"),
    "$input.nights": " 3 ",
    "$input.agreed": "on",
    "$input.tags": "quiet\nhigh",
    "$input.others": "",
}


def test_each_item_of_the_model_has_its_questions() -> None:
    outcome = Controller.from_functions([book]).call("book", WROTE)
    told = {
        path: (each.label, each.kind, each.required, each.secret)
        for path, each in asked(outcome).items()
    }
    assert told == {
        "$input.guests[0].passport": ("Guests 1: Passport number", "text", True, False),
        "$input.guests[0].born": ("Guests 1: Born", "date", True, False),
        "$input.guests[1].passport": ("Guests 2: Passport number", "text", True, False),
        "$input.guests[1].born": ("Guests 2: Born", "date", True, False),
        "$input.pay": ("Pay: which kind", "choice", True, False),
        "$input.speed": ("Speed", "choice", True, False),
        "$input.scan": ("Scan", "file", True, False),
        "$input.nights": ("Nights", "integer", True, False),
        "$input.agreed": ("Agreed", "boolean", True, False),
        "$input.tags": ("Tags", "json", False, False),
        "$input.others": ("Others: how many", "integer", False, False),
    }
    questions = asked(outcome)
    assert questions["$input.pay"].options == ("Card", "Bank")
    assert questions["$input.speed"].options == ("slow", "fast")
    assert questions["$input.guests[1].passport"].help == "For Ada."
    assert all(each.problem is None for each in questions.values())


def test_answers_by_path_may_be_texts_of_a_form() -> None:
    hotel = Controller.from_functions([book])
    first = hotel.call("book", WROTE)
    assert first.waiting is not None
    done = hotel.resume(first.waiting.ticket or "", FORM)
    assert done.ok, done
    for part in ("iban='***'", "Speed.FAST", "b'scan', 3, True, ['quiet', 'high'], []"):
        assert part in done.text
    assert "datetime.date(1999, 12, 2)" in done.text


@dataclass
class Stop:
    at: str
    code: Human[str]
    then: "Stop | None" = None


def test_a_problem_is_in_its_question_and_all_questions_are_asked_again() -> None:
    hotel = Controller.from_functions([book])
    wrong = {"$input.guests[0].born": "1990-13-02", "$input.pay.iban": " ", "$input.nights": "x"}
    outcome = hotel.call("book", WROTE, human={**FORM, **wrong, "$input.others": "1"})
    told = {path: each.problem for path, each in asked(outcome).items() if each.problem}
    assert told == {
        "$input.guests[0].born": "This must be a date such as 2025-01-31.",
        "$input.pay.iban": "This is needed.",
        "$input.nights": "This must be a whole number.",
    }
    assert asked(outcome)["$input.pay.iban"].secret
    assert asked(outcome)["$input.others[0].name"].required  # of which nobody was asked before
    shown = {f"$input.others[0].{name}": "" for name in ("name", "passport", "born")}
    again = hotel.call("book", WROTE, human={**FORM, "$input.others": "1", **shown})
    assert {path for path, each in asked(again).items() if each.problem} == shown.keys()
    assert "DE02" not in repr(outcome) + str(outcome.waiting)


@pytest.mark.parametrize(
    ("wrote", "path"),
    [
        ({"stop": {"at": "A"}}, "$input.stop.code"),
        ({"named": {"x": {"at": "A"}}}, "$input.named.x.code"),
        ({"stop": {"at": "A", "then": {"at": "B"}}}, "$input.stop.then.code"),
    ],
)
def test_what_is_needed_in_an_optional_part_is_needed_where_the_model_gave_it(
    wrote: Any, path: str
) -> None:
    def drive(stop: Stop | None = None, named: dict[str, Stop] | None = None) -> str:
        """Drive."""
        return repr((stop, named))

    made = Controller.from_functions([drive])
    assert asked(made.call("drive", wrote))[path].required
    assert made.call("drive").ok


def test_an_answer_is_not_masked_among_our_own_words() -> None:
    def order(line_2: Human[str], sizes: Human[list[int]], pin: Human[str] = "") -> str:
        """Order."""
        raise ValueError(line_2, sizes, pin)

    answers = {"$input.line_2": "2", "$input.sizes": "a", "$input.pin": "be"}
    found = asked(Controller.from_functions([order]).call("order", human=answers))
    assert found["$input.line_2"].label == "Line 2"
    assert found["$input.sizes"].problem == "This must be a whole number."


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("4711", 'This must be a group of values with "pin".'),
        (["4711"], "This must be a group of values, as the model gave."),
    ],
)
def test_a_value_in_place_of_the_answers_is_told_with_one_article(given: Any, problem: str) -> None:
    def pay(cents: int, pin: Human[str]) -> str:
        """Pay."""
        return f"{cents}{pin}"

    outcome = Controller.from_functions([pay]).call("pay", {"cents": 1}, human=given)
    assert [each.problem for each in asked(outcome).values()] == [problem]


def test_the_number_of_an_item_is_shown_also_if_it_is_an_answer() -> None:
    @dataclass
    class Guest:
        name: Human[str]

    def book(guests: Human[list[Guest]], nights: Human[int]) -> str:
        """Book."""
        return f"{guests} {nights}"

    hotel = Controller.from_functions([book])
    outcome = hotel.call("book", {}, human={"$input.guests": "2", "$input.nights": "1"})
    labels = [each.label for each in asked(outcome).values()]
    assert labels == ["Guests: how many", "Guests 1: Name", "Guests 2: Name", "Nights"]


def test_questions_can_be_written_as_json() -> None:
    for each in asked(Controller.from_functions([book]).call("book", WROTE)).values():
        assert Question(**json.loads(json.dumps(asdict(each)))) == each


@pytest.mark.parametrize(
    ("schema", "kind", "typed", "value"),
    [
        (S, "text", "x", "x"),
        (I, "integer", "+7", 7),
        ({"type": "number"}, "number", "1e3", 1000.0),
        ({"type": "boolean"}, "boolean", "off", False),
        ({"enum": ["a", "b", None]}, "choice", "B", "b"),
        ({"oneOf": [{"const": "a"}, {"enum": [2]}]}, "choice", "2", 2),
        ({"type": ["integer", "null"]}, "integer", " ", None),
        ({"anyOf": [I, {"type": "null"}]}, "integer", "7", 7),
        ({"anyOf": [I, S]}, "text", "7", "7"),
        ({"type": "string", "format": "date"}, "date", "2025-01-31", "2025-01-31"),
        ({"type": "string", "format": "time"}, "time", "09:30:00Z", "09:30:00Z"),
        ({"type": "string", "x-human-widget": "date"}, "date", "x", "x"),
        ({"type": "string", "format": "binary"}, "file", File(b"x"), "eA=="),
        ({"type": "array", "items": I}, "json", "1\n2\n", [1, 2]),
        ({"type": "array", "items": I}, "json", "[1, 2]", [1, 2]),
        ({"type": "array", "items": I}, "json", "", []),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, "choices", ["a"], ["a"]),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, "choices", "b", ["b"]),
        ({"type": "array", "items": {"format": "binary"}}, "file", [File(b"x")], ["eA=="]),
        ({"type": "object", "additionalProperties": I}, "json", '{"a": "1"}', {"a": 1}),
        ({}, "json", '{"a": "1"}', {"a": "1"}),
        ({}, "json", "plain", "plain"),
    ],
    ids=str,
)
def test_the_schema_decides_the_kind_of_question_and_the_value_of_an_answer(
    schema: Schema, kind: str, typed: Any, value: Any
) -> None:
    controller = controller_of(object_of({"m": S, "h": mine(schema)}, "m", "h"))
    (question,) = asked(controller.call("f", {"m": "x"})).values()
    assert (question.path, question.kind) == ("$input.h", kind)
    outcome = controller.call("f", {"m": "x"}, human={"$input.h": typed})
    assert outcome.value == {"m": "x", "h": value}


def test_an_optional_object_has_a_question_for_each_property() -> None:
    place = mine(object_of({"street": S, "city": S, "note": S}, "street", "city"))
    controller = controller_of(object_of({"place": place, "pin": mine(S)}, "pin"))
    first = asked(controller.call("f", {}))
    assert [(path, each.required) for path, each in first.items()] == [
        ("$input.pin", True),
        ("$input.place.street", False),
        ("$input.place.city", False),
        ("$input.place.note", False),
    ]
    gave = {"$input.pin": "1", "$input.place.street": "", "$input.place.note": ""}
    assert controller.call("f", {}, human=gave).value == {"pin": "1"}
    half = asked(controller.call("f", {}, human={**gave, "$input.place.street": "x"}))
    assert half["$input.place.city"].problem == "This is needed."


def test_the_model_decides_the_branch_that_is_asked_for() -> None:
    def branch(kind: str, secret: str) -> Schema:
        properties = {"kind": {"const": kind}, secret: mine(S)}
        return object_of(properties, "kind", secret, **CLOSED)

    union = {"oneOf": [branch("a", "alpha"), branch("b", "beta")]}
    controller = controller_of(object_of({"u": union}, "u"))
    outcome = controller.call("f", {"u": {"kind": "b"}})
    assert list(asked(outcome)) == ["$input.u.beta"]
    done = controller.call("f", {"u": {"kind": "b"}}, human={"$input.u.beta": "x"})
    assert done.value == {"u": {"kind": "b", "beta": "x"}}


@pytest.mark.parametrize(
    ("gave", "where"),
    [
        ({"$input.m": "mine"}, "$input.m"),
        ({"$input.nothing": "x"}, '$input["***"]'),
        ({"$input.rows[2].t": "x"}, "$input.rows"),
        ({"$input.rows[999999999].t": "x"}, '$input.rows["***"]'),
        ({"$input.rows[0].x": "x"}, "$input.rows[0].x"),
        ({"$input.h.deep": "x"}, "$input.h"),
        ({"$input": "x"}, "$input"),
        ({"$input.h": "1", "h": "1"}, '$input["$input.h"]'),
        ({"$input.h[": "1"}, '$input["$input.h["]'),
        ({"$input.rows": [{"t": "a"}, {"t": "b"}]}, '$input["$input.rows"]'),
    ],
)
def test_answers_without_a_question_are_refused(gave: Any, where: str) -> None:
    row = object_of({"n": I, "t": mine(S)}, "n", "t")
    parameters = {"m": S, "h": mine(S), "rows": {"type": "array", "items": row}}
    controller = controller_of(object_of(parameters, "h"))
    right = {"$input.h": "1", "$input.rows[0].t": "a", "$input.rows[1].t": "b"}
    wrote = {"m": "x", "rows": [{"n": 1}, {"n": 2}]}
    assert controller.call("f", wrote, human=right).ok
    every = {**right, **gave} if all(key.startswith("$input.") for key in gave) else gave
    outcome = controller.call("f", wrote, human=every)
    assert outcome.reason == "needs_human"
    assert where in [str(issue.path) for issue in outcome.issues]


def test_every_item_of_a_long_list_of_the_models_has_its_answer() -> None:
    row = object_of({"n": I, "t": mine(I)}, "n", "t")
    controller = controller_of(object_of({"rows": {"type": "array", "items": row}}, "rows"))
    wrote = {"rows": [{"n": n} for n in range(1_500)]}
    gave = {f"$input.rows[{n}].t": str(n) for n in range(1_500)}
    done = controller.call("f", wrote, human=gave)
    assert done.value == {"rows": [{"n": n, "t": n} for n in range(1_500)]}
    wrong = asked(controller.call("f", wrote, human={**gave, "$input.rows[1499].t": "x"}))
    assert [path for path, each in wrong.items() if each.problem] == ["$input.rows[1499].t"]


def test_questions_for_a_recursive_object_end() -> None:
    node: Schema = object_of({"name": S, "next": {"$ref": "#/$defs/N"}}, "name")
    parameters = {**object_of({"n": mine({"$ref": "#/$defs/N"})}, "n"), "$defs": {"N": node}}
    controller = controller_of(parameters)
    questions = asked(controller.call("f", {}))
    assert {path: each.kind for path, each in questions.items()} == {
        "$input.n.name": "text",
        "$input.n.next": "json",
    }
    gave = {"$input.n.name": "a", "$input.n.next": '{"name": "b"}'}
    assert controller.call("f", {}, human=gave).value == {"n": {"name": "a", "next": {"name": "b"}}}


def test_a_recursive_property_that_the_model_omitted_is_not_asked_for() -> None:
    again = {"$ref": "#/$defs/N"}
    node = object_of({"pin": mine(S), "x": I, "a": again, "b": again}, "pin", "a", "b")
    parameters = {**object_of({"n": again}, "n"), "$defs": {"N": node}}
    (function,) = controller_of(parameters)
    found = questions_for(function, {"n": {"a": {}}})
    assert [each.path for each in found] == ["$input.n.pin", "$input.n.a.pin"]


def test_a_value_that_has_no_alternative_is_not_asked_for() -> None:
    only = mine({"enum": ["EUR"]})
    controller = controller_of(object_of({"money": only, "note": S}, "money", **CLOSED))
    assert controller.call("f", "{}").value == {"money": "EUR"}
    assert controller.call("f", "{}", human=lambda _: None).value == {"money": "EUR"}


def test_a_name_that_is_required_and_not_declared_is_asked_for() -> None:
    team = mine(object_of({"name": S}, "name", "size"))
    controller = controller_of(object_of({"team": team}, "team"))
    assert asked(controller.call("f", "{}")).keys() == {"$input.team.name", "$input.team.size"}
    given = {"$input.team.name": "A", "$input.team.size": "3"}
    assert controller.call("f", "{}", human=given).value == {"team": {"name": "A", "size": 3}}


class Letter(BaseModel):
    to: str
    scan: File


@pytest.mark.parametrize(
    ("hint", "model", "given", "path"),
    [
        (File, {}, {"it": File(b"x", "a.pdf")}, "$input.it"),
        (Human[File], {}, {"it": File(b"x", "a.pdf")}, "$input.it"),
        (Human[File | None], {}, {"it": File(b"x", "a.pdf")}, "$input.it"),
        (Human[list[File]], {}, {"it": [File(b"x", "a.pdf")]}, "$input.it"),
        (Letter, {"it": {"to": "Ann"}}, {"$input.it.scan": File(b"x", "a.pdf")}, "$input.it.scan"),
    ],
    ids=str,
)
def test_a_file_of_a_hint_is_asked_for_and_arrives(
    hint: Any, model: Any, given: Any, path: str
) -> None:
    taken: list[Any] = []

    def send(it: Any) -> None:
        """Send."""
        taken.append(it)

    send.__annotations__["it"] = hint
    controller = Controller.from_functions([send])
    waiting = controller.call("send", model)
    assert asked(waiting)[path].kind == "file"
    assert controller.resume(waiting.waiting.ticket, given).ok  # type: ignore[union-attr]
    (it,) = taken
    file = it.scan if hint is Letter else it[0] if isinstance(it, list) else it
    assert (file.content, file.filename) == (b"x", "a.pdf")
    refused = controller.call("send", model, human=dict.fromkeys(given, "a.pdf"))
    assert refused.reason == "needs_human"
