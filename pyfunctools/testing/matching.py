"""Random texts that a regular expression matches."""

import re
import string
from collections.abc import Callable, Iterator
from importlib import import_module
from random import Random
from typing import Any

# Python's own parser of patterns, which has no public name.
_PARSER: Any = import_module("re._parser")
_CODES: Any = import_module("re._constants")


class Matching:
    """Random texts for Python patterns; look-around is ignored."""

    def __init__(self, random: Random, word: Callable[[], str]) -> None:
        self._random = random
        self._word = word

    def text(self, pattern: str) -> str:
        """Return a text that matches the pattern, or any word if the pattern is invalid."""
        try:
            return "".join(self._texts(_PARSER.parse(pattern)))
        except (re.error, KeyError, OverflowError):
            return self._word()

    def _texts(self, parsed: Any) -> Iterator[str]:
        for operator, given in parsed:
            name = str(operator)
            if name == "LITERAL":
                yield chr(given)
            elif name in ("NOT_LITERAL", "ANY"):
                yield "a" if given != ord("a") else "b"
            elif name == "IN":
                yield self._one_of(given)
            elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
                least, most, inner = given
                for _ in range(self._random.randint(least, min(most, least + 3))):
                    yield from self._texts(inner)
            elif name == "SUBPATTERN":
                yield from self._texts(given[-1])
            elif name == "ATOMIC_GROUP":
                yield from self._texts(given)
            elif name == "BRANCH":
                yield from self._texts(self._random.choice(given[1]))

    def _one_of(self, members: Any) -> str:
        kinds = {
            _CODES.CATEGORY_DIGIT: string.digits,
            _CODES.CATEGORY_WORD: string.ascii_letters + string.digits + "_",
            _CODES.CATEGORY_SPACE: " ",
            _CODES.CATEGORY_NOT_SPACE: string.ascii_letters,
            _CODES.CATEGORY_NOT_DIGIT: string.ascii_letters,
            _CODES.CATEGORY_NOT_WORD: "-",
        }
        found: set[str] = set()
        negated = False
        for operator, given in members:
            name = str(operator)
            negated = negated or name == "NEGATE"
            if name == "LITERAL":
                found.add(chr(given))
            elif name == "RANGE":
                found.update(map(chr, range(given[0], min(given[1], given[0] + 200) + 1)))
            elif name == "CATEGORY":
                found.update(kinds[given])
        usual = string.ascii_letters + string.digits + " -_."
        choices = [c for c in usual if c not in found] if negated else sorted(found)
        return self._random.choice([c for c in choices if c in usual] or choices or ["\u4e2d"])
