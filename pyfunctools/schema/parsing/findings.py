"""What is found out about a text while it is read: its repairs and its issues, within bounds."""

from typing import Final

from pyfunctools._json import JsonValue
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.result import Issue, Repair

MAX_REPAIRS: Final = 100_000
"""A text that needs more repairs than this is no JSON."""
MAX_PATHS: Final = 16 << 20
"""Characters in the paths of all repairs; each holds the names of all objects around it."""


class Findings:
    """The repairs and the issues of one text, of which `most` issues are kept.

    `full` says that nothing further should be read.
    """

    def __init__(self, text: str, most: int) -> None:
        self._text = text
        self._most = most
        self._paths = MAX_PATHS
        self.full = False
        self.issues: list[Issue] = []
        self.repairs: list[Repair] = []

    def repair(self, at: int, keys: Keys, kind: str, before: str, after: str) -> None:
        """Note that one piece of the text, at `at`, is read as another."""
        path = Path.of(keys)
        self._paths -= len(path)
        if self._paths >= 0 and len(self.repairs) < MAX_REPAIRS:
            self.repairs.append(Repair(path=path, kind=kind, before=before, after=after))
        elif not self.full:
            self.complain(at, keys, "The text", "needs more repairs than are made", "JSON")
            self.full = True

    def complain(
        self,
        at: int,
        keys: Keys,
        subject: str,
        fault: str,
        expected: str,
        value: JsonValue = None,
    ) -> None:
        """Note what cannot be read: the subject, where it stands, and what is wrong with it."""
        line, column = place_of(self._text, at)
        message = f"{subject} at line {line} column {column} {fault}."
        path = Path.of(keys)
        self.issues.append(Issue(path=path, expected=expected, value=value, message=message))
        self.full = self.full or len(self.issues) >= self._most


def place_of(text: str, at: int) -> tuple[int, int]:
    """Return the line and the column of a character, both counted from 1."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
