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
from functools import lru_cache
from typing import NamedTuple, TypeAlias
from unicodedata import normalize
from urllib.parse import unquote_plus

from pyfunctools._json import JsonObject, JsonValue, members_of
from pyfunctools.execution.request.body import NO_ENCODING, form_parameter
from pyfunctools.execution.request.styles import delimiter_of, scalar_text, set_in
from pyfunctools.execution.steps import UnsendableError
from pyfunctools.media_types import media_kind
from pyfunctools.route import NO_NAMES, Body, ConnectionNames, Location, Parameter, Route
from pyfunctools.schema import Separated
from pyfunctools.schema.ground.path import Keys, value_at

_SET_BY_CONNECTION = "nothing: the connection sets this parameter"
_LIKE_CONNECTION = "no property that a server may read as one that the connection sets"
_LIKE_ANOTHER = "no property that a server may read as another one"

_STEPS = re.compile(r"[.\[\]]+")
_PUNCTUATION = re.compile(r"[\W_]+")


class ComparedName(NamedTuple):
    """A name as servers read it, without case: its `steps`, and `flat` without punctuation.

    Many servers read `filter[role]` as the steps `filter` and `role`, and some read `filter.role`
    in the same way. PHP reads `filter.role` as `filter_role`; CGI reads a header in the same way.
    Some servers decode a name twice.
    """

    steps: tuple[str, ...]
    flat: str

    @classmethod
    def of(cls, name: str) -> "ComparedName":
        """Return a name for comparison; it may be percent-encoded."""
        for _ in range(3):
            name = unquote_plus(name)
        name = normalize("NFKC", name).casefold().strip()
        steps = tuple(filter(None, _STEPS.split(name))) or (name,)
        return cls(steps, _PUNCTUATION.sub("_", name).strip("_") or name)

    def may_reach(self, other: "ComparedName") -> bool:
        """Return whether some server reads one name as the other, or as a part of the other."""
        size = min(len(self.steps), len(other.steps))
        return self.flat == other.flat or self.steps[:size] == other.steps[:size]


@lru_cache(maxsize=1024)
def known_name(name: str) -> ComparedName:
    """Return a name for comparison; cached for the names of documents and connections."""
    return ComparedName.of(name)


def reserved_names(
    route: Route, headers: Mapping[str, str], query: str, own_query: str, further: ConnectionNames
) -> ConnectionNames:
    """Return the names that no argument may set: the names of the connection and of credentials.

    `own_query` is the query in the path of the route. A parameter may have a name in this query,
    and is then sent too. `further` are more names of the connection.
    """
    if not route.parameters:
        return NO_NAMES
    declared = {each.name for each in route.parameters if each.location == "query"}
    sent = {(location, name) for location, name, _ in set_in(headers, query)}
    sent |= {("query", name) for _, name, _ in set_in({}, own_query) if name not in declared}
    for scheme in route.schemes.values():
        if scheme.location is not None and scheme.parameter is not None:
            sent.add((scheme.location, scheme.parameter))
    return sent | further


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
        for names in _names_in_objects(arguments, separated):
            found |= _clashes_among(names)
    for fields, taken in _fields_by_location(route, arguments, reserved):
        by_connection = {known_name(name).flat for name in taken}
        names: list[_Name] = []
        for field, is_declared in fields:
            value = argument_at(arguments, field.argument)
            names += _names_of(field, is_declared, value, separated)
            is_whole = value is not None and not (isinstance(value, dict) and _has_names(field))
            if is_declared and is_whole and known_name(field.name).flat in by_connection:
                found[field.argument] = _SET_BY_CONNECTION
            if separated is not None:
                found |= _with_delimiters(field, value, separated)
        found |= _clashes_among(names, taken)
    return found


class _Name(NamedTuple):
    """A name in one place of a request, or in one object: of a field, or of a key of its value.

    `keys` lead to its value, `field` to the whole field, whose name is `head`; the connection's
    names have no `keys`. One that is `invented` is not kept apart by the document.
    """

    text: str
    keys: Keys = ()
    field: Keys = ()
    head: str = ""
    is_models: bool = False
    invented: bool = False


def _names_of(
    field: Parameter, is_declared: bool, value: JsonValue, separated: Separated | None
) -> Iterator[_Name]:
    """Yield the names that a parameter, or a property of a form as one, has in a request."""
    keys, head = field.argument, field.name
    are_keys_names = _has_names(field)
    if is_declared or (value is not None and not (are_keys_names and isinstance(value, dict))):
        yield _Name(head, keys, keys, head, _is_models(keys, separated), not is_declared)
    if are_keys_names:
        nested = field.style == "deepObject"
        for key in _names_of_person(keys, separated):
            yield _Name(f"{head}[{key}]" if nested else key, (*keys, key), keys, head)
        for key in (key for key, inner in members_of(value).items() if inner is not None):
            text, inside = f"{head}[{key}]" if nested else key, (*keys, key)
            yield _Name(text, inside, keys, head, _is_models(inside, separated), True)


def _has_names(field: Parameter) -> bool:
    """Return whether each key of an object is sent as a separate name."""
    if field.content_type is not None or field.style == "deepObject":
        return field.content_type is None
    return field.explode and (field.style == "matrix" or field.location in ("query", "cookie"))


_Fields: TypeAlias = list[tuple[Parameter, bool]]
"""Parameters, or properties of a form as such, and whether the document names each."""


def _fields_by_location(
    route: Route, arguments: JsonObject, reserved: ConnectionNames
) -> Iterator[tuple[_Fields, Collection[str]]]:
    """Yield the fields of each place in the request, with the names that are reserved there."""
    found = defaultdict[Location, _Fields](list)
    for each in route.parameters:
        if each.location == "querystring":
            yield [*_form_fields(each, arguments)], _names_in(reserved, "query")
        else:
            found[each.location].append((each, True))
    for location, fields in found.items():
        names = _names_in(reserved, location)
        # Without an object there are only names that the document itself keeps apart.
        if names or any(members_of(argument_at(arguments, each.argument)) for each, _ in fields):
            yield fields, names
    body = route.body
    if body is not None and media_kind(body.content_type) in ("form", "multipart"):
        yield [*_form_fields(body, arguments)], ()


def _names_in(reserved: ConnectionNames, location: Location) -> list[str]:
    return [name for place, name in reserved if place == location]


def _form_fields(form: Body | Parameter, arguments: JsonObject) -> Iterator[tuple[Parameter, bool]]:
    """Yield the properties of a form, declared or given."""
    schema = form.schema if isinstance(form.schema, dict) else {}
    declared = members_of(schema.get("properties"))
    for name in {**declared, **members_of(argument_at(arguments, form.argument))}:
        rule = form.encoding.get(name, NO_ENCODING)
        yield form_parameter(name, rule, form.argument), name in declared


def _names_in_objects(arguments: JsonObject, separated: Separated) -> Iterator[list[_Name]]:
    """Yield the person's names, and those that the model invented, of each object with both."""
    todo: list[tuple[Keys, JsonValue]] = [((), arguments)]
    for keys, value in todo:  # grows while it is read; holds objects and arrays only
        members = members_of(value)
        if persons := _names_of_person(keys, separated):
            known = separated.names(keys)
            paths = {name: (*keys, name) for name in members if name not in known}
            yield [
                *(_Name(name, (*keys, name)) for name in persons),
                *(
                    _Name(name, path, path, is_models=True, invented=True)
                    for name, path in paths.items()
                    if _is_models(path, separated)
                ),
            ]
        for key, inner in enumerate(value) if isinstance(value, list) else members.items():
            is_open = isinstance(inner, dict | list)
            if is_open and separated.owner((*keys, key)) not in ("llm", "human"):
                todo.append(((*keys, key), inner))


def _clashes_among(
    names: list[_Name], reserved: Collection[str] = ()
) -> Iterator[tuple[Keys, str]]:
    """Yield the invented names that a server may read as a name that somebody else sets."""
    invented = [(each, ComparedName.of(each.text)) for each in names if each.invented]
    if not invented:
        return  # the document itself keeps declared names apart
    taken = defaultdict[str, list[tuple[ComparedName, _Name]]](list)
    declared = (*map(_Name, reserved), *(each for each in names if not each.invented))
    known = [(each, known_name(each.text)) for each in declared]
    for each, name in (*known, *(pair for pair in invented if not pair[0].is_models)):
        for key in {name.flat, name.steps[0]}:
            taken[key].append((name, each))
    for each, name in invented:
        near = [pair for key in {name.flat, name.steps[0]} for pair in taken.get(key, ())]
        others = (other for seen, other in near if seen.may_reach(name) and _is_taken(each, other))
        if (other := next(others, None)) is not None:
            yield each.keys, _LIKE_ANOTHER if other.keys else _LIKE_CONNECTION


def _is_taken(name: _Name, other: _Name) -> bool:
    """Return whether a name must not be read as another one: the model may confuse its own only."""
    if not other.keys:
        return True  # the connection's
    if other.field == name.field:
        return False
    if name.is_models and not other.is_models:
        return True
    return name.keys != name.field and _head(name.text) == _head(other.head)


def _head(name: str) -> str:
    """Return what stands before a bracket: all that most servers read as the name."""
    return name.partition("[")[0].casefold()


def _with_delimiters(
    field: Parameter, value: JsonValue, separated: Separated
) -> Iterator[tuple[Keys, str]]:
    """Yield the model's values with a delimiter, in an object that is sent as one text.

    After the delimiter a server could read the model's text as a person's value: many servers
    decode a text before they split it, and a header is not encoded at all.
    """
    keys, is_one_text = field.argument, field.content_type is None and not _has_names(field)
    if not is_one_text or not _names_of_person(keys, separated):
        return
    delimiter = delimiter_of(field.style, explode=field.explode)
    in_names = {delimiter, "="} if field.explode else {delimiter}
    for key, inner in members_of(value).items():
        if inner is not None and _is_models((*keys, key), separated):
            try:
                text = scalar_text(inner)
            except UnsendableError:
                continue  # which is an issue when it is written
            if delimiter in text or not in_names.isdisjoint(key):
                yield (*keys, key), f"a name and a text without {delimiter!r}"


def argument_at(arguments: JsonObject, keys: Keys) -> JsonValue:
    """Return an argument, `None` if it is absent."""
    return (value_at(arguments, keys) or (None,))[0]


def _is_models(keys: Keys, separated: Separated | None) -> bool:
    return separated is None or separated.owner(keys) == "llm"


def _names_of_person(keys: Keys, separated: Separated | None) -> list[str]:
    """Return the declared properties of an object to which a person contributes."""
    names = {} if separated is None else separated.names(keys)
    return [name for name, is_models in names.items() if not is_models]
