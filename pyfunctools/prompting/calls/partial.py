"""What could be read of JSON that could not be read as a whole."""

from collections.abc import Iterable
from typing import Final

from pyfunctools._json import JsonValue
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.ground.path import Keys, at
from pyfunctools.schema.parsing.recovery import Recovery
from pyfunctools.schema.result import Issue

_NONE: Final = (None,)


def recovered(text: str, start: int, stop: int, *, sure: bool) -> tuple[JsonValue, Recovery]:
    """Return the value that begins at `start` as far as it can be read, and how that went."""
    recovery = Recovery(text, start, stop, limits=DEFAULT_LIMITS, sure=sure)
    recovery.read()
    return readable(recovery.value, recovery.issues), recovery


def readable(value: JsonValue, issues: Iterable[Issue]) -> JsonValue:
    """Return a value without what stands for the places that could not be read.

    Where one is an item of an array, the array is left out: the others would be out of place.
    """
    for issue in issues:
        keys = issue.path.keys
        if keys and at(value, keys) == _NONE:
            while keys and isinstance(keys[-1], int):
                keys = keys[:-1]
            value = _without(value, keys) if keys else None
    return value


def _without(value: JsonValue, keys: Keys) -> JsonValue:
    first, rest = keys[0], keys[1:]
    if isinstance(value, dict):
        others = {key: inner for key, inner in value.items() if rest or key != first}
        if rest and first in value:
            others[str(first)] = _without(value[str(first)], rest)
        return others
    if isinstance(value, list) and rest:
        return [_without(inner, rest) if n == first else inner for n, inner in enumerate(value)]
    return value
