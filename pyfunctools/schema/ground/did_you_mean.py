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
_LOOKED_UP = 800
"""The most places of pieces that are looked up."""
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

    Names that differ only in case and punctuation are the only ones. Ten thousand names take two
    milliseconds, and ten more the first time.
    """
    size = len(name)
    if not 0 < size <= _LONGEST:
        return []
    names = tuple(known)
    likely = _short(_likeliest(name, names) if len(names) > _COMPARED else names)
    wanted = letters_of(name)
    if same := [text for text in likely if letters_of(text) == wanted]:
        return list(dict.fromkeys(same))[:most]
    # Names that share too few letters cannot be similar; this check is far quicker than `difflib`.
    letters = frozenset(name)
    close = [
        text
        for text in likely
        if 2 * min(size, len(text)) / (size + len(text)) >= _SIMILARITY
        and 2 * sum(map(letters.__contains__, text)) / (size + len(text)) >= _SIMILARITY
    ]
    return list(dict.fromkeys(get_close_matches(name, close, most, _SIMILARITY)))


def is_misspelled(name: str, known: str) -> bool:
    """Return whether a name is so similar to a known one that it is hardly anything else."""
    return SequenceMatcher(None, name[:_LONGEST], known).ratio() >= _MISSPELLED


def _likeliest(name: str, names: tuple[str, ...]) -> list[str]:
    """Return the names with the letters of a name, or else those with the most halves and thirds.

    A piece that many names contain says little and is slow to look up, so the rare ones come first.
    """
    folded, spelled = _index_of(names)
    if same := spelled.get(letters_of(name)):
        return same
    wanted = _folded(name)
    sizes = {max(2, len(wanted) // parts) for parts in (2, 3)}
    pieces = {wanted[at : at + size] for size in sizes for at in range(0, len(wanted), size)}
    places = ((folded.split(piece), piece) for piece in pieces if len(piece) > 1)
    found, left = dict[str, int](), _LOOKED_UP
    for parts, piece in sorted(places, key=lambda each: len(each[0])):
        at = -len(piece)
        for part in parts[: min(left, len(parts) - 1)]:
            at += len(piece) + len(part)
            line = folded[folded.rfind("\n", 0, at) + 1 : folded.find("\n", at)]
            found[line] = found.get(line, 0) + len(piece)
        left = max(0, left - len(parts))
    best = nlargest(_LIKELY, found, key=lambda line: found[line] - abs(len(line) - len(name)))
    return [each for line in best for each in spelled.get("\n" + line, ())]


@lru_cache(maxsize=4)
def _index_of(names: tuple[str, ...]) -> tuple[str, dict[str, list[str]]]:
    """Return names as lines without case, and the names by their letters and by their lines."""
    spelled: dict[str, list[str]] = {}
    for each in _short(names):
        spelled.setdefault("".join(filter(str.isalnum, each)).casefold(), []).append(each)
        spelled.setdefault("\n" + _folded(each), []).append(each)
    return "\n".join(["", *(line[1:] for line in spelled if line[:1] == "\n"), ""]), spelled


def _short(names: Iterable[str]) -> list[str]:
    return [each for each in names if len(each) <= _LONGEST]


def _folded(text: str) -> str:
    return text.lower().replace("-", "_").replace("\n", " ")


@lru_cache(maxsize=1024)
def letters_of(name: str) -> str:
    """Return a name without case and punctuation: `min_length` and `minLength` are `minlength`."""
    return "".join(filter(str.isalnum, name)).casefold()
