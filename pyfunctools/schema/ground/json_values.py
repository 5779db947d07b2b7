"""Whether a value is JSON at all, and nested no deeper than is read."""

from collections.abc import Iterator
from decimal import Decimal
from enum import Enum
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING

from pyfunctools._json import JsonValue
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.preview import shown, shown_scalar

if TYPE_CHECKING:
    from jsonschema_rs import Validator

DEPTH = DEFAULT_LIMITS.depth
"""Nesting of a value that is judged."""


def is_json(value: JsonValue) -> bool:
    """Return whether a value is JSON, nested at most `DEPTH` deep.

    `NaN` and the infinities, lone surrogates, bytes, sets, keys that are no text and other objects
    are not JSON. A tuple is an array, a `Decimal` a number, a member of an `Enum` what it stands
    for. A subclass of `str`, `int` or `float` is refused here though it is JSON; see `plain`.

    Takes a third of the time in which `json.loads` parses the same, which nothing written in Python
    comes near: jsonschema-rs looks at every value. The schema it is given descends along `DEPTH`
    definitions and not into itself, so a value that holds itself comes to an end.
    """
    try:
        return _json_schema().is_valid(value)
    except ValueError:  # what jsonschema-rs has no JSON for, lone surrogates among it
        return False


def not_json(value: JsonValue) -> Iterator[tuple[Keys, str]]:
    """Yield each place in a value where something is not JSON, and what that is, in words.

    The value must not be nested too deeply. A key that is no text is given at its object.
    """
    stack: list[tuple[Keys, JsonValue]] = [((), value)]
    while stack:
        keys, current = stack.pop()
        if isinstance(current, dict):
            for key in current:
                if not _is_text(key):
                    yield keys, f"the key {shown(key)}"
            members = [((*keys, key), inner) for key, inner in current.items() if _is_text(key)]
            stack.extend(reversed(members))
        elif isinstance(current, list | tuple):
            stack.extend(reversed([((*keys, n), item) for n, item in enumerate(current)]))
        elif not _is_scalar(current):
            yield keys, shown_scalar(current)


def plain(value: JsonValue) -> JsonValue:
    """Return a copy made of nothing but `dict`, `list`, `str`, `int`, `float`, `bool` and `None`.

    The value must be JSON, and not nested too deeply.
    """
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, bool):
        return value
    for kind in (str, int, float):
        if isinstance(value, kind):
            return kind(value)
    return value


def _is_text(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_scalar(value: JsonValue) -> bool:
    if isinstance(value, Enum):
        return _is_scalar(value.value)
    if isinstance(value, float):
        return isfinite(value)
    if isinstance(value, Decimal):
        return value.is_finite()
    return value is None or isinstance(value, int) or _is_text(value)


@cache
def _json_schema() -> "Validator":
    from jsonschema_rs import Draft202012Validator

    # Every text is compared with the empty one, so that it is read and lone surrogates are noticed.
    scalars = [{"const": ""}, {"type": ["boolean", "null", "number", "string"]}]
    levels: dict[str, JsonValue] = {str(DEPTH): {"anyOf": scalars}}
    for level in range(DEPTH):
        below = {"$ref": f"#/$defs/{level + 1}"}
        containers = [
            {"type": "object", "additionalProperties": below},
            {"type": "array", "items": below},
        ]
        levels[str(level)] = {"anyOf": [*scalars, *containers]}
    return Draft202012Validator({"$ref": "#/$defs/0", "$defs": levels})
