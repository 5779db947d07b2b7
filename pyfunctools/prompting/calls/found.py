"""A call that was found in the output of a model, before its arguments are checked."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import IntEnum

from pyfunctools._json import JsonValue
from pyfunctools.prompting.calls.literals import Literals, NotALiteral, RawText
from pyfunctools.record.function import Function
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.result import Issue, Repair


class Weight(IntEnum):
    """The certainty that a call is meant: inside a sentence, alone on its lines, or marked."""

    IN_SENTENCE = 0
    ALONE = 1
    MARKED = 2


@dataclass(slots=True, kw_only=True)
class WrittenArguments:
    """The arguments between the parentheses of a call, or in the tags of one.

    `values` are the keyword arguments, `numbers` the texts of numbers with a fraction. The paths in
    `raws`, `repairs`, `faults` and `numbers` begin with the keyword or position of an argument.
    """

    positional: list[JsonValue] = field(default_factory=list[JsonValue])
    values: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    raws: list[RawText] = field(default_factory=list[RawText])
    repairs: list[Repair] = field(default_factory=list[Repair])
    faults: list[tuple[Keys, str]] = field(default_factory=list[tuple[Keys, str]])
    numbers: dict[Keys, str] = field(default_factory=dict[Keys, str])
    end: int = 0
    closed: bool = True

    def moved(
        self, values: dict[str, JsonValue], change: Callable[[Keys], Keys]
    ) -> "WrittenArguments":
        """Return the arguments as keyword arguments with these values, and all paths changed."""
        return WrittenArguments(
            values=values,
            raws=[raw._replace(keys=change(raw.keys)) for raw in self.raws],
            repairs=[replace(each, path=Path.of(change(each.path.keys))) for each in self.repairs],
            faults=[(change(keys), says) for keys, says in self.faults],
            numbers={change(keys): text for keys, text in self.numbers.items()},
            end=self.end,
            closed=self.closed,
        )


@dataclass(slots=True, kw_only=True)
class JsonInText:
    """JSON in a text: its place, its value, and the repairs that were needed.

    The value is `None` if it cannot be parsed; else `issues` are about values in it that are not
    JSON. `objects` are the places of the objects in it; of strict JSON, when needed.
    """

    text: str
    start: int
    end: int
    value: JsonValue
    repairs: tuple[Repair, ...] = ()
    issues: tuple[Issue, ...] = ()
    objects: Mapping[Keys, tuple[int, int]] | None = None

    def place(self, keys: Keys) -> tuple[int, int]:
        """Return the start and end of the innermost object around the value at these keys."""
        if len(keys) == 1 and self.text[:1] == "{":
            return self.start, self.end
        places = self._places()
        around = (keys[:length] for length in range(len(keys) - 1, -1, -1))
        return next((places[each] for each in around if each in places), (self.start, self.end))

    def text_at(self, keys: Keys) -> str | None:
        """Return the text of the object at these keys, `None` if its place is unknown."""
        start, end = self._places().get(keys, (0, 0))
        return self.text[start - self.start : end - self.start] or None

    def _places(self) -> Mapping[Keys, tuple[int, int]]:
        if self.objects is None:
            literals = Literals(self.text, 0, len(self.text))
            with suppress(NotALiteral):
                literals.container()
            here = self.start
            self.objects = {k: (here + s, here + e) for k, (s, e) in literals.objects.items()}
        return self.objects


@dataclass(slots=True, kw_only=True)
class FoundCall:
    """One call: the name as written, and the function that it means, or `None`.

    - `arguments`: a value, its text, or `WrittenArguments` for a call in Python or in tags.
    - `source`, `keys`: the JSON that contains the arguments, and their path in it.
    - `beside`: arguments that are written beside the name, not among the other arguments.
    - `start`, `end`: the place of the call in the text; -1 if it is not from a text.
    - `id`, `namespace`, `caller`: from the vendor's message.
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
    weight: Weight = Weight.MARKED
    start: int = -1
    end: int = -1
    source: JsonInText | None = None
    keys: Keys = ()
    beside: Mapping[str, JsonValue] | None = None
    id: str | None = None
    namespace: str | None = None
    caller: JsonValue = None
    sure: bool = True
    doubtful: bool = False
    cut_off: bool = False
    group: int = 0
    in_tags: bool = False

    @property
    def function_name(self) -> str:
        """The name of the function, or the name as written if there is no function."""
        return self.name if self.function is None else self.function.name
