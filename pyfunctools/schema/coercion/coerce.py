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
from pyfunctools.schema.ground.json_values import DEPTH, deeper_than, is_json_value
from pyfunctools.schema.result import Success

if TYPE_CHECKING:
    from pyfunctools.schema.outline.outline import Outline


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


def coerced(outline: "Outline", value: JsonValue, *, floats: bool = True) -> Success[JsonValue]:
    """Return the value in the spelling that a normalized schema wants; see `coerce`.

    Without `floats` it is known to have no float such as `42.0`.
    """
    # Imported here, so that only an invalid value loads it.
    from pyfunctools.schema.coercion.repairing import Coercion, TooMuch

    if not is_json_value(value) and deeper_than(value, DEPTH):
        return Success(value=value)
    coercion = Coercion(floats=floats)
    try:
        result = coercion.coerced(outline.place, value, ())
    except (TooMuch, RecursionError):
        return Success(value=value)
    return Success(value=result, repairs=tuple(coercion.repairs))
