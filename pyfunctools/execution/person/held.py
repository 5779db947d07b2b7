"""What a bound call holds of a person's: as it was typed, and as it was read, decoded and built.

A function tells what it holds, not what was typed: a text that was stripped or put in upper case, a
date, the bytes of a base64 text, a default. So a call shows what it holds before it runs, as a tree
like the JSON of the arguments with Python objects for leaves, and the schema says what of the tree
is the person's.
"""

import re
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import date, time
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from typing import cast, get_type_hints

from pyfunctools._json import JsonValue
from pyfunctools.execution.person.masking import SHORTEST, Masker
from pyfunctools.execution.person.uploads import File
from pyfunctools.record.function import Function, contract_of
from pyfunctools.record.outcome import Outcome, json_of
from pyfunctools.schema.ground.preview import preview_scalar

_DEEPEST = 64
"""Levels of a built value that are looked into; arguments have no more."""

_PLAIN = frozenset({str, int, float, bool, type(None)})
"""The types of nearly all values without parts."""

_LONGEST = 4096
"""Bytes of the longest binary content that is looked for in other spellings than base64."""


class Tree(dict[str, JsonValue]):
    """The members of an object that a call holds, by all the names they may have in JSON.

    `source` is the object itself.
    """

    __slots__ = ("source",)

    source: object

    def __repr__(self) -> str:
        return f"<Tree of {len(self)}>"  # a frame of a traceback shows nobody's values


def tree_of(value: object, names: set[str], depth: int = 0) -> JsonValue:
    """Return a value a call holds as a tree; what is no container stays what it is.

    The names of fields are added to `names`.
    """
    if type(value) in _PLAIN or isinstance(value, str) or depth > _DEEPEST:
        return cast("JsonValue", value)
    if isinstance(value, Mapping):
        held = cast("Mapping[object, object]", value)
        return {_text(key): tree_of(inner, names, depth + 1) for key, inner in list(held.items())}
    if isinstance(value, list | tuple | Set):
        return [tree_of(item, names, depth + 1) for item in cast("Iterable[object]", value)]
    if getattr(type(value), "__pydantic_root_model__", False):
        return tree_of(getattr(value, "root", None), names, depth + 1)
    members = list(_members(value))
    if not members:
        return cast("JsonValue", value)
    tree = Tree((name, tree_of(inner, names, depth + 1)) for name, inner in members)
    tree.source = value
    names.update(tree)
    return tree


@dataclass(slots=True)
class Theirs:
    """What of a call is a person's, for its outcome to be masked.

    `given` is what they gave, in all forms that it has had, `llm` the model's part, and `held` what
    the call held when it began, as a tree, and `fields` the names of fields in it.
    """

    function: Function
    llm: JsonValue
    given: tuple[JsonValue, ...] = ()
    held: JsonValue = field(default_factory=dict[str, JsonValue])
    fields: set[str] = field(default_factory=set[str])

    def hold(self, held: Mapping[str, object]) -> None:
        """Keep what the call holds, as it is before the function can change it."""
        self.held = tree_of(held, self.fields)

    def masked(self, outcome: Outcome) -> Outcome:
        """Return the outcome without what is the person's.

        Secrets are left out of every text; of an error also what else they gave, unless the model
        wrote the same. `value` and `exception` are the program's, and left alone.
        """
        masker = self._masker(is_error=not outcome.ok)
        if not masker:
            return outcome
        text, issues = masker.text(outcome.text), masker.issues(outcome.issues)
        known, masked = json_of(outcome), masker.json(outcome)
        if (text, issues, masked) == (outcome.text, outcome.issues, known):
            return outcome
        return replace(outcome, text=text, issues=issues, _json=masked)

    def text(self, text: str) -> str:
        """Return what is told of an error without what is the person's."""
        return self._masker(is_error=True).text(text)

    def _masker(self, *, is_error: bool) -> Masker:
        separated = self.function.separated
        if separated is None:
            return Masker(())
        known = contract_of(self.function).person.value
        parts = (*self.given, separated.part(self.held, "human"))
        theirs = _inside(parts)
        if known.is_all:
            secret = [*theirs, *_inside(known.defaults)]
        else:
            secret = [inner for inner in theirs if hasattr(inner, "get_secret_value")]
            secret += _inside([*map(known.split, parts), *known.defaults]) if known.is_any else ()
        names = known.names | self.fields
        secrets = _texts(secret, names)
        others: set[str] = set()
        if is_error:
            others = _texts(theirs, names) - _texts(_inside((self.llm,)), frozenset())
        return Masker(secrets, others)


def _texts(values: Iterable[JsonValue], names: Set[str]) -> set[str]:
    """Return the texts by which values would be told, keys too, without the `names`."""
    found: set[str] = set()
    for inner in values:
        if type(inner) is str:
            found.add(inner)
            found.update(_decoded(inner))
        elif isinstance(inner, dict):
            found |= inner.keys() - names
            if isinstance(inner, Tree):
                found.update(_words_of(inner))
        elif not isinstance(inner, list):
            found.update(_texts_of(inner))
    return found


def _inside(values: Iterable[JsonValue]) -> list[JsonValue]:
    """Return values and everything in them, each object once."""
    left, found = list(values), dict[int, JsonValue]()
    for inner in left:  # grows while it is read
        if id(inner) in found:
            continue
        found[id(inner)] = inner
        if isinstance(inner, dict):
            left += inner.values()
        elif isinstance(inner, list | tuple):
            left += inner
    return list(found.values())


def _texts_of(leaf: object) -> Iterator[str]:
    """Return the texts by which a value without parts would be told."""
    if leaf is None or isinstance(leaf, bool):
        return
    if isinstance(leaf, Enum):
        yield from _texts_of(leaf.value)
        yield leaf.name
    elif isinstance(leaf, File):
        yield from (str(leaf), *_texts_of(leaf.content), leaf.filename or "")
    elif isinstance(leaf, str):
        yield str(leaf)
        yield from _decoded(leaf)
    elif isinstance(leaf, bytes | bytearray | memoryview):
        yield from _of_bytes(bytes(cast("bytes", leaf)))
    elif callable(reveal := getattr(leaf, "get_secret_value", None)):
        yield from _texts_of(reveal())
    else:
        if isinstance(leaf, int | float):
            yield preview_scalar(leaf)
        yield from _told(leaf, str)
        yield from _told(leaf, repr)
        if isinstance(leaf, date | time):
            yield leaf.isoformat()
        if isinstance(leaf, Decimal):
            yield f"{leaf:f}"


def _told(value: object, tell: Callable[[object], str]) -> Iterator[str]:
    """Return how a value tells itself, unless all it tells is where it is in memory."""
    if type(value).__repr__ is object.__repr__ and type(value).__str__ is object.__str__:
        return
    with suppress(Exception):  # it is somebody else's code
        yield tell(value)


def _words_of(tree: Tree) -> Iterator[str]:
    """Return the words of its parts in which an object tells of them, if it says so in its own way.

    A card may tell its number with dashes, or the last four digits of it.
    """
    parts = "\n".join(_texts(_inside(tree.values()), frozenset())).casefold()
    told = (text for tell in (str, repr) for text in _told(tree.source, tell))
    for word in {word for text in told for word in _WORD.findall(text)}:
        if len(word) >= SHORTEST and word.casefold() in parts:
            yield word


def _of_bytes(content: bytes) -> Iterator[str]:
    with suppress(UnicodeDecodeError):
        yield content.decode()
    ends = (content,) if len(content) <= _LONGEST else (content[:_LONGEST], content[-_LONGEST:])
    yield from (repr(end)[2:-1] for end in ends)
    if len(content) <= _LONGEST:
        yield from (content.hex(), b64encode(content).decode("ascii"))
        yield urlsafe_b64encode(content).rstrip(b"=").decode("ascii")


def _decoded(text: str) -> Iterator[str]:
    """Return what a text says in base64, where that is a text too."""
    if len(text) >= 2 * SHORTEST and _BASE64.fullmatch(text):
        padded = text.strip() + "=" * (-len(text.strip()) % 4)
        with suppress(ValueError):
            said = urlsafe_b64decode(padded.replace("+", "-").replace("/", "_")).decode()
            if said.isprintable():
                yield said


def _members(value: object) -> Iterator[tuple[str, object]]:
    """Return the fields of a model or a dataclass, each by all the names it may have in JSON."""
    kind = type(value)
    known: object = getattr(kind, "model_fields", None)
    if isinstance(known, dict):
        extra: object = getattr(value, "model_extra", None)
        yield from cast("dict[str, object]", extra or {}).items()
    elif is_dataclass(kind):
        known = _annotated(kind)
    else:
        return
    for name, told in cast("dict[str, object]", known).items():
        with suppress(AttributeError):  # a field that was never set
            held: object = getattr(value, name)
            yield from ((each, held) for each in {name, *_aliases(told)})


@lru_cache(maxsize=1024)
def _annotated(kind: type) -> dict[str, object]:
    """Return the fields of a dataclass, each with what pydantic was told of it."""
    hints: dict[str, object] = {}
    with suppress(Exception):  # a hint of somebody else's may not resolve
        hints = get_type_hints(kind, include_extras=True)
    found: dict[str, object] = {}
    for each in fields(kind):
        told = (each.default, *getattr(hints.get(each.name), "__metadata__", ()))
        found[each.name] = next((mark for mark in told if hasattr(mark, "validation_alias")), None)
    return found


def _aliases(field: object) -> Iterator[str]:
    for alias in (getattr(field, "alias", None), getattr(field, "validation_alias", None)):
        for choice in getattr(alias, "choices", (alias,)):
            head: object = getattr(choice, "path", (choice,))[0]
            if isinstance(head, str):
                yield head


def _text(key: object) -> str:
    if isinstance(key, Enum):
        key = key.value
    return key if isinstance(key, str) else next(iter(_texts_of(key)), "")


_WORD = re.compile(r"\w+")
_BASE64 = re.compile(r"\s*[A-Za-z0-9+/_-]+={0,2}\s*")
