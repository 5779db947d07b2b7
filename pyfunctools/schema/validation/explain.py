"""Why a value is invalid: one issue for each broken rule.

jsonschema-rs decides quickly whether a value is valid, but its errors are about whole branches. So
an invalid value is walked along the schema. At each subschema these are checked, in this order:

1. its own rules (`type`, `minimum`, `pattern`, ...), by a validator without any other keyword;
2. the subschemas of members and of the same value (`properties`, `items`, `allOf`, `$ref`), each by
   its own compiled validator first, so that only the invalid ones are walked;
3. missing and undeclared properties, then unions and conditions, where a branch is chosen.

For `{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n", "m"]}` and
`{"n": "x"}`, the value meets the own rules of the root; `n` is invalid, is walked, and breaks
`type`; then `m` is missing.

The invariant: an invalid value has at least one issue, a valid value has none.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from typing import TypeAlias

from jsonschema_rs import Validator

from pyfunctools._json import JsonSchema, JsonValue, members_of
from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.issue import MOST_ISSUES, Issue, Side, side_issue
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.outline.expected import ANYTHING, expected, expected_of_union, one_of
from pyfunctools.schema.outline.outline import Outline, Part, ValueTest
from pyfunctools.schema.outline.unions import union_of
from pyfunctools.schema.validation.compiled import Compiled
from pyfunctools.schema.validation.messages import (
    Task,
    broken_rule,
    closest,
    undeclared,
)
from pyfunctools.schema.vocabulary import (
    ANNOTATIONS,
    CONJUNCTIVE,
    DRAFT,
    DYNAMIC_REFERENCES,
    IDENTITY,
    ONE_SCHEMA,
    PER_PROPERTY,
    REFERENCES,
    SCHEMA_LIST,
    SCHEMA_MAP,
    UNDECLARED,
    UNEVALUATED,
    UNIONS,
)

_ENOUGH = MOST_ISSUES + 1
"""The most steps of one subschema; further ones are not needed."""

_ALL_TOGETHER = DYNAMIC_REFERENCES | UNEVALUATED
"""Keywords that depend on all keywords beside them."""
_VERDICT_ONLY = frozenset({"contains", "not"})
"""Keywords with a schema that is not walked: only its verdict counts."""
_WALKED = (
    ONE_SCHEMA | SCHEMA_LIST | SCHEMA_MAP | PER_PROPERTY | REFERENCES | {"required"}
) - _VERDICT_ONLY
_NOT_OWN = _WALKED | ANNOTATIONS | IDENTITY | DRAFT | {"discriminator"}
"""Keywords that are not among the own rules of a schema."""


Step: TypeAlias = Task | Issue
"""The next step for an invalid value: a part of the schema to walk, or an issue."""


class Explainer:
    """Finds the issues of values that one compiled schema rejects. Thread-safe."""

    def __init__(self, compiled: Compiled, outline: Outline) -> None:
        self.compiled = compiled
        self.outline = outline
        self._parts: dict[Part, _PartExplainer] = {}

    def issues(self, value: JsonValue, side: Side) -> tuple[Issue, ...]:
        """Return the issues of an invalid value, in the order of the schema.

        If there are more than `MOST_ISSUES`, the last issue states this. For a union, the issues
        are about the branch that the value was meant for; see `Union.intended_branch`.
        """
        issues: dict[str, Issue] = {}
        root = Task((), self.outline.root, value, side)
        stack: list[Step] = [root]
        seen: set[tuple[Part, Keys, bool]] = set()
        while stack:
            step = stack.pop()
            if isinstance(step, Task):
                key = (step.part, step.path, step.is_name)
                if key not in seen:
                    seen.add(key)
                    stack += reversed(self._steps(step))
            elif step.message not in issues:
                if len(issues) == MOST_ISSUES:
                    more = f"fewer mistakes: only the first {MOST_ISSUES:,} are listed"
                    return (*issues.values(), side_issue(side, (), more))
                issues[step.message] = step
        return tuple(issues.values()) or (root.issue(expected(root.part)),)

    def _steps(self, task: Task) -> list[Step]:
        try:
            return self.of(task.part).steps(task)
        except SchemaError:  # the part cannot be compiled apart from the whole
            return [task.issue(ANYTHING)]

    def of(self, part: Part) -> "_PartExplainer":
        """Return the explainer of a part, or of its target if the part is only a `$ref`."""
        known = self._parts.get(part)
        if known is None:
            whole = (part.resolved if self.compiled.one_resource else None) or part
            known = _PartExplainer(self, part) if whole is part else self.of(whole)
            self._parts[part] = known
        return known


class _PartExplainer:
    """One subschema, with its validators and the checks for a value that it rejects."""

    def __init__(self, explainer: Explainer, part: Part) -> None:
        self.part = part
        self._explainer = explainer
        self._compiled = explainer.compiled
        # Up to draft 7, keywords beside a `$ref` are ignored.
        is_reference = explainer.compiled.legacy and "$ref" in part.rules
        self._rules: JsonSchema = {"$ref": part.rules["$ref"]} if is_reference else part.rules
        self._checks = [check for names, check in _CHECKS if not names.isdisjoint(self._rules)]
        if part.schema is False or not _NOT_OWN.issuperset(self._rules):
            self._checks.insert(0, _PartExplainer.own)

    @cached_property
    def is_valid(self) -> ValueTest:
        return self._compiled.test(self.part.keys)

    def steps(self, task: Task) -> list[Step]:
        found: list[Step] = []
        for check in self._checks:
            found += islice(check(self, task), _ENOUGH)
        # Unevaluated members are only known if everything else is valid.
        is_outside = "$ref" in self._rules and self._target is None
        if not found and (is_outside or not _ALL_TOGETHER.isdisjoint(self._rules)):
            found += islice(self._unevaluated(task), _ENOUGH)
        return found[:_ENOUGH]

    def own(self, task: Task) -> Iterator[Step]:
        """Yield a issue of each own rule of the schema that the value breaks."""
        for error in self._own.iter_errors(task.value):
            yield broken_rule(task, error)

    @cached_property
    def _own(self) -> Validator:
        """The validator of the schema's own rules, without the keywords that are walked."""
        if isinstance(self.part.schema, bool):
            return self._compiled.part(self.part.schema)
        own = {keyword: rule for keyword, rule in self._rules.items() if keyword not in _NOT_OWN}
        for keyword in _VERDICT_ONLY & own.keys():
            if isinstance(own[keyword], dict):
                own[keyword] = self._reference(keyword)
        return self._compiled.part(own)

    def properties(self, task: Task) -> Iterator[Step]:
        """Yield the invalid properties, but for those that are `closed` out."""
        value = members_of(task.value)
        declared = [name for name in self.part.declared if name in value]  # they come first
        for name in dict.fromkeys([*declared, *value]):
            for part in self.part.parts_of(name):
                inner = self._explainer.of(part)  # of its target, if it is a `$ref`
                if part is not self._closed_rest and not inner.is_valid(value[name]):
                    yield Task((*task.path, name), inner.part, value[name], task.side)

    @cached_property
    def _closed_rest(self) -> Part | None:
        rest = self.part.rest
        return rest if rest is not None and rest.schema is False else None

    def property_names(self, task: Task) -> Iterator[Step]:
        inner = self._below("propertyNames")
        for name in members_of(task.value):
            if inner is not None and not inner.is_valid(name):
                yield Task((*task.path, name), inner.part, name, task.side, is_name=True)

    def items(self, task: Task) -> Iterator[Step]:
        first, rest = self.part.items
        items = task.value if isinstance(task.value, (list, tuple)) else ()
        tests = [self._explainer.of(part) for part in first[: len(items)]]
        verdicts = [inner.is_valid(item) for inner, item in zip(tests, items, strict=False)]
        if rest is not None:
            later = self._explainer.of(rest)
            tests.append(later)
            verdicts += map(later.is_valid, items[len(first) :])
        for n, is_valid in enumerate(verdicts):
            if not is_valid:
                yield Task((*task.path, n), tests[min(n, len(first))].part, items[n], task.side)

    def same_value(self, task: Task) -> Iterator[Step]:
        """Yield the value again for each schema that applies to it as well and rejects it."""
        value, rules = task.value, self._rules
        keys: list[Keys] = [
            (keyword, name)
            for keyword in ("dependentSchemas", "dependencies")
            for name in members_of(rules.get(keyword))
            if name in members_of(value)
        ]
        keys += (("allOf", n) for n in range(len(self.part.branches("allOf"))))
        if (condition := self._below("if")) is not None:
            keys.append(("then" if condition.is_valid(value) else "else",))
        for inner in (*(self._below(*each) for each in keys), self._target):
            if inner is not None and not inner.is_valid(value):
                yield task._replace(part=inner.part)

    @cached_property
    def _target(self) -> "_PartExplainer | None":
        """The target of a `$ref`, or `None` if it is outside of the schema."""
        target = self.part.target if self._compiled.one_resource else None
        return target and self._explainer.of(target)

    def required(self, task: Task) -> Iterator[Step]:
        if isinstance(value := task.value, dict):
            for name in self.part.required:
                if name not in value:
                    yield task.missing(name)

    def dependent_required(self, task: Task) -> Iterator[Step]:
        """Yield the issue of each property that another one requires and that is missing."""
        value = members_of(task.value)
        for keyword in ("dependentRequired", "dependencies"):
            for when, names in members_of(self._rules.get(keyword)).items():
                for name in names if when in value and isinstance(names, list) else ():
                    if isinstance(name, str) and name not in value:
                        yield task.missing(name, when=when)

    def closed(self, task: Task) -> Iterator[Step]:
        if self._closed_rest is None:
            return
        value = members_of(task.value)
        wrong = [name for name in value if name not in self.part.declared]
        if "patternProperties" in self._rules:
            wrong = [name for name in wrong if self._closed_rest in self.part.parts_of(name)]
        yield from undeclared(task, value, wrong[:_ENOUGH])

    def unions(self, task: Task) -> Iterator[Step]:
        """Yield the value for the branch it was meant for, or the issue of the union."""
        for keyword in reversed(UNIONS):
            if keyword in self._rules:
                yield from self._union(keyword, task)

    def _union(self, keyword: str, task: Task) -> Iterator[Step]:
        value, union = task.value, union_of(self.part, keyword)
        by_tag = union.branch_by_tag(value)
        if by_tag is not None:  # the tag rules out the other branches
            if not self._explainer.of(by_tag).is_valid(value):
                yield task._replace(part=by_tag)
            return
        fits = [each for each in union.branches if self._explainer.of(each).is_valid(value)]
        if fits and (keyword == "anyOf" or len(fits) == 1):
            return
        meant = union.intended_branch(value)
        if meant is not None and meant not in fits:
            yield task._replace(part=meant)
        elif union.tag is None or not isinstance(value, dict) or fits:
            line = expected_of_union(self.part, keyword)
            yield task.issue(f"exactly one of: {line}" if fits else line)
        else:
            name, allowed = union.tag.name, union.tag.allowed
            if name not in value:
                yield task.missing(name, one_of(allowed))
                return
            tag = task._replace(path=(*task.path, name), value=value[name])
            yield tag.issue(one_of(allowed) + closest(allowed, value[name]))

    def _unevaluated(self, task: Task) -> Iterator[Step]:
        """Yield the issues of unevaluated members, or else that of the value as a whole."""
        value, found = task.value, False
        for error in self._compiled.part(self._reference()).iter_errors(value):
            keyword = error.kind.name
            part = None if error.instance_path else self.part.below(keyword)
            if part is None or keyword not in UNEVALUATED:
                continue
            found, is_closed = True, part.schema is False
            names = list(map(str, error.kind.value))[:_ENOUGH]
            if not isinstance(value, dict):
                more = "no more items" if is_closed else f"more items only as {expected(part)}"
                yield task.issue(more)
            elif is_closed:
                yield from undeclared(task, value, names)
            else:
                each = task._replace(part=part)
                yield from (each._replace(path=(*task.path, n), value=value.get(n)) for n in names)
        if not found:
            yield task.issue(expected(self.part))

    def _below(self, *keys: str | int) -> "_PartExplainer | None":
        part = self.part.below(*keys)
        return part and self._explainer.of(part)

    def _reference(self, *keys: str | int) -> JsonSchema:
        return {"$ref": self._compiled.address((*self.part.keys, *keys))}


_CHECKS: tuple[tuple[frozenset[str], Callable[[_PartExplainer, Task], Iterator[Step]]], ...] = (
    (UNDECLARED | {"properties"}, _PartExplainer.properties),
    (frozenset({"propertyNames"}), _PartExplainer.property_names),
    (frozenset({"items", "prefixItems"}), _PartExplainer.items),
    (CONJUNCTIVE | {"$ref"}, _PartExplainer.same_value),
    (frozenset({"required"}), _PartExplainer.required),
    (frozenset({"dependentRequired", "dependencies"}), _PartExplainer.dependent_required),
    (frozenset({"additionalProperties"}), _PartExplainer.closed),
    (frozenset(UNIONS), _PartExplainer.unions),
)
"""The checks for each keyword, in the order of the issues."""
