"""What a validator complains about, as issues: all of them, each with its place and its remedy."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.errors import SchemaError
from pyfunctools.schema.branch import Unions
from pyfunctools.schema.compiled import Compiled
from pyfunctools.schema.expected import Expectations, one_of
from pyfunctools.schema.fragment import Check, Fragments
from pyfunctools.schema.path import Keys, Path
from pyfunctools.schema.result import Issue, Side
from pyfunctools.schema.sentences import (
    Broken,
    Complaint,
    Sentences,
    absent,
    hint,
    instead,
)
from pyfunctools.schema.shape import schemas_of
from pyfunctools.schema.shown import shown

MOST = 1_000
"""Issues of one value; one more says that there are more."""


@dataclass(frozen=True, slots=True)
class _Task:
    """A value to be judged against the schema at `at`; `path` leads to the value.

    With `name` it is the name of a property, and `path` leads to that property.
    """

    at: Keys
    value: JsonValue
    path: Keys
    name: bool = False


_Step: TypeAlias = _Task | tuple[Keys, Complaint]
"""What judging a value leads to: something else to judge, or a complaint and its place."""


class Issues:
    """Finds what is wrong with values, by one compiled schema.

    What it learns of the schema it keeps. May be used by several threads: what two of them make at
    once is made twice, and one is kept.
    """

    def __init__(self, compiled: Compiled) -> None:
        root: JsonSchema = compiled.schema if isinstance(compiled.schema, dict) else {}
        self._unions = Unions(root)
        self._lines = Expectations(root, self._unions)
        self._sentences = Sentences(root, self._lines)
        self._fragments = Fragments(compiled)

    def of(self, value: JsonValue, side: Side) -> tuple[Issue, ...]:
        """Give every issue of a value that is not valid, in the order of the schema.

        In a union they are those of the branch the value was meant for; see `Unions.meant`.
        """
        found: dict[tuple[Keys, str], Issue] = {}
        for keys, complaint in self._complaints(value):
            path = (*keys, *complaint.below)
            if (path, complaint.says) in found:
                continue
            if len(found) == MOST:
                found[(), ""] = _more(side)
                break
            found[path, complaint.says] = issue_of(path, complaint, side)
        return tuple(found.values())

    def _complaints(self, value: JsonValue) -> Iterator[tuple[Keys, Complaint]]:
        """Give each complaint with the path of the value that was judged."""
        running: list[Iterator[_Step]] = [iter((_Task((), value, ()),))]
        seen: set[tuple[Keys, Keys, bool]] = set()
        complained = False
        while running:
            step = next(running[-1], None)
            if step is None:
                running.pop()
            elif not isinstance(step, _Task):
                complained = True
                yield step
            elif (step.at, step.path, step.name) not in seen:
                seen.add((step.at, step.path, step.name))
                running.append(self._judge(step))
        if not complained:
            yield (), self._misfit(self._fragments.schema(()), value)

    def _judge(self, task: _Task) -> Iterator[_Step]:
        try:
            for step in self._steps(task):
                if task.name and not isinstance(step, _Task):
                    yield task.path, _about_name(step[1], task.value)
                else:
                    yield step
        except SchemaError:  # a part that means nothing apart from the whole
            yield task.path, self._misfit(True, task.value)

    def _steps(self, task: _Task) -> Iterator[_Step]:
        fragment = self._fragments.at(task.at)
        complained = False
        for error in fragment.validator.iter_errors(task.value):
            complained = True
            below = tuple(error.instance_path)
            _, value = _at(task.value, below)
            node = fragment.node(error)
            broken = Broken(kind=error.kind, node=node, value=value, message=error.message)
            for complaint in self._sentences.of(broken):
                yield (*task.path, *below), complaint
        for check in fragment.checks:
            there, value = _at(task.value, check.path)
            if not there or self._holds(check, value):
                continue
            # What nothing else looks at is only known where everything else is right.
            if check.kind != "whole" or not complained:
                complained = True
                path = (*task.path, *check.path)
                yield from self._follow(check, _Task(check.at, value, path, task.name))

    def _holds(self, check: Check, value: JsonValue) -> bool:
        if check.kind == "required" or check.kind == "closed":
            if not isinstance(value, dict) or (check.when is not None and check.when not in value):
                return True
            keys = value.keys()
            return keys >= check.names if check.kind == "required" else keys <= check.names
        if check.kind == "items":
            items = value[check.start :] if isinstance(value, list | tuple) else ()
            return all(map(self._fragments.whole(check.at).is_valid, items))
        return self._fragments.test(check).is_valid(value)

    def _follow(self, check: Check, task: _Task) -> Iterator[_Step]:
        """Give what comes of a check that does not hold."""
        value = task.value
        if check.kind == "union":
            yield from self._union(check, task)
        elif check.kind == "whole":
            yield from self._left_over(check, task)
        elif check.kind == "schema":
            yield task
        elif check.kind == "if":
            branch = "then" if self._fits((*task.at, "if"), value) else "else"
            yield replace(task, at=(*task.at, branch))
        elif isinstance(value, list | tuple):
            fits = self._fragments.whole(task.at).is_valid
            for index, item in enumerate(value[check.start :], check.start):
                if not fits(item):
                    yield _Task(task.at, item, (*task.path, index))
        elif isinstance(value, dict):
            if check.kind in ("required", "closed"):
                yield from self._by_names(check, task, value)
                return
            test, names = self._fragments.test(check).is_valid, check.kind == "names"
            for key, inner in value.items():
                if not test({key: inner}):
                    yield _Task(task.at, key if names else inner, (*task.path, key), names)

    def _by_names(self, check: Check, task: _Task, value: JsonObject) -> Iterator[_Step]:
        if check.kind == "closed":
            wrong = (name for name in value if name not in check.names)
            for complaint in self._sentences.unexpected(check.node, value, wrong):
                yield task.path, complaint
            return
        for name in check.names:
            if name not in value:
                yield task.path, self._sentences.missing(check.node, name, check.when)

    def _union(self, check: Check, task: _Task) -> Iterator[_Step]:
        keyword, value, node = str(task.at[-1]), task.value, check.node
        choice = self._unions.meant(node, value, keyword)
        if choice is not None and not self._fits((*task.at, choice[1]), value):
            yield replace(task, at=(*task.at, choice[1]))
            return
        line = self._lines.union(node, keyword)
        branches = range(len(schemas_of(node.get(keyword))))
        if keyword == "oneOf" and any(self._fits((*task.at, n), value) for n in branches):
            says = f"must fit exactly one of the allowed forms and fits several: {line}"
            yield task.path, Complaint(expected=f"exactly one of: {line}", says=says, value=value)
            return
        tag = self._unions.tag(node, keyword)
        if tag is None or not isinstance(value, dict):
            yield task.path, Complaint(expected=line, says=instead(line, value), value=value)
            return
        allowed, given = one_of(tag.allowed), value.get(tag.name)
        says = f"must be {allowed}, but is {shown(given)}{hint(given, tag.allowed)}"
        if tag.name not in value:
            says = absent(allowed)
        yield task.path, Complaint(expected=allowed, says=says, value=given, below=(tag.name,))

    def _left_over(self, check: Check, task: _Task) -> Iterator[_Step]:
        """Give what nothing else in a schema looks at, where that is why it does not hold."""
        complained = False
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

    def _fits(self, at: Keys, value: JsonValue) -> bool:
        return self._fragments.whole(at).is_valid(value)

    def _misfit(self, schema: JsonSchema | bool, value: JsonValue) -> Complaint:
        line = self._lines.line(schema)
        return Complaint(expected=line, says=instead(line, value), value=value)


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


def _about_name(complaint: Complaint, name: JsonValue) -> Complaint:
    return Complaint(
        expected=f"another name: {complaint.expected}",
        says=f"has a name that is not allowed: it {complaint.says}",
        value=name,
    )


def _more(side: Side) -> Issue:
    return Issue(
        path=Path.of(()),
        expected="fewer mistakes",
        value=None,
        message=f"There are more issues: only the first {MOST:,} are listed.",
        side=side,
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
