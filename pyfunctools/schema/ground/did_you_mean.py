"""Suggestions for a wrong name: the known names that are similar to it."""

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from functools import lru_cache
from heapq import nlargest

_LONGEST = 64
"""Characters of the longest name that is compared."""
_COMPARED = 64
"""The most names that are compared letter by letter; of more names, the `_LIKELY` likeliest."""
_LIKELY = 32
_SIMILARITY = 0.6
"""The least similarity of two names, as `difflib` measures it."""
_MISSPELLED = 0.75
"""The least similarity of a name and its misspelling."""


def near_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that was probably meant, or `None`; case and punctuation may differ."""
    return next(iter(near_names(name, known, 1)), None)


def meant_option(name: str, known: Iterable[str]) -> str | None:
    """Return what to write instead of an unknown option of Python: "Write `server=`."."""
    close = near_names(name, known, 1)
    return f"Write `{close[0]}=`." if close else None


def near_names(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Return the known names that were probably meant, the likeliest first.

    Names that differ only in case and punctuation are the only ones. Ten thousand names take about
    three milliseconds.
    """
    size = len(name)
    if not 0 < size <= _LONGEST:
        return []
    names = list(known)
    if max(map(len, names), default=0) > _LONGEST:
        names = [text for text in names if len(text) <= _LONGEST]
    if len(names) > _COMPARED:
        names = _likeliest(name, names)
    wanted = letters_of(name)
    if same := [text for text in names if letters_of(text) == wanted]:
        return list(dict.fromkeys(same))[:most]
    # Names that share too few letters cannot be similar; this check is far quicker than `difflib`.
    letters = frozenset(name)
    close = [
        text
        for text in names
        if 2 * min(size, len(text)) / (size + len(text)) >= _SIMILARITY
        and 2 * sum(map(letters.__contains__, text)) / (size + len(text)) >= _SIMILARITY
    ]
    return list(dict.fromkeys(get_close_matches(name, close, most, _SIMILARITY)))


def is_misspelled(name: str, known: str) -> bool:
    """Return whether a name is so similar to a known one that it is hardly anything else."""
    return SequenceMatcher(None, name[:_LONGEST], known).ratio() >= _MISSPELLED


def _likeliest(name: str, names: list[str]) -> list[str]:
    """Return the names that contain the most pieces of a name, a fifth of it each."""
    wanted = _folded(name)
    size = max(2, len(wanted) // 5)
    starts = range(0, max(1, len(wanted) - size + 1), size - 1)
    text = "\n".join(["", *names, ""])
    folded = _folded(text)  # all at once, which is much faster
    if len(folded) != len(text) or text.count("\n") != len(names) + 1:  # rare letters
        text = folded = "\n".join(["", *(each for each in names if "\n" not in each), ""])
    found = dict[str, int]()
    for piece in dict.fromkeys(wanted[at : at + size] for at in starts):
        at = -len(piece)
        for part in folded.split(piece)[:-1]:
            at += len(piece) + len(part)
            each = text[text.rfind("\n", 0, at) + 1 : text.find("\n", at)]
            found[each] = found.get(each, 0) + 1
    return nlargest(_LIKELY, found, key=lambda each: found[each] / (len(each) + len(name)))


def _folded(text: str) -> str:
    return text.lower().replace("-", "_")


@lru_cache(maxsize=1024)
def letters_of(name: str) -> str:
    """Return a name without case and punctuation: `min_length` and `minLength` are `minlength`."""
    return "".join(filter(str.isalnum, name)).casefold()
