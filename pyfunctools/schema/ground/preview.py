"""A value as one short line of text, whatever its type and size."""

from collections.abc import Iterator
from itertools import chain, repeat
from json import JSONEncoder, dumps
from math import isfinite
from typing import cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import shortened, visible

LINE = 64
"""Characters of a value that a message quotes."""

CONTAINERS = (dict, list, tuple)
_TEXT = frozenset({str})
_DIGITS = 1_000
_SHORT = 1 << 62
_quoted = JSONEncoder(ensure_ascii=False).encode


def preview(value: JsonValue, limit: int = LINE) -> str:
    """Return the value as JSON on one line, cut to at most `limit` characters with an ellipsis.

    The value may be of any type and contain itself. The cost depends on `limit`, not on the value.
    """
    if not isinstance(value, CONTAINERS):
        return preview_scalar(value, limit)
    if _is_plain(value, limit):
        text = _quoted(value)
        if len(text) <= limit and text.isascii() and text.isprintable():
            return text
    text = ""
    closers: list[str] = []
    stack: list[Iterator[tuple[str, JsonValue]]] = [iter((("", value),))]
    while stack and len(text) <= limit:
        for before, inner in stack[-1]:
            if isinstance(inner, CONTAINERS):
                brackets, members = _members(inner, limit)
                text += before + brackets[0]
                closers.append(brackets[1])
                stack.append(members)
                break
            text += before + preview_scalar(inner, limit)
            if len(text) > limit:
                break
        else:
            stack.pop()
            text += closers.pop() if closers else ""
    return shortened(text, limit)


def _is_plain(value: JsonValue, limit: int, depth: int = 2) -> bool:
    """Return whether a value is small and of plain types, so that the encoder may write it."""
    kind = type(value)
    if kind is str or kind is int:
        return (
            len(value) <= limit if isinstance(value, str) else -_SHORT < cast("int", value) < _SHORT
        )
    if not isinstance(value, (dict, list)):
        return kind is float or kind is bool or value is None
    if not depth or len(value) > limit // 3 or (kind is not dict and kind is not list):
        return False
    if isinstance(value, dict):
        if not _TEXT.issuperset(map(type, value)):
            return False
        value = [*value.values()]
    return all(_is_plain(inner, limit, depth - 1) for inner in value)


def preview_scalar(value: object, limit: int = LINE) -> str:
    """Return a scalar as JSON, a text cut to at most `limit` characters with its quotes.

    Invisible characters are escaped. A value that is not JSON becomes its type: `<bytes>`.
    """
    if isinstance(value, str):
        cut = _text(value, limit - 2)
        return cut if len(cut) <= limit else _text(value, limit // 6 - 2)
    if isinstance(value, bool) or value is None:
        return "null" if value is None else "true" if value else "false"
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return float.__repr__(value) if isfinite(value) else dumps(float(value))
    return f"<{type(value).__name__}>"


def escape_invisible(text: str) -> str:
    """Return the text with invisible characters, other than line feeds, as JSON escapes."""
    if visible(text) == text:
        return text
    return "".join(c if visible(c) else dumps(c)[1:-1] for c in text)


def _text(value: str, limit: int) -> str:
    if len(value) <= limit and type(value) is str and value.isascii() and value.isprintable():
        return f'"{value}"' if '"' not in value and "\\" not in value else _quoted(value)
    limit = max(limit, 1)
    cut = shortened(str(value[: limit + 1]), limit)
    return escape_invisible(_quoted(cut))


def _integer(value: int) -> str:
    if -_SHORT < value < _SHORT:
        return str(int(value))
    # Python writes no integer of more than 4,300 digits (`sys.int_info`).
    digits = value.bit_length() * 30103 // 100000 + 1
    return str(int(value)) if digits < _DIGITS else f"<integer of about {digits} digits>"


def _members(
    value: JsonObject | list[JsonValue] | tuple[JsonValue, ...], limit: int
) -> tuple[str, Iterator[tuple[str, JsonValue]]]:
    """Return the brackets of an object or array, and its members, each after its comma and name."""
    commas = chain(("",), repeat(", "))
    if not isinstance(value, dict):
        return "[]", zip(commas, value, strict=False)
    names = (
        f"{comma}{preview_scalar(key, limit)}: " for comma, key in zip(commas, value, strict=False)
    )
    return "{}", zip(names, value.values(), strict=False)
