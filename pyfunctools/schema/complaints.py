"""Every complaint about one value, in the order of the schema: what is wrong, and where."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.errors import SchemaError
from pyfunctools.schema.branch import Unions
from pyfunctools.schema.compiled import Compiled
from pyfunctools.schema.expected import Expectations, one_of
from pyfunctools.schema.fragment import Check, Fragment, Fragments
from pyfunctools.schema.meanings import WRAPPERS, may_be_json
from pyfunctools.schema.path import Keys
from pyfunctools.schema.sentences import Broken, Complaint, Sentences, absent, hint, instead
from pyfunctools.schema.shape import schemas_of
from pyfunctools.schema.shown import shown

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError


MOST = 1_000
"""Complaints about one value that are told."""

ENOUGH = MOST + 1
"""Wrong parts of one value after which the others need not be looked for."""


class Task(NamedTuple):
    """A value to be judged against the schema at `at`; `path` leads to the value.

    With `name` it is the name of a property, and `path` leads to that property. `wrong` says that
    the schema is known to refuse it.
    """

    at: Keys
    value: JsonValue
    path: Keys
    name: bool = False
    wrong: bool = True


Step: TypeAlias = Task | tuple[Keys, Complaint]
"""What judging a value leads to: something else to judge, or a complaint and its place."""


Suspect: TypeAlias = tuple[JsonSchema | bool, JsonValue, Keys]
"""A part of a value that may be coerced: its schema, itself, and the path to it."""


class Rules:
    """What one compiled schema says, in words and in parts; what is learned of it is kept."""

    def __init__(self, compiled: Compiled) -> None:
        root: JsonSchema = compiled.schema if isinstance(compiled.schema, dict) else {}
        self.unions = Unions(root)
        self.lines = Expectations(root, self.unions)
        self.sentences = Sentences(root, self.lines)
        self.fragments = Fragments(compiled)


class Complaints:
    """The complaints about one value that is not valid, each found when it is asked for.

    `settled` says that `coerce` would change nothing of the value, as far as it was judged, but
    perhaps in the `suspects`: parts of the value with their schema, and the path to them. Whole
    numbers that stand as floats are left out of account.
    """

    def __init__(self, rules: Rules) -> None:
        self._unions = rules.unions
        self._lines = rules.lines
        self._sentences = rules.sentences
        self._fragments = rules.fragments
        self.settled = True
        self.suspects: list[Suspect] = []

    def of(self, value: JsonValue) -> Iterator[tuple[Keys, Complaint]]:
        """Give each complaint with the path of the value that was judged."""
        stack: list[Step] = [Task((), value, ())]
        seen: set[tuple[Keys, Keys, bool]] = set()
        complained = False
        while stack:
            step = stack.pop()
            if not isinstance(step, Task):
                complained = True
                yield step
                continue
            asked = (step.at, step.path, step.name)
            if asked not in seen:
                seen.add(asked)
                steps = self._judged(step)
                steps.reverse()
                stack += steps
        if not complained:
            yield (), self._misfit(self._fragments.schema(()), value)

    def _judged(self, task: Task) -> list[Step]:
        """Give what judging a value leads to, in the order of the schema."""
        steps: list[Step] = []
        try:
            self._judge(task, steps)
        except SchemaError:  # a part that means nothing apart from the whole
            steps.append((task.path, self._misfit(True, task.value)))
        if task.name:
            return [
                step if isinstance(step, Task) else (task.path, _about_name(step[1], task.value))
                for step in steps
            ]
        return steps

    def _judge(self, task: Task, steps: list[Step]) -> None:
        at, whole, path, name, wrong = task
        fragment = self._fragments.at(at)
        # Most values break a rule further down: to ask first costs a tenth of having none told.
        if not fragment.validator.is_valid(whole):
            for error in islice(fragment.validator.iter_errors(whole), ENOUGH):
                self._broken(fragment, error, task, steps)
        for n, check in enumerate(fragment.checks):
            there, value = _at(whole, check.path) if check.path else (True, whole)
            if not there:
                continue
            place = (*path, *check.path) if check.path else path
            kind = check.kind
            if kind == "required":
                if isinstance(value, dict) and not value.keys() >= check.names:
                    self._required(check, value, place, steps)
            elif kind == "closed":
                if isinstance(value, dict) and not value.keys() <= check.names:
                    self._closed(check, value, place, steps)
            # What nothing else looks at is only known where everything else is right.
            elif not (kind == "whole" and steps):
                # Where nothing else is wrong, the last has to be.
                known = wrong and n == fragment.decisive and not steps
                known = known and _are_named(fragment.checks[n + 1 :], whole)
                self._follow(check, Task(check.at, value, place, name, known), steps)

    def _follow(self, check: Check, task: Task, steps: list[Step]) -> None:
        """Add what comes of a check, if it does not hold."""
        kind = check.kind
        if kind == "items":
            self._items(check, task, steps)
        elif kind in ("members", "names"):
            self._members(check, task, steps)
        elif not task.wrong and self._fragments.test(check).is_valid(task.value):
            return
        elif kind == "schema":
            steps.append(task if task.wrong else task._replace(wrong=True))
        elif kind == "union":
            self._union(check, task, steps)
        elif kind == "if":
            branch = "then" if self._fits((*task.at, "if"), task.value) else "else"
            steps.append(task._replace(at=(*task.at, branch), wrong=True))
        else:
            self._left_over(check, task, steps)

    def _broken(
        self, fragment: Fragment, error: "ValidationError", task: Task, steps: list[Step]
    ) -> None:
        below = tuple(error.instance_path)
        _, value = _at(task.value, below)
        kind = error.kind
        node = fragment.node(error)
        place = (*task.path, *below) if below else task.path
        name = type(kind).__name__
        if name in _SEEN:
            self._suspect(node, value, place)
        elif name not in _UNSEEN:
            self.settled = False
        broken = Broken(kind=kind, node=node, value=value, message=error.message)
        steps += [(place, one) for one in islice(self._sentences.of(broken), ENOUGH)]

    def _required(self, check: Check, value: JsonObject, path: Keys, steps: list[Step]) -> None:
        if check.when is not None and check.when not in value:
            return
        self._look_inside(value)
        missing, node, when = self._sentences.missing, check.node, check.when
        steps += [(path, missing(node, name, when)) for name in check.names if name not in value]

    def _closed(self, check: Check, value: JsonObject, path: Keys, steps: list[Step]) -> None:
        self._look_inside(value)
        wrong = [name for name in value if name not in check.names][:ENOUGH]
        for name in wrong:
            # A text that holds JSON is read even where nothing may be.
            if isinstance(inner := value[name], str) and may_be_json(inner):
                self.settled = False
        steps += [(path, one) for one in self._sentences.unexpected(check.node, value, wrong)]

    def _items(self, check: Check, task: Task, steps: list[Step]) -> None:
        value, start = task.value, check.start
        if not isinstance(value, list | tuple):
            return
        if task.wrong and len(value) == start + 1:
            steps.append(Task(task.at, value[-1], (*task.path, start)))
            return
        fits = self._fragments.whole(task.at).is_valid
        items = enumerate(value[start:] if start else value, start)
        wrong = ((index, item) for index, item in items if not fits(item))
        for index, item in islice(wrong, ENOUGH):
            steps.append(Task(task.at, item, (*task.path, index)))

    def _members(self, check: Check, task: Task, steps: list[Step]) -> None:
        value, fits = task.value, self._fragments.test(check).is_valid
        if not isinstance(value, dict) or fits(value):
            return
        self._look_inside(value)
        names = check.kind == "names"
        wrong = ((key, inner) for key, inner in value.items() if not fits({key: inner}))
        for key, inner in islice(wrong, ENOUGH):
            steps.append(Task(task.at, key if names else inner, (*task.path, key), names))

    def _union(self, check: Check, task: Task, steps: list[Step]) -> None:
        value, node, keyword = task.value, check.node, str(task.at[-1])
        tag = self._unions.tag(node, keyword)
        index = tag.decided(value) if tag is not None and isinstance(value, dict) else None
        if index is not None:
            steps.append(Task((*task.at, index), value, task.path, task.name))
            return
        self._suspect(node, value, task.path)
        choice = self._unions.meant(node, value, keyword)
        if choice is not None and not self._fits((*task.at, choice[1]), value):
            steps.append(Task((*task.at, choice[1]), value, task.path, task.name))
            return
        line = self._lines.union(node, keyword)
        branches = range(len(schemas_of(node.get(keyword))))
        if keyword == "oneOf" and any(self._fits((*task.at, n), value) for n in branches):
            says = f"must fit exactly one of the allowed forms and fits several: {line}"
            complaint = Complaint(expected=f"exactly one of: {line}", says=says, value=value)
        elif tag is None or not isinstance(value, dict):
            complaint = Complaint(expected=line, says=instead(line, value), value=value)
        else:
            allowed, given = one_of(tag.allowed), value.get(tag.name)
            says = f"must be {allowed}, but is {shown(given)}{hint(given, tag.allowed)}"
            if tag.name not in value:
                says = absent(allowed)
            complaint = Complaint(expected=allowed, says=says, value=given, below=(tag.name,))
        steps.append((task.path, complaint))

    def _left_over(self, check: Check, task: Task, steps: list[Step]) -> None:
        """Add what nothing else in a schema looks at, where that is why it does not hold."""
        self.settled = False
        found: list[Complaint] = []
        for error in self._fragments.test(check).iter_errors(task.value):
            keyword = error.kind.name
            if error.instance_path or not keyword.startswith("unevaluated"):
                continue
            inner = check.node.get(keyword)
            line = self._lines.line(inner if isinstance(inner, dict | bool) else True)
            if not isinstance(task.value, dict):
                says = "holds items beyond those that are declared"
                expected = "no more items" if inner is False else f"more items only as {line}"
                found.append(Complaint(expected=expected, says=says, value=task.value))
                continue
            names = list(map(str, error.kind.value))[:ENOUGH]
            if inner is False:
                found += self._sentences.unexpected(check.node, task.value, names)
                continue
            for name in names:
                value = task.value.get(name)
                says = instead(line, value)
                found.append(Complaint(expected=line, says=says, value=value, below=(name,)))
        steps += [(task.path, one) for one in found or [self._misfit(check.node, task.value)]]

    def _suspect(self, schema: JsonSchema | bool, value: JsonValue, path: Keys) -> None:
        """Note a part that may be coerced; where null stands, the object around it may be."""
        if value is None or len(self.suspects) >= _SUSPECTS:
            self.settled = False
        else:
            self.suspects.append((schema, value, path))

    def _look_inside(self, value: JsonObject) -> None:
        """Note that an object may be one around the arguments."""
        if len(value) == 1 and not WRAPPERS.isdisjoint(value):
            self.settled = False

    def _fits(self, at: Keys, value: JsonValue) -> bool:
        return self._fragments.whole(at).is_valid(value)

    def _misfit(self, schema: JsonSchema | bool, value: JsonValue) -> Complaint:
        self.settled = False
        line = self._lines.line(schema)
        return Complaint(expected=line, says=instead(line, value), value=value)


_SUSPECTS = 32
"""Parts that are coerced on their own before it is quicker to coerce the whole."""

_SEEN: Final = frozenset({"Constant", "Enum", "Type"})
"""Kinds of broken rules that `coerce` looks at where they are broken."""

_UNSEEN: Final = frozenset(
    {
        "BacktrackLimitExceeded",
        "ExclusiveMaximum",
        "ExclusiveMinimum",
        "Format",
        "MaxItems",
        "MaxLength",
        "MaxProperties",
        "Maximum",
        "MinItems",
        "MinLength",
        "MinProperties",
        "Minimum",
        "MultipleOf",
        "Pattern",
        "RegexEngineFailure",
        "UniqueItems",
    }
)
"""Kinds of broken rules that `coerce` does not look at: breaking them alone, a value is kept."""


def _are_named(checks: Iterable[Check], whole: JsonValue) -> bool:
    """Say whether all of these checks of names hold."""
    for check in checks:
        _, value = _at(whole, check.path)
        if isinstance(value, dict):
            keys, names = value.keys(), check.names
            if not (keys >= names if check.kind == "required" else keys <= names):
                return False
    return True


def _about_name(complaint: Complaint, name: JsonValue) -> Complaint:
    return Complaint(
        expected=f"another name: {complaint.expected}",
        says=f"has a name that is not allowed: it {complaint.says}",
        value=name,
    )


def _at(value: JsonValue, steps: Iterable[str | int]) -> tuple[bool, JsonValue]:
    """Give whether something stands at these steps of a value, and what."""
    for step in steps:
        if isinstance(value, dict):
            if not isinstance(step, str) or step not in value:
                return False, None
            value = value[step]
        elif isinstance(value, list | tuple) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return False, None
    return True, value
