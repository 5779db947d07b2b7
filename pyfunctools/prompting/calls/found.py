"""A call that was found in what a model wrote, before it is known whether it is right."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from pyfunctools._json import JsonValue
from pyfunctools.prompting.calls.arguments import WrittenArguments
from pyfunctools.record.function import Function
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.result import Issue, Repair


class Weight(IntEnum):
    """How sure it is that a call is meant: quoted in a sentence, standing alone, or marked."""

    QUOTED = 0
    ALONE = 1
    MARKED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """JSON in a text: where it stands, what it says and how it had to be repaired for that.

    With `issues` it is as much as could be read; `whole` says that its last bracket was.
    """

    text: str
    start: int
    end: int
    value: JsonValue
    repairs: tuple[Repair, ...] = ()
    issues: tuple[Issue, ...] = ()
    whole: bool = True
    objects: Mapping[Keys, tuple[int, int]] = field(default_factory=dict[Keys, tuple[int, int]])

    def place(self, keys: Keys) -> tuple[int, int]:
        """Return where the innermost object on the way to these keys stands in the text."""
        for length in range(len(keys) - 1, -1, -1):
            if keys[:length] in self.objects:
                return self.objects[keys[:length]]
        return self.start, self.end


@dataclass(slots=True, kw_only=True)
class Found:
    """One call: the name as written and the function that it means, if any.

    `arguments` are a value or its text, or `Arguments` for a call in Python. `keys` lead to them
    in the value of the `piece`, where they stand in one. `start` and `end` say where in the text.
    Arguments that stand `beside` them belong to them. `id`, `namespace` and `caller` are the
    vendor's. A `doubtful` call has the mere form of one, or could not be read: it is meant only
    where it stands among calls. One that was `cut` may not be whole, and an `escaped` one is
    written for Markdown. `group` numbers the list, block or run in which it stands; a `loose` one
    is one of a run of tags.
    """

    name: str
    function: Function | None
    arguments: JsonValue | WrittenArguments
    weight: Weight = Weight.MARKED
    start: int = -1
    end: int = -1
    piece: Piece | None = None
    keys: Keys = ()
    beside: Mapping[str, JsonValue] | None = None
    id: str | None = None
    namespace: str | None = None
    caller: JsonValue = None
    escaped: bool = False
    doubtful: bool = False
    cut: bool = False
    group: int = 0
    loose: bool = False
