"""Who sets what in a request: the connection goes before the person, the person before the model.

A name on the wire comes from the connection (its headers, cookies, security schemes and the query
of its base URL), from a parameter, or from a key of an object that is written key by key. Such keys
may be whatever a model likes. All names of one place are gathered here before anything is written,
as the most generous server reads them, and of two that a server may take for the same one the later
in that order is an issue.

    connection  ?api-version=2
    person      tenant                  in {"query": {"filter": {"tenant": ...}}}
    model       Tenant, tenant[], API-VERSION      in the same `filter`: three issues
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize
from urllib.parse import unquote_plus

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.execution.request.body import PLAIN, is_styled
from pyfunctools.execution.request.styles import delimiter_of, scalar
from pyfunctools.execution.unsendable import UnsendableError
from pyfunctools.media_types import media_type_of
from pyfunctools.route import Body, ConnectionNames, Location, Parameter, Route, Style
from pyfunctools.schema import Separated
from pyfunctools.schema.ground.path import Keys, value_at


class Rank(IntEnum):
    """Who sets a name; of two that set the same one the lower number wins."""

    CONNECTION = 0
    PERSON = 1
    MODEL = 2


@dataclass(frozen=True, slots=True)
class ComparedName:
    """What servers make of a name: `text` without case, its steps, and its letters alone.

    `filter[role]` has the steps `filter` and `role` for many servers, `filter.role` for some, and
    PHP reads `filter.role` as `filter_role`; so does CGI a header. Some decode a name twice.
    """

    text: str
    brackets: tuple[str, ...]
    steps: tuple[str, ...]
    flat: str

    @classmethod
    def of(cls, written: str) -> "ComparedName":
        """Return the name that stands in a request as `written`, decoded or not."""
        text = written
        for _ in range(3):
            decoded = unquote_plus(text)
            if decoded == text:
                break
            text = decoded
        text = normalize("NFKC", text).casefold().strip()
        return cls(text, _split(_BRACKETS, text), _split(_STEPS, text), _flat(text))

    def reaches(self, other: "ComparedName") -> bool:
        """True if one of the two is the other, or holds it as `a` holds `a[b]`."""
        return self.text == other.text or _leads(self.brackets, other.brackets)

    def may_reach(self, other: "ComparedName") -> bool:
        """True if some server takes one of the two for the other, or for what holds it."""
        return self.flat == other.flat or _leads(self.steps, other.steps)


@lru_cache(maxsize=1024)
def known_name(written: str) -> ComparedName:
    """Return a name that a document or a connection has: those come again with each call."""
    return ComparedName.of(written)


class _Taken(NamedTuple):
    """A name that is taken, and the field that has it; the connection's have none."""

    name: ComparedName
    rank: Rank
    owner: "_Field | None" = None


@dataclass(slots=True)
class _TakenNames:
    """Names that are taken, found by any name that a server may take for them."""

    _found: dict[str, list[_Taken]] = field(default_factory=dict[str, list[_Taken]])

    def add(self, taken: _Taken) -> None:
        """Add a name."""
        for key in _keys(taken.name):
            self._found.setdefault(key, []).append(taken)

    def near(self, name: ComparedName) -> Iterator[_Taken]:
        """Return the taken names that may be this one, or hold it, or stand in it."""
        for key in _keys(name):
            yield from self._found.get(key, ())


def _keys(name: ComparedName) -> Iterable[str]:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """A value that may not be sent, and what is expected instead.

    `parameter` is the one that the connection sets, where it is all of one.
    """

    keys: Keys
    expected: str
    parameter: Parameter | None = None


@dataclass(frozen=True, slots=True)
class _Field:
    """What is written under a name of its own, or under its keys: a parameter, a form's property.

    Without a `style` its value is one text. `is_declared` says that the document has its name.
    """

    name: str
    keys: Keys
    style: Style | None
    explode: bool
    by_keys: bool
    is_declared: bool = True
    parameter: Parameter | None = None

    @property
    def is_deep(self) -> bool:
        """Whether the keys of its value stand in brackets after its name."""
        return self.style == "deepObject"

    def name_of(self, key: str) -> str:
        """Return the name under which a key of its value is sent."""
        return f"{self.name}[{key}]" if self.is_deep else key


def connected_names(headers: Mapping[str, str], query: str) -> dict[Location, set[str]]:
    """Return the names that headers (in lower case) and the query of a base URL set."""
    return {
        "header": {*headers},
        "cookie": names_in_cookies(headers.get("cookie", "")),
        "query": names_in(query),
    }


def all_names(
    route: Route, headers: Mapping[str, str], query: str, own_query: str, besides: ConnectionNames
) -> ConnectionNames:
    """Return the names that no argument may set: the connection's, and those of credentials.

    `own_query` is what the path has for a query. A parameter may repeat it, and is then sent too.
    """
    found = connected_names(headers, query)
    declared = {each.name for each in route.parameters if each.location == "query"}
    found["query"] |= names_in(own_query) - declared
    for location, names in besides.items():
        found[location].update(names)
    for scheme in route.schemes.values():
        if scheme.location is not None and scheme.parameter is not None:
            found[scheme.location].add(scheme.parameter)
    return found


def clashes(
    route: Route,
    arguments: JsonObject,
    connected: ConnectionNames,
    separated: Separated | None,
) -> Iterator[Clash]:
    """Yield the arguments that would set a name of another."""
    if separated is not None:
        yield from _twins(arguments, separated)
    spaces: list[tuple[list[_Field], Collection[str]]] = []
    for location in _LOCATIONS:
        names = connected.get(location, ())
        there = [each for each in route.parameters if each.location == location]
        # Without objects there are only the names that the document itself tells apart.
        if names or any(_is_object(value_at(arguments, each.argument)) for each in there):
            spaces.append(([_of(each) for each in there], names))
    for each in route.parameters:
        if each.location == "querystring":
            fields = [*_members(each.argument, each.schema, arguments)]
            spaces.append((fields, connected.get("query", ())))
    if route.body is not None and _is_form(route.body):
        spaces.append(([*_of_form(route.body, arguments)], ()))
    for fields, names in spaces:
        if fields:
            yield from _between(fields, names, arguments, separated)
            if separated is not None:
                for each in fields:
                    yield from _joined(each, arguments, separated)


def _is_object(found: tuple[JsonValue] | None) -> bool:
    return found is not None and isinstance(found[0], dict)


_LOCATIONS: tuple[Location, ...] = ("path", "query", "header", "cookie")


def _of(parameter: Parameter) -> _Field:
    location, style = parameter.location, parameter.style
    by_keys = location in ("query", "cookie") or (location == "path" and style == "matrix")
    return _Field(
        name=parameter.name,
        keys=parameter.argument,
        style=style if parameter.content_type is None else None,
        explode=parameter.explode,
        by_keys=by_keys and parameter.explode,
        parameter=parameter,
    )


def _members(keys: Keys, schema: JsonSchema | bool, arguments: JsonObject) -> Iterator[_Field]:
    """Return the properties of an object that are fields: those declared, and those given."""
    value = value_at(arguments, keys)
    given = value[0] if value is not None and isinstance(value[0], dict) else {}
    properties = schema.get("properties") if isinstance(schema, dict) else None
    declared = properties if isinstance(properties, dict) else {}
    for name in {**declared, **given}:
        yield _Field(name, (*keys, name), None, False, False, name in declared)


def _of_form(body: Body, arguments: JsonObject) -> Iterator[_Field]:
    for each in _members(body.argument, body.schema, arguments):
        rule = body.encoding.get(each.name, PLAIN)
        if not is_styled(rule):
            yield each
            continue
        style = rule.style or "form"
        explode = (style == "form") if rule.explode is None else rule.explode
        by_keys = explode and style != "simple"
        yield _Field(each.name, each.keys, style, explode, by_keys, each.is_declared)


def _is_form(body: Body) -> bool:
    media = media_type_of(body.content_type)
    return media == "application/x-www-form-urlencoded" or media.startswith("multipart/")


@dataclass(frozen=True, slots=True)
class _Claim:
    """A name that a value would set; it is its field's own, or that of a key in its value."""

    written: str
    keys: Keys
    owner: _Field

    @property
    def is_declared(self) -> bool:
        """Whether the document gives a value this name."""
        return self.keys == self.owner.keys and self.owner.is_declared


def _between(
    fields: list[_Field],
    connected: Collection[str],
    arguments: JsonObject,
    separated: Separated | None,
) -> Iterator[Clash]:
    """Return the values that would set a name of the connection, or of another field."""
    claims = [claim for each in fields for claim in _claims(each, arguments)]
    if not connected and all(claim.is_declared for claim in claims):
        return  # what the document tells apart by itself
    taken = _TakenNames()
    for name in connected:
        taken.add(_Taken(known_name(name), Rank.CONNECTION))
    for each in fields:
        taken.add(_Taken(known_name(each.name), _rank(each.keys, separated), each))
        if each.by_keys or each.is_deep:
            for key in _theirs(each.keys, separated):
                taken.add(_Taken(known_name(each.name_of(key)), Rank.PERSON, each))
    for claim in claims:
        if not claim.is_declared and _rank(claim.keys, separated) is Rank.PERSON:
            taken.add(_Taken(ComparedName.of(claim.written), Rank.PERSON, claim.owner))
    for claim in claims:
        read = known_name if claim.is_declared else ComparedName.of
        name, rank = read(claim.written), _rank(claim.keys, separated)
        found = (each for each in taken.near(name) if each.owner is not claim.owner)
        if (
            other := next((each for each in found if _meets(claim, name, rank, each)), None)
        ) is None:
            continue
        is_own = claim.keys == claim.owner.keys
        expected = _BESIDE if other.owner is not None else _SET if is_own else _CONNECTED
        parameter = claim.owner.parameter if is_own else None
        yield Clash(keys=claim.keys, expected=expected, parameter=parameter)


def _claims(each: _Field, arguments: JsonObject) -> Iterator[_Claim]:
    found = value_at(arguments, each.keys)
    value = None if found is None else found[0]
    if isinstance(value, dict) and (each.by_keys or each.is_deep):
        for key, inner in value.items():
            if inner is not None:
                yield _Claim(each.name_of(key), (*each.keys, key), each)
    elif value is not None:
        yield _Claim(each.name, each.keys, each)


def _meets(claim: _Claim, name: ComparedName, rank: Rank, other: _Taken) -> bool:
    """True if a claim would set a name that is taken, and has to yield to whose it is."""
    if claim.is_declared:
        return other.rank is Rank.CONNECTION and name.flat == other.name.flat
    if other.rank < rank and name.may_reach(other.name):
        return True
    is_key = claim.keys != claim.owner.keys
    is_field = other.owner is not None and other.owner.is_declared
    return is_key and is_field and name.reaches(other.name)


_BESIDE = "no property that a server may take for another parameter"
_CONNECTED = "no property that a server may take for what the connection sets"
_SET = "nothing: the connection sets this parameter"


def _twins(arguments: JsonObject, separated: Separated) -> Iterator[Clash]:
    """Return the model's own keys that a server may take for a person's beside them."""
    todo: list[tuple[Keys, JsonValue]] = [((), arguments)]
    for keys, value in todo:  # grows while it is read; holds dicts and lists alone
        if isinstance(value, dict):
            declared = separated.names(keys)
            taken = _TakenNames()
            for name in _theirs(keys, separated):
                taken.add(_Taken(known_name(name), Rank.PERSON))
            for key in value:
                if key not in declared and _rank((*keys, key), separated) is Rank.MODEL:
                    name = ComparedName.of(key)
                    if any(name.may_reach(other.name) for other in taken.near(name)):
                        yield Clash(keys=(*keys, key), expected=_TWIN)
        listed = value if isinstance(value, list) else []
        below = value.items() if isinstance(value, dict) else enumerate(listed)
        for key, inner in below:
            is_open = isinstance(inner, dict | list)
            if is_open and separated.owner((*keys, key)) not in ("llm", "human"):
                todo.append(((*keys, key), inner))


_TWIN = "no property that a server may take for one that a person gives"


def _joined(each: _Field, arguments: JsonObject, separated: Separated) -> Iterator[Clash]:
    """Return the model's texts that would end where a person's begin, in a value that is one text.

    Many servers decode a value before they split it, and a header is not encoded at all.
    """
    found = value_at(arguments, each.keys)
    if each.style is None or each.by_keys or each.is_deep or found is None:
        return
    value, theirs = found[0], _theirs(each.keys, separated)
    if not isinstance(value, dict) or not theirs:
        return
    between = delimiter_of(each.style, explode=each.explode)
    if each.explode:
        between += "="
    for key, inner in value.items():
        keys = (*each.keys, key)
        if _rank(keys, separated) is Rank.MODEL and inner is not None:
            try:
                text = scalar(inner)
            except UnsendableError:
                continue  # which is said where it is written
            if not set(between).isdisjoint(key) or not set(between[:1]).isdisjoint(text):
                yield Clash(keys=keys, expected=f"a name and a text without {between[:1]!r}")


def _rank(keys: Keys, separated: Separated | None) -> Rank:
    is_models = separated is None or separated.owner(keys) == "llm"
    return Rank.MODEL if is_models else Rank.PERSON


def _theirs(keys: Keys, separated: Separated | None) -> list[str]:
    """Return the declared properties of an object that are not the model's alone."""
    if separated is None:
        return []
    return [name for name, is_models in separated.names(keys).items() if not is_models]
