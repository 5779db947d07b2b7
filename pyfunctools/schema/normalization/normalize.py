"""`normalize`: a JSON Schema of any draft, Swagger or OpenAPI as one of draft 2020-12."""

from collections.abc import Mapping
from functools import cached_property, lru_cache
from gc import is_tracked
from typing import TYPE_CHECKING, Any, overload

from pyfunctools._json import JsonSchema, JsonValue, json_copy, members_of
from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.references import Lookup, defined_name, reference_to
from pyfunctools.schema.ground.walk import Slot, copy_with_slots
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
    contents = check_schema(schema)
    is_merged = needs_bundling(schema, contents)
    if is_merged:
        from pyfunctools.schema.normalization.bundle import bundle

        schema = bundle(schema)
    elif (leaf := _leaf(schema)) is not None:
        return leaf
    result = _Normalizer(schema, lookup).run()
    # Nothing else adds more than a few levels.
    if is_merged or "allOf" in contents.keys or contents.depth > _DEEP:
        check_schema(result)
    return result


_DEEP = 64
"""A schema that is nested deeper may be nested too deep when it is normalized."""


class _Normalizer:
    """The normalization of one schema, from the root down, without recursion.

    `_todo` lists the slots whose subschemas are not normalized yet, with whether they were copied
    from a definition, and the reference to them.
    """

    def __init__(self, root: JsonSchema, lookup: Lookup | None) -> None:
        self._own = schemas_by_name(root.get("$defs"))
        self._body = {key: value for key, value in root.items() if key not in ("$defs", "$schema")}
        self._definitions = Targets(self._own, lookup)
        self._done: dict[str, JsonValue] = {}
        self._todo: list[tuple[Slot, bool, str | None]] = []

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
        self._todo.append((slot, False, known_as))
        while self._todo:
            slot, copied, known_as = self._todo.pop()
            node = slot.inner
            if not isinstance(node, dict):
                slot.put(node)
                continue
            copied = copied or is_copied(node)
            if not isinstance(node, Finished):
                node = self._normalized(node, copied, known_as)
            if isinstance(reference := node.get("$ref"), str):
                self._use(reference)
            copy, slots = copy_with_slots(node, self._settled)
            slot.put(copy)
            self._todo.extend((inner, copied, None) for inner in reversed(slots))

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

        return Merger(self._definitions)

    def _use(self, reference: str) -> None:
        """Add the definition at a reference to `_todo`, unless it is there or done."""
        self._definitions.follow(reference)
        name = defined_name(reference)
        if name is not None and name in self._own and name not in self._done:
            self._done[name] = True
            self._todo.append((Slot(self._done, name, self._own[name]), False, reference))


_NOT_ALONE = frozenset({"$ref", "discriminator"}) | {"$defs", *DRAFT}


def _leaf(schema: JsonSchema) -> dict[str, JsonValue] | None:
    """Return a schema of scalars normalized, or `None` for any other schema.

    The collector does not track a dict that holds only scalars, as most schemas are.
    """
    if schema.__class__ is not dict or is_tracked(schema) or not _NOT_ALONE.isdisjoint(schema):
        return None
    kinds = tuple(map(type, schema.values()))  # 1, 1.0 and `True` are equal
    return json_copy(_normalized_leaf((*schema.items(), kinds)))


@lru_cache(maxsize=4096)
def _normalized_leaf(items: tuple[Any, ...]) -> dict[str, JsonValue]:
    """Return a schema of scalars that is normalized, from its items. Do not change the result."""
    return {**_Normalizer(dict(items[:-1]), None).run()}
