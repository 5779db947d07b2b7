"""A person's values and approval for a call: options, or questions in the terminal.

Questions go to standard error, so that standard output has only the result.
"""

import json
import sys
from collections.abc import Callable, Iterator
from mimetypes import guess_type
from pathlib import Path

import typer
from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.text import Text

from pyfunctools._json import JsonObject, JsonValue, members_of
from pyfunctools._text import shortened, visible
from pyfunctools.cli.display import pretty_json, print_note, safe_text
from pyfunctools.execution.person.answers import answers_of
from pyfunctools.execution.person.approval import PendingCall
from pyfunctools.execution.person.questions import persons_values, questions_for
from pyfunctools.execution.person.uploads import merged
from pyfunctools.record.file import File
from pyfunctools.record.function import Function
from pyfunctools.record.origin import origin_text
from pyfunctools.record.outcome import Question
from pyfunctools.route import Route
from pyfunctools.schema import Issue
from pyfunctools.schema.feedback.plain_words import to_person
from pyfunctools.schema.ground.path import parse_path, value_at

_MOST_HELP = 300
"""The most characters of the help text before a question."""


def human_issues(
    function: Function, llm: JsonValue, human: object
) -> tuple[list[Issue], JsonValue]:
    """Return what is missing or invalid in a person's values, and the values as the schema's."""
    _, values = persons_values(function, llm, human)
    whole = merged(function, llm, values)
    return [] if whole else [each for each in whole.issues if each.side == "human"], values


def ask_values(function: Function, llm: JsonValue, known: JsonObject) -> JsonObject:
    """Return the person's values by path; ask until the arguments are valid.

    `llm` are the checked arguments of the model. Valid values in `known` are not asked for again.
    `known` is returned if it has an issue that no question is about.

    Raises:
        EOFError: standard input has ended.
        KeyboardInterrupt: the person pressed ctrl-C.
    """
    console = Console(stderr=True)
    console.print(safe_text(f"Your values for {function.name}", "bold cyan"))
    answers = _by_path(function, llm, known)
    if answers is None:
        return known
    while True:
        issues, _ = human_issues(function, llm, answers)
        questions = questions_for(function, llm, answers, issues)
        wrong = [each for each in questions if each.problem and each.path in answers]
        for each in wrong:
            console.print(safe_text(f"  Not accepted: {each.label}: {each.problem}", "yellow"))
        todo = wrong or [each for each in questions if each.path not in answers][:1]
        if not todo:
            return answers
        for each in todo:  # a blank answer is stored too, and not asked for again
            answers[each.path] = _answer(each, console)


def _by_path(function: Function, llm: JsonValue, known: JsonObject) -> dict[str, JsonValue] | None:
    """Return known values by path, or `None` if one has an issue that no question is about."""
    if answers_of(known).is_flat:
        return dict(known)
    paths = {each.path: parse_path(each.path) or () for each in questions_for(function, llm, known)}
    for issue in human_issues(function, llm, known)[0]:
        at = issue.path.keys
        if not any(at[: len(keys)] == keys[: len(at)] for keys in paths.values()):
            return None
    found = {path: value_at(known, keys) for path, keys in paths.items()}
    return {path: value[0] for path, value in found.items() if value is not None}


def _answer(question: Question, console: Console) -> JsonValue:
    """Return one typed answer, blank if the person left it out."""
    if question.help:
        text = Text(visible(shortened(question.help, _MOST_HELP)), style="dim")
        console.print(Padding(text, (0, 0, 0, 2), expand=False))
    are_numbers = any(isinstance(value, int | float) for value in question.options)
    for number, value in enumerate(question.options, 1):
        mark = "-" if are_numbers else f"{number})"
        console.print(safe_text(f"    {mark} {_as_text(value)}"))
    is_list = members_of(question.schema).get("type") == "array"
    hint = ", ".join(filter(None, _hints(question, is_list)))
    prompt = f"  {question.label} [{hint}]" if hint else f"  {question.label}"
    items: list[JsonValue] = []
    while True:
        text = read_line(prompt, hidden=question.secret)
        if not text:
            if items or not question.required:
                return items or ""
            console.print(safe_text("  Not accepted: an answer is needed.", "yellow"))
            continue
        try:
            value = _value(question, text, are_numbers)
        except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: `~nobody`
            reason = f"{getattr(error, 'strerror', None) or error}: {text}"
            console.print(safe_text(f"  Not accepted: {reason}.", "yellow"))
            continue
        if not is_list or question.kind == "choices" or text.lstrip().startswith("["):
            return value
        items.append(value)


def _value(question: Question, text: str, are_numbers: bool) -> JsonValue:
    if question.kind == "file":
        path = Path(text.strip()).expanduser()
        if path.exists() and not path.is_file():
            raise OSError("this is not a file")  # reading a device may never end
        return File(path.read_bytes(), path.name, guess_type(path.name)[0])
    if question.kind == "boolean":
        return {"y": "yes", "n": "no"}.get(text.strip().lower(), text)
    words = [word.strip() for word in text.split(",")] if question.kind == "choices" else [text]
    if question.options and not are_numbers:
        words = [_option(question, word) for word in words]
    return [*words] if question.kind == "choices" else words[0]


def _option(question: Question, word: str) -> str:
    """Return the option with this number, or the word itself."""
    number = int(word) if word.strip().isascii() and word.strip().isdigit() else 0
    return _as_text(question.options[number - 1]) if 0 < number <= len(question.options) else word


def _hints(question: Question, is_list: bool) -> Iterator[str]:
    kinds = {"boolean": "y/n", "file": "path", "text": "", "choice": "", "choices": "with commas"}
    line = ", one a line" if is_list else ""
    yield "hidden" if question.secret else kinds.get(question.kind, question.kind) + line
    if not question.required:
        is_blank = question.default in (None, "", [], {})
        yield "Enter to skip" if is_blank else f"Enter for {_as_text(question.default)}"


def _as_text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def read_line(prompt: str, *, hidden: bool = False) -> str:
    """Return the line that a person types after a prompt, without echo if `hidden`.

    Raises:
        EOFError: standard input has ended.
        KeyboardInterrupt: the person pressed ctrl-C.
    """
    prompt = visible(prompt)
    if sys.stdin.isatty() and (hidden or sys.stdout.isatty()):
        try:
            typed: str = typer.prompt(
                prompt, default="", show_default=False, hide_input=hidden, err=True
            )
        except typer.Abort as error:  # its context is the EOFError or KeyboardInterrupt
            raise error.__context__ or EOFError from None
        return typed
    typer.echo(f"{prompt}: ", nl=False, err=True)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\r\n")


def is_confirmed(question: str) -> bool:
    """Return whether a person answers yes; an empty answer is no.

    Raises:
        EOFError: standard input has ended.
        KeyboardInterrupt: the person pressed ctrl-C.
    """
    while True:
        typed = read_line(f"{question} [y/N]").strip().lower()
        if typed in ("y", "yes"):
            return True
        if typed in ("", "n", "no"):
            return False


def human_values(
    function: Function, text: str, given: JsonObject | None, *, ask: bool
) -> JsonObject | None:
    """Return the person's values of a call; ask for missing ones if a person can be asked.

    If the model's arguments in `text` are invalid, no question is asked: the call reports them.

    Raises:
        EOFError: standard input has ended.
        KeyboardInterrupt: the person pressed ctrl-C.
    """
    checked = function.check(text)
    if not checked or function.separated is None:
        return given
    issues, values = human_issues(function, checked.value, given or {})
    if issues and not (ask or sys.stdin.isatty()):
        text = to_person(issues, given=values)
        told = f"Missing or invalid:\n{text}\nUse --human, or call it in a terminal."
        print_note(told, "yellow")
        return given  # the call reports the issues
    return ask_values(function, checked.value, given or {}) if ask or issues else given


def approval_prompt(server: str | None, *, ask: bool) -> Callable[[PendingCall], bool | None]:
    """Return a function that shows a call, secrets masked, and asks the person to approve it."""

    def approve(pending: PendingCall) -> bool | None:
        function = pending.function
        if not (ask or sys.stdin.isatty()):
            print_note("This needs approval: use --yes, or call it in a terminal.", "yellow")
            return None
        text = f"{_address(function, server)}\n\n{pretty_json(_without_bytes(pending.arguments))}"
        title = "about to run, and destructive" if function.destructive else "about to run"
        panel = Panel(safe_text(text), title=title, title_align="left", border_style="yellow")
        Console(stderr=True).print(panel)
        try:
            return is_confirmed(f"Run {function.name}?")
        except EOFError:
            return None

    return approve


def _address(function: Function, server: str | None) -> str:
    """Return the method and URL of a request, or the qualified name of a Python method."""
    origin = function.origin
    if not isinstance(origin, Route):
        return origin_text(origin)
    base = server or ""
    if server == "document":
        base = origin.servers[0].url if origin.servers else ""
    return f"{origin.method} {base.rstrip('/')}{origin.path}"


def _without_bytes(value: JsonObject | JsonValue) -> JsonValue:
    """Return arguments with the name and size of each file in place of its content."""
    if isinstance(value, File):
        return f"<file {json.dumps(value.filename)}, {len(value.content)} bytes>"
    if isinstance(value, dict):
        return {name: _without_bytes(inner) for name, inner in value.items()}
    return [_without_bytes(item) for item in value] if isinstance(value, list) else value
