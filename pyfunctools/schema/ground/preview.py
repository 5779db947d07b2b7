"""A value as one short line of text, whatever its type and size."""

from collections.abc import Iterator
from json import JSONEncoder, dumps

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import shortened, visible

LINE = 64
"""Characters of a value that a message quotes."""

_DIGITS = 1_000
_SHORT = 1 << 62
_quoted = JSONEncoder(ensure_ascii=False).encode


def preview(value: JsonValue, limit: int = LINE) -> str:
    """Return the value as JSON on one line, cut to at most `limit` characters with an ellipsis.

    The value may be of any type and contain itself. The cost depends on `limit`, not on the value.
    """
    if not isinstance(value, dict | list | tuple):
        return preview_scalar(value, limit)
    text = ""
    for piece in _pieces(value, limit):
        text += piece
        if len(text) > limit:
            return shortened(text, limit)
    return text


def preview_scalar(value: object, limit: int = LINE) -> str:
    """Return a scalar as JSON, a text cut to at most `limit` characters with its quotes.

    Invisible characters are escaped. A value that is not JSON becomes its type: `<bytes>`.
    """
    if isinstance(value, str):
        cut = _text(value, limit - 2)
        return cut if len(cut) <= limit else _text(value, limit // 6 - 2)
    if isinstance(value, bool) or value is None:
        return dumps(value)
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        return dumps(float(value))
    return f"<{type(value).__name__}>"


def escape_invisible(text: str) -> str:
    """Return the text with invisible characters, other than line feeds, as JSON escapes."""
    if visible(text) == text:
        return text
    return "".join(c if visible(c) else dumps(c)[1:-1] for c in text)


def _text(value: str, limit: int) -> str:
    if len(value) <= limit and type(value) is str and value.isascii() and value.isprintable():
        return _quoted(value)  # nearly all text
    limit = max(limit, 1)
    cut = shortened(str(value[: limit + 1]), limit)
    return escape_invisible(_quoted(cut))


def _integer(value: int) -> str:
    if -_SHORT < value < _SHORT:
        return str(int(value))
    # Python writes no integer of more than 4,300 digits (`sys.int_info`).
    digits = value.bit_length() * 30103 // 100000 + 1
    return str(int(value)) if digits < _DIGITS else f"<integer of about {digits} digits>"


def _pieces(value: JsonValue, limit: int) -> Iterator[str]:
    stack: list[Iterator[tuple[str, JsonValue]]] = [iter((("", value),))]
    closers: list[str] = [""]
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
            yield closers.pop()
            continue
        before, inner = step
        if isinstance(inner, dict):
            yield before + "{"
            stack.append(_members(inner, limit))
            closers.append("}")
        elif isinstance(inner, list | tuple):
            yield before + "["
            stack.append((", " if n else "", item) for n, item in enumerate(inner))
            closers.append("]")
        else:
            yield before + preview_scalar(inner, limit)


def _members(value: JsonObject, limit: int) -> Iterator[tuple[str, JsonValue]]:
    for n, (key, inner) in enumerate(value.items()):
        yield f"{', ' if n else ''}{preview_scalar(key, limit)}: ", inner
