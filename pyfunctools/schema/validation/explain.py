"""Why a value is refused: the schema walked beside the value, one complaint for each broken rule.

jsonschema-rs says whether a value is right, and says it fast; its own complaints are about whole
branches and name places by its own words. So a value that is refused is walked down the schema.
At each subschema three things are asked, in this order:

1. its own rules (`type`, `minimum`, `pattern`, ...), by a validator that holds nothing else;
2. what holds further down (properties, items, `allOf`, `$ref`), each by its own compiled
   validator first, so that only what is wrong is walked into;
3. names that are missing or not allowed, then unions and conditions, where a branch is chosen.

For `{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n", "m"]}` and
`{"n": "x"}` the root's own rules hold; `n` is refused by its validator, is walked into, and breaks
`type`; then `m` is missing.

The invariant: a refused value has at least one complaint, and one that is right has none.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.path import Keys, Path, pointer_of
from pyfunctools.schema.ground.preview import shown
from pyfunctools.schema.ground.references import steps_of
from pyfunctools.schema.outline.expected import ANYTHING, expected, expected_of_union, one_of
from pyfunctools.schema.outline.json_types import type_of
from pyfunctools.schema.outline.outline import Outline, Part, Test
from pyfunctools.schema.outline.unions import union_of
from pyfunctools.schema.result import Issue, Side
from pyfunctools.schema.validation.compiled import Compiled
from pyfunctools.schema.validation.messages import (
    Broken,
    Complaint,
    absent,
    complaints_of,
    hint,
    instead,
    missing,
    unexpected,
)
from pyfunctools.schema.vocabulary import (
    ANNOTATIONS,
    BY_NAME,
    DRAFT,
    DYNAMIC,
    IDENTITY,
    LISTED,
    NAMED,
    REFERENCES,
    SEES_SIBLINGS,
    SINGLE,
    UNIONS,
)

if TYPE_CHECKING:
    from jsonschema_rs import Validator

MOST = 1_000
"""Issues of one value that are told."""

_ENOUGH = MOST + 1
"""Wrong parts of one value after which the others need not be looked for."""

_UNKNOWN = DYNAMIC | SEES_SIBLINGS
"""Keywords that mean something only together with all that is beside them."""
_ASKED = frozenset({"contains", "not"})
"""Keywords that hold a schema, and of which only the verdict counts."""
_WALKED = (SINGLE | LISTED | NAMED | BY_NAME | REFERENCES | {"required"}) - _ASKED
_ALONE = _WALKED | IDENTITY | DRAFT | {"discriminator"}
"""Keywords that are not among a schema's own rules: they are walked, or name the schema."""
_SILENT = ANNOTATIONS | IDENTITY | DRAFT | {"discriminator"}
"""Keywords that refuse nothing."""


class Task(NamedTuple):
    """A value that the schema at `at` is known to refuse; `path` leads to the value.

    With `name` it is the name of a property, and `path` leads to that property.
    """

    at: Keys
    value: JsonValue
    path: Keys
    name: bool = False


Step = Task | tuple[Keys, Complaint]
"""What a refused value leads to: a part of it to look at, or a complaint and its place."""


class Explainer:
    """Finds what is wrong with values, by one compiled schema: up to `MOST` issues of each.

    What it compiles it keeps. May be used by several threads: what two of them make at once is made
    twice, and one is kept.
    """

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.outline = Outline(compiled.schema)
        self._known: dict[Part, _Judged] = {}

    def issues(self, value: JsonValue, side: Side) -> tuple[Issue, ...]:
        """Return every issue of a value that is not valid, in the order of the schema.

        In a union they are those of the branch the value was meant for; see `Unions.meant`.
        """
        found: dict[tuple[Keys, str], Issue] = {}
        for keys, complaint in self._complaints(value):
            path = (*keys, *complaint.below) if complaint.below else keys
            told = (path, complaint.says)
            if told in found:
                continue
            if len(found) == MOST:
                found[(), ""] = _more(side)
                break
            found[told] = issue_of(path, complaint, side)
        return tuple(found.values())

    def _complaints(self, value: JsonValue) -> Iterator[tuple[Keys, Complaint]]:
        """Yield each complaint with the path of the value that was refused."""
        stack: list[Step] = [Task((), value, ())]
        seen: set[tuple[Keys, Keys, bool]] = set()
        complained = False
        while stack:
            step = stack.pop()
            if not isinstance(step, Task):
                complained = True
                yield step
            elif (asked := (step.at, step.path, step.name)) not in seen:
                seen.add(asked)
                stack += reversed(self._steps(step))
        if not complained:
            yield (), _misfit(self.outline.root, value)

    def _steps(self, task: Task) -> list[Step]:
        steps: list[Step]
        try:
            steps = list(islice(self.judged(task.at).steps(task), _ENOUGH))
        except SchemaError:  # a part that means nothing apart from the whole
            steps = [(task.path, _misfit(None, task.value))]
        if not task.name:
            return steps
        return [
            step if isinstance(step, Task) else (task.path, _about_name(step[1], task.value))
            for step in steps
        ]

    def judged(self, at: Keys) -> "_Judged":
        """Return what is known of the part at these steps.

        Raises:
            SchemaError: no schema stands there.
        """
        part = self.outline.at(at)
        if part is None:
            raise SchemaError("no schema stands here", pointer_of(at))
        known = self._known.get(part)
        if known is None:
            known = self._known[part] = _Judged(self, part)
        return known


def _misfit(part: Part | None, value: JsonValue) -> Complaint:
    """Return the complaint about a value that does not fit, where no rule says more."""
    line = ANYTHING if part is None else expected(part)
    return Complaint(expected=line, says=instead(line, value), value=value)


class _Judged:
    """One subschema: what judges it, and what is asked of a value that it refuses."""

    def __init__(self, explainer: Explainer, part: Part) -> None:
        self.part = part
        self.at = part.keys
        # Beside a `$ref` nothing counts up to draft 7.
        legacy = explainer.compiled.legacy and "$ref" in part.rules
        self._rules: JsonSchema = {"$ref": part.rules["$ref"]} if legacy else part.rules
        self._explainer = explainer
        self._compiled = explainer.compiled
        self._tests: dict[Keys, Validator] = {}
        judging = [keyword for keyword in self._rules if keyword not in _SILENT]
        # Of a single keyword it is known that it refuses what the schema refuses.
        self._only = judging[0] if len(judging) == 1 else None
        # Asking a type here saves that the whole of a large value is handed to jsonschema-rs.
        is_typed = not any(k != "type" and k not in _ALONE | _SILENT for k in self._rules)
        self._typed = part.own_types if is_typed and "type" in self._rules else None

    @cached_property
    def fits(self) -> Test:
        """True if a value is right, by all that the schema leads to."""
        return self._compiled.test(self.at)

    def steps(self, task: Task) -> Iterator[Step]:
        """Yield what is wrong with a refused value, in the order of the schema."""
        found = False
        for step in self._known_steps(task):
            found = True
            yield step
        # What nothing evaluates is only known where everything else is right.
        if not found and (self._refers_out or not _UNKNOWN.isdisjoint(self._rules)):
            yield from self._left_over(task)

    @property
    def _refers_out(self) -> bool:
        """True if the place that a `$ref` leads to cannot be named from here."""
        reference = self._rules.get("$ref")
        if not isinstance(reference, str):
            return False
        return not self._compiled.one_resource or steps_of(reference) is None

    def _known_steps(self, task: Task) -> Iterator[Step]:
        schema, value = self._rules, task.value
        yield from self._broken(task)
        if isinstance(value, dict):
            if schema.get("patternProperties"):
                yield from self._unexpected(value, task)
            yield from self._members(value, task)
        elif isinstance(value, list | tuple):
            yield from self._items(value, task)
        for n in range(len(self.part.listed("allOf")) if "allOf" in schema else 0):
            yield from self._below(task, "allOf", n)
        yield from self._referred(task)
        if isinstance(value, dict):
            yield from self._missing(value, task)
            if not schema.get("patternProperties"):
                yield from self._unexpected(value, task)
        for keyword in reversed(UNIONS):
            if isinstance(schema.get(keyword), list):
                yield from self._union(keyword, task)
        if "if" in schema:
            yield from self._below(task, "then" if self._inner("if").fits(value) else "else")

    @cached_property
    def _own(self) -> "Validator":
        """The schema's own rules, and nothing that holds further down."""
        if isinstance(self.part.schema, bool):
            return self._compiled.part(self.part.schema)
        own = {keyword: rule for keyword, rule in self._rules.items() if keyword not in _ALONE}
        for keyword in _ASKED & own.keys():
            if isinstance(own[keyword], dict):
                own[keyword] = self._refer(keyword)
        return self._compiled.part(own)

    def _broken(self, task: Task) -> Iterator[Step]:
        if self._only in _ALONE or (
            isinstance(task.value, dict | list)
            and self._typed is not None
            and type_of(task.value) in self._typed
        ):
            return
        if self._own.is_valid(task.value):
            return
        for error in self._own.iter_errors(task.value):
            broken = Broken(error.kind, self.part, task.value, error.message)
            for complaint in complaints_of(broken):
                yield task.path, complaint

    def _below(self, task: Task, *steps: str | int) -> Iterator[Step]:
        """Yield the same value for the schema at these steps below, if that refuses it."""
        if steps[0] in self._rules and not self._inner(*steps).fits(task.value):
            yield task._replace(at=(*self.at, *steps))

    @cached_property
    def _target(self) -> Keys | None:
        """The steps that a `$ref` leads to, `None` where they cannot be named from here."""
        reference = self._rules.get("$ref")
        return steps_of(reference) if isinstance(reference, str) and not self._refers_out else None

    def _referred(self, task: Task) -> Iterator[Step]:
        steps = self._target
        if steps is None:
            return
        if self._only == "$ref" or not self._explainer.judged(steps).fits(task.value):
            yield task._replace(at=steps)

    @cached_property
    def _declared(self) -> list[tuple[str, "_Judged"]]:
        names = self.part.declared if "properties" in self._rules else ()
        return [(name, self._inner("properties", name)) for name in names]

    def _members(self, value: JsonObject, task: Task) -> Iterator[Step]:
        schema, path = self._rules, task.path
        for name, part in self._declared:
            if name in value and not part.fits(value[name]):
                yield Task(part.at, value[name], (*path, name))
        patterns = schema.get("patternProperties")
        for pattern in patterns if isinstance(patterns, dict) else ():
            steps = ("patternProperties", pattern)
            test: JsonSchema = {"patternProperties": {pattern: self._refer(*steps)}}
            yield from self._found_by_name(steps, test, value, task)
        if isinstance(schema.get("additionalProperties"), dict):
            test = {
                "properties": _free(schema.get("properties")),
                "patternProperties": _free(patterns),
                "additionalProperties": self._refer("additionalProperties"),
            }
            yield from self._found_by_name(("additionalProperties",), test, value, task)
        if "propertyNames" in schema:
            part = self._inner("propertyNames")
            for name in value:
                if not part.fits(name):
                    yield Task(part.at, name, (*path, name), name=True)
        for keyword in ("dependentSchemas", "dependencies"):
            for name, inner in _items(schema.get(keyword)):
                if name in value and isinstance(inner, dict | bool):
                    yield from self._below(task, keyword, name)

    def _found_by_name(
        self, steps: Keys, test: JsonSchema, value: JsonObject, task: Task
    ) -> Iterator[Step]:
        """Yield the wrong members of those that a schema judges which their names lead to."""
        fits = self._test(steps, test).is_valid
        if not fits(value):
            for name, inner in value.items():
                if not fits({name: inner}):
                    yield Task((*self.at, *steps), inner, (*task.path, name))

    def _items(self, value: Iterable[JsonValue], task: Task) -> Iterator[Step]:
        front, rest = self.part.items if self._rules is self.part.rules else ([], None)
        first = [self._explainer.judged(part.keys) for part in front]
        later = None if rest is None else self._explainer.judged(rest.keys)
        for n, item in enumerate(value):
            judged = first[n] if n < len(first) else later
            if judged is not None and not judged.fits(item):
                yield Task(judged.at, item, (*task.path, n))

    def _missing(self, value: JsonObject, task: Task) -> Iterator[Step]:
        schema = self._rules
        for name in _texts(schema.get("required")):
            if name not in value:
                yield task.path, missing(self.part, name)
        for keyword in ("dependentRequired", "dependencies"):
            for when, names in _items(schema.get(keyword)):
                for name in _texts(names) if when in value else ():
                    if name not in value:
                        yield task.path, missing(self.part, name, when)

    def _unexpected(self, value: JsonObject, task: Task) -> Iterator[Step]:
        schema = self._rules
        if schema.get("additionalProperties") is not False:
            return
        names = schema.get("properties")
        declared = names if isinstance(names, dict) else {}
        wrong = [name for name in value if name not in declared]
        patterns = schema.get("patternProperties")
        if wrong and isinstance(patterns, dict) and patterns:
            forbidden: JsonSchema = {"patternProperties": dict.fromkeys(patterns, False)}
            is_free = self._test(("patternProperties",), forbidden).is_valid
            wrong = [name for name in wrong if is_free({name: None})]
        for complaint in unexpected(self.part, value, wrong[:_ENOUGH]):
            yield task.path, complaint

    def _chosen(self, keyword: str, value: JsonValue) -> bool:
        branches = range(len(self.part.listed(keyword)))
        test: JsonSchema = {keyword: [self._refer(keyword, n) for n in branches]}
        return self._test((keyword,), test).is_valid(value)

    def _union(self, keyword: str, task: Task) -> Iterator[Step]:
        value, union = task.value, union_of(self.part, keyword)
        tag = union.tag
        index = tag.decided(value) if tag is not None and isinstance(value, dict) else None
        if index is not None:  # the other branches refuse it for their tag
            if self._only == keyword or not self._inner(keyword, index).fits(value):
                yield task._replace(at=(*self.at, keyword, index))
            return
        if self._only != keyword and self._chosen(keyword, value):
            return
        meant = union.meant(value)
        if meant is not None and not self._explainer.judged(meant.keys).fits(value):
            yield task._replace(at=meant.keys)
            return
        line = expected_of_union(self.part, keyword)
        fits = (self._explainer.judged(branch.keys).fits(value) for branch in union.branches)
        if keyword == "oneOf" and any(fits):
            says = f"must fit exactly one of the allowed forms and fits several: {line}"
            yield task.path, Complaint(f"exactly one of: {line}", says, value)
        elif tag is None or not isinstance(value, dict):
            yield task.path, Complaint(line, instead(line, value), value)
        else:
            allowed, given = one_of(tag.allowed), value.get(tag.name)
            says = f"must be {allowed}, but is {shown(given)}{hint(given, tag.allowed)}"
            says = says if tag.name in value else absent(allowed)
            yield task.path, Complaint(allowed, says, given, below=(tag.name,))

    def _left_over(self, task: Task) -> Iterator[Step]:
        """Yield what nothing else in the schema looks at, where that is why it is refused."""
        value, found = task.value, False
        for error in self._compiled.part(self._refer()).iter_errors(value):
            keyword = error.kind.name
            if error.instance_path or not keyword.startswith("unevaluated"):
                continue
            found = True
            inner = self._rules.get(keyword)
            line = expected(self._inner(keyword).part)
            if not isinstance(value, dict):
                wanted = "no more items" if inner is False else f"more items only as {line}"
                says = "holds items beyond those that are declared"
                yield task.path, Complaint(wanted, says, value)
                continue
            names = list(map(str, error.kind.value))[:_ENOUGH]
            if inner is False:
                for complaint in unexpected(self.part, value, names):
                    yield task.path, complaint
                continue
            for name in names:
                given = value.get(name)
                yield task.path, Complaint(line, instead(line, given), given, below=(name,))
        if not found:
            yield task.path, _misfit(self.part, value)

    def _inner(self, *steps: str | int) -> "_Judged":
        return self._explainer.judged((*self.at, *steps))

    def _test(self, steps: Keys, schema: JsonSchema) -> "Validator":
        """Return the compiled test that this schema keeps at these steps."""
        known = self._tests.get(steps)
        if known is None:
            known = self._tests[steps] = self._compiled.part(schema)
        return known

    def _refer(self, *steps: str | int) -> JsonSchema:
        return {"$ref": self._compiled.address((*self.at, *steps))}


def issue_of(keys: Keys, complaint: Complaint, side: Side = "whole") -> Issue:
    """Return a complaint as an issue at a place."""
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


def _items(value: JsonValue) -> Iterable[tuple[str, JsonValue]]:
    return value.items() if isinstance(value, dict) else ()


def _texts(value: JsonValue) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _free(properties: JsonValue) -> JsonSchema:
    """Return the same properties, each free to be anything."""
    return {name: {} for name in properties} if isinstance(properties, dict) else {}


def _about_name(complaint: Complaint, name: JsonValue) -> Complaint:
    return Complaint(
        expected=f"another name: {complaint.expected}",
        says=f"has a name that is not allowed: it {complaint.says}",
        value=name,
    )
