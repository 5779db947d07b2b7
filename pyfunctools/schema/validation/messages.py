"""The messages about an invalid value: one sentence for each broken rule."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from jsonschema_rs import ValidationError

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import plural, shortened, visible
from pyfunctools.schema.ground.did_you_mean import near_name
from pyfunctools.schema.ground.json_values import escape_invisible, preview
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.outline.expected import ANYTHING, bound, expected, one_of
from pyfunctools.schema.outline.json_types import EXAMPLES, implied_types, json_type, listed_values
from pyfunctools.schema.outline.outline import Part
from pyfunctools.schema.vocabulary import BOUNDS, HOLDING, ONE_SCHEMA

_ITEM = 2_000
"""Characters of the longest item that is searched for among the others."""
_ITEMS = 200
"""How many items are compared with each other."""
_LISTED = 12
"""How many allowed values are listed; of more, the closest is named."""
_SEARCHED = 32
"""For how many undeclared properties of an object a declared one is suggested."""
_AROUND = 8
"""How many schemas around a missing property are searched for its declaration."""
_PARTS = 100
"""How many parts of a schema are searched for properties."""


class Complaint(NamedTuple):
    """A mistake at a path; `problem` completes a sentence that begins with the path."""

    path: Keys
    expected: str
    problem: str
    value: JsonValue


class BrokenRule(NamedTuple):
    """A value that breaks a rule of a part, with the error of jsonschema-rs."""

    part: Part
    value: JsonValue
    error: ValidationError

    @property
    def operand(self) -> JsonValue:
        """The value of the broken keyword."""
        operand = self.part.rules.get(self.error.kind.name)
        # Up to draft 4, `exclusiveMinimum` is a boolean beside `minimum`.
        return self.error.kind.value if operand is None or isinstance(operand, bool) else operand


def complaint_of(path: Keys, broken: BrokenRule) -> Complaint:
    """Return the complaint about a broken rule of a schema itself, not of its subschemas."""
    keyword, value = broken.error.kind.name, broken.value
    if keyword == "not":
        inner = _line_below(broken.part, keyword)
        problem = f"must not be {inner}, but is {preview(value)}"
        return Complaint(path, f"not {inner}", problem, value)
    if keyword == "contains":
        held = f"{_how_many(broken.part.rules)} of this kind: {_line_below(broken.part, keyword)}"
        return Complaint(path, f"array with {held}", f"must hold {held}", value)
    if keyword in BOUNDS:
        return _complaint_of_bound(path, broken)
    line = "no item twice" if keyword == "uniqueItems" else expected(broken.part)
    values = broken.part.rules.get("enum")
    if isinstance(values, list) and len(values) > _LISTED and "const" not in broken.part.rules:
        near = _near(value, values)
        line = line if near is None else f"{line}; did you mean {preview(near)}?"
    return Complaint(path, line, _PROBLEMS.get(keyword, _other)(broken), value)


def _line_below(part: Part, keyword: str) -> str:
    inner = part.below(keyword)
    return ANYTHING if inner is None else expected(inner)


def _complaint_of_bound(path: Keys, broken: BrokenRule) -> Complaint:
    keyword, value = broken.error.kind.name, broken.value
    words = bound(keyword, broken.operand)
    if isinstance(value, list | tuple | dict):
        return Complaint(path, words, f"must have {words}, but has {len(value)}", value)
    but = f"has {len(value)}" if isinstance(value, str) else f"is {preview(value)}"
    problem = f"must {'have' if isinstance(value, str) else 'be'} {words}, but {but}"
    return Complaint(path, expected(broken.part), problem, value)


def missing(path: Keys, part: Part, name: str, when: str | None = None) -> Complaint:
    """Return the complaint about a missing property of the object at `path`.

    `when` is the property that requires it.
    """
    inner = _declaration(part, name)
    line = ANYTHING if inner is None else expected(inner)
    problem = missing_text(line)
    if when is not None:
        problem += f"; it is needed where {preview(when)} is given"
    return Complaint((*path, name), line, problem, None)


def undeclared(
    path: Keys, part: Part, value: JsonObject, names: Iterable[str]
) -> Iterator[Complaint]:
    """Yield the complaints about properties that are not allowed, with the allowed names."""
    known = part.cached(_declared)
    for n, name in enumerate(names):
        near = near_name(name, known) if n < _SEARCHED else None
        remedy = part.cached(_allowed) if near is None else f"did you mean {preview(near)}?"
        line = f"no property {preview(name)}; {remedy}"
        problem = f"is not a property that may be given: {remedy}"
        yield Complaint((*path, name), line, problem, value.get(name))


def _declaration(part: Part, name: str) -> Part | None:
    """Return the part of a property that this part declares, or the nearest part around it."""
    around: Part | None = part
    for _ in range(_AROUND):
        if around is None:
            break
        declared = around.cached(_declared)
        if name in declared:
            return declared[name]
        around = _around(around)
    return None


def _around(part: Part) -> Part | None:
    """Return the part one level up, if both apply to the same value."""
    keys, start, end = part.keys, 0, 0
    while end < len(keys):
        is_alone = keys[end] in ONE_SCHEMA and not isinstance((*keys, "")[end + 1], int)
        start, end = end, end + (1 if is_alone else 2)
    return part.outline.at(keys[:start]) if keys and keys[start] in HOLDING else None


def _declared(part: Part) -> dict[str, Part]:
    """Return the properties that a part declares, through `allOf` and `$ref` too."""
    found: dict[str, Part] = {}
    for each in part.parts[:_PARTS]:
        for name, inner in each.declared.items():
            found.setdefault(name, inner)
    return found


def _allowed(part: Part) -> str:
    names = list(part.cached(_declared))
    listed = ", ".join(preview(name) for name in names[:6])
    if len(names) > 6:
        listed += f", … ({len(names) - 6} more)"
    patterns = part.rules.get("patternProperties")
    if not isinstance(patterns, dict) or not patterns:
        return f"the properties are {listed}" if names else "there are no properties"
    texts = [escape_invisible(shortened(pattern, 40)) for pattern in list(patterns)[:3]]
    listed += " and " if names else ""
    return f"the properties are {listed}those that match {' or '.join(texts)}"


_TYPES = {
    "array": "an array",
    "boolean": "true or false",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}

SAMPLES: Mapping[str, str] = {
    **EXAMPLES,
    "duration": "P3DT12H30M",
    "email": "ann@example.com",
    "hostname": "www.example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "json-pointer": "/items/0/name",
    "regex": "^[a-z]+$",
    "uri": "https://example.com/a?b=c",
    "uri-reference": "/a?b=c",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
}
"""A valid value of each format that is checked."""


def missing_text(line: str) -> str:
    """Return the end of the sentence on a missing property, which should be as `line` describes."""
    return "is missing" if line == ANYTHING else f"is missing: expected {line}"


def misfit_text(line: str, value: JsonValue) -> str:
    """Return the end of the sentence on a value that should be as `line` describes."""
    if line == ANYTHING:
        return "does not fit the schema"
    if line == "nothing":
        return "may not be given"
    if isinstance(value, dict | list | tuple):
        return f"is {described(value)} that does not fit: expected {line}"
    return f"must be {line}, but is {described(value)}"


def described(value: JsonValue) -> str:
    """Return a value with its type: `the string "two"`, `an object`, `null`."""
    kind = json_type(value)
    if kind in ("array", "object"):
        return _TYPES[kind]
    is_typed = kind in ("string", "number", "integer")
    return f"the {kind} {preview(value)}" if is_typed else preview(value)


def did_you_mean(value: JsonValue, values: Sequence[JsonValue]) -> str:
    """Return a question that suggests the allowed value closest to a wrong one, or ""."""
    near = _near(value, values)
    return "" if near is None else f". Did you mean {preview(near)}?"


def _near(value: JsonValue, values: Sequence[JsonValue]) -> str | None:
    if not isinstance(value, str):
        return None
    return near_name(value, (text for text in values if isinstance(text, str)))


def _how_many(rules: JsonObject) -> str:
    least, most = rules.get("minContains", 1), rules.get("maxContains")
    least = least if isinstance(least, int) else 1
    if not isinstance(most, int):
        return f"at least {least} {plural('item', least)}"
    if least == most:
        return f"exactly {most} {plural('item', most)}"
    before = f"at least {least} and " if least else ""
    return f"{before}at most {most} {plural('item', most)}"


def _type(broken: BrokenRule) -> str:
    names = sorted(implied_types(broken.part.rules), key=lambda name: name == "null")
    types = " or ".join(_TYPES.get(name, preview(name)) for name in names)
    return f"must be {types}, not {described(broken.value)}"


def _listed(broken: BrokenRule) -> str:
    values = listed_values(broken.part.rules) or []
    near = did_you_mean(broken.value, values)
    return f"must be {one_of(values)}, but is {preview(broken.value)}{near}"


def _pattern(broken: BrokenRule) -> str:
    pattern = escape_invisible(shortened(str(broken.part.rules.get("pattern")), 80))
    if type(broken.error.kind).__name__ == "Pattern":
        return f"must match the pattern {pattern}, but is {preview(broken.value)}"
    return (
        f"cannot be checked: to match {preview(broken.value)} with the pattern {pattern} takes too "
        "many steps. Use a shorter text"
    )


def _format(broken: BrokenRule) -> str:
    name = escape_invisible(shortened(str(broken.operand), 64))
    sample = f", like {preview(SAMPLES[name])}" if name in SAMPLES else ""
    return f"must have the format {name}{sample}, but is {preview(broken.value)}"


def _unique(broken: BrokenRule) -> str:
    seen: dict[str, int] = {}
    items = broken.value if isinstance(broken.value, list | tuple) else []
    for index, item in enumerate(items[:_ITEMS]):
        text = preview(item, _ITEM)
        if len(text) < _ITEM and text in seen:
            return f"must not hold an item twice: items {seen[text]} and {index} are equal"
        seen[text] = index
    return "must not hold an item twice"


def _encoded(broken: BrokenRule) -> str:
    return f"must be {preview(broken.operand)} text, but is {preview(broken.value)}"


def _other(broken: BrokenRule) -> str:
    return "is not valid: " + shortened(escape_invisible(visible(broken.error.message)), 200)


_PROBLEMS: dict[str, Callable[[BrokenRule], str]] = {
    "const": _listed,
    "contentEncoding": _encoded,
    "contentMediaType": _encoded,
    "enum": _listed,
    "falseSchema": lambda _: "may not be given",
    "format": _format,
    "pattern": _pattern,
    "type": _type,
    "uniqueItems": _unique,
}
"""The end of the sentence for each keyword; those of bounds have words in the vocabulary."""
