"""The schemas of a function, made from its plan when they are first needed."""

from functools import partial
from threading import RLock
from typing import NamedTuple

from pyfunctools._json import JsonSchema, JsonValue, members_of
from pyfunctools._text import visible
from pyfunctools.errors import DocumentError, SchemaError
from pyfunctools.note import Note
from pyfunctools.record.contract import Contract
from pyfunctools.record.function import GROUPS
from pyfunctools.schema.ground.marks import human_mark
from pyfunctools.schema.normalization.clean import with_visible_texts
from pyfunctools.schema.normalization.read_write import without_read_only, without_write_only
from pyfunctools.schema.separation.predicates import IsHuman
from pyfunctools.sources.openapi.document import Document, DocumentPlace
from pyfunctools.sources.openapi.document_definitions import DocumentDefinitions
from pyfunctools.sources.openapi.document_notes import SchemaNotes, notes_of_plan
from pyfunctools.sources.openapi.operation_parameters import ParameterInput
from pyfunctools.sources.openapi.routes import Plan

_Property = tuple[JsonSchema | bool, bool]
"""A schema, and whether the property is required."""


class _SentSchema(NamedTuple):
    """A schema, the names of the shared definitions it needs, and definitions of its own."""

    schema: JsonSchema | bool
    names: tuple[str, ...]
    definitions: JsonSchema


class SchemaMaker:
    """A maker of the schemas of all functions of one document.

    The functions share definitions: hold the `lock` while you call `make`.
    """

    def __init__(self, document: Document, is_human: IsHuman | None) -> None:
        self.lock = RLock()
        self._name = document.name
        self._is_human = is_human
        self._definitions = DocumentDefinitions(document)
        self._notes = SchemaNotes(document, self._definitions)
        # By the id of an input. The input is stored as well, so that its id is not used again.
        self._inputs: dict[int, tuple[ParameterInput, _SentSchema]] = {}

    def make(self, plan: Plan) -> Contract:
        """Return the contract of a function.

        Raises:
            DocumentError: one of its schemas cannot be read.
        """
        try:
            parameters, output = self._parameters(plan), self._output(plan)
            path = tuple(i.argument[0] for i in plan.route.parameters if i.location == "path")
            notes = partial(self._notes_of, plan)
            return Contract.of(parameters, output, self._is_human, notes, first=path)
        except SchemaError as error:
            where = f"{plan.route.method} {plan.route.path}"
            raise DocumentError(
                self._name, f"The schemas of {where} cannot be read: {error}.", pointer=plan.pointer
            ) from error

    def _notes_of(self, plan: Plan) -> tuple[Note, ...]:
        with self.lock:
            return tuple(notes_of_plan(plan, self._notes))

    def _parameters(self, plan: Plan) -> JsonSchema:
        top: dict[str, _Property] = {}
        groups: dict[str, dict[str, _Property]] = {}
        names: list[str] = []
        definitions: dict[str, JsonValue] = {}
        for entry in plan.inputs:
            sent = self._input(entry)
            names += sent.names
            definitions |= sent.definitions
            first, *rest = entry.parameter.argument
            holder = groups.setdefault(first, {}) if rest else top
            holder[rest[0] if rest else first] = sent.schema, entry.parameter.required
        for name in sorted(groups, key=lambda group: GROUPS.index(group.rstrip("_"))):
            is_required = any(required for _, required in groups[name].values())
            top[name] = _closed_object(groups[name]), is_required
        if plan.body is not None:
            sent = self._sent(plan.body.schema)
            names += sent.names
            definitions |= sent.definitions
            annotations = _annotations(plan.body.description, plan.body.is_human)
            schema = _annotated(sent.schema, annotations)
            top[plan.body.body.argument[0]] = schema, plan.body.body.required
        shared = self._definitions.closure(names).schemas
        all_definitions = {**shared, **definitions} if definitions else shared
        return _with_definitions(_closed_object(top), all_definitions)

    def _input(self, entry: ParameterInput) -> _SentSchema:
        known = self._inputs.get(id(entry))
        if known is None:
            sent = self._sent(entry.schema)
            annotations = _annotations(entry.description, entry.is_human)
            if entry.deprecated:
                annotations["deprecated"] = True
            if entry.examples:
                annotations["examples"] = [
                    with_visible_texts(example) for example in entry.examples
                ]
            sent = sent._replace(schema=_annotated(sent.schema, annotations))
            known = self._inputs[id(entry)] = entry, sent
        return known[1]

    def _sent(self, place: DocumentPlace) -> _SentSchema:
        """Return a schema for sending: without `readOnly` parts, and with `oneOf` loosened.

        Most schemas have neither keyword, and share their definitions with received values.
        """
        normalized = self._definitions.normalized(place)
        closure = self._definitions.closure(normalized.names)
        keywords = normalized.keywords | closure.keywords
        if "oneOf" in keywords:
            normalized = self._definitions.normalized(place, sent=True)
            closure = self._definitions.closure(normalized.names, sent=True)
        elif "readOnly" not in keywords:
            return _SentSchema(normalized.schema, normalized.names, {})
        if isinstance(normalized.schema, bool) or "readOnly" not in keywords:
            return _SentSchema(normalized.schema, (), closure.schemas)
        schema = dict(without_read_only(_with_definitions(normalized.schema, closure.schemas)))
        definitions = members_of(schema.pop("$defs", None))
        return _SentSchema(schema, (), definitions)

    def _output(self, plan: Plan) -> JsonSchema | None:
        if plan.output is None:
            return None
        normalized = self._definitions.normalized(plan.output)
        if isinstance(normalized.schema, bool):
            return {} if normalized.schema else {"not": {}}
        closure = self._definitions.closure(normalized.names)
        schema = _with_definitions(normalized.schema, closure.schemas)
        is_partly_sent = "writeOnly" in normalized.keywords | closure.keywords
        return without_write_only(schema) if is_partly_sent else schema


def _with_definitions(schema: JsonSchema, definitions: JsonSchema) -> JsonSchema:
    return {**schema, "$defs": definitions} if definitions else schema


def _closed_object(properties: dict[str, _Property]) -> JsonSchema:
    schema: dict[str, JsonValue] = {
        "type": "object",
        "properties": {name: schema for name, (schema, _) in properties.items()},
    }
    required: list[JsonValue] = [name for name, (_, required) in properties.items() if required]
    if required:
        schema["required"] = required
    return {**schema, "additionalProperties": False}


def _annotations(description: str, is_human: bool | None) -> dict[str, JsonValue]:
    annotations: dict[str, JsonValue] = {}
    if description:
        annotations["description"] = visible(description)
    if is_human is not None:
        annotations["x-human"] = is_human
    return annotations


def _annotated(schema: JsonSchema | bool, annotations: JsonSchema) -> JsonSchema | bool:
    """Return a schema with the annotations of its parameter, unless it has such annotations.

    Of `x-human`, one mark in either of the two is enough.
    """
    if schema is False or not annotations:
        return schema
    if not isinstance(schema, dict):
        return annotations
    is_human = human_mark(schema, annotations)
    mark = {} if is_human is None else {"x-human": is_human}
    return {**schema, **annotations, **schema, **mark}
