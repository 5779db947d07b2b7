"""The `$defs` of a document: each target of a reference, normalized once for all functions."""

from collections.abc import Iterable, Iterator
from gc import is_tracked
from typing import NamedTuple

from pyfunctools._json import JsonSchema, JsonValue, members_of, text_of
from pyfunctools.errors import DocumentError, SchemaError
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.references import defined_name, mapped_subtypes
from pyfunctools.schema.ground.walk import children
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.normalization.read_write import relieved
from pyfunctools.schema.outline.outline import Outline
from pyfunctools.schema.separation.predicates import IsHuman
from pyfunctools.schema.separation.shown import may_be_persons
from pyfunctools.sources.alternatives import Known, loosened, overlapping
from pyfunctools.sources.openapi.bundling import Bundled, SchemaBundler
from pyfunctools.sources.openapi.document import Document, DocumentPlace

_MARKS = frozenset({"readOnly", "writeOnly"})

PERSONS = "x-human"
"""Stands for every keyword that may make a part a person's."""


class NormalizedSchema(NamedTuple):
    """A normalized schema, the definitions it refers to, and its `_MARKS` and `PERSONS`.

    `sent` is true if it, or a definition that it reaches, is written differently to be sent.
    """

    schema: JsonSchema | bool
    names: tuple[str, ...] = ()
    keywords: frozenset[str] = frozenset()
    sent: bool = False


class Closure(NamedTuple):
    """Definitions with everything they reach, and such keywords in them."""

    schemas: JsonSchema
    keywords: frozenset[str]


class RelievedDefinitions:
    """The definitions of one document without the properties that bear `mark`, each made once."""

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._whole: dict[str, JsonValue] = {}
        self._outline = Outline({"$defs": self._whole})
        self._made: dict[str, NormalizedSchema] = {}

    def add(self, definitions: JsonSchema) -> None:
        """Add definitions with everything that they reach, before one of them is asked for."""
        self._whole.update(definitions)

    def of(self, schema: JsonSchema) -> tuple[JsonSchema, JsonSchema]:
        """Return a schema without marked properties, and the definitions that it reaches."""
        root = Outline({**schema, "$defs": self._whole}).root
        found = _described(members_of(relieved(root, self._mark, body=schema)))
        reached: dict[str, JsonValue] = {}
        queue = list(found.names)
        for name in queue:  # grows while it is read
            if name not in reached and name in self._whole:
                reached[name] = self._definition(name).schema
                queue += self._definition(name).names
        return members_of(found.schema), reached

    def _definition(self, name: str) -> NormalizedSchema:
        made = self._made.get(name)
        if made is None:
            part = self._outline.at(("$defs", name))
            schema = self._whole[name]
            if part is not None and isinstance(schema, dict):
                schema = relieved(part, self._mark)
            made = self._made[name] = _described(
                schema if isinstance(schema, dict | bool) else True
            )
        return made


class DocumentDefinitions:
    """The `$defs` of one document: each target of a reference, normalized when first needed."""

    def __init__(self, document: Document, is_human: IsHuman | None) -> None:
        self._name = document.name
        self._bundler = SchemaBundler(document, is_human)
        self._bundled: dict[str, Bundled] = {}
        self._to_be_sent: dict[str, Bundled] = {}
        self._normalized: dict[tuple[str, bool], NormalizedSchema] = {}
        self._shared: dict[tuple[object, ...], NormalizedSchema] = {}
        self._closures: dict[tuple[tuple[str, ...], bool], Closure] = {}
        self._written: dict[tuple[str, ...], frozenset[str]] = {}
        self._relieved: dict[tuple[str, bool], RelievedDefinitions] = {}
        self._branches: Known = {}

    def normalized(self, place: DocumentPlace, *, sent: bool = False) -> NormalizedSchema:
        """Return the normalized schema at a place, with references to definitions.

        If it is `sent`, a `oneOf` becomes an `anyOf` as `sources.alternatives` describes. Most
        schemas have none, and share their definitions with received values.
        """
        fields, key = place.fields, tuple[object, ...]()
        if self._bundler.is_plain(place.value):
            key = (*fields.items(), *map(type, fields.values()))  # 1, 1.0 and `True` are equal
        elif len(fields) == 1 and isinstance(reference := fields.get("$ref"), str):
            key = (place.resource, reference, sent)
        found = self._shared.get(key) or self._normalized_at(place, sent)
        if key:
            self._shared[key] = found
        return found

    def bundled(self, place: DocumentPlace) -> Bundled:
        """Return the schema at a place as written, with references to definitions."""
        return self._bundler.bundled(place)

    def place_of(self, name: str) -> DocumentPlace:
        """Return the place of a definition that a schema has referred to."""
        return self._bundler.places[name]

    def overlapping(self, schema: JsonSchema | bool) -> Iterator[Keys]:
        """Return the paths of each `oneOf` in a bundled schema whose branches may overlap."""
        return overlapping(schema, self._lookup, self._branches)

    def closure(self, names: Iterable[str], *, sent: bool = False) -> Closure:
        """Return the definitions of these names and everything they reach."""
        start = tuple(dict.fromkeys(names))
        found = self._closures.get((start, sent))
        if found is None:
            reached: dict[str, NormalizedSchema] = {}
            queue = list(start)
            for name in queue:
                if name not in reached:
                    reached[name] = self._definition(name, sent)
                    queue += reached[name].names
            found = self._closures[start, sent] = Closure(
                {name: each.schema for name, each in reached.items()},
                frozenset().union(*(each.keywords for each in reached.values())),
            )
        return found

    def relieved(self, normalized: NormalizedSchema, mark: str) -> tuple[JsonSchema, JsonSchema]:
        """Return a schema without its marked properties, and the definitions it then reaches."""
        sent = normalized.sent
        known = self._relieved.setdefault((mark, sent), RelievedDefinitions(mark))
        known.add(self.closure(normalized.names, sent=sent).schemas)
        return known.of(normalized.schema if isinstance(normalized.schema, dict) else {})

    def _normalized_at(self, place: DocumentPlace, sent: bool) -> NormalizedSchema:
        bundled = self.bundled(place)
        if not sent or not self._differ(bundled.keywords | self._keywords_below(bundled.names)):
            return self._normalize(bundled, place.pointer)
        return self._normalize(self._to_send(place, bundled), place.pointer, sent=True)

    def _differ(self, keywords: frozenset[str]) -> bool:
        """Return whether a schema with these keywords is written differently if it is sent."""
        if "oneOf" in keywords:
            return True
        return "discriminator" in keywords and self._bundler.has_private_subtypes

    def _keywords_below(self, names: tuple[str, ...]) -> frozenset[str]:
        """Return the keywords in the definitions of these names and everything they reach."""
        found = self._written.get(names)
        if found is None:
            reached: dict[str, Bundled] = {}
            queue = list(names)
            for name in queue:  # grows while it is read
                if name not in reached:
                    reached[name] = self._bundled_definition(name)
                    queue += reached[name].names
            found = frozenset[str]().union(*(each.keywords for each in reached.values()))
            self._written[names] = found
        return found

    def _definition(self, name: str, sent: bool) -> NormalizedSchema:
        found = self._normalized.get((name, sent))
        if found is None:
            place, bundled = self._bundler.places[name], self._bundled_definition(name)
            keywords = bundled.keywords
            if sent and "allOf" in keywords:  # the schemas that are merged into it count too
                keywords |= self._keywords_below(bundled.names)
            if not sent:
                found = self._normalize(bundled, place.pointer)
            elif self._differ(keywords):
                found = self._normalize(self._definition_to_send(name), place.pointer, sent=True)
            else:
                found = self._definition(name, False)
            self._normalized[name, sent] = found
        return found

    def _bundled_definition(self, name: str) -> Bundled:
        found = self._bundled.get(name)
        if found is None:
            found = self._bundled[name] = self.bundled(self._bundler.places[name])
        return found

    def _to_send(self, place: DocumentPlace, bundled: Bundled) -> Bundled:
        if "discriminator" in bundled.keywords and self._bundler.has_private_subtypes:
            bundled = self._bundler.bundled(place, sent=True)
        if "oneOf" not in bundled.keywords or not isinstance(bundled.schema, dict):
            return bundled
        schema = loosened(bundled.schema, self._lookup, self._branches)
        return bundled._replace(schema=schema)

    def _definition_to_send(self, name: str) -> Bundled:
        found = self._to_be_sent.get(name)
        if found is None:
            found = self._to_send(self._bundler.places[name], self._bundled_definition(name))
            self._to_be_sent[name] = found
        return found

    def _lookup(self, reference: str) -> JsonSchema | bool | None:
        name = defined_name(reference)
        return self._bundled_definition(name).schema if name in self._bundler.places else None

    def _lookup_sent(self, reference: str) -> JsonSchema | bool | None:
        name = defined_name(reference)
        return self._definition_to_send(name).schema if name in self._bundler.places else None

    def _normalize(self, bundled: Bundled, pointer: str, *, sent: bool = False) -> NormalizedSchema:
        if isinstance(bundled.schema, bool):
            return NormalizedSchema(bundled.schema, sent=sent)
        try:
            schema = normalize(bundled.schema, lookup=self._lookup_sent if sent else self._lookup)
        except SchemaError as error:
            raise DocumentError(
                self._name, f"This schema cannot be read: {error}.", pointer=pointer
            ) from error
        return _described(schema)._replace(sent=sent)


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
        if not _MARKS.isdisjoint(current):
            keywords |= {mark for mark in _MARKS if current.get(mark, False) is not False}
        if is_tracked(current):  # no dict of scalars is, and most schemas are one
            todo += [inner for _, inner in children(current)]
    return NormalizedSchema(schema, tuple(names), frozenset(keywords))
