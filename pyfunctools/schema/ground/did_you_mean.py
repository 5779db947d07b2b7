"""Suggestions for a wrong name: the known names that are similar to it."""

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from heapq import nlargest

_LONGEST = 64
"""Characters of the longest name that is compared."""
_COMPARED = 64
"""The most names that are compared letter by letter; of more names, the `_LIKELY` likeliest."""
_LIKELY = 32
_SIMILARITY = 0.6
"""The least similarity of two names, as `difflib` measures it."""


def near_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that was probably meant, or `None`; case and punctuation may differ."""
    return next(iter(near_names(name, known, 1)), None)


def near_names(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Return the known names that were probably meant, the likeliest first.

    Ten thousand names take a few milliseconds.
    """
    size = len(name)
    if size > _LONGEST:
        return []
    names = [text for text in known if len(text) <= _LONGEST]
    if len(names) > _COMPARED:
        names = _likeliest(name, names)
    same = [text for text in names if letters_of(text) == letters_of(name)][:most]
    # Names that share too few letters cannot be similar; this check is far quicker than `difflib`.
    letters = frozenset(name)
    close = [
        text
        for text in names
        if 2 * min(size, len(text)) / (size + len(text)) >= _SIMILARITY
        and 2 * sum(map(letters.__contains__, text)) / (size + len(text)) >= _SIMILARITY
    ]
    found = get_close_matches(name, close, most, _SIMILARITY) if close and len(same) < most else []
    return list(dict.fromkeys([*same, *found]))[:most]


def _likeliest(name: str, names: list[str]) -> list[str]:
    """Return the names that contain the most pieces of a name, for their length.

    A piece is a fifth of the name.
    """
    wanted = _folded(name)
    size = max(2, len(wanted) // 5)
    starts = range(0, max(1, len(wanted) - size + 1), size - 1)
    pieces = [wanted[at : at + size] for at in starts]
    folded = [_folded(text) for text in names]
    found = zip(*([piece in text for text in folded] for piece in pieces), strict=True)
    rows = zip(found, names, strict=True)
    ranked = [(sum(row) / (len(text) + len(name)), text) for row, text in rows]
    return [text for _, text in nlargest(_LIKELY, ranked)]


def _folded(text: str) -> str:
    return text.lower().replace("-", "_")


@lru_cache(maxsize=1024)
def letters_of(name: str) -> str:
    """Return a name without case and punctuation: `min_length` and `minLength` are `minlength`."""
    return "".join(filter(str.isalnum, name)).casefold()
