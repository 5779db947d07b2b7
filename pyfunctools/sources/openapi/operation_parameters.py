"""The parameters of an operation, each with its place on the wire and in the arguments.

The security schemes stand before them: a parameter that carries a secret is no argument.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias, cast, get_args

from pyfunctools._json import JsonObject, JsonValue, items_of, members_of, text_of
from pyfunctools.errors import DocumentError
from pyfunctools.route import (
    NO_NAMES,
    ConnectionNames,
    Encoding,
    Location,
    Parameter,
    Requirement,
    SecurityScheme,
    Style,
    is_reserved,
)
from pyfunctools.schema.separation.predicates import is_human_by_default
from pyfunctools.schema.vocabulary import HUMAN_MARKS, human_mark
from pyfunctools.sources.openapi import swagger
from pyfunctools.sources.openapi.bodies import (
    checked_schema,
    content_in,
    encodings_of,
    form_schema,
    is_persons,
)
from pyfunctools.sources.openapi.document import Document, DocumentPlace, Resource
from pyfunctools.sources.openapi.operations import Operation


class Security:
    """The schemes of one document, and the requirements of its operations."""

    def __init__(self, document: Document) -> None:
        self.schemes = _schemes(document)
        self._by_parameter: dict[tuple[Location, str], str] = {
            override_key(scheme.parameter, scheme.location): name
            for name, scheme in self.schemes.items()
            if scheme.location is not None and scheme.parameter is not None
        }
        self._main = _requirements(document.root.get("security"))

    def guards(self, parameter: Parameter) -> str | None:
        """Return the name of the scheme whose secret this parameter carries, or `None`."""
        return self._by_parameter.get(override_key(parameter.name, parameter.location))

    def of(self, operation: JsonObject) -> tuple[Requirement, ...]:
        """Return the requirements of an operation, else of the document; one has to be met."""
        return _requirements(operation["security"]) if "security" in operation else self._main

    def named(self, requirements: tuple[Requirement, ...]) -> Mapping[str, SecurityScheme]:
        """Return the schemes that these requirements name; unknown ones are left out."""
        known = self.schemes
        return {name: known[name] for each in requirements for name in each if name in known}


def _requirements(security: JsonValue) -> tuple[Requirement, ...]:
    # An object is one requirement that should have been in a list.
    entries = [security] if isinstance(security, dict) and security else items_of(security)
    return tuple(
        {
            name: tuple(filter(None, map(text_of, items_of(scopes))))
            for name, scopes in entry.items()
        }
        for entry in entries
        if isinstance(entry, dict)
    )


def requiring(
    requirements: tuple[Requirement, ...], schemes: Mapping[str, bool]
) -> tuple[Requirement, ...]:
    """Return the requirements with further schemes, each once.

    A scheme whose value in `schemes` is true is added to every requirement; any other becomes a
    requirement of its own.
    """
    known = {name for requirement in requirements for name in requirement}
    new = {name: always for name, always in schemes.items() if name not in known}
    joined = {name: () for name, always in new.items() if always}
    result = [{**each, **joined} for each in requirements] or [joined]
    result += [{name: ()} for name, always in new.items() if not always]
    return tuple(result) if new else requirements


def _schemes(document: Document) -> Mapping[str, SecurityScheme]:
    found = members_of(document.root.get("components")).get("securitySchemes")
    pointer = "/components/securitySchemes"
    if not isinstance(found, dict):
        found, pointer = document.root.get("securityDefinitions"), "/securityDefinitions"
    home = DocumentPlace(found, pointer, document.main)
    schemes: dict[str, SecurityScheme] = {}
    for name, value in home.fields.items():
        try:
            place = document.follow(home.below(value, name))
        except DocumentError:  # requirements keep the name of a missing scheme
            continue
        if isinstance(place.value, dict):
            schemes[name] = _scheme(name, swagger.security_scheme(place.value))
    return schemes


def _scheme(name: str, raw: JsonObject) -> SecurityScheme:
    kind, scheme = raw.get("type"), text_of(raw.get("scheme"))
    location, parameter = text_of(raw.get("in")).lower(), raw.get("name")
    is_key = kind == "apiKey"
    flows = members_of(raw.get("flows") if kind == "oauth2" else None)
    return SecurityScheme(
        name=name,
        type=text_of(kind),
        scheme=(_LOWER.get(scheme.lower(), scheme) or None) if kind == "http" else None,
        location=location if is_key and location in ("query", "header", "cookie") else None,
        parameter=parameter if is_key and isinstance(parameter, str) else None,
        flows={
            flow: {key: url for key, url in members_of(each).items() if isinstance(url, str)}
            for flow, each in flows.items()
        },
    )


def override_key(name: str, location: Location) -> tuple[Location, str]:
    """Return the key that a parameter shares with one it overrides; header names ignore case."""
    return location, name.lower() if location == "header" else name


_LOCATIONS: Mapping[str, str] = {
    each.lower(): each for each in (*get_args(Location), swagger.BODY, swagger.FORM)
}
_LOWER = {name: name for name in ("basic", "bearer", "digest")}
_STYLES: Mapping[str, frozenset[str]] = {
    "path": frozenset({"simple", "label", "matrix"}),
    "query": frozenset({"form", "spaceDelimited", "pipeDelimited", "deepObject"}),
    "header": frozenset({"simple"}),
    "cookie": frozenset({"form", "cookie"}),
    "querystring": frozenset(),
}
_OLD_STYLES = frozenset({"form", "simple", "spaceDelimited", "tabDelimited", "pipeDelimited"})
"""Styles for `collectionFormat` of Swagger 2.0, in every location."""


class ParameterInput(NamedTuple):
    """One parameter: how it is sent, its schema, and itself as `written` (with its examples).

    A parameter overrides an earlier one with the same `key`. If it carries the secret of a security
    scheme, `guarded_by` is the name of the scheme, and it is not an argument.
    """

    parameter: Parameter
    schema: DocumentPlace
    written: DocumentPlace
    description: str = ""
    deprecated: bool = False
    is_human: bool | None = None
    notes: tuple[str, ...] = ()
    guarded_by: str | None = None

    @property
    def key(self) -> tuple[Location, str]:
        """The key that it shares with one that it overrides."""
        return override_key(self.parameter.name, self.parameter.location)


ParameterOrReason: TypeAlias = ParameterInput | DocumentPlace | str
"""A parameter, the place of a part of the body (Swagger 2.0), or the reason why it is left out."""


class FoundParameters(NamedTuple):
    """The parameters of an operation by `key`; those in `body` (Swagger 2.0) make the body."""

    inputs: Mapping[tuple[Location, str], ParameterInput]
    body: Sequence[DocumentPlace]
    notes: Sequence[str]


_NO_PARAMETERS = FoundParameters({}, (), ())


class Parameters:
    """The parameters of one document; shared parameters and lists of them are read once."""

    def __init__(
        self, document: Document, security: Security, connected: ConnectionNames = NO_NAMES
    ) -> None:
        self._document = document
        self._security = security
        self._connected = connected
        self._shared: dict[tuple[Resource, str], ParameterOrReason] = {}
        self._lists: dict[int, FoundParameters] = {}

    def of(self, operation: Operation) -> FoundParameters:
        """Return the parameters of an operation and of its path items.

        A parameter of the operation overrides one of the path item with the same name and location.
        """
        found = _NO_PARAMETERS
        for owner in (*reversed(operation.items), operation):
            if written := owner.fields.get("parameters"):
                listed = self._lists.get(id(written))
                if listed is None:
                    listed = self._lists[id(written)] = self._listed(written, owner)
                found = listed if found is _NO_PARAMETERS else self._joined(found, listed)
        return found

    def _joined(self, outer: FoundParameters, own: FoundParameters) -> FoundParameters:
        inputs = {**outer.inputs, **own.inputs}
        for key in outer.inputs.keys() & own.inputs.keys():
            inputs[key] = self._with_mark_of(outer.inputs[key], own.inputs[key])
        has_body = any(part.fields.get("in") == swagger.BODY for part in own.body)
        body = own.body if has_body else (*outer.body, *own.body)
        return FoundParameters(inputs, body, (*outer.notes, *own.notes))

    def _listed(self, written: JsonValue, owner: DocumentPlace | Operation) -> FoundParameters:
        inputs: dict[tuple[Location, str], ParameterInput] = {}
        body: list[DocumentPlace] = []
        notes: list[str] = []
        if isinstance(written, dict):
            notes.append("The parameters are an object, and are read as a list.")
            written = [*written.values()]
        for index, value in enumerate(items_of(written)):
            found = self._entry(value, owner, index)
            if isinstance(found, str):
                notes.append(found)
            elif isinstance(found, DocumentPlace):
                body.append(found)
            elif (earlier := inputs.get(found.key)) is None:
                inputs[found.key] = found
            else:
                notes.append(f"{found.parameter.name!r} is declared twice; the last one is used.")
                inputs[found.key] = self._with_mark_of(earlier, found, twice=True)
        return FoundParameters(inputs, body, notes)

    def _entry(
        self, value: JsonValue, owner: DocumentPlace | Operation, index: int
    ) -> ParameterOrReason:
        if not isinstance(value, dict) or not isinstance(reference := value.get("$ref"), str):
            pointer = f"{owner.pointer}/parameters/{index}"
            return self._new(DocumentPlace(value, pointer, owner.resource))
        found = self._shared.get((owner.resource, reference))
        if found is None:
            found = self._new(self._document.end(reference, owner.resource))
            self._shared[owner.resource, reference] = found
        return found if len(value) == 1 else _overridden(found, value)

    def _with_mark_of(
        self, earlier: ParameterInput, found: ParameterInput, *, twice: bool = False
    ) -> ParameterInput:
        """Return a parameter, marked as human if the parameter that it overrides is human.

        `x-human: false` in an operation cancels the mark in its path item. Of two entries in one
        list, one mark is enough.
        """
        if found.is_human or (found.is_human is False and not twice):
            return found
        argument, mark = earlier.parameter.argument, earlier.is_human
        given = mark is not False and is_persons(
            self._document, earlier.schema, argument, is_human_by_default, mark=mark
        )
        return found._replace(is_human=True) if given else found

    def _new(self, place: DocumentPlace) -> ParameterOrReason:
        raw, name = place.fields, place.fields.get("name")
        location = _LOCATIONS.get(text_of(raw.get("in")).lower())
        if location is not None and location != raw["in"]:
            raw = {**raw, "in": location}
            place = place._replace(value=raw)
        if location in (swagger.BODY, swagger.FORM):
            return place
        if not isinstance(name, str) or not name:
            return "A parameter without a name is left out."
        if location is None:
            return f"The parameter {name!r} is in {raw.get('in')!r}, and is left out."
        if location == "header" and is_reserved(name):
            return f"The header {name!r} cannot be set by a caller, and is left out."
        location, key = override_key(name, cast("Location", location))
        # An optional one stays an argument: a value for it is an error that names the connection.
        if raw.get("required") is True and (location, key) in self._connected:
            return f"{name!r} in the {location} is set by the connection, and is not an argument."
        old = "schema" not in raw and "content" not in raw
        return self._input(swagger.parameter(raw) if old else raw, place, old)

    def _input(self, raw: JsonObject, place: DocumentPlace, old: bool) -> ParameterInput:
        name, location = cast("str", raw["name"]), cast("Location", raw["in"])
        notes: list[str] = []
        content = None if "schema" in raw else content_in(self._document, place)
        if content is None:
            schema = place.below(raw.get("schema", True), "schema")
            content_type, schema, beside = None, checked_schema(schema, raw["name"], notes), ()
        else:
            content_type, schema, beside = content.media, content.schema, content.marked
            notes += content.notes
        written: JsonValue = schema.value
        encoding: Mapping[str, Encoding] = {}
        argument = (name,) if location == "path" else (location, name)
        if location == "querystring":
            content_type = content_type or "application/x-www-form-urlencoded"
            written = form_schema(self._document, schema)
            encoding = encodings_of(self._document, content.entry) if content else encoding
            argument = ("query",)
        style, explode = _style(raw, location, old, notes)
        parameter = Parameter(
            name=name,
            location=location,
            argument=argument,
            required=location == "path" or raw.get("required") is True,
            style=style,
            explode=explode,
            allow_reserved=raw.get("allowReserved") is True,
            content_type=content_type,
            encoding=encoding,
            schema=written if isinstance(written, (dict, bool)) else True,
        )
        return ParameterInput(
            parameter=parameter,
            schema=schema,
            description=text_of(raw.get("description")),
            written=place._replace(value=raw) if old else place,
            deprecated=raw.get("deprecated") is True,
            is_human=human_mark(raw, *beside),
            notes=tuple(notes),
            guarded_by=self._security.guards(parameter),
        )


def _overridden(found: ParameterOrReason, reference: JsonObject) -> ParameterOrReason:
    """Return a parameter with the description and the mark beside the reference to it (3.1)."""
    if isinstance(found, str):
        return found
    if isinstance(found, DocumentPlace):
        marks = {mark: reference[mark] for mark in HUMAN_MARKS if mark in reference}
        return found._replace(value={**found.fields, **marks})
    is_human = human_mark(reference)
    return found._replace(
        description=text_of(reference.get("description")) or found.description,
        is_human=found.is_human if is_human is None else is_human,
    )


def _style(raw: JsonObject, location: Location, old: bool, notes: list[str]) -> tuple[Style, bool]:
    style: JsonValue = "form" if location in ("query", "cookie") else "simple"
    declared, explode = raw.get("style"), raw.get("explode")
    if isinstance(declared, str) and declared in (_OLD_STYLES if old else _STYLES[location]):
        style = declared
    elif declared is not None:
        notes.append(
            f"{raw['name']!r} has the style {declared!r}, which is invalid in its location; "
            f"it is sent as {style!r}."
        )
    is_form = style in ("form", "cookie")
    return cast("Style", style), explode if isinstance(explode, bool) else is_form
