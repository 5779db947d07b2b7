"""`Controller.report`: counts, sizes, skips and notes."""

import json
from dataclasses import replace
from typing import Annotated, Any

from pyfunctools import Controller, Function, Human, Skipped, human
from pyfunctools.controller.tool_list import SHOWN, WIDTH, Entry, report_of
from pyfunctools.note import Note


def transfer(amount: float, account: Annotated[str, human("Where to")], pin: Human[str]) -> None:
    """Überweise money."""


def ping() -> None: ...


def document(count: int = 1) -> dict[str, Any]:
    paths: dict[str, Any] = {
        f"/things/{{id{n}}}": {"get": {"summary": "x" * n, "responses": {}}} for n in range(count)
    }
    paths["/people"] = {
        "get": {"x-human": True, "responses": {}},
        "put": {"x-human": True, "responses": {}},
        "post": {"requestBody": {"$ref": "#/none"}, "responses": {}},
    }
    return {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": paths}


def function(name: str, *notes: str) -> Function:
    noted = tuple(Note(text=text, pointer=f"/{name}") for text in notes)
    return replace(Function.from_schema(name=name, parameters={}), _noted=noted)


def test_the_size_is_that_of_the_models_side_as_compact_json() -> None:
    report = Controller.from_functions([ping, transfer]).report()
    text = (
        '{"name":"transfer","description":"Überweise money.","parameters":{"type":"object",'
        '"properties":{"amount":{"type":"number"}},"required":["amount"],'
        '"additionalProperties":false}}'
    )
    assert json.loads(text)
    largest, smallest = report.entries
    assert largest == Entry(name="transfer", bytes=len(text.encode()), tokens=45)
    assert smallest.name == "ping"
    assert report.bytes == largest.bytes + smallest.bytes
    assert report.tokens == largest.tokens + smallest.tokens


def test_skipped_operations_are_counted_by_reason() -> None:
    report = Controller.from_openapi(document()).report()
    assert (report.operations, report.functions) == (4, 1)
    assert list(report.skipped.values()) == [2, 1]
    assert next(iter(report.skipped)) == "The operation is for people only."


def test_the_notes_are_listed_by_function() -> None:
    report = Controller.from_openapi(document(2)).report()
    said = "The path's parameter {!r} is not declared, and taken as text."
    assert report.notes == {
        f"things_getById{n}": (
            Note(text=said.format(f"id{n}"), pointer=f"/paths/~1things~1{{id{n}}}/get"),
        )
        for n in range(2)
    }


def test_the_largest_come_first_and_equal_ones_by_name() -> None:
    names = ["b", "a", "long_name"]
    report = report_of([function(name) for name in names], [])
    assert [entry.name for entry in report.entries] == ["long_name", "a", "b"]


def test_the_text_of_a_report() -> None:
    report = report_of(
        [function("one", "Odd."), function("a_longer_one", "Odd.", "Odder.")],
        [Skipped(where="x", reason="For people only.")],
    )
    assert str(report) == (
        "2 functions, 1 skipped\n"
        "223 bytes for a model, about 56 tokens\n"
        "\n"
        "tokens of the largest functions\n"
        "29  a_longer_one\n"
        "27  one\n"
        "\n"
        "skipped\n"
        "1  For people only.\n"
        "\n"
        "notes\n"
        "2  Odd.\n"
        "1  Odder."
    )


def test_the_report_of_an_empty_controller() -> None:
    assert str(Controller([]).report()) == (
        "0 functions, 0 skipped\n0 bytes for a model, about 0 tokens"
    )


def test_the_text_has_a_limit_and_fits_a_terminal() -> None:
    functions = [function(f"f{n}_" + "x" * 59, f"Note {n} " + "y" * 500) for n in range(100)]
    skipped = [Skipped(where="x", reason=f"Reason {n} " + "z\n\x1b[31m" * 500) for n in range(100)]
    report = report_of(functions, skipped)
    lines = str(report).splitlines()
    assert len(lines) <= 3 * (SHOWN + 3) + 2
    assert max(map(len, lines)) <= WIDTH
    assert "\x1b" not in str(report)
    assert str(report).count(f"({100 - SHOWN} more)") == 3
    assert len(report.entries) == len(report.skipped) == len(report.notes) == 100
