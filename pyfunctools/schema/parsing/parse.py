"""`parse`: the value in a model's text, and every repair that was needed to read it.

The kinds of repair: `bom`, `frame` (fences, tags and comments), `prose` and `rest` (removed around
the value; `rest` begins like another value), `comment`, `space`, `comma`, `colon`, `brace`
(doubled), `closer` (a bracket inserted, removed or replaced), `quote`, `escape` and `control` (in a
string), `key` (without quotes), `literal` (`True`, `None`, `tru`), `number` (`+1`, `.5`, `0x10`),
`word` (a string without quotes, where the schema wants a string) and `truncated` (the text ends in
this string or number, which may be incomplete).
"""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from pyfunctools._json import JsonSchema
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.schema.parsing.strict import Strict, read_strictly, unreadable
from pyfunctools.schema.result import Failure, Success

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyfunctools.schema.outline.outline import Place


def parse(
    text: str | bytes, schema: Mapping[str, Any] | None = None, *, limits: Limits = DEFAULT_LIMITS
) -> Success[Any] | Failure:
    """Return the value in a text: strict JSON, or broken JSON that can be repaired with certainty.

    A repair changes spelling and never invents a value; anything ambiguous is an issue. With a
    `schema`, a word without quotes is a string where a string is wanted, and a number is a string,
    as it was written, where a string and no number is wanted. `bytes` are UTF-8. The value of a
    `Failure` is the text.

    Raises:
        SchemaError: the schema was needed and is invalid; see `normalize`.
    """
    return parse_at(text, partial(_place_of, schema) if schema else None, limits)


def _place_of(schema: JsonSchema) -> "Place":
    from pyfunctools.schema.normalization.normalize import normalize
    from pyfunctools.schema.outline.outline import Outline

    return Outline(normalize(schema)).place


def parse_at(
    text: str | bytes, wanted: "Callable[[], Place] | None", limits: Limits = DEFAULT_LIMITS
) -> Success[Any] | Failure:
    """Return the value in a text; `wanted` returns its place in the schema, when that is needed."""
    read = read_strictly(text, limits)
    return read if isinstance(read, Failure) else recovered(text, read, wanted, limits)


def recovered(
    text: str | bytes,
    read: Strict | None,
    wanted: "Callable[[], Place] | None",
    limits: Limits = DEFAULT_LIMITS,
) -> Success[Any] | Failure:
    """Return the value in a text that `read_strictly` has read; see `parse_at`."""
    if read is not None and (wanted is None or not read.fractions):
        return Success(value=read.value)
    place = None if wanted is None else wanted()
    if read is not None and place is not None and not place.misplaced_floats(read.value)[1]:
        return Success(value=read.value)
    from pyfunctools.schema.parsing.locate import extract  # few texts need it

    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            return unreadable(text, f"text in UTF-8, which the byte at {error.start} is not")
    return extract(text, limits, place)
