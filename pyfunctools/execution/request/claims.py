"""Who may set a name in a request: the connection first, then the person, then the model.

A name on the wire comes from the connection (its headers, cookies, credentials and the query of its
base URL), from a parameter, or from a key of an object that is sent key by key. A model may invent
such keys. Before anything is written, the names of one location are compared as the most generous
server reads them. If a server may read an invented key as a name that is set already, the key is an
issue.

    connection  ?api-version=2
    person      tenant                  in {"query": {"filter": {"tenant": ...}}}
    model       Tenant, tenant[], API-VERSION      in the same `filter`: three issues
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize
from urllib.parse import unquote_plus

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.execution.request.body import NO_ENCODING, form_parameter
from pyfunctools.execution.request.styles import delimiter_of, scalar_text
from pyfunctools.execution.unsendable import UnsendableError
from pyfunctools.media_types import media_kind
from pyfunctools.route import ConnectionNames, Encoding, Location, Parameter, Route
from pyfunctools.schema import Separated
from pyfunctools.schema.ground.path import Keys, value_at


class Rank(IntEnum):
    """Who sets a name; if two set the same one, the lower rank wins."""

    CONNECTION = 0
    PERSON = 1
    MODEL = 2


class ComparedName(NamedTuple):
    """A name as servers read it, without case: its `steps`, and `flat` without punctuation.

    Many servers read `filter[role]` as the steps `filter` and `role`, and some read `filter.role`
    in the same way: `steps` splits both, `bracketed` only the first. PHP reads `filter.role` as
    `filter_role`; CGI reads a header in the same way. Some servers decode a name twice.
    """

    steps: tuple[str, ...]
    bracketed: tuple[str, ...]
    flat: str

    @classmethod
    def of(cls, name: str) -> "ComparedName":
        """Return a name for comparison; it may be percent-encoded."""
        for _ in range(3):
            decoded = unquote_plus(name)
            if decoded == name:
                break
            name = decoded
        name = normalize("NFKC", name).casefold().strip()
        steps, bracketed = (
            tuple(filter(None, between.split(name))) or (name,) for between in (_STEPS, _BRACKETS)
        )
        return cls(steps, bracketed, _PUNCTUATION.sub("_", name).strip("_") or name)

    def may_reach(self, other: "ComparedName") -> bool:
        """Return whether some server reads one name as the other, or as a part of the other."""
        return self.flat == other.flat or _is_part(self.steps, other.steps)

    def reaches(self, other: "ComparedName") -> bool:
        """Return whether most servers read one name as the other, or as a part of the other."""
        return _is_part(self.bracketed, other.bracketed)


def _is_part(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    size = min(len(one), len(other))
    return one[:size] == other[:size]


_STEPS = re.compile(r"[.\[\]]+")
_BRACKETS = re.compile(r"[\[\]]+")
_PUNCTUATION = re.compile(r"[\W_]+")


@lru_cache(maxsize=1024)
def known_name(name: str) -> ComparedName:
    """Return a name for comparison; cached for the names of documents and connections."""
    return ComparedName.of(name)


def names_in(query: str) -> set[str]:
    """Return the names in a query, decoded."""
    return {unquote_plus(pair.partition("=")[0]) for pair in query.split("&") if pair}


def names_in_cookies(header: str) -> set[str]:
    """Return the names in the value of a `Cookie` header."""
    return {pair.partition("=")[0].strip() for pair in header.split(";") if pair.strip()}


def names_in_connection(headers: Mapping[str, str], query: str) -> dict[Location, set[str]]:
    """Return the names that headers (in lower case) and the query of a base URL set."""
    return {
        "header": {*headers},
        "cookie": names_in_cookies(headers.get("cookie", "")),
        "query": names_in(query),
    }


def reserved_names(
    route: Route, headers: Mapping[str, str], query: str, own_query: str, further: ConnectionNames
) -> ConnectionNames:
    """Return the names that no argument may set: the names of the connection and of credentials.

    `own_query` is the query in the path of the route. A parameter may have a name in this query,
    and is then sent too. `further` are more names of the connection.
    """
    found = names_in_connection(headers, query)
    declared = {each.name for each in route.parameters if each.location == "query"}
    found["query"] |= names_in(own_query) - declared
    for location, names in further.items():
        found[location].update(names)
    for scheme in route.schemes.values():
        if scheme.location is not None and scheme.parameter is not None:
            found[scheme.location].add(scheme.parameter)
    return found


def clashes(
    route: Route,
    arguments: JsonObject,
    reserved: ConnectionNames,
    separated: Separated | None,
) -> dict[Keys, str]:
    """Return the paths of values that would set somebody else's name, with the expected value.

    A whole parameter is among them only if the connection sets its name.
    """
    found: dict[Keys, str] = {}
    if separated is not None:
        found |= _beside_a_persons(arguments, separated)
    for fields, names in _fields_by_location(route, arguments, reserved):
        found |= _clashes_of(fields, names, arguments, separated)
        if separated is not None:
            for field in fields:
                found |= _with_delimiters(field.parameter, arguments, separated)
    return found


class _Field(NamedTuple):
    """A parameter, or a property of a form as a parameter.

    `is_declared` is false for a property that the document does not name.
    """

    parameter: Parameter
    is_declared: bool = True


def _fields_by_location(
    route: Route, arguments: JsonObject, reserved: ConnectionNames
) -> Iterator[tuple[list[_Field], Collection[str]]]:
    """Yield the fields of each place in the request, with the names that are reserved there."""
    for location in _LOCATIONS:
        names = reserved.get(location, ())
        there = [each for each in route.parameters if each.location == location]
        # Without an object there are only names that the document itself keeps apart.
        if there and (names or any(_object_at(arguments, each.argument) for each in there)):
            yield [_Field(each) for each in there], names
    for each in route.parameters:
        if each.location == "querystring":
            fields = _form_fields(each.argument, each.schema, {}, arguments)
            yield [*fields], reserved.get("query", ())
    body = route.body
    if body is not None and media_kind(body.content_type) in ("form", "multipart"):
        yield [*_form_fields(body.argument, body.schema, body.encoding, arguments)], ()


_LOCATIONS: tuple[Location, ...] = ("path", "query", "header", "cookie")


def _object_at(arguments: JsonObject, keys: Keys) -> JsonObject:
    found = value_at(arguments, keys)
    return found[0] if found is not None and isinstance(found[0], dict) else {}


def _form_fields(
    keys: tuple[str, ...],
    schema: JsonSchema | bool,
    encoding: Mapping[str, Encoding],
    arguments: JsonObject,
) -> Iterator[_Field]:
    """Yield the properties of a form, declared or given."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    declared = properties if isinstance(properties, dict) else {}
    for name in {**declared, **_object_at(arguments, keys)}:
        rule = encoding.get(name, NO_ENCODING)
        yield _Field(form_parameter(name, rule, keys), name in declared)


def _is_sent_by_keys(parameter: Parameter) -> bool:
    """Return whether each key of an object is sent as a separate name."""
    if parameter.content_type is not None:
        return False
    if parameter.style in ("deepObject", "matrix"):
        return parameter.style == "deepObject" or parameter.explode
    return parameter.explode and parameter.location in ("query", "cookie")


def _name_of(key: str, parameter: Parameter) -> str:
    """Return the name under which a key of a parameter's value is sent."""
    return f"{parameter.name}[{key}]" if parameter.style == "deepObject" else key


class _Claim(NamedTuple):
    """A name that a value would set: that of its field, or of a key in the field's value."""

    name: str
    keys: Keys
    field: _Field
    is_key: bool

    @property
    def is_declared(self) -> bool:
        return self.field.is_declared and not self.is_key


def _claims_of(field: _Field, arguments: JsonObject) -> Iterator[_Claim]:
    parameter = field.parameter
    value = (value_at(arguments, parameter.argument) or (None,))[0]
    if isinstance(value, dict) and _is_sent_by_keys(parameter):
        for key, inner in value.items():
            if inner is not None:
                keys = (*parameter.argument, key)
                yield _Claim(_name_of(key, parameter), keys, field, True)
    elif value is not None:
        yield _Claim(parameter.name, parameter.argument, field, False)


class _TakenNames:
    """Names that are set already, with ranks and fields, found by names that may reach them."""

    def __init__(self) -> None:
        self._found: defaultdict[str, list[tuple[ComparedName, Rank, _Field | None]]]
        self._found = defaultdict(list)

    def add(self, name: ComparedName, rank: Rank, field: _Field | None = None) -> None:
        """Add a name; a name of the connection has no field."""
        for key in {name.flat, name.steps[0]}:
            self._found[key].append((name, rank, field))

    def reached_by(self, name: ComparedName) -> Iterator[tuple[ComparedName, Rank, _Field | None]]:
        """Yield the names set already that a server may confuse with this name."""
        for key in {name.flat, name.steps[0]}:
            yield from (found for found in self._found.get(key, ()) if found[0].may_reach(name))


def _clashes_of(
    fields: list[_Field],
    reserved: Collection[str],
    arguments: JsonObject,
    separated: Separated | None,
) -> Iterator[tuple[Keys, str]]:
    """Yield the values that would set a reserved name, or the name of another field."""
    claims = [claim for each in fields for claim in _claims_of(each, arguments)]
    by_connection = {known_name(name).flat for name in reserved}
    for claim in claims:
        if claim.is_declared and known_name(claim.name).flat in by_connection:
            yield claim.keys, _SET_BY_CONNECTION
    invented = [
        (claim, ComparedName.of(claim.name), _rank(claim.keys, separated))
        for claim in claims
        if not claim.is_declared
    ]
    if not invented:
        return  # the document itself keeps declared names apart
    taken = _taken_names(fields, reserved, separated)
    for claim, name, rank in invented:
        if rank is Rank.PERSON:
            taken.add(name, rank, claim.field)
    for claim, name, rank in invented:
        for other, other_rank, field in taken.reached_by(name):
            is_taken = other_rank < rank or (claim.is_key and other.reaches(name))
            if field is not claim.field and is_taken:
                yield claim.keys, _LIKE_CONNECTION if field is None else _LIKE_ANOTHER
                break


def _taken_names(
    fields: list[_Field], reserved: Collection[str], separated: Separated | None
) -> _TakenNames:
    """Return the reserved names and the names that the document declares."""
    taken = _TakenNames()
    for name in reserved:
        taken.add(known_name(name), Rank.CONNECTION)
    for each in fields:
        parameter = each.parameter
        if each.is_declared:
            taken.add(known_name(parameter.name), _rank(parameter.argument, separated), each)
        if _is_sent_by_keys(parameter):
            for key in _names_of_person(parameter.argument, separated):
                taken.add(known_name(_name_of(key, parameter)), Rank.PERSON, each)
    return taken


_SET_BY_CONNECTION = "nothing: the connection sets this parameter"
_LIKE_CONNECTION = "no property that a server may read as one that the connection sets"
_LIKE_ANOTHER = "no property that a server may read as another parameter"
_LIKE_A_PERSONS = "no property that a server may read as one that a person gives"


def _beside_a_persons(arguments: JsonObject, separated: Separated) -> Iterator[tuple[Keys, str]]:
    """Yield the model's keys that a server may read as a person's key in the same object."""
    todo: list[tuple[Keys, JsonValue]] = [((), arguments)]
    for keys, value in todo:  # grows while it is read; holds objects and arrays only
        if isinstance(value, dict):
            taken = _TakenNames()
            for name in _names_of_person(keys, separated):
                taken.add(known_name(name), Rank.PERSON)
            declared = separated.names(keys)
            for key in value:
                if key in declared or _rank((*keys, key), separated) is not Rank.MODEL:
                    continue
                if any(taken.reached_by(ComparedName.of(key))):
                    yield (*keys, key), _LIKE_A_PERSONS
        items = enumerate(value) if isinstance(value, list) else ()
        for key, inner in value.items() if isinstance(value, dict) else items:
            is_open = isinstance(inner, dict | list)
            if is_open and separated.owner((*keys, key)) not in ("llm", "human"):
                todo.append(((*keys, key), inner))


def _with_delimiters(
    parameter: Parameter, arguments: JsonObject, separated: Separated
) -> Iterator[tuple[Keys, str]]:
    """Yield the model's values with a delimiter, in an object that is sent as one text.

    After the delimiter a server could read the model's text as a person's value: many servers
    decode a text before they split it, and a header is not encoded at all.
    """
    keys = parameter.argument
    if parameter.content_type is not None or _is_sent_by_keys(parameter):
        return
    if not _names_of_person(keys, separated):
        return
    delimiter = delimiter_of(parameter.style, explode=parameter.explode)
    in_names = {delimiter, "="} if parameter.explode else {delimiter}
    for key, value in _object_at(arguments, keys).items():
        if value is not None and _rank((*keys, key), separated) is Rank.MODEL:
            try:
                text = scalar_text(value)
            except UnsendableError:
                continue  # which is an issue when it is written
            if delimiter in text or not in_names.isdisjoint(key):
                yield (*keys, key), f"a name and a text without {delimiter!r}"


def _rank(keys: Keys, separated: Separated | None) -> Rank:
    is_models = separated is None or separated.owner(keys) == "llm"
    return Rank.MODEL if is_models else Rank.PERSON


def _names_of_person(keys: Keys, separated: Separated | None) -> list[str]:
    """Return the declared properties of an object to which a person contributes."""
    names = {} if separated is None else separated.names(keys)
    return [name for name, is_models in names.items() if not is_models]
