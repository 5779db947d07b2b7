"""The names that may have been meant by one that is wrong."""

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache

_NAME = 64
"""Characters of the longest name that is compared."""
_COMPARED = 64
"""Names that are compared letter by letter; of more, those that share most with the wrong one."""
_NEAR = 0.6
"""How much of two names must be alike, as `difflib` counts it."""
_HITS = 200
"""Of a wrong name among many: in how many names each part of it is looked up."""
_LIKELY = 16
"""Of the names that share a part, how many are compared."""


def near_name(name: str, known: Iterable[str]) -> str | None:
    """Return the name that was probably meant; case and what is no letter or digit may differ."""
    return next(iter(near_names(name, known, 1)), None)


def near_names(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Return the names that were probably meant, the likeliest first.

    Ten thousand names cost a few milliseconds.
    """
    size = len(name)
    if size > _NAME:
        return []
    names = [text for text in known if len(text) <= _NAME]
    if len(names) > _COMPARED:
        names = _likely(name, names)
    bare = _bare(name)
    same = [text for text in names if _bare(text) == bare][:most]
    # What shares too few letters cannot come near enough; seeing that first is far quicker.
    letters = frozenset(name)
    close = [
        text
        for text in names
        if 2 * min(size, len(text)) / (size + len(text)) >= _NEAR
        and 2 * sum(map(letters.__contains__, text)) / (size + len(text)) >= _NEAR
    ]
    found = get_close_matches(name, close, most, _NEAR) if close and len(same) < most else []
    return list(dict.fromkeys([*same, *found]))[:most]


def _likely(name: str, names: list[str]) -> list[str]:
    """Return the names that share most with one, found by searching one long text for its parts.

    Of two mistyped letters at least one third of a name knows nothing, of one letter two thirds. A
    part counts most where it stands in the same place: at the beginning, or at the end.
    """
    names = [text for text in names if "\n" not in text]
    text = _folded("\n".join(["", *names, ""]))
    wanted = _folded(name)
    size = max(2, len(wanted) // 3)
    found: set[str] = set()
    for part in (wanted, wanted[: 2 * size], wanted[-2 * size :], wanted[:size], wanted[-size:]):
        if part:
            found |= _holding(f"\n{part}", text) | _holding(f"{part}\n", text)
    for part in (wanted, wanted[size:-size], wanted[:size], wanted[-size:]):
        if part:
            found |= _holding(part, text)
    turned = wanted[::-1]

    def alike(line: str) -> tuple[float, str]:
        shared = _shared(wanted, line) + _shared(turned, line[::-1])
        return shared / (len(wanted) + len(line)), line

    best = {*sorted(found, key=alike)[-_LIKELY:]}
    return [each for each, line in zip(names, text.split("\n")[1:], strict=False) if line in best]


def _folded(text: str) -> str:
    return text.lower().replace("-", "_").replace(".", "_").replace(" ", "_")


def _shared(one: str, other: str) -> int:
    """Return how many letters two texts begin with alike."""
    for size, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return size
    return min(len(one), len(other))


def _holding(piece: str, text: str) -> set[str]:
    """Return the first lines of a text that hold a piece."""
    found: set[str] = set()
    at = text.find(piece)
    while at >= 0 and len(found) < _HITS:
        end = text.find("\n", at + 1)
        found.add(text[text.rfind("\n", 0, at + 1) + 1 : end])
        at = text.find(piece, end)
    return found


@lru_cache(maxsize=1024)
def _bare(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()
