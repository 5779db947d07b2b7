"""Names that pydantic reads and the JSON Schema does not list: their owner, and their removal.

The generator writes them beside the properties of each class (`UNLISTED`). `with_owners` replaces
that keyword: if a field is human, its other names are human too. `with_declared_names` renames
them in a value, so that pydantic reads declared names only.

Example: the field `number` of the class `Card`, marked as human, is read from `cardNumber` (listed)
and from `number` (not listed). The schema of `Card` becomes

    {"properties": {"cardNumber": {"type": "string", "x-human": true}},
     "patternProperties": {"^(?:number)$": {"x-human": true, "not": {}}}}

so that a `number` that the model writes is dropped like any other human value.
"""

from collections.abc import Collection, Mapping, Set
from typing import TYPE_CHECKING, Final, cast

from pyfunctools._json import JsonObject, JsonSchema, JsonValue, members_of
from pyfunctools.schema.ground.path import Keys, value_at
from pyfunctools.schema.ground.walk import map_subschemas
from pyfunctools.schema.separation.graph import Graph
from pyfunctools.schema.separation.predicates import is_human_by_default
from pyfunctools.schema.vocabulary import UNDECLARED

if TYPE_CHECKING:  # loaded when a class has such names
    from pyfunctools.schema.outline.outline import Outline, Place

UNLISTED: Final = "x-pyfunctools-names"
"""The keyword, and the key in pydantic's metadata: a mapping from each name that is read and not
listed to the declared name of its field, or to null if no value is accepted."""


def with_owners(schema: JsonSchema) -> JsonSchema:
    """Return a schema without `UNLISTED`, in which the other names of human fields are human.

    They become a pattern that accepts no value: a person cannot use these names, and the model's
    schema does not have them.
    """
    return map_subschemas(schema, lambda inner: _with_owners(schema, inner))


def _with_owners(root: JsonSchema, schema: JsonSchema) -> dict[str, JsonValue]:
    listed = members_of(schema.get("properties"))
    human = {
        name
        for name, declared in members_of(schema.get(UNLISTED)).items()
        if declared in listed and _has_human_part(root, str(declared), listed)
    }
    result = {key: value for key, value in schema.items() if key != UNLISTED}
    if shared := human & listed.keys():
        marked = {name: {"allOf": [listed[name]], "x-human": True} for name in shared}
        result["properties"] = {**listed, **marked}
    if hidden := sorted(human - listed.keys()):
        pattern = f"^(?:{'|'.join(map(_escaped, hidden))})$"
        patterns = members_of(schema.get("patternProperties"))
        result["patternProperties"] = {**patterns, pattern: {"x-human": True, "not": {}}}
    return result


def _has_human_part(root: JsonSchema, key: str, listed: JsonObject) -> bool:
    """Return whether a property or any part of it is human; `root` has the definitions."""
    below = {name: root[name] for name in ("$defs", "components") if name in root}
    schema = {**below, "properties": {key: listed[key]}}
    return Graph(schema, is_human_by_default).root.touched


def _escaped(name: str) -> str:
    return "".join(f"\\{each}" if each in r"\.^$|?*+()[]{}/" else each for each in name)


def document_with_owners(
    document: JsonObject, classes: Collection[tuple[Set[str], Mapping[str, str | None]]]
) -> JsonObject:
    """Return an application's document in which the other names of human fields are human.

    The application reads these classes itself: each has its declared names and its other names,
    with their declared ones. Its schema is found by the declared names. Another name that is also a
    declared property becomes human as well.
    """
    found = value_at(document, ("components", "schemas")) if classes else None
    if found is None or not isinstance(found[0], dict):
        return document
    schemas = dict(found[0])
    for title, schema in found[0].items():
        listed = members_of(members_of(schema).get("properties"))
        for declared, others in classes:
            if listed and listed.keys() <= declared <= {*listed, *others}:
                noted = {**members_of(schemas[title]), UNLISTED: others}
                schemas[title] = _with_owners(document, noted)
    components = cast("JsonObject", document["components"])
    return {**document, "components": {**components, "schemas": schemas}}


def with_declared_names(
    outline: "Outline", value: JsonValue, *, renames: bool
) -> tuple[JsonValue, list[Keys]]:
    """Return a value with declared names only, and the places of names that are refused.

    A name is refused if the value has the declared name too, if the name has no declared name, or
    if `renames` is false. The schema of the `outline` has `UNLISTED`.
    """
    from pyfunctools.schema.outline.outline import MOST_PARTS  # loaded with the outline

    refused: list[Keys] = []

    def renamed(place: "Place", value: JsonValue, keys: Keys) -> JsonValue:
        if isinstance(value, list):
            return [renamed(place.inside(n).possible, v, (*keys, n)) for n, v in enumerate(value)]
        if not isinstance(value, dict):
            return value
        if len(place.parts) >= MOST_PARTS:  # there may be more, with names of their own
            refused.append(keys)
        listed = {name for part in place.parts for name in part.declared}
        names = {
            name: declared
            for part in place.parts
            for name, declared in members_of(part.rules.get(UNLISTED)).items()
            if name not in listed
        }
        result: dict[str, JsonValue] = {}
        for key, inner in value.items():
            declared = names.get(key, key)
            if key in names and (declared is None or declared in value or not renames):
                refused.append((*keys, key))
            else:
                name = str(declared)
                below = place.inside(name) if name in listed else under(place, *OF_VALUES)
                result[name] = renamed(below.possible, inner, (*keys, name))
        return result

    return renamed(outline.place.possible, value, ()), refused


OF_VALUES: Final = tuple(sorted(UNDECLARED))
"""Keywords of the properties that are not declared; a pattern may not be decidable here."""


def under(place: "Place", *keywords: str) -> "Place":
    """Return the place of all schemas under these keywords of a place."""
    found = [part.below(keyword) for part in place.parts for keyword in keywords]
    found += [
        part.below("patternProperties", pattern)
        for part in (place.parts if "patternProperties" in keywords else ())
        for pattern in members_of(part.rules.get("patternProperties"))
    ]
    return place.outline.place_of(tuple(part for part in found if part is not None))
