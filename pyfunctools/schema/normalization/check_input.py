"""The check of a schema before it is normalized: JSON, not too deep and not too large."""

from collections.abc import Iterable
from functools import lru_cache
from math import isfinite
from typing import cast

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.errors import SchemaError
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.schema.ground.json_values import MAX_SCHEMA_DEPTH, is_utf8_text
from pyfunctools.schema.ground.path import Keys, pointer_of
from pyfunctools.schema.ground.references import defined_name, reference_to
from pyfunctools.schema.vocabulary import DYNAMIC_REFERENCES, IDENTITY

_TEXTS = frozenset({"description", "title"})
"""Keywords whose lone surrogates are removed later, and not an error."""

_HUGE = 10**4000
"""Python writes no integer of more than 4,300 digits (`sys.int_info`)."""


_PLACES = (IDENTITY | DYNAMIC_REFERENCES) - {"id"}
"""Keywords that name a place in a schema, and references other than `$ref`."""


def check_schema(schema: JsonSchema) -> bool:
    """Check that a schema can be normalized, and return whether `bundle` may change it.

    It does not if all references are `#/$defs/NAME`, without anchors and `$id`s. Names of
    properties count as keywords, and `$ref`s of examples as references.

    Raises:
        SchemaError: it is not an object, contains a value that is not JSON (a set, a tuple, `NaN`,
            a key that is not text, a lone surrogate), is nested too deeply or is too large. A
            Python object counts as often as it occurs; one that contains itself is too deep.
    """
    if not isinstance(schema, dict):
        raise SchemaError(f"a schema is an object or a boolean, not a {type(schema).__name__}")
    keys = set(schema) - {"$defs"}
    references: set[str] = set()
    sound = True
    level: list[JsonValue] = [schema]
    count = 0
    for _ in range(MAX_SCHEMA_DEPTH):
        below: list[JsonValue] = []
        for container in level:
            if isinstance(container, dict):
                if container is not schema:
                    keys.update(container)
                if isinstance(reference := container.get("$ref"), str):
                    references.add(reference)
                values = container.values()
            else:
                values = cast("list[JsonValue]", container)
            count += len(values)
            sound &= _inspect(values, below)
        if count > DEFAULT_LIMITS.document_nodes:
            raise SchemaError(f"the schema holds more than {DEFAULT_LIMITS.document_nodes} values")
        if not below:
            break
        level = below
    else:
        raise SchemaError(f"the schema is nested more than {MAX_SCHEMA_DEPTH} deep")
    if not (sound and all(map(is_utf8_text, keys))):
        _blame(schema)
    is_bundled = _PLACES.isdisjoint(keys) and all(map(_is_canonical, references))
    return not is_bundled or is_early(schema) or ("$schema" in schema and "enum" in keys)


def _inspect(values: Iterable[JsonValue], below: list[JsonValue]) -> bool:
    """Append the objects and arrays among the values to `below`; return whether the rest is JSON.

    The checks are ordered by how often they apply, since this runs for every value.
    """
    sound = True
    for value in values:
        kind = type(value)
        if isinstance(value, str):
            if not (value.isascii() or is_utf8_text(value)):
                sound = False
        elif kind is dict or kind is list or isinstance(value, dict | list):
            below.append(value)
        elif value is not None and kind is not bool and not _is_scalar(value):
            sound = False
    return sound


def _is_scalar(value: JsonValue) -> bool:
    if isinstance(value, int):
        return -_HUGE < value < _HUGE
    return value is None or is_utf8_text(value) or (isinstance(value, float) and isfinite(value))


def _blame(schema: JsonSchema) -> None:
    """Raise for the first value that is not JSON, other than a text of `_TEXTS`."""
    queue: list[tuple[Keys, JsonValue]] = [((), schema)]
    for keys, value in queue:  # grows while it is read
        if isinstance(value, dict):
            for key, inner in value.items():
                if not is_utf8_text(key):
                    raise SchemaError(f"{key!r} cannot be a key of a JSON object", pointer_of(keys))
                queue.append(((*keys, key), inner))
        elif isinstance(value, list):
            queue += [((*keys, index), inner) for index, inner in enumerate(value)]
        elif not _is_scalar(value) and not (isinstance(value, str) and keys[-1] in _TEXTS):
            raise SchemaError(f"{_named(value)} is not a JSON value", pointer_of(keys))


def _named(value: object) -> str:
    if isinstance(value, float):
        return str(value)
    if isinstance(value, str):
        return "a text with a lone surrogate"
    if isinstance(value, int):
        return "an integer of more than 4,000 digits"
    return f"a {type(value).__name__}"


@lru_cache(maxsize=4096)
def _is_canonical(reference: str) -> bool:
    name = defined_name(reference)
    return name is not None and reference == reference_to(name)


def is_early(schema: JsonSchema, drafts: str = "3467") -> bool:
    """Return whether a schema is of draft 3 to 7, where a `$ref` replaces its siblings."""
    named = str(schema.get("$schema", ""))
    return any(f"draft-0{number}/" in named for number in drafts)
