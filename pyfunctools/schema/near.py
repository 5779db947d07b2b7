"""The name that was meant by one that is wrong."""

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache

_NAME = 64
_COMPARED = 200
"""How many names of at most how many characters are compared with a wrong one."""
_NEAR = 0.6
"""How much of two names must be alike, as `difflib` counts it."""


def near_name(name: str, known: Iterable[str]) -> str | None:
    """Give the name that was probably meant; case and what is no letter or digit may differ."""
    size = len(name)
    if size > _NAME:
        return None
    names = [text for text in known if len(text) <= _NAME][:_COMPARED]
    bare = _bare(name)
    for text in names:
        if _bare(text) == bare:
            return text
    # What shares too few letters cannot come near enough; seeing that first is far quicker.
    letters = frozenset(name)
    close = [
        text
        for text in names
        if 2 * min(size, len(text)) / (size + len(text)) >= _NEAR
        and 2 * sum(map(letters.__contains__, text)) / (size + len(text)) >= _NEAR
    ]
    return next(iter(get_close_matches(name, close, 1, _NEAR)), None) if close else None


@lru_cache(maxsize=1024)
def _bare(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()
