"""What is read as a schema at all: JSON values, not too deep and not too many."""

from collections import deque
from collections.abc import Collection, Iterable
from functools import lru_cache
from math import isfinite
from typing import NamedTuple

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.json_values import MAX_SCHEMA_DEPTH, is_utf8_text
from pyfunctools.schema.ground.path import Keys, pointer_of
from pyfunctools.schema.ground.references import defined_name, reference_to
from pyfunctools.schema.vocabulary import DYNAMIC_REFERENCES, IDENTITY

_TEXTS = frozenset({"description", "title"})
"""What is cleaned when it is read: a lone surrogate in it does no harm."""

_FEW = 10_000
"""Values that are no reason to look at the limit, whose file most schemas never need."""

_HUGE = 10**4000
"""Python itself writes no integer of more than 4,300 digits (`sys.int_info`)."""


class Contents(NamedTuple):
    """What stands anywhere in a schema: its keys (but for the root's `$defs`) and its `$ref`s.

    Anywhere: a key may be a property's name, and a reference part of an example.
    """

    keys: frozenset[str]
    references: frozenset[str]


def check_schema(schema: JsonSchema) -> Contents:
    """Return the keys and references of a schema, having made sure that it can be read.

    A Python object counts as often as it stands there, as it would in JSON text.

    Raises:
        SchemaError: it is no object, holds what is not JSON (a set, a tuple, `NaN`, a key that is
            no text, a lone surrogate), is nested too deep or holds too much. A Python object that
            contains itself is one of the two.
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
            held = _held(container)
            count += len(held)
            sound &= _inspect(held, below)
        if count > _FEW and count > (most := _most()):
            raise SchemaError(f"the schema holds more than {most} values")
        if not below:
            break
        level = below
    else:
        raise SchemaError(f"the schema is nested more than {MAX_SCHEMA_DEPTH} deep")
    if not (sound and all(map(is_utf8_text, keys))):
        _blame(schema)
    return Contents(frozenset(keys), frozenset(references))


def _most() -> int:
    from pyfunctools.limits import DEFAULT_LIMITS

    return DEFAULT_LIMITS.document_nodes


def _held(container: JsonValue) -> Collection[JsonValue]:
    if isinstance(container, dict):
        return container.values()
    return container if isinstance(container, list) else ()


def _inspect(values: Iterable[JsonValue], below: list[JsonValue]) -> bool:
    """Add the objects and arrays among these to `below`, and say whether the rest is JSON.

    The order of the questions is that of how often the answer is yes: this runs for all there is.
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
    """Raise for the first value that is not JSON; a text to be cleaned is passed over."""
    queue: deque[tuple[Keys, JsonValue]] = deque([((), schema)])
    while queue:
        keys, value = queue.popleft()
        if isinstance(value, dict):
            for key, inner in value.items():
                if not is_utf8_text(key):
                    raise SchemaError(f"{key!r} is no key of a JSON object", pointer_of(keys))
                queue.append(((*keys, key), inner))
        elif isinstance(value, list):
            queue.extend(((*keys, index), inner) for index, inner in enumerate(value))
        elif not _is_scalar(value) and not (isinstance(value, str) and keys[-1] in _TEXTS):
            raise SchemaError(f"{_shown(value)} is no JSON value", pointer_of(keys))


def _shown(value: object) -> str:
    if isinstance(value, float):
        return str(value)
    if isinstance(value, str):
        return "a text with a lone surrogate"
    if isinstance(value, int):
        return "an integer of more than 4,000 digits"
    return f"a {type(value).__name__}"


_PLACES = (IDENTITY | DYNAMIC_REFERENCES) - {"id"}
"""Keywords that name a place in a schema, or lead to one by another name than `$ref`."""


def is_bundled(contents: Contents) -> bool:
    """Return whether a schema of these contents names no places but the definitions at its root."""
    return _PLACES.isdisjoint(contents.keys) and all(map(_is_plain, contents.references))


@lru_cache(maxsize=4096)
def _is_plain(reference: str) -> bool:
    name = defined_name(reference)
    return name is not None and reference == reference_to(name)


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
