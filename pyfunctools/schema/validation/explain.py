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

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING, NamedTuple

from pyfunctools._json import JsonObject, JsonSchema, JsonValue, members_of
from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.ground.preview import preview
from pyfunctools.schema.outline.expected import ANYTHING, expected, expected_of_union, one_of
from pyfunctools.schema.outline.json_types import json_type
from pyfunctools.schema.outline.outline import Outline, Part, ValueTest
from pyfunctools.schema.outline.unions import Tag, union_of
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
    DRAFT,
    DYNAMIC_REFERENCES,
    IDENTITY,
    ONE_SCHEMA,
    PER_PROPERTY,
    REFERENCES,
    SCHEMA_LIST,
    SCHEMA_MAP,
    UNEVALUATED,
    UNIONS,
)

if TYPE_CHECKING:
    from jsonschema_rs import Validator

MOST = 1_000
"""Issues of one value that are told."""

_ENOUGH = MOST + 1
"""Wrong parts of one value after which the others need not be looked for."""

_UNKNOWN = DYNAMIC_REFERENCES | UNEVALUATED
"""Keywords that mean something only together with all that is beside them."""
_ASKED = frozenset({"contains", "not"})
"""Keywords that hold a schema, and of which only the verdict counts."""
_WALKED = (
    ONE_SCHEMA | SCHEMA_LIST | SCHEMA_MAP | PER_PROPERTY | REFERENCES | {"required"}
) - _ASKED
_ALONE = _WALKED | IDENTITY | DRAFT | {"discriminator"}
"""Keywords that are not among a schema's own rules: they are walked, or name the schema."""
_SILENT = ANNOTATIONS | IDENTITY | DRAFT | {"discriminator"}
"""Keywords that refuse nothing."""


class Task(NamedTuple):
    """A value that a part of the schema is known to refuse; `path` leads to the value.

    With `name` it is the name of a property, and `path` leads to that property.
    """

    part: Part
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

    def __init__(self, compiled: Compiled, outline: Outline) -> None:
        self.compiled = compiled
        self.outline = outline
        self._known: dict[Part, _Judged] = {}

    def issues(self, value: JsonValue, side: Side) -> tuple[Issue, ...]:
        """Return every issue of a value that is not valid, in the order of the schema.

        In a union they are those of the branch the value was meant for; see `Union.meant`.
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
        stack: list[Step] = [Task(self.outline.root, value, ())]
        seen: set[tuple[Part, Keys, bool]] = set()
        complained = False
        while stack:
            step = stack.pop()
            if not isinstance(step, Task):
                complained = True
                yield step
            elif (asked := (step.part, step.path, step.name)) not in seen:
                seen.add(asked)
                stack += reversed(self._steps(step))
        if not complained:
            yield (), _misfit(self.outline.root, value)

    def _steps(self, task: Task) -> list[Step]:
        steps: list[Step]
        try:
            steps = self.judged(task.part).steps(task)
        except SchemaError:  # a part that means nothing apart from the whole
            steps = [(task.path, _misfit(None, task.value))]
        if not task.name:
            return steps
        return [
            step if isinstance(step, Task) else (task.path, _about_name(step[1], task.value))
            for step in steps
        ]

    def judged(self, part: Part) -> "_Judged":
        """Return what judges a part, or what a part refers to that says nothing else."""
        known = self._known.get(part)
        if known is None:
            whole = (part.resolved if self.compiled.one_resource else None) or part
            known = _Judged(self, part) if whole is part else self.judged(whole)
            self._known[part] = known
        return known


def _misfit(part: Part | None, value: JsonValue) -> Complaint:
    """Return the complaint about a value that does not fit, where no rule says more."""
    line = ANYTHING if part is None else expected(part)
    return Complaint(expected=line, says=instead(line, value), value=value)


class _Judged:
    """One subschema: what judges it, and what is asked of a value that it refuses."""

    def __init__(self, explainer: Explainer, part: Part) -> None:
        self.part = part
        self._explainer = explainer
        self._compiled = explainer.compiled
        # Beside a `$ref` nothing counts up to draft 7.
        legacy = explainer.compiled.legacy and "$ref" in part.rules
        self._rules: JsonSchema = {"$ref": part.rules["$ref"]} if legacy else part.rules
        self._tests: dict[Keys, Validator] = {}
        judging = [keyword for keyword in self._rules if keyword not in _SILENT]
        # Of a single keyword it is known that it refuses what the schema refuses.
        self._only = judging[0] if len(judging) == 1 else None
        own = [keyword for keyword in judging if keyword not in _ALONE]
        # Asking a type here saves that the whole of a large value is handed to jsonschema-rs.
        self._typed = part.own_types if own == ["type"] else frozenset[str]()
        walks = [walk for keywords, walk in _WALKS if not keywords.isdisjoint(self._rules)]
        if self._rules.get("patternProperties"):
            walks.sort(key=lambda walk: walk is not _Judged.unexpected)
        self._walks = [_Judged.broken, *walks] if own or part.schema is False else walks

    @cached_property
    def fits(self) -> ValueTest:
        """True if a value is right, by all that the schema leads to."""
        return self._compiled.test(self.part.keys)

    def steps(self, task: Task) -> list[Step]:
        """Return what is wrong with a refused value, in the order of the schema."""
        found: list[Step] = []
        for walk in self._walks:
            found += islice(walk(self, task), _ENOUGH)
        # What nothing evaluates is only known where everything else is right.
        leads_out = "$ref" in self._rules and self._target is None
        if not found and (leads_out or not _UNKNOWN.isdisjoint(self._rules)):
            found += islice(self._left_over(task), _ENOUGH)
        return found[:_ENOUGH]

    def broken(self, task: Task) -> Iterator[Step]:
        """Yield a complaint for each of the schema's own rules that is broken."""
        value = task.value
        if self._typed and isinstance(value, dict | list) and json_type(value) in self._typed:
            return
        if self._own.is_valid(value):
            return
        for error in self._own.iter_errors(value):
            for complaint in complaints_of(Broken(error.kind, self.part, value, error.message)):
                yield task.path, complaint

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

    def properties(self, task: Task) -> Iterator[Step]:
        """Yield the declared properties that are wrong."""
        value = members_of(task.value)
        for name, inner in self._declared:
            if name in value and not inner.fits(value[name]):
                yield Task(inner.part, value[name], (*task.path, name))

    @cached_property
    def _declared(self) -> list[tuple[str, "_Judged"]]:
        return [(name, self._judged(part)) for name, part in self.part.declared.items()]

    def undeclared(self, task: Task) -> Iterator[Step]:
        """Yield the wrong properties whose names match a pattern, or are not declared."""
        value = members_of(task.value)
        for part, test in self._by_name:
            for name, inner in () if test(value) else value.items():
                if not test({name: inner}):
                    yield Task(part, inner, (*task.path, name))

    @cached_property
    def _by_name(self) -> list[tuple[Part, ValueTest]]:
        """The parts that judge members whose names lead to them, and what tests these alone."""
        patterns = members_of(self._rules.get("patternProperties"))
        tests: dict[Keys, JsonSchema] = {}
        for pattern in patterns:
            steps = ("patternProperties", pattern)
            tests[steps] = {"patternProperties": {pattern: self._refer(*steps)}}
        tests["additionalProperties",] = {
            "properties": dict.fromkeys(members_of(self._rules.get("properties")), True),
            "patternProperties": dict.fromkeys(patterns, True),
            "additionalProperties": self._refer("additionalProperties"),
        }
        parts = ((self.part.below(*steps), test) for steps, test in tests.items())
        return [
            (part, self._compiled.part(test).is_valid)
            for part, test in parts
            if part is not None and part.rules
        ]

    def named(self, task: Task) -> Iterator[Step]:
        """Yield the names that are wrong."""
        inner = self._below("propertyNames")
        for name in members_of(task.value):
            if inner is not None and not inner.fits(name):
                yield Task(inner.part, name, (*task.path, name), name=True)

    def dependent(self, task: Task) -> Iterator[Step]:
        """Yield the value again for schemas that hold where some property is there."""
        for keyword in ("dependentSchemas", "dependencies"):
            for name in members_of(self._rules.get(keyword)):
                if name in members_of(task.value):
                    yield from self._again(task, keyword, name)

    def items(self, task: Task) -> Iterator[Step]:
        """Yield the items that are wrong."""
        front, later = self._rows
        held = task.value if isinstance(task.value, list | tuple) else ()
        for n, (inner, item) in enumerate(zip(chain(front, repeat(later)), held, strict=False)):
            if inner is not None and not inner.fits(item):
                yield Task(inner.part, item, (*task.path, n))

    @cached_property
    def _rows(self) -> tuple[list["_Judged"], "_Judged | None"]:
        front, later = self.part.items
        return list(map(self._judged, front)), None if later is None else self._judged(later)

    def all_of(self, task: Task) -> Iterator[Step]:
        """Yield the value again for the schemas of `allOf`."""
        for n in range(len(self.part.branches("allOf"))):
            yield from self._again(task, "allOf", n)

    def _again(self, task: Task, *steps: str | int) -> Iterator[Step]:
        """Yield the same value for the schema at these steps below, if that refuses it."""
        inner = self._below(*steps)
        if inner is not None and not inner.fits(task.value):
            yield task._replace(part=inner.part)

    def referred(self, task: Task) -> Iterator[Step]:
        """Yield the value again for what a `$ref` leads to."""
        target = self._target
        if target is not None and (self._only == "$ref" or not target.fits(task.value)):
            yield task._replace(part=target.part)

    @cached_property
    def _target(self) -> "_Judged | None":
        """What a `$ref` leads to, `None` where that cannot be named from here."""
        target = self.part.target if self._compiled.one_resource else None
        return None if target is None else self._judged(target)

    def missing(self, task: Task) -> Iterator[Step]:
        """Yield a complaint about each required property that is not there."""
        if isinstance(value := task.value, dict):
            for name in self.part.required:
                if name not in value:
                    yield task.path, missing(self.part, name)

    def needed(self, task: Task) -> Iterator[Step]:
        """Yield a complaint about each property that is not there, and another one needs."""
        value = members_of(task.value)
        for keyword in ("dependentRequired", "dependencies"):
            for when, names in members_of(self._rules.get(keyword)).items():
                for name in names if when in value and isinstance(names, list) else ():
                    if isinstance(name, str) and name not in value:
                        yield task.path, missing(self.part, name, when)

    def unexpected(self, task: Task) -> Iterator[Step]:
        """Yield a complaint about each property that may not be there."""
        value, patterns = task.value, members_of(self._rules.get("patternProperties"))
        if self._rules["additionalProperties"] is not False or not isinstance(value, dict):
            return
        declared = members_of(self._rules.get("properties"))
        wrong = [name for name in value if name not in declared]
        if wrong and patterns:
            forbidden: JsonSchema = {"patternProperties": dict.fromkeys(patterns, False)}
            is_free = self._test(("patternProperties",), forbidden).is_valid
            wrong = [name for name in wrong if is_free({name: None})]
        for complaint in unexpected(self.part, value, wrong[:_ENOUGH]):
            yield task.path, complaint

    def unions(self, task: Task) -> Iterator[Step]:
        """Yield the value again for the branch it was meant for, or what the union wants of it."""
        for keyword in reversed(UNIONS):
            if keyword in self._rules:
                yield from self._union(keyword, task)

    def _union(self, keyword: str, task: Task) -> Iterator[Step]:
        value, union = task.value, union_of(self.part, keyword)
        decided, tag = union.branch_by_tag(value), union.tag
        if decided is not None:  # the other branches refuse it for their tag
            branch = self._judged(decided)
            if self._only == keyword or not branch.fits(value):
                yield task._replace(part=branch.part)
            return
        if self._only != keyword and self._is_chosen(keyword, value):
            return
        meant = union.intended_branch(value)
        if meant is not None and not (judged := self._judged(meant)).fits(value):
            yield task._replace(part=judged.part)
            return
        line = expected_of_union(self.part, keyword)
        if keyword == "oneOf" and any(self._judged(each).fits(value) for each in union.branches):
            says = f"must fit exactly one of the allowed forms and fits several: {line}"
            yield task.path, Complaint(f"exactly one of: {line}", says, value)
        elif tag is None or not isinstance(value, dict):
            yield task.path, Complaint(line, instead(line, value), value)
        else:
            yield task.path, _of_tag(tag, value)

    def _is_chosen(self, keyword: str, value: JsonValue) -> bool:
        branches = range(len(self.part.branches(keyword)))
        test: JsonSchema = {keyword: [self._refer(keyword, n) for n in branches]}
        return self._test((keyword,), test).is_valid(value)

    def conditional(self, task: Task) -> Iterator[Step]:
        """Yield the value again for `then` or `else`."""
        condition = self._below("if")
        if condition is not None:
            yield from self._again(task, "then" if condition.fits(task.value) else "else")

    def _left_over(self, task: Task) -> Iterator[Step]:
        """Yield what nothing else in the schema looks at, where that is why it is refused."""
        value, found = task.value, False
        for error in self._compiled.part(self._refer()).iter_errors(value):
            keyword = error.kind.name
            part = None if error.instance_path else self.part.below(keyword)
            if part is None or not keyword.startswith("unevaluated"):
                continue
            found = True
            line = expected(part)
            if not isinstance(value, dict):
                wanted = "no more items" if part.schema is False else f"more items only as {line}"
                says = "holds items beyond those that are declared"
                yield task.path, Complaint(wanted, says, value)
                continue
            names = list(map(str, error.kind.value))[:_ENOUGH]
            if part.schema is False:
                for complaint in unexpected(self.part, value, names):
                    yield task.path, complaint
                continue
            for name in names:
                given = value.get(name)
                yield task.path, Complaint(line, instead(line, given), given, below=(name,))
        if not found:
            yield task.path, _misfit(self.part, value)

    def _below(self, *steps: str | int) -> "_Judged | None":
        part = self.part.below(*steps)
        return None if part is None else self._judged(part)

    def _judged(self, part: Part) -> "_Judged":
        return self._explainer.judged(part)

    def _test(self, steps: Keys, schema: JsonSchema) -> "Validator":
        """Return the compiled test that this schema keeps at these steps."""
        known = self._tests.get(steps)
        if known is None:
            known = self._tests[steps] = self._compiled.part(schema)
        return known

    def _refer(self, *steps: str | int) -> JsonSchema:
        return {"$ref": self._compiled.address((*self.part.keys, *steps))}


_WALKS: tuple[tuple[frozenset[str], Callable[[_Judged, Task], Iterator[Step]]], ...] = (
    (frozenset({"properties"}), _Judged.properties),
    (frozenset({"patternProperties", "additionalProperties"}), _Judged.undeclared),
    (frozenset({"propertyNames"}), _Judged.named),
    (frozenset({"dependentSchemas", "dependencies"}), _Judged.dependent),
    (frozenset({"items", "prefixItems"}), _Judged.items),
    (frozenset({"allOf"}), _Judged.all_of),
    (frozenset({"$ref"}), _Judged.referred),
    (frozenset({"required"}), _Judged.missing),
    (frozenset({"dependentRequired", "dependencies"}), _Judged.needed),
    (frozenset({"additionalProperties"}), _Judged.unexpected),
    (frozenset(UNIONS), _Judged.unions),
    (frozenset({"if"}), _Judged.conditional),
)
"""What is asked of a refused value, by the keywords that ask it, in the order it is told.

Where names may match a pattern, what may not be there is told first.
"""


def _of_tag(tag: Tag, value: JsonObject) -> Complaint:
    """Return the complaint about the tag of an object that was meant for no branch."""
    allowed, given = one_of(tag.allowed), value.get(tag.name)
    says = f"must be {allowed}, but is {preview(given)}{hint(given, tag.allowed)}"
    says = says if tag.name in value else absent(allowed)
    return Complaint(allowed, says, given, below=(tag.name,))


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


def _about_name(complaint: Complaint, name: JsonValue) -> Complaint:
    return Complaint(
        expected=f"another name: {complaint.expected}",
        says=f"has a name that is not allowed: it {complaint.says}",
        value=name,
    )
