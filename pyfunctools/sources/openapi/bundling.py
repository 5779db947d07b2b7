"""Schemas of a document as written, with references to definitions: `#/$defs/NAME`.

A reference of any kind leads to a definition, whose name depends only on its place. The mapping of
a discriminator keeps what the schema reaches anyway: the branches beside it. Of the subtypes that
only the mapping, or an `allOf` of their own, makes known, a schema to be sent has those in which a
person gives a part: a model could write one of them. No other is a part of a function's schema.
"""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property, partial
from gc import is_tracked
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of, text_of
from pyfunctools.errors import DocumentError
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.ground.references import reference_to, steps_of
from pyfunctools.schema.ground.walk import Slot, copy_with_slots, subschemas
from pyfunctools.schema.separation.predicates import IsHuman, ask, may_be_persons, needs_name_only
from pyfunctools.schema.vocabulary import (
    DRAFT,
    DYNAMIC_REFERENCES,
    EXAMPLES,
    IDENTITY,
    REFERENCES,
    UNIONS,
)
from pyfunctools.sources.hidden import hidden_fault, without_hidden
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
        key = place.key
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

_REFERRING = REFERENCES | {"discriminator"}
_PLACED = _IDENTITY | _REFERRING
_SPECIAL = _PLACED | EXAMPLES | {"oneOf"}
_Key = tuple[Resource, str]


class Bundled(NamedTuple):
    """A schema with references to definitions, and whether another is to be sent: one without
    `oneOf`, or with subtypes of a `discriminator` that have a person's part.
    """

    schema: JsonSchema | bool
    is_directed: bool = False


class SchemaBundler:
    """The schemas of one document with references to definitions; their `places` by name."""

    def __init__(self, document: Document, is_human: IsHuman | None) -> None:
        self.places: dict[str, DocumentPlace] = {}
        self._sent = self._is_directed = False
        self._document = document
        self._is_human = is_human
        self._names = DefinitionNames(document)
        self._home = document.main.at("/" + "/".join(self._names.home))

    def bundled(self, place: DocumentPlace, *, sent: bool = False) -> Bundled:
        """Return the schema at a place as written, its references rewritten to `#/$defs/...`.

        The mapping of a `discriminator` names the branches beside it, and, in a schema of values
        that are `sent`, the subtypes with a person's part.
        """
        if not isinstance(place.value, dict):
            return Bundled(place.value if isinstance(place.value, bool) else True)
        whole: dict[str, JsonValue] = {}
        self._sent, self._is_directed = sent, False
        todo = [(Slot(whole, "", place.value), place.resource)]
        while todo:
            slot, resource = todo.pop()
            schema = members_of(slot.inner)
            if self._document.may_have_hidden:
                if (fault := hidden_fault(schema)) is not None:
                    raise DocumentError(self._document.name, fault)
                schema = without_hidden(schema)
            is_special = not _SPECIAL.isdisjoint(schema)
            if is_special:
                resource = self._document.scope(members_of(slot.inner), resource)
            kept = {k: v for k, v in schema.items() if k not in _IDENTITY} if is_special else schema
            copy, slots = copy_with_slots(kept, partial(self._settled, resource))
            slot.put(copy)
            todo += [(inner, resource) for inner in slots]
            for keyword in EXAMPLES & copy.keys() if is_special else ():
                if isinstance(copy[keyword], dict | list):
                    self._write_examples(keyword, copy, place._replace(resource=resource))
            self._is_directed |= "oneOf" in schema
            if not _REFERRING.isdisjoint(schema):
                self._rewrite_references(schema, copy, resource, place)
                if "discriminator" in schema:
                    self._rewrite_discriminator(schema, copy, resource, place)
        return Bundled(members_of(whole[""]), self._is_directed)

    def is_plain(self, schema: JsonValue) -> bool:
        """Return whether a schema is a few scalars, as most, which mean the same at every place."""
        if not isinstance(schema, dict) or is_tracked(schema):
            return False
        return _PLACED.isdisjoint(schema) and not self._document.may_have_hidden

    def _settled(self, resource: Resource, schema: JsonSchema | bool) -> JsonSchema | bool | None:
        """Return a bundled subschema that has none itself, or `None` if it may have some."""
        if not isinstance(schema, dict) or self.is_plain(schema):
            return schema
        if len(schema) == 1 and isinstance(reference := schema.get("$ref"), str):
            return {"$ref": self.reference(self._document.target(reference, resource))}
        return None

    def _write_examples(
        self, keyword: str, copy: dict[str, JsonValue], place: DocumentPlace
    ) -> None:
        """Replace references in examples; an example without a target is left out."""
        value = copy[keyword]
        named = value if isinstance(value, dict) and "$ref" not in value else {}
        many = keyword == "examples" and (isinstance(value, list) or bool(named))
        found: list[JsonValue] = []
        for each in [*items_of(value), *members_of(named).values()] if many else [value]:
            with suppress(DocumentError):
                found.append(self._document.example(place._replace(value=each)))
        copy[keyword] = found if many else next(iter(found), None)
        if not found:
            del copy[keyword]

    def _rewrite_references(
        self,
        schema: JsonSchema,
        copy: dict[str, JsonValue],
        resource: Resource,
        root: DocumentPlace,
    ) -> None:
        reference = schema.get("$ref")
        if isinstance(reference, str):
            copy["$ref"] = self.reference(self._document.target(reference, resource))
        for keyword in sorted(DYNAMIC_REFERENCES & schema.keys()):
            target = schema.get(keyword)
            if isinstance(target, str) and (static := self._static(target, resource, root)):
                if "$ref" in copy:
                    copy["allOf"] = [*items_of(copy.get("allOf")), {"$ref": static}]
                else:
                    copy["$ref"] = static

    def _rewrite_discriminator(
        self,
        schema: JsonSchema,
        copy: dict[str, JsonValue],
        resource: Resource,
        root: DocumentPlace,
    ) -> None:
        written = schema["discriminator"]
        if isinstance(written, str):
            written = {"propertyName": written}
        if not isinstance(written, dict):
            return
        made = {k: v for k, v in written.items() if k not in ("mapping", "defaultMapping")}
        branches = {place.key for place in self._branches(schema, resource)}
        mapping: dict[str, JsonValue] = {}
        for value, target in members_of(written.get("mapping")).items():
            place = self._mapped(target, resource)
            if place is not None and (place.key in branches or self._is_told(place)):
                mapping[value] = self.reference(place)
        for heir in self._heirs_of(root) if schema is root.value else ():
            if self._is_told(heir) and (to := self.reference(heir)) not in mapping.values():
                mapping.setdefault(str((steps_of("#" + heir.pointer) or ("",))[-1]), to)
        default = self._mapped(written.get("defaultMapping"), resource)
        if default is not None and (default.key in branches or self._is_told(default)):
            made["defaultMapping"] = self.reference(default)
        copy["discriminator"] = {**made, "mapping": mapping} if mapping else made

    def _branches(self, schema: JsonSchema, resource: Resource) -> Iterator[DocumentPlace]:
        """Yield the targets of the branches beside a discriminator, those under `allOf` too."""
        todo: list[JsonValue] = [schema]
        for part in todo:  # grows while it is read
            todo += items_of(members_of(part).get("allOf"))
            for keyword in UNIONS:
                for branch in items_of(members_of(part).get(keyword)):
                    if reference := text_of(members_of(branch).get("$ref")):
                        yield self._document.target(reference, resource)

    def reference(self, place: DocumentPlace) -> str:
        """Return the reference to the definition of a place, which is added if it is new."""
        return reference_to(self.name_of(place))

    def name_of(self, place: DocumentPlace) -> str:
        """Return the name of the definition of a place, which is added if it is new."""
        if not isinstance(place.value, dict | bool):
            reason = f"A reference leads to {place.pointer[:200]!r}, which is not a schema."
            raise DocumentError(self._document.name, reason)
        name = self._names.of(place)
        if name not in self.places:
            self._document.check_chain(place)
            self.places[name] = place
        return name

    def _static(self, reference: str, resource: Resource, root: DocumentPlace) -> str | None:
        """Return the reference to the static target of a dynamic reference, or `None`."""
        if reference == "#":
            return self.reference(root)
        try:
            return self.reference(self._document.target(reference, resource))
        except DocumentError:
            return None

    def _heirs_of(self, base: DocumentPlace) -> Iterator[DocumentPlace]:
        """Yield the schemas that have `base`, or an heir of `base`, in their `allOf`.

        Their names are values of the discriminator, with or without a mapping (OpenAPI 3.1, 4.8.25;
        Swagger 2.0, `discriminator`), unless `base` lists its branches itself.
        """
        if any(keyword in base.fields for keyword in UNIONS):
            return
        known = {base.key}
        bases = [base]
        for each in bases:
            for heir in self._heirs.get(each.key, ()):
                if heir.key not in known:
                    known.add(heir.key)
                    bases.append(heir)
                    yield heir

    def _is_told(self, subtype: DocumentPlace) -> bool:
        """Return whether the schema to be sent names a subtype: one with a person's part."""
        if self._is_human is None:
            return False
        # A predicate of the caller's may ask for the whole path of a value, which is unknown here.
        if needs_name_only(self._is_human) and (*subtype.key, False) not in self._private:
            return False
        self._is_directed = True
        return self._sent

    @cached_property
    def _private(self) -> set[tuple[Resource, str, bool]]:
        """The schemas that reach a person's part: alone, or (`True`) also as one of its subtypes.

        A schema with a `$ref` to another one has its subtypes too, but not with it in its `allOf`.
        """
        is_human, home = self._is_human, self._home
        if is_human is None or home is None:
            return set()
        private: list[tuple[Resource, str, bool]] = []
        reached_from: dict[tuple[Resource, str, bool], list[tuple[Resource, str, bool]]] = {}
        queue = [home.below(schema, name) for name, schema in home.fields.items()]
        seen = {place.key for place in queue}
        for place in queue:  # grows while it is read
            alone, any_type = (*place.key, False), (*place.key, True)
            edges = [
                (any_type, place, False),
                *((any_type, heir, True) for heir in self._heirs_of(place)),
            ]
            for keys, inner in subschemas(place.fields):
                schema = whole = members_of(inner)
                if (target := self._mapped(schema.get("$ref"), place.resource)) is not None:
                    edges.append((alone, target, set(keys[::2]) != {"allOf"}))
                    whole = {**target.fields, **schema}
                mapping = members_of(members_of(schema.get("discriminator")).get("mapping"))
                found = (self._mapped(written, place.resource) for written in mapping.values())
                source = alone if keys else any_type
                edges += ((source, subtype, False) for subtype in found if subtype is not None)
                if may_be_persons(whole):
                    names = [key for word, key in pairwise(keys) if word == "properties"]
                    private += [alone] if ask(is_human, Path.of(names), whole) else []
            for source, target, with_subtypes in edges:
                reached_from.setdefault((*target.key, with_subtypes), []).append(source)
                if target.key not in seen:
                    seen.add(target.key)
                    queue.append(target)
        for each in private:  # grows while it is read
            private += reached_from.pop(each, ())
        return set(private)

    @cached_property
    def _heirs(self) -> dict[_Key, list[DocumentPlace]]:
        """The named schemas that have a schema in their `allOf`, by the place of that schema."""
        found: dict[_Key, list[DocumentPlace]] = {}
        if self._home is None:
            return found
        for name, schema in self._home.fields.items():
            for part in items_of(members_of(schema).get("allOf")):
                reference = text_of(members_of(part).get("$ref"))
                if reference.startswith("#"):
                    with suppress(DocumentError):
                        base = self._document.target(reference, self._document.main)
                        heirs = found.setdefault(base.key, [])
                        heirs.append(self._home.below(schema, name))
        return found

    def _mapped(self, target: JsonValue, resource: Resource) -> DocumentPlace | None:
        """Return the schema that a mapping names or refers to, or `None`."""
        if not isinstance(target, str):
            return None
        with suppress(DocumentError):
            return self._document.schema_named(target) or self._document.target(target, resource)
        return None
