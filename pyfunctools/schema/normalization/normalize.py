"""Any spelling of a JSON Schema, from Swagger 2.0 to 2020-12, to the one that is kept."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.references import Lookup, defined_name, reference_to
from pyfunctools.schema.ground.walk import Slot, copy_with_slots
from pyfunctools.schema.normalization.check_input import check_schema, needs_bundling
from pyfunctools.schema.normalization.inlining import Finished, Targets, is_copied
from pyfunctools.schema.normalization.spelling import split_types, translate
from pyfunctools.schema.outline.json_types import schemas_by_name

if TYPE_CHECKING:  # loaded by the first schema that has an `allOf`
    from pyfunctools.schema.normalization.all_of import Merger


@overload
def normalize(schema: Mapping[str, Any], *, lookup: Lookup | None = None) -> Mapping[str, Any]: ...
@overload
def normalize(schema: bool, *, lookup: Lookup | None = None) -> bool: ...
def normalize(
    schema: Mapping[str, Any] | bool, *, lookup: Lookup | None = None
) -> Mapping[str, Any] | bool:
    """Return the same schema in the one spelling of JSON Schema 2020-12 that is kept.

    Read is what the drafts from 4 on, Swagger 2.0 and OpenAPI 3 write, and what real documents
    write instead: a keyword whose value cannot be meant is left out, and everything else stays.
    The result says the same of every value, and normalizing it changes nothing. In it

    - every reference to a part of the schema is `#/$defs/NAME`, with `$defs` only at the root;
      there is no `$schema`, no `$id` and no anchor;
    - `allOf` is merged, and holds only what could not be;
    - what may be `null` lists that type, or is an `anyOf` with it; a list of types stays only where
      nothing else depends on the type.

    A reference that leads out of the schema stays. `lookup` is asked for what it leads to, as it
    was written, where that must be known; references in it are read as those of the schema are.
    The result shares values with the schema (defaults, examples, lists of values), never objects
    that hold subschemas. A boolean is given as it is.

    Raises:
        SchemaError: this is no schema, is nested more than 256 deep, holds what is not JSON, or
            uses references that only lead to each other.
    """
    if isinstance(schema, bool):
        return schema
    contents = check_schema(schema)
    if needs_bundling(schema, contents):
        from pyfunctools.schema.normalization.bundle import bundle

        schema = bundle(schema, lookup)
    result = _Normalizer(schema, lookup).run()
    check_schema(result)
    return result


class _Normalizer:
    """One schema being normalized, from the root down; nothing here needs the stack.

    What still has to be done is a list of places: there, what stands is as it was written.
    """

    def __init__(self, root: JsonSchema, lookup: Lookup | None) -> None:
        self._own = schemas_by_name(root.get("$defs"))
        self._body = {key: value for key, value in root.items() if key not in ("$defs", "$schema")}
        self._definitions = Targets(self._own, lookup)
        self._done: dict[str, JsonValue] = {}
        self._todo: list[tuple[Slot, bool, str | None]] = []

    def run(self) -> JsonSchema:
        """Return the normalized schema."""
        whole: dict[str, JsonValue] = {}
        self._work(Slot(whole, "", self._body), None)
        for name in self._own:
            if name not in self._done:
                self._unused(name)
        body = whole[""]
        result = dict(body) if isinstance(body, dict) else {}
        named = {name: self._done[name] for name in self._own if name in self._done}
        return {**result, "$defs": named} if named else result

    def _unused(self, name: str) -> None:
        """Normalize a definition that nothing uses; one that means nothing is left out."""
        done = dict(self._done)
        try:
            self._work(Slot(self._done, name, self._own[name]), reference_to(name))
        except SchemaError:
            self._todo.clear()
            self._done = done

    def _work(self, place: Slot, known_as: str | None) -> None:
        self._todo.append((place, False, known_as))
        while self._todo:
            place, copied, known_as = self._todo.pop()
            schema = place.inner
            if not isinstance(schema, dict):
                place.put(schema)
                continue
            copied = copied or is_copied(schema)
            settled = isinstance(schema, Finished)
            node = schema if settled else self._settled(schema, copied, known_as)
            if isinstance(reference := node.get("$ref"), str):
                self._use(reference)
            copy, places = copy_with_slots(node)
            place.put(copy)
            self._todo.extend((inner, copied, None) for inner in reversed(places))

    def _settled(
        self, schema: JsonSchema, copied: bool, known_as: str | None
    ) -> dict[str, JsonValue]:
        """Return a schema that is done but for what lies below it."""
        node = translate(schema)
        if "allOf" in node or (known_as is not None and node.get("$ref") == known_as):
            node = self._merger.merge(node, copied=copied, known_as=known_as)
        node = split_types(node)
        if "discriminator" in node:
            from pyfunctools.schema.normalization.discriminator import complete_mapping

            complete_mapping(node, self._definitions)
        return node

    @cached_property
    def _merger(self) -> "Merger":
        from pyfunctools.schema.normalization.all_of import Merger

        return Merger(self._definitions)

    def _use(self, reference: str) -> None:
        """Have the definition normalized that a reference leads to."""
        self._definitions.follow(reference)
        name = defined_name(reference)
        if name is not None and name in self._own and name not in self._done:
            self._done[name] = True
            place = Slot(self._done, name, self._own[name])
            self._todo.append((place, False, reference))
