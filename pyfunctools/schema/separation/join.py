"""Two values of which each has its own side only, laid together place by place."""

from collections.abc import Iterator, Sequence

from pyfunctools._json import JsonValue
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.result import Failure, Issue, Success
from pyfunctools.schema.separation.division import Division
from pyfunctools.schema.separation.ownership import Place
from pyfunctools.schema.separation.sieve import (
    ABSENT,
    Given,
    has,
    is_too_deep,
    issue,
    items,
    members,
    present,
    too_deep,
)


def merged(division: Division, llm: JsonValue, human: JsonValue) -> Success[JsonValue] | Failure:
    """Put the two sides of a division together; see `merge`."""
    if is_too_deep(llm):
        return Failure(value=llm, issues=(too_deep("llm"),))
    if is_too_deep(human):
        return Failure(value=llm, issues=(too_deep("human"),))
    mine, theirs = division.own("llm", llm), division.own("human", human)
    joiner = Joiner(division, mine.part, theirs.part)
    joiner.issues += [*mine.broken, *theirs.broken, *theirs.foreign]
    whole = joiner.joined(division.ownership.root, mine.part, theirs.part, ())
    if joiner.issues or whole is ABSENT:
        return Failure(value=llm, issues=tuple(joiner.issues))
    verdict = division.whole.validate(whole)
    if not verdict:
        blamed = _blamed(division, verdict.issues, whole, mine.part, theirs.part)
        return Failure(value=llm, issues=tuple(blamed))
    return verdict


class Joiner:
    """Lays together two values of which each has nothing of the other's in it."""

    def __init__(self, division: Division, llm: Given, human: Given) -> None:
        self._division = division
        self._llm = llm
        self._human = human
        self.issues: list[Issue] = []

    def joined(self, place: Place, llm: Given, human: Given, keys: Keys) -> Given:
        """Return the value at one place, `ABSENT` if neither side gave one."""
        if place.owner == "llm":
            return llm
        if place.owner == "human":
            return human
        if not human and type(human) is not type(llm):
            human = ABSENT  # null, {} and [] are how nothing is given to what has another shape
        if human is not ABSENT and llm is not ABSENT and type(human) is not type(llm):
            if isinstance(llm, dict | list):
                kind = "an object" if isinstance(llm, dict) else "an array"
                self._refuse(keys, f"{kind}, as the model gave")
            else:
                kind = "an object" if isinstance(human, dict) else "an array"
                self.issues.append(issue("llm", keys, f"{kind}, as the human gave", llm))
            return ABSENT
        if isinstance(llm, dict) or isinstance(human, dict):
            return self._object(place, llm, human, keys)
        if isinstance(llm, list) or isinstance(human, list):
            return self._array(place, llm, human, keys)
        return llm

    def _object(self, place: Place, llm: Given, human: Given, keys: Keys) -> JsonValue:
        mine, theirs = members(llm), members(human)
        joined = {
            key: self.joined(
                self._division.ownership.child(place, key),
                mine.get(key, ABSENT),
                theirs.get(key, ABSENT),
                (*keys, key),
            )
            for key in {**mine, **theirs}
        }
        return present(joined)

    def _array(self, place: Place, llm: Given, human: Given, keys: Keys) -> JsonValue:
        count, *different = {len(value) for value in (human, llm) if isinstance(value, list)}
        if different:
            wanted = len(items(llm, 0))
            one = "1 item" if wanted == 1 else f"{wanted} items"
            self._refuse(keys, f"{one}, as many as the model gave")
            return []
        joined: list[JsonValue] = []
        for n, (mine, theirs) in enumerate(
            zip(items(llm, count), items(human, count), strict=True)
        ):
            child, at = self._division.ownership.child(place, n), (*keys, n)
            item = self.joined(
                child,
                ABSENT if child.owner == "human" else mine,  # null, for the human's item
                ABSENT if child.owner == "llm" else theirs,  # null, for the model's
                at,
            )
            if item is ABSENT:
                is_humans = self._division.is_humans(at, self._llm, self._human)
                self.issues.append(issue("human" if is_humans else "llm", at, "a value"))
            else:
                joined.append(item)
        return joined

    def _refuse(self, keys: Keys, expected: str) -> None:
        # The model's part came first, and is right by itself: the human's has to go with it.
        self.issues.append(issue("human", keys, expected))


def _blamed(
    division: Division, issues: Sequence[Issue], whole: Given, mine: Given, theirs: Given
) -> list[Issue]:
    """Return whose each issue of the whole is, in words that are that side's own.

    What the whole schema says may name the human's. So the model is told what the model's schema
    says of its own part at that place or below, or, where a rule looks at both sides at once, only
    that.
    """
    own = division.complaints("llm", whole, mine, theirs)
    foreign = division.complaints("human", whole, theirs, mine)
    blamed: dict[tuple[str, str, str], Issue] = {}
    for complaint in issues:
        keys = complaint.path.keys
        if division.is_humans(keys, mine, theirs):
            found = [issue("human", keys, complaint.expected)]
        else:
            found = [*_below(own, keys)]
            found += [issue("human", i.path.keys, i.expected) for i in _below(foreign, keys)]
        found = found or [issue("llm", keys, _TOGETHER if has(whole, keys) else _UNLESS)]
        blamed |= {(one.path, one.expected, one.side): one for one in found}
    return list(blamed.values())


_TOGETHER = "a value that is right together with what the human gives"
_UNLESS = "a value, unless the human gives one"


def _below(issues: Sequence[Issue], keys: Keys) -> Iterator[Issue]:
    return (one for one in issues if one.path.keys[: len(keys)] == keys)
