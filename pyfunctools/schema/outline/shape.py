"""What a value of a schema looks like, as far as it can be told at a glance."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.references import lookup, resolve
from pyfunctools.schema.vocabulary import UNIONS

ALL_TYPES = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
"""The types of JSON Schema; an `integer` is a `number` too."""

Constant: TypeAlias = tuple[str, str | int | float | bool | None]
"""A scalar, so that two are equal exactly if JSON Schema says so; see `constant_of`."""

Listed: TypeAlias = dict[Constant, None]
"""The values that something may have, in their order."""

_BUDGET = 10_000
"""Schemas that are read for one union; what lies behind the last of them says nothing."""
_NESTING = 8
"""Unions and compositions inside each other that are looked into."""


def type_of(value: JsonValue) -> str:
    """Return the JSON type of a value; a float without a fraction is an `integer`.

    What is not JSON has the name of its Python type.
    """
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list | tuple):
        return "array"
    if isinstance(value, dict):
        return "object"
    return "null" if value is None else type(value).__name__


def types_of(schema: JsonSchema) -> frozenset[str]:
    """Return the types that a schema's own keywords ask for.

    Without `type`, listed values say theirs, and keywords that only objects or arrays have say
    that such a thing was meant.
    """
    wanted = schema.get("type")
    listed = [wanted] if isinstance(wanted, str) else wanted
    if isinstance(listed, list):
        types = {name for name in listed if isinstance(name, str)}
    elif (values := listed_values(schema)) is not None:
        types = set(map(type_of, values))
    elif "properties" in schema or "required" in schema:
        types = {"object"}
    elif "items" in schema or "prefixItems" in schema:
        types = {"array"}
    else:
        return ALL_TYPES
    return frozenset(types | {"integer"} if "number" in types else types)


def listed_values(schema: JsonSchema) -> list[JsonValue] | None:
    """Return the values of `const` or `enum`, or `None` where a schema lists none."""
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return list(values) if isinstance(values, list) else None


def constant_of(value: JsonValue) -> Constant | None:
    """Return a scalar as a constant; `None` for everything else."""
    if isinstance(value, bool) or value is None:
        return ("", value)
    if isinstance(value, int | float):
        return ("number", value)
    return ("string", value) if isinstance(value, str) else None


def loosely(constant: Constant) -> str:
    """Return the text of a constant without case, surrounding space and quotes."""
    kind, value = constant
    if isinstance(value, str):
        return value.strip().strip("\"'").strip().casefold()
    if kind == "":
        return "null" if value is None else str(value).lower()
    if isinstance(value, float) and not value.is_integer():
        return repr(value)
    whole = int(value or 0)
    # Python writes no integer of more than 4,300 digits (`sys.int_info`), but for hexadecimal ones.
    return str(whole) if abs(whole) < _HUGE else hex(whole)


_HUGE = 10**4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a value looks like: one way of several, where the schema is a union.

    `index` is the branch of the union it was asked for. `own` and `constants` are the values that
    the whole and its properties may have, where they are listed; `declared` are the types of the
    properties that are named, `items` those of an array's items. With `others` a property that is
    not named is as good as one that is: the schema is a map.
    """

    index: int = 0
    types: frozenset[str] = ALL_TYPES
    own: Listed | None = None
    constants: dict[str, Listed] = field(default_factory=dict[str, Listed])
    declared: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    required: frozenset[str] = frozenset()
    others: bool = False
    items: frozenset[str] = ALL_TYPES

    def both(self, other: "Shape") -> "Shape":
        """Return the shape of what has this one and the other."""
        shared = {
            name: {key: None for key in values if key in self.constants.get(name, values)}
            for name, values in other.constants.items()
        }
        return Shape(
            types=self.types & other.types,
            own=self.own if other.own is None else other.own,
            constants={**self.constants, **shared},
            declared={**self.declared, **other.declared},
            required=self.required | other.required,
            others=self.others or other.others,
            items=self.items & other.items,
        )


class ShapeReader:
    """Reads the shapes of the branches of one union, within a budget for all of them."""

    def __init__(self, root: JsonSchema) -> None:
        self._root = root
        self._left = _BUDGET

    def shapes(self, schema: JsonSchema | bool, depth: int = 0) -> list[Shape]:
        """Return every shape that a value of this schema may have."""
        schema = resolve(self._root, schema)
        self._left -= 1
        if schema is False:
            return []
        if not isinstance(schema, dict) or depth > _NESTING or self._left < 0:
            return [Shape()]
        result = [self._own(schema)]
        for part in self._parts(schema):
            result = self._joined(result, self.shapes(part, depth + 1))
        for keyword in UNIONS:
            if isinstance(branches := schema.get(keyword), list):
                inner = [s for b in schemas_of(branches) for s in self.shapes(b, depth + 1)]
                result = self._joined(result, inner)
        return [shape for shape in result if shape.types]

    def _joined(self, some: list[Shape], others: list[Shape]) -> list[Shape]:
        self._left -= len(some) * len(others)
        return some if self._left < 0 else [a.both(b) for b in others for a in some]

    def _parts(self, schema: JsonSchema) -> Iterator[JsonSchema | bool]:
        yield from schemas_of(schema.get("allOf"))
        reference = schema.get("$ref")
        if isinstance(reference, str):
            try:
                yield from schemas_of([lookup(self._root, reference)])
            except LookupError:
                return

    def _own(self, schema: JsonSchema) -> Shape:
        constants: dict[str, Listed] = {}
        declared: dict[str, frozenset[str]] = {}
        properties = schema.get("properties")
        for name, inner in properties.items() if isinstance(properties, dict) else ():
            declared[name] = self._types(inner)
            values = self._constants(inner)
            if values:
                constants[name] = values
        required = schema.get("required")
        return Shape(
            types=types_of(schema),
            own=self._constants(schema),
            constants=constants,
            declared=declared,
            required=frozenset(name for name in _listed(required) if isinstance(name, str)),
            others="patternProperties" in schema
            or schema.get("additionalProperties", False) is not False,
            items=self._types(schema.get("items", True)),
        )

    def _constants(self, schema: JsonValue) -> Listed | None:
        inner = resolve(self._root, schema) if isinstance(schema, dict) else None
        values = listed_values(inner) if isinstance(inner, dict) else None
        if values is None:
            return None
        found = {key: None for value in values if (key := constant_of(value)) is not None}
        return None if any(constant_of(value) is None for value in values) else found

    def _types(self, schema: JsonValue, depth: int = 0) -> frozenset[str]:
        self._left -= 1
        inner = resolve(self._root, schema) if isinstance(schema, dict) else True
        if not isinstance(inner, dict) or self._left < 0:
            return ALL_TYPES
        types = types_of(inner)
        for keyword in UNIONS:
            branches = inner.get(keyword)
            if isinstance(branches, list) and depth < _NESTING:
                types &= frozenset[str]().union(*(self._types(b, depth + 1) for b in branches))
        return types


def schemas_of(value: JsonValue) -> list[JsonSchema | bool]:
    """Return the schemas in a list of them; what is no schema, or no list, is passed over."""
    return [inner for inner in _listed(value) if isinstance(inner, dict | bool)]


def _listed(value: JsonValue) -> list[JsonValue]:
    return list(value) if isinstance(value, list) else []
