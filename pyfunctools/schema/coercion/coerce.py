"""A value -> what the schema says it must have meant; nothing is lost, and nothing invented.

The kinds of repair: `number`, `boolean`, `null` (from a text), `integer` (from `42.0`), `string`
(from an integer), `constant` (a listed value, but for case and space), `json` (a JSON text where an
object or array is wanted; with those of `parse` where it had to be recovered), `item` (a single
value where an array is wanted), `absent` (null for an optional property that takes none) and
`unwrapped` (an object that stood in another, under a single key such as `arguments`). Where arrays
of `uniqueItems` are known to be sets, `repeated` is an item that one held already: it is left out.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pyfunctools._json import JsonValue
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.result import Success

if TYPE_CHECKING:
    from pyfunctools.schema.outline.outline import Outline, PartTests


def coerce(schema: Mapping[str, Any] | bool, value: Any) -> Success[Any]:
    """Return the value in the spelling that the schema wants, as far as it is certain which.

    A value that fits is given as it is, the same object; so is one that cannot be helped, is nested
    more than 64 deep or is no JSON. Parts that need no repair are shared with it. A whole number
    under `integer` becomes an `int` even where it is right as it is (`42.0`).

    Raises:
        SchemaError: the schema is none; see `normalize`.
    """
    from pyfunctools.schema.normalization.normalize import normalize
    from pyfunctools.schema.outline.outline import Outline

    return coerced(Outline(normalize(schema)), value)


def coerced(
    outline: "Outline",
    value: JsonValue,
    tests: "PartTests | None" = None,
    *,
    sets: bool = False,
    written: bool = False,
) -> Success[JsonValue]:
    """Return the value in the spelling that a normalized schema wants; see `coerce`.

    With `sets` every array of `uniqueItems` is a set of the program's, in which a second time says
    nothing. Elsewhere that is unknown: `[1, 1, 2]` may have been meant as `[1, 3, 2]`.

    With `tests` what its own test accepts is taken to be right. Then the value must be JSON that is
    refused, and no whole number may stand in it as a float where an integer may be wanted.

    Raises:
        TextWantedError: with `tests` and `written`, a float stands where only a text is wanted.
    """
    # Loaded by the first value that is not right as it is.
    from pyfunctools.schema.coercion.match import TooMuch
    from pyfunctools.schema.coercion.repairing import Coercion

    coercion = Coercion(sets=sets, tests=tests, written=written)
    try:
        result = (coercion.repaired if tests else coercion.value)(outline.place, value, ())
    except (TooMuch, RecursionError):
        return Success(value=value)
    return Success(value=result, repairs=tuple(coercion.repairs))


def is_exact(outline: "Outline", value: JsonValue) -> bool:
    """Return whether no whole number stands as a float (`42.0`) where an integer may be wanted.

    Then `coerce` gives the value as it is, if it is right; where that is known, this is quicker. A
    value that is nested more than 64 deep is not looked through.
    """
    floats = _has_whole_float(value)
    return floats is False or (floats is True and not outline.place.has_float_for_integer(value))


def _has_whole_float(value: JsonValue) -> bool | None:
    """Return whether a float without a fraction is anywhere in a value; `None` if it is too
    deep.
    """
    found = False
    level: dict[int, Iterable[JsonValue]] = {0: (value,)}
    for _ in range(DEFAULT_LIMITS.depth + 1):
        # By identity: what is held twice is looked through once, even if it holds itself.
        below: dict[int, Iterable[JsonValue]] = {}
        for values in level.values():
            for inner in values:
                if isinstance(inner, str):
                    continue
                if isinstance(inner, float):
                    found = found or inner.is_integer()
                elif isinstance(inner, dict):
                    below[id(inner)] = inner.values()
                elif isinstance(inner, list):
                    below[id(inner)] = inner
        if not below:
            return found
        level = below
    return None
