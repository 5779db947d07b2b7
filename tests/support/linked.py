"""The tests that JSON tables link to, as `file::test`."""

import re
from collections.abc import Iterable
from pathlib import Path

TESTS = Path(__file__).parents[1]


def missing(names: Iterable[str]) -> list[str]:
    """Return the links without a test."""
    return [name for name in names if not _is_there(name)]


def _is_there(name: str) -> bool:
    file, _, test = name.partition("::")
    found = [path.read_text() for path in TESTS.rglob(f"{file}.py")]
    return len(found) == 1 and bool(re.search(rf"^def {test}\(", found[0], re.MULTILINE))
