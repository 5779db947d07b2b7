"""Every keyword of JSON Schema that is known, one row each; all sets of keywords come from here.

A row says what the value of a keyword is, what its subschemas are about, which types of values it
judges, how two of its values become one under `allOf`, and which side of a separated schema keeps
it. A new keyword is a new row, and a function beside the others where it has a form
(`normalization.clean`) or a rule (`normalization.conjunction`) that no other keyword has.
"""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

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
"""What the value of a keyword is; `left out` is what no normalized schema has."""

About: TypeAlias = Literal["all", "asked", "below", "defined", "left", "one", "parts", "when", ""]
"""What the subschemas of a keyword are about.

The value that the schema is about: `all` of them, `one` of them, one `when` something is so, or
they are only `asked`. A place one step `below`; what is `left` of those places when all else has
looked; the `parts` of a value in a way that cannot be divided. `defined` ones are about nothing.
"""

Merged: TypeAlias = Literal[
    "apart",
    "equal",
    "greater",
    "lesser",
    "multiple",
    "names",
    "names by name",
    "own",
    "schema",
    "schemas by name",
    "true",
    "types",
    "with choice",
    "with condition",
    "with contains",
    "with items",
    "with members",
]
"""How two values under `allOf` become one.

`with` others where several keywords say one thing together; `apart` never, `equal` only where they
are; `own` is what one schema says of itself.
"""

Role: TypeAlias = Literal["annotation", "assertion", "draft", "example", "identity", "remark"]
"""What a keyword is for: a `remark` is an annotation that no model needs."""

OBJECT, ARRAY, STRING, NUMBER = ("object",), ("array",), ("string",), ("number", "integer")


class Keyword(NamedTuple):
    """One row. `judges` are the types it is about, none where it is about all of them.

    `words` say a bound: what stands before it, and the unit that is counted. `kept` are the sides
    of which it says the same as of the whole. `dated` keywords are those of older drafts and of
    OpenAPI, which no normalized schema has.
    """

    form: Form = "anything"
    role: Role = "assertion"
    about: About = ""
    judges: tuple[str, ...] = ()
    merged: Merged = "equal"
    words: tuple[str, str] | None = None
    kept: Literal["", "both", "llm"] = ""
    dated: bool = False


KEYWORDS: Final[Mapping[str, Keyword]] = {
    # names of places, and references to them
    "$anchor": Keyword(role="identity"),
    "$defs": Keyword("definitions", "identity", "defined"),
    "$dynamicAnchor": Keyword(role="identity"),
    "$dynamicRef": Keyword("a name", dated=True),
    "$id": Keyword(role="identity"),
    "$recursiveAnchor": Keyword(role="identity", dated=True),
    "$recursiveRef": Keyword("a name", dated=True),
    "$ref": Keyword("a name"),
    "$schema": Keyword("left out", "draft", kept="both"),
    "$vocabulary": Keyword("left out", "draft"),
    "definitions": Keyword("definitions", "identity", "defined", dated=True),
    "id": Keyword(role="identity"),
    # schemas of the same value
    "allOf": Keyword("schemas", about="all"),
    "anyOf": Keyword("schemas", about="one", merged="with choice"),
    "oneOf": Keyword("schemas", about="one", merged="with choice"),
    "discriminator": Keyword(merged="with choice"),
    "not": Keyword("a schema", about="asked", merged="apart"),
    "if": Keyword("a schema", about="asked", merged="with condition"),
    "then": Keyword("a schema", about="when", merged="with condition"),
    "else": Keyword("a schema", about="when", merged="with condition"),
    "dependentSchemas": Keyword(
        "schemas by name", about="when", judges=OBJECT, merged="schemas by name"
    ),
    "dependencies": Keyword("an object", about="when", judges=OBJECT, dated=True),
    # any value
    "type": Keyword(merged="types", kept="llm"),
    "const": Keyword(),
    "enum": Keyword("values"),
    "format": Keyword("a text", kept="llm"),
    "nullable": Keyword("a flag", dated=True),
    "x-nullable": Keyword("a flag", dated=True),
    # objects
    "properties": Keyword("schemas by name", about="below", judges=OBJECT, merged="with members"),
    "patternProperties": Keyword(
        "schemas by pattern", about="below", judges=OBJECT, merged="with members"
    ),
    "additionalProperties": Keyword(
        "a schema", about="below", judges=OBJECT, merged="with members"
    ),
    "unevaluatedProperties": Keyword("a schema", about="left", judges=OBJECT),
    "propertyNames": Keyword("a schema", about="parts", judges=OBJECT, merged="schema"),
    "required": Keyword("names", judges=OBJECT, merged="names"),
    "dependentRequired": Keyword("names by name", judges=OBJECT, merged="names by name"),
    "minProperties": Keyword(
        "a count", judges=OBJECT, merged="greater", words=("at least ", "property")
    ),
    "maxProperties": Keyword(
        "a count", judges=OBJECT, merged="lesser", words=("at most ", "property")
    ),
    # arrays
    "prefixItems": Keyword("schemas", about="below", judges=ARRAY, merged="with items"),
    "items": Keyword("a schema or schemas", about="below", judges=ARRAY, merged="with items"),
    "additionalItems": Keyword("a schema", about="below", judges=ARRAY, dated=True),
    "unevaluatedItems": Keyword("a schema", about="left", judges=ARRAY),
    "contains": Keyword("a schema", about="parts", judges=ARRAY, merged="with contains"),
    "minContains": Keyword("a count", judges=ARRAY, merged="with contains"),
    "maxContains": Keyword("a count", judges=ARRAY, merged="with contains"),
    "minItems": Keyword(
        "a count", judges=ARRAY, merged="greater", words=("at least ", "item"), kept="both"
    ),
    "maxItems": Keyword(
        "a count", judges=ARRAY, merged="lesser", words=("at most ", "item"), kept="both"
    ),
    "uniqueItems": Keyword("a flag", judges=ARRAY, merged="true"),
    # strings
    "minLength": Keyword(
        "a count", judges=STRING, merged="greater", words=("at least ", "character"), kept="llm"
    ),
    "maxLength": Keyword(
        "a count", judges=STRING, merged="lesser", words=("at most ", "character"), kept="llm"
    ),
    "pattern": Keyword("a pattern", judges=STRING, kept="llm"),
    "contentEncoding": Keyword("a text", judges=STRING, kept="llm"),
    "contentMediaType": Keyword("a text", judges=STRING, kept="llm"),
    "contentSchema": Keyword("a schema", about="parts", judges=STRING, merged="apart"),
    # numbers
    "minimum": Keyword(
        "a number", judges=NUMBER, merged="greater", words=("at least ", ""), kept="llm"
    ),
    "exclusiveMinimum": Keyword(
        "a bound", judges=NUMBER, merged="greater", words=("greater than ", ""), kept="llm"
    ),
    "maximum": Keyword(
        "a number", judges=NUMBER, merged="lesser", words=("at most ", ""), kept="llm"
    ),
    "exclusiveMaximum": Keyword(
        "a bound", judges=NUMBER, merged="lesser", words=("less than ", ""), kept="llm"
    ),
    "multipleOf": Keyword(
        "a divisor", judges=NUMBER, merged="multiple", words=("a multiple of ", ""), kept="llm"
    ),
    # what is said of a schema
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


def _of_form(*forms: Form) -> frozenset[str]:
    return frozenset(name for name, row in KEYWORDS.items() if row.form in forms)


def _of_role(*roles: Role) -> frozenset[str]:
    return frozenset(name for name, row in KEYWORDS.items() if row.role in roles)


def _about(*whats: About) -> frozenset[str]:
    return frozenset(name for name, row in KEYWORDS.items() if row.about in whats)


def judging(*types: str) -> frozenset[str]:
    """Return the keywords that judge values of one of these types, and of no others."""
    return frozenset(
        name for name, row in KEYWORDS.items() if row.judges and set(row.judges) & set(types)
    )


ONE_SCHEMA: Final = _of_form("a schema", "a schema or schemas")
"""Keywords whose value is a schema."""
SCHEMA_LIST: Final = _of_form("schemas", "a schema or schemas")
"""Keywords whose value is an array of schemas; `items` is one up to draft 2019-09."""
SCHEMA_MAP: Final = _of_form("schemas by name", "schemas by pattern", "definitions") | {
    "dependencies"
}
"""Keywords whose value is an object of schemas; in `dependencies` lists of names stand beside."""
PER_PROPERTY: Final = _of_form("schemas by name", "names by name")
"""Keywords whose value has an entry for some properties of the object that is judged."""

ASSERTIONS: Final = _of_role("assertion") - {"nullable", "x-nullable"}
"""Keywords that say something about a value, or belong to one that does; the others annotate."""
REMARKS: Final = _of_role("remark", "example")
"""Annotations that no model needs to know."""
ANNOTATIONS: Final = REMARKS | _of_role("annotation")
"""Keywords that refuse nothing."""
IDENTITY: Final = _of_role("identity")
"""Keywords that name a place in a schema."""
DRAFT: Final = _of_role("draft")
"""Keywords that name the draft of a schema."""
EXAMPLES: Final = _of_role("example")
"""Keywords that hold examples of values."""
REFERENCES: Final = _of_form("a name")
"""Keywords that refer to another schema."""
DYNAMIC_REFERENCES: Final = REFERENCES - {"$ref"}
"""References that lead to another place depending on the way that led to them."""

UNIONS: Final = ("oneOf", "anyOf")
"""The keywords of a union, in the order in which they are asked."""
COMPOSITION: Final = ("allOf", "anyOf", "oneOf")
"""The keywords that list schemas of the same value."""
CONJUNCTIVE: Final = _about("all", "when")
"""Keywords whose schemas hold, always or sometimes, for the value that is judged."""
TESTED_ONLY: Final = _about("asked")
"""Keywords whose schemas are asked about the value, and say nothing of it."""
HOLDING: Final = CONJUNCTIVE | _about("one")
"""Keywords whose schemas hold, or may hold, for the value that is judged."""
IN_PLACE: Final = HOLDING | TESTED_ONLY
"""Keywords whose schemas are about the value that is judged."""
UNEVALUATED: Final = _about("left")
"""Keywords that look at what those beside them have looked at (2020-12 core, 11)."""
BELOW: Final = _about("below", "left")
"""Keywords whose schemas are about a place one step further."""
UNDECLARED: Final = _about("below") & judging("object") - {"properties"}
"""Keywords whose schemas are about properties that are not declared."""
INDIVISIBLE: Final = _about("parts", "left")
"""Keywords whose schemas are about a value in a way that cannot be divided: a text that is JSON,
the names of an object, any of its items."""

VALUE_LISTS: Final = frozenset({"const", "enum"})
"""Keywords that list the values that fit."""

BOUNDS: Final = {name: row.words for name, row in KEYWORDS.items() if row.words is not None}
"""The keywords of a bound, with the words that say it."""


def kept_by(side: str) -> frozenset[str]:
    """Return the keywords that say the same of one side (`llm` or `human`) as of the whole."""
    sides = ("both", "llm") if side == "llm" else ("both",)
    return frozenset(name for name, row in KEYWORDS.items() if row.kept in sides)
