"""What a model wrote -> the value it wrote, with every repair that took.

The kinds of repair: `bom`, `fence`, `tag`, `prose` and `rest` (left out around the value, `rest`
being what began another one), `comment`, `space`, `comma`, `colon`, `brace` (doubled), `closer`
(a bracket put in, left out or replaced), `quote`, `escape` and `control` (of a string), `key`
(without quotes), `literal` (`True`, `None`, `tru`), `number` (`+1`, `.5`, `0x10`), `word` (without
quotes where the schema wants a string), and `truncated`: the text ends in this string or number,
so there may have been more of it.
"""

from collections.abc import Mapping
from functools import partial
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
    """Return the value that a text says: strict JSON first, then what a model may have meant by it.

    The recovery changes spelling and never invents: what was written in no way that can be read
    for certain is an issue. With a `schema` a word without quotes is a string where one is wanted,
    and so is a number where nothing else is, as it was written. `bytes` are UTF-8. The value of a
    `Failure` is the text.

    Raises:
        SchemaError: the schema had to be asked, and is none; see `normalize`.
    """
    return parse_at(text, partial(_place_of, schema) if schema else None, limits)


def _place_of(schema: JsonSchema) -> "Place":
    from pyfunctools.schema.normalization.normalize import normalize
    from pyfunctools.schema.outline.outline import Outline

    return Outline(normalize(schema)).place


def parse_at(
    text: str | bytes, wanted: "Callable[[], Place] | None", limits: Limits = DEFAULT_LIMITS
) -> Success[Any] | Failure:
    """Return the value that a text says; `wanted` returns the place it is for, if it is asked."""
    read = read_strictly(text, limits)
    if isinstance(read, Failure):
        return read
    if read is not None and (wanted is None or not read.fractions):
        return Success(value=read.value)
    # What says what is wanted, and what recovers, are loaded by the first text that needs them.
    place = None if wanted is None else wanted()
    if read is not None and place is not None and not place.has_float_for_string(read.value):
        return Success(value=read.value)
    from pyfunctools.schema.parsing.locate import extract

    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            message = f"The byte at offset {error.start} of the text is not UTF-8."
            return _failure(text, "text in UTF-8", message)
    return extract(text, limits, place)


def read_strictly(text: str | bytes, limits: Limits = DEFAULT_LIMITS) -> Strict | Failure | None:
    """Return the value of strict JSON, or why the text cannot even be looked at.

    `None` where it is something else, which may be recovered.
    """
    data: str | bytes = text
    if isinstance(text, str):
        if not text.isascii() and len(text) <= limits.text:
            try:
                data = text.encode()
            except UnicodeEncodeError as error:
                return _half_pair(text, error.start)
    elif not isinstance(text, bytes):  # pyright: ignore[reportUnnecessaryIsInstance]
        return _no_text(text)
    if len(data) > limits.text:
        message = f"The text is longer than {limits.text} bytes."
        return _failure(text, f"text of at most {limits.text} bytes in UTF-8", message)
    return parse_strict(data, limits.depth)


def _half_pair(text: str, at: int) -> Failure:
    from pyfunctools.schema.parsing.recovery import place_of

    line, column = place_of(text, at)
    message = f"The character U+{ord(text[at]):04X} at line {line} column {column} is half a pair."
    return _failure(text, "characters that UTF-8 can say", message)


def _no_text(value: JsonValue) -> Failure:
    message = f"A {type(value).__name__} is not text."
    known = isinstance(value, dict | list | int | float | bool | None)
    return _failure(value if known else None, "the arguments as text", message)


def _failure(value: JsonValue | bytes, expected: str, message: str) -> Failure:
    shown = value.decode(errors="backslashreplace") if isinstance(value, bytes) else value
    issue = Issue(path=_ROOT, expected=expected, value=None, message=message)
    return Failure(value=shown, issues=(issue,))
