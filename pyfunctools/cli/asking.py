"""A person's values and approval for a call: options, or questions in the terminal.

Questions go to standard error, so that standard output has only the result.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from getpass import getpass
from mimetypes import guess_type
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.panel import Panel
from rich.text import Text

from pyfunctools._json import JsonObject, JsonValue, members_of
from pyfunctools._text import shortened, text_of_value, visible
from pyfunctools.cli.display import print_note, safe_text
from pyfunctools.execution.person.approval import PendingCall
from pyfunctools.record.file import File
from pyfunctools.record.origin import origin_text
from pyfunctools.record.outcome import Outcome, Question
from pyfunctools.schema.feedback.pretty import pretty_json
from pyfunctools.schema.ground.path import parse_path, value_at

_MOST_HELP = 300
"""The most characters of the help text before a question."""


def answers_to(outcome: Outcome, known: JsonObject | None, *, ask: bool) -> JsonObject | None:
    """Return the person's values for a call that waits for them, those that are `known` among them.

    `None` means that no question is open, or that nobody can be asked: without a terminal only with
    `ask`.

    Raises:
        EOFError: standard input has ended.
        KeyboardInterrupt: the person pressed ctrl-C.
    """
    waiting = outcome.waiting
    if waiting is None or outcome.reason != "needs_human":
        return None
    if not (ask or sys.stdin.isatty()):
        print_note("Use --human, or call it in a terminal.", "yellow")
        return None
    console = Console(stderr=True)
    if known is None:
        console.print(safe_text(f"Your values for {waiting.function}", "bold cyan"))
    answers = _by_path(waiting.questions, known or {})
    wrong = [each for each in waiting.questions if each.problem and each.path in answers]
    for each in wrong:
        console.print(safe_text(f"  Not accepted: {each.label}: {each.problem}", "yellow"))
    todo = wrong + [each for each in waiting.questions if each.path not in answers]
    # A blank answer is stored too, and not asked for again.
    return {**answers, **{each.path: _answer(each, console) for each in todo}} if todo else None


def _by_path(questions: Iterable[Question], known: JsonObject) -> JsonObject:
    """Return known values by path; they are nested as the schema, or by path already."""
    found = {each.path: value_at(known, parse_path(each.path) or ()) for each in questions}
    nested = {path: value[0] for path, value in found.items() if value is not None}
    return {**nested, **{path: value for path, value in known.items() if path.startswith("$")}}


def _answer(question: Question, console: Console) -> JsonValue:
    """Return one typed answer, blank if the person left it out."""
    if question.help:
        text = Text(visible(shortened(question.help, _MOST_HELP)), style="dim")
        console.print(Padding(text, (0, 0, 0, 2), expand=False))
    are_numbers = any(isinstance(value, int | float) for value in question.options)
    for number, value in enumerate(question.options, 1):
        mark = "-" if are_numbers else f"{number})"
        console.print(safe_text(f"    {mark} {text_of_value(value)}"))
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
        numbered = {str(number): value for number, value in enumerate(question.options, 1)}
        words = [text_of_value(numbered.get(word.strip(), word)) for word in words]
    return [*words] if question.kind == "choices" else words[0]


def _hints(question: Question, is_list: bool) -> Iterator[str]:
    kinds = {"boolean": "y/n", "file": "path", "text": "", "choice": "", "choices": "with commas"}
    line = ", one a line" if is_list else ""
    yield "hidden" if question.secret else kinds.get(question.kind, question.kind) + line
    if not question.required:
        is_blank = question.default in (None, "", [], {})
        yield "Enter to skip" if is_blank else f"Enter for {text_of_value(question.default)}"


def read_line(prompt: str, *, hidden: bool = False) -> str:
    """Return the line that a person types after a prompt, without echo if `hidden`.

    Raises:
        EOFError: standard input has ended.
        KeyboardInterrupt: the person pressed ctrl-C.
    """
    prompt = f"{visible(prompt)}: "
    if hidden and sys.stdin.isatty():
        return getpass(prompt, stream=sys.stderr)
    print(prompt, end="", file=sys.stderr, flush=True)
    return input()


def is_confirmed(question: str) -> bool:
    """Return whether a person answers yes; any other answer is no.

    Raises:
        EOFError: standard input has ended.
        KeyboardInterrupt: the person pressed ctrl-C.
    """
    return read_line(f"{question} [y/N]").strip().lower() in ("y", "yes")


def approval_prompt(*, ask: bool) -> Callable[[PendingCall], bool | None]:
    """Return a function that shows a call, secrets masked, and asks the person to approve it."""

    def approve(pending: PendingCall) -> bool | None:
        function, request = pending.function, pending.request
        if not (ask or sys.stdin.isatty()):
            print_note("This needs approval: use --yes, or call it in a terminal.", "yellow")
            return None
        where = f"{request.method} {request.url}" if request else origin_text(function.origin)
        text = safe_text(f"{where}\n\n{pretty_json(dict(pending.arguments))}")
        title = "about to run, and destructive" if function.destructive else "about to run"
        panel = Panel(text, title=title, title_align="left", border_style="yellow")
        Console(stderr=True).print(panel)
        try:
            return is_confirmed(f"Run {function.name}?")
        except EOFError:
            return None

    return approve
