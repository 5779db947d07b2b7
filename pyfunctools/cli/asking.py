"""Asks a person in the terminal for their side of a call, one question after the other.

What is asked goes to standard error, so that standard output has the answer only.
"""

import json
import sys
from mimetypes import guess_type
from pathlib import Path

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import shortened, visible
from pyfunctools.cli.display import plain
from pyfunctools.execution.person.answers import answers_of
from pyfunctools.execution.person.questions import persons_values, questions_for
from pyfunctools.execution.person.uploads import merged
from pyfunctools.record.file import File
from pyfunctools.record.function import Function
from pyfunctools.record.question import Question
from pyfunctools.schema import Issue
from pyfunctools.schema.ground.path import parse_path, value_at

_MOST = 300
"""Characters of a help text that are shown before a question."""


def refused(function: Function, llm: JsonValue, human: object) -> tuple[Issue, ...]:
    """Return the issues of a person's values: what is missing, and what is wrong."""
    _, values = persons_values(function, llm, human)
    whole = merged(function, llm, values)
    return () if whole else tuple(one for one in whole.issues if one.side == "human")


def ask(function: Function, llm: JsonValue, known: JsonObject) -> JsonObject:
    """Return the person's values by path, asked for until the whole is right.

    `llm` is what the model gave, checked; what is `known` of the person's and right is not asked
    for again. Returns what is known where nothing that is asked could mend it.

    Raises:
        EOFError: the input has ended.
        KeyboardInterrupt: the person has ended it.
    """
    console = Console(stderr=True)
    console.print(plain(f"What only you give for {function.name}", "bold cyan"))
    answers = _flat(function, llm, known)
    if answers is None:
        return known
    while True:
        issues = refused(function, llm, answers)
        questions = questions_for(function, llm, answers, issues)
        wrong = [each for each in questions if each.problem and each.path in answers]
        for each in wrong:
            console.print(plain(f"  Not accepted: {each.label}: {each.problem}", "yellow"))
        todo = wrong or [each for each in questions if each.path not in answers][:1]
        if not todo:
            return answers
        for each in todo:  # what is left blank is no answer, and not asked for again
            answers[each.path] = _answer(each, console)


def _flat(function: Function, llm: JsonValue, known: JsonObject) -> dict[str, JsonValue] | None:
    """Return known values by path; `None` where some of them are not asked for at all."""
    if answers_of(known).is_flat:
        return dict(known)
    asked = [parse_path(each.path) or () for each in questions_for(function, llm, known)]
    strange = [
        one
        for one in refused(function, llm, known)
        if not any(one.path.keys[: len(keys)] == keys[: len(one.path.keys)] for keys in asked)
    ]
    if strange:
        return None
    found: dict[str, JsonValue] = {}
    for each in questions_for(function, llm, known):
        held = value_at(known, parse_path(each.path) or ())
        if held is not None:
            found[each.path] = held[0]
    return found


def _answer(question: Question, console: Console) -> JsonValue:
    """Return one typed answer, blank where it was left out."""
    if question.help:
        said = Text(visible(shortened(question.help, _MOST)), style="dim")
        console.print(Padding(said, (0, 0, 0, 2), expand=False))
    are_numbers = any(isinstance(value, int | float) for value in question.options)
    for number, value in enumerate(question.options, 1):
        mark = "-" if are_numbers else f"{number})"
        console.print(plain(f"    {mark} {_told(value)}"))
    is_list = isinstance(question.schema, dict) and question.schema.get("type") == "array"
    hint = ", ".join(part for part in (_hint(question, is_list), _skip(question)) if part)
    asked = f"  {question.label} [{hint}]" if hint else f"  {question.label}"
    given: list[JsonValue] = []
    while True:
        text = line(asked, hidden=question.secret)
        if not text:
            if given or not question.required:
                return given or ""
            console.print(plain("  Not accepted: an answer is needed.", "yellow"))
            continue
        try:
            value = _read(question, text, are_numbers)
        except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: `~nobody`
            reason = f"{getattr(error, 'strerror', None) or error}: {text}"
            console.print(plain(f"  Not accepted: {reason}.", "yellow"))
            continue
        if not is_list or question.kind == "choices" or text.lstrip().startswith("["):
            return value
        given.append(value)


def _read(question: Question, text: str, are_numbers: bool) -> JsonValue:
    if question.kind == "file":
        path = Path(text.strip()).expanduser()
        if path.exists() and not path.is_file():
            raise OSError("this is not a file")  # a device has no end
        return File(path.read_bytes(), path.name, guess_type(path.name)[0])
    if question.kind == "boolean":
        return {"y": "yes", "n": "no"}.get(text.strip().lower(), text)
    words = [word.strip() for word in text.split(",")] if question.kind == "choices" else [text]
    if question.options and not are_numbers:
        words = [_chosen(question, word) for word in words]
    return [*words] if question.kind == "choices" else words[0]


def _chosen(question: Question, word: str) -> str:
    """Return the option that a number stands for."""
    number = int(word) if word.strip().isascii() and word.strip().isdigit() else 0
    return _told(question.options[number - 1]) if 0 < number <= len(question.options) else word


def _hint(question: Question, is_list: bool) -> str:
    if question.secret:
        return "hidden"
    kinds = {"boolean": "y/n", "file": "path", "text": "", "choice": "", "choices": "with commas"}
    return kinds.get(question.kind, question.kind) + (", one a line" if is_list else "")


def _skip(question: Question) -> str:
    if question.required:
        return ""
    if question.default in (None, "", [], {}):
        return "Enter to skip"
    return f"Enter for {_told(question.default)}"


def _told(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def line(asked: str, *, hidden: bool = False) -> str:
    """Return the line that a person types after a question, without echo where it is `hidden`.

    Raises:
        EOFError: the input has ended.
        KeyboardInterrupt: the person has ended it.
    """
    asked = visible(asked)
    if sys.stdin.isatty() and (hidden or sys.stdout.isatty()):
        try:
            typed: str = typer.prompt(
                asked, default="", show_default=False, hide_input=hidden, err=True
            )
        except typer.Abort as error:  # which stands for one of the two
            raise error.__context__ or EOFError from None
        return typed
    typer.echo(f"{asked}: ", nl=False, err=True)
    read = sys.stdin.readline()
    if not read:
        raise EOFError
    return read.rstrip("\r\n")


def is_yes(asked: str) -> bool:
    """Return whether a person answers yes; to answer nothing is no.

    Raises:
        EOFError: the input has ended.
        KeyboardInterrupt: the person has ended it.
    """
    while True:
        typed = line(f"{asked} [y/N]").strip().lower()
        if typed in ("y", "yes"):
            return True
        if typed in ("", "n", "no"):
            return False
