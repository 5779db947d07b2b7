"""The `$defs` of a document: each target of a reference, normalized once for all functions.

`readOnly` properties are never sent, and `writeOnly` ones are never returned.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from gc import is_tracked
from typing import Literal, NamedTuple

from pyfunctools._json import JsonSchema, JsonValue, members_of, text_of
from pyfunctools.errors import DocumentError, SchemaError
from pyfunctools.note import Note
from pyfunctools.schema.ground.references import defined_name, mapped_subtypes, reference_to
from pyfunctools.schema.ground.walk import Slot, children, copy_with_slots
from pyfunctools.schema.normalization.normalize import normalize, normalize_bundled
from pyfunctools.schema.outline.outline import Outline, Part
from pyfunctools.schema.separation.predicates import IsHuman, may_be_persons
from pyfunctools.schema.vocabulary import HOLDING, PER_PROPERTY, TESTED_ONLY, UNIONS
from pyfunctools.sources.alternatives import Known, loosened, overlapping
from pyfunctools.sources.openapi.bundling import Bundled, SchemaBundler
from pyfunctools.sources.openapi.document import Document, DocumentPlace

PERSONS = "x-human"
"""Stands for every keyword that may make a part a person's."""

_COLLECTED = frozenset({"readOnly", "writeOnly"}) | {"oneOf"}


class NormalizedSchema(NamedTuple):
    """A normalized schema, the definitions it refers to, and its `_COLLECTED` and `PERSONS`."""

    schema: JsonSchema | bool
    names: tuple[str, ...] = ()
    keywords: frozenset[str] = frozenset()


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
        self._bundled: dict[str, Bundled] = {}
        self._normalized: dict[str, NormalizedSchema] = {}
        self._shared: dict[tuple[object, ...], NormalizedSchema] = {}
        self._closures: dict[tuple[str, ...], Closure] = {}
        self._branches: Known = {}
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
        fields, key = place.fields, tuple[object, ...]()
        if len(fields) == 1 and isinstance(reference := fields.get("$ref"), str):
            name = self._bundler.name_of(self._document.target(reference, place.resource))
            return NormalizedSchema({"$ref": reference_to(name)}, (name,))
        if self._bundler.is_plain(place.value):
            key = (*fields.items(), *map(type, fields.values()))  # 1, 1.0 and `True` are equal
        found = self._shared.get(key)
        if found is None:
            found = self._received and self._received.normalized(place)
            if found is None or "oneOf" in found.keywords:
                found = self._normalize(self.bundled(place), place.pointer)
            if key:
                self._shared[key] = found
        return found

    def bundled(self, place: DocumentPlace) -> Bundled:
        """Return the schema at a place as written, with references to definitions."""
        bundled = self._bundler.bundled(place, sent=self._received is not None)
        if self._received is None or not isinstance(bundled.schema, dict):
            return bundled
        find, known = self._received.target, self._branches
        return bundled._replace(schema=loosened(bundled.schema, find, known))

    def place_of(self, name: str) -> DocumentPlace:
        """Return the place of a definition that a schema has referred to."""
        return self._bundler.places[name]

    def overlapping(self, schema: JsonSchema | bool, pointer: str) -> Iterator[Note]:
        """Yield a note on each `oneOf` in a bundled schema whose branches may overlap."""
        return overlapping(schema, pointer, self.target, self._branches)

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

    def target(self, reference: str) -> JsonSchema | bool | None:
        """Return the bundled schema at a reference to a definition, or `None`."""
        name = defined_name(reference)
        return self._bundled_definition(name).schema if name in self._bundler.places else None

    def _definition(self, name: str) -> NormalizedSchema:
        found = self._normalized.get(name)
        if found is None:
            bundled = self._bundled_definition(name)
            if self._received is not None and not bundled.is_directed:
                found = self._received._definition(name)
            if found is None or "oneOf" in found.keywords:
                found = self._normalize(bundled, self.place_of(name).pointer)
            self._normalized[name] = found
        return found

    def _bundled_definition(self, name: str) -> Bundled:
        found = self._bundled.get(name)
        if found is None:
            found = self._received and self._received._bundled_definition(name)
            if found is None or found.is_directed:
                found = self.bundled(self.place_of(name))
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

    def _normalize(self, bundled: Bundled, pointer: str) -> NormalizedSchema:
        if isinstance(bundled.schema, bool):
            return NormalizedSchema(bundled.schema)
        try:
            if self._document.is_checked:
                schema = normalize_bundled(bundled.schema, self.target)
            else:
                schema = normalize(bundled.schema, lookup=self.target)
        except SchemaError as error:
            reason = f"This schema cannot be read: {error}."
            raise DocumentError(self._document.name, reason, pointer=pointer) from error
        found = _described(schema)
        more = {"oneOf"} if bundled.is_directed else set[str]()
        return found._replace(keywords=found.keywords | more)


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


def _described(schema: JsonSchema | bool) -> NormalizedSchema:
    names: dict[str, None] = {}
    keywords: set[str] = set()
    todo: list[JsonSchema | bool] = [schema]
    while todo:
        current = todo.pop()
        if isinstance(current, bool):
            continue
        if "$ref" in current or "discriminator" in current:
            subtypes = (each for _, each in mapped_subtypes(current))
            for reference in (text_of(current.get("$ref")), *subtypes):
                if (name := defined_name(reference)) is not None:
                    names[name] = None
        if may_be_persons(current):
            keywords.add(PERSONS)
        if not _COLLECTED.isdisjoint(current):
            keywords |= {word for word in _COLLECTED if current.get(word, False) is not False}
        if is_tracked(current):  # no dict of scalars is, and most schemas are one
            todo += [inner for _, inner in children(current)]
    return NormalizedSchema(schema, tuple(names), frozenset(keywords))


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
