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
from json import JSONEncoder
from typing import TYPE_CHECKING, Any, Final

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.parsing.strict import Strict, parse_strict
from pyfunctools.schema.result import Failure, Issue, Success

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyfunctools.schema.outline.outline import Place

_ROOT: Final = Path.of(())


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
    if isinstance(read, Failure):
        return read
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
            message = f"The byte at offset {error.start} of the text is not UTF-8."
            return _failure(text, "text in UTF-8", message)
    return extract(text, limits, place)


def read_strictly(text: str | bytes, limits: Limits = DEFAULT_LIMITS) -> Strict | Failure | None:
    """Return the value of strict JSON, a failure for a text that cannot be read, else `None`.

    `None` means that the text is not strict JSON but may be repaired.
    """
    data: str | bytes = text
    if isinstance(text, str):
        if not text.isascii() and len(text) <= limits.text:
            try:
                data = text.encode()
            except UnicodeEncodeError as error:
                return _half_pair(text, error.start)
    elif not isinstance(text, bytes):  # pyright: ignore[reportUnnecessaryIsInstance]
        known = isinstance(text, dict | list | int | float | bool | None)
        message = f"A {type(text).__name__} is not text."
        return _failure(text if known else None, "the arguments as text", message)
    if len(data) > limits.text:
        return _too_long(text, limits)
    return parse_strict(data, limits.depth)


def longer_than_a_text(value: JsonValue, limits: Limits = DEFAULT_LIMITS) -> Failure | None:
    """Return the failure of a value whose JSON is longer than a text may be, else `None`."""
    try:
        size = len(_compact(value).encode(errors="surrogatepass"))
    except (TypeError, ValueError, RecursionError):  # no JSON: the check says so
        return None
    return _too_long({}, limits) if size > limits.text else None


_compact = JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _too_long(value: JsonValue | bytes, limits: Limits) -> Failure:
    message = f"The text is longer than {limits.text} bytes."
    return _failure(value, f"text of at most {limits.text} bytes in UTF-8", message)


def _half_pair(text: str, at: int) -> Failure:
    from pyfunctools.schema.parsing.recovery import line_and_column

    line, column = line_and_column(text, at)
    character = f"The character U+{ord(text[at]):04X} at line {line} column {column}"
    message = f"{character} is half of a surrogate pair."
    return _failure(text, "characters that UTF-8 can encode", message)


def _failure(value: JsonValue | bytes, expected: str, message: str) -> Failure:
    if isinstance(value, bytes):
        value = value.decode(errors="backslashreplace")
    issue = Issue(path=_ROOT, expected=expected, value=None, message=message)
    return Failure(value=value, issues=(issue,))
