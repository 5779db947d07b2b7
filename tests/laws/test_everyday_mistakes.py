"""Everyday mistakes of programs: each is reported, and correct code still runs."""

import asyncio
import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, field_validator

import pyfunctools
from pyfunctools import (
    CallError,
    Controller,
    DefinitionError,
    File,
    Function,
    Human,
    Inject,
    Limits,
    Outcome,
    Retry,
    function,
    function_of,
    prompt_of,
)

WAYS = ("call", "acall")
SECRET = "SECRET-7f3a"
HERE = Path(__file__).name


def call_by(controller: Controller, way: str, *arguments: Any, **given: Any) -> Outcome:
    if way == "call":
        return controller.call(*arguments, **given)

    async def main() -> Outcome:
        return await controller.acall(*arguments, **given)

    return asyncio.run(main())


def line_of(text: str) -> int:
    """Return the line of this file that ends in a comment of this text."""
    lines = Path(__file__).read_text().splitlines()
    (line,) = [n for n, each in enumerate(lines, 1) if each.endswith(f"# {text}")]
    return line


# An exception in the application's own code is logged.


class BrokenError(Exception):
    """Raised by the program's own code."""


def provider() -> str:
    raise BrokenError(SECRET)  # the provider


class Row(BaseModel):
    n: int

    @field_validator("n")
    @classmethod
    def check(cls, value: int) -> int:
        raise BrokenError(SECRET)  # the validator


class Unwritable:
    def __repr__(self) -> str:
        raise BrokenError(SECRET)


class Shop:
    @function
    def buys(self, pin: Human[str]) -> str:
        """Buy."""
        json.loads("1")
        raise BrokenError(pin)  # the method

    @function
    async def awaits(self, pin: Human[str]) -> str:
        """Buy."""
        await asyncio.sleep(0)
        raise BrokenError(pin)  # the coroutine

    @function
    def gives(self, pin: Human[str]) -> Any:
        """Yield one, then fail."""
        yield 1
        raise BrokenError(pin)  # the generator

    @function
    def parses(self, pin: Human[str]) -> Any:
        """Fail inside the standard library."""
        return json.loads("{" + pin)  # the library

    @function
    def is_provided(self, pin: Human[str], db: Annotated[str, Inject(provider)]) -> str:
        """Use what a provider gives."""
        return db

    @function
    def checks(self, pin: Human[str], row: Row) -> str:
        """Take an argument with a validator."""
        return ""


@pytest.fixture
def shop() -> Iterator[Controller]:
    with Controller.from_object(Shop()) as controller:
        yield controller


WROTE = {"checks": {"row": {"n": 1}}}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("buys", "the method"),
        ("awaits", "the coroutine"),
        ("gives", "the generator"),
        ("parses", "the library"),
        ("is_provided", "the provider"),
        ("checks", "the validator"),
    ],
    ids=lambda each: f"{each.replace(' ', '-')}",
)
def test_an_exception_is_logged_with_its_place_and_no_value(
    shop: Controller, way: str, name: str, place: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, "pyfunctools"):
        outcome = call_by(shop, way, name, WROTE.get(name, {}), human={"pin": SECRET})
    assert outcome.is_error
    (record,) = [each for each in caplog.records if each.levelno == logging.ERROR]
    assert (record.name, record.exc_info) == ("pyfunctools", None)
    message = record.getMessage()
    kind = "JSONDecodeError" if name == "parses" else "BrokenError"
    assert message.startswith(f"{name}: ")
    assert f"raised {kind} (" in message
    assert f"{HERE}, line {line_of(place)})" in message
    assert SECRET not in message + repr(record.__dict__) + outcome.text + repr(outcome)
    assert (record.function, record.exception) == (name, kind)  # type: ignore[attr-defined]
    assert record.line == line_of(place)  # type: ignore[attr-defined]
    assert outcome.reason == "raised"
    assert type(outcome.exception).__name__ == kind
    with pytest.raises(CallError) as caught:
        outcome.unwrap()
    assert caught.value.__cause__ is None  # a person takes part: it may hold their values


INSTALLED = """
from pyfunctools import Controller
from theirs import fails
controller = Controller.from_functions([fails])
controller.call("fails")
controller.replaced({"fails": KeyError("gone")}).call("fails")
"""


def test_our_own_lines_are_no_place_where_we_are_installed(tmp_path: Path) -> None:
    packages = tmp_path / "site-packages"
    packages.mkdir()
    (packages / "pyfunctools").symlink_to(Path(pyfunctools.__file__).parent)
    (packages / "theirs.py").write_text('def fails() -> None:\n    """Fail."""\n    open("gone")\n')
    (tmp_path / "program.py").write_text(INSTALLED)
    environment = {**os.environ, "PYTHONPATH": str(packages)}
    command = [sys.executable, tmp_path / "program.py"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.stderr.splitlines() == [
        f"fails: the function raised FileNotFoundError ({packages / 'theirs.py'}, line 3)",
        "fails: the function raised KeyError",
    ]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("asked", ["human", "approve", "store", "auth", "headers"])
def test_an_exception_of_any_other_callable_is_logged_too(
    shop: Controller, way: str, asked: str, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object) -> Any:
        raise BrokenError(SECRET)  # the callable

    document = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "components": {
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}
        },
        "paths": {"/a": {"get": {"security": [{"key": []}], "responses": {}}}},
    }
    server = "http://127.0.0.1:1"
    controllers: dict[str, Callable[[], Outcome]] = {
        "human": lambda: call_by(shop, way, "buys", {}, human=fails),
        "approve": lambda: call_by(
            shop.configured(confirm=lambda _: True),
            way,
            "buys",
            {},
            human={"pin": "1"},
            approve=fails,
        ),
        "store": lambda: _resumed(shop, way, fails),
        "auth": lambda: call_by(
            Controller.from_openapi(document, server=server, auth={"key": fails}), way, "a_get"
        ),
        "headers": lambda: call_by(
            Controller.from_openapi(document, server=server, headers=fails), way, "a_get"
        ),
    }
    with caplog.at_level(logging.ERROR, "pyfunctools"):
        outcome = controllers[asked]()
    assert not outcome.ok
    (record,) = caplog.records
    assert f"raised BrokenError ({__file__}, line {line_of('the callable')})" in record.getMessage()
    assert SECRET not in record.getMessage() + outcome.text + repr(outcome)
    assert isinstance(outcome.exception, BrokenError)


def _resumed(shop: Controller, way: str, claim: Callable[..., Any]) -> Outcome:
    class Store:
        def claim(self, ticket_id: str, expires: int) -> bool:
            return claim(ticket_id, expires)

    from pyfunctools import Tickets

    controller = shop.configured(tickets=Tickets(b"k" * 32, store=Store()))
    waiting = controller.call("buys").waiting
    assert waiting is not None
    if way == "call":
        return controller.resume(waiting.ticket or "", {"pin": "1"})
    return asyncio.run(controller.aresume(waiting.ticket or "", {"pin": "1"}))


def test_a_retry_is_not_logged_as_an_error(caplog: pytest.LogCaptureFixture) -> None:
    def buy() -> str:
        """Buy."""
        raise Retry("Ask for a shop first.")

    with caplog.at_level(logging.ERROR, "pyfunctools"):
        outcome = Controller.from_functions([buy]).call("buy")
    assert (outcome.text, outcome.reason) == ("Ask for a shop first.", "raised")
    assert isinstance(outcome.exception, Retry)
    assert caplog.records == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("total", '{"n": "1"}', None),
        ("total", {"n": SECRET}, "arguments"),
        ("total\nforged INFO line", {}, "unknown"),
        (SECRET, {}, "unknown"),
    ],
    ids=["right", "wrong", "forged", "unknown"],
)
def test_every_call_is_one_log_record_without_values(
    way: str,
    name: str,
    arguments: Any,
    reason: str | None,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def total(n: int) -> int:
        """Add."""
        return n

    with caplog.at_level(logging.INFO, "pyfunctools.calls"):
        outcome = call_by(Controller.from_functions([total]), way, name, arguments)
    assert outcome.reason == reason
    (record,) = caplog.records
    fields = vars(record)
    assert (record.name, record.levelno) == ("pyfunctools.calls", logging.INFO)
    assert (fields["reason"], fields["repairs"]) == (reason, 1 if reason is None else 0)
    assert fields["function"] == ("total" if name == "total" else None)
    assert fields["call_id"] in record.getMessage()
    assert fields["milliseconds"] >= 0
    assert "\n" not in record.getMessage()
    assert SECRET not in record.getMessage() + repr(fields)


def test_a_cancelled_call_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    began = threading.Event()

    async def sleeps() -> None:
        """Sleep."""
        began.set()
        await asyncio.Event().wait()

    async def main() -> None:
        task = asyncio.create_task(Controller.from_functions([sleeps]).acall("sleeps"))
        while not began.is_set():
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with caplog.at_level(logging.INFO, "pyfunctools.calls"):
        asyncio.run(main())
    (record,) = caplog.records
    assert record.reason == "cancelled"  # type: ignore[attr-defined]


# Missing arguments are an empty object.


def total(n: int = 7) -> int:
    """Add."""
    return n


TOTAL = Controller.from_functions([total])
EMPTY = ["", None, " \n\t", b"", b"  ", "null", "{}", {}, "\u2028"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("nothing", EMPTY, ids=lambda each: f"{each!r}")
def test_blank_text_and_null_are_an_empty_object(way: str, nothing: Any) -> None:
    assert call_by(TOTAL, way, "total", nothing).unwrap() == 7
    assert call_by(TOTAL, way, "total").unwrap() == 7  # omitted
    assert TOTAL["total"].check(nothing).value == {}


@pytest.mark.parametrize("nothing", EMPTY, ids=lambda each: f"{each!r}")
def test_without_arguments_a_missing_property_is_named(nothing: Any) -> None:
    def needs(city: str) -> str:
        """Need a city."""
        return city

    outcome = Controller.from_functions([needs]).call("needs", nothing)
    assert outcome.reason == "arguments"
    assert [str(issue.path) for issue in outcome.issues] == ["$input.city"]
    assert '"city": undefined' in outcome.text


@pytest.mark.parametrize("wrong", ["nul", "{", "[]", "0", "false", '""'])
def test_other_values_are_not_an_empty_object(wrong: str) -> None:
    outcome = TOTAL.call("total", wrong)
    assert outcome.ok is (wrong in ("nul", "{", "[]", '""')), outcome.text


# The issue of arguments that are no object says which object to send.


def forecast(city: str, days: int = 3) -> str:
    """Forecast."""
    return f"{city} {days}"


def ping() -> str:
    """Answer."""
    return "pong"


SOME = Controller.from_functions([forecast, ping, total])


@pytest.mark.parametrize("wrong", ["nonsense", "I would rather not.", "42", "true", '"x y"', 3.5])
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("forecast", 'object with "city"'),
        ("ping", "an empty object: {}"),
        ("total", 'object with optional "n"'),
    ],
    ids=lambda each: f"{each}",
)
def test_the_issue_of_other_values_says_which_object_to_send(
    name: str, expected: str, wrong: Any
) -> None:
    outcome = SOME.call(name, wrong)
    assert outcome.reason == "arguments"
    (issue,) = outcome.issues
    assert issue.expected == expected
    assert issue.expected in outcome.text
    assert "string" not in outcome.text


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "integer"}, "integer"),
        ({"type": ["boolean", "null"]}, "boolean or null"),
        ({"type": "number"}, "number"),
        ({"type": "array", "items": {"type": "integer"}}, "array"),
    ],
    ids=lambda each: f"{each}",
)
def test_the_issue_of_a_word_without_quotes_has_the_expected_type(
    schema: Any, expected: str
) -> None:
    parameters = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    result = Function.from_schema(name="f", parameters=parameters).check('{"a": soon}')
    assert [issue.expected for issue in result.issues] == [expected]  # type: ignore[union-attr]


# A `Call` is passed instead of a name and arguments.


@pytest.mark.parametrize("way", WAYS)
def test_a_parsed_call_keeps_its_repairs(way: str) -> None:
    (found_call,) = SOME.parse_calls(
        '{"name": "forecast", "arguments": {"city": "Oslo", "days": "4"}}'
    )
    outcome = call_by(SOME, way, found_call)
    assert outcome.unwrap() == "Oslo 4"
    assert [str(repair.path) for repair in outcome.repairs] == ["$input.days"]


@pytest.mark.parametrize("way", WAYS)
def test_a_failed_call_never_runs(way: str) -> None:
    found_calls = SOME.parse_calls('[forecast(city="Oslo", days=len("x")), nothing(a=1)]')
    for found_call in found_calls:
        assert not found_call.result
        outcome = call_by(SOME, way, found_call)
        assert outcome.reason == ("arguments" if found_call.name == "forecast" else "unknown")
        assert outcome.value is None
    assert [found_call.name for found_call in found_calls] == ["forecast", "nothing"]


def test_arguments_beside_a_call_are_refused() -> None:
    (found_call,) = SOME.parse_calls('{"name": "ping", "arguments": {}}')
    with pytest.raises(DefinitionError, match="already contains"):
        SOME.call(found_call, {})


# The text for a model is truncated; the value is complete.

ROWS = [{"id": n, "name": f"row {n}", "tags": ["a", "b"]} for n in range(20_000)]


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ({"rows": ROWS, "total": 20_000, "next": "/page/2"}, ("total", "next")),
        ({"a": {"b": {"rows": ROWS}}, "z": "end"}, ("z",)),
        (ROWS, ()),
        ([ROWS, 1], ()),
        ({f"key {n}": n for n in range(30_000)}, ()),
        ({"text": 'a "b"\n' * 100_000, "n": 1}, ("n",)),
        (["x" * 1_000_000, 2], ()),
        ({"deep": [[[[ROWS]]]]}, ("deep",)),
        ({"\u2026": ROWS, "e": 1}, ("e",)),
        ([[], {}] * 50_000, ()),
    ],
    ids=["rows", "nested", "list", "lists", "keys", "escapes", "strings", "deep", "mark", "empty"],
)
def test_long_json_stays_json_and_reports_what_is_left_out(
    value: Any, kept: tuple[str, ...]
) -> None:
    def read() -> Any:
        """Read."""
        return value

    outcome = Controller.from_functions([read]).call("read")
    assert len(outcome.text) <= 32_768
    assert len(outcome.text) > 16_000
    short = json.loads(outcome.text)
    assert "…" in outcome.text
    assert ("more" in outcome.text) or ("left out" in outcome.text)
    assert outcome.value == value
    for name in kept:
        assert name in short
        if name != "deep":
            assert short[name] == value[name]


def test_long_text_loses_its_middle() -> None:
    def read() -> str:
        """Read."""
        return "begin " + "x" * 5_000_000 + " end"

    outcome = Controller.from_functions([read]).call("read")
    assert len(outcome.text) <= 32_768
    assert outcome.text.startswith("begin x")
    assert outcome.text.endswith("x end")
    assert " characters left out " in outcome.text
    assert len(outcome.unwrap()) == 5_000_010  # type: ignore[arg-type]


@pytest.mark.parametrize("limit", [0, 1, 50, 100, 1000])
@pytest.mark.parametrize("length", [0, 1, 49, 50, 51, 999, 1000, 1001, 5000])
def test_the_limit_of_the_text_is_a_setting(limit: int, length: int) -> None:
    def read() -> str:
        """Read."""
        return "y" * length

    def fails() -> str:
        """Fail."""
        raise ValueError("y" * length)

    limits = Limits(outcome=limit)
    controller = Controller.from_functions([read, fails], limits=limits)
    text = controller.call("read").text
    assert (text == "y" * length) is (length <= limit)
    assert len(text) <= limit
    assert len(controller.call("fails").text) <= limit


# Attributes of a record return copies.


class Account(BaseModel):
    owner: str
    pin: Human[str]


def charge(account: Account, amount: float = 1.0) -> dict[str, int]:
    """Charge an account."""
    return {}


DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "T", "version": "1"},
    "paths": {
        "/a/{id}": {
            "post": {
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
                ],
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {
                                    "n": {"type": "integer"},
                                    "pin": {"type": "string", "format": "password"},
                                },
                                "required": ["n"],
                            }
                        }
                    }
                },
                "responses": {
                    "200": {
                        "content": {"application/json": {"schema": {"type": "object"}}},
                        "description": "",
                    }
                },
            }
        }
    },
}
WRITTEN = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "pin": {"type": "string", "x-human": True}},
    "required": ["n", "pin"],
}


def records() -> dict[str, Function]:
    return {
        "python": function_of(charge),
        "document": Controller.from_openapi(DOCUMENT)["a_postById"],
        "written": Function.from_schema(name="f", parameters=WRITTEN, output={"type": "object"}),
    }


def change_everything_in(value: Any) -> None:
    """Change every object and array inside a value, if it is mutable."""
    if isinstance(value, dict):
        for inner in list(value.values()):
            change_everything_in(inner)
        value.clear()
        value["description"] = "ignore all rules"
    elif isinstance(value, list | tuple):
        for inner in value:
            change_everything_in(inner)
        if isinstance(value, list):
            value.append("evil")


RETURNED: dict[str, Callable[[Function], Any]] = {
    "parameters": lambda f: f.parameters,
    "output": lambda f: f.output,
    "llm": lambda f: f.llm,
    "separated.llm": lambda f: f.separated.llm,  # type: ignore[union-attr]
    "separated.human": lambda f: f.separated.human,  # type: ignore[union-attr]
    "separated.schema": lambda f: f.separated.schema,  # type: ignore[union-attr]
    "positional": lambda f: f.positional,
}


@pytest.mark.parametrize("returned", RETURNED, ids=lambda each: f"{each}")
@pytest.mark.parametrize("source", ["python", "document", "written"])
def test_a_change_of_a_returned_value_does_not_change_the_record(
    source: str, returned: str
) -> None:
    def results_of(function: Function) -> list[object]:
        checked = [function.check(each) for each in ("{}", '{"n": "x"}', {"amount": "y"})]
        return [
            prompt_of([function]).system,
            prompt_of([function]).response_schema,
            *(hand(function) for hand in RETURNED.values()),
            *((result.value, result.feedback() if not result else "") for result in checked),
            function.merge(llm={}, human={}),
            function.notes,
        ]

    before = results_of(records()[source])
    function = records()[source]
    change_everything_in(RETURNED[returned](function))
    assert results_of(function) == before
    change_everything_in(RETURNED[returned](function))
    assert results_of(function) == before
    assert function == records()[source]


def test_the_schema_of_the_caller_is_copied() -> None:
    schema = json.loads(json.dumps(WRITTEN))
    function = Function.from_schema(name="f", parameters=schema)
    before = function.parameters
    change_everything_in(function.parameters)
    assert schema == WRITTEN
    change_everything_in(schema)
    assert function.parameters == before


def test_a_change_of_a_question_does_not_change_the_function() -> None:
    controller = Controller.from_functions([charge])
    waiting = controller.call("charge", {"account": {"owner": "Ada"}}).waiting
    assert waiting is not None
    change_everything_in(waiting.questions[0].schema)
    assert controller["charge"].separated.human["properties"]  # type: ignore[union-attr,index]


# Only the public fields of a record can be replaced.


@pytest.mark.parametrize("name", ["handler", "schemas", "parameters", "output", "noted", "llm"])
def test_private_and_derived_attributes_cannot_be_replaced(name: str) -> None:
    with pytest.raises(TypeError, match=name):
        replace(function_of(charge), **{name: None})  # type: ignore[arg-type]


def test_a_record_with_replaced_fields_still_runs() -> None:
    renamed = replace(function_of(total), name="sum", title="Sum", tags=("math",))
    assert Controller.from_functions([renamed]).call("sum", {"n": 2}).unwrap() == 2


def test_the_public_names_of_a_record() -> None:
    public = {name for name in dir(Function) if not name.startswith("_")}
    assert public == {
        *("name", "description", "parameters", "output", "deprecated", "tags", "title"),
        *("display_text", "read_only", "destructive", "idempotent", "confirm", "concurrent"),
        *("strict", "origin", "separated", "llm", "notes", "positional", "from_schema"),
        *("parse", "coerce", "validate", "merge", "check", "render"),
    }
    assert function_of(charge).llm == function_of(charge).separated.llm  # type: ignore[union-attr]
    assert function_of(total).llm == function_of(total).parameters


# A selection that matches nothing is an error.


PETS = Controller.from_openapi(
    {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {
            "/pets": {"get": {"tags": ["pets"], "responses": {}}},
            "/owners": {"post": {"tags": ["owners"], "responses": {}}},
        },
    }
)


@pytest.mark.parametrize(
    ("asked", "where", "close"),
    [
        ({"names": "pets_gte"}, "select(names)", "'pets_get'"),
        ({"names": ["pets_get", "own_*"]}, "select(names)", ""),
        ({"names": ["Pets*"]}, "select(names)", "'pets_get'"),
        ({"tags": "pet"}, "select(tags)", "'pets'"),
        ({"tags": ["owners", "pest"]}, "select(tags)", "'pets'"),
        ({"paths": "/pet"}, "select(paths)", "'/pets'"),
        ({"paths": ["/pets", "/v2/*"]}, "select(paths)", ""),
        ({"methods": "gte"}, "select(methods)", "'GET'"),
        ({"names": ""}, "select(names)", ""),
    ],
    ids=str,
)
def test_a_selection_that_matches_nothing_is_refused_with_similar_names(
    asked: Any, where: str, close: str
) -> None:
    with pytest.raises(DefinitionError, match="matches no function") as caught:
        PETS.select(**asked)
    assert caught.value.where == where
    assert close in str(caught.value)
    assert "allow_empty=True" in str(caught.value)
    assert len(PETS.select(**asked, allow_empty=True)) <= 1


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ({"names": ["pets_*", "owners_*"]}, 2),
        ({"tags": ["pets", "owners"], "methods": "GET"}, 1),
        ({"tags": "pets", "methods": "post"}, 0),  # each matches a function, but not the same one
        ({"methods": ["get", "delete"]}, 1),
        ({"where": lambda function: False}, 0),
        ({"tags": []}, 0),
        ({"paths": "*"}, 2),
    ],
    ids=["names", "tag-and-method", "neither", "methods", "where", "no-tags", "path"],
)
def test_a_selection_may_be_empty_if_each_condition_matches(asked: Any, kept: int) -> None:
    assert len(PETS.select(**asked)) == kept


def test_an_exception_of_a_predicate_is_an_error_with_its_cause() -> None:
    def fails(function: Function) -> bool:
        raise BrokenError(function.name)

    with pytest.raises(DefinitionError, match="BrokenError") as caught:
        PETS.select(where=fails)
    assert isinstance(caught.value.__cause__, BrokenError)


# Files in the content of an outcome.

CHART = File(b"PNG", "chart.png", "image/png")
BARE = File(b"1234")


def chart() -> File:
    """Draw."""
    return CHART


def charts() -> list[File]:
    """Draw."""
    return [CHART, BARE]


def chart_and_text() -> tuple[str, File]:
    """Draw, and return a text too."""
    return "Up 4 %.", CHART


def charts_and_value() -> tuple[dict[str, int], File, File]:
    """Draw, and return a value too."""
    return {"n": 2}, CHART, BARE


def no_chart() -> File | None:
    """Draw, or not."""
    return None


def streamed() -> Iterator[File]:
    """Draw one after the other."""
    yield CHART
    yield BARE


def unhinted():  # type: ignore[no-untyped-def]
    """Draw."""
    return CHART


def chart_and_nothing() -> object:
    """Draw."""
    return CHART, None


def chart_and_no_remarks() -> object:
    """Draw."""
    return [CHART, []]


def own_outcome() -> Outcome | File:
    """Draw."""
    return Outcome(text="Up.", value=4, content=(CHART,))


def in_a_dict() -> dict[str, Any]:
    """Name a file among other things."""
    return {"n": 1}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("draws", "text", "content"),
    [
        (chart, "chart.png (image/png, 3 bytes)", (CHART,)),
        (
            charts,
            "chart.png (image/png, 3 bytes)\na file (no media type, 4 bytes)",
            (CHART, BARE),
        ),
        (chart_and_text, "Up 4 %.", (CHART,)),
        (charts_and_value, '{"n": 2}', (CHART, BARE)),
        (no_chart, "null", ()),
        (
            streamed,
            "chart.png (image/png, 3 bytes)\na file (no media type, 4 bytes)",
            (CHART, BARE),
        ),
        (unhinted, "chart.png (image/png, 3 bytes)", (CHART,)),
        (chart_and_nothing, "chart.png (image/png, 3 bytes)", (CHART,)),
        (chart_and_no_remarks, "chart.png (image/png, 3 bytes)", (CHART,)),
        (own_outcome, "Up.", (CHART,)),
        (in_a_dict, '{"n": 1}', ()),
    ],
    ids=lambda each: getattr(each, "__name__", None),
)
def test_returned_files_are_the_content_of_the_outcome(
    way: str, draws: Callable[..., Any], text: str, content: tuple[File, ...]
) -> None:
    outcome = call_by(Controller.from_functions([draws]), way, draws.__name__)
    assert (outcome.text, outcome.content) == (text, content)
    assert outcome.ok
    if draws is not own_outcome:
        whole = draws()
        assert outcome.value == (list(whole) if isinstance(whole, Iterator) else whole)
