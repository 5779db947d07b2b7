"""What a validator complains about, as issues: all of them, each with its place and its remedy."""

from collections.abc import Sequence
from typing import NamedTuple

from pyfunctools._json import JsonValue
from pyfunctools.schema.compiled import Compiled
from pyfunctools.schema.complaints import MOST, Complaints, Rules, Suspect
from pyfunctools.schema.path import Keys, Path
from pyfunctools.schema.result import Issue, Side
from pyfunctools.schema.sentences import Complaint


class Survey(NamedTuple):
    """Every issue of a value; see `Complaints` for `settled` and the `suspects`."""

    issues: tuple[Issue, ...]
    settled: bool
    suspects: Sequence[Suspect] = ()


class Issues:
    """Finds what is wrong with values, by one compiled schema: up to `MOST` issues of each.

    What it learns of the schema it keeps. May be used by several threads: what two of them make at
    once is made twice, and one is kept.
    """

    def __init__(self, compiled: Compiled) -> None:
        self._rules = Rules(compiled)

    def of(self, value: JsonValue, side: Side) -> tuple[Issue, ...]:
        """Give every issue of a value that is not valid, in the order of the schema.

        In a union they are those of the branch the value was meant for; see `Unions.meant`.
        """
        return self.survey(value, side).issues

    def survey(self, value: JsonValue, side: Side) -> Survey:
        """Give every issue of a value that is not valid, and whether it is settled."""
        found: dict[tuple[Keys, str], Issue] = {}
        complaints = Complaints(self._rules)
        for keys, complaint in complaints.of(value):
            path = (*keys, *complaint.below) if complaint.below else keys
            told = (path, complaint.says)
            if told in found:
                continue
            if len(found) == MOST:
                found[(), ""] = _more(side)
                return Survey(tuple(found.values()), settled=False)
            found[told] = issue_of(path, complaint, side)
        return Survey(tuple(found.values()), complaints.settled, complaints.suspects)


def issue_of(keys: Keys, complaint: Complaint, side: Side = "whole") -> Issue:
    """Give a complaint as an issue at a place."""
    path = Path.of(keys)
    return Issue(
        path=path,
        expected=complaint.expected,
        value=complaint.value,
        message=f"{path} {complaint.says}{'' if complaint.says.endswith('?') else '.'}",
        side=side,
    )


def _more(side: Side) -> Issue:
    return Issue(
        path=Path.of(()),
        expected="fewer mistakes",
        value=None,
        message=f"There are more issues: only the first {MOST:,} are listed.",
        side=side,
    )
