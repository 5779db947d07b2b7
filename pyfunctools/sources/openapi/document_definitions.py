"""The schemas of a document as definitions: each normalized once, and shared by all functions."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.errors import DocumentError, SchemaError
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.references import defined_name, definition, heirs
from pyfunctools.schema.ground.walk import children
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.vocabulary import (
    DRAFT,
    DYNAMIC,
    IDENTITY,
    LISTED,
    NAMED,
    REFERENCES,
    SINGLE,
)
from pyfunctools.sources.alternatives import loosened, overlapping
from pyfunctools.sources.openapi.definition_names import DefinedNames
from pyfunctools.sources.openapi.document import Document, Place, Resource

_IDENTITY = IDENTITY - {"id"} | DYNAMIC | DRAFT
"""Keywords that name places: in the copy a definition's name is all there is."""


class Ready(NamedTuple):
    """A normalized schema, the definitions it names itself, and what stands in it."""

    schema: JsonSchema | bool
    names: tuple[str, ...] = ()
    has_read_only: bool = False
    has_write_only: bool = False
    has_one_of: bool = False


class Closure(NamedTuple):
    """Definitions with all that they reach, and what stands in them."""

    schemas: JsonSchema
    has_read_only: bool
    has_write_only: bool
    has_one_of: bool


class _Normalized:
    """Definitions normalized, those of what is received or those of what is sent."""

    def __init__(self) -> None:
        self.ready: dict[str, Ready] = {}
        self.closures: dict[tuple[str, ...], Closure] = {}


class Definitions:
    """Every schema of a document that a reference leads to, made when it is first reached."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._defined = DefinedNames(document)
        self._places: dict[str, Place] = {}
        self._raw: dict[str, JsonSchema | bool] = {}
        self._received = _Normalized()
        self._sent = _Normalized()

    def ready(self, place: Place, *, sent: bool = False) -> Ready:
        """Return the schema at a place, its references made references to definitions.

        In what is `sent` a `oneOf` is an `anyOf`, as `sources.alternatives` says.

        Raises:
            DocumentError: it cannot be read.
        """
        return self._normalized(self._rewritten(place), place.pointer, sent)

    def written(self, place: Place) -> JsonSchema | bool:
        """Return the schema at a place as it was written, its references made those to definitions.

        Raises:
            DocumentError: a reference leads nowhere.
        """
        return self._rewritten(place)

    def place_of(self, name: str) -> Place:
        """Return where a definition stands that some schema has referred to."""
        return self._places[name]

    def overlapping(self, schema: JsonSchema | bool) -> Iterator[Keys]:
        """Return the steps to each `oneOf` of a written schema that is another one when sent."""
        return overlapping(schema, self._lookup)

    def closure(self, names: Iterable[str], *, sent: bool = False) -> Closure:
        """Return the definitions of these names and all that they reach.

        Raises:
            DocumentError: one of them cannot be read.
        """
        start = tuple(dict.fromkeys(names))
        known = (self._sent if sent else self._received).closures
        found = known.get(start)
        if found is None:
            reached: dict[str, Ready] = {}
            queue = list(start)
            for name in queue:
                if name not in reached:
                    reached[name] = self._defined_as(name, sent)
                    queue += reached[name].names
            found = known[start] = Closure(
                {name: ready.schema for name, ready in reached.items()},
                any(ready.has_read_only for ready in reached.values()),
                any(ready.has_write_only for ready in reached.values()),
                any(ready.has_one_of for ready in reached.values()),
            )
        return found

    def _defined_as(self, name: str, sent: bool) -> Ready:
        known = (self._sent if sent else self._received).ready
        if name not in known:
            pointer = self._places[name].pointer
            known[name] = self._normalized(self._raw_of(name), pointer, sent)
        return known[name]

    def _raw_of(self, name: str) -> JsonSchema | bool:
        if name not in self._raw:
            self._raw[name] = self._rewritten(self._places[name])
        return self._raw[name]

    def _lookup(self, reference: str) -> JsonSchema | bool | None:
        name = defined_name(reference)
        return self._raw_of(name) if name in self._places else None

    def _lookup_sent(self, reference: str) -> JsonSchema | bool | None:
        found = self._lookup(reference)
        return loosened(found, self._lookup) if isinstance(found, dict) else found

    def _normalized(self, schema: JsonSchema | bool, pointer: str, sent: bool) -> Ready:
        if isinstance(schema, bool):
            return Ready(schema)
        try:
            if sent:
                schema = loosened(schema, self._lookup)
            return _ready(normalize(schema, lookup=self._lookup_sent if sent else self._lookup))
        except SchemaError as error:
            raise DocumentError(
                self._document.name, f"This schema cannot be read: {error}.", pointer=pointer
            ) from error

    def _rewritten(self, place: Place) -> JsonSchema | bool:
        """Return a copy in which references name definitions, without recursion."""
        if not isinstance(place.value, dict):
            return place.value if isinstance(place.value, bool) else True
        whole: dict[str, JsonValue] = {}
        todo: list[tuple[JsonSchema, dict[str, JsonValue], Resource]]
        todo = [(place.value, whole, place.resource)]
        while todo:
            schema, copy, outer = todo.pop()
            resource = self._document.scope(schema, outer)
            for keyword, value in schema.items():
                if keyword in _IDENTITY:
                    continue
                copy[keyword] = value
                if isinstance(value, dict):
                    if keyword in NAMED:
                        copy[keyword] = named = dict(value)
                        for name, inner in value.items():
                            if isinstance(inner, dict):
                                named[name] = made = dict[str, JsonValue]()
                                todo.append((inner, made, resource))
                    elif keyword in SINGLE:
                        copy[keyword] = made = dict[str, JsonValue]()
                        todo.append((value, made, resource))
                elif keyword in LISTED and isinstance(value, list):
                    copy[keyword] = listed = list(value)
                    for index, inner in enumerate(value):
                        if isinstance(inner, dict):
                            listed[index] = made = dict[str, JsonValue]()
                            todo.append((inner, made, resource))
            if not _REFERRING.isdisjoint(schema):
                self._refer(schema, copy, resource, place)
        return whole

    def _refer(
        self, schema: JsonSchema, copy: dict[str, JsonValue], resource: Resource, root: Place
    ) -> None:
        """Put references to definitions where the schema refers to places of the document."""
        reference = schema.get("$ref")
        if isinstance(reference, str):
            copy["$ref"] = self._definition(self._document.target(reference, resource))
        for keyword in ("$dynamicRef", "$recursiveRef"):
            target = schema.get(keyword)
            if isinstance(target, str):
                self._also(copy, self._dynamic(target, resource, root))
        discriminator = schema.get("discriminator")
        if isinstance(discriminator, dict):
            copy["discriminator"] = self._discriminator(discriminator, resource)

    def _definition(self, place: Place) -> str:
        name = self._defined.of(place)
        self._places.setdefault(name, place)
        return definition(name)

    def _dynamic(self, reference: str, resource: Resource, root: Place) -> str | None:
        """Return what a dynamic reference means where nothing around its schema redefines it."""
        if reference == "#":
            return self._definition(root)
        try:
            return self._definition(self._document.target(reference, resource))
        except DocumentError:
            return None

    def _also(self, copy: dict[str, JsonValue], reference: str | None) -> None:
        if reference is None:
            return
        if "$ref" in copy:
            merged = copy.get("allOf")
            parts = list(merged) if isinstance(merged, list) else []
            copy["allOf"] = [*parts, {"$ref": reference}]
        else:
            copy["$ref"] = reference

    def _discriminator(self, discriminator: JsonSchema, resource: Resource) -> JsonSchema:
        """Return a discriminator whose mapping refers to definitions that are there.

        They are branches beside it, or heirs that refer to this schema: what is sent may be one.
        """
        rest = {key: value for key, value in discriminator.items() if key not in _MAPPED}
        mapping = discriminator.get("mapping")
        kept: dict[str, JsonValue] = {}
        for value, target in mapping.items() if isinstance(mapping, dict) else ():
            reference = self._mapped(target, resource)
            if reference is not None:
                kept[value] = reference
        default = self._mapped(discriminator.get("defaultMapping"), resource)
        if default is not None:
            rest["defaultMapping"] = default
        return {**rest, "mapping": kept} if kept else rest

    def _mapped(self, target: JsonValue, resource: Resource) -> str | None:
        if not isinstance(target, str):
            return None
        named = self._document.schema_named(target)
        try:
            place = named or self._document.target(target, resource)
        except DocumentError:
            return None
        return self._definition(place)


_REFERRING = REFERENCES | {"discriminator"}
_MAPPED = frozenset({"mapping", "defaultMapping"})


def _ready(schema: JsonSchema) -> Ready:
    names: dict[str, None] = {}
    has_read_only = has_write_only = has_one_of = False
    todo: list[JsonSchema | bool] = [schema]
    while todo:
        current = todo.pop()
        if isinstance(current, bool):
            continue
        reference = current.get("$ref")
        if isinstance(reference, str) and (name := defined_name(reference)) is not None:
            names[name] = None
        for _, reference in heirs(current) if "discriminator" in current else ():
            if (name := defined_name(reference)) is not None:
                names[name] = None
        has_read_only = has_read_only or current.get("readOnly") is True
        has_write_only = has_write_only or current.get("writeOnly") is True
        has_one_of = has_one_of or "oneOf" in current
        todo += [inner for _, inner in children(current)]
    return Ready(schema, tuple(names), has_read_only, has_write_only, has_one_of)
