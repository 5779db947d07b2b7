"""A function as one line: its name, its parameters as a type, a short description."""

import re
from collections.abc import Iterator, Sequence
from json import dumps
from typing import NamedTuple

from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of
from pyfunctools._text import first_sentence
from pyfunctools.schema.ground.preview import escape_invisible, preview
from pyfunctools.schema.ground.references import defined_name
from pyfunctools.schema.outline.expected import bounds_of
from pyfunctools.schema.outline.json_types import implied_types, schemas_of
from pyfunctools.schema.vocabulary import UNIONS

MAX_DESCRIPTION = 100
"""The most characters of the description of a function."""

MAX_NOTE = 60
"""The most characters of the description of a property."""

MAX_DEPTH = 16
"""Nested types that are written out; deeper ones are `…`."""

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*", re.ASCII)


def signature(name: str, description: str, parameters: JsonSchema) -> str:
    """Return `name({a: string, b?: integer[]}) // What it does.`, on one line.

    The types are written as in TypeScript, with JSON Schema's names, and with bounds and formats in
    parentheses. Keywords without a short form (`if`, `not`, `dependentRequired`) are left out; the
    check of the arguments enforces them.
    """
    sentence = first_sentence(description, MAX_DESCRIPTION)
    return f"{name}({type_text(parameters)})" + (f" // {sentence}" if sentence else "")


def type_text(schema: JsonSchema | bool) -> str:
    """Return a schema as a type, such as `string[]`; a reference is the name of its definition."""
    return _type(schema, 0).text


class _Type(NamedTuple):
    """The text of a type, and its outermost operator: `|`, `&` or empty."""

    text: str
    operator: str = ""

    def inside(self, operator: str = "") -> str:
        """Return the text for use inside another type, in parentheses if needed."""
        return self.text if self.operator in ("", operator) else f"({self.text})"


def _type(schema: JsonSchema | bool, depth: int) -> _Type:
    if isinstance(schema, bool):
        return _Type("any" if schema else "never")
    if depth > MAX_DEPTH:
        return _Type("…")
    parts = [part for part in _parts(schema, depth) if part.text != "any"]
    return _joined(parts, "&") if parts else _Type("any")


def _parts(schema: JsonSchema, depth: int) -> Iterator[_Type]:
    """Yield the types that a value must have at the same time."""
    if isinstance(reference := schema.get("$ref"), str):
        yield _Type(defined_name(reference) or "any")
    if "const" in schema:
        yield _Type(_literal(schema["const"]))
    elif isinstance(values := schema.get("enum"), list):
        yield _joined([_Type(_literal(value)) for value in values], "|")
    elif names := implied_types(schema):
        yield _joined([_Type(_with_bounds(name, schema, depth)) for name in names], "|")
    for inner in schemas_of(schema.get("allOf")):
        yield _type(inner, depth + 1)
    for keyword in UNIONS:
        if branches := schemas_of(schema.get(keyword)):
            yield _joined([_type(branch, depth + 1) for branch in branches], "|")


def _joined(types: Sequence[_Type], operator: str) -> _Type:
    if len(types) == 1:
        return types[0]
    texts = dict.fromkeys(each.inside(operator) for each in types)
    return _Type(f" {operator} ".join(texts) or "never", operator if len(texts) > 1 else "")


def _with_bounds(name: str, schema: JsonSchema, depth: int) -> str:
    if name == "object":
        return _object(schema, depth) + _bounds(schema, "Properties")
    if name == "array":
        return _array(schema, depth)
    if name == "string":
        return name + _bounds(schema, "Length", "format", "pattern")
    return name + _bounds(schema, "imum", "multipleOf") if name in ("integer", "number") else name


def _bounds(schema: JsonSchema, *endings: str) -> str:
    """Return in parentheses the bounds, format and pattern whose keywords end in `endings`."""
    own = {key: value for key, value in schema.items() if key.endswith(endings)}
    notes = list(bounds_of(own))
    if isinstance(pattern := own.get("pattern"), str):
        notes.insert(0, f"pattern {_literal(pattern)}")
    if isinstance(named := own.get("format"), str):
        notes.insert(0, first_sentence(named, MAX_NOTE))
    return f"({', '.join(notes)})" if notes else ""


def _object(schema: JsonSchema, depth: int) -> str:
    declared = members_of(schema.get("properties"))
    required = schema.get("required")
    needed = dict.fromkeys(items_of(required))
    members = [
        f"{_key(name)}{'' if name in needed else '?'}: {_member(inner, depth)}"
        for name, inner in declared.items()
    ]
    members += [f"{_key(name)}: any" for name in needed if name not in declared]
    patterns = schema.get("patternProperties")
    for pattern, inner in patterns.items() if isinstance(patterns, dict) else ():
        members.append(f"[{_literal(pattern)}]: {_member(inner, depth)}")
    others = schema.get("additionalProperties")
    if isinstance(others, dict):
        members.append(f"[key]: {_member(others, depth)}")
    if not members and others is not False:
        return "object"
    return "{" + ", ".join(members) + "}"


def _member(schema: JsonValue, depth: int) -> str:
    if not isinstance(schema, dict):
        return type_text(schema is not False)
    text = _type(schema, depth + 1).text
    if "default" in schema:
        text += f" = {preview(schema['default'], 40)}"
    description = schema.get("description")
    note = first_sentence(description, MAX_NOTE) if isinstance(description, str) else ""
    return f"{text} /* {note.replace('*/', '* /')} */" if note else text


def _array(schema: JsonSchema, depth: int) -> str:
    items = schema.get("items")
    rest = items if isinstance(items, dict | bool) else True
    many = f"{_type(rest, depth + 1).inside()}[]"
    first = [_type(inner, depth + 1).text for inner in schemas_of(schema.get("prefixItems"))]
    if not first:
        return ("[]" if rest is False else many) + _bounds(schema, "Items")
    if rest is False or schema.get("maxItems") == len(first):
        least = schema.get("minItems")
        bounds = {} if least == len(first) else {"minItems": least}
        return f"[{', '.join(first)}]{_bounds(bounds, 'Items')}"
    return f"[{', '.join([*first, f'...{many}'])}]" + _bounds(schema, "Items")


def _key(name: JsonValue) -> str:
    return name if isinstance(name, str) and _IDENTIFIER.fullmatch(name) else _literal(name)


def _literal(value: JsonValue) -> str:
    return escape_invisible(dumps(value, ensure_ascii=False))
