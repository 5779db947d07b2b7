"""`normalize`: a JSON Schema of any draft, Swagger or OpenAPI as one of draft 2020-12."""

from collections.abc import Callable, Mapping
from functools import cached_property
from operator import is_
from typing import TYPE_CHECKING, Any, Generic, overload

from pyfunctools._json import JsonSchema, JsonValue, json_copy, members_of
from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.json_values import MAX_SCHEMA_DEPTH
from pyfunctools.schema.ground.references import defined_name, reference_to
from pyfunctools.schema.ground.walk import WITH_SCHEMAS
from pyfunctools.schema.normalization.check_input import check_schema
from pyfunctools.schema.normalization.prepare import Bundled, Prepare, Scope, bundled_below
from pyfunctools.schema.normalization.spelling import split_types, translate
from pyfunctools.schema.normalization.targets import Targets, complete_mapping, is_copied
from pyfunctools.schema.outline.json_types import schemas_by_name
from pyfunctools.schema.vocabulary import SCHEMA_MAP

if TYPE_CHECKING:  # imported by the first schema with an `allOf`
    from pyfunctools.schema.normalization.all_of import Merger


@overload
def normalize(schema: Mapping[str, Any]) -> Mapping[str, Any]: ...
@overload
def normalize(schema: bool) -> bool: ...
def normalize(schema: Mapping[str, Any] | bool) -> Mapping[str, Any] | bool:
    """Return an equivalent schema in the canonical form of JSON Schema 2020-12.

    The schema may be of draft 4 or later, Swagger 2.0 or OpenAPI 3, with the mistakes of real
    documents: a keyword with an invalid value is left out. To normalize the result again changes
    nothing. In the result

    - every reference to a part of the schema is `#/$defs/NAME`, with `$defs` only at the root;
      there is no `$schema`, no `$id` and no anchor;
    - `allOf` is merged, and contains only what could not be merged;
    - a nullable schema lists the type `null`, or is an `anyOf` with it; other lists of types stay
      only where no keyword depends on the type.

    A reference out of the schema stays. The result shares no object and no array with the schema.

    Raises:
        SchemaError: the schema is invalid, nested more than 256 deep, not JSON, or has references
            that only lead to each other.
    """
    if isinstance(schema, bool):
        return schema
    needs_bundling = check_schema(schema)
    if needs_bundling:
        from pyfunctools.schema.normalization.bundle import bundle

        schema = bundle(schema)
    return json_copy(_Whole(schema).run())


class _Whole:
    """The normalization of a bundled schema; `_queue` lists the definitions to come.

    The result shares everything that did not change with the schema.
    """

    def __init__(self, root: JsonSchema) -> None:
        self._own = schemas_by_name(root.get("$defs"))
        self._body = {key: value for key, value in root.items() if key not in ("$defs", "$schema")}
        self._targets = Targets(self._own.get)
        self._normalizer = Normalizer[None](self._targets, self._note)
        self._done: dict[str, JsonValue] = {}
        self._queue: list[str] = []

    def run(self) -> JsonSchema:
        body = self._normalizer.normalized(self._body)
        self._define()
        for name in self._own:
            if name not in self._done:
                done = dict(self._done)
                self._queue.append(name)
                try:
                    self._define()
                except SchemaError:  # nothing refers to it: it is left out
                    self._queue.clear()
                    self._done = done
        named = {name: self._done[name] for name in self._own if name in self._done}
        result = {**members_of(body), **({"$defs": named} if named else {})}
        self._normalizer.check(result)
        return result

    def _define(self) -> None:
        """Normalize the definitions in the queue, and all that they reach."""
        while self._queue:
            name = self._queue.pop(0)
            if name not in self._done:
                reference = reference_to(name)
                self._done[name] = self._normalizer.normalized(self._own[name], None, reference)

    def _note(self, node: JsonSchema) -> None:
        if isinstance(reference := node.get("$ref"), str):
            self._targets.follow(reference)
            name = defined_name(reference)
            if name is not None and name in self._own:
                self._queue.append(name)


_READ_WHOLE = frozenset({"allOf", "discriminator"})
"""Keywords for which the subschemas of a schema are read, not only translated."""


class Normalizer(Generic[Scope]):
    """Normalizes schemas, from the root down; what does not change stays the same object.

    `note` is called with each schema, which is normalized but for its subschemas. A schema that is
    not bundled is `prepare`d first, one level at a time; where its subschemas are not only
    translated, but read, they are bundled all at once.
    """

    def __init__(
        self,
        targets: Targets,
        note: Callable[[JsonSchema], None],
        prepare: Prepare[Scope] = lambda schema, scope: (schema, scope),
    ) -> None:
        self._targets = targets
        self._note = note
        self._prepare = prepare

    def normalized(
        self, schema: JsonSchema | bool, scope: Scope | None = None, known_as: str | None = None
    ) -> JsonSchema | bool:
        """Return a normalized schema; it is bundled already if `scope` is `None`.

        `known_as` is the reference to the schema itself.

        Raises:
            SchemaError: it is nested too deep, or has references that only lead to each other, or
                an `allOf` that is too large to be merged.
        """
        try:
            result = self._normalized(schema, scope, False, 1, known_as)
        except RecursionError:
            raise _too_deep() from None
        return result if isinstance(result, (dict, bool)) else True

    def _normalized(
        self,
        schema: JsonValue,
        scope: Scope | None,
        copied: bool,
        depth: int,
        known_as: str | None = None,
    ) -> JsonValue:
        """Return a normalized schema; `copied` is true below one copied from a definition."""
        if not isinstance(schema, dict):
            return schema
        if depth > MAX_SCHEMA_DEPTH:
            raise _too_deep()
        node: JsonSchema = schema
        if schema.__class__ is not dict:
            copied = copied or is_copied(schema)
            scope = None if isinstance(schema, Bundled) else scope
            node = dict(schema)
        elif scope is None and "$ref" in schema:
            node = dict(schema)  # a definition that is merged into many has it in each
        if scope is not None:
            node, scope = self._prepare(node, scope)
            if not _READ_WHOLE.isdisjoint(node) or ("$ref" in node and len(node) > 1):
                node, scope = bundled_below(node, scope, self._prepare), None
        node = translate(node)
        if "allOf" in node or (known_as is not None and node.get("$ref") == known_as):
            node = self._merger.merge(node, copied=copied, known_as=known_as)
        node = split_types(node)
        if "discriminator" in node:
            node = complete_mapping(node, self._targets)
        self._note(node)
        if WITH_SCHEMAS.isdisjoint(node):
            return node
        changed: dict[str, JsonValue] = {}
        for keyword, value in node.items():
            if keyword in WITH_SCHEMAS:
                made = self._below(keyword, value, scope, copied, depth)
                if made is not value:
                    changed[keyword] = made
        return {**node, **changed} if changed else node

    def _below(
        self, keyword: str, value: JsonValue, scope: Scope | None, copied: bool, depth: int
    ) -> JsonValue:
        """Return the value of a keyword with normalized subschemas."""
        if keyword in SCHEMA_MAP and isinstance(value, dict):
            members = {
                name: self._normalized(inner, scope, copied, depth + 2)
                for name, inner in value.items()
            }
            return value if all(map(is_, members.values(), value.values())) else members
        if isinstance(value, list):
            items = [self._normalized(inner, scope, copied, depth + 2) for inner in value]
            return value if all(map(is_, items, value)) else items
        return self._normalized(value, scope, copied, depth + 1)

    @cached_property
    def _merger(self) -> "Merger":
        from pyfunctools.schema.normalization.all_of import Merger

        return Merger(self._targets)

    def check(self, result: JsonSchema | bool) -> None:
        """Check the size of what was normalized if definitions were merged into it.

        Raises:
            SchemaError: it is too large, or nested too deep.
        """
        if "_merger" in self.__dict__ and self._merger.merged and isinstance(result, dict):
            check_schema(result)


def _too_deep() -> SchemaError:
    return SchemaError(f"the schema is nested more than {MAX_SCHEMA_DEPTH} deep")
