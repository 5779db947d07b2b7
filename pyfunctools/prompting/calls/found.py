"""A call that was found in the text of a model, before its arguments are checked."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.prompting.calls.literals import Literals, NotALiteral, WrittenArguments
from pyfunctools.record.function import Function
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.result import Repair

_STRICT: Final = WrittenArguments()


@dataclass(slots=True, kw_only=True)
class JsonInText:
    """JSON in a text: its place, its value, and the repairs that were needed.

    The value is `None` if it cannot be parsed. `parts` is how it was read, and `objects` are the
    places of the objects in it; strict JSON is read for them when they are needed.
    """

    text: str
    start: int
    end: int
    value: JsonValue
    parts: WrittenArguments = _STRICT
    objects: Mapping[Keys, tuple[int, int]] | None = None

    @property
    def is_broken(self) -> bool:
        """Whether a part is no JSON."""
        return bool(self.parts.raws or self.parts.faults or self.parts.issues)

    @property
    def is_plain(self) -> bool:
        """Whether it was read without repairs and issues."""
        return not (self.parts.repairs or self.is_broken)

    def repaired_without(self, *kinds: str) -> bool:
        """Return whether it was read without issues and without these kinds of repairs."""
        return not self.is_broken and all(each.kind not in kinds for each in self.parts.repairs)

    def place(self, keys: Keys) -> tuple[int, int]:
        """Return the start and end of the innermost object around the value at these keys."""
        if len(keys) == 1 and self.text[:1] == "{":
            return self.start, self.end
        _, places = self._read()
        around = (keys[:length] for length in range(len(keys) - 1, -1, -1))
        return next((places[each] for each in around if each in places), (self.start, self.end))

    def arguments(
        self, keys: Keys, values: dict[str, JsonValue], beside: JsonObject
    ) -> WrittenArguments:
        """Return the object at these keys, and what is `beside` it, as arguments.

        What is wrong around the object is wrong with the arguments, too.
        """

        def below(path: Keys) -> Keys | None:
            inside = path[: len(keys)] == keys
            return path[len(keys) :] if inside else () if keys[: len(path)] == path else None

        parts, _ = self._read()
        arguments = parts.moved({**values, **beside}, below)
        unread = {raw.keys[: len(keys)] for raw in parts.raws}
        for key, inner in beside.items():
            moved = Repair(path=Path.of((key,)), kind="place", before=None, after=inner)
            arguments.repairs.append(moved)
            if (*keys[:-1], key) in unread:
                arguments.faults.append(((key,), "stands beside the arguments"))
        return arguments

    def _read(self) -> tuple[WrittenArguments, Mapping[Keys, tuple[int, int]]]:
        """Return the parts and the places of the objects."""
        if self.objects is None:
            literals = Literals(self.text, 0, len(self.text))
            with suppress(NotALiteral):
                literals.container()
            here = self.start
            self.parts = literals.found
            self.objects = {k: (here + s, here + e) for k, (s, e) in literals.objects.items()}
        return self.parts, self.objects


@dataclass(slots=True, kw_only=True)
class FoundCall:
    """One call in a text: the name as written, and the function that it means, or `None`.

    - `arguments`: a value of strict JSON, a text, or `WrittenArguments` in any other notation.
    - `source`, `keys`: the JSON that contains the arguments, and their path in it.
    - `beside`: arguments that are written beside the name, not among the other arguments.
    - `start`, `end`: the place of the call in the text; -1 if it is one of several texts.
    - `is_marked`: it is JSON or in tags, so it is meant also inside a sentence (`in_sentence`).
    - `sure`: only a call looks like this, whatever its name is.
    - `doubtful`: it could not be parsed, or looks like a mere description such as `f(city)`; it
      counts only among other calls.
    - `cut_off`: its end may be missing.
    - `group`: the number of the list, code block or run that contains it; `in_tags` is true in a
      run of tags.
    """

    name: str
    function: Function | None
    arguments: JsonValue | WrittenArguments
    is_marked: bool = True
    in_sentence: bool = False
    start: int = -1
    end: int = -1
    source: JsonInText | None = None
    keys: Keys = ()
    beside: JsonObject | None = None
    sure: bool = True
    doubtful: bool = False
    cut_off: bool = False
    group: int = 0
    in_tags: bool = False
