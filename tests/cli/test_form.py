"""A person's side of a call, asked for place by place."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from pyfunctools import Function
from pyfunctools.cli.form import ask, missing

Schema = dict[str, Any]
S = {"type": "string"}
I = {"type": "integer"}  # noqa: E741
CLOSED = {"additionalProperties": False}


def mine(schema: Schema) -> Schema:
    return {**schema, "x-human": True}


def object_of(properties: Schema, *required: str, **keywords: Any) -> Schema:
    return {"type": "object", "properties": properties, "required": [*required], **keywords}


def asked(parameters: Schema, llm: Any, given: str, known: Any = None) -> Result:
    """Ask for the human's side of these parameters, and print it as JSON."""
    function = Function.from_schema(name="f", parameters=parameters)
    app = typer.Typer()

    @app.command()
    def main() -> None:
        print(json.dumps(ask(function, llm, known or {})))

    return CliRunner().invoke(app, [], input=given)


def answer(parameters: Schema, llm: Any, given: str, known: Any = None) -> Any:
    done = asked(parameters, llm, given, known)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("schema", "typed", "value"),
    [
        (S, "x\n", "x"),
        (S, "\nx\n", "x"),
        (I, "x\n7\n", 7),
        ({"type": "boolean"}, "maybe\ny\n", True),
        ({"enum": ["a", "b"]}, "2\n", "b"),
        ({"type": ["integer", "null"]}, "\n", None),
        ({"type": "array", "items": I}, "1\n2\n\n", [1, 2]),
        ({"type": "array", "items": I, "minItems": 1}, "\n1\n\n", [1]),
        ({"type": "array", "items": I, "maxItems": 2}, "1\n2\n", [1, 2]),
        ({"type": "array", "prefixItems": [I, S], "items": False}, "1\nx\n", [1, "x"]),
        ({"type": "array", "items": object_of({"a": I}, "a")}, "y\n1\nn\n", [{"a": 1}]),
        ({"type": "object", "additionalProperties": I}, "a\n1\n\n", {"a": 1}),
        (object_of({"o": S, "r": I}, "r"), "1\n\n", {"r": 1}),
        (object_of({"o": S, "r": I}, "r"), "1\nx\n", {"r": 1, "o": "x"}),
        (object_of({"o": object_of({"x": I}, "x")}), "n\n", {}),
        (object_of({"o": object_of({"x": I}, "x")}), "y\n1\n", {"o": {"x": 1}}),
    ],
    ids=str,
)
def test_a_place_of_the_humans_is_asked_for_until_the_answer_is_right(
    schema: Schema, typed: str, value: Any
) -> None:
    parameters = object_of({"m": S, "h": mine(schema)}, "m", "h")
    assert answer(parameters, {"m": "x"}, typed) == {"h": value}


def test_the_required_come_before_the_optional_which_can_be_skipped() -> None:
    parameters = object_of({"o": mine(S), "m": S, "r": mine(S)}, "r")
    done = asked(parameters, {}, "1\n\n")
    assert done.stderr.index("r: ") < done.stderr.index("o [Enter to skip]: ")
    assert json.loads(done.stdout.splitlines()[-1]) == {"r": "1"}


def test_beside_what_the_model_gave_only_the_humans_parts_are_asked_for() -> None:
    row = object_of({"n": I, "t": mine(S)}, "n", "t")
    parameters = object_of(
        {
            "rows": {"type": "array", "items": row},
            "by": {"type": "object", "additionalProperties": row},
            "pair": {"type": "array", "prefixItems": [S, mine(S)], "items": False},
            "not_given": row,
        }
    )
    llm = {"rows": [{"n": 1}, {"n": 2}], "by": {"x": {"n": 3}}, "pair": ["m", None]}
    gave = answer(parameters, llm, "a\nb\nc\nd\n")
    assert gave == {
        "rows": [{"t": "a"}, {"t": "b"}],
        "by": {"x": {"t": "c"}},
        "pair": [None, "d"],
    }


def test_with_an_alternative_of_the_humans_all_alternatives_are_asked_for() -> None:
    union = {"anyOf": [I, mine(object_of({"b": I}, "b"))]}
    parameters = object_of({"u": union, "h": mine(S)}, "h", "u")
    assert answer(parameters, {"u": 1}, "1\n7\nx\n") == {"h": "x", "u": 7}


def test_one_of_several_objects_is_chosen_and_says_itself_which_it_is() -> None:
    def branch(kind: str, **properties: Schema) -> Schema:
        return object_of({"kind": {"const": kind}, **properties}, "kind", *properties)

    parameters = object_of({"h": mine({"oneOf": [branch("a", n=I), branch("b", t=S)]})}, "h")
    done = asked(parameters, {}, "x\n3\n2\nhello\n")
    assert "1) kind: a" in done.stderr
    assert "a number from 1 to 2" in done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {"h": {"kind": "b", "t": "hello"}}


def test_a_file_is_read_and_one_that_is_not_there_is_asked_for_again(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"hello")
    file = {"type": "string", "format": "binary"}
    parameters = object_of({"f": file, "many": mine({"type": "array", "items": file})}, "f", "many")
    lines = [
        tmp_path / "no",
        tmp_path,
        "/dev/null",
        "~nobody_at_all/x",
        "a\0b",
        "",
        tmp_path / "a.txt",
    ]
    typed = "".join(f"{line}\n" for line in [*lines, tmp_path / "a.txt", ""])
    done = asked(parameters, {}, typed)
    assert done.exit_code == 0, done.output
    for reason in ("No such file", "this is not a file", "an answer is needed"):
        assert reason in done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {"f": "aGVsbG8=", "many": ["aGVsbG8="]}


def test_the_widget_of_a_list_is_that_of_its_items(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"hello")
    schema = mine({"type": "array", "items": S, "x-human-widget": "file"})
    assert answer(object_of({"h": schema}, "h"), {}, f"{tmp_path / 'a.txt'}\n\n") == {
        "h": ["aGVsbG8="]
    }


def test_what_is_wrong_only_as_a_whole_is_told_and_asked_for_again() -> None:
    parameters = object_of({"a": mine(S), "b": mine(S), "m": S}, dependentRequired={"a": ["b"]})
    done = asked(parameters, {}, "x\n\ny\n")
    assert "Not accepted" in done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {"a": "x", "b": "y"}


def test_what_is_known_is_kept_unless_it_is_wrong() -> None:
    parameters = object_of({"a": mine(I), "b": mine(I), "m": S}, "a", "b")
    assert answer(parameters, {}, "2\n", {"a": 1}) == {"a": 1, "b": 2}
    assert answer(parameters, {}, "2\n3\n", {"a": "x"}) == {"a": 3, "b": 2}
    assert answer(parameters, {}, "", {"a": 1, "b": 2}) == {"a": 1, "b": 2}
    assert answer(parameters, {}, "", {"a": 1, "b": 2, "m": "not mine"}) == {"a": 1, "b": 2}


def test_what_nobody_can_be_asked_about_ends_the_asking() -> None:
    parameters = object_of({"a": mine(object_of({}, minProperties=1)), "m": S}, "a")
    assert asked(parameters, {}, "").exit_code == 1


def test_a_function_without_a_human_side_asks_nothing() -> None:
    done = asked(object_of({"m": S}), {}, "")
    assert (done.exit_code, done.stderr) == (0, "")


def test_nothing_in_a_schema_or_of_a_model_is_obeyed_by_the_terminal() -> None:
    evil = "\x1b]0;evil\x07"
    row = object_of({"n": S, f"t{evil}": mine({**S, "description": f"D{evil}"})}, f"t{evil}")
    done = asked(
        object_of({"rows": {"type": "array", "items": row}}), {"rows": [{"n": evil}]}, "a\n"
    )
    assert done.exit_code == 0
    assert "\x1b" not in done.stderr
    assert "\x07" not in done.stderr


def test_what_is_missing_is_said_place_by_place() -> None:
    parameters = object_of({"a": mine(I), "o": object_of({"b": mine(S), "m": S}, "b")}, "a", "o")
    function = Function.from_schema(name="f", parameters=parameters)
    assert missing(function, {"o": {"m": "x"}}, {"a": "x"}) == [
        "a: expected integer",
        "o.b: expected string",
    ]
    assert missing(function, {"o": {"m": "x"}}, {"a": 1, "o": {"b": "x"}}) == []
