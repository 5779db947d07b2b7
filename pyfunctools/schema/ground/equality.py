"""Equality of JSON values: `1` is `1.0`, and `true` is not `1`."""

from collections.abc import Sequence

from pyfunctools._json import JsonValue


def equal(one: JsonValue, other: JsonValue) -> bool:
    """Return whether two values are the same JSON value (JSON Schema 2020-12 core, 4.2.2).

    Works without recursion.
    """
    pairs = [(one, other)]
    while pairs:
        a, b = pairs.pop()
        if a is b:
            continue
        if isinstance(a, dict) and isinstance(b, dict):
            if a.keys() != b.keys():
                return False
            pairs.extend((value, b[key]) for key, value in a.items())
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            pairs.extend(zip(a, b, strict=True))
        elif isinstance(a, bool) or isinstance(b, bool) or a != b:
            return False
    return True


def common(some: Sequence[JsonValue], others: Sequence[JsonValue]) -> list[JsonValue]:
    """Return those of `some` that are among `others`, in their order."""
    scalars = {_marked(value) for value in others if not isinstance(value, dict | list)}
    rest = [value for value in others if isinstance(value, dict | list)]
    return [
        value
        for value in some
        if (
            any(equal(value, other) for other in rest)
            if isinstance(value, dict | list)
            else _marked(value) in scalars
        )
    ]


def _marked(value: JsonValue) -> tuple[bool, JsonValue]:
    # `1` and `True` are equal and hash alike in Python; the mark keeps them apart.
    return isinstance(value, bool), value
