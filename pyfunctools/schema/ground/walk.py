"""The subschemas of a schema: reads, copies and replaces them."""

from collections.abc import Callable, Iterator
from typing import Any

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.vocabulary import ONE_SCHEMA, SCHEMA_LIST, SCHEMA_MAP

WITH_SCHEMAS = SCHEMA_MAP | SCHEMA_LIST | ONE_SCHEMA
"""Keywords whose value is a schema, or holds schemas."""


def is_schema(value: object) -> bool:
    """Return whether this can be a schema: an object or a boolean."""
    return isinstance(value, (dict, bool))


def children(schema: JsonSchema) -> Iterator[tuple[Keys, JsonSchema | bool]]:
    """Yield each subschema one level below, after the steps to it; other values are skipped."""
    for keyword, value in schema.items():
        if keyword not in WITH_SCHEMAS:
            continue
        if keyword in SCHEMA_MAP and isinstance(value, dict):
            for name, inner in value.items():
                if isinstance(inner, (dict, bool)):
                    yield (keyword, name), inner
        elif keyword in SCHEMA_LIST and isinstance(value, list):
            for index, inner in enumerate(value):
                if isinstance(inner, (dict, bool)):
                    yield (keyword, index), inner
        elif keyword in ONE_SCHEMA and isinstance(value, (dict, bool)):
            yield (keyword,), value


class Slot:
    """A place in a copy of a schema; `steps` lead to it, and `inner` is the original subschema."""

    __slots__ = ("holder", "inner", "key", "steps")

    def __init__(
        self, holder: Any, key: str | int, inner: JsonSchema | bool, steps: Keys = ()
    ) -> None:
        self.holder = holder
        self.key = key
        self.inner = inner
        self.steps = steps

    def put(self, schema: JsonSchema | bool) -> None:
        """Replace the subschema."""
        self.holder[self.key] = schema


def copy_with_slots(schema: JsonSchema) -> tuple[dict[str, JsonValue], list[Slot]]:
    """Return a copy of a schema, and the slots in it for its subschemas one level below."""
    copy: dict[str, Any] = dict(schema)
    slots: list[Slot] = []
    for steps, inner in children(schema):
        holder, key = copy, steps[0]
        if len(steps) == 2:
            keyword, key = str(steps[0]), steps[1]
            if copy[keyword] is schema[keyword]:
                copy[keyword] = copy[keyword].copy()
            holder = copy[keyword]
        slots.append(Slot(holder, key, inner, steps))
    return copy, slots


def map_children(
    schema: JsonSchema, visit: Callable[[Keys, JsonSchema | bool], JsonSchema | bool]
) -> dict[str, JsonValue]:
    """Return a copy in which each subschema one level below is the result of `visit`.

    `visit` is called with the steps to a subschema, and the subschema. The copy shares everything
    else with the original.
    """
    copy, slots = copy_with_slots(schema)
    for slot in slots:
        slot.put(visit(slot.steps, slot.inner))
    return copy


def map_subschemas(
    schema: JsonSchema, change: Callable[[JsonSchema], dict[str, JsonValue]]
) -> dict[str, JsonValue]:
    """Return a copy in which every schema is the result of `change`, from the root down."""
    whole: dict[str, JsonValue] = {}
    todo = [Slot(whole, "", schema)]
    while todo:
        slot = todo.pop()
        if isinstance(slot.inner, dict):
            copy, slots = copy_with_slots(change(slot.inner))
            slot.put(copy)
            todo.extend(slots)
    result = whole[""]
    return result if isinstance(result, dict) else {}


def subschemas(schema: JsonSchema | bool) -> Iterator[tuple[Keys, JsonSchema | bool]]:
    """Yield this schema and all below it in document order, after the steps to each."""
    stack: list[tuple[Keys, JsonSchema | bool]] = [((), schema)]
    while stack:
        keys, current = stack.pop()
        yield keys, current
        if isinstance(current, dict):
            below = [((*keys, *steps), inner) for steps, inner in children(current)]
            stack.extend(reversed(below))
