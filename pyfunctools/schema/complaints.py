"""Every complaint about one value, in the order of the schema: what is wrong, and where."""

from collections.abc import Iterable, Iterator
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

    `settled` says that `coerce` would change nothing of the value, as far as it was judged: no
    complaint was about what it looks at, and no whole number stands as a float.
    """

    def __init__(self, rules: Rules) -> None:
        self._unions = rules.unions
        self._lines = rules.lines
        self._sentences = rules.sentences
        self._fragments = rules.fragments
        self.settled = True

    def of(self, value: JsonValue) -> Iterator[tuple[Keys, Complaint]]:
        """Give each complaint with the path of the value that was judged."""
        running: list[Iterator[Step]] = [iter((Task((), value, ()),))]
        seen: set[tuple[Keys, Keys, bool]] = set()
        complained = False
        while running:
            step = next(running[-1], None)
            if step is None:
                running.pop()
            elif not isinstance(step, Task):
                complained = True
                yield step
            elif (step.at, step.path, step.name) not in seen:
                seen.add((step.at, step.path, step.name))
                running.append(self._judge(step))
        if not complained:
            yield (), self._misfit(self._fragments.schema(()), value)

    def _judge(self, task: Task) -> Iterator[Step]:
        try:
            for step in self._steps(task):
                if task.name and not isinstance(step, Task):
                    yield task.path, _about_name(step[1], task.value)
                else:
                    yield step
        except SchemaError:  # a part that means nothing apart from the whole
            yield task.path, self._misfit(True, task.value)

    def _steps(self, task: Task) -> Iterator[Step]:
        fragment = self._fragments.at(task.at)
        complained = False
        # Most values break a rule further down: to ask first costs a tenth of having none told.
        if not fragment.validator.is_valid(task.value):
            for error in fragment.validator.iter_errors(task.value):
                complained = True
                yield from self._broken(fragment, error, task)
        last = len(fragment.checks) - 1
        for n, check in enumerate(fragment.checks):
            there, value = _at(task.value, check.path) if check.path else (True, task.value)
            # What nothing else looks at is only known where everything else is right.
            if not there or (complained and check.kind == "whole"):
                continue
            # Where nothing else was wrong, the last has to be.
            wrong = task.wrong and n == last and not complained
            path = (*task.path, *check.path) if check.path else task.path
            inner = Task(check.at, value, path, task.name, wrong)
            for step in self._follow(check, inner):
                complained = True
                yield step

    def _broken(self, fragment: Fragment, error: "ValidationError", task: Task) -> Iterator[Step]:
        below = tuple(error.instance_path)
        _, value = _at(task.value, below)
        kind = error.kind
        self.settled = self.settled and type(kind).__name__ in _UNSEEN
        broken = Broken(kind=kind, node=fragment.node(error), value=value, message=error.message)
        for complaint in self._sentences.of(broken):
            yield (*task.path, *below), complaint

    def _follow(self, check: Check, task: Task) -> Iterator[Step]:
        """Give what comes of a check, if it does not hold."""
        match check.kind:
            case "required":
                return self._required(check, task)
            case "closed":
                return self._closed(check, task)
            case "items":
                return self._items(check, task)
            case "union":
                return self._union(check, task)
            case "schema":
                return self._schema(check, task)
            case "members" | "names":
                return self._members(check, task)
            case "if":
                return self._if(check, task)
            case "whole":
                return self._left_over(check, task)

    def _required(self, check: Check, task: Task) -> Iterator[Step]:
        value = task.value
        if not isinstance(value, dict) or (check.when is not None and check.when not in value):
            return
        if value.keys() >= check.names:
            return
        self._look_inside(value)
        for name in check.names:
            if name not in value:
                yield task.path, self._sentences.missing(check.node, name, check.when)

    def _closed(self, check: Check, task: Task) -> Iterator[Step]:
        value = task.value
        if not isinstance(value, dict) or value.keys() <= check.names:
            return
        self._look_inside(value)
        wrong = [name for name in value if name not in check.names]
        # A text that holds JSON is read even where nothing may be.
        texts = (inner for name in wrong if isinstance(inner := value[name], str))
        self.settled = self.settled and not any(map(may_be_json, texts))
        for complaint in self._sentences.unexpected(check.node, value, wrong):
            yield task.path, complaint

    def _items(self, check: Check, task: Task) -> Iterator[Step]:
        value = task.value
        if not isinstance(value, list | tuple):
            return
        if task.wrong and len(value) == check.start + 1:
            yield Task(task.at, value[-1], (*task.path, check.start))
            return
        fits = self._fragments.whole(task.at).is_valid
        items = value[check.start :] if check.start else value
        for index, item in enumerate(items, check.start):
            if not fits(item):
                yield Task(task.at, item, (*task.path, index))

    def _members(self, check: Check, task: Task) -> Iterator[Step]:
        value, test = task.value, self._fragments.test(check).is_valid
        if not isinstance(value, dict) or test(value):
            return
        self._look_inside(value)
        names = check.kind == "names"
        for key, inner in value.items():
            if not test({key: inner}):
                yield Task(task.at, key if names else inner, (*task.path, key), names)

    def _schema(self, check: Check, task: Task) -> Iterator[Step]:
        if task.wrong or not self._fragments.test(check).is_valid(task.value):
            yield task._replace(wrong=True)

    def _if(self, check: Check, task: Task) -> Iterator[Step]:
        if not self._fragments.test(check).is_valid(task.value):
            branch = "then" if self._fits((*task.at, "if"), task.value) else "else"
            yield task._replace(at=(*task.at, branch), wrong=True)

    def _union(self, check: Check, task: Task) -> Iterator[Step]:
        value, node, keyword = task.value, check.node, str(task.at[-1])
        if not task.wrong and self._fragments.test(check).is_valid(value):
            return
        tag = self._unions.tag(node, keyword)
        index = tag.decided(value) if tag is not None and isinstance(value, dict) else None
        if index is not None:
            yield task._replace(at=(*task.at, index), wrong=True)
            return
        self.settled = False
        choice = self._unions.meant(node, value, keyword)
        if choice is not None and not self._fits((*task.at, choice[1]), value):
            yield task._replace(at=(*task.at, choice[1]), wrong=True)
            return
        line = self._lines.union(node, keyword)
        branches = range(len(schemas_of(node.get(keyword))))
        if keyword == "oneOf" and any(self._fits((*task.at, n), value) for n in branches):
            says = f"must fit exactly one of the allowed forms and fits several: {line}"
            yield task.path, Complaint(expected=f"exactly one of: {line}", says=says, value=value)
            return
        if tag is None or not isinstance(value, dict):
            yield task.path, Complaint(expected=line, says=instead(line, value), value=value)
            return
        allowed, given = one_of(tag.allowed), value.get(tag.name)
        says = f"must be {allowed}, but is {shown(given)}{hint(given, tag.allowed)}"
        if tag.name not in value:
            says = absent(allowed)
        yield task.path, Complaint(expected=allowed, says=says, value=given, below=(tag.name,))

    def _left_over(self, check: Check, task: Task) -> Iterator[Step]:
        """Give what nothing else in a schema looks at, where that is why it does not hold."""
        if self._fragments.test(check).is_valid(task.value):
            return
        self.settled = complained = False
        for error in self._fragments.test(check).iter_errors(task.value):
            keyword = error.kind.name
            if error.instance_path or not keyword.startswith("unevaluated"):
                continue
            complained = True
            inner = check.node.get(keyword)
            line = self._lines.line(inner if isinstance(inner, dict | bool) else True)
            if not isinstance(task.value, dict):
                says = "holds items beyond those that are declared"
                expected = "no more items" if inner is False else f"more items only as {line}"
                yield task.path, Complaint(expected=expected, says=says, value=task.value)
                continue
            names = list(map(str, error.kind.value))
            if inner is False:
                for complaint in self._sentences.unexpected(check.node, task.value, names):
                    yield task.path, complaint
                continue
            for name in names:
                value = task.value.get(name)
                says = instead(line, value)
                yield task.path, Complaint(expected=line, says=says, value=value, below=(name,))
        if not complained:
            yield task.path, self._misfit(check.node, task.value)

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
