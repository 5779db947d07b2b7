"""Schemas of a document as written, with references to definitions: `#/$defs/NAME`.

A reference of any kind leads to a definition, whose name depends only on its place. The mapping of
a discriminator keeps what the schema reaches anyway: the branches beside it. Of the subtypes that
only the mapping, or an `allOf` of their own, makes known, it has those in which a person gives a
part: a model could write one of them. No other is a part of a function's schema.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property, partial
from gc import is_tracked
from itertools import pairwise

from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of, text_of
from pyfunctools.errors import DocumentError
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.ground.references import reference_to, steps_of
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.schema.normalization.prepare import Bundled, bundled
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
from pyfunctools.sources.openapi.definition_names import DefinitionNames
from pyfunctools.sources.openapi.document import Document, DocumentPlace, Resource

_IDENTITY = IDENTITY - {"id"} | DYNAMIC_REFERENCES | DRAFT
"""Keywords that identify a schema or its draft: left out, since `$defs` names a definition."""

_SPECIAL = _IDENTITY | REFERENCES | {"discriminator"} | EXAMPLES


class SchemaBundler:
    """A bundler of the schemas of one document; `places` are its definitions by name."""

    def __init__(self, document: Document, is_human: IsHuman | None) -> None:
        self.document = document
        self.places: dict[str, DocumentPlace] = {}
        self.has_dynamic = False
        self._is_human = is_human
        self._names = DefinitionNames(document)
        self._home = self._names.home

    def bundled(self, place: DocumentPlace) -> JsonSchema | bool:
        """Return the schema at a place as written, with references to definitions."""
        written = place.value
        if not isinstance(written, dict):
            return written if isinstance(written, bool) else True
        return bundled(written, place.resource, partial(self.prepare, place))

    def prepare(
        self, place: DocumentPlace, written: JsonSchema, resource: Resource
    ) -> tuple[JsonSchema, Resource]:
        """Return a schema inside a place with its references rewritten to `#/$defs/...`.

        Its subschemas stay. The mapping of a `discriminator` names the branches beside it, and the
        subtypes with a person's part.
        """
        schema = written
        if self.document.may_have_hidden:
            if (fault := hidden_fault(schema)) is not None:
                raise DocumentError(self.document.name, fault)
            schema = without_hidden(schema)
        if _SPECIAL.isdisjoint(schema):
            return schema, resource
        reference = schema.get("$ref")
        if len(schema) == 1 and isinstance(reference, str):
            return {"$ref": self._to(reference, resource)}, resource
        resource = self.document.scope(written, resource)
        copy = {keyword: v for keyword, v in schema.items() if keyword not in _IDENTITY}
        for keyword in EXAMPLES & copy.keys():
            value = copy.pop(keyword)
            named = [] if "$ref" in members_of(value) else [*members_of(value).values()]
            many = (named or items_of(value)) if keyword == "examples" else []
            if found := [*self._examples(many or [value], resource)]:
                copy[keyword] = found if many else found[0]
        if isinstance(reference, str):
            copy["$ref"] = self._to(reference, resource)
        for keyword in sorted(DYNAMIC_REFERENCES & schema.keys()):
            if static := self._static(place, schema[keyword], resource):
                if "$ref" in copy:
                    also = Bundled({"$ref": static})
                    copy["allOf"] = [*items_of(copy.get("allOf")), also]
                else:
                    copy["$ref"] = static
        if "discriminator" in schema:
            heirs = self.heirs_of(place) if written is place.value else ()
            copy |= self._discriminator(written, heirs, resource)
        return copy, resource

    def _examples(self, written: Iterable[JsonValue], resource: Resource) -> Iterator[JsonValue]:
        """Yield examples, references among them replaced; one without a target is left out."""
        for each in written:
            with suppress(DocumentError):
                yield self.document.example(DocumentPlace(each, "", resource))

    def _to(self, reference: str, resource: Resource) -> str:
        return self.reference(self.document.target(reference, resource))

    def _static(self, place: DocumentPlace, reference: JsonValue, resource: Resource) -> str | None:
        """Return the reference to the static target of a dynamic reference, or `None`."""
        self.has_dynamic = True
        if reference == "#":
            return self.reference(place)
        with suppress(DocumentError):
            return self._to(reference, resource) if isinstance(reference, str) else None
        return None

    def _discriminator(
        self, schema: JsonSchema, heirs: Iterable[DocumentPlace], resource: Resource
    ) -> dict[str, JsonValue]:
        """Return the `discriminator` of a schema that such heirs have in their `allOf`."""
        written = schema["discriminator"]
        if isinstance(written, str):
            written = {"propertyName": written}
        if not isinstance(written, dict):
            return {}
        made = {k: v for k, v in written.items() if k not in ("mapping", "defaultMapping")}
        branches = {place.key for place in self.branches(schema, resource)}
        mapping: dict[str, JsonValue] = {}
        for value, target in members_of(written.get("mapping")).items():
            place = self.mapped(target, resource)
            if place is not None and (place.key in branches or self.is_private(place)):
                mapping[value] = self.reference(place)
        for heir in heirs:
            if self.is_private(heir) and (to := self.reference(heir)) not in mapping.values():
                mapping.setdefault(str((steps_of("#" + heir.pointer) or ("",))[-1]), to)
        default = self.mapped(written.get("defaultMapping"), resource)
        if default is not None and (default.key in branches or self.is_private(default)):
            made["defaultMapping"] = self.reference(default)
        return {"discriminator": {**made, "mapping": mapping} if mapping else made}

    def is_plain(self, schema: JsonValue) -> bool:
        """Return whether a schema is a few scalars, as most, which mean the same at every place."""
        if not isinstance(schema, dict) or is_tracked(schema):
            return False
        return _SPECIAL.isdisjoint(schema) and not self.document.may_have_hidden

    def branches(self, schema: JsonSchema, resource: Resource) -> Iterator[DocumentPlace]:
        """Yield the targets of the branches beside a discriminator, those under `allOf` too."""
        todo: list[JsonValue] = [schema]
        for part in todo:  # grows while it is read
            todo += items_of(members_of(part).get("allOf"))
            for keyword in UNIONS:
                for branch in items_of(members_of(part).get(keyword)):
                    if reference := text_of(members_of(branch).get("$ref")):
                        yield self.document.target(reference, resource)

    def reference(self, place: DocumentPlace) -> str:
        """Return the reference to the definition of a place, which is added if it is new."""
        return reference_to(self.name_of(place))

    def name_of(self, place: DocumentPlace) -> str:
        """Return the name of the definition of a place, which is added if it is new."""
        if not isinstance(place.value, (dict, bool)):
            reason = f"A reference leads to {place.pointer[:200]!r}, which is not a schema."
            raise DocumentError(self.document.name, reason)
        name = self._names.of(place)
        if name not in self.places:
            self.document.check_chain(place)
            self.places[name] = place
        return name

    def heirs_of(self, base: DocumentPlace) -> Iterator[DocumentPlace]:
        """Yield the schemas that have `base`, or an heir of `base`, in their `allOf`.

        Their names are values of the discriminator, with or without a mapping (OpenAPI 3.1, 4.8.25;
        Swagger 2.0, `discriminator`), unless `base` lists its branches itself.
        """
        if any(keyword in base.fields for keyword in UNIONS):
            return
        known = {base.key}
        bases = [base]
        for each in bases:  # grows while it is read
            for heir in self._heirs.get(each.key, ()):
                if heir.key not in known:
                    known.add(heir.key)
                    bases.append(heir)
                    yield heir

    def is_private(self, subtype: DocumentPlace) -> bool:
        """Return whether a person gives a part of a schema, as far as it is known."""
        if self._is_human is None:
            return False
        # A predicate of the caller's may ask for the whole path of a value, which is unknown here.
        return not needs_name_only(self._is_human) or (*subtype.key, False) in self._private

    @cached_property
    def _private(self) -> set[tuple[Resource, str, bool]]:
        """The schemas that reach a person's part: alone, or (`True`) also as one of its subtypes.

        A schema with a `$ref` to another one has its subtypes too, but not with it in its `allOf`.
        """
        is_human, home = self._is_human, self._home
        if is_human is None:
            return set()
        private: list[tuple[Resource, str, bool]] = []
        reached_from: dict[tuple[Resource, str, bool], list[tuple[Resource, str, bool]]] = {}
        queue = [home.below(schema, name) for name, schema in home.fields.items()]
        seen = {place.key for place in queue}
        for place in queue:  # grows while it is read
            alone, any_type = (*place.key, False), (*place.key, True)
            edges = [(any_type, place, False)]
            edges += ((any_type, heir, True) for heir in self.heirs_of(place))
            for keys, inner in subschemas(place.fields):
                schema = whole = members_of(inner)
                if (target := self.mapped(schema.get("$ref"), place.resource)) is not None:
                    edges.append((alone, target, set(keys[::2]) != {"allOf"}))
                    whole = {**target.fields, **schema}
                mapping = members_of(members_of(schema.get("discriminator")).get("mapping"))
                found = (self.mapped(written, place.resource) for written in mapping.values())
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
    def _heirs(self) -> dict[tuple[Resource, str], list[DocumentPlace]]:
        """The named schemas that have a schema in their `allOf`, by the place of that schema."""
        found: dict[tuple[Resource, str], list[DocumentPlace]] = {}
        for name, schema in self._home.fields.items():
            for part in items_of(members_of(schema).get("allOf")):
                reference = text_of(members_of(part).get("$ref"))
                if reference.startswith("#"):
                    with suppress(DocumentError):
                        base = self.document.target(reference, self.document.main)
                        heir = self._home.below(schema, name)
                        found.setdefault(base.key, []).append(heir)
        return found

    def mapped(self, target: JsonValue, resource: Resource) -> DocumentPlace | None:
        """Return the schema that a mapping names or refers to, or `None`."""
        if not isinstance(target, str):
            return None
        with suppress(DocumentError):
            return self.document.schema_named(target) or self.document.target(target, resource)
        return None
