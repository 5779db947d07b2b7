"""What is wrong with a value, in words: one sentence for each rule it breaks."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools._text import plural, shortened, visible
from pyfunctools.schema.ground.did_you_mean import near_name
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.preview import escape_invisible, preview
from pyfunctools.schema.outline.clock import EXAMPLES
from pyfunctools.schema.outline.expected import (
    ANYTHING,
    bound,
    expected,
    one_of,
)
from pyfunctools.schema.outline.json_types import implied_types, json_type, listed_values
from pyfunctools.schema.outline.outline import Part
from pyfunctools.schema.vocabulary import HOLDING, ONE_SCHEMA

if TYPE_CHECKING:
    from jsonschema_rs import ValidationErrorKind


class Complaint(NamedTuple):
    """One broken rule: `says` completes a sentence that begins with the place of the value.

    `below` are the steps from the judged value to that place.
    """

    expected: str
    says: str
    value: JsonValue
    below: Keys = ()


class Broken(NamedTuple):
    """A rule that `value` breaks: the part it stands in, and what jsonschema-rs says of it."""

    kind: "ValidationErrorKind"
    part: Part
    value: JsonValue
    message: str = ""

    @property
    def rules(self) -> JsonSchema:
        """The keywords of the part."""
        return self.part.rules


def complaints_of(broken: Broken) -> Iterable[Complaint]:
    """Return the complaints about one broken rule: several where several properties break it."""
    name = type(broken.kind).__name__
    if name == "AdditionalProperties" and isinstance(broken.value, dict):
        return unexpected(broken.part, broken.value, [str(name) for name in broken.kind.value])
    if name in _ON_PARTS:
        return (_on_parts(name, broken),)
    says = _SAYS.get(name, _other)(broken)
    if name == "UniqueItems":
        wanted = _UNIQUE
    elif name in _COUNTED:
        wanted = bound(broken.kind.name, _limit(broken))
    else:
        wanted = _wanted(broken)
    return (Complaint(wanted, says, broken.value),)


def missing(part: Part, name: str, when: str | None = None) -> Complaint:
    """Return the complaint about a property that is not there, and needed `when` another is."""
    inner = _property(part, name)
    line = ANYTHING if inner is None else expected(inner)
    says = absent(line)
    if when is not None:
        says += f"; it is needed where {preview(when)} is given"
    return Complaint(expected=line, says=says, value=None, below=(name,))


def unexpected(part: Part, value: JsonObject, names: Iterable[str]) -> Iterator[Complaint]:
    """Yield the complaints about properties that may not be there, with what was meant."""
    known = part.cached(_declared)
    for n, name in enumerate(names):
        near = near_name(name, known) if n < _SEARCHED else None
        remedy = part.cached(_remedy) if near is None else f"did you mean {preview(near)}?"
        yield Complaint(
            expected=f"no property {preview(name)}; {remedy}",
            says=f"is not a property that may be given: {remedy}",
            value=value.get(name),
            below=(name,),
        )


def _property(part: Part, name: str) -> Part | None:
    """Return the part of a property, if need be as the part around this one declares it."""
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
    """Return the part that has another one under a keyword that judges the same value."""
    keys, start, end = part.keys, 0, 0
    while end < len(keys):
        is_alone = keys[end] in ONE_SCHEMA and not isinstance((*keys, "")[end + 1], int)
        start, end = end, end + (1 if is_alone else 2)
    return part.outline.at(keys[:start]) if keys and keys[start] in HOLDING else None


def _declared(part: Part) -> dict[str, Part]:
    """Return the properties that a part declares, those of its `allOf` and `$ref` with them."""
    found: dict[str, Part] = {}
    for each in part.parts[:_PARTS]:
        for name, inner in each.declared.items():
            found.setdefault(name, inner)
    return found


def _remedy(part: Part) -> str:
    """Return what to say of the properties that may be given."""
    patterns = part.rules.get("patternProperties")
    others = list(patterns) if isinstance(patterns, dict) else []
    return _allowed(list(part.cached(_declared)), others)


def _wanted(broken: Broken) -> str:
    values = broken.rules.get("enum")
    line = expected(broken.part)
    if not isinstance(values, list) or "const" in broken.rules:
        return line
    if len(values) > _LISTED and (near := _near(broken.value, values)) is not None:
        return f"{line}; did you mean {preview(near)}?"
    return line


def _on_parts(name: str, broken: Broken) -> Complaint:
    keyword, before = _ON_PARTS[name]
    inner = broken.part.below(keyword)
    line = ANYTHING if inner is None else expected(inner)
    if name == "Not":
        wanted, says = f"not {line}", f"must not be {line}, but is {preview(broken.value)}"
    else:
        held = f"{_how_many(broken.rules)} of this kind: {line}"
        wanted, says = before + held, f"must hold {held}"
    return Complaint(expected=wanted, says=says, value=broken.value)


_ITEM = 2_000
"""How long the text of an item may be that is looked for among the others."""
_ITEMS = 200
"""How many items are compared with each other."""
_LISTED = 12
_SEARCHED = 32
"""Properties of one object for which a declared one is sought that resembles them."""
_AROUND = 8
"""Schemas one around the other, all about one value, in which a property is looked up."""
_PARTS = 100
"""How many parts of one schema are searched for properties."""

_ON_PARTS = {"Contains": ("contains", "array with "), "Not": ("not", "")}

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
"""A right value for each format that is checked and is not plain from its name."""


def _type(broken: Broken) -> str:
    wanted = broken.rules.get("type")
    known = _TYPES.get(wanted) if isinstance(wanted, str) else None
    if known is None:
        names = sorted(implied_types(broken.rules), key=lambda name: name == "null")
        known = " or ".join(_TYPES.get(name, preview(name)) for name in names)
    return f"must be {known}, not {named(broken.value)}"


def absent(line: str) -> str:
    """Return what to say of a property that is not there."""
    return "is missing" if line == ANYTHING else f"is missing: expected {line}"


def instead(line: str, value: JsonValue) -> str:
    """Return what to say of a value where not one rule is broken but the whole does not fit."""
    if line == ANYTHING:
        return "does not fit the schema"
    if line == "nothing":
        return "may not be given"
    if isinstance(value, dict | list | tuple):
        return f"is {named(value)} that does not fit: expected {line}"
    return f"must be {line}, but is {named(value)}"


def named(value: JsonValue) -> str:
    """Return a value as it is spoken of: `the string "two"`, `an object`, `null`."""
    kind = json_type(value)
    if kind in ("array", "object"):
        return _TYPES[kind]
    return (
        f"the {kind} {preview(value)}"
        if kind in ("string", "number", "integer")
        else preview(value)
    )


def _limited(broken: Broken) -> str:
    words = bound(broken.kind.name, _limit(broken))
    return f"must be {words}, but is {preview(broken.value)}"


def _sized(broken: Broken) -> str:
    words = bound(broken.kind.name, _limit(broken))
    size = len(broken.value) if isinstance(broken.value, str | list | tuple | dict) else 0
    return f"must have {words}, but has {size}"


def _limit(broken: Broken) -> JsonValue:
    limit = broken.rules.get(broken.kind.name)
    # Up to draft 4 `exclusiveMinimum` was a boolean beside `minimum`.
    return broken.kind.value if limit is None or isinstance(limit, bool) else limit


def _listed(broken: Broken) -> str:
    values = listed_values(broken.rules) or []
    return f"must be {one_of(values)}, but is {preview(broken.value)}{hint(broken.value, values)}"


def _pattern(broken: Broken) -> str:
    pattern = escape_invisible(shortened(str(broken.rules.get("pattern")), 80))
    return f"must match the pattern {pattern}, but is {preview(broken.value)}"


def _costly(broken: Broken) -> str:
    pattern = escape_invisible(shortened(str(broken.rules.get("pattern")), 80))
    return (
        f"cannot be checked: to match {preview(broken.value)} with the pattern {pattern} takes too "
        "many steps. Use a shorter text"
    )


def _format(broken: Broken) -> str:
    name = escape_invisible(shortened(str(broken.kind.value), 64))
    sample = f", like {preview(SAMPLES[name])}" if name in SAMPLES else ""
    return f"must have the format {name}{sample}, but is {preview(broken.value)}"


def _unique(broken: Broken) -> str:
    seen: dict[str, int] = {}
    items = broken.value if isinstance(broken.value, list | tuple) else []
    for index, item in enumerate(items[:_ITEMS]):
        text = preview(item, _ITEM)
        if len(text) < _ITEM and text in seen:
            return f"must not hold an item twice: items {seen[text]} and {index} are equal"
        seen[text] = index
    return "must not hold an item twice"


def _forbidden(_: Broken) -> str:
    return "may not be given"


def _encoded(broken: Broken) -> str:
    encoding = escape_invisible(preview(broken.kind.value))
    return f"must be {encoding} text, but is {preview(broken.value)}"


def _other(broken: Broken) -> str:
    return "is not right: " + shortened(escape_invisible(visible(broken.message)), 200)


_Says: TypeAlias = Callable[[Broken], str]

_SAYS: dict[str, _Says] = {
    "BacktrackLimitExceeded": _costly,
    "Constant": _listed,
    "ContentEncoding": _encoded,
    "ContentMediaType": _encoded,
    "Enum": _listed,
    "ExclusiveMaximum": _limited,
    "ExclusiveMinimum": _limited,
    "FalseSchema": _forbidden,
    "Format": _format,
    "MaxItems": _sized,
    "MaxLength": _sized,
    "MaxProperties": _sized,
    "Maximum": _limited,
    "MinItems": _sized,
    "MinLength": _sized,
    "MinProperties": _sized,
    "Minimum": _limited,
    "MultipleOf": _limited,
    "Pattern": _pattern,
    "RegexEngineFailure": _costly,
    "Type": _type,
    "UniqueItems": _unique,
}
_UNIQUE = "no item twice"
_COUNTED = frozenset({"MaxItems", "MaxProperties", "MinItems", "MinProperties"})


def hint(value: JsonValue, values: Sequence[JsonValue]) -> str:
    """Return what to say after a wrong value where one of the allowed ones resembles it."""
    near = _near(value, values)
    return "" if near is None else f". Did you mean {preview(near)}?"


def _near(value: JsonValue, values: Sequence[JsonValue]) -> str | None:
    if not isinstance(value, str):
        return None
    return near_name(value, (text for text in values if isinstance(text, str)))


def _how_many(node: JsonObject) -> str:
    least, most = node.get("minContains", 1), node.get("maxContains")
    if not isinstance(most, int):
        most = None
    if not isinstance(least, int):
        least = 1
    if least == most:
        return f"exactly {most} {plural('item', least)}"
    words = [f"at least {least}"] if least else []
    words += [] if most is None else [f"at most {most}"]
    return " and ".join(words) + f" {plural('item', least if most is None else most)}"


def _allowed(names: Sequence[str], patterns: Sequence[str]) -> str:
    more = f", … ({len(names) - 6} more)" if len(names) > 6 else ""
    listed = ", ".join(preview(name) for name in names[:6]) + more
    matching = " or ".join(escape_invisible(shortened(pattern, 40)) for pattern in patterns[:3])
    if not patterns:
        return f"the properties are {listed}" if names else "there are no properties"
    return f"the properties are {listed}{' and ' * bool(names)}those that match {matching}"
