"""Whatever a model writes, it sets no value of a person, and the values of the person arrive.

Random classes with every kind of alias are the parameters of a function. A model writes valid
arguments, then values under every name that pydantic could read; the bound arguments are searched.
"""

import dataclasses
import inspect
import json
from collections.abc import Iterator
from random import Random
from typing import Any, Literal, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import law
from pydantic import AliasChoices, AliasPath, BaseModel, Field, SecretStr
from random_models import HUMAN, SECRET, Models, Place, Shape

from pyfunctools import Controller, DefinitionError, Human, Outcome, function_of, prompt_of
from pyfunctools.record.function import Function

EVIL, GIVEN, OWN = "EVIL", "GIVEN", "OWN"


class Case(NamedTuple):
    """A function with random parameters, the arguments it got, and its schema's names of fields."""

    function: Function
    shape: Shape
    handed: list[dict[str, Any]]
    listed: dict[str, set[str]]

    def key(self, shape: Shape, place: Place) -> str | None:
        """Return the name under which the schema lists a field."""
        taken = {each.name for each in shape.places if each is not place}
        listed = self.listed.get(shape.tag, set()) - taken
        return next((name for name in place.names if name in listed), None)


def case_of(random: Random) -> Case | None:
    """Return a random function, or `None` if its definition is refused."""
    models = Models(random)
    shape = models.shape(kind="parameters" if random.random() < 0.5 else "")
    hints: dict[str, Any] = {}
    if shape.kind == "parameters":
        hints = {place.name: place.hint for place in shape.places}
    else:
        hints = {"body": shape.type}
    handed: list[dict[str, Any]] = []

    def called(**given: Any) -> str:
        """Do it."""
        handed.append(given)
        return "done"

    kind = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter(name, kind, annotation=hint) for name, hint in hints.items()]
    if shape.is_open and shape.kind == "parameters":
        others = inspect.Parameter("rest", inspect.Parameter.VAR_KEYWORD, annotation=str)
        parameters.append(others)
    called.__signature__ = inspect.Signature(parameters, return_annotation=str)  # type: ignore[attr-defined]
    try:
        function = function_of(called)
        assert function.parameters
    except DefinitionError:
        return None
    listed: dict[str, set[str]] = {}
    for properties in objects(function.parameters):
        for name in properties:
            if name.startswith("t"):
                listed.setdefault(name, set()).update(properties)
    if shape.kind == "parameters":
        listed[shape.tag] = set(function.parameters["properties"])
    return Case(function, shape, handed, listed)


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if isinstance(found := schema.get("properties"), dict):
            yield found
        for inner in schema.values():
            yield from objects(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from objects(inner)


class Writing:
    """Values for a case: valid ones, and ones under every name that pydantic may read."""

    def __init__(self, random: Random, case: Case) -> None:
        self.random = random
        self.case = case
        self.count = 0

    def text(self, place: Place, owner: str | None = None) -> str:
        self.count += 1
        return f"{owner or (GIVEN if place.is_human else OWN)}-{self.count}"

    def whole(self) -> tuple[Any, Any]:
        """Return the arguments, and the values that have to arrive, by the names of the fields."""
        value, arrives = self.shape(self.case.shape)
        if self.case.shape.kind == "parameters":
            return value, arrives
        return {"body": value}, {"body": arrives}

    def shape(self, shape: Shape) -> tuple[dict[str, Any], dict[str, Any]]:
        value: dict[str, Any] = {}
        arrives: dict[str, Any] = {}
        if shape.kind != "parameters":
            value[shape.tag] = shape.tag
        for place in shape.places:
            key = self.case.key(shape, place)
            if key is None or (not place.required and self.random.random() < 0.3):
                continue
            value[key], arrives[place.name] = self.place(place)
        return value, arrives

    def place(self, place: Place) -> tuple[Any, Any]:
        if not place.inner:
            text = self.text(place)
            return text, text
        inner, arrives = self.shape(self.random.choice(place.inner))
        if place.wrap == "list":
            return [inner], [arrives]
        if place.wrap == "map":
            return {"key": inner}, {"key": arrives}
        return (json.dumps(inner) if place.wrap == "json" else inner), arrives

    def with_other_names(self, value: Any) -> Any:
        """Return a valid value with additional ones: anything under every name, at any depth."""
        if self.case.shape.kind == "parameters":
            return self.under(self.case.shape, value)
        return {"body": self.under(self.case.shape, value["body"])}

    def under(self, shape: Shape, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        bad = {key: self.within(shape, key, inner) for key, inner in value.items()}
        names = [way for place in shape.places for way in place.ways]
        for way in self.random.sample(names, self.random.randint(0, len(names))):
            place = next(each for each in shape.places if way in each.ways)
            if way[0] in value and len(way) == 1:
                if place.is_human:
                    bad[str(way[0])] = self.made(place)
                continue
            self.put(bad, way, self.made(place))
        return bad

    def put(self, bad: dict[str, Any], way: tuple[str | int, ...], made: Any) -> None:
        head = str(way[0])
        if len(way) == 1:
            bad[head] = made
        elif isinstance(way[1], int):
            bad[head] = [made]
        else:
            there = bad.get(head)
            bad[head] = {**(there if isinstance(there, dict) else {}), str(way[1]): made}

    def within(self, shape: Shape, key: str, value: Any) -> Any:
        for place in shape.places:
            if place.inner and key == self.case.key(shape, place):
                return self.inner(place, value)
        return value

    def inner(self, place: Place, value: Any) -> Any:
        if place.wrap == "json" and isinstance(value, str):
            return json.dumps(self.any_of(place, json.loads(value)))
        if isinstance(value, list):
            return [self.any_of(place, each) for each in value]
        if place.wrap == "map" and isinstance(value, dict):
            return {key: self.any_of(place, each) for key, each in value.items()}
        return self.any_of(place, value)

    def any_of(self, place: Place, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        for inner in place.inner:
            if inner.tag in value:
                return self.under(inner, value)
        return self.under(self.random.choice(place.inner), value)

    def made(self, place: Place) -> Any:
        """Return a value of the model that is valid for a field."""
        if not place.inner:
            return self.text(place, EVIL)
        value, _ = self.shape(self.random.choice(place.inner))
        made = json.loads(json.dumps(value).replace(GIVEN, EVIL).replace(OWN, EVIL))
        wraps = {"list": [made], "map": {"key": made}, "json": json.dumps(made), "": made}
        return wraps[place.wrap]


def as_json(value: Any) -> Any:
    """Return an argument of the function as JSON."""
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, BaseModel):
        names = type(value).model_fields
        own = {name: as_json(getattr(value, name)) for name in names}
        return own | as_json(value.model_extra or {})
    if dataclasses.is_dataclass(value):
        return {name: as_json(inner) for name, inner in vars(value).items()}
    if isinstance(value, dict):
        return {name: as_json(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [as_json(inner) for inner in value]
    return value


def holds(arrived: Any, expected: Any) -> bool:
    """Return whether the value that arrived contains the expected one."""
    if isinstance(expected, dict):
        return isinstance(arrived, dict) and all(
            key in arrived and holds(arrived[key], inner) for key, inner in expected.items()
        )
    if isinstance(expected, list):
        return isinstance(arrived, list) and all(map(holds, arrived, expected))
    return bool(arrived == expected)


def check_arrived(shape: Shape, arrived: Any) -> None:
    """Check that no value of the model is in a human place, under any of its names."""
    if not isinstance(arrived, dict):
        return
    for place in shape.places:
        if place.is_human:
            for name in (place.name, *place.names):
                head = any(name in each.names for each in shape.places if not each.is_human)
                assert head or EVIL not in json.dumps(arrived.get(name)), (name, arrived)
        elif place.inner:
            inner = arrived.get(place.name)
            below = inner if isinstance(inner, list) else [inner]
            below = [*inner.values()] if place.wrap == "map" and isinstance(inner, dict) else below
            for each in below:
                for one in place.inner:
                    if isinstance(each, dict) and one.tag in each:
                        check_arrived(one, each)


def human_names(shape: Shape) -> set[str]:
    found = {name for place in shape.all_places() if place.is_human for name in place.names}
    return {name for name in found if HUMAN in name.lower().replace("-", "")}


def model_schema_text(function: Function) -> str:
    prompts = [prompt_of([function]), prompt_of([function], compact=True)]
    texts = [[each.system, each.response_schema] for each in prompts]
    llm = function.separated.llm if function.separated else function.parameters
    return json.dumps([function.description, llm, texts])


def check_told(case: Case, text: str, wrote: str) -> None:
    leaked = [name for name in (SECRET, *human_names(case.shape)) if name in text]
    assert [name for name in leaked if name not in wrote] == []
    assert GIVEN not in text


def call(case: Case, wrote: Any, human: Any) -> Outcome:
    case.handed.clear()
    with Controller.from_functions([case.function]) as controller:
        return controller.call(case.function.name, wrote, human=human)


@law(100)
@given(seed=st.integers(0, 2**48))
def test_the_model_never_sets_a_human_field_of_a_class(seed: int) -> None:
    random = Random(seed)
    case = case_of(random)
    if case is None or case.function.separated is None:
        return
    separated = case.function.separated
    check_told(case, model_schema_text(case.function), "")
    writing = Writing(random, case)
    for _ in range(3):
        value, arrives = writing.whole()
        llm, human = separated.split(value)
        outcome = call(case, llm, human)
        assert case.handed, outcome.text
        assert holds(as_json(case.handed[0]), arrives), (case.handed, arrives)
        bad = random.choice([llm, value])
        bad = json.loads(json.dumps(writing.with_other_names(bad)).replace(GIVEN, EVIL))
        for gave in (human, {}, None):
            outcome = call(case, bad, gave)
            check_told(case, outcome.text, json.dumps(bad))
            for handed in case.handed:
                got = as_json(handed)
                check_arrived(case.shape, got if case.shape.kind == "parameters" else got["body"])


class Note(BaseModel):
    kind: Literal["note"]
    text: str | None = Field(None, validation_alias=AliasChoices("text", AliasPath("texts", 0)))


class Payment(BaseModel):
    kind: Literal["payment"]
    pin_secretname: Human[str]


def test_a_human_field_of_another_branch_is_not_named_to_the_model() -> None:
    def send(what: Note | Payment) -> str:
        """Send it."""
        return "sent"

    with Controller.from_functions([send]) as controller:
        wrote = {"what": {"kind": "note", "texts": ["a"]}}  # read, and no text
        outcome = controller.call("send", wrote)
    assert outcome.is_error
    assert "pin_secretname" not in outcome.text


@pytest.mark.parametrize("seed", range(3))
def test_the_random_classes_are_valid_and_have_parts_of_both(seed: int) -> None:
    random = Random(seed)
    cases = [case_of(random) for _ in range(100)]
    taken = [case for case in cases if case is not None]
    assert len(taken) > 60
    assert sum(case.function.separated is not None for case in taken) > 40
