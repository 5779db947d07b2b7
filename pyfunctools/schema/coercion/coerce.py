"""`coerce`: a value in the spelling that the schema wants. Nothing is lost or invented.

The kinds of repair: `number`, `boolean`, `null` (from a string), `integer` (from `42.0`), `string`
(from an integer), `constant` (a listed value in another case or with space around it), `json` (a
JSON text where an object or array is wanted; with the repairs of `parse` if it had to be
recovered), `item` (a single value where an array is wanted), `absent` (null for an optional
property that does not allow it), `named` (an object where a tuple with titles is wanted) and
`unwrapped` (an object in another, under a single key such as `arguments`).
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pyfunctools._json import JsonValue
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
    outline: "Outline", value: JsonValue, test_of: "PlaceTests | None" = None
) -> Success[JsonValue]:
    """Return the value in the spelling that a normalized schema wants; see `coerce`.

    With `test_of`, a value is valid if the compiled test of its place accepts it. Pass it only for
    an invalid value that is JSON and has no float such as `42.0` where an integer may be wanted.
    """
    # Imported here, so that only an invalid value loads it.
    from pyfunctools.schema.coercion.match import TooMuch
    from pyfunctools.schema.coercion.repairing import Coercion

    coercion = Coercion(test_of=test_of)
    try:
        result = (coercion.repaired if test_of else coercion.coerced)(outline.place, value, ())
    except (TooMuch, RecursionError):
        return Success(value=value)
    return Success(value=result, repairs=tuple(coercion.repairs))
