"""A schema as one line a model can act on."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools._text import shortened
from pyfunctools.schema.ground.preview import escaped, shown
from pyfunctools.schema.ground.references import resolve
from pyfunctools.schema.outline.clock import EXAMPLES
from pyfunctools.schema.outline.shape import schemas_of
from pyfunctools.schema.outline.unions import Tag, Unions
from pyfunctools.schema.vocabulary import BOUNDS, KEYWORDS, UNIONS

LENGTH = 200
"""How long the line may be."""

ANYTHING = "any value"
"""What a schema asks for that asks for nothing, or for what cannot be told."""
_INSIDE = (80, 30)
"""How long a text may be that stands inside another, at the top and further down."""
_NESTING = 3
"""How far arrays in arrays and unions in unions are spelled out."""
_VALUES = 12
"""How many allowed values are listed."""
_BRANCHES = 24
"""How many branches of a union, or parts of an `allOf`, are read."""
_NAMES = 6
"""How many properties of an object are named."""


def expected(root: JsonSchema | bool, schema: JsonSchema | bool) -> str:
    """Return what a schema asks for as one line of at most about 200 characters.

    `integer, at least 1`, `one of "a", "b"`, `string or null`, `array of integer`,
    `object with "name", "price"`. References are followed into `root`.
    """
    return Expectations(root).line(schema)


def object_line(schema: JsonSchema) -> str | None:
    """Return what to send where arguments are no object, `None` where `schema` is not of an object.

    `a JSON object with "city", and if needed "days"`; `an empty JSON object: {}`.
    """
    whole = resolve(schema, schema)
    if not isinstance(whole, dict) or type_names(whole) != ["object"]:
        return None
    properties = whole.get("properties")
    names = list(properties) if isinstance(properties, dict) else []
    if not names:
        return (
            "an empty JSON object: {}"
            if whole.get("additionalProperties") is False
            else "a JSON object"
        )
    required = _listed(whole.get("required"))
    needed = [shown(name) for name in names if name in required]
    others = [shown(name) for name in names if name not in required]
    line = "a JSON object"
    if needed:
        line += f" with {_some(needed, len(needed), _NAMES)}"
    if others:
        optional = _some(others, len(others), _NAMES)
        line += f", and if needed {optional}" if needed else f", if needed with {optional}"
    return shortened(escaped(line), LENGTH)


class Expectations:
    """What the schemas of one document ask for, each as one line.

    A line is made once and kept, so the document must not change meanwhile.
    """

    def __init__(self, root: JsonSchema | bool, unions: Unions | None = None) -> None:
        self._root: JsonSchema = root if isinstance(root, dict) else {}
        self._unions = unions if unions is not None else Unions(self._root)
        # The schema is kept beside its line, so that its identity is not used again.
        self._lines: dict[int, tuple[JsonSchema | bool, str]] = {}

    def line(self, schema: JsonSchema | bool) -> str:
        """Return what a schema asks for."""
        known = self._lines.get(id(schema))
        if known is None:
            line = shortened(escaped(self._text(schema, 0)), LENGTH)
            known = self._lines[id(schema)] = (schema, line)
        return known[1]

    def union(self, schema: JsonSchema, keyword: str) -> str:
        """Return what the branches of `anyOf` or `oneOf` ask for, leaving out what stands
        beside.
        """
        return shortened(escaped(self._union(schema, keyword, 0)), LENGTH)

    def _text(self, schema: JsonSchema | bool, depth: int) -> str:
        schema = resolve(self._root, schema)
        if schema is False:
            return "nothing"
        if not isinstance(schema, dict):
            return ANYTHING
        parts = dict.fromkeys(part for part in self._parts(schema, depth) if part)
        told = [p for p in parts if not any(q.startswith(f"{p} ") for q in parts)]
        return ", ".join(told) or ANYTHING

    def _parts(self, schema: JsonSchema, depth: int) -> Iterator[str]:
        """Yield the pieces of the line, which a comma joins."""
        below = [*schemas_of(schema.get("allOf")), *self._referenced(schema)]
        if "const" in schema:
            yield shown(schema["const"])
        elif isinstance(values := schema.get("enum"), list):
            yield one_of(values)
        else:
            yield self._types(schema, depth)
        for inner in below[:_BRANCHES] if depth < _NESTING else ():
            text = self._text(inner, depth + 1)
            yield "" if text == ANYTHING else text
        for keyword in UNIONS:
            if keyword in schema:
                yield self._union(schema, keyword, depth)
        yield from bounds_of(schema)
        if isinstance(inner := schema.get("not"), dict) and depth < _NESTING:
            yield f"not {self._text(inner, depth + 1)}"

    def _referenced(self, schema: JsonSchema) -> Iterator[JsonSchema | bool]:
        if isinstance(reference := schema.get("$ref"), str):
            yield resolve(self._root, {"$ref": reference})

    def _types(self, schema: JsonSchema, depth: int) -> str:
        names = type_names(schema)
        words = [self._type(name, schema, depth) for name in names if name != "null"]
        return either([*words, "null"] if "null" in names else words)

    def _type(self, name: str, schema: JsonSchema, depth: int) -> str:
        if name == "string":
            return _string(schema)
        if name == "array":
            return self._array(schema, depth)
        return self._object(schema, depth) if name == "object" else name

    def _array(self, schema: JsonSchema, depth: int) -> str:
        if depth >= _NESTING:
            return "array"
        first = schemas_of(schema.get("prefixItems"))
        items = schema.get("items", True)
        if first:
            texts = [
                _of(self._text(inner, depth + 1), depth, "") or "any" for inner in first[:_NAMES]
            ]
            more = len(first) > _NAMES or items is not False
            return f"array [{', '.join([*texts, *(['…'] if more else [])])}]"
        if not isinstance(items, dict):
            return "empty array" if items is False else "array"
        return "array" + _of(self._text(items, depth + 1), depth, " of ")

    def _object(self, schema: JsonSchema, depth: int) -> str:
        required = [name for name in _listed(schema.get("required")) if isinstance(name, str)]
        if required:
            return f"object with {_some(map(shown, required), len(required), _NAMES)}"
        values = schema.get("additionalProperties")
        if schema.get("properties") or not isinstance(values, dict) or depth >= _NESTING:
            return "object"
        return "object" + _of(self._text(values, depth + 1), depth, " whose values are ")

    def _union(self, schema: JsonSchema, keyword: str, depth: int) -> str:
        branches = schemas_of(schema.get(keyword))
        if depth >= _NESTING:
            return ""
        tag = self._unions.tag(schema, keyword)
        texts: dict[str, None] = {}
        for index, branch in enumerate(branches[:_BRANCHES]):
            if tag is None or index not in tag.branches.values():
                texts.setdefault(self._text(branch, depth + 1))
            else:
                texts.setdefault(_tagged(tag))
        texts.pop("nothing", None)
        if ANYTHING in texts:
            return ANYTHING
        if "null" in texts:  # it reads better at the end
            texts["null"] = texts.pop("null")
        if len(branches) > _BRANCHES:
            texts["…"] = None
        return either(texts) or "nothing"


def either(texts: Iterable[str]) -> str:
    """Return the texts joined by "or", after a comma where one of them holds commas."""
    texts = list(texts)
    return (", or " if any(", " in text for text in texts) else " or ").join(texts)


def bounds_of(schema: JsonSchema) -> Iterator[str]:
    """Yield each bound that a schema sets on a number, a length or a count, in words."""
    for keyword in BOUNDS:
        if keyword in schema and (words := bound(keyword, schema[keyword])):
            yield words
    if schema.get("uniqueItems") is True:
        yield "no item twice"


def bound(keyword: str, limit: JsonValue) -> str:
    """Return one bound in words, as `at least 1 item` for `minItems`; empty for other keywords."""
    row = KEYWORDS.get(keyword)
    if (
        row is None
        or row.words is None
        or not isinstance(limit, int | float)
        or isinstance(limit, bool)
    ):
        return ""
    is_trivial = limit == 0 and row.form == "a count" and row.merged == "greater"
    return "" if is_trivial else _bound(keyword, limit)


def one_of(values: Sequence[JsonValue]) -> str:
    """Return the allowed values: `one of "a", "b"`, with the number of those that are left out."""
    if len(values) == 1:
        return shown(values[0])
    if not values:
        return "nothing"
    return "one of " + _some((shown(value, 40) for value in values[:_VALUES]), len(values), _VALUES)


def type_names(schema: JsonSchema) -> list[str]:
    """Return the types that a schema names, or those that its other keywords show it wants."""
    named = schema.get("type")
    names = [named] if isinstance(named, str) else _listed(named)
    if names:
        return [escaped(name) for name in names if isinstance(name, str)]
    if "properties" in schema or "required" in schema:
        return ["object"]
    if "items" in schema or "prefixItems" in schema:
        return ["array"]
    return ["string"] if "pattern" in schema or "format" in schema else []


def counted(unit: str, count: float) -> str:
    """Return the unit with a space before it, in the plural where there is not exactly one."""
    if not unit:
        return ""
    if count == 1:
        return f" {unit}"
    return f" {unit[:-1]}ies" if unit.endswith("y") else f" {unit}s"


@lru_cache(maxsize=1024, typed=True)
def _bound(keyword: str, limit: float) -> str:
    before, unit = BOUNDS[keyword]
    return before + shown(limit) + counted(unit, limit)


def _string(schema: JsonSchema) -> str:
    notes = [
        f"{keyword}: {shortened(text, 80)}" + _such_as(text if keyword == "format" else "")
        for keyword in ("format", "pattern")
        if isinstance(text := schema.get(keyword), str)
    ]
    return f"string ({', '.join(notes)})" if notes else "string"


def _such_as(form: str) -> str:
    return f" such as {EXAMPLES[form]}" if form in EXAMPLES else ""


def _tagged(tag: Tag) -> str:
    return f"object whose {shown(tag.name)} is {one_of(tag.allowed)}"


def _of(text: str, depth: int, before: str) -> str:
    """Return `before` and the text, or nothing where that says nothing or is too long for here."""
    if len(text) > _INSIDE[depth > 0]:
        text = text.split(" ", 1)[0] if text.startswith(("array", "object")) else ANYTHING
    if text == ANYTHING:
        return ""
    return before + (f"({text})" if ", " in text or " or " in text else text)


def _some(texts: Iterable[str], count: int, limit: int) -> str:
    listed = [text for text, _ in zip(texts, range(limit), strict=False)]
    return ", ".join([*listed, *([f"… ({count - limit} more)"] if count > limit else [])])


def _listed(value: JsonValue) -> list[JsonValue]:
    return list(value) if isinstance(value, list) else []
