"""`normalize`: a JSON Schema of any draft, Swagger or OpenAPI as one of draft 2020-12."""

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, overload

from pyfunctools._json import JsonSchema, JsonValue, json_copy, members_of
from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.json_values import MAX_SCHEMA_DEPTH
from pyfunctools.schema.ground.references import Lookup, defined_name, reference_to
from pyfunctools.schema.ground.walk import WITH_SCHEMAS, Slot, copy_with_slots
from pyfunctools.schema.normalization.check_input import check_schema, needs_bundling
from pyfunctools.schema.normalization.spelling import split_types, translate
from pyfunctools.schema.normalization.targets import Finished, Targets, complete_mapping, is_copied
from pyfunctools.schema.outline.json_types import schemas_by_name
from pyfunctools.schema.vocabulary import DRAFT

if TYPE_CHECKING:  # imported by the first schema with an `allOf`
    from pyfunctools.schema.normalization.all_of import Merger


@overload
def normalize(schema: Mapping[str, Any], *, lookup: Lookup | None = None) -> Mapping[str, Any]: ...
@overload
def normalize(schema: bool, *, lookup: Lookup | None = None) -> bool: ...
def normalize(
    schema: Mapping[str, Any] | bool, *, lookup: Lookup | None = None
) -> Mapping[str, Any] | bool:
    """Return an equivalent schema in the canonical form of JSON Schema 2020-12.

    The schema may be of draft 4 or later, Swagger 2.0 or OpenAPI 3, with the mistakes of real
    documents: a keyword with an invalid value is left out. To normalize the result again changes
    nothing. In the result

    - every reference to a part of the schema is `#/$defs/NAME`, with `$defs` only at the root;
      there is no `$schema`, no `$id` and no anchor;
    - `allOf` is merged, and contains only what could not be merged;
    - a nullable schema lists the type `null`, or is an `anyOf` with it; other lists of types stay
      only where no keyword depends on the type.

    A reference out of the schema stays. `lookup` returns its target, not normalized, where that
    is needed; references in the target are resolved like those of the schema. The result shares
    values with the schema (defaults, examples, `enum`), but no objects that hold subschemas.

    Raises:
        SchemaError: the schema is invalid, nested more than 256 deep, not JSON, or has references
            that only lead to each other.
    """
    if isinstance(schema, bool):
        return schema
    if needs_bundling(schema, check_schema(schema)):
        from pyfunctools.schema.normalization.bundle import bundle

        schema = bundle(schema)
    return normalize_bundled(schema, lookup)


def normalize_bundled(schema: JsonSchema, lookup: Lookup | None) -> JsonSchema:
    """Return a schema as `normalize` does, if it is JSON and each `$ref` is `#/$defs/NAME`."""
    if (leaf := _leaf(schema)) is not None:
        return leaf
    normalizer = _Normalizer(schema, lookup)
    result = normalizer.run()
    if normalizer.has_merged:  # which may make it too large
        check_schema(result)
    return result


class _Normalizer:
    """The normalization of one schema, from the root down, without recursion.

    `_todo` lists the slots whose subschemas are not normalized yet, with whether they were copied
    from a definition, the reference to them, and their depth.
    """

    def __init__(self, root: JsonSchema, lookup: Lookup | None) -> None:
        self._own = schemas_by_name(root.get("$defs"))
        self._body = {key: value for key, value in root.items() if key not in ("$defs", "$schema")}
        self._definitions = Targets(self._own, lookup)
        self._done: dict[str, JsonValue] = {}
        self._todo: list[tuple[Slot, bool, str | None, int]] = []
        self.has_merged = False

    def run(self) -> JsonSchema:
        whole: dict[str, JsonValue] = {}
        self._work(Slot(whole, "", self._body), None)
        for name in self._own:
            if name not in self._done:
                self._unused(name)
        named = {name: self._done[name] for name in self._own if name in self._done}
        return {**members_of(whole[""]), **({"$defs": named} if named else {})}

    def _unused(self, name: str) -> None:
        """Normalize a definition that nothing refers to, or leave it out if it is invalid."""
        done = dict(self._done)
        try:
            self._work(Slot(self._done, name, self._own[name]), reference_to(name))
        except SchemaError:
            self._todo.clear()
            self._done = done

    def _work(self, slot: Slot, known_as: str | None) -> None:
        self._todo.append((slot, False, known_as, 1))
        while self._todo:
            slot, copied, known_as, depth = self._todo.pop()
            node = slot.inner
            if not isinstance(node, dict):
                slot.put(node)
                continue
            if depth > MAX_SCHEMA_DEPTH:
                raise SchemaError(f"the schema is nested more than {MAX_SCHEMA_DEPTH} deep")
            copied = copied or is_copied(node)
            if not isinstance(node, Finished):
                node = self._normalized(node, copied, known_as)
            if isinstance(reference := node.get("$ref"), str):
                self._use(reference)
            copy, slots = copy_with_slots(node, self._settled)
            slot.put(copy)
            for inner in reversed(slots):
                self._todo.append((inner, copied, None, depth + len(inner.steps)))

    def _settled(self, schema: JsonSchema | bool) -> JsonSchema | bool | None:
        """Return a normalized subschema that has none itself, or `None` if it may have some.

        Most of the subschemas of a document are a reference or a few scalars.
        """
        if not isinstance(schema, dict):
            return schema
        if len(schema) == 1 and isinstance(reference := schema.get("$ref"), str):
            self._use(reference)
            return {"$ref": reference}
        return _leaf(schema)

    def _normalized(
        self, schema: JsonSchema, copied: bool, known_as: str | None
    ) -> dict[str, JsonValue]:
        """Return a schema that is normalized but for its subschemas."""
        node = translate(schema)
        if "allOf" in node or (known_as is not None and node.get("$ref") == known_as):
            node = self._merger.merge(node, copied=copied, known_as=known_as)
        node = split_types(node)
        if "discriminator" in node:
            complete_mapping(node, self._definitions)
        return node

    @cached_property
    def _merger(self) -> "Merger":
        from pyfunctools.schema.normalization.all_of import Merger

        self.has_merged = True
        return Merger(self._definitions)

    def _use(self, reference: str) -> None:
        """Add the definition at a reference to `_todo`, unless it is there or done."""
        self._definitions.follow(reference)
        name = defined_name(reference)
        if name is not None and name in self._own and name not in self._done:
            self._done[name] = True
            self._todo.append((Slot(self._done, name, self._own[name]), False, reference, 3))


_NOT_ALONE = WITH_SCHEMAS | {"$ref", "discriminator", *DRAFT}


def _leaf(schema: JsonSchema) -> dict[str, JsonValue] | None:
    """Return a schema of scalars and lists of them normalized, or `None` for any other schema."""
    if schema.__class__ is not dict or not _NOT_ALONE.isdisjoint(schema):
        return None
    values: list[JsonValue] = []
    kinds: list[object] = []  # because 1, 1.0 and `True` are equal
    for value in schema.values():
        is_list = isinstance(value, list)
        values.append(tuple(value) if is_list else value)
        kinds.append(tuple(map(type, value)) if is_list else type(value))
    try:
        return json_copy(_normalized_leaf(tuple(schema), tuple(values), tuple(kinds)))
    except TypeError:  # an object in it, which has no hash
        return None


@lru_cache(maxsize=4096)
def _normalized_leaf(
    keywords: tuple[str, ...], values: tuple[JsonValue, ...], _: tuple[object, ...]
) -> dict[str, JsonValue]:
    """Return a schema without subschemas that is normalized. Do not change the result."""
    listed = [[*each] if isinstance(each, tuple) else each for each in values]
    node = split_types(translate(dict(zip(keywords, listed, strict=True))))
    return {**_Normalizer(node, None).run()} if not WITH_SCHEMAS.isdisjoint(node) else node
