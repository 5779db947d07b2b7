"""Mistakes in a schema as it was written: notes for a document, faults for a schema of the program.

`normalize` corrects a schema silently. Mistakes of a document are reported in notes (`notes_of`),
those of the program are errors (`faults_of`): the schema would accept too much.
"""

from collections.abc import Iterator
from functools import lru_cache
from json import dumps
from typing import NamedTuple

from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of
from pyfunctools._text import hidden_count, shortened, visible
from pyfunctools.note import Note, hidden_characters
from pyfunctools.schema.ground.did_you_mean import is_misspelled, letters_of, near_name
from pyfunctools.schema.ground.json_values import equal
from pyfunctools.schema.ground.path import pointer_of
from pyfunctools.schema.ground.references import find_target, steps_of
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.schema.normalization.clean import CLEAN, describe_form, known_type
from pyfunctools.schema.normalization.spelling import translate
from pyfunctools.schema.outline.json_types import ALL_TYPES, json_type, texts_of, types_named
from pyfunctools.schema.vocabulary import (
    DRAFT,
    EXAMPLES,
    IDENTITY,
    KEYWORDS,
    MAY_ADD_PROPERTIES,
    ONE_SCHEMA,
    REMARKS,
    SCHEMA_LIST,
    SCHEMA_MAP,
)


def notes_of(
    schema: JsonSchema | bool, pointer: str = "", *, siblings_ignored: bool = False
) -> Iterator[Note]:
    """Yield a note on each mistake in a schema as it was written, without following references.

    `pointer` is the place of the schema. `siblings_ignored` means that its specification ignores
    keywords beside a `$ref` (OpenAPI 3.0, Swagger 2.0); `normalize` does not.
    """
    for keys, inner in subschemas(schema):
        if isinstance(inner, dict):
            here = pointer + pointer_of(keys)
            for keyword, value in inner.items():
                for text in _hidden(keyword, value):
                    yield Note(text=text, pointer=f"{here}{pointer_of((keyword,))}")
            for fault in _faults_in(inner, here):
                if fault.remedy is not _LIFT:
                    yield Note(text=f"{fault.wrong}, and {fault.made}.", pointer=fault.pointer)
            beside = any(key != "$ref" and not key.startswith("x-") for key in inner)
            if siblings_ignored and isinstance(inner.get("$ref"), str) and beside:
                yield Note(text=SIBLINGS_NOTE, pointer=here)


SIBLINGS_NOTE = (
    "Other keywords stand beside `$ref`. This version of OpenAPI ignores them; here they apply."
)

_LIFT = "List the name in the `required` of the object that has the property."
"""The remedy for `required: true`, as in draft-03."""
_SILENT = DRAFT | EXAMPLES | {"$comment"}
"""Keywords whose corrections are not reported, since they constrain nothing."""


class Fault(NamedTuple):
    """A mistake in a schema: its place as a JSON Pointer, the mistake, and what to write.

    `made` is what a schema of a document is read as.
    """

    pointer: str
    wrong: str
    remedy: str
    made: str = ""


def _faults_in(schema: JsonSchema, pointer: str) -> Iterator[Fault]:
    """Yield the mistakes in a schema itself that are mistakes in every draft."""
    for keyword, value in schema.items():
        yield from _faults_of(keyword, value, pointer + pointer_of((keyword,)))
    yield from _unsatisfiable(schema, pointer)


def _faults_of(keyword: str, value: JsonValue, at: str) -> Iterator[Fault]:
    if keyword == "type":
        yield from _type_faults(value, at)
    if (meant := keyword_meant(keyword)) is not None:
        wrong = f"`{_cut(keyword)}` is no keyword of JSON Schema"
        yield Fault(at, wrong, f"Write `{meant}`.", f"has no effect; `{meant}` may have been meant")
    clean = CLEAN.get(keyword)
    if clean is None or value is None or keyword in _SILENT:
        return
    corrected, remedy = clean(value), f"Write {describe_form(keyword)}."
    if corrected is None:
        remedy = _LIFT if keyword == "required" and isinstance(value, bool) else remedy
        yield Fault(at, f"`{keyword}` cannot be {_quoted(value)}", remedy, "is left out")
    elif isinstance(value, dict | list):
        if keyword == "required" and isinstance(value, list):
            value = list(dict.fromkeys(map(str, value)))
        if not equal(corrected, value):
            wrong = f"`{keyword}` contains an invalid element"
            yield Fault(at, wrong, remedy, "is read without it")
    elif not equal(corrected, value) and not (
        isinstance(value, str) and corrected == visible(value)
    ):
        made = f"read as {_quoted(corrected)}"
        yield Fault(at, f"`{keyword}` is {_quoted(value)}", remedy, made)


def _hidden(keyword: str, value: JsonValue) -> Iterator[str]:
    if keyword in SCHEMA_MAP and isinstance(value, dict):
        if count := sum(map(hidden_count, value)):
            left = hidden_characters(count)
            yield f"{left} kept in names of `{keyword}`, as a part of the names."
    elif keyword in ONE_SCHEMA or keyword in SCHEMA_LIST:
        return  # `notes_of` looks at each subschema
    elif count := _hidden_within(value):
        kept = _hidden_within([*translate({keyword: value}).values()])
        if kept:
            yield f"{hidden_characters(kept)} kept in `{keyword}`, as a part of the value."
        if count > kept:
            yield f"{hidden_characters(count - kept)} left out of `{keyword}`."


def _type_faults(value: JsonValue, at: str) -> Iterator[Fault]:
    for name in value if isinstance(value, list) else [value]:
        found = known_type(name)
        if found is None:
            near = near_name(name, sorted(ALL_TYPES)) if isinstance(name, str) else None
            known = f"Write one of {', '.join(sorted(ALL_TYPES))}, or a list of them."
            remedy = f'Write "{near}".' if near else known
            yield Fault(at, f"`type` cannot be {_quoted(name)}", remedy, "is left out")
            return
        if isinstance(name, str) and found[0] != name:
            made = f"read as {_quoted(found[0])}"
            yield Fault(at, f"`type` is {_quoted(name)}", f'Write "{found[0]}".', made)


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


def _quoted(value: JsonValue) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list" if value else "an empty list"
    return shortened(visible(dumps(value, ensure_ascii=False)), 60)


_UNREPORTED = DRAFT | REMARKS | IDENTITY - SCHEMA_MAP | {"x-nullable"}
_REPORTED = sorted(KEYWORDS.keys() - _UNREPORTED)
"""Keywords whose misspelling is reported."""
_SHORT = {"max": "maximum", "min": "minimum"}
_BY_LETTERS = {letters_of(keyword): keyword for keyword in reversed(_REPORTED)} | _SHORT
_SHORTEST = 4
"""Letters of the shortest keyword that is found for a misspelled word: `note` is not `not`."""


@lru_cache(maxsize=4096)
def keyword_meant(word: str) -> str | None:
    """Return the keyword that a misspelled word probably means, or `None`.

    Case, `_`, `-` and `$` are ignored (`min_length`). About one letter in four may be wrong, and
    one be missing or added (`propertys`): `enumNames` is no misspelled word.
    """
    if word in KEYWORDS or word.startswith("x-") or len(word) > 64:
        return None
    letters = letters_of(word)
    if letters in _BY_LETTERS:
        return _BY_LETTERS[letters]
    size = len(letters)
    near = [each for each in _BY_LETTERS if len(each) >= _SHORTEST and abs(len(each) - size) <= 1]
    meant = near_name(letters, near)
    return _BY_LETTERS[meant] if meant and is_misspelled(letters, meant) else None


_ID = frozenset({"$id", "id"})
"""Keywords that change the base URI of references."""
_KNOWN = "json-schema.org/"
"""The address of the schemas of JSON Schema, which the validator contains."""


def faults_of(schema: JsonSchema | bool, *, closed: bool = False) -> Iterator[Fault]:
    """Yield every mistake in a schema as it was written, in document order.

    Mistakes are a value that is invalid in every draft, a misspelled keyword, a `$ref` without a
    target, a listed value of another type, and a required name that a closed object does not
    declare. Other unknown keywords are allowed. `closed` means that the root object accepts only
    its declared properties.
    """
    places = [(keys, inner) for keys, inner in subschemas(schema) if isinstance(inner, dict)]
    single = all(_ID.isdisjoint(inner) for _, inner in places)
    for keys, inner in places:
        yield from _faults_in(inner, pointer_of(keys))
        if single and isinstance(reference := inner.get("$ref"), str):
            yield from _dangling(schema, reference, pointer_of((*keys, "$ref")))
        is_closed = inner.get("additionalProperties") is False and "patternProperties" not in inner
        if is_closed or (closed and not keys and MAY_ADD_PROPERTIES.isdisjoint(inner)):
            yield from _undeclared(inner, pointer_of((*keys, "required")))


def _dangling(root: JsonValue, reference: str, at: str) -> Iterator[Fault]:
    """Yield the fault of a reference without a target, or with one outside the schema."""
    steps = steps_of(reference)
    if steps is None:
        if not reference.startswith("#") and _KNOWN not in reference:
            wrong = f"`$ref` leads out of the schema, to `{_cut(reference)}`"
            yield Fault(at, wrong, "Nothing is fetched: put its target into `$defs`.")
        return
    if find_target(root, reference) is None:
        wrong = f"`$ref` leads nowhere: there is no `{_cut(reference)}`"
        parent = reference.rpartition("/")[0]
        near = near_name(str(steps[-1]), members_of(find_target(root, parent))) if steps else None
        meant = f"Write `{_cut(parent)}/{_cut(near)}`" if near else "Define it in `$defs`"
        yield Fault(at, wrong, f"{meant}.")


def _unsatisfiable(schema: JsonSchema, pointer: str) -> Iterator[Fault]:
    """Yield the fault of listed values that have another type than the schema allows."""
    listed = {"enum": schema.get("enum")}
    if "const" in schema:
        listed["const"] = [schema["const"]]
    types = {*(types_named(schema) or ALL_TYPES), "null"}
    types |= {"integer"} if "number" in types else set()
    for keyword, values in listed.items():
        wrong = [each for each in items_of(values) if json_type(each) not in types]
        if wrong and types <= ALL_TYPES:
            shown = _cut(dumps(wrong[0], ensure_ascii=False, default=str))
            reason = f"`{keyword}` lists {shown}, which `type` does not allow"
            remedy, made = "Correct the value, or the type.", "no call with that value is valid"
            yield Fault(pointer + pointer_of((keyword,)), reason, remedy, made)


def _undeclared(schema: JsonSchema, at: str) -> Iterator[Fault]:
    properties = members_of(schema.get("properties"))
    for name in texts_of(schema.get("required")):
        if name not in properties:
            wrong = f'`required` names "{_cut(name)}", which is no property of this closed object'
            near = near_name(name, properties)
            meant = f'Write "{_cut(near)}"' if near else "Declare it in `properties`"
            yield Fault(at, wrong, f"{meant}.")


def _cut(text: str) -> str:
    return shortened(visible(text), 60)
