"""`PartialArguments`: the arguments in a JSON text that still grows, for display.

Each reading continues where the last one stopped, so that reading a text after each of its pieces
takes linear time. Every object and array that is still open has two sides: what is `written`, and
what is `shown`, in the names and the shape of the function:

    text       {"n": null, "map": [{"key": "a", "value": 1}, {"key": "b", "value": "wo
    written    {"n": None, "map": [{"key": "a", "value": 1}]}
    shown      {"map": {"a": 1, "b": "wo"}}

What is finished is final, and what follows a mistake is not shown.
"""

import json
import re
from typing import Final

from pyfunctools._json import JsonValue
from pyfunctools.dialects.change import KEY, SAME, VALUE, Change
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.parsing.strict import parse_strict

_NOTHING: Final = object()
_SPACE: Final = re.compile(r"\s*")
_SCALAR: Final = re.compile(r"true|false|null|-?\d[\d.eE+-]{0,400}(?=[\s,\]}])")
"""A literal, or a number that has ended: another digit would make it another number."""
_CHARACTERS: Final = re.compile(
    r'(?:[^"\\]++|\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}'
    r"|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}))*+"
)
"""The characters of a string, without an escape that has not ended."""
_MOST_GUESSES: Final = 8
"""How many members of an open value may still tell which branch of a union it is meant for."""


class PartialArguments:
    """Reads arguments while they are written; `change` is that of their rendering."""

    def __init__(self, change: Change = SAME) -> None:
        self._change = change
        self._at = 0
        self._open: list[_Open] = []
        self._wants = "value"
        self._string: str | None = None
        self._inside: PartialArguments | None = None
        self._whole: object = _NOTHING

    def read(self, arguments: str | JsonValue) -> JsonValue:
        """Return what is certain of arguments in a text that begins with the last one.

        A string may still grow, and members and items may follow; other values are final. Finished
        parts are shared by all readings of a text: change none.
        """
        if not isinstance(arguments, str):
            return self._change.restore(arguments)
        if len(arguments) < self._at:  # an older text than the last one
            return PartialArguments(self._change).read(arguments)
        while self._wants and self._step(arguments):
            pass
        shown = self._shown()
        return None if shown is _NOTHING else shown  # pyright: ignore[reportReturnType]

    def _shown(self) -> object:
        value = self._whole
        if self._string is not None:
            value = self._string
            if self._inside is not None:
                self._inside.read(self._string)
                value = self._inside._shown()
        for each in reversed(self._open):
            value = each.with_last(value)
        return value

    def _step(self, text: str) -> bool:
        """Read one token; return whether it was there, and may stand there."""
        if self._string is not None:
            return self._continue_string(text)
        space = _SPACE.match(text, self._at)
        self._at = self._at if space is None else space.end()
        top = self._open[-1] if self._open else None
        closing = "" if top is None else "]" if isinstance(top.written, list) else "}"
        match self._wants, text[self._at : self._at + 1]:
            case (("value" | "item"), ("{" | "[") as mark) if (
                len(self._open) < DEFAULT_LIMITS.depth
            ):
                change = self._change if top is None else top.inside()
                self._open.append(_Open({} if mark == "{" else [], change))
                self._wants = "member" if mark == "{" else "item"
            case (("value" | "item"), '"'):
                self._string = ""
                change = (self._change if top is None else top.inside()).settled("")
                self._inside = PartialArguments() if change.text else None
            case (("item" | "member" | "comma"), mark) if mark and mark == closing:
                self._end(self._open.pop().written)
            case (("key" | "member"), '"'):
                return self._key(text)
            case "colon", ":":
                self._wants = "value"
            case "comma", ",":
                self._wants = "key" if closing == "}" else "value"
            case (("value" | "item"), _):
                return self._scalar(text)
            case _:
                return False
        self._at += 1
        return True

    def _scalar(self, text: str) -> bool:
        found = _SCALAR.match(text, self._at)
        read = None if found is None else parse_strict(found[0], 1)
        if found is None or read is None:
            return False
        self._at = found.end()
        self._end(read.value)
        return True

    def _key(self, text: str) -> bool:
        inner, end = _characters(text, self._at + 1)
        if text[end : end + 1] != '"':
            return False
        self._open[-1].key = inner
        self._at, self._wants = end + 1, "colon"
        return True

    def _continue_string(self, text: str) -> bool:
        inner, self._at = _characters(text, self._at)
        string = self._string = (self._string or "") + inner
        if text[self._at : self._at + 1] != '"':
            return False
        self._at += 1
        self._string = self._inside = None
        self._end(string)
        return True

    def _end(self, value: JsonValue) -> None:
        """Add a finished value to what holds it."""
        if self._open:
            self._open[-1].add(value)
            self._wants = "comma"
        else:
            self._whole = self._change.restore(value)
            self._wants = ""


def _characters(text: str, start: int) -> tuple[str, int]:
    """Return the part of a string that is certain, and where it ends."""
    found = _CHARACTERS.match(text, start)
    end = start if found is None else found.end()
    inner = text[start:end]
    return (json.loads(f'"{inner}"', strict=False) if "\\" in inner else inner), end


class _Open:
    """An object or an array that is still being written; `key` is that of its last member."""

    def __init__(self, written: dict[str, JsonValue] | list[JsonValue], change: Change) -> None:
        self.written = written
        self.key: str = ""
        self._change = change
        self._is_union = any(each.branches for each in change.here())
        self._settle()

    def _settle(self) -> None:
        """Choose the branch of a union by what is written so far, and show that again.

        Without a branch nothing of it is shown: its names and its shape are not known yet.
        """
        self._chosen = change = self._change.settled(self.written)
        self._old = {new: old for old, new in change.names.items()}
        self.shown: dict[str, JsonValue] | list[JsonValue]
        if change is SAME:
            self.shown = self.written
            return
        key, written = self.key, self.written
        self.shown = {} if isinstance(written, dict) or change.pairs else []
        pairs = written.items() if isinstance(written, dict) else (("", each) for each in written)
        for self.key, each in pairs:
            self._put(self.shown, self.inside(len(self.shown)).restore(each))
        self.key = key

    def inside(self, index: int | None = None) -> Change:
        """Return the change of the last member, or of an item."""
        change = self._chosen
        if isinstance(self.written, dict):
            return change.member(self._old.get(self.key, self.key))
        if change.pairs:
            return Change(members={VALUE: change.rest or SAME})
        return change.item(len(self.written) if index is None else index)

    def add(self, value: JsonValue) -> None:
        """Add the finished last member or item."""
        change = self.inside()
        if isinstance(self.written, dict):
            self.written[self.key] = value
        else:
            self.written.append(value)
        if self._is_union and len(self.written) <= _MOST_GUESSES:
            self._settle()
        elif self.shown is not self.written:
            self._put(self.shown, value if change is SAME else change.restore(value))

    def with_last(self, value: object) -> dict[str, JsonValue] | list[JsonValue]:
        """Return what is shown, with the value so far of the last member, if it has begun."""
        shown = self.shown.copy()
        if value is not _NOTHING:
            self._put(shown, value)  # pyright: ignore[reportArgumentType]
        return shown

    def _put(self, shown: dict[str, JsonValue] | list[JsonValue], value: JsonValue) -> None:
        if self._chosen.branches:
            return
        if isinstance(shown, list):
            shown.append(value)
        elif isinstance(self.written, list):  # a pair of a map
            if isinstance(value, dict) and value.keys() >= {KEY, VALUE}:
                shown[str(value[KEY])] = value[VALUE]
        else:
            name = self._old.get(self.key, self.key)
            if value is not None or name not in self._chosen.missing_if_null:
                shown[name] = value
