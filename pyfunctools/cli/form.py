"""Asks a person in the terminal for their side of a call, place by place."""

import json
from collections.abc import Iterator, Sequence
from mimetypes import guess_type
from pathlib import Path as FilePath

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools._text import shortened, visible
from pyfunctools.cli.display import plain
from pyfunctools.cli.field import Question, question_of
from pyfunctools.cli.typed_line import is_yes, line
from pyfunctools.execution.person.uploads import merged, with_files
from pyfunctools.record.file import File
from pyfunctools.record.function import Function
from pyfunctools.schema import Issue, Path, Separated
from pyfunctools.schema.ground.path import Keys, at

_MOST = 300
"""Characters of a description that are shown before a question."""


def ask(function: Function, llm: JsonValue, known: JsonObject) -> JsonObject:
    """Return the human's side of a call, asked for until the whole is right.

    `llm` is what the model gave, checked; what is `known` of the human's is not asked for again.
    Gives what is known where nothing of it is the reason that the whole is not right.

    Raises:
        typer.Abort: the input has ended, or the person has ended it.
    """
    separated = function.separated
    if separated is None or separated.human is None:
        return known
    console = Console(stderr=True)
    console.print(plain(f"What only you give for {function.name}", "bold cyan"))
    asker = Asker(separated, console)
    while True:
        questions = asker.questions
        given = asker.asked(llm, known)
        refused = _refused(function, llm, given)
        for issue in refused:
            asker.refuse(f"{_label(issue.path.keys)}: expected {issue.expected}")
        if not refused:
            return given
        paths = [issue.path.keys for issue in refused]
        known = _without(given, paths)
        if not asker.reopened(paths) and known == given:
            if asker.questions == questions:
                return given  # there is nothing to ask for: calling says what is wrong
            known = {}
            asker.reopened([()])


class Asker:
    """Asks for one function's values; what was skipped is not asked for again unless refused.

    `questions` is how many answers were asked for.
    """

    def __init__(self, separated: Separated, console: Console) -> None:
        self._separated = separated
        self._root: JsonSchema = separated.human or {}
        self._console = console
        self._skipped: set[Keys] = set()
        self.questions = 0

    def reopened(self, paths: Sequence[Keys]) -> bool:
        """Ask again for what was skipped at these paths or below; say whether anything was."""
        left = {
            skipped
            for skipped in self._skipped
            if not any(skipped[: len(keys)] == keys for keys in paths)
        }
        changed, self._skipped = left != self._skipped, left
        return changed

    def asked(self, llm: JsonValue, known: JsonObject) -> JsonObject:
        """Return the human's side beside what the model gave, asking for all that is not known."""
        given = self._place(self._root, llm, known, ())
        return given if isinstance(given, dict) else {}

    def refuse(self, reason: str) -> None:
        """Print that an answer is not accepted, and why."""
        self._console.print(plain(f"  Not accepted: {reason}.", "yellow"))

    def _place(
        self, schema: JsonSchema | bool, mine: JsonValue, known: JsonValue, keys: Keys
    ) -> JsonValue:
        """Return what is asked for at a place of both, beside what the model gave there."""
        question = question_of(self._root, schema, keys)
        if isinstance(mine, list):
            return self._beside_items(question, mine, known, keys)
        if not isinstance(mine, dict):
            return None
        held = known if isinstance(known, dict) else {}
        given: dict[str, JsonValue] = {}
        for name, inner, is_required in _fields(question.body, mine):
            at_name = (*keys, name)
            owner = self._separated.owner(at_name)
            if owner == "mixed":
                below = mine.get(name, {} if is_required else None)
                asked = self._place(inner, below, held.get(name), at_name)
                if asked not in (None, {}):
                    given[name] = asked
            elif name in held:
                given[name] = held[name]
            elif owner == "human":
                self._member(given, inner, at_name, is_required=is_required)
        return {**held, **given}

    def _beside_items(
        self, question: Question, mine: list[JsonValue], known: JsonValue, keys: Keys
    ) -> JsonValue:
        given: list[JsonValue] = []
        held = known if isinstance(known, list) and len(known) == len(mine) else [None] * len(mine)
        for index, item in enumerate(mine):
            at_item, inner = (*keys, index), _item_schema(question.body, index)
            owner = self._separated.owner(at_item)
            if owner == "human":
                value = held[index]
                given.append(self._answer(inner, at_item) if value is None else value)
                continue
            if owner == "mixed" and isinstance(item, dict):
                self._console.print(
                    plain(f"  The model gave {_label(at_item)}: {_short(item)}", "dim")
                )
            given.append(self._place(inner, item, held[index], at_item))
        return given

    def _member(
        self,
        given: dict[str, JsonValue],
        schema: JsonSchema | bool,
        keys: Keys,
        *,
        is_required: bool,
    ) -> None:
        """Ask for one property, which a person may leave out where it is not required."""
        if keys in self._skipped:
            return
        question = question_of(self._root, schema, keys)
        if not is_required:
            value = self._optional(question, keys)
            if value is None:
                self._skipped.add(keys)
                return
            given[str(keys[-1])] = value
            return
        given[str(keys[-1])] = self._answer(schema, keys)

    def _optional(self, question: Question, keys: Keys) -> JsonValue:
        self._say(question)
        if question.kind in ("array", "branch", "map", "object"):
            is_wanted = self._is_wanted(f"{_label(keys)}: give it?")
            return self._whole(question, keys) if is_wanted else None
        return self._typed(question, keys, question.skip)

    def _answer(self, schema: JsonSchema | bool, keys: Keys) -> JsonValue:
        """Return what a person answers for a place of their own."""
        question = question_of(self._root, schema, keys)
        self._say(question)
        if question.kind in ("array", "branch", "map", "object"):
            if not question.text:
                self._console.print(plain(f"  {_label(keys)}", "dim"))
            return self._whole(question, keys)
        return self._typed(question, keys, "Enter for none" if question.takes_null else "")

    def _whole(self, question: Question, keys: Keys) -> JsonValue:
        """Return an answer that has parts, asked for until it is right."""
        parts = {
            "array": self._array,
            "branch": self._branch,
            "map": self._map,
            "object": self._object,
        }
        while True:
            value = parts[question.kind](question, keys)
            reason = question.refusal(value)
            if reason is None:
                return value
            self.refuse(f"{_label(keys)}: {reason}")
            self._skipped = {path for path in self._skipped if path[: len(keys)] != keys}

    def _object(self, question: Question, keys: Keys) -> JsonValue:
        given: dict[str, JsonValue] = {}
        for name, inner, is_required in _fields(question.body, {}):
            tag = question_of(self._root, inner, (*keys, name)).choices
            if is_required and len(tag) == 1 and isinstance(tag[0], str):
                given[name] = tag[0]  # it only says which of several objects this is
            else:
                self._member(given, inner, (*keys, name), is_required=is_required)
        return given

    def _map(self, question: Question, keys: Keys) -> JsonValue:
        given: dict[str, JsonValue] = {}
        rest = question.body.get("additionalProperties", True)
        while name := self._line(f"{_label(keys)}: a name", "Enter to end"):
            given[name] = self._answer(
                rest if isinstance(rest, dict | bool) else True, (*keys, name)
            )
        return given

    def _array(self, question: Question, keys: Keys) -> JsonValue:
        given: list[JsonValue] = []
        listed = question.body.get("prefixItems")
        count = len(listed) if isinstance(listed, list) else 0
        most = question.body.get("maxItems")
        while _item_schema(question.body, len(given)) is not False and len(given) != most:
            at_item, inner = (*keys, len(given)), _item_schema(question.body, len(given))
            item = question_of(self._root, inner, at_item)
            if len(given) < count:
                given.append(self._answer(inner, at_item))
                continue
            if item.kind in ("array", "branch", "map", "object"):
                if not self._is_wanted(f"{_label(at_item)}: add one?"):
                    break
                value = self._whole(item, at_item)
            else:
                value = self._typed(item, at_item, "Enter to end")
            if value is None:
                break
            given.append(value)
        return given

    def _branch(self, question: Question, keys: Keys) -> JsonValue:
        branches = [question_of(self._root, branch, keys) for branch in question.branches]
        for number, branch in enumerate(branches, 1):
            self._console.print(plain(f"    {number}) {shortened(branch.name, 70)}"))
        while True:
            typed = self._line(f"{_label(keys)}: which", f"1-{len(branches)}").strip()
            if typed.isascii() and typed.isdigit() and 0 < int(typed) <= len(branches):
                schema = question.branches[int(typed) - 1]
                return self._answer(schema, keys)
            self.refuse(f"a number from 1 to {len(branches)} is wanted")

    def _typed(self, question: Question, keys: Keys, skip: str) -> JsonValue:
        """Return one typed answer, asked for until it is right; `None` where it was left out."""
        if question.kind == "choice":
            for number, value in enumerate(question.choices, 1):
                mark = "-" if question.are_numbers else f"{number})"
                text = value if isinstance(value, str) else json.dumps(value)
                self._console.print(plain(f"    {mark} {text}"))
        hint = ", ".join(part for part in (question.hint, skip) if part)
        while True:
            text = self._line(_label(keys), hint, hidden=question.kind == "secret")
            if not text and skip:
                return None
            value: JsonValue = None
            reason: str | None = "an answer is needed"
            try:
                if text:
                    value = _file(text) if question.kind == "file" else question.read(text)
                    reason = question.refusal(value)
            except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: `~nobody`
                reason = f"{getattr(error, 'strerror', None) or error}: {text}"
            if reason is None:
                return value
            self.refuse(reason)

    def _is_wanted(self, asked: str) -> bool:
        self.questions += 1
        return is_yes(f"  {asked}")

    def _say(self, question: Question) -> None:
        if question.text:
            said = Text(visible(shortened(question.text, _MOST)), style="dim")
            self._console.print(Padding(said, (0, 0, 0, 2), expand=False))

    def _line(self, label: str, hint: str, *, hidden: bool = False) -> str:
        self.questions += 1
        return line(f"  {label} [{hint}]" if hint else f"  {label}", hidden=hidden)


def missing(function: Function, llm: JsonValue, known: JsonObject) -> list[str]:
    """Return where the human's side of a call lacks something or is wrong, and what is expected."""
    refused = _refused(function, llm, known)
    return [f"{_label(one.path.keys)}: expected {one.expected}" for one in refused]


def _refused(function: Function, llm: JsonValue, human: JsonObject) -> list[Issue]:
    whole = merged(function, llm, with_files(human))
    return [] if whole else [one for one in whole.issues if one.side == "human"]


def _fields(body: JsonSchema, mine: JsonObject) -> Iterator[tuple[str, JsonSchema | bool, bool]]:
    """Yield the properties, the required ones first, and those that only the model named."""
    properties, required = body.get("properties"), body.get("required")
    names = required if isinstance(required, list) else []
    declared = properties if isinstance(properties, dict) else {}
    for name in sorted(declared, key=lambda name: name not in names):
        inner = declared[name]
        if isinstance(inner, dict | bool):
            yield name, inner, name in names
    rest = body.get("additionalProperties")
    for name in mine:
        if name not in declared and isinstance(rest, dict):
            yield name, rest, True


def _item_schema(body: JsonSchema, index: int) -> JsonSchema | bool:
    """Return the schema of an item, with the widget of its array: files are given one by one."""
    listed, rest = body.get("prefixItems"), body.get("items", True)
    inner = listed[index] if isinstance(listed, list) and index < len(listed) else rest
    if isinstance(inner, dict) and "x-human-widget" in body:
        return {"x-human-widget": body["x-human-widget"], **inner}
    return inner if isinstance(inner, dict | bool) else True


def _file(text: str) -> File:
    path = FilePath(text.strip()).expanduser()
    if path.exists() and not path.is_file():
        raise OSError("this is not a file")  # a device has no end
    return File(path.read_bytes(), path.name, guess_type(path.name)[0])


def _label(keys: Keys) -> str:
    return Path.of(keys, root="").lstrip(".") or "the whole"


def _short(value: JsonValue) -> str:
    return shortened(json.dumps(value, ensure_ascii=False), 60)


def _without(given: JsonObject, paths: Sequence[Keys]) -> JsonObject:
    kept: JsonValue = given
    for keys in paths:
        kept = _cut(kept, keys)
    return kept if isinstance(kept, dict) else given


def _cut(value: JsonValue, keys: Keys) -> JsonValue:
    if not keys or at(value, keys[:1]) is None:
        return value
    first, rest = keys[0], keys[1:]
    if isinstance(value, dict):
        if rest:
            return {**value, str(first): _cut(value[str(first)], rest)}
        return {key: inner for key, inner in value.items() if key != first}
    if isinstance(value, list) and isinstance(first, int):
        changed = _cut(value[first], rest) if rest else None
        return [*value[:first], changed, *value[first + 1 :]]
    return value
