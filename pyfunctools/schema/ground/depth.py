"""How deep a value is nested: what stands before everything that recurses."""

from typing import cast

from pyfunctools._json import JsonValue

MAX_SCHEMA_DEPTH = 256
"""Nesting of a schema that is still read: objects and arrays, each counted."""

MAX_CONTAINERS = 1_000_000
"""Objects and arrays on one level of a value, each counted as often as it is held."""


def deeper_than(value: JsonValue, limit: int) -> bool:
    """Return whether objects and arrays are nested more than `limit` deep.

    `[]` is one deep. Works without recursion, and stops at the first level past the limit, so a
    value that holds itself is simply too deep. So is one that holds the same value so often that
    more than `MAX_CONTAINERS` would be read on one level.
    """
    level: list[JsonValue] = [value] if isinstance(value, _CONTAINERS) else []
    for _ in range(limit):
        if not level:
            return False
        below: list[JsonValue] = []
        for outer in level:
            held = outer.values() if isinstance(outer, dict) else cast("list[JsonValue]", outer)
            below += [value for value in held if isinstance(value, _CONTAINERS)]
            if len(below) > MAX_CONTAINERS:
                return True
        level = below
    return bool(level)


_CONTAINERS = (dict, list, tuple)
