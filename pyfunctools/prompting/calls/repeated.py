"""Calls that a model wrote again: looped, or said once more in another form."""

from collections.abc import Sequence
from json import dumps
from typing import Final

from pyfunctools._json import JsonValue
from pyfunctools.prompting.calls.found import Found

_LONGEST: Final = 32
"""Calls in a group that is looked for again right behind itself."""
_LOOP: Final = 3


def repetitions(found: Sequence[Found], arguments: Sequence[JsonValue]) -> dict[int, list[int]]:
    """Return the places of calls that only repeat another, under the place of that one.

    What stands in one group (a list, an array, a block of code) is there as often as it was
    written. A call of a later group that an earlier one holds is a repetition; and so are calls of
    one group of tags, where the same ones follow each other three times or more.
    """
    one = not found or found[0].group == found[-1].group
    if one and (len(found) < _LOOP or not any(each.loose for each in found)):
        return {}
    keys = [_key(each, value) for each, value in zip(found, arguments, strict=True)]
    again: dict[int, list[int]] = {}
    said: dict[str, int] = {}
    for begin, end in _groups(found):
        dropped: dict[int, int] = {}
        if end - begin >= _LOOP and all(each.loose for each in found[begin:end]):
            dropped = {
                begin + place: begin + first for place, first in _loops(keys[begin:end]).items()
            }
        for place in range(begin, end):
            first = said.get(keys[place], dropped.get(place))
            if first is not None:
                again.setdefault(first, []).append(place)
        for place in range(begin, end):
            said.setdefault(keys[place], place)
    return again


def _key(found: Found, arguments: JsonValue) -> str:
    name = found.name if found.function is None else found.function.name
    try:
        return dumps([name, arguments], sort_keys=True, default=repr)
    except (ValueError, RecursionError):
        return repr((name, id(found)))


def _groups(found: Sequence[Found]) -> list[tuple[int, int]]:
    starts = [n for n in range(len(found)) if not n or found[n].group != found[n - 1].group]
    return list(zip(starts, [*starts[1:], len(found)], strict=True))


def _loops(keys: Sequence[str]) -> dict[int, int]:
    """Return the places that repeat what stands before them, each with the place it repeats."""
    found: dict[int, int] = {}
    at = 0
    while at < len(keys):
        length, end = _loop(keys, at)
        for place in range(at + length, end):
            found[place] = at + (place - at) % length
        at = max(end, at + 1)
    return found


def _loop(keys: Sequence[str], at: int) -> tuple[int, int]:
    """Return how long the group is that begins here and loops, and where the loop ends."""
    for length in range(1, min(_LONGEST, (len(keys) - at) // _LOOP) + 1):
        end = at + length
        while end < len(keys) and keys[end] == keys[end - length]:
            end += 1
        if end - at >= length * _LOOP:
            whole = end if end == len(keys) else at + (end - at) // length * length
            return length, whole
    return 1, at + 1
