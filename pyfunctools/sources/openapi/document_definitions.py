"""The `$defs` of a document: the target of each reference, its name, and its normalized schema.

Each definition is normalized once, and shared by all functions.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of, text_of
from pyfunctools.errors import DocumentError, SchemaError
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.references import (
    defined_name,
    mapped_subtypes,
    reference_to,
    steps_of,
)
from pyfunctools.schema.ground.walk import children
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.vocabulary import (
    DRAFT,
    DYNAMIC_REFERENCES,
    IDENTITY,
    ONE_SCHEMA,
    REFERENCES,
    SCHEMA_LIST,
    SCHEMA_MAP,
    UNIONS,
)
from pyfunctools.sources.alternatives import loosened, overlapping
from pyfunctools.sources.openapi.document import Document, DocumentPlace, Resource

_INVALID = re.compile(r"[^A-Za-z0-9._-]", re.ASCII)
_CLEAR_STEP = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_HOMES = (["components", "schemas"], ["definitions"], ["schemas"])
_LENGTH = 64


class DefinitionNames:
    """Names for the targets of references: at most 64 characters of `[A-Za-z0-9._-]`.

    A named schema of the document keeps its name, invalid characters replaced. Any other target is
    named by the steps to it: `paths.teas.get` for example. A name that is taken gets a hash.
    """

    def __init__(self, document: Document) -> None:
        self._main = document.main
        self._folder = document.main.uri.rpartition("/")[0] + "/"
        self.home = ["definitions"] if "swagger" in document.root else ["components", "schemas"]
        place = document.main.at("/" + "/".join(self.home))
        schemas: JsonSchema = {} if place is None else place.fields
        self._own = Counter(map(_cleaned, schemas))
        self._exact = frozenset(name for name in self._own if name in schemas)
        self._names: dict[tuple[Resource, str], str] = {}
        self._taken: set[str] = set()

    def of(self, place: DocumentPlace) -> str:
        """Return the name of a place."""
        key = place.resource, place.pointer
        name = self._names.get(key)
        if name is None:
            name = self._new(place)
            if name in self._taken:
                name = _hashed(name, place)
            self._names[key] = name
            self._taken.add(name)
        return name

    def _new(self, place: DocumentPlace) -> str:
        steps = [str(step) for step in steps_of("#" + place.pointer) or ()]
        if place.resource is self._main and steps[:-1] == self.home:
            name = _cleaned(steps[-1])
            alone = name == steps[-1] or (self._own[name] == 1 and name not in self._exact)
            return name if alone and len(name) <= _LENGTH else _hashed(name, place)
        if place.resource is self._main:
            steps = steps[len(self.home) :] if steps[: len(self.home)] == self.home else steps
        else:
            steps = [*self._file_steps(place.resource.uri), *_without_home(steps)]
        name = _cleaned(".".join(steps)) or "root"
        is_clear = all(map(_CLEAR_STEP.fullmatch, steps)) and name not in self._own
        if is_clear and len(name) <= _LENGTH:
            return name
        return _hashed(".".join(map(_cleaned, steps[-3:])), place)

    def _file_steps(self, uri: str) -> list[str]:
        inside = uri.startswith(self._folder) if self._main.uri else "://" not in uri
        path = uri.removeprefix(self._folder) if inside else urlsplit(uri).path.rpartition("/")[2]
        steps = unquote(path).rpartition(".")[0] or unquote(path)
        return _without_home(steps.split("/"))


def _without_home(steps: list[str]) -> list[str]:
    for home in _HOMES:
        if steps[: len(home)] == home and len(steps) > len(home):
            return steps[len(home) :]
    return steps


def _cleaned(text: str) -> str:
    return _INVALID.sub("_", text)


def _hashed(name: str, place: DocumentPlace) -> str:
    where = f"{place.resource.uri}#{place.pointer}".encode(errors="surrogatepass")
    return f"{name[-(_LENGTH - 9) :]}_{blake2b(where, digest_size=4).hexdigest()}"


_IDENTITY = IDENTITY - {"id"} | DYNAMIC_REFERENCES | DRAFT
"""Keywords that identify a schema or its draft: left out, since `$defs` names a definition."""

_DIRECTIONAL = frozenset({"oneOf", "readOnly", "writeOnly"})
"""Keywords that make a schema differ between sending and receiving."""


class NormalizedSchema(NamedTuple):
    """A normalized schema, the definitions it refers to, and the directional keywords in it."""

    schema: JsonSchema | bool
    names: tuple[str, ...] = ()
    keywords: frozenset[str] = frozenset()


class Closure(NamedTuple):
    """Definitions with everything they reach, and the directional keywords in them."""

    schemas: JsonSchema
    keywords: frozenset[str]


class DocumentDefinitions:
    """The `$defs` of one document: each target of a reference, normalized when first needed."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._names = DefinitionNames(document)
        self._places: dict[str, DocumentPlace] = {}
        self._bundled: dict[str, JsonSchema | bool] = {}
        self._normalized: dict[tuple[str, bool], NormalizedSchema] = {}
        self._closures: dict[tuple[tuple[str, ...], bool], Closure] = {}

    def normalized(self, place: DocumentPlace, *, sent: bool = False) -> NormalizedSchema:
        """Return the normalized schema at a place, with references to definitions.

        If it is `sent`, a `oneOf` becomes an `anyOf` as `sources.alternatives` describes.

        Raises:
            DocumentError: the schema cannot be read.
        """
        return self._normalize(self.bundled(place), place.pointer, sent)

    def place_of(self, name: str) -> DocumentPlace:
        """Return the place of a definition that a schema has referred to."""
        return self._places[name]

    def overlapping(self, schema: JsonSchema | bool) -> Iterator[Keys]:
        """Return the paths of each `oneOf` in a bundled schema whose branches may overlap."""
        return overlapping(schema, self._lookup)

    def closure(self, names: Iterable[str], *, sent: bool = False) -> Closure:
        """Return the definitions of these names and everything they reach.

        Raises:
            DocumentError: one of them cannot be read.
        """
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

    def _definition(self, name: str, sent: bool) -> NormalizedSchema:
        found = self._normalized.get((name, sent))
        if found is None:
            schema, pointer = self._bundled_definition(name), self._places[name].pointer
            found = self._normalized[name, sent] = self._normalize(schema, pointer, sent)
        return found

    def _bundled_definition(self, name: str) -> JsonSchema | bool:
        if name not in self._bundled:
            self._bundled[name] = self.bundled(self._places[name])
        return self._bundled[name]

    def _lookup(self, reference: str) -> JsonSchema | bool | None:
        name = defined_name(reference)
        return self._bundled_definition(name) if name in self._places else None

    def _lookup_sent(self, reference: str) -> JsonSchema | bool | None:
        found = self._lookup(reference)
        return loosened(found, self._lookup) if isinstance(found, dict) else found

    def _normalize(self, schema: JsonSchema | bool, pointer: str, sent: bool) -> NormalizedSchema:
        if isinstance(schema, bool):
            return NormalizedSchema(schema)
        try:
            if sent:
                schema = loosened(schema, self._lookup)
            schema = normalize(schema, lookup=self._lookup_sent if sent else self._lookup)
        except SchemaError as error:
            raise DocumentError(
                self._document.name, f"This schema cannot be read: {error}.", pointer=pointer
            ) from error
        return _described(schema)

    def bundled(self, place: DocumentPlace) -> JsonSchema | bool:
        """Return the schema at a place as written, its references rewritten to `#/$defs/...`.

        Raises:
            DocumentError: a reference has no target.
        """
        if not isinstance(place.value, dict):
            return place.value if isinstance(place.value, bool) else True
        # A copy of the schema, level by level. `ground.walk.copy_with_slots` does the same for any
        # walk, and takes 1.5 times as long.
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
                    if keyword in SCHEMA_MAP:
                        copy[keyword] = named = dict(value)
                        for name, inner in value.items():
                            if isinstance(inner, dict):
                                named[name] = made = dict[str, JsonValue]()
                                todo.append((inner, made, resource))
                    elif keyword in ONE_SCHEMA:
                        copy[keyword] = made = dict[str, JsonValue]()
                        todo.append((value, made, resource))
                elif keyword in SCHEMA_LIST and isinstance(value, list):
                    copy[keyword] = listed = list(value)
                    for index, inner in enumerate(value):
                        if isinstance(inner, dict):
                            listed[index] = made = dict[str, JsonValue]()
                            todo.append((inner, made, resource))
            if not _REFERRING.isdisjoint(schema):
                self._rewrite_references(schema, copy, resource, place)
        return whole

    def _rewrite_references(
        self,
        schema: JsonSchema,
        copy: dict[str, JsonValue],
        resource: Resource,
        root: DocumentPlace,
    ) -> None:
        """Write references to definitions into a copy of a schema."""
        reference = schema.get("$ref")
        if isinstance(reference, str):
            copy["$ref"] = self._reference(self._document.target(reference, resource))
        for keyword in sorted(DYNAMIC_REFERENCES):
            target = schema.get(keyword)
            if isinstance(target, str) and (static := self._static(target, resource, root)):
                if "$ref" in copy:
                    copy["allOf"] = [*items_of(copy.get("allOf")), {"$ref": static}]
                else:
                    copy["$ref"] = static
        discriminator = schema.get("discriminator")
        if isinstance(discriminator, str):
            discriminator = {"propertyName": discriminator}
        if isinstance(discriminator, dict):
            heirs = self._heirs_of(root) if schema is root.value else ()
            copy["discriminator"] = self._discriminator(discriminator, resource, heirs)

    def _reference(self, place: DocumentPlace) -> str:
        """Return the reference to the definition of a place, which is added if it is new."""
        name = self._names.of(place)
        self._places.setdefault(name, place)
        return reference_to(name)

    def _static(self, reference: str, resource: Resource, root: DocumentPlace) -> str | None:
        """Return the reference to the static target of a dynamic reference, or `None`."""
        if reference == "#":
            return self._reference(root)
        try:
            return self._reference(self._document.target(reference, resource))
        except DocumentError:
            return None

    def _heirs_of(self, base: DocumentPlace) -> Iterator[DocumentPlace]:
        """Yield the schemas that have `base`, or an heir of `base`, in their `allOf`.

        Their names are values of the discriminator, with or without a mapping (OpenAPI 3.1, 4.8.25;
        Swagger 2.0, `discriminator`), unless `base` lists its branches itself.
        """
        if any(keyword in base.fields for keyword in UNIONS):
            return
        known = {(base.resource, base.pointer)}
        bases = [base]
        for each in bases:
            for heir in self._heirs.get((each.resource, each.pointer), ()):
                if (heir.resource, heir.pointer) not in known:
                    known.add((heir.resource, heir.pointer))
                    bases.append(heir)
                    yield heir

    @cached_property
    def _heirs(self) -> dict[tuple[Resource, str], list[DocumentPlace]]:
        """The named schemas that have a schema in their `allOf`, by the place of that schema."""
        main = self._document.main
        found: dict[tuple[Resource, str], list[DocumentPlace]] = {}
        home = main.at("/" + "/".join(self._names.home))
        if home is None:
            return found
        for name, schema in home.fields.items():
            for part in items_of(members_of(schema).get("allOf")):
                reference = text_of(members_of(part).get("$ref"))
                if reference.startswith("#"):
                    with suppress(DocumentError):
                        base = self._document.target(reference, main)
                        heirs = found.setdefault((base.resource, base.pointer), [])
                        heirs.append(home.below(schema, name))
        return found

    def _discriminator(
        self, discriminator: JsonSchema, resource: Resource, heirs: Iterable[DocumentPlace]
    ) -> JsonSchema:
        """Return a discriminator whose mapping refers to definitions; unknown targets are left out.

        The targets are branches beside the discriminator, and heirs of the schema.
        """
        made = {k: v for k, v in discriminator.items() if k not in ("mapping", "defaultMapping")}
        mapping: dict[str, JsonValue] = {}
        for value, target in members_of(discriminator.get("mapping")).items():
            if (reference := self._mapped(target, resource)) is not None:
                mapping[value] = reference
        for heir in heirs:
            if (reference := self._reference(heir)) not in mapping.values():
                mapping.setdefault(str((steps_of("#" + heir.pointer) or ("",))[-1]), reference)
        default = self._mapped(discriminator.get("defaultMapping"), resource)
        if default is not None:
            made["defaultMapping"] = default
        return {**made, "mapping": mapping} if mapping else made

    def _mapped(self, target: JsonValue, resource: Resource) -> str | None:
        if not isinstance(target, str):
            return None
        named = self._document.schema_named(target)
        try:
            place = named or self._document.target(target, resource)
        except DocumentError:
            return None
        return self._reference(place)


_REFERRING = REFERENCES | {"discriminator"}


def _described(schema: JsonSchema) -> NormalizedSchema:
    names: dict[str, None] = {}
    keywords: set[str] = set()
    todo: list[JsonSchema | bool] = [schema]
    while todo:
        current = todo.pop()
        if isinstance(current, bool):
            continue
        if "$ref" in current or "discriminator" in current:
            for reference in (
                text_of(current.get("$ref")),
                *[each for _, each in mapped_subtypes(current)],
            ):
                if (name := defined_name(reference)) is not None:
                    names[name] = None
        for keyword in _DIRECTIONAL:
            if keyword in current and current[keyword] is not False:
                keywords.add(keyword)
        todo += [inner for _, inner in children(current)]
    return NormalizedSchema(schema, tuple(names), frozenset(keywords))
