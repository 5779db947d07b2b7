"""Corrections of keyword values: `"minimum": "3"` becomes 3, an invalid value is left out.

A value that needs no correction is returned as the same object.
"""

import math
import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from pyfunctools._json import JsonValue
from pyfunctools._text import visible
from pyfunctools.schema.ground.walk import is_schema
from pyfunctools.schema.outline.json_types import ALL_TYPES
from pyfunctools.schema.vocabulary import KEYWORDS

TYPE_SYNONYMS: Mapping[str, tuple[str, str | None]] = {
    "bool": ("boolean", None),
    "char": ("string", None),
    "date": ("string", "date"),
    "date-time": ("string", "date-time"),
    "datetime": ("string", "date-time"),
    "decimal": ("number", None),
    "dict": ("object", None),
    "double": ("number", "double"),
    "email": ("string", "email"),
    "file": ("string", "binary"),
    "float": ("number", "float"),
    "int": ("integer", None),
    "int32": ("integer", "int32"),
    "int64": ("integer", "int64"),
    "list": ("array", None),
    "long": ("integer", "int64"),
    "map": ("object", None),
    "nil": ("null", None),
    "none": ("null", None),
    "password": ("string", "password"),
    "str": ("string", None),
    "text": ("string", None),
    "uri": ("string", "uri"),
    "url": ("string", "uri"),
    "uuid": ("string", "uuid"),
}
"""Names of types in real documents, with the type and the format that they mean."""

_LOOSE_HYPHEN = r"(?<=[^\\]\\[dDsSwW])-|-(?=\\[dDsSwW])"

Clean = Callable[[JsonValue], JsonValue]
"""A function that corrects a keyword's value; it returns `None` for an invalid one."""


def known_type(name: JsonValue) -> tuple[str, str | None] | None:
    """Return the type and the format that a name means, or `None`.

    `None`, from an unquoted `null` in YAML, is the type `null`.
    """
    if name is None:
        return "null", None
    if not isinstance(name, str):
        return None
    name = name.strip().lower()
    return (name, None) if name in ALL_TYPES else TYPE_SYNONYMS.get(name)


@lru_cache(maxsize=1024)
def is_pattern(pattern: str) -> bool:
    """Return whether the validator can compile a regular expression."""
    import jsonschema_rs

    try:
        jsonschema_rs.Draft202012Validator({"pattern": pattern})
    except jsonschema_rs.ValidationError:
        return False
    return True


def _only(kind: type) -> Clean:
    return lambda value: value if isinstance(value, kind) else None


def _text(value: JsonValue) -> JsonValue:
    return visible(value) if isinstance(value, str) else None


def _number(value: JsonValue) -> JsonValue:
    if not isinstance(value, str):
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    text = value.strip()
    if not re.fullmatch(r"[+-]?[0-9]{0,300}\.?[0-9]{1,300}([eE][+-]?[0-9]{1,3})?", text, re.ASCII):
        return None
    number = int(text) if text.lstrip("+-").isdigit() else float(text)
    return number if isinstance(number, int) or math.isfinite(number) else None


def _bound(value: JsonValue) -> JsonValue:
    # A boolean beside `minimum` or `maximum` is of draft-04, and is translated later.
    return value if isinstance(value, bool) else _number(value)


def _divisor(value: JsonValue) -> JsonValue:
    number = _number(value)
    return number if isinstance(number, int | float) and number > 0 else None


def _count(value: JsonValue) -> JsonValue:
    number = _number(value)
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    return number if isinstance(number, int) and number >= 0 else None


def _pattern(value: JsonValue) -> str | None:
    if not isinstance(value, str) or is_pattern(value):
        return value if isinstance(value, str) else None
    # ECMA-262, B.1.2: a hyphen beside a class such as `\w` is a literal hyphen.
    escaped = re.sub(_LOOSE_HYPHEN, r"\\-", value)
    return escaped if is_pattern(escaped) else None


def _names(value: JsonValue) -> JsonValue:
    if not isinstance(value, list):
        return None
    names = list(dict.fromkeys(name for name in value if isinstance(name, str)))
    return value if len(names) == len(value) else names


def _listed(value: JsonValue) -> JsonValue:
    return value if isinstance(value, list) and value else None


def _schema(value: JsonValue) -> JsonValue:
    if isinstance(value, (dict, bool)):
        return value
    named = known_type(value) if isinstance(value, str) else None
    return None if named is None else {"type": named[0]}


def _schemas(value: JsonValue) -> JsonValue:
    if not isinstance(value, list):
        return None
    sound = value if all(map(is_schema, value)) else list(filter(is_schema, map(_schema, value)))
    return sound or None


def _schema_or_schemas(value: JsonValue) -> JsonValue:
    if not isinstance(value, list):
        return _schema(value)
    return value if all(map(is_schema, value)) else [_schema_or_true(inner) for inner in value]


def _schema_or_true(value: JsonValue) -> JsonValue:
    sound = _schema(value)
    return True if sound is None else sound


def _named_schemas(value: JsonValue) -> JsonValue:
    if not isinstance(value, dict):
        return None
    if all(map(is_schema, value.values())):
        return value
    return {name: _schema_or_true(inner) for name, inner in value.items()}


def _pattern_schemas(value: JsonValue) -> JsonValue:
    if not isinstance(value, dict):
        return None
    return {
        pattern: _schema_or_true(inner)
        for name, inner in value.items()
        if (pattern := _pattern(name)) is not None
    }


def _named_names(value: JsonValue) -> JsonValue:
    if not isinstance(value, dict):
        return None
    return {name: names for name, inner in value.items() if (names := _names(inner)) is not None}


def _examples(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return with_visible_texts(value)
    if not isinstance(value, dict):
        return [with_visible_texts(value)]
    found: list[JsonValue] = [
        example["value"] if isinstance(example, dict) and "value" in example else example
        for example in value.values()
        if not (isinstance(example, dict) and example.keys() & {"$ref", "externalValue"})
    ]
    return with_visible_texts(found) if found else None


def with_visible_texts(example: JsonValue) -> JsonValue:
    """Return an example without the invisible characters in its texts.

    Only for values that are read and never sent. One without them is returned as the same object.
    """
    shown: JsonValue = example
    if isinstance(example, str):
        return visible(example)
    if isinstance(example, list):
        shown = [*map(with_visible_texts, example)]
    elif isinstance(example, dict):
        shown = {visible(name): with_visible_texts(inner) for name, inner in example.items()}
    return example if shown == example else shown


_OF_FORM: Mapping[str, tuple[Clean, str]] = {
    "a bound": (_bound, "a number"),
    "a count": (_count, "a whole number from 0 on"),
    "a divisor": (_divisor, "a number above 0"),
    "a flag": (_only(bool), "true or false"),
    "a name": (_only(str), "a reference as a text"),
    "a number": (_number, "a number"),
    "a pattern": (_pattern, "a regular expression that compiles"),
    "a schema": (_schema, "a schema"),
    "a schema or schemas": (_schema_or_schemas, "a schema"),
    "a text": (_text, "a text"),
    "an object": (_only(dict), "an object"),
    "examples": (_examples, "a list of values"),
    "left out": (lambda _: None, "a URI"),
    "names": (_names, "a list of names"),
    "names by name": (_named_names, "an object with a list of names for each name"),
    "schemas": (_schemas, "a list of schemas"),
    "schemas by name": (_named_schemas, "an object with a schema for each name"),
    "schemas by pattern": (
        _pattern_schemas,
        "an object with a schema for each regular expression that compiles",
    ),
    "values": (_listed, "a list of at least one value"),
}
"""For each form of a keyword's value, the function that corrects it, and the form in words."""

CLEAN: Mapping[str, Clean] = {
    keyword: _OF_FORM[row.form][0] for keyword, row in KEYWORDS.items() if row.form in _OF_FORM
}
"""For each keyword whose value has a form, the function that corrects it.

An empty `enum` is left out: real documents write one where the values are not known.
"""


def describe_form(keyword: str) -> str | None:
    """Return the form of a keyword's value in words, or `None` if it may be any value."""
    row = KEYWORDS.get(keyword)
    return _OF_FORM[row.form][1] if row is not None and row.form in _OF_FORM else None
