"""The issues of an invalid value: one for each broken rule, in the words of `outline.expected`."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from jsonschema_rs import ValidationError

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import shortened
from pyfunctools.schema.ground.did_you_mean import near_name
from pyfunctools.schema.ground.issue import Issue, Side, side_issue
from pyfunctools.schema.ground.json_values import escape_invisible, preview
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.outline.expected import ANYTHING, expected, listing, rule_text
from pyfunctools.schema.outline.json_types import listed_values
from pyfunctools.schema.outline.outline import Part
from pyfunctools.schema.vocabulary import BOUNDS, VALUE_LISTS, judging

_LISTED = 12
"""How many allowed values are listed; of more, the closest is named."""
_ITEM = 500
"""Characters of the longest item that is searched for among the others."""
_ITEMS = 200
"""How many items are compared with each other."""
_SEARCHED = 32
"""For how many undeclared properties of an object a declared one is suggested."""
_PARTS = 100
"""How many parts of a schema are searched for properties."""
_WHOLE_LINES = judging("array", "object") | {"not"}
"""Keywords for which an issue expects no more than the broken rule."""


class Task(NamedTuple):
    """A value that a part of the schema rejects; `is_name` if it is the name of a property."""

    path: Keys
    part: Part
    value: JsonValue
    side: Side
    is_name: bool = False

    def issue(self, line: str, rule: str = "") -> Issue:
        """Return the issue of the value, which should be as `line` describes; see `side_issue`."""
        if self.is_name:
            line = rule = f"another name: {line}"
        rule = rule or ("a value that fits the schema" if line == ANYTHING else "")
        return side_issue(self.side, self.path, line, self.value, rule=rule)

    def missing(self, name: str, line: str | None = None, when: str | None = None) -> Issue:
        """Return the issue of a missing property, which should be as `line` describes.

        `when` is the property that requires it.
        """
        inner = _declaration(self, name) if line is None else None
        line = line or (ANYTHING if inner is None else expected(inner))
        got = "missing" if when is None else f"missing, which {preview(when)} requires"
        rule = "a value" if line == ANYTHING else line
        return side_issue(self.side, (*self.path, name), line, rule=rule, got=got)


def broken_rule(task: Task, error: ValidationError) -> Issue:
    """Return the issue of a value that breaks a rule of a schema itself, not of its subschemas."""
    keyword, part = error.kind.name, task.part
    # Up to draft 4, `exclusiveMinimum` is a boolean beside `minimum`.
    operand = error.kind.value if keyword in BOUNDS else part.rules.get(keyword)
    rule = rule_text(part, keyword, operand)
    if keyword == "pattern" and type(error.kind).__name__ != "Pattern":
        rule = f"a shorter text, since it takes too many steps to match it: {rule}"
    if keyword == "uniqueItems":
        rule += _equal_items(task.value)
    line = rule if keyword in _WHOLE_LINES else expected(part)
    if keyword in VALUE_LISTS:
        near = closest(listed_values(part.rules) or (), task.value)
        line, rule = line + near, rule + near
    return task.issue(line, rule)


def _equal_items(items: JsonValue) -> str:
    """Return which two items of an array are equal, as far as that is quickly found."""
    seen: dict[str, int] = {}
    for index, item in enumerate(items[:_ITEMS] if isinstance(items, list | tuple) else ()):
        text = preview(item, _ITEM)
        if len(text) < _ITEM and text in seen:
            return f"; items {seen[text]} and {index} are equal"
        seen[text] = index
    return ""


def closest(values: Sequence[JsonValue], value: JsonValue) -> str:
    """Return a question that suggests the allowed value closest to a wrong one; "" for few."""
    texts = [text for text in values if isinstance(text, str)]
    near = near_name(value, texts) if isinstance(value, str) and len(values) > _LISTED else None
    return "" if near is None else f"; did you mean {preview(near)}?"


def undeclared(task: Task, value: JsonObject, names: Iterable[str]) -> Iterator[Issue]:
    """Yield the issues of properties that are not allowed, with the allowed names."""
    known = task.part.cached(_declared)
    for n, name in enumerate(names):
        near = near_name(name, known) if n < _SEARCHED else None
        remedy = task.part.cached(_allowed) if near is None else f"did you mean {preview(near)}?"
        line = f"no property {preview(name)}; {remedy}"
        yield side_issue(task.side, (*task.path, name), line, value.get(name))


def _declaration(task: Task, name: str) -> Part | None:
    """Return the part of a property that the part of a task declares, or another part there."""
    if (found := task.part.cached(_declared).get(name)) is not None:
        return found
    place = task.part.outline.place
    for key in (*task.path, name):
        place = place.possible.inside(key)
    return next((part for part in place.roots if part.schema is not False), None)


def _declared(part: Part) -> dict[str, Part]:
    """Return the properties that a part declares, through `allOf` and `$ref` too."""
    found: dict[str, Part] = {}
    for each in part.parts[:_PARTS]:
        for name, inner in each.declared.items():
            found.setdefault(name, inner)
    return found


def _allowed(part: Part) -> str:
    names = list(part.cached(_declared))
    listed = listing(names)
    patterns = part.rules.get("patternProperties")
    if not isinstance(patterns, dict) or not patterns:
        return f"the properties are {listed}" if names else "there are no properties"
    texts = [escape_invisible(shortened(pattern, 40)) for pattern in list(patterns)[:3]]
    listed += " and " if names else ""
    return f"the properties are {listed}those that match {' or '.join(texts)}"
