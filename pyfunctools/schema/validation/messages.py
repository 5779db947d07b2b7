"""What is wrong with a value, in words: one sentence for each rule it breaks."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools._text import shortened, visible
from pyfunctools.schema.ground.did_you_mean import near_name
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.preview import escaped, shown
from pyfunctools.schema.ground.references import resolve
from pyfunctools.schema.ground.walk import children, subschemas
from pyfunctools.schema.outline.clock import EXAMPLES
from pyfunctools.schema.outline.expected import (
    ANYTHING,
    Expectations,
    bound,
    counted,
    one_of,
    type_names,
)
from pyfunctools.schema.outline.shape import listed_values, schemas_of, type_of
from pyfunctools.schema.vocabulary import HOLDING

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
    """A rule that `value` breaks: the schema it stands in, and what jsonschema-rs says of it."""

    kind: "ValidationErrorKind"
    node: JsonSchema | bool
    value: JsonValue
    message: str = ""

    @property
    def rules(self) -> JsonSchema:
        """The schema as an object: without any keyword where it is a boolean."""
        return self.node if isinstance(self.node, dict) else {}


class Sentences:
    """The messages of errors, with the schemas of one document."""

    def __init__(self, root: JsonSchema | bool, lines: Expectations) -> None:
        self._root: JsonSchema = root if isinstance(root, dict) else {}
        self.lines = lines
        # The schema is kept beside what was read of it, so that its identity is not used again.
        self._declared: dict[int, tuple[JsonSchema, Mapping[str, JsonSchema | bool]]] = {}
        self._around = Lazy(self._find_around)
        self._remedies: dict[int, tuple[JsonSchema, str]] = {}
        self._missing: dict[tuple[int, str, str | None], tuple[JsonSchema, Complaint]] = {}

    def of(self, broken: Broken) -> Iterable[Complaint]:
        """Return the complaints about one broken rule: several where several properties break
        it.
        """
        name = type(broken.kind).__name__
        if name == "AdditionalProperties" and isinstance(broken.value, dict):
            names = [str(name) for name in broken.kind.value]
            return self.unexpected(broken.rules, broken.value, names)
        if name in _ON_PARTS:
            return (self._on_parts(name, broken),)
        says = _SAYS.get(name, _other)(broken)
        if name == "UniqueItems":
            expected = _UNIQUE
        elif name in _COUNTED:
            expected = bound(broken.kind.name, _limit(broken))
        else:
            expected = self._expected(broken)
        return (Complaint(expected, says, broken.value),)

    def missing(self, node: JsonSchema, name: str, when: str | None = None) -> Complaint:
        """Return the complaint about a property that is not there, and needed `when` another is."""
        known = self._missing.get((id(node), name, when))
        if known is None:
            line = self.lines.line(self._property(node, name))
            says = absent(line)
            if when is not None:
                says += f"; it is needed where {shown(when)} is given"
            complaint = Complaint(expected=line, says=says, value=None, below=(name,))
            known = self._missing[id(node), name, when] = (node, complaint)
        return known[1]

    def unexpected(
        self, node: JsonSchema, value: JsonObject, names: Iterable[str]
    ) -> Iterator[Complaint]:
        """Yield the complaints about properties that may not be there, with what was meant."""
        known = self.declared(node)
        for n, name in enumerate(names):
            near = near_name(name, known) if n < _SEARCHED else None
            remedy = self._remedy(node) if near is None else f"did you mean {shown(near)}?"
            yield Complaint(
                expected=f"no property {shown(name)}; {remedy}",
                says=f"is not a property that may be given: {remedy}",
                value=value.get(name),
                below=(name,),
            )

    def declared(self, node: JsonSchema) -> Mapping[str, JsonSchema | bool]:
        """Return the properties that a schema declares, those of its `allOf` and `$ref` with
        them.
        """
        known = self._declared.get(id(node))
        if known is None:
            known = self._declared[id(node)] = (node, self._find_declared(node))
        return known[1]

    def _property(self, node: JsonSchema, name: str) -> JsonSchema | bool:
        """Return the schema of a property, if need be as the schema around this one declares it."""
        around: JsonSchema | None = node
        for _ in range(_AROUND):
            if around is None:
                break
            declared = self.declared(around)
            if name in declared:
                return declared[name]
            around = self._around.value.get(id(around))
        return True

    def _find_around(self) -> dict[int, JsonSchema]:
        """Return for each schema that judges the same value as the one around it, that one."""
        return {
            id(inner): outer
            for _, outer in subschemas(self._root)
            if isinstance(outer, dict)
            for steps, inner in children(outer)
            if steps[0] in HOLDING
        }

    def _find_declared(self, node: JsonSchema) -> dict[str, JsonSchema | bool]:
        found: dict[str, JsonSchema | bool] = {}
        seen: set[int] = set()
        parts: list[JsonSchema | bool] = [node]
        while parts and len(seen) < _PARTS:
            part = parts.pop(0)
            if not isinstance(part, dict) or id(part) in seen:
                continue
            seen.add(id(part))
            properties = part.get("properties")
            for name, inner in properties.items() if isinstance(properties, dict) else ():
                if isinstance(inner, dict | bool):
                    found.setdefault(name, inner)
            parts += schemas_of(part.get("allOf"))
            if isinstance(reference := part.get("$ref"), str):
                parts.append(resolve(self._root, {"$ref": reference}))
        return found

    def _remedy(self, node: JsonSchema) -> str:
        """Return what to say of the properties that may be given."""
        known = self._remedies.get(id(node))
        if known is None:
            patterns = node.get("patternProperties")
            others = list(patterns) if isinstance(patterns, dict) else []
            text = _allowed(list(self.declared(node)), others)
            known = self._remedies[id(node)] = (node, text)
        return known[1]

    def _expected(self, broken: Broken) -> str:
        values = broken.rules.get("enum")
        line = self.lines.line(broken.node)
        if not isinstance(values, list) or "const" in broken.rules:
            return line
        if len(values) > _LISTED and (near := _near(broken.value, values)) is not None:
            return f"{line}; did you mean {shown(near)}?"
        return line

    def _on_parts(self, name: str, broken: Broken) -> Complaint:
        keyword, before = _ON_PARTS[name]
        inner = broken.rules.get(keyword)
        line = self.lines.line(inner if isinstance(inner, dict | bool) else True)
        if name == "Not":
            expected, says = f"not {line}", f"must not be {line}, but is {shown(broken.value)}"
        else:
            held = f"{_how_many(broken.rules)} of this kind: {line}"
            expected, says = before + held, f"must hold {held}"
        return Complaint(expected=expected, says=says, value=broken.value)


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
        names = sorted(type_names(broken.rules), key=lambda name: name == "null")
        known = " or ".join(_TYPES.get(name, shown(name)) for name in names)
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
    kind = type_of(value)
    if kind in ("array", "object"):
        return _TYPES[kind]
    return f"the {kind} {shown(value)}" if kind in ("string", "number", "integer") else shown(value)


def _limited(broken: Broken) -> str:
    words = bound(broken.kind.name, _limit(broken))
    return f"must be {words}, but is {shown(broken.value)}"


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
    return f"must be {one_of(values)}, but is {shown(broken.value)}{hint(broken.value, values)}"


def _pattern(broken: Broken) -> str:
    pattern = escaped(shortened(str(broken.rules.get("pattern")), 80))
    return f"must match the pattern {pattern}, but is {shown(broken.value)}"


def _costly(broken: Broken) -> str:
    pattern = escaped(shortened(str(broken.rules.get("pattern")), 80))
    return (
        f"cannot be checked: to match {shown(broken.value)} with the pattern {pattern} takes too "
        "many steps. Use a shorter text"
    )


def _format(broken: Broken) -> str:
    name = escaped(shortened(str(broken.kind.value), 64))
    sample = f", like {shown(SAMPLES[name])}" if name in SAMPLES else ""
    return f"must have the format {name}{sample}, but is {shown(broken.value)}"


def _unique(broken: Broken) -> str:
    seen: dict[str, int] = {}
    items = broken.value if isinstance(broken.value, list | tuple) else []
    for index, item in enumerate(items[:_ITEMS]):
        text = shown(item, _ITEM)
        if len(text) < _ITEM and text in seen:
            return f"must not hold an item twice: items {seen[text]} and {index} are equal"
        seen[text] = index
    return "must not hold an item twice"


def _forbidden(_: Broken) -> str:
    return "may not be given"


def _encoded(broken: Broken) -> str:
    return f"must be {escaped(shown(broken.kind.value))} text, but is {shown(broken.value)}"


def _other(broken: Broken) -> str:
    return "is not right: " + shortened(escaped(visible(broken.message)), 200)


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
    return "" if near is None else f". Did you mean {shown(near)}?"


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
        return f"exactly {most}{counted('item', least)}"
    words = [f"at least {least}"] if least else []
    words += [] if most is None else [f"at most {most}"]
    return " and ".join(words) + counted("item", least if most is None else most)


def _allowed(names: Sequence[str], patterns: Sequence[str]) -> str:
    more = f", … ({len(names) - 6} more)" if len(names) > 6 else ""
    listed = ", ".join(shown(name) for name in names[:6]) + more
    matching = " or ".join(escaped(shortened(pattern, 40)) for pattern in patterns[:3])
    if not patterns:
        return f"the properties are {listed}" if names else "there are no properties"
    return f"the properties are {listed}{' and ' * bool(names)}those that match {matching}"
