"""A person's values, asked for in a terminal."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from terminal import Terminal
from typer.testing import CliRunner, Result

from pyfunctools import Controller, Function
from pyfunctools.cli.asking import answers_to, is_confirmed, read_line

Schema = dict[str, Any]
S = {"type": "string"}
I = {"type": "integer"}  # noqa: E741


def mine(schema: Schema) -> Schema:
    return {**schema, "x-human": True}


def object_of(properties: Schema, *required: str, **keywords: Any) -> Schema:
    return {"type": "object", "properties": properties, "required": [*required], **keywords}


def asked(parameters: Schema, llm: Any, given: str, known: Any = None) -> Result:
    """Ask for the human's side of these parameters, and print it as JSON."""
    function = Function.from_schema(name="f", parameters=parameters, handler=lambda **_: None)
    controller = Controller.from_functions([function])
    app = typer.Typer()

    @app.command()
    def main() -> None:
        values = known
        while answers := answers_to(controller.call("f", llm, human=values), values, ask=True):
            values = answers
        print(json.dumps(values))

    return CliRunner().invoke(app, [], input=given)


def answer(parameters: Schema, llm: Any, given: str, known: Any = None) -> Any:
    done = asked(parameters, llm, given, known)
    assert done.exit_code == 0, done.output
    gave = json.loads(done.stdout.splitlines()[-1])
    return {path: value for path, value in gave.items() if value != ""}


CARD, BANK = object_of({"number": S}, "number"), object_of({"iban": S}, "iban")


@pytest.mark.parametrize(
    ("schema", "typed", "gave"),
    [
        (S, "\nx\n", {"": "x"}),
        (I, "x\n7\n", {"": "7"}),
        ({"type": "boolean"}, "maybe\ny\n", {"": "yes"}),
        ({"enum": ["a", "b"]}, "2\n", {"": "b"}),
        ({"enum": [2, 1]}, "2\n", {"": "2"}),
        ({"type": ["integer", "null"]}, "\n", {}),
        ({"type": "array", "items": I}, "1\n2\n\n", {"": ["1", "2"]}),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, "2, a\n", {"": ["b", "a"]}),
        ({"type": "object", "additionalProperties": I}, '{"a": 1}\n', {"": '{"a": 1}'}),
        (object_of({"o": S, "r": I}, "r"), "1\n\n", {".r": "1"}),
        ({"type": "array", "items": CARD}, "1\nx\n", {"": "1", "[0].number": "x"}),
        (
            {"anyOf": [{**CARD, "title": "Card"}, {**BANK, "title": "Bank"}]},
            "3\n2\nx\n",
            {"": "Bank", ".iban": "x"},
        ),
    ],
    ids=str,
)
def test_a_human_value_is_asked_for_until_it_is_valid(
    schema: Schema, typed: str, gave: Any
) -> None:
    parameters = object_of({"m": S, "h": mine(schema)}, "m", "h")
    expected = {"$input.h" + path: value for path, value in gave.items()}
    assert answer(parameters, {"m": "x"}, typed) == expected


def test_known_values_are_not_asked_for() -> None:
    parameters = object_of({"a": mine(S), "b": mine(S)}, "a", "b")
    gave = answer(parameters, {}, "y\n", {"a": "x"})
    assert gave == {"$input.a": "x", "$input.b": "y"}
    assert answer(parameters, {}, "y\n", {"$input.a": "x"}) == gave


def test_a_file_is_read_and_a_missing_one_is_asked_for_again(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"hello")
    file = {"type": "string", "format": "binary"}
    parameters = object_of({"f": file, "many": mine({"type": "array", "items": file})}, "f", "many")
    wrong = [tmp_path / "no", tmp_path, "/dev/null", "~nobody_at_all/x", "a\0b", ""]
    typed = "".join(f"{each}\n" for each in [*wrong, tmp_path / "a.txt", tmp_path / "a.txt", ""])
    done = asked(parameters, {}, typed)
    assert done.exit_code == 0, done.output
    for reason in ("No such file", "this is not a file", "an answer is needed"):
        assert reason in done.stderr
    gave = json.loads(done.stdout.splitlines()[-1])
    assert gave == {"$input.f": "aGVsbG8=", "$input.many": ["aGVsbG8="]}


def test_values_that_are_invalid_together_are_asked_for_again() -> None:
    parameters = object_of({"a": mine(S), "b": mine(S), "m": S}, dependentRequired={"a": ["b"]})
    gave = answer(parameters, {}, "y\n", {"a": "x"})
    assert gave == {"$input.a": "x", "$input.b": "y"}


def test_an_input_that_ends_in_the_middle_ends_it() -> None:
    parameters = object_of({"a": mine(S), "b": mine(S)}, "a", "b")
    assert asked(parameters, {}, "x\n").exit_code == 1


PROGRAM = "from pyfunctools.cli.asking import is_confirmed, read_line; print(({}))"


def shown(given: str, *, hidden: bool = False, as_question: bool = False) -> Result:
    app = typer.Typer()

    @app.command()
    def main() -> None:
        print(repr(is_confirmed("Sure?") if as_question else read_line("a", hidden=hidden)))

    return CliRunner().invoke(app, [], input=given)


@pytest.mark.parametrize("hidden", [False, True])
def test_prompts_go_to_standard_error_only(hidden: bool) -> None:
    done = shown(" x \r\n", hidden=hidden)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "' x '\n", "a: ")


@pytest.mark.parametrize(
    ("typed", "answer"), [("y", True), ("YES", True), ("n", False), ("", False), ("ja", False)]
)
def test_only_yes_is_a_confirmation(typed: str, answer: bool) -> None:
    assert shown(f"{typed}\n", as_question=True).stdout == f"{answer}\n"


@pytest.mark.parametrize("as_question", [False, True])
def test_the_end_of_input_is_not_an_answer(as_question: bool) -> None:
    done = shown("", as_question=as_question)
    assert (done.exit_code, done.stdout) == (1, "")


def test_in_a_terminal_only_hidden_input_is_not_echoed(tmp_path: Path) -> None:
    reads = 'read_line("open"), len(read_line("secret", hidden=True)), is_confirmed("Sure?")'
    program = PROGRAM.format(reads)
    with Terminal("-c", program, cwd=tmp_path) as terminal:
        terminal.answer("open: ", "seen")
        terminal.answer("secret: ", "unseen")
        terminal.answer("Sure? [y/N]: ", "y")
        assert terminal.end() == 0
    assert "('seen', 6, True)" in terminal.output
    assert terminal.output.count("seen") == 2
    assert "unseen" not in terminal.output
