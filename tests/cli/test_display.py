"""Output of functions and outcomes; hostile text has no effect."""

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console, RenderableType

from pyfunctools import (
    Controller,
    Function,
    Outcome,
    Path,
    Question,
    Repair,
    Response,
    Skipped,
    Waiting,
)
from pyfunctools.cli import display
from pyfunctools.schema.feedback.pretty import pretty_json

HOSTILE = "evil [bold]\x1b]0;title\x07\x1b[2J\u202e name"


PLAIN = Console(width=80, force_terminal=False)


def shown(*parts: RenderableType | None) -> str:
    out = io.StringIO()
    display.print_parts(Console(file=out, width=80, force_terminal=False), *parts)
    return out.getvalue()


def hostile() -> Function:
    return Function.from_schema(
        name="evil",
        description=HOSTILE,
        parameters={
            "type": "object",
            "properties": {HOSTILE: {"type": "string", "description": HOSTILE}},
        },
        output={"type": "string", "title": HOSTILE},
        tags=[HOSTILE],
        deprecated=True,
        destructive=True,
    )


def test_control_characters_are_removed_and_markup_is_text() -> None:
    function = hostile()
    outcome = Outcome(
        text=HOSTILE,
        reason="needs_human",
        response=Response(status=500),
        repairs=(Repair(path=Path.of([HOSTILE]), kind="x", before=HOSTILE, after=[HOSTILE]),),
        waiting=Waiting(
            call_id="1",
            function="f",
            arguments={},
            approval=False,
            ticket=None,
            questions=(Question(path=HOSTILE, label=HOSTILE, kind="text"),),
        ),
    )
    controller = Controller([], skipped=[Skipped(where=HOSTILE, reason=HOSTILE, pointer="/x")])
    text = shown(
        display.two_lines([display.table_row(function)]),
        display.function_page(function, PLAIN),
        *display.about_outcome(outcome),
        display.outcome_text(outcome),
        display.skipped_text(controller),
        None,
    )
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert "[bold]" in text
    assert "deprecated · destructive" in text
    assert "HTTP 500" in text


def test_the_model_and_human_schemas_are_shown_apart() -> None:
    function = Function.from_schema(
        name="pay",
        parameters={
            "type": "object",
            "properties": {"amount": {"type": "number"}, "pin": {"x-human": True}},
        },
    )
    model, person = shown(display.function_page(function, PLAIN)).split("what only a person gives")
    assert "amount" in model
    assert "pin" not in model
    assert "pin" in person
    assert display.skipped_text(Controller([])) is None


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ({"a": 1, "b": [1, 2]}, ['{"a": 1, "b": [1, 2]}']),
        ({"a": "xxxxxxxxxx", "b": [1, 2]}, ["{", '  "a": "xxxxxxxxxx",', '  "b": [1, 2]', "}"]),
        ({"aaaaaaaa": {"b": "xxxxxxxx"}}, ["{", '  "aaaaaaaa": {"b": "xxxxxxxx"}', "}"]),
        (["x" * 30], ["[", f'  "{"x" * 30}"', "]"]),
        ([], ["[]"]),
    ],
)
def test_json_that_fits_is_on_one_line(value: list[object], lines: list[str]) -> None:
    assert pretty_json(value, inline=22).splitlines() == lines  # type: ignore[arg-type]


def test_compact_json_is_json() -> None:
    value = {"a": [{"b": None, "ø": True}] * 9, "c": {"d": {"e": [1.5, "x" * 90]}}}
    assert json.loads(pretty_json(value)) == value


def test_a_long_name_is_never_broken() -> None:
    name = "shoppings_customers_sales_questions_comments_getById"
    long = Function.from_schema(name=name, description="Get it.\n\nMore.", parameters={})
    assert listed(long) == f"{name}\n    a written schema · Get it.\n"
    assert listed(replace(long, description="")) == f"{name}\n    a written schema\n"


def listed(function: Function) -> str:
    return shown(display.two_lines([display.table_row(function)]))
