"""Preparing a schema one level at a time: its references lead to definitions, `#/$defs/NAME`."""

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.walk import copy_with_slots

Scope = TypeVar("Scope")

Prepare: TypeAlias = Callable[[JsonSchema, Scope], tuple[JsonSchema, Scope]]
"""Returns a schema without subschemas bundled, and the scope of its subschemas."""


class Bundled(dict[str, JsonValue]):
    """A schema that is bundled already, inside of one that is not."""


def bundled(schema: JsonSchema, scope: Scope, prepare: Prepare[Scope]) -> dict[str, JsonValue]:
    """Return a schema with all its subschemas prepared."""
    return bundled_below(*prepare(schema, scope), prepare)


def bundled_below(
    schema: JsonSchema, scope: Scope, prepare: Prepare[Scope]
) -> dict[str, JsonValue]:
    """Return a prepared schema with all its subschemas prepared too."""
    copy, slots = copy_with_slots(schema)
    todo = [(slot, scope) for slot in slots]
    while todo:
        slot, outside = todo.pop()
        if isinstance(slot.inner, dict) and not isinstance(slot.inner, Bundled):
            inner, below = copy_with_slots((found := prepare(slot.inner, outside))[0])
            slot.put(inner)
            todo += [(each, found[1]) for each in below]
    return copy
