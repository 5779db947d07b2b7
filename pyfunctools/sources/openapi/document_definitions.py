"""The schemas of a document as definitions, and what they are called in `$defs`.

Each is normalized once, and shared by all functions.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from pyfunctools._json import JsonSchema, JsonValue
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

_OUTSIDE = re.compile(r"[^A-Za-z0-9._-]", re.ASCII)
_STEP = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_HOMES = (["components", "schemas"], ["definitions"], ["schemas"])
_LENGTH = 64


class DefinedNames:
    """One name for each place that a reference leads to, of `[A-Za-z0-9._-]` and not too long.

    A schema of the document's own keeps its name, but for characters that will not do. Any other
    place is called by the steps that lead to it. What that does not tell apart ends in a hash.
    """

    def __init__(self, document: Document) -> None:
        self._main = document.main
        self._folder = document.main.uri.rpartition("/")[0] + "/"
        home = ["definitions"] if "swagger" in document.root else ["components", "schemas"]
        self.home = home
        place = document.main.at("/" + "/".join(home))
        schemas = place.value if place is not None else None
        self._own = Counter(map(_sound, schemas if isinstance(schemas, dict) else ()))
        self._exact = frozenset(name for name in self._own if _is_in(name, schemas))
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
            name = _sound(steps[-1])
            alone = name == steps[-1] or (self._own[name] == 1 and name not in self._exact)
            return name if alone and len(name) <= _LENGTH else _hashed(name, place)
        if place.resource is self._main:
            steps = steps[len(self.home) :] if steps[: len(self.home)] == self.home else steps
        else:
            steps = [*self._folders(place.resource.uri), *_without_home(steps)]
        name = _sound(".".join(steps)) or "root"
        clear = len(name) <= _LENGTH and name not in self._own and all(map(_STEP.fullmatch, steps))
        return name if clear else _hashed(".".join(map(_sound, steps[-3:])), place)

    def _folders(self, uri: str) -> list[str]:
        inside = uri.startswith(self._folder) if self._main.uri else "://" not in uri
        path = uri.removeprefix(self._folder) if inside else urlsplit(uri).path.rpartition("/")[2]
        steps = unquote(path).rpartition(".")[0] or unquote(path)
        return _without_home(steps.split("/"))


def _without_home(steps: list[str]) -> list[str]:
    for home in _HOMES:
        if steps[: len(home)] == home and len(steps) > len(home):
            return steps[len(home) :]
    return steps


def _sound(text: str) -> str:
    return _OUTSIDE.sub("_", text)


def _hashed(name: str, place: DocumentPlace) -> str:
    where = f"{place.resource.uri}#{place.pointer}".encode(errors="surrogatepass")
    return f"{name[-(_LENGTH - 9) :]}_{blake2b(where, digest_size=4).hexdigest()}"


def _is_in(name: str, schemas: object) -> bool:
    return isinstance(schemas, dict) and name in schemas


_IDENTITY = IDENTITY - {"id"} | DYNAMIC_REFERENCES | DRAFT
"""Keywords that name places: in the copy a definition's name is all there is."""


class Ready(NamedTuple):
    """A normalized schema, the definitions it refers to, and which of `TOLD` it has."""

    schema: JsonSchema | bool
    names: tuple[str, ...] = ()
    has: frozenset[str] = frozenset()


class Closure(NamedTuple):
    """Definitions with all that they reach, and which of `TOLD` they have."""

    schemas: JsonSchema
    has: frozenset[str]


TOLD = frozenset({"oneOf", "readOnly", "writeOnly"})
"""Keywords that make a schema another one when it is sent or received."""


class _Normalized:
    """Normalized definitions, for one direction: received or sent."""

    def __init__(self) -> None:
        self.ready: dict[str, Ready] = {}
        self.closures: dict[tuple[str, ...], Closure] = {}


class DocumentDefinitions:
    """Every schema of a document that a reference leads to, made when it is first reached."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._defined = DefinedNames(document)
        self._places: dict[str, DocumentPlace] = {}
        self._raw: dict[str, JsonSchema | bool] = {}
        self._received = _Normalized()
        self._sent = _Normalized()

    def ready(self, place: DocumentPlace, *, sent: bool = False) -> Ready:
        """Return the schema at a place, its references made references to definitions.

        In what is `sent` a `oneOf` is an `anyOf`, as `sources.alternatives` says.

        Raises:
            DocumentError: it cannot be read.
        """
        return self._normalized(self.written(place), place.pointer, sent)

    def place_of(self, name: str) -> DocumentPlace:
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
                frozenset().union(*(ready.has for ready in reached.values())),
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
            self._raw[name] = self.written(self._places[name])
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

    def written(self, place: DocumentPlace) -> JsonSchema | bool:
        """Return the schema at a place as it was written, its references made those to definitions.

        Raises:
            DocumentError: a reference leads nowhere.
        """
        if not isinstance(place.value, dict):
            return place.value if isinstance(place.value, bool) else True
        # `ground.walk.opened` does the same for any walk, and takes half as long again.
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
                self._refer(schema, copy, resource, place)
        return whole

    def _refer(
        self,
        schema: JsonSchema,
        copy: dict[str, JsonValue],
        resource: Resource,
        root: DocumentPlace,
    ) -> None:
        """Put references to definitions where the schema refers to places of the document."""
        reference = schema.get("$ref")
        if isinstance(reference, str):
            copy["$ref"] = self._definition(self._document.target(reference, resource))
        for keyword in ("$dynamicRef", "$recursiveRef"):
            target = schema.get(keyword)
            if isinstance(target, str):
                self._also(copy, self._dynamic(target, resource, root))
        stated = schema.get("discriminator")
        discriminator: JsonValue = {"propertyName": stated} if isinstance(stated, str) else stated
        if isinstance(discriminator, dict):
            heirs = self._heirs_of(root) if schema is root.value else ()
            copy["discriminator"] = self._discriminator(discriminator, resource, heirs)

    def _definition(self, place: DocumentPlace) -> str:
        name = self._defined.of(place)
        self._places.setdefault(name, place)
        return reference_to(name)

    def _dynamic(self, reference: str, resource: Resource, root: DocumentPlace) -> str | None:
        """Return the static target of a dynamic reference, or `None`."""
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

    def _heirs_of(self, base: DocumentPlace) -> Iterator[DocumentPlace]:
        """Yield the schemas that have `base` in their `allOf`, or an heir of it.

        Each stands for its name, whether or not a mapping says so (OpenAPI 3.1, 4.8.25; Swagger
        2.0, `discriminator`), unless the schema lists its branches itself.
        """
        if isinstance(base.value, dict) and any(keyword in base.value for keyword in UNIONS):
            return
        known = {(base.resource, base.pointer)}
        bases = [base]
        for each in bases:  # grows while it is read
            for heir in self._heirs.get((each.resource, each.pointer), ()):
                if (heir.resource, heir.pointer) not in known:
                    known.add((heir.resource, heir.pointer))
                    bases.append(heir)
                    yield heir

    @cached_property
    def _heirs(self) -> dict[tuple[Resource, str], list[DocumentPlace]]:
        """The named schemas that have each place of the document in their `allOf`."""
        main = self._document.main
        found: dict[tuple[Resource, str], list[DocumentPlace]] = {}
        home = main.at("/" + "/".join(self._defined.home))
        named = {} if home is None or not isinstance(home.value, dict) else home.value
        for name, schema in named.items():
            parts = schema.get("allOf") if isinstance(schema, dict) else None
            for part in parts if isinstance(parts, list) else ():
                reference = part.get("$ref") if isinstance(part, dict) else None
                if home is None or not isinstance(reference, str) or reference[:1] != "#":
                    continue
                with suppress(DocumentError):
                    base = self._document.target(reference, main)
                    heirs = found.setdefault((base.resource, base.pointer), [])
                    heirs.append(home.below(schema, name))
        return found

    def _discriminator(
        self, discriminator: JsonSchema, resource: Resource, heirs: Iterable[DocumentPlace]
    ) -> JsonSchema:
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
        for heir in heirs:
            if (reference := self._definition(heir)) not in kept.values():
                kept.setdefault(str((steps_of("#" + heir.pointer) or ("",))[-1]), reference)
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
    has: set[str] = set()
    todo: list[JsonSchema | bool] = [schema]
    while todo:
        current = todo.pop()
        if isinstance(current, bool):
            continue
        reference = current.get("$ref")
        if isinstance(reference, str) and (name := defined_name(reference)) is not None:
            names[name] = None
        for _, reference in mapped_subtypes(current) if "discriminator" in current else ():
            if (name := defined_name(reference)) is not None:
                names[name] = None
        for keyword in TOLD:
            if keyword in current and current[keyword] is not False:
                has.add(keyword)
        todo += [inner for _, inner in children(current)]
    return Ready(schema, tuple(names), frozenset(has))
