"""The schemas of a function, and the notes on them, made from its plan when first needed.

The notes are on the schemas as written, on references, and on hidden characters.
"""

from collections.abc import Iterator
from functools import cached_property, partial
from itertools import islice
from typing import TypeAlias

from pyfunctools._collector import collector_paused
from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of
from pyfunctools._lazy import ProcessLock
from pyfunctools._text import visible
from pyfunctools.errors import DocumentError, SchemaError
from pyfunctools.note import Note, hidden_notes
from pyfunctools.record.contract import Contract
from pyfunctools.record.function import GROUPS
from pyfunctools.record.origin import origin_text
from pyfunctools.schema.ground.references import defined_name, references_in
from pyfunctools.schema.normalization.clean import with_visible_texts
from pyfunctools.schema.normalization.oddities import notes_of
from pyfunctools.schema.separation.predicates import IsHuman, output_shown
from pyfunctools.schema.vocabulary import human_mark
from pyfunctools.sources.hidden import notes_on_hidden
from pyfunctools.sources.openapi.bodies import BodyInput, MediaContent, items_in, output_in
from pyfunctools.sources.openapi.document import Document, DocumentPlace
from pyfunctools.sources.openapi.document_definitions import DirectedSchema, DocumentDefinitions
from pyfunctools.sources.openapi.operation_parameters import ParameterInput
from pyfunctools.sources.openapi.routes import Plan
from pyfunctools.sources.secret_notes import secret_notes

_Property: TypeAlias = tuple[JsonSchema | bool, bool]
"""A schema, and whether the property is required."""

_Notes: TypeAlias = tuple[tuple[Note, ...], tuple[str, ...]]
"""The notes on a schema, and the names of its definitions."""


class SchemaMaker:
    """A maker of the schemas of all functions of one document.

    The functions share definitions: hold the `lock` while you call `make`.
    """

    def __init__(
        self, document: Document, is_human: IsHuman | None, *, hinted: bool = False
    ) -> None:
        self._document = document
        self._hinted = hinted
        self.lock = ProcessLock()
        self._is_human = is_human
        self._known_notes: dict[tuple[str, bool], _Notes] = {}
        # By the id of an input. The input is stored as well, so that its id is not used again.
        self._inputs: dict[int, tuple[ParameterInput, DirectedSchema]] = {}

    @cached_property
    def _definitions(self) -> DocumentDefinitions:
        return DocumentDefinitions(self._document, self._is_human)

    @collector_paused()
    def make(self, plan: Plan) -> Contract:
        """Return the contract of a function."""
        content = output = items = fault = None
        try:
            parameters = self._parameters(plan)
            try:
                if plan.success is not None:
                    content = output_in(self._document, plan.success)
                    output = self._output(None if content is None else content.schema)
                    items = self._output(items_in(self._document, plan.success))
            except DocumentError as error:
                fault = error.reason
            path = tuple(i.argument[0] for i in plan.route.parameters if i.location == "path")
            return Contract(
                parameters,
                output,
                self._is_human,
                partial(self._notes_of, plan, content, fault),
                examples=partial(self._examples, plan),
                first=path,
                hinted=self._hinted,
                items=items or None,
            )
        except SchemaError as error:
            reason = f"The schemas of {origin_text(plan.route)} cannot be read: {error}."
            raise DocumentError(self._document.name, reason, pointer=plan.pointer) from error

    def _notes_of(
        self, plan: Plan, output: MediaContent | None, fault: str | None, llm: JsonSchema
    ) -> Iterator[Note]:
        yield from _ignored_siblings(plan)
        named = [(repr(entry.parameter.name), entry) for entry in plan.inputs]
        for name, entry in [*named, ("the body", plan.body)]:
            if entry is not None:
                what = f"the description of {name}"
                yield from hidden_notes(what, entry.description, entry.schema.pointer)
                yield from self._notes_at(entry.schema, sent=True)
        for text in output.notes if output is not None else ():
            yield Note(text=text, pointer=plan.pointer)
        if fault is not None:
            yield Note(text=f"The output is unknown: {fault}", pointer=plan.pointer)
        elif output is not None:
            yield from self._notes_at(output.schema, sent=False)
        yield from secret_notes(llm, "document")

    def _notes_at(self, place: DocumentPlace, *, sent: bool) -> Iterator[Note]:
        queue, seen = [self._examined(place, sent)], set[str]()
        for notes, names in queue:  # grows while it is read
            yield from notes
            for name in names:
                if name not in seen:
                    seen.add(name)
                    if (name, sent) not in self._known_notes:
                        found = self._examined(self._definitions.place_of(name), sent)
                        self._known_notes[name, sent] = found
                    queue.append(self._known_notes[name, sent])

    def _examined(self, place: DocumentPlace, sent: bool) -> _Notes:
        ignored = not str(self._document.root.get("openapi")).startswith(("3.1", "3.2"))
        with self.lock:
            schema = self._definitions.bundled(place)
            overlaps = [*self._definitions.overlapping(place)] if sent else ()
        notes = [*notes_of(schema, place.pointer, siblings_ignored=ignored)]
        if self._document.may_have_hidden and isinstance(place.value, (dict, bool)):
            notes += notes_on_hidden(place.value, place.pointer)
        notes += overlaps
        names = filter(None, map(defined_name, references_in(schema)))
        return tuple(notes), tuple(dict.fromkeys(names))

    def _examples(self, plan: Plan) -> list[JsonValue]:
        """Return each example of the body, with the first example of each parameter."""
        found: list[JsonValue] = []
        arguments: dict[str, JsonValue] = {}
        with self.lock:
            for entry in plan.inputs:
                for example in islice(self._document.examples(entry.written), 1):
                    first, *rest = entry.parameter.argument
                    known = members_of(arguments.get(first))
                    arguments[first] = {**known, rest[0]: example} if rest else example
            if plan.body is not None:
                name = plan.body.body.argument[0]
                for place in (plan.body.media, self._document.follow(plan.body.schema)):
                    found += ({**arguments, name: each} for each in self._document.examples(place))
        return [*map(with_visible_texts, found), with_visible_texts(arguments)]

    def _parameters(self, plan: Plan) -> JsonSchema:
        top: dict[str, _Property] = {}
        groups: dict[str, dict[str, _Property]] = {}
        definitions: JsonSchema = {}
        for entry in plan.inputs:
            sent = self._input(entry)
            definitions = _joined(definitions, sent.definitions)
            first, *rest = entry.parameter.argument
            holder = groups.setdefault(first, {}) if rest else top
            holder[rest[0] if rest else first] = sent.schema, entry.parameter.required
        for name in sorted(groups, key=lambda group: GROUPS.index(group.rstrip("_"))):
            is_required = any(required for _, required in groups[name].values())
            top[name] = _closed_object(groups[name]), is_required
        if (body := plan.body) is not None:
            sent = self._definitions.directed(body.schema, sent=True)
            definitions = _joined(definitions, sent.definitions)
            top[body.body.argument[0]] = _annotated(sent.schema, body), body.body.required
        return _with_definitions(_closed_object(top), definitions)

    def _input(self, entry: ParameterInput) -> DirectedSchema:
        known = self._inputs.get(id(entry))
        if known is None:
            sent = self._definitions.directed(entry.schema, sent=True)
            examples = [*map(with_visible_texts, self._document.examples(entry.written))]
            about: JsonSchema = {"deprecated": True} if entry.deprecated else {}
            about = {**about, "examples": examples} if examples else about
            sent = sent._replace(schema=_annotated(sent.schema, entry, about))
            known = self._inputs[id(entry)] = entry, sent
        return known[1]

    def _output(self, place: DocumentPlace | None) -> JsonSchema | None:
        if place is None:
            return None
        schema, definitions, has_persons = self._definitions.directed(place, sent=False)
        if isinstance(schema, bool):
            return {} if schema else {"not": {}}
        output = _with_definitions(schema, definitions)
        return output_shown(output) if has_persons else output


def _joined(definitions: JsonSchema, others: JsonSchema) -> JsonSchema:
    return {**definitions, **others} if definitions and others else definitions or others


def _with_definitions(schema: JsonSchema, definitions: JsonSchema) -> JsonSchema:
    return {**schema, "$defs": definitions} if definitions else schema


def _closed_object(properties: dict[str, _Property]) -> JsonSchema:
    required = [name for name, (_, is_required) in properties.items() if is_required]
    return {
        "type": "object",
        "properties": {name: schema for name, (schema, _) in properties.items()},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


_NOTHING: JsonSchema = {}


def _annotated(
    schema: JsonSchema | bool, entry: ParameterInput | BodyInput, about: JsonSchema = _NOTHING
) -> JsonSchema | bool:
    """Return a schema with the annotations of its parameter, unless it has such annotations.

    Of `x-human`, one mark in either of the two is enough.
    """
    written = members_of(schema)
    is_human = human_mark(written, {"x-human": entry.is_human})
    mark: JsonSchema = {} if is_human is None else {"x-human": is_human}
    text: JsonSchema = {"description": visible(entry.description)} if entry.description else {}
    if schema is False or not (text or mark or about):
        return schema
    return {**written, **text, **mark, **about, **written, **mark}


def _ignored_siblings(plan: Plan) -> Iterator[Note]:
    """Yield a note on keywords that are ignored beside a `$ref` to a body, parameter or response.

    `description` and `summary` beside a reference to a parameter or a response get no note.
    """
    operation = plan.route.operation
    listed = enumerate(items_of(operation.get("parameters")))
    places = [("requestBody", operation.get("requestBody"))]
    places += ((f"parameters/{index}", each) for index, each in listed)
    responses = members_of(operation.get("responses"))
    places += ((f"responses/{status}", each) for status, each in responses.items())
    for steps, value in places:
        known = {"$ref"} if steps == "requestBody" else {"$ref", "description", "summary"}
        others = [key for key in members_of(value) if key not in known and key[:2] != "x-"]
        if others and isinstance(members_of(value).get("$ref"), str):
            text = f"{', '.join(f'`{key}`' for key in others)} beside the `$ref` is not read."
            yield Note(text=text, pointer=f"{plan.pointer}/{steps}")
