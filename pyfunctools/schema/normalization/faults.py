"""What is wrong with a schema that its author is there to mend: each fault with its remedy.

A document is somebody else's, so what is odd in it is left out and noted (`notes`). A schema that
is written in the program is the program's own, and the same oddities are mistakes there: left out
in silence, a misspelled `required` or a pattern that cannot be read holds nobody to anything.
"""

from collections.abc import Iterator
from typing import NamedTuple

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools._text import shortened, visible
from pyfunctools.schema.ground.did_you_mean import near_name
from pyfunctools.schema.ground.path import Keys, pointer_of
from pyfunctools.schema.ground.references import lookup, steps_of
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.schema.normalization.clean import TYPES, form_of, type_named
from pyfunctools.schema.normalization.oddities import unsound
from pyfunctools.schema.normalization.slips import keyword_meant
from pyfunctools.schema.vocabulary import IN_PLACE, MENTIONS, SEES_SIBLINGS, UNNAMED, judging


class Fault(NamedTuple):
    """One mistake in a schema: its place as a JSON Pointer, what is wrong, what to write."""

    pointer: str
    wrong: str
    remedy: str


OPEN = (IN_PLACE - MENTIONS - judging("object")) | UNNAMED | SEES_SIBLINGS | {"$ref", "if"}
"""Keywords beside which an object is left as it is written: they may allow what it lacks."""

_ID = frozenset({"$id", "id"})
"""Keywords that give a part of a schema an address of its own."""
_KNOWN = "json-schema.org/"
"""Where the schemas of JSON Schema itself are, which the validator has."""


def faults_of(schema: JsonSchema | bool, *, closed: bool = False) -> Iterator[Fault]:
    """Yield every mistake in a schema as it was written, in the order of its places.

    That is a value that a keyword cannot have in any draft, a word that is no keyword but nearly
    one, a `$ref` into the schema that leads nowhere, and a required name that a closed object has
    no property for. Words that resemble no keyword are anybody's remarks, and no mistakes. With
    `closed` the schema's own object takes no other names than its properties.
    """
    places = list(subschemas(schema))
    single = all(not isinstance(inner, dict) or _ID.isdisjoint(inner) for _, inner in places)
    for keys, inner in places:
        if not isinstance(inner, dict):
            continue
        for keyword, value in inner.items():
            for wrong, remedy in _faults(keyword, value):
                yield Fault(pointer_of((*keys, keyword)), wrong, remedy)
        if single and isinstance(reference := inner.get("$ref"), str):
            yield from _dangling(schema, reference, (*keys, "$ref"))
        if (closed and not keys and OPEN.isdisjoint(inner)) or _is_closed(inner):
            yield from _impossible(inner, (*keys, "required"))


def _faults(keyword: str, value: JsonValue) -> Iterator[tuple[str, str]]:
    if keyword == "required" and isinstance(value, bool):
        remedy = "List the name in the `required` of the object that has the property."
        yield f"`required` cannot be {str(value).lower()}", remedy
        return
    for odd in unsound(keyword, value):
        yield odd.wrong, _remedy(keyword, value)
    if (meant := keyword_meant(keyword)) is not None:
        yield f"`{_said(keyword)}` is no keyword of JSON Schema", f"Write `{meant}`."


def _remedy(keyword: str, value: JsonValue) -> str:
    if keyword != "type":
        return f"Write {form_of(keyword)}."
    for name in value if isinstance(value, list) else [value]:
        found = type_named(name)
        if found is not None and found[0] != name:
            return f'Write "{found[0]}".'
        if found is None and isinstance(name, str) and (near := near_name(name, sorted(TYPES))):
            return f'Write "{near}".'
    return f"Write one of {', '.join(sorted(TYPES))}, or a list of them."


def _dangling(root: JsonValue, reference: str, keys: Keys) -> Iterator[Fault]:
    """Yield the fault of a reference that leads nowhere, or out of this schema."""
    steps = steps_of(reference)
    if steps is None:
        if not reference.startswith("#") and _KNOWN not in reference:
            wrong = f"`$ref` leads out of the schema, to `{_said(reference)}`"
            yield Fault(
                pointer_of(keys), wrong, "Nothing is fetched: put what it means into `$defs`."
            )
        return
    try:
        lookup(root, reference)
    except LookupError:
        wrong = f"`$ref` leads nowhere: there is no `{_said(reference)}`"
        try:
            beside = lookup(root, reference.rpartition("/")[0])
        except LookupError:
            beside = None
        names = list(beside) if isinstance(beside, dict) else []
        near = near_name(str(steps[-1]), names) if steps else None
        meant = f"Write `{_said(reference.rpartition('/')[0])}/{_said(near)}`" if near else None
        yield Fault(pointer_of(keys), wrong, f"{meant or 'Define it in `$defs`'}.")


def _is_closed(schema: JsonSchema) -> bool:
    return schema.get("additionalProperties") is False and "patternProperties" not in schema


def _impossible(schema: JsonSchema, keys: Keys) -> Iterator[Fault]:
    """Yield the names that an object has to have and cannot have."""
    required, properties = schema.get("required"), schema.get("properties", {})
    if not isinstance(required, list) or not isinstance(properties, dict):
        return
    for name in required:
        if isinstance(name, str) and name not in properties:
            wrong = f'`required` names "{_said(name)}", which is no property of this closed object'
            near = near_name(name, properties)
            meant = f'Write "{_said(near)}"' if near else "Declare it in `properties`"
            yield Fault(pointer_of(keys), wrong, f"{meant}.")


def _said(text: str) -> str:
    return shortened(visible(text), 60)
