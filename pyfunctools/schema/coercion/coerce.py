"""`coerce`: a value in the spelling that the schema wants. Nothing is lost or invented.

The kinds of repair: `number`, `boolean`, `null` (from a string), `integer` (from `42.0`), `string`
(from an integer), `constant` (a listed value in another case or with space around it), `json` (a
JSON text where an object or array is wanted; with the repairs of `parse` if it had to be
recovered), `item` (a single value where an array is wanted), `absent` (null for an optional
property that does not allow it), `named` (an object where a tuple with titles is wanted) and
`unwrapped` (an object in another, under a single key such as `arguments`). If arrays of
`uniqueItems` are known to be sets, `repeated` items are left out.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pyfunctools._json import JsonValue
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.result import Success

if TYPE_CHECKING:
    from pyfunctools.schema.outline.outline import Outline, PlaceTests


def coerce(schema: Mapping[str, Any] | bool, value: Any) -> Success[Any]:
    """Return the value in the spelling that the schema wants, as far as that is certain.

    A valid value is returned unchanged, as the same object; so is one that cannot be repaired, is
    not JSON, or is nested more than 64 deep. Parts without repairs are shared with the argument. A
    float such as `42.0` becomes an `int` where an `integer` is wanted, though it is valid.

    Raises:
        SchemaError: the schema is invalid; see `normalize`.
    """
    from pyfunctools.schema.normalization.normalize import normalize
    from pyfunctools.schema.outline.outline import Outline

    return coerced(Outline(normalize(schema)), value)


def coerced(
    outline: "Outline",
    value: JsonValue,
    test_of: "PlaceTests | None" = None,
    *,
    sets: bool = False,
    written: bool = False,
) -> Success[JsonValue]:
    """Return the value in the spelling that a normalized schema wants; see `coerce`.

    With `sets`, the program uses every array of `uniqueItems` as a `set`, so repeated items are
    removed. Otherwise they are not: `[1, 1, 2]` may have been meant as `[1, 3, 2]`.

    With `test_of`, a value is valid if the compiled test of its place accepts it. Pass it only for
    an invalid value that is JSON and has no float such as `42.0` where an integer may be wanted.

    Raises:
        TextWantedError: with `test_of` and `written`, a float stands where only a string is wanted.
    """
    # Imported here, so that only an invalid value loads it.
    from pyfunctools.schema.coercion.match import TooMuch
    from pyfunctools.schema.coercion.repairing import Coercion

    coercion = Coercion(sets=sets, test_of=test_of, written=written)
    try:
        result = (coercion.repaired if test_of else coercion.coerced)(outline.place, value, ())
    except (TooMuch, RecursionError):
        return Success(value=value)
    return Success(value=result, repairs=tuple(coercion.repairs))


def is_exact(outline: "Outline", value: JsonValue) -> bool:
    """Return whether no float such as `42.0` stands where an integer may be wanted.

    Then `coerce` returns a valid value unchanged. False for a value nested more than 64 deep.
    """
    found = _has_whole_float(value)
    return found is False or (found is True and not outline.place.misplaced_floats(value)[0])


def _has_whole_float(value: JsonValue) -> bool | None:
    """Return whether a value has a float such as `42.0`; `None` if it is nested too deep."""
    found = False
    level: dict[int, Iterable[JsonValue]] = {0: (value,)}
    for _ in range(DEFAULT_LIMITS.depth + 1):
        # By identity, so that the loop ends for a value that contains itself.
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
