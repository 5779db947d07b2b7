"""Whether a schema names places of its own, so that `bundle` has something to do."""

from collections.abc import Iterable
from functools import lru_cache

from pyfunctools._json import JsonSchema
from pyfunctools.schema.ground.references import defined_name, definition
from pyfunctools.schema.normalization.check_input import Contents
from pyfunctools.schema.vocabulary import DYNAMIC, IDENTITY

_PLACES = (IDENTITY | DYNAMIC) - {"id"}
"""Keywords that name a place in a schema, or lead to one by another name than `$ref`."""


def is_bundled(contents: Contents) -> bool:
    """Return whether a schema of these contents names no places but the definitions at its root."""
    return _PLACES.isdisjoint(contents.keys) and all(map(_is_plain, contents.references))


@lru_cache(maxsize=4096)
def _is_plain(reference: str) -> bool:
    name = defined_name(reference)
    return name is not None and reference == definition(name)


def needs_bundling(schema: JsonSchema, contents: Contents) -> bool:
    """Return whether `bundle` has anything to do for a schema of these contents."""
    if not is_bundled(contents) or is_early(schema):
        return True
    return "$schema" in schema and "enum" in contents.keys


def is_early(schema: JsonSchema) -> bool:
    """Return whether a schema names one of the drafts 3 to 7, of which a `$ref` stands alone."""
    return _names_draft(schema, "3467")


def is_oldest(schema: JsonSchema) -> bool:
    """Return whether a schema names one of the drafts 3 and 4, whose `$id` is `id`."""
    return _names_draft(schema, "34")


def _names_draft(schema: JsonSchema, numbers: Iterable[str]) -> bool:
    named = str(schema.get("$schema", ""))
    return any(f"draft-0{number}/" in named for number in numbers)
