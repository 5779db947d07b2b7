"""What may be shown of a schema: no value that a person or the program would give."""

from pyfunctools._json import JsonSchema
from pyfunctools.schema.ground.marks import HUMAN_MARKS
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.ground.walk import map_subschemas, subschemas
from pyfunctools.schema.separation.predicates import (
    is_human_by_default,
    is_secret,
    is_secret_of_human,
)
from pyfunctools.schema.vocabulary import EXAMPLES


def without_values(schema: JsonSchema) -> JsonSchema:
    """Return a copy of a schema without defaults and examples, at every depth."""
    return map_subschemas(
        schema, lambda one: {key: value for key, value in one.items() if key not in _VALUES}
    )


def output_shown(schema: JsonSchema) -> JsonSchema:
    """Return an output schema as others may see it: without such values if a part is a person's.

    A default of an object may hold the default of a part of it, so all of them are left out.
    """
    is_persons = any(
        may_be_persons(part)
        and (is_human_by_default(path := Path.of(keys), part) or is_secret(path, part))
        for keys, part in subschemas(schema)
        if isinstance(part, dict)
    )
    return without_values(schema) if is_persons else schema


def may_be_persons(schema: JsonSchema) -> bool:
    """Return whether a schema itself has a keyword of `predicates`: much faster than to ask."""
    return (
        not _SIGNS.isdisjoint(schema)
        or schema.get("format") in ("password", "binary")
        or "-secret-key" in " ".join(schema)
    )


_SIGNS = frozenset(
    {*HUMAN_MARKS, "x-human-secret", "x-human-widget", "writeOnly"}
    | {"contentEncoding", "contentMediaType"}
)


def has_secret_part(schema: JsonSchema) -> bool:
    """Return whether a schema of the human's side is that of a secret, or has one inside."""
    return any(
        is_secret_of_human(Path.of(keys), part)
        for keys, part in subschemas(schema)
        if isinstance(part, dict)
    )


_VALUES = {"default", *EXAMPLES}
