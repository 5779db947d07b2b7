"""A person's private values in one call, in all forms in which its outcome could reveal them.

A function reveals the Python objects it was called with, not the JSON that the person gave: a text
that was stripped or put in upper case, a date, the bytes of a base64 text, a default. So the bound
arguments are recorded before the function runs, as a tree in the form of the JSON arguments with
Python objects as leaves, and the schema decides which part of the tree the person gave.
"""

import re
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date, time
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from typing import cast, get_type_hints

from pyfunctools._json import JsonValue
from pyfunctools.execution.person.masking import SHORTEST, Masker
from pyfunctools.record.file import File
from pyfunctools.record.function import Function, contract_of
from pyfunctools.record.outcome import Outcome
from pyfunctools.schema.ground.preview import preview_scalar

_DEEPEST = 64
"""Levels of an object that are read; arguments have no more."""

_SCALARS = frozenset({str, int, float, bool, type(None)})

_LONGEST = 4096
"""Bytes of the longest binary content that is searched in other spellings than base64."""


@dataclass(slots=True)
class PrivateValues:
    """The person's values in one call, for masking its outcome.

    `given` are the person's values as given, coerced and edited, `llm` is the model's part. `bound`
    is the tree of the bound arguments, and `fields` the names of fields in it.
    """

    function: Function
    llm: JsonValue
    given: tuple[JsonValue, ...] = ()
    bound: JsonValue = field(default_factory=dict[str, JsonValue])
    fields: set[str] = field(default_factory=set[str])

    def add_bound(self, bound: Mapping[str, object]) -> None:
        """Record the bound arguments, before the function can change them."""
        self.bound = _tree_of(bound, self.fields)

    def masked(self, outcome: Outcome) -> Outcome:
        """Return the outcome without the person's values.

        Secrets are masked in every text; in an error so are the person's other values, unless the
        model wrote the same. `value` and `exception` are for the program, and unchanged.
        """
        return self._masker(is_error=not outcome.ok).outcome(outcome)

    def text(self, text: str) -> str:
        """Return the text of an error without the person's values."""
        return self._masker(is_error=True).text(text)

    def _masker(self, *, is_error: bool) -> Masker:
        contract = contract_of(self.function)
        separated = contract.separated.value
        if separated is None:
            return Masker(())
        side = contract.human_side.value
        parts = (*self.given, separated.part(self.bound, "human"))
        private = _inside(parts)
        if side.is_all_secret:
            secret = [*private, *_inside(side.secret_defaults)]
        else:
            secret = [inner for inner in private if hasattr(inner, "get_secret_value")]
            if side.has_secrets:
                secret += _inside([*map(side.secrets_in, parts), *side.secret_defaults])
        names = side.property_names | self.fields
        others: set[str] = set()
        if is_error:
            others = _texts(private, names) - _texts(_inside((self.llm,)), frozenset())
        return Masker(_texts(secret, names), others)


class Tree(dict[str, JsonValue]):
    """The members of an object, under all their names in JSON; `source` is the object."""

    __slots__ = ("source",)

    source: object

    def __repr__(self) -> str:
        return f"<Tree of {len(self)}>"  # a traceback with locals must not show the values


def _tree_of(value: object, names: set[str], depth: int = 0) -> JsonValue:
    """Return containers and objects as a tree, other values unchanged; collect field names."""
    if type(value) in _SCALARS or isinstance(value, str) or depth > _DEEPEST:
        return cast("JsonValue", value)
    if isinstance(value, Mapping):
        members = cast("Mapping[object, object]", value)
        tree: dict[str, JsonValue] = {}
        for key, inner in list(members.items()):
            name = key if type(key) is str else _name(key)
            is_leaf = type(inner) in _SCALARS
            tree[name] = cast("JsonValue", inner) if is_leaf else _tree_of(inner, names, depth + 1)
        return tree
    if isinstance(value, list | tuple | Set):
        return [_tree_of(item, names, depth + 1) for item in cast("Iterable[object]", value)]
    if getattr(type(value), "__pydantic_root_model__", False):
        return _tree_of(getattr(value, "root", None), names, depth + 1)
    tree = Tree((name, _tree_of(inner, names, depth + 1)) for name, inner in _members(value))
    if not tree:
        return cast("JsonValue", value)
    tree.source = value
    names.update(tree)
    return tree


def _texts(values: Iterable[JsonValue], names: Set[str]) -> set[str]:
    """Return the texts in which a message could show the values or keys, except the `names`."""
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
    """Yield the texts in which a message could show a value without parts."""
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
        yield from _texts_of_bytes(bytes(cast("bytes", leaf)))
    elif callable(reveal := getattr(leaf, "get_secret_value", None)):
        yield from _texts_of(reveal())
    else:
        if isinstance(leaf, int | float):
            yield preview_scalar(leaf)
        yield from _own_texts(leaf)
        if isinstance(leaf, date | time):
            yield leaf.isoformat()
        if isinstance(leaf, Decimal):
            yield f"{leaf:f}"


def _own_texts(value: object) -> Iterator[str]:
    """Yield the `str` and the `repr` of a value, unless they only show its address in memory."""
    if type(value).__repr__ is object.__repr__ and type(value).__str__ is object.__str__:
        return
    for write in (str, repr):
        with suppress(Exception):  # the application's code may raise anything
            yield write(value)


def _words_of(tree: Tree) -> Iterator[str]:
    """Yield the words of an object's `str` and `repr` that come from its members.

    The text of a card may have its number with dashes, or only its last four digits.
    """
    parts = "\n".join(_texts(_inside(tree.values()), frozenset())).casefold()
    words = {word for text in _own_texts(tree.source) for word in _WORD.findall(text)}
    yield from (word for word in words if len(word) >= SHORTEST and word.casefold() in parts)


def _texts_of_bytes(content: bytes) -> Iterator[str]:
    with suppress(UnicodeDecodeError):
        yield content.decode()
    ends = (content,) if len(content) <= _LONGEST else (content[:_LONGEST], content[-_LONGEST:])
    yield from (repr(end)[2:-1] for end in ends)
    if len(content) <= _LONGEST:
        yield from (content.hex(), b64encode(content).decode("ascii"))
        yield urlsafe_b64encode(content).rstrip(b"=").decode("ascii")


def _decoded(text: str) -> Iterator[str]:
    """Yield the decoded text, if the text is base64 of printable text."""
    if len(text) >= 2 * SHORTEST and _BASE64.fullmatch(text):
        padded = text.strip() + "=" * (-len(text.strip()) % 4)
        with suppress(ValueError):
            decoded = urlsafe_b64decode(padded.replace("+", "-").replace("/", "_")).decode()
            if decoded.isprintable():
                yield decoded


def _members(value: object) -> Iterator[tuple[str, object]]:
    """Yield the fields of a model or a dataclass, each under all its names in JSON."""
    kind = type(value)
    declared: object = getattr(kind, "model_fields", None)
    if isinstance(declared, dict):
        extra: object = getattr(value, "model_extra", None)
        yield from cast("dict[str, object]", extra or {}).items()
    elif is_dataclass(kind):
        declared = _dataclass_fields(kind)
    else:
        return
    for name, info in cast("dict[str, object]", declared).items():
        with suppress(AttributeError):  # a field that was never set
            inner: object = getattr(value, name)
            yield from ((each, inner) for each in {name, *_aliases(info)})


@lru_cache(maxsize=1024)
def _dataclass_fields(kind: type) -> dict[str, object]:
    """Return the fields of a dataclass, each with its `pydantic.Field` if it has one."""
    hints: dict[str, object] = {}
    with suppress(Exception):  # a hint may not resolve
        hints = get_type_hints(kind, include_extras=True)
    found: dict[str, object] = {}
    for each in fields(kind):
        marks = (each.default, *getattr(hints.get(each.name), "__metadata__", ()))
        found[each.name] = next((mark for mark in marks if hasattr(mark, "validation_alias")), None)
    return found


def _aliases(field: object) -> Iterator[str]:
    for alias in (getattr(field, "alias", None), getattr(field, "validation_alias", None)):
        for choice in getattr(alias, "choices", (alias,)):
            head: object = getattr(choice, "path", (choice,))[0]
            if isinstance(head, str):
                yield head


def _name(key: object) -> str:
    if isinstance(key, Enum):
        key = key.value
    return key if isinstance(key, str) else next(iter(_texts_of(key)), "")


_WORD = re.compile(r"\w+")
_BASE64 = re.compile(r"\s*[A-Za-z0-9+/_-]+={0,2}\s*")
