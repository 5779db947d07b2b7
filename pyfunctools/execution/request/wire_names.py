"""A name on the wire as the most generous server reads it."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from typing import Generic, TypeVar
from unicodedata import normalize
from urllib.parse import unquote_plus


class Rank(IntEnum):
    """Who sets a name; of two that set the same one the lower number wins."""

    CONNECTION = 0
    PERSON = 1
    MODEL = 2


@dataclass(frozen=True, slots=True)
class Name:
    """What servers make of a name: `text` without case, its steps, and its letters alone.

    `filter[role]` has the steps `filter` and `role` for many servers, `filter.role` for some, and
    PHP reads `filter.role` as `filter_role`; so does CGI a header. Some decode a name twice.
    """

    text: str
    brackets: tuple[str, ...]
    steps: tuple[str, ...]
    flat: str

    @classmethod
    def of(cls, written: str) -> "Name":
        """Return the name that stands in a request as `written`, decoded or not."""
        text = written
        for _ in range(3):
            decoded = unquote_plus(text)
            if decoded == text:
                break
            text = decoded
        text = normalize("NFKC", text).casefold().strip()
        return cls(text, _split(_BRACKETS, text), _split(_STEPS, text), _flat(text))

    def reaches(self, other: "Name") -> bool:
        """True if one of the two is the other, or holds it as `a` holds `a[b]`."""
        return self.text == other.text or _leads(self.brackets, other.brackets)

    def may_reach(self, other: "Name") -> bool:
        """True if some server takes one of the two for the other, or for what holds it."""
        return self.flat == other.flat or _leads(self.steps, other.steps)


@lru_cache(maxsize=1024)
def known_name(written: str) -> Name:
    """Return a name that a document or a connection has: those come again with each call."""
    return Name.of(written)


_Owner = TypeVar("_Owner")


@dataclass(frozen=True, slots=True)
class Taken(Generic[_Owner]):
    """A name that is somebody's, and whose it is."""

    name: Name
    rank: Rank
    owner: _Owner


@dataclass(slots=True)
class Names(Generic[_Owner]):
    """Names that are taken, found by what may be the same name."""

    _found: dict[str, list[Taken[_Owner]]] = field(default_factory=dict[str, list[Taken[_Owner]]])

    def add(self, name: Name, rank: Rank, owner: _Owner) -> None:
        """Add a name."""
        taken = Taken(name, rank, owner)
        for key in _keys(name):
            self._found.setdefault(key, []).append(taken)

    def near(self, name: Name) -> Iterator[Taken[_Owner]]:
        """Return the taken names that may be this one, or hold it, or stand in it."""
        for key in _keys(name):
            yield from self._found.get(key, ())


def _keys(name: Name) -> Iterable[str]:
    return {name.flat, *name.steps[:1]}


_BRACKETS = re.compile(r"[\[\]]+")
_STEPS = re.compile(r"[.\[\]]+")
_ODD = re.compile(r"[\W_]+")


def _split(between: re.Pattern[str], text: str) -> tuple[str, ...]:
    return tuple(filter(None, between.split(text))) or (text,)


def _flat(text: str) -> str:
    return _ODD.sub("_", text).strip("_") or text


def _leads(some: tuple[str, ...], others: tuple[str, ...]) -> bool:
    size = min(len(some), len(others))
    return some[:size] == others[:size]


def names_in(query: str) -> set[str]:
    """Return the names in a query, decoded."""
    return {unquote_plus(pair.partition("=")[0]) for pair in query.split("&") if pair}


def names_in_cookies(header: str) -> set[str]:
    """Return the names in the value of a `Cookie` header."""
    return {pair.partition("=")[0].strip() for pair in header.split(";") if pair.strip()}
