"""The `$defs` of a document: each target of a reference, normalized once for all functions.

`readOnly` properties are never sent, and `writeOnly` ones are never returned.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Literal, NamedTuple

from pyfunctools._json import JsonSchema, JsonValue, json_copy, members_of, text_of
from pyfunctools.errors import DocumentError, SchemaError
from pyfunctools.note import Note
from pyfunctools.schema.ground.references import defined_name, mapped_subtypes, reference_to
from pyfunctools.schema.ground.walk import Slot, copy_with_slots, subschemas
from pyfunctools.schema.normalization.check_input import check_schema
from pyfunctools.schema.normalization.normalize import Normalizer
from pyfunctools.schema.normalization.targets import Targets, sole_reference
from pyfunctools.schema.outline.outline import Outline, Part
from pyfunctools.schema.separation.predicates import IsHuman, may_be_persons
from pyfunctools.schema.vocabulary import HOLDING, PER_PROPERTY, TESTED_ONLY, UNIONS
from pyfunctools.sources.alternatives import overlapping
from pyfunctools.sources.openapi.bundling import SchemaBundler, WrittenSchema
from pyfunctools.sources.openapi.document import Document, DocumentPlace

PERSONS = "x-human"
"""Stands for every keyword that may make a part a person's."""

_COLLECTED = frozenset({"readOnly", "writeOnly"})
_NAMED = _COLLECTED | {"$ref", "discriminator"}


class NormalizedSchema(NamedTuple):
    """A normalized schema, the definitions it refers to, and its `_COLLECTED` and `PERSONS`.

    `is_directed` says whether another schema is to be sent than is received.
    """

    schema: JsonSchema | bool
    names: tuple[str, ...] = ()
    keywords: frozenset[str] = frozenset()
    is_directed: bool = False


class Closure(NamedTuple):
    """Definitions with everything they reach, and such keywords in them."""

    schemas: JsonSchema
    keywords: frozenset[str]


class DirectedSchema(NamedTuple):
    """A schema for one direction, the shared definitions it needs, and definitions of its own."""

    schema: JsonSchema | bool
    names: tuple[str, ...]
    definitions: JsonSchema
    has_persons: bool


class DocumentDefinitions:
    """The `$defs` of one document for one direction, each normalized when first needed.

    Values that are `received` have no `writeOnly` properties. Values that are sent have no
    `readOnly` ones, and an `anyOf` for a `oneOf`, as `sources.alternatives` describes. Most schemas
    have none of these, and are the same in both directions.
    """

    def __init__(
        self,
        document: Document,
        is_human: IsHuman | None,
        *,
        received: "DocumentDefinitions | None" = None,
    ) -> None:
        self._document = document
        self._received = received
        self._mark: Literal["readOnly", "writeOnly"] = "readOnly" if received else "writeOnly"
        self._bundler = received._bundler if received else SchemaBundler(document, is_human)
        # Most schemas are the same in both directions: those are made once.
        self._alike: dict[object, NormalizedSchema] = received._alike if received else {}
        self._normalized: dict[object, NormalizedSchema] = {}
        self._bundled: dict[str, tuple[JsonSchema | bool, bool]] = {}
        self._closures: dict[tuple[str, ...], Closure] = {}
        self._whole: dict[str, JsonValue] = {}
        self._relieved: dict[str, NormalizedSchema] = {}

    @cached_property
    def _outline(self) -> Outline:
        return Outline({"$defs": self._whole})

    def directed(self, place: DocumentPlace) -> DirectedSchema:
        """Return the schema at a place for this direction."""
        normalized = self.normalized(place)
        closure = self.closure(normalized.names)
        keywords = normalized.keywords | closure.keywords
        schema, names = normalized.schema, normalized.names
        definitions: JsonSchema = {}
        if self._mark in keywords and isinstance(schema, dict):
            self._whole.update(closure.schemas)
            root = Outline({**schema, "$defs": self._whole}).root
            found = _described(members_of(relieved(root, self._mark, body=schema)))
            reached = _reached(found.names, self._relieved_definition)
            definitions = {name: each.schema for name, each in reached.items()}
            schema, names = found.schema, ()
        return DirectedSchema(schema, names, definitions, PERSONS in keywords)

    def normalized(self, place: DocumentPlace) -> NormalizedSchema:
        """Return the normalized schema at a place, with references to definitions."""
        fields = place.fields
        if len(fields) == 1 and isinstance(reference := fields.get("$ref"), str):
            name = self._bundler.name_of(self._document.target(reference, place.resource))
            return NormalizedSchema({"$ref": reference_to(name)}, (name,))
        if not self._bundler.is_plain(place.value):
            return self._normalize(place)
        # 1, 1.0 and `True` are equal
        return self._made((*fields.items(), *map(type, fields.values())), place)

    def bundled(self, place: DocumentPlace) -> JsonSchema | bool:
        """Return the schema at a place as written, with references to definitions."""
        return WrittenSchema(self._bundler, place, self._received is not None).bundled()

    def place_of(self, name: str) -> DocumentPlace:
        """Return the place of a definition that a schema has referred to."""
        return self._bundler.places[name]

    def overlapping(self, schema: JsonSchema | bool, pointer: str) -> Iterator[Note]:
        """Yield a note on each `oneOf` in a bundled schema whose branches may overlap."""
        return overlapping(schema, pointer, self._bundler.definitions)

    def closure(self, names: Iterable[str]) -> Closure:
        """Return the definitions of these names and everything they reach."""
        start = tuple(dict.fromkeys(names))
        found = self._closures.get(start)
        if found is None:
            reached = _reached(start, self._definition)
            found = self._closures[start] = Closure(
                {name: each.schema for name, each in reached.items()},
                frozenset().union(*(each.keywords for each in reached.values())),
            )
        return found

    def _definition(self, name: str) -> NormalizedSchema:
        found = self._normalized.get(name)
        return found or self._made(name, self._bundler.places[name])

    def _made(self, key: object, place: DocumentPlace) -> NormalizedSchema:
        """Return the schema of a definition, or of a key, made once."""
        found = self._normalized.get(key) or self._alike.get(key)
        if found is None:
            found = self._normalize(place)
            if not found.is_directed:
                self._alike[key] = found
        self._normalized[key] = found
        return found

    def _normalize(self, place: DocumentPlace) -> NormalizedSchema:
        """Normalize the schema at a place, in one walk over the document as it is written."""
        written = WrittenSchema(self._bundler, place, self._received is not None)
        found = _Found()

        def lookup(reference: str) -> JsonSchema | bool | None:
            target = self._to_merge(reference)
            if target is None:
                return None
            written.is_directed |= target[1]
            return target[0]

        targets = Targets({}, lookup)
        normalizer = Normalizer(targets, found.add, written.prepare)
        try:
            if self._document.is_checked:
                value = place.value if isinstance(place.value, dict | bool) else True
                schema = normalizer.normalized(value, place.resource)
            else:
                value = written.bundled()
                if isinstance(value, dict):
                    check_schema(value)
                schema = normalizer.normalized(value)
            normalizer.check(schema)
            if self._bundler.has_dynamic and (alone := sole_reference(schema)) is not None:
                targets.follow(alone)  # other circles are found by the names
        except SchemaError as error:
            reason = f"This schema cannot be read: {error}."
            raise DocumentError(self._document.name, reason, pointer=place.pointer) from error
        # The program can change the document: `origin.operation` is a part of it.
        return found.of(json_copy(schema), is_directed=written.is_directed)

    def _to_merge(self, reference: str) -> tuple[JsonSchema | bool, bool] | None:
        """Return the bundled schema of a definition, and whether it is directed."""
        name = defined_name(reference)
        if name is None or name not in self._bundler.places:
            return None
        found = self._bundled.get(name)
        if found is None:
            found = self._received and self._received._to_merge(reference)
            if found is None or found[1]:
                written = WrittenSchema(
                    self._bundler, self._bundler.places[name], self._received is not None
                )
                found = written.bundled(), written.is_directed
            self._bundled[name] = found
        return found

    def _relieved_definition(self, name: str) -> NormalizedSchema:
        made = self._relieved.get(name)
        if made is None:
            schema = self._whole[name]
            if (part := self._outline.at(("$defs", name))) is not None and isinstance(schema, dict):
                schema = relieved(part, self._mark)
            made = self._relieved[name] = _described(
                schema if isinstance(schema, dict | bool) else True
            )
        return made


def _reached(
    names: Iterable[str], definition: Callable[[str], NormalizedSchema]
) -> dict[str, NormalizedSchema]:
    """Return the definitions of these names and everything they reach."""
    reached: dict[str, NormalizedSchema] = {}
    queue = list(names)
    for name in queue:  # grows while it is read
        if name not in reached:
            reached[name] = definition(name)
            queue += reached[name].names
    return reached


class _Found:
    """The names of definitions and the keywords in a normalized schema."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}
        self.keywords: set[str] = set()

    def add(self, node: JsonSchema) -> None:
        """Add those of one schema, without its subschemas."""
        if not _NAMED.isdisjoint(node):
            if (name := defined_name(text_of(node.get("$ref")))) is not None:
                self.names[name] = None
            for _, reference in mapped_subtypes(node) if "discriminator" in node else ():
                if (name := defined_name(reference)) is not None:
                    self.names[name] = None
            self.keywords |= {word for word in _COLLECTED if node.get(word, False) is not False}
        if may_be_persons(node):
            self.keywords.add(PERSONS)

    def of(self, schema: JsonSchema | bool, *, is_directed: bool = False) -> NormalizedSchema:
        """Return a schema with what was found in it."""
        return NormalizedSchema(schema, tuple(self.names), frozenset(self.keywords), is_directed)


def _described(schema: JsonSchema | bool) -> NormalizedSchema:
    found = _Found()
    for _, inner in subschemas(schema):
        if isinstance(inner, dict):
            found.add(inner)
    return found.of(schema)


_NAMING = HOLDING | PER_PROPERTY | {"required"}
"""Keywords that may name properties; a schema without them needs no search."""


def relieved(start: Part, mark: str, *, body: JsonSchema | None = None) -> JsonSchema:
    """Return the schema of a part without the properties that bear a mark, everywhere in it.

    With `readOnly` it is one of values to be sent, with `writeOnly` one of values that are returned
    (OpenAPI 3.0, 4.7.24). The mark may be in the schema that a property refers to.
    What its references lead to is not changed: a definition is relieved once, wherever it is used.
    A schema that loses nothing is returned as the same object.
    """
    whole: dict[str, JsonValue] = {}
    found = False
    todo: list[tuple[Slot, Part | None, frozenset[str]]]
    todo = [(Slot(whole, "", start.schema if body is None else body), start, frozenset())]
    while todo:
        slot, part, outside = todo.pop()
        schema = slot.inner
        if not isinstance(schema, dict):
            continue
        hidden = outside
        if part is not None and not _NAMING.isdisjoint(schema):
            hidden |= frozenset(_hidden(part, mark))
        found = found or bool(hidden)
        copy, slots = copy_with_slots(_without_properties(schema, hidden) if hidden else schema)
        slot.put(copy)
        for inner in slots:
            # Fewer constraints under `if` and `not` would make the schema reject more values.
            if inner.steps[0] not in TESTED_ONLY:
                below = hidden if inner.steps[0] in HOLDING else frozenset[str]()
                todo.append((inner, part and part.below(*inner.steps), below))
    result = whole[""]
    if found and isinstance(result, dict):
        return result
    return start.rules if body is None else body


def _hidden(part: Part, mark: str) -> Iterator[str]:
    for each in part.parts:
        for name, inner in each.declared.items():
            unions = (inner.branches(keyword) for keyword in UNIONS if keyword in inner.rules)
            some = [[b for b in union if b.schema != {"type": "null"}] for union in unions]
            if _is_marked(inner, mark) or any(
                union and all(_is_marked(branch, mark) for branch in union) for union in some
            ):
                yield name


def _is_marked(part: Part, mark: str) -> bool:
    return any(each.rules.get(mark) is True for each in part.reference_chain())


def _without_properties(schema: JsonSchema, hidden: frozenset[str]) -> JsonSchema:
    """Return a schema without these properties, and without their names in `required`."""
    result = dict(schema)
    for keyword in PER_PROPERTY:
        named = result.get(keyword)
        if isinstance(named, dict):
            result[keyword] = {name: v for name, v in named.items() if name not in hidden}
    dependent = result.get("dependentRequired")
    if isinstance(dependent, dict):
        result["dependentRequired"] = {
            name: [other for other in needed if other not in hidden]
            for name, needed in dependent.items()
            if isinstance(needed, list)
        }
    required = result.get("required")
    if isinstance(required, list):
        result["required"] = [name for name in required if name not in hidden]
        if not result["required"]:
            del result["required"]
    return result
