"""What is odd in a schema as it was written, and what is made of it. Nothing is lost in silence.

A schema is normalized without a word, since hardly anybody asks; who does asks here, and the schema
is looked at again as it stood. What makes a keyword sound is the same table for both.
"""

from collections.abc import Iterator
from json import dumps
from typing import NamedTuple

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools._text import hidden_count, shortened, visible
from pyfunctools.note import Note, hidden_said
from pyfunctools.schema.ground.equality import equal
from pyfunctools.schema.ground.path import pointer_of
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.schema.normalization.clean import CLEAN, type_named
from pyfunctools.schema.normalization.slips import keyword_meant
from pyfunctools.schema.normalization.spelling import spell
from pyfunctools.schema.vocabulary import DRAFT, EXAMPLES, LISTED, NAMED, SINGLE


def notes_of(
    schema: JsonSchema | bool, pointer: str = "", *, siblings_ignored: bool = False
) -> Iterator[Note]:
    """Yield what is odd in a schema that was not normalized, references not followed.

    `pointer` is where the schema stands. With `siblings_ignored` its specification knows nothing
    beside a `$ref` (OpenAPI 3.0 and Swagger 2.0), where normalizing keeps what stands there.
    """
    for keys, inner in subschemas(schema):
        if isinstance(inner, dict):
            here = pointer + pointer_of(keys)
            for keyword, value in inner.items():
                for text in _oddities(keyword, value):
                    yield Note(text=text, pointer=f"{here}{pointer_of((keyword,))}")
            if siblings_ignored and isinstance(inner.get("$ref"), str) and _has_siblings(inner):
                yield Note(text=BESIDE, pointer=here)


BESIDE = "Other keywords stand beside `$ref`, where this version knows none; they count here."

_SILENT = DRAFT | EXAMPLES | {"$comment"}
"""Keywords that are dropped or rewritten for good, and say nothing about a value."""


class Oddity(NamedTuple):
    """A value that a keyword cannot have: what is wrong with it, and what is made of it."""

    wrong: str
    made: str


def unsound(keyword: str, value: JsonValue) -> Iterator[Oddity]:
    """Yield what is wrong with the value of one keyword, whatever the draft; see `CLEAN`."""
    if keyword == "type":
        yield from _types(value)
        return
    clean = CLEAN.get(keyword)
    if clean is None or value is None or keyword in _SILENT:
        return
    sound = clean(value)
    if sound is None:
        yield Oddity(f"`{keyword}` cannot be {_shown(value)}", "is left out")
    elif isinstance(value, dict | list):
        if keyword == "required" and isinstance(value, list):
            value = list(dict.fromkeys(map(str, value)))
        if sound is not value and not equal(sound, value):
            made = "is read without it"
            yield Oddity(f"`{keyword}` holds what cannot be meant there", made)
    elif not equal(sound, value) and not (isinstance(value, str) and sound == visible(value)):
        yield Oddity(f"`{keyword}` is {_shown(value)}", f"read as {_shown(sound)}")


def _oddities(keyword: str, value: JsonValue) -> Iterator[str]:
    yield from _hidden(keyword, value)
    if keyword == "required" and isinstance(value, bool):  # draft-03, and read as such
        return
    for wrong, made in unsound(keyword, value):
        yield f"{wrong}, and {made}."
    if (meant := keyword_meant(keyword)) is not None:
        yield f"`{keyword}` is no keyword, and says nothing; `{meant}` may have been meant."


def _hidden(keyword: str, value: JsonValue) -> Iterator[str]:
    if keyword in NAMED and isinstance(value, dict):
        if count := sum(map(hidden_count, value)):
            yield f"{hidden_said(count)} kept in names of `{keyword}`: they are others without."
    elif keyword in SINGLE or keyword in LISTED:
        return  # schemas, of which each is asked by itself
    elif count := _hidden_within(value):
        kept = _hidden_within([*spell({keyword: value}).values()])
        if kept:
            yield f"{hidden_said(kept)} kept in `{keyword}`: it is another value without."
        if count > kept:
            yield f"{hidden_said(count - kept)} left out of `{keyword}`."


def _types(value: JsonValue) -> Iterator[Oddity]:
    named = value if isinstance(value, list) else [value]
    for name in named:
        found = type_named(name)
        if found is None:
            yield Oddity(f"`type` cannot be {_shown(name)}", "is left out")
            return
        if isinstance(name, str) and found[0] != name:
            yield Oddity(f"`type` is {_shown(name)}", f"read as {_shown(found[0])}")


def _has_siblings(schema: JsonSchema) -> bool:
    return any(keyword != "$ref" and not keyword.startswith("x-") for keyword in schema)


def _hidden_within(value: JsonValue) -> int:
    count, todo = 0, [value]
    while todo:
        current = todo.pop()
        if isinstance(current, str):
            count += hidden_count(current)
        elif isinstance(current, list):
            todo += current
        elif isinstance(current, dict):
            count += sum(map(hidden_count, current))
            todo += current.values()
    return count


def _shown(value: JsonValue) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list" if value else "an empty list"
    return shortened(visible(dumps(value, ensure_ascii=False)), 60)
