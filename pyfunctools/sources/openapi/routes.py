"""The plan of an operation: its route, and the places of the schemas of its function."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from pyfunctools._json import JsonObject, JsonValue, members_of, text_of
from pyfunctools._text import hidden_count
from pyfunctools.errors import DocumentError
from pyfunctools.record.function import GROUPS
from pyfunctools.route import (
    NO_NAMES,
    OPERATORS,
    ConnectionNames,
    Location,
    Parameter,
    Requirement,
    Route,
    Server,
    slot_name,
)
from pyfunctools.schema.ground.did_you_mean import letters_of
from pyfunctools.schema.vocabulary import human_mark
from pyfunctools.sources.openapi import swagger
from pyfunctools.sources.openapi.bodies import BodyInput, body_input, responses_of
from pyfunctools.sources.openapi.document import Document, DocumentPlace
from pyfunctools.sources.openapi.load import too_many_nodes
from pyfunctools.sources.openapi.naming import path_parameters
from pyfunctools.sources.openapi.operation_parameters import (
    FoundParameters,
    ParameterInput,
    Parameters,
    Security,
    requiring,
)
from pyfunctools.sources.openapi.operations import Operation

_CREDENTIALS = re.compile(r"[^/?#]*//[^/?#]*@")
_NOT_HTTP = re.compile(r"(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)


class Servers:
    """The servers of one document and of its operations."""

    def __init__(self, document: Document) -> None:
        self._name, self._root = document.name, document.root
        listed = document.root.get("servers")
        if not isinstance(listed, list):
            listed = swagger.servers(self._root, None) if "swagger" in self._root else ()
        self._notes: list[str] = []
        self.main = _http_first(tuple(_servers(listed, document.name)), self._notes)

    def of(self, operation: Operation, notes: list[str]) -> tuple[Server, ...]:
        """Return the servers of an operation, else of its path item, else of the document."""
        for place in (operation, *operation.items):
            listed = place.fields.get("servers")
            if not listed and "swagger" in self._root and "schemes" in place.fields:
                listed = [*swagger.servers(self._root, place.fields["schemes"])]
            if isinstance(listed, list) and listed:
                return _http_first(tuple(_servers(listed, self._name)), notes)
        notes += self._notes
        return self.main


def _http_first(servers: tuple[Server, ...], notes: list[str]) -> tuple[Server, ...]:
    """Return the servers without those before the first one for HTTP; all if there is none."""
    first = next((n for n, each in enumerate(servers) if not _NOT_HTTP.match(each.url)), 0)
    notes += [f"The server {s.url!r:.200} is not for HTTP: passed over." for s in servers[:first]]
    return servers[first:]


def _servers(listed: Iterable[JsonValue], name: str) -> Iterator[Server]:
    for entry in map(members_of, listed):
        url = entry.get("url")
        if not isinstance(url, str):
            continue
        if _CREDENTIALS.match(url.replace("\\", "/")):
            reason = "A server's URL contains a user name or a password."
            raise DocumentError(name, reason, remedy="Remove it, and give credentials as `auth`.")
        listed = members_of(entry.get("variables")).items()
        variables = {key: value for key, value in listed if isinstance(value, dict)}
        allowed = {key: value.get("enum") for key, value in variables.items()}
        yield Server(
            url=url,
            description=text_of(entry.get("description")),
            variables={key: _as_text(value.get("default")) for key, value in variables.items()},
            allowed={k: tuple(map(_as_text, v)) for k, v in allowed.items() if isinstance(v, list)},
        )


def _as_text(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*", re.ASCII)
_TEXT: JsonObject = {"type": "string"}


class Plan(NamedTuple):
    """A route, and the places of the schemas for its function.

    `pointer` is the JSON Pointer of the operation; `inputs` have the order of the arguments.
    `success` is the successful response, unless it has no body.
    """

    route: Route
    pointer: str
    inputs: tuple[ParameterInput, ...]
    body: BodyInput | None
    success: DocumentPlace | None
    notes: tuple[str, ...]


class Routes:
    """The routes of one document."""

    def __init__(self, document: Document, connected: ConnectionNames = NO_NAMES) -> None:
        self._document = document
        self._security = Security(document)
        self._parameters = Parameters(document, self._security, connected)
        self._bodies: dict[int, BodyInput | None] = {}
        # A parameter of a path item counts for each operation: a small document may have very many.
        self._inputs_left = document.limits.document_nodes
        self.servers = Servers(document)

    def plan(self, operation: Operation) -> Plan:
        """Return the plan of an operation."""
        found = self._parameters.of(operation)
        self._inputs_left -= len(found.inputs)
        if self._inputs_left < 0:
            raise too_many_nodes(self._document.name, self._document.limits)
        responses = responses_of(self._document, operation)
        notes = [*found.notes, *responses.notes]
        inputs = _ordered(operation, found, notes)
        body = self._body(operation, found, notes)
        inputs, body = _with_free_groups(inputs, body)
        for entry in inputs if self._document.may_have_hidden else ():
            if hidden_count(name := entry.parameter.name):
                reason = f"{name!a} has hidden characters, and would mislead a model."
                raise DocumentError(self._document.name, reason)
        security = self._security.of(operation.fields)
        security = _with_secret_parameters(found.inputs.values(), security, notes)
        for entry in inputs:
            notes += entry.notes
        servers = self.servers.of(operation, notes)
        route = Route(
            method=operation.method,
            path=operation.path,
            operation=operation.fields,
            parameters=tuple([entry.parameter for entry in inputs]),
            body=None if body is None else body.body,
            responses=responses.declared,
            security=security,
            schemes=self._security.named(security),
            servers=servers,
            document_servers=self.servers.main,
        )
        unique = tuple(dict.fromkeys(notes)) if notes else ()
        success = None if operation.method == "HEAD" else responses.success
        return Plan(route, operation.pointer, inputs, body, success, unique)

    def _body(
        self, operation: Operation, found: FoundParameters, notes: list[str]
    ) -> BodyInput | None:
        written = operation.fields.get("requestBody")
        if written is not None:
            place = DocumentPlace(written, f"{operation.pointer}/requestBody", operation.resource)
            body = self._declared_body(self._document.follow(place))
            is_human = human_mark(written)  # a mark may be beside a reference
            if body is not None and is_human is not None:
                body = body._replace(is_human=is_human)
        elif found.body:
            consumes = swagger.media_types(operation.fields, self._document.root, "consumes")
            made = swagger.request_body(found.body, consumes)
            if made is None:
                raise DocumentError(self._document.name, "The operation has more than one body.")
            body = body_input(self._document, found.body[0]._replace(value=made))
        else:
            return None
        if body is None:
            notes.append("The body has no description of its content, and none is sent.")
        elif operation.method == "TRACE":
            notes.append("A TRACE request has no body (RFC 9110, 9.3.8), and none is sent.")
            return None
        else:
            notes += body.notes
        return body

    def _declared_body(self, place: DocumentPlace) -> BodyInput | None:
        key = id(place.value)
        if key not in self._bodies:
            self._bodies[key] = body_input(self._document, place)
        return self._bodies[key]


def _ordered(
    operation: Operation, found: FoundParameters, notes: list[str]
) -> tuple[ParameterInput, ...]:
    """Return the inputs: path parameters in the order of the path, then the others."""
    slots = path_parameters(operation.path)
    in_path: dict[str, ParameterInput] = {}
    others: list[ParameterInput] = []
    for (location, name), entry in found.inputs.items():
        if location == "path":
            in_path[name] = entry
        elif entry.guarded_by is None:
            others.append(entry)
            if location == "querystring":
                _check_whole_query(found.inputs)
    if list(in_path) != slots:
        in_path = _in_slots(operation, slots, in_path, notes)
    return (*in_path.values(), *others)


def _in_slots(
    operation: Operation,
    slots: Sequence[str],
    declared: Mapping[str, ParameterInput],
    notes: list[str],
) -> dict[str, ParameterInput]:
    """Return the input of each slot: declared with its name, with a similar name, or a new text.

    If one slot and one declared name are left over, they belong together.
    """
    left = {name: entry for name, entry in declared.items() if name not in {*slots}}
    similar = {letters: name for name in left if (letters := letters_of(name))}
    missing = [slot for slot in slots if slot not in declared]
    found = {slot: similar.pop(letters_of(slot_name(slot)), None) for slot in missing}
    unknown = [s for s in missing if found[s] is None and _NAME.fullmatch(s.strip(OPERATORS))]
    others = left.keys() - found.values()
    if len(unknown) == len(others) == 1:  # they are each other's, whatever their names
        found[unknown[0]] = others.pop()
    in_slots: dict[str, ParameterInput] = {}
    for slot in slots:
        if slot in declared:
            in_slots[slot] = declared[slot]
        elif (name := found[slot]) is not None:
            in_slots[slot] = _renamed(left.pop(name), slot)
            notes.append(f"The path's parameter {slot!r} is declared as {name!r}.")
        else:
            in_slots[slot] = _undeclared(operation, slot)
            notes.append(f"The path's parameter {slot!r} is not declared, and taken as text.")
    notes += [f"{name!r} is declared for the path, which does not have it." for name in left]
    return in_slots


def _renamed(entry: ParameterInput, slot: str) -> ParameterInput:
    name = slot.strip(OPERATORS) or entry.parameter.name
    parameter = replace(entry.parameter, name=name, argument=(slot_name(slot),))
    return entry._replace(parameter=parameter)


def _undeclared(operation: Operation, slot: str) -> ParameterInput:
    name = slot.strip(OPERATORS)
    if not _NAME.fullmatch(name):
        raise DocumentError(operation.where, f"The path has {slot!r}, which nothing declares.")
    parameter = Parameter(name=slot, location="path", argument=(name,), required=True, schema=_TEXT)
    schema = DocumentPlace(_TEXT, operation.pointer, operation.resource)
    return ParameterInput(parameter=parameter, schema=schema, written=schema)


def _check_whole_query(inputs: Iterable[tuple[Location, str]]) -> None:
    names = [name for location, name in inputs if location in ("query", "querystring")]
    if len(names) > 1:
        listed = ", ".join(map(repr, names))
        reason = f"{listed} are all in the query, and one of them is the whole query."
        raise DocumentError(listed, reason)


def _with_free_groups(
    inputs: tuple[ParameterInput, ...], body: BodyInput | None
) -> tuple[tuple[ParameterInput, ...], BodyInput | None]:
    """Return the inputs with a `_` after each group that has the name of a path parameter."""
    in_path = {e.parameter.argument[0] for e in inputs if e.parameter.location == "path"}
    for group in GROUPS if not in_path.isdisjoint(GROUPS) else ():
        name = group
        while name in in_path:
            name += "_"
        if group == "body" and body is not None:
            body = body._replace(body=replace(body.body, argument=(name,)))
        inputs = tuple(_moved(entry, group, name) for entry in inputs)
    return inputs, body


def _moved(entry: ParameterInput, group: str, name: str) -> ParameterInput:
    first, *rest = entry.parameter.argument
    if entry.parameter.location == "path" or first != group:
        return entry
    return entry._replace(parameter=replace(entry.parameter, argument=(name, *rest)))


def _with_secret_parameters(
    inputs: Iterable[ParameterInput], security: tuple[Requirement, ...], notes: list[str]
) -> tuple[Requirement, ...]:
    """Return the requirements with the schemes whose secret is declared as a parameter."""
    schemes: dict[str, bool] = {}
    for entry in inputs:
        if entry.guarded_by is not None:
            name, scheme = entry.parameter.name, entry.guarded_by
            notes.append(f"{name!r} is the secret of {scheme!r}, and is given as `auth`.")
            schemes[scheme] = entry.parameter.required
    return requiring(security, schemes) if schemes else security
