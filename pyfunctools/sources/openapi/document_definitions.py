"""The `$defs` of a document: each target of a reference, normalized once for all functions."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from itertools import count
from typing import Literal, NamedTuple, TypeAlias

from pyfunctools._json import JsonSchema, JsonValue, json_copy, text_of
from pyfunctools.errors import DocumentError, SchemaError
from pyfunctools.note import Note
from pyfunctools.schema.ground.references import defined_name, mapped_subtypes, reference_to
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.schema.normalization.check_input import check_schema
from pyfunctools.schema.normalization.normalize import Normalizer
from pyfunctools.schema.normalization.targets import Targets, sole_reference
from pyfunctools.schema.outline.outline import Outline, Part
from pyfunctools.schema.separation.predicates import IsHuman, may_be_persons
from pyfunctools.sources.directions import directed, overlapping
from pyfunctools.sources.openapi.bundling import SchemaBundler
from pyfunctools.sources.openapi.document import Document, DocumentPlace

_Unsent: TypeAlias = Literal["readOnly", "writeOnly"]
PERSONS = "x-human"
"""Stands for every keyword that may make a part a person's."""

_CHANGING: Mapping[_Unsent, frozenset[str]] = {
    "readOnly": frozenset({"oneOf", "readOnly"}),
    "writeOnly": frozenset({"discriminator", "writeOnly"}),
}
"""Keywords with which a schema for one direction is another one."""
_COLLECTED = frozenset[str]().union(*_CHANGING.values()) - {"discriminator"}


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
    """A schema for one direction, with the definitions it reaches."""

    schema: JsonSchema | bool
    definitions: JsonSchema
    has_persons: bool


class DocumentDefinitions:
    """The `$defs` of one document, each normalized when first needed.

    Most schemas are the same for values that are sent and for those that are returned; the others
    are changed as `sources.directions` describes.
    """

    def __init__(self, document: Document, is_human: IsHuman | None) -> None:
        self._document = document
        self._bundler = SchemaBundler(document, is_human)
        self._normalized: dict[object, NormalizedSchema] = {}
        self._bundled: dict[str, JsonSchema | bool] = {}
        self._targets = Targets(self._to_merge)
        self._closures: dict[tuple[str, ...], Closure] = {}
        self._whole: dict[str, JsonValue] = {}
        self._roots = count()
        self._directed: dict[tuple[str, _Unsent], NormalizedSchema] = {}

    @cached_property
    def _outline(self) -> Outline:
        return Outline({"$defs": self._whole})

    def directed(self, place: DocumentPlace, *, sent: bool) -> DirectedSchema:
        """Return the schema at a place of values that are sent, or else of returned ones."""
        mark: _Unsent = "readOnly" if sent else "writeOnly"
        normalized = self.normalized(place)
        closure = self.closure(normalized.names)
        keywords = normalized.keywords | closure.keywords
        changing = _CHANGING[mark] & keywords
        if not changing:
            return DirectedSchema(normalized.schema, closure.schemas, PERSONS in keywords)
        normalized = self._changed(normalized, self._root(normalized), mark, changing)
        closure = _closure(normalized.names, partial(self._directed_definition, mark, changing))
        keywords = normalized.keywords | closure.keywords
        return DirectedSchema(normalized.schema, closure.schemas, PERSONS in keywords)

    def _root(self, normalized: NormalizedSchema) -> Part:
        """Return a schema as a part of the outline of all definitions."""
        self._whole.update(self.closure(normalized.names).schemas)
        return Part(self._outline, ("", next(self._roots)), normalized.schema)

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
        return self._bundler.bundled(place)

    def place_of(self, name: str) -> DocumentPlace:
        """Return the place of a definition that a schema has referred to."""
        return self._bundler.places[name]

    def overlapping(self, place: DocumentPlace) -> Iterator[Note]:
        """Yield a note on each `oneOf` in the schema at a place whose branches may overlap."""
        normalized = self.normalized(place)
        if "oneOf" in normalized.keywords:
            yield from overlapping(self._root(normalized), place.value, place.pointer)

    def closure(self, names: Iterable[str]) -> Closure:
        """Return the definitions of these names and everything they reach."""
        start = tuple(dict.fromkeys(names))
        if start not in self._closures:
            self._closures[start] = _closure(start, self._definition)
        return self._closures[start]

    def _definition(self, name: str) -> NormalizedSchema:
        return self._made(name, self._bundler.places[name])

    def _made(self, key: object, place: DocumentPlace) -> NormalizedSchema:
        """Return the schema of a definition, or of a key, made once."""
        if key not in self._normalized:
            self._normalized[key] = self._normalize(place)
        return self._normalized[key]

    def _normalize(self, place: DocumentPlace) -> NormalizedSchema:
        """Normalize the schema at a place, in one walk over the document as it is written."""
        found = _Found()
        normalizer = Normalizer(self._targets, found.add, partial(self._bundler.prepare, place))
        try:
            if self._document.is_checked:
                value = place.value if isinstance(place.value, (dict, bool)) else True
                schema = normalizer.normalized(value, place.resource)
            else:
                value = self.bundled(place)
                if isinstance(value, dict):
                    check_schema(value)
                schema = normalizer.normalized(value)
            normalizer.check(schema)
            if self._bundler.has_dynamic and (alone := sole_reference(schema)) is not None:
                self._targets.follow(alone)  # other circles are found by the names
        except SchemaError as error:
            reason = f"This schema cannot be read: {error}."
            raise DocumentError(self._document.name, reason, pointer=place.pointer) from error
        # The program can change the document: `origin.operation` is a part of it.
        return found.of(json_copy(schema))

    def _to_merge(self, name: str) -> JsonSchema | bool | None:
        """Return the bundled schema of a definition."""
        if name not in self._bundler.places:
            return None
        if name not in self._bundled:
            self._bundled[name] = self.bundled(self._bundler.places[name])
        return self._bundled[name]

    def _directed_definition(
        self, mark: _Unsent, changing: frozenset[str], name: str
    ) -> NormalizedSchema:
        if (name, mark) not in self._directed:
            part = self._outline.at(("$defs", name))
            made = self._changed(self._normalized[name], part, mark, changing)
            self._directed[name, mark] = made
        return self._directed[name, mark]

    def _changed(
        self, known: NormalizedSchema, part: Part | None, mark: _Unsent, changing: frozenset[str]
    ) -> NormalizedSchema:
        """Return a schema for one direction, in which `changing` keywords are reached."""
        # A mark may be in what a property refers to.
        if part is None or (mark not in changing and changing.isdisjoint(known.keywords)):
            return known
        is_unmarked = mark == "readOnly" and mark not in changing
        schema = directed(part, None if is_unmarked else mark)
        return known if schema is known.schema else _described(schema)


def _closure(names: Iterable[str], definition: Callable[[str], NormalizedSchema]) -> Closure:
    reached: dict[str, NormalizedSchema] = {}
    queue = list(names)
    for name in queue:  # grows while it is read
        if name not in reached:
            reached[name] = definition(name)
            queue += reached[name].names
    return Closure(
        {name: each.schema for name, each in reached.items()},
        frozenset().union(*(each.keywords for each in reached.values())),
    )


class _Found:
    """The names of definitions and the keywords in a normalized schema."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}
        self.keywords: set[str] = set()

    def add(self, node: JsonSchema) -> None:
        """Add those of one schema, without its subschemas."""
        if "$ref" in node and (name := defined_name(text_of(node["$ref"]))) is not None:
            self.names[name] = None
        for _, reference in mapped_subtypes(node) if "discriminator" in node else ():
            if (name := defined_name(reference)) is not None:
                self.names[name] = None
                self.keywords.add("discriminator")
        if not _COLLECTED.isdisjoint(node):
            self.keywords |= {word for word in _COLLECTED if node.get(word, False) is not False}
        if may_be_persons(node):
            self.keywords.add(PERSONS)

    def of(self, schema: JsonSchema | bool) -> NormalizedSchema:
        """Return a schema with what was found in it."""
        return NormalizedSchema(schema, tuple(self.names), frozenset(self.keywords))


def _described(schema: JsonSchema | bool) -> NormalizedSchema:
    found = _Found()
    for _, inner in subschemas(schema):
        if isinstance(inner, dict):
            found.add(inner)
    return found.of(schema)
