"""Keywords that nobody knows, and that are probably misspelled ones that somebody meant."""

from functools import lru_cache

from pyfunctools.schema.vocabulary import DRAFT, IDENTITY, KEYWORDS, NAMED, REMARKS

_SAYING_NOTHING = DRAFT | REMARKS | IDENTITY - NAMED | {"x-nullable"}
_MEANT = sorted(KEYWORDS.keys() - _SAYING_NOTHING)
"""Keywords without which a schema says something else of a value, or a model reads less."""
_SHORT = {"max": "maximum", "min": "minimum"}
_LEAST = 4
"""Letters of a keyword that a word can be a slip of: `note` is none of `not`."""
_WORD = 3
"""Letters of such a word."""
_LONG = 8
"""Letters of a word from which on two slips are one keyword still, and not another word."""


@lru_cache(maxsize=4096)
def keyword_meant(word: str) -> str | None:
    """Return the keyword that a word which is none was probably meant as, or `None`.

    What differs in case, in `_`, `-` or `$` is the same word (`min_length`). Otherwise one letter
    may be wrong, missing, too many or exchanged with its neighbour, and two in a word of eight
    letters or more that is about as long (`propertys`). `enumNames` and `isNullable` are no slips.
    """
    if word in KEYWORDS or word.startswith("x-") or len(word) > 64:
        return None
    if word in _SHORT:
        return _SHORT[word]
    bare = _bare(word)
    for keyword in _MEANT:
        if bare == _bare(keyword):
            return keyword
    most = 2 if len(bare) >= _LONG else 1
    found = [
        (slips, keyword)
        for keyword in _MEANT
        if len(other := _bare(keyword)) >= _LEAST
        and len(bare) >= _WORD
        and abs(len(bare) - len(other)) <= 1
        and (slips := _slips(bare, other)) <= most
    ]
    return min(found)[1] if found else None


def _bare(word: str) -> str:
    return "".join(filter(str.isalnum, word)).casefold()


def _slips(one: str, other: str) -> int:
    """Count the single slips between two words (optimal string alignment)."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
