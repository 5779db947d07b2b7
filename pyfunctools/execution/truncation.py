"""Truncates a text for a model: JSON stays JSON, other text loses its middle.

An array keeps its first items and ends in a text with the number of omitted ones. An object keeps
every property that fits: small ones whole, and large ones share the remaining room and are
truncated in turn; `{"rows": [...], "total": 9}` keeps its `total`. Strings lose their middle.
"""

from json import dumps, loads
from typing import TypeAlias, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import quantity

LEAST = 80
"""The fewest characters for a property or an item; with less room it is left out."""

_NAMED = 200
"""Characters that are reserved for the list of properties that were left out."""

Sizes: TypeAlias = dict[int, int]
"""The length of each array and object of a value as JSON, by its `id`."""


def truncated(text: str, limit: int) -> str:
    """Return the text in at most `limit` characters, with a note in place of each omission."""
    if len(text) <= limit:
        return text
    if text.lstrip()[:1] in ("{", "["):
        try:
            short = _dumped(_cut(cast("JsonValue", loads(text)), limit, {}))
        except (ValueError, RecursionError):  # not JSON, or nested too deeply
            short = None
        if short is not None and len(short) <= limit:
            return short
    return _middle(text, limit)


def _size(value: JsonValue, sizes: Sizes) -> int:
    """Return the length of a value as JSON; that of an array or an object is counted once."""
    if not isinstance(value, dict | list):
        return len(_dumped(value))
    if id(value) not in sizes:
        names = [len(_dumped(key)) + 1 for key in value] if isinstance(value, dict) else ()
        held = value.values() if isinstance(value, dict) else value
        sizes[id(value)] = max(sum(names) + sum(1 + _size(each, sizes) for each in held) + 1, 2)
    return sizes[id(value)]


def _cut(value: JsonValue, limit: int, sizes: Sizes) -> JsonValue:
    if _size(value, sizes) <= limit:
        return value
    if isinstance(value, dict):
        return _cut_object(value, limit, sizes)
    if isinstance(value, list):
        return _cut_array(value, limit, sizes)
    if isinstance(value, str):
        room = limit - 2
        while len(_dumped(short := _middle(value, room))) > limit and room > 0:
            room = room * 3 // 4  # escapes take room too
        return short
    return "…"  # a very long number


def _cut_array(value: list[JsonValue], limit: int, sizes: Sizes) -> JsonValue:
    left = limit - len(_dumped(_more(len(value), "item"))) - 4
    kept: list[JsonValue] = []
    for item in value:
        size = _size(item, sizes) + 1
        if size <= left:
            kept.append(item)
            left -= size
            continue
        if size > limit // 2 and left >= LEAST:  # it would never fit whole
            kept.append(_cut(item, left - 1, sizes))
        break
    return [*kept, _more(len(value) - len(kept), "item")] if len(kept) < len(value) else kept


def _cut_object(value: JsonObject, limit: int, sizes: Sizes) -> JsonValue:
    whole = {key: _size(each, sizes) for key, each in value.items()}
    spare = limit - 2 - _NAMED - LEAST
    shares: dict[str, int] = {}
    for key in value:  # as many as fit with their minimum
        share = min(whole[key], LEAST)
        needed = len(_dumped(key)) + 2 + share
        if needed > spare:
            break
        shares[key] = share
        spare -= needed
    large = sorted((key for key in shares if whole[key] > LEAST), key=whole.__getitem__)
    for n, key in enumerate(large):  # what a small one leaves goes to the larger ones
        more = min(whole[key] - LEAST, spare // (len(large) - n))
        shares[key] += more
        spare -= more
    short: JsonObject = {key: _cut(value[key], share, sizes) for key, share in shares.items()}
    omitted = [key for key in value if key not in short]
    if omitted:
        mark = "…"
        while mark in short:
            mark += "…"
        short[mark] = (
            f"{_more(len(omitted), 'property')}: {_middle(', '.join(omitted), _NAMED // 2)}"
        )
    return short


def _more(count: int, unit: str) -> str:
    return f"… {quantity(count, f'more {unit}')}"


def _middle(text: str, limit: int) -> str:
    """Return a text that fits the limit, if necessary without its middle."""
    if len(text) <= limit:
        return text
    room = limit - len(_left_out(len(text)))
    if room < 2:
        return text[: max(limit, 0)]
    tail = room // 2
    return text[: room - tail] + _left_out(len(text) - room) + text[len(text) - tail :]


def _left_out(count: int) -> str:
    return f" … {count:,} characters left out … "


def _dumped(value: JsonValue) -> str:
    return dumps(value, ensure_ascii=False, separators=(",", ":"))
