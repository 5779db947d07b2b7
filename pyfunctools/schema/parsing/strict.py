"""A fast reader of strict JSON (RFC 8259)."""

from collections.abc import Callable, Iterable
from functools import cache
from json import JSONDecoder, JSONEncoder
from math import isfinite
from typing import NamedTuple

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.schema.ground.issue import side_issue
from pyfunctools.schema.result import Failure


class Strict(NamedTuple):
    """A value that was strict JSON.

    `fractions` is whether a number in it has a fraction or an exponent, `whole` whether one of
    those numbers is whole (`42.0`).
    """

    value: JsonValue
    fractions: bool
    whole: bool


def parse_strict(text: str | bytes, depth: int) -> Strict | None:
    """Return the value of strict JSON, or `None` for anything else.

    Also rejected: a duplicate key, `NaN`, a number out of range, half of a surrogate pair and more
    than `depth` levels (RFC 8259, sections 4, 6 and 8.2; RFC 7493, section 2). Integers are exact,
    up to 4,300 digits.
    """
    try:
        value = _reader()(text, cache_strings="keys")
    except (ValueError, TypeError):  # `TypeError`: half of a surrogate pair, unescaped
        return None
    if not isinstance(value, (dict, list)):
        if not isinstance(value, float):
            return Strict(value, False, False)
        return Strict(value, True, value.is_integer()) if isfinite(value) else None
    survey = _survey(value, depth)
    if survey is None:
        return None
    members, fractions, whole = survey
    written = text if isinstance(text, str) else text.decode()
    if members and not _once(written, members) and not _unique(written):
        return None
    return Strict(value, fractions, whole)


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
                half = f"character {error.start} is half of a surrogate pair"
                return unreadable(text, f"characters that UTF-8 can encode: {half}")
    elif not isinstance(text, bytes):  # pyright: ignore[reportUnnecessaryIsInstance]
        known = isinstance(text, dict | list | int | float | bool | None)
        return unreadable(text if known else None, "the arguments as text")
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
    return unreadable(value, f"text of at most {limits.text} bytes in UTF-8")


def unreadable(value: JsonValue | bytes, expected: str) -> Failure:
    """Return the failure of a text that cannot be read as a whole."""
    if isinstance(value, bytes):
        value = value.decode(errors="backslashreplace")
    return Failure(value=value, issues=(side_issue("whole", (), expected),))


@cache
def _reader() -> Callable[..., JsonValue]:
    # Twice as fast as `json.loads`. It rejects half surrogate pairs, bytes that are not UTF-8 and
    # more than 200 levels, and needs little stack. The first use imports it.
    from pydantic_core import from_json

    return from_json


def _survey(value: JsonObject | list[JsonValue], depth: int) -> tuple[int, bool, bool] | None:
    """Return the count of members of all objects, and whether there are floats, and whole floats.

    `None` if a number is infinite (it was out of range) or `NaN`, or the nesting is too deep.
    """
    members = 0
    fractions = whole = False
    level: list[Iterable[JsonValue]] = [value]
    if isinstance(value, dict):
        members = len(value)
        level = [value.values()]
    while depth:
        depth -= 1
        below: list[Iterable[JsonValue]] = []
        for values in level:
            for inner in values:
                # `isinstance` or `cast` would take twice as long.
                kind = type(inner)
                if kind is str:
                    continue
                if kind is dict:
                    held: JsonObject = inner  # pyright: ignore[reportAssignmentType]
                    members += len(held)
                    below.append(held.values())
                elif kind is list:
                    items: list[JsonValue] = inner  # pyright: ignore[reportAssignmentType]
                    below.append(items)
                elif kind is float:
                    fractions = True
                    number: float = inner  # pyright: ignore[reportAssignmentType]
                    if number.is_integer():
                        whole = True
                    elif not isfinite(number):
                        return None
        if not below:
            return members, fractions, whole
        level = below
    return None


def has_whole_float(value: JsonValue) -> bool:
    """Return whether JSON has a float such as `42.0`; much faster than to look where it stands."""
    survey = _survey([value], DEFAULT_LIMITS.depth + 1)
    return survey is not None and survey[2]


def _once(text: str, members: int) -> bool:
    """Return whether counting colons proves that no key was written twice.

    The text has at most as many members as colons, or as `":` if no colon has space before it. If
    the value has that many, no member replaced another of the same name.
    """
    return text.count(":") == members or (
        text.count('":') == members
        and " :" not in text
        and not any(space in text and space + ":" in text for space in "\n\t\r")
    )


def _unique(text: str) -> bool:
    try:
        _PAIRS.decode(text)
    except ValueError:
        return False
    return True


def _members(pairs: list[tuple[str, JsonValue]]) -> None:
    if len(dict(pairs)) != len(pairs):
        raise ValueError


_PAIRS = JSONDecoder(object_pairs_hook=_members)
