"""One typed line."""

from pathlib import Path

import pytest
import typer
from terminal import Terminal
from typer.testing import CliRunner, Result

from pyfunctools.cli.typed_line import is_yes, line

PROGRAM = "from pyfunctools.cli.typed_line import line, is_yes; print(({}))"


def shown(given: str, *, hidden: bool = False, as_question: bool = False) -> Result:
    app = typer.Typer()

    @app.command()
    def main() -> None:
        print(repr(is_yes("Sure?") if as_question else line("a", hidden=hidden)))

    return CliRunner().invoke(app, [], input=given)


@pytest.mark.parametrize("hidden", [False, True])
def test_a_line_is_asked_for_on_standard_error_only(hidden: bool) -> None:
    done = shown(" x \r\n", hidden=hidden)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "' x '\n", "a: ")


@pytest.mark.parametrize(
    ("typed", "answer"), [("y", True), ("YES", True), ("n", False), ("", False), ("ja\ny", True)]
)
def test_yes_has_to_be_said(typed: str, answer: bool) -> None:
    assert shown(f"{typed}\n", as_question=True).stdout == f"{answer}\n"


@pytest.mark.parametrize("as_question", [False, True])
def test_an_input_that_ends_is_no_answer(as_question: bool) -> None:
    done = shown("", as_question=as_question)
    assert (done.exit_code, done.stdout) == (1, "")


def test_in_a_terminal_what_is_hidden_is_not_echoed_and_the_rest_is(tmp_path: Path) -> None:
    program = PROGRAM.format('line("open"), len(line("secret", hidden=True)), is_yes("Sure?")')
    with Terminal("-c", program, cwd=tmp_path) as terminal:
        terminal.answer("open: ", "seen")
        terminal.answer("secret: ", "unseen")
        terminal.answer("Sure? [y/N]: ", "y")
        assert terminal.end() == 0
    assert "('seen', 6, True)" in terminal.output
    assert terminal.output.count("seen") == 2
    assert "unseen" not in terminal.output
