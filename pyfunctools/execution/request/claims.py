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
from typing import NamedTuple
from unicodedata import normalize
from urllib.parse import parse_qsl, unquote_plus

from pyfunctools._json import JsonObject, JsonValue, members_of
from pyfunctools.execution.person.uploads import UnsendableError
from pyfunctools.execution.request.body import NO_ENCODING, form_parameter
from pyfunctools.execution.request.styles import delimiter_of, scalar_text
from pyfunctools.media_types import media_kind
from pyfunctools.route import Body, ConnectionNames, Location, Parameter, Route
from pyfunctools.schema import Separated
from pyfunctools.schema.ground.path import Keys, value_at

_SET_BY_CONNECTION = "nothing: the connection sets this parameter"
_LIKE_CONNECTION = "no property that a server may read as one that the connection sets"
_LIKE_ANOTHER = "no property that a server may read as another parameter"
_LIKE_A_PERSONS = "no property that a server may read as one that a person gives"

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


def set_in(headers: Mapping[str, str], query: str) -> Iterator[tuple[Location, str, str]]:
    """Yield what headers (in lower case) and a query set: the location, the name and the text."""
    for name, text in headers.items():
        yield "header", name, text
    for pair in filter(str.strip, headers.get("cookie", "").split(";")):
        name, _, text = pair.partition("=")
        yield "cookie", name.strip(), text.strip().strip('"')
    for name, text in parse_qsl(query, keep_blank_values=True):
        yield "query", name, text


def reserved_names(
    route: Route, headers: Mapping[str, str], query: str, own_query: str, further: ConnectionNames
) -> ConnectionNames:
    """Return the names that no argument may set: the names of the connection and of credentials.

    `own_query` is the query in the path of the route. A parameter may have a name in this query,
    and is then sent too. `further` are more names of the connection.
    """
    found = defaultdict[Location, set[str]](set)
    if not route.parameters:
        return found
    for location, names in further.items():
        found[location].update(names)
    for location, name, _ in set_in(headers, query):
        found[location].add(name)
    declared = {each.name for each in route.parameters if each.location == "query"}
    found["query"].update(name for _, name, _ in set_in({}, own_query) if name not in declared)
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

    @property
    def is_sent_by_keys(self) -> bool:
        """Whether each key of an object is sent as a separate name."""
        style, explode = self.parameter.style, self.parameter.explode
        if self.parameter.content_type is not None or style == "deepObject":
            return self.parameter.content_type is None
        return explode and (style == "matrix" or self.parameter.location in ("query", "cookie"))

    def name_of(self, key: str) -> str:
        """Return the name under which a key of the value is sent."""
        name = self.parameter.name
        return f"{name}[{key}]" if self.parameter.style == "deepObject" else key


def _fields_by_location(
    route: Route, arguments: JsonObject, reserved: ConnectionNames
) -> Iterator[tuple[list[_Field], Collection[str]]]:
    """Yield the fields of each place in the request, with the names that are reserved there."""
    found = defaultdict[Location, list[_Field]](list)
    for each in route.parameters:
        if each.location == "querystring":
            form = Body(content_type="", argument=each.argument, schema=each.schema)
            yield [*_form_fields(form, arguments)], reserved.get("query", ())
        else:
            found[each.location].append(_Field(each))
    for location, fields in found.items():
        names = reserved.get(location, ())
        # Without an object there are only names that the document itself keeps apart.
        if names or any(_object_at(arguments, each.parameter.argument) for each in fields):
            yield fields, names
    body = route.body
    if body is not None and media_kind(body.content_type) in ("form", "multipart"):
        yield [*_form_fields(body, arguments)], ()


def _object_at(arguments: JsonObject, keys: Keys) -> JsonObject:
    return members_of((value_at(arguments, keys) or (None,))[0])


def _form_fields(form: Body, arguments: JsonObject) -> Iterator[_Field]:
    """Yield the properties of a form, declared or given."""
    schema = form.schema if isinstance(form.schema, dict) else {}
    declared = members_of(schema.get("properties"))
    for name in {**declared, **_object_at(arguments, form.argument)}:
        rule = form.encoding.get(name, NO_ENCODING)
        yield _Field(form_parameter(name, rule, form.argument), name in declared)


class _Invented(NamedTuple):
    """A name that the document does not keep apart: a key of a value, or a property of a form."""

    name: str
    keys: Keys
    field: _Field
    is_models: bool


class _TakenNames:
    """Names that are set already, each with its field (`None`: the connection's) and its owner."""

    def __init__(self) -> None:
        self._found = defaultdict[str, list[tuple[ComparedName, _Field | None, bool]]](list)

    def add(self, name: ComparedName, field: _Field | None = None, is_models: bool = False) -> None:
        for key in {name.flat, name.steps[0]}:
            self._found[key].append((name, field, is_models))

    def reached_by(self, name: ComparedName) -> Iterator[tuple[_Field | None, bool]]:
        """Yield the fields whose names a server may confuse with this name, and their owners."""
        for key in {name.flat, name.steps[0]}:
            for other, field, is_models in self._found.get(key, ()):
                if other.may_reach(name):
                    yield field, is_models


def _clashes_of(
    fields: list[_Field],
    reserved: Collection[str],
    arguments: JsonObject,
    separated: Separated | None,
) -> Iterator[tuple[Keys, str]]:
    """Yield the values that would set a reserved name, or the name of another field."""
    by_connection = {known_name(name).flat for name in reserved}
    invented: list[_Invented] = []
    for field in fields:
        keys, name = field.parameter.argument, field.parameter.name
        (value,) = value_at(arguments, keys) or (None,)
        if isinstance(value, dict) and field.is_sent_by_keys:
            for key in (key for key, inner in value.items() if inner is not None):
                inside = (*keys, key)
                is_models = _is_models(inside, separated)
                invented.append(_Invented(field.name_of(key), inside, field, is_models))
        elif value is not None and not field.is_declared:
            invented.append(_Invented(name, keys, field, _is_models(keys, separated)))
        elif value is not None and known_name(name).flat in by_connection:
            yield keys, _SET_BY_CONNECTION
    if not invented:
        return  # the document itself keeps declared names apart
    taken = _taken_names(fields, reserved, separated)
    judged = [(each, ComparedName.of(each.name)) for each in invented]
    for each, name in judged:
        if not each.is_models:
            taken.add(name, each.field)
    for each, name in judged:
        for field, is_others in taken.reached_by(name):
            is_taken = field is None or (each.is_models and not is_others)
            if not is_taken and field is not None and each.keys != each.field.parameter.argument:
                is_taken = _head(each.name) == _head(field.parameter.name)
            if field is not each.field and is_taken:
                yield each.keys, _LIKE_CONNECTION if field is None else _LIKE_ANOTHER
                break


def _head(name: str) -> str:
    """Return what stands before a bracket: all that most servers read as the name."""
    return name.partition("[")[0].casefold()


def _taken_names(
    fields: list[_Field], reserved: Collection[str], separated: Separated | None
) -> _TakenNames:
    """Return the reserved names and the names that the document declares."""
    taken = _TakenNames()
    for name in reserved:
        taken.add(known_name(name))
    for each in fields:
        keys = each.parameter.argument
        if each.is_declared:
            taken.add(known_name(each.parameter.name), each, _is_models(keys, separated))
        if each.is_sent_by_keys:
            for key in _names_of_person(keys, separated):
                taken.add(known_name(each.name_of(key)), each)
    return taken


def _beside_a_persons(arguments: JsonObject, separated: Separated) -> Iterator[tuple[Keys, str]]:
    """Yield the model's keys that a server may read as a person's key in the same object."""
    todo: list[tuple[Keys, JsonValue]] = [((), arguments)]
    for keys, value in todo:  # grows while it is read; holds objects and arrays only
        members = members_of(value)
        taken = _TakenNames()
        for name in _names_of_person(keys, separated):
            taken.add(known_name(name))
        declared = separated.names(keys)
        for key in members:
            is_models = key not in declared and _is_models((*keys, key), separated)
            if is_models and any(taken.reached_by(ComparedName.of(key))):
                yield (*keys, key), _LIKE_A_PERSONS
        for key, inner in enumerate(value) if isinstance(value, list) else members.items():
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
    is_one_text = parameter.content_type is None and not _Field(parameter).is_sent_by_keys
    if not is_one_text or not _names_of_person(keys, separated):
        return
    delimiter = delimiter_of(parameter.style, explode=parameter.explode)
    in_names = {delimiter, "="} if parameter.explode else {delimiter}
    for key, value in _object_at(arguments, keys).items():
        if value is not None and _is_models((*keys, key), separated):
            try:
                text = scalar_text(value)
            except UnsendableError:
                continue  # which is an issue when it is written
            if delimiter in text or not in_names.isdisjoint(key):
                yield (*keys, key), f"a name and a text without {delimiter!r}"


def _is_models(keys: Keys, separated: Separated | None) -> bool:
    return separated is None or separated.owner(keys) == "llm"


def _names_of_person(keys: Keys, separated: Separated | None) -> list[str]:
    """Return the declared properties of an object to which a person contributes."""
    names = {} if separated is None else separated.names(keys)
    return [name for name, is_models in names.items() if not is_models]
