"""The keywords of JSON Schema, one row each; every set of keywords is derived from these rows.

A new keyword is a new row. Where its value has a new form, add a function to `normalization.clean`;
where it is merged by a new rule, add one to `normalization.all_of`.
"""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from pyfunctools._json import JsonValue

Form: TypeAlias = Literal[
    "anything",
    "a bound",
    "a count",
    "a divisor",
    "a flag",
    "a name",
    "a number",
    "a pattern",
    "a schema",
    "a schema or schemas",
    "a text",
    "an object",
    "definitions",
    "examples",
    "left out",
    "names",
    "names by name",
    "schemas",
    "schemas by name",
    "schemas by pattern",
    "values",
]
"""The value of a keyword; a normalized schema has no keyword that is `left out`."""

About: TypeAlias = Literal[
    "all", "child", "condition", "definition", "indivisible", "one", "test", "unevaluated", ""
]
"""The value that the subschemas of a keyword apply to.

The same value as their parent: `all` of them, `one` of them, on a `condition`, or only as a `test`.
A `child` of that value: a property or item; the `unevaluated` ones; or parts that are
`indivisible`, such as the names of an object. A `definition` applies to nothing by itself.
"""

Merged: TypeAlias = Literal[
    "equal",
    "greater",
    "lesser",
    "multiple",
    "names",
    "never",
    "own",
    "true",
    "types",
    "values",
    "with choice",
    "with condition",
    "with contains",
    "with items",
    "with members",
]
"""How two values of a keyword under `allOf` are merged.

`equal`: only if they are equal. `own`: only the value of the outer schema is kept. `with ...`:
together with the keywords of the same rule.
"""

Role: TypeAlias = Literal["annotation", "assertion", "draft", "example", "identity", "remark"]
"""The purpose of a keyword; a `remark` is an annotation that models do not need."""

Kept: TypeAlias = Literal["", "both", "llm"]
"""The sides of a separated schema that keep a keyword unchanged."""

OBJECT, ARRAY, STRING, NUMBER = ("object",), ("array",), ("string",), ("number", "integer")
NUMBERS: Final = frozenset(NUMBER)
"""The JSON types that are numbers."""


class Keyword(NamedTuple):
    """One row of the vocabulary.

    `judges`: the types whose values it constrains; empty for all types. `words`: how a message
    states a bound, as a prefix and the counted unit. `dated`: it is of an older draft or OpenAPI,
    and not in normalized schemas.
    """

    form: Form = "anything"
    role: Role = "assertion"
    about: About = ""
    judges: tuple[str, ...] = ()
    merged: Merged = "equal"
    words: tuple[str, str] | None = None
    kept: Kept = ""
    dated: bool = False


def _bound(
    words: str, unit: str, judges: tuple[str, ...], *, form: Form = "a count", kept: Kept = "llm"
) -> Keyword:
    """Return the row of a bound: of two under `allOf`, the narrower one holds."""
    merged = "lesser" if words in ("at most ", "less than ") else "greater"
    return Keyword(form, judges=judges, merged=merged, words=(words, unit), kept=kept)


KEYWORDS: Final[Mapping[str, Keyword]] = {
    # identity and references
    "$anchor": Keyword(role="identity"),
    "$defs": Keyword("definitions", "identity", "definition"),
    "$dynamicAnchor": Keyword(role="identity"),
    "$dynamicRef": Keyword("a name", dated=True),
    "$id": Keyword(role="identity"),
    "$recursiveAnchor": Keyword(role="identity", dated=True),
    "$recursiveRef": Keyword("a name", dated=True),
    "$ref": Keyword("a name"),
    "$schema": Keyword("left out", "draft", kept="both"),
    "$vocabulary": Keyword("left out", "draft"),
    "definitions": Keyword("definitions", "identity", "definition", dated=True),
    "id": Keyword(role="identity"),
    # subschemas for the same value
    "allOf": Keyword("schemas", about="all"),
    "anyOf": Keyword("schemas", about="one", merged="with choice"),
    "oneOf": Keyword("schemas", about="one", merged="with choice"),
    "discriminator": Keyword(merged="with choice"),
    "not": Keyword("a schema", about="test", merged="never"),
    "if": Keyword("a schema", about="test", merged="with condition"),
    "then": Keyword("a schema", about="condition", merged="with condition"),
    "else": Keyword("a schema", about="condition", merged="with condition"),
    "dependentSchemas": Keyword(
        "schemas by name", about="condition", judges=OBJECT, merged="never"
    ),
    "dependencies": Keyword("an object", about="condition", judges=OBJECT, dated=True),
    # any value
    "type": Keyword(merged="types", kept="llm"),
    "const": Keyword(),
    "enum": Keyword("values", merged="values"),
    "format": Keyword("a text", kept="llm"),
    "nullable": Keyword("a flag", dated=True),
    "x-nullable": Keyword("a flag", dated=True),
    # objects
    "properties": Keyword("schemas by name", about="child", judges=OBJECT, merged="with members"),
    "patternProperties": Keyword(
        "schemas by pattern", about="child", judges=OBJECT, merged="with members"
    ),
    "additionalProperties": Keyword(
        "a schema", about="child", judges=OBJECT, merged="with members"
    ),
    "unevaluatedProperties": Keyword("a schema", about="unevaluated", judges=OBJECT),
    "propertyNames": Keyword("a schema", about="indivisible", judges=OBJECT, merged="never"),
    "required": Keyword("names", judges=OBJECT, merged="names"),
    "dependentRequired": Keyword("names by name", judges=OBJECT),
    "minProperties": _bound("at least ", "property", OBJECT, kept=""),
    "maxProperties": _bound("at most ", "property", OBJECT, kept=""),
    # arrays
    "prefixItems": Keyword("schemas", about="child", judges=ARRAY, merged="with items"),
    "items": Keyword("a schema or schemas", about="child", judges=ARRAY, merged="with items"),
    "additionalItems": Keyword("a schema", about="child", judges=ARRAY, dated=True),
    "unevaluatedItems": Keyword("a schema", about="unevaluated", judges=ARRAY),
    "contains": Keyword("a schema", about="indivisible", judges=ARRAY, merged="with contains"),
    "minContains": Keyword("a count", judges=ARRAY, merged="with contains"),
    "maxContains": Keyword("a count", judges=ARRAY, merged="with contains"),
    "minItems": _bound("at least ", "item", ARRAY, kept="both"),
    "maxItems": _bound("at most ", "item", ARRAY, kept="both"),
    "uniqueItems": Keyword("a flag", judges=ARRAY, merged="true"),
    # strings
    "minLength": _bound("at least ", "character", STRING),
    "maxLength": _bound("at most ", "character", STRING),
    "pattern": Keyword("a pattern", judges=STRING, kept="llm"),
    "contentEncoding": Keyword("a text", judges=STRING, kept="llm"),
    "contentMediaType": Keyword("a text", judges=STRING, kept="llm"),
    "contentSchema": Keyword("a schema", about="indivisible", judges=STRING, merged="never"),
    # numbers
    "minimum": _bound("at least ", "", NUMBER, form="a number"),
    "exclusiveMinimum": _bound("greater than ", "", NUMBER, form="a bound"),
    "maximum": _bound("at most ", "", NUMBER, form="a number"),
    "exclusiveMaximum": _bound("less than ", "", NUMBER, form="a bound"),
    "multipleOf": Keyword(
        "a divisor", judges=NUMBER, merged="multiple", words=("a multiple of ", ""), kept="llm"
    ),
    # annotations
    "$comment": Keyword("a text", "remark", merged="own"),
    "title": Keyword("a text", "remark", merged="own", kept="both"),
    "description": Keyword("a text", "annotation", kept="both"),
    "default": Keyword(role="annotation"),
    "deprecated": Keyword("a flag", "remark", merged="true", kept="both"),
    "readOnly": Keyword("a flag", "annotation", merged="true", kept="llm"),
    "writeOnly": Keyword("a flag", "annotation", merged="true", kept="llm"),
    "examples": Keyword("examples", "example", merged="own"),
    "example": Keyword(role="example", dated=True),
    "x-example": Keyword(role="example", dated=True),
    "externalDocs": Keyword(role="remark", merged="own"),
    "xml": Keyword(role="remark", merged="own"),
}


def _with(*traits: Form | Role | About) -> frozenset[str]:
    """Return the keywords with one of these forms, roles or relations, which share no word."""
    rows = KEYWORDS.items()
    return frozenset(n for n, row in rows if {row.form, row.role, row.about}.intersection(traits))


def judging(*types: str) -> frozenset[str]:
    """Return the keywords that constrain only values of these types."""
    return frozenset(n for n, row in KEYWORDS.items() if not set(types).isdisjoint(row.judges))


ONE_SCHEMA: Final = _with("a schema", "a schema or schemas")
"""Keywords whose value is a schema."""
SCHEMA_LIST: Final = _with("schemas", "a schema or schemas")
"""Keywords whose value is an array of schemas; `items` may be one up to draft 2019-09."""
SCHEMA_MAP: Final = _with("schemas by name", "schemas by pattern", "definitions") | {"dependencies"}
"""Keywords whose value is an object of schemas; `dependencies` may contain lists of names too."""
PER_PROPERTY: Final = _with("schemas by name", "names by name")
"""Keywords whose value maps names of properties to schemas or to other names."""

ASSERTIONS: Final = _with("assertion") - {"nullable", "x-nullable"}
"""Keywords that constrain a value, or that modify a constraint; other keywords annotate."""
REMARKS: Final = _with("remark", "example")
"""Annotations that models do not need."""
ANNOTATIONS: Final = REMARKS | _with("annotation")
"""Keywords that reject no value."""
IDENTITY: Final = _with("identity")
"""Keywords that name a place in a schema, or hold definitions."""
ANCHORS: Final = ("$anchor", "$dynamicAnchor")
"""Keywords that give a schema a name in its resource."""
DRAFT: Final = _with("draft")
"""Keywords that name the draft of a schema."""
EXAMPLES: Final = _with("example")
"""Keywords that hold examples of values."""
REFERENCES: Final = _with("a name")
"""Keywords that refer to another schema."""
DYNAMIC_REFERENCES: Final = REFERENCES - {"$ref"}
"""References whose target depends on the references followed before."""

ALL_OF: Final = frozenset({"$ref", "allOf"})
"""Keywords whose schemas all apply to the same value, without conditions."""
UNIONS: Final = ("oneOf", "anyOf")
"""The keywords of a union, in the order in which they are tried."""
COMPOSITION: Final = ("allOf", "anyOf", "oneOf")
"""Keywords that list schemas for the same value."""
CONJUNCTIVE: Final = _with("all", "condition")
"""Keywords whose schemas all apply to the same value, always or on a condition."""
TESTED_ONLY: Final = _with("test")
"""Keywords whose schemas only test the value: `not` and `if`."""
HOLDING: Final = CONJUNCTIVE | _with("one")
"""Keywords whose schemas apply, or may apply, to the same value."""
IN_PLACE: Final = HOLDING | TESTED_ONLY
"""Keywords with subschemas for the same value."""
UNEVALUATED: Final = _with("unevaluated")
"""Keywords that depend on the results of the keywords beside them (2020-12 core, 11)."""
BELOW: Final = _with("child", "unevaluated")
"""Keywords with subschemas for the properties or items of the value."""
UNDECLARED: Final = _with("child") & judging("object") - {"properties"}
"""Keywords with schemas for properties that are not declared."""
OBJECT_VALUED: Final = SCHEMA_MAP | (ONE_SCHEMA & judging("object")) | TESTED_ONLY
"""Keywords with objects as values: a schema with only one of them is no bare list of properties."""
MAY_ADD_PROPERTIES: Final = (
    (IN_PLACE - TESTED_ONLY - judging("object")) | UNDECLARED | UNEVALUATED | {"$ref", "if"}
)
"""Keywords beside which a schema may accept properties that it does not declare itself."""
INDIVISIBLE: Final = _with("indivisible", "unevaluated")
"""Keywords whose schemas apply to parts of a value that cannot be separated, such as names."""

VALUE_LISTS: Final = frozenset({"const", "enum"})
"""Keywords that list the valid values."""

MATCHED: Final = (
    _with("all", "one", "child") | VALUE_LISTS | {"$defs", "$ref", "required", "type"}
) - {"discriminator"}
"""Keywords that tell what a value is, and not how large or how long."""

BOUNDS: Final = {name: row.words for name, row in KEYWORDS.items() if row.words is not None}
"""The words for each keyword that states a bound."""


def kept_by(side: str) -> frozenset[str]:
    """Return the keywords that one side (`llm` or `human`) keeps unchanged."""
    sides = ("both", "llm") if side == "llm" else ("both",)
    return frozenset(name for name, row in KEYWORDS.items() if row.kept in sides)


HUMAN_MARKS: Final = ("x-human", "x-samchon-human")
"""The keywords that mark a value as one that a person gives: `x-human: true`."""

_NO = frozenset({"0", "f", "false", "n", "no", "off"})


def human_mark(*holders: JsonValue) -> bool | None:
    """Return whether a schema, parameter, body or operation is marked; `None` if not stated.

    Any value but a negative one (`false`, `0`, `"no"`) is a mark, and one mark outweighs negative
    values elsewhere. `null` and an empty text count as not stated.
    """
    found: bool | None = None
    for holder in holders:
        if isinstance(holder, dict):
            for mark in HUMAN_MARKS:
                if (value := holder.get(mark)) not in (None, ""):
                    found = found or not _is_no(value)
    return found


def _is_no(value: JsonValue) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in _NO
    return isinstance(value, int | float) and not value
