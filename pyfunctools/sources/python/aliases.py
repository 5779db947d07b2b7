"""Names that pydantic reads and the JSON Schema does not list: whose they are, and what of them.

The generator writes them beside the properties of each class (`UNLISTED`). From there `told` takes
them out: where the field is the human's, its other names are too. `renamed` sees to it that what
pydantic is handed has declared names only.

The generator writes beside an array that it is a set, too: JSON Schema says `uniqueItems` of sets
and of some lists. A set that a model filled twice is the same set. A list in which nothing may
stand twice may have been meant otherwise, so for one such list in a function nothing is taken for
a set.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Final, cast

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.schema.ground.path import Keys, Path, value_at
from pyfunctools.schema.ground.references import resolve
from pyfunctools.schema.ground.walk import children, map_children, subschemas
from pyfunctools.schema.separation.predicates import is_human_by_default
from pyfunctools.schema.vocabulary import COMPOSITION

if TYPE_CHECKING:  # it imports pydantic at once
    from pyfunctools.sources.python.core import ReadClass

UNLISTED: Final = "x-pyfunctools-names"
"""The keyword: names that are read, with the declared one; null where none may be given."""


def has_unlisted(schema: JsonSchema) -> bool:
    """Return whether pydantic reads anything under a name that is not listed."""
    return any(isinstance(each, dict) and UNLISTED in each for _, each in subschemas(schema))


def told(schema: JsonSchema) -> JsonSchema:
    """Return a schema as a function has it, its unlisted names the human's or not told at all.

    A name of a field with a part of the human's becomes a pattern of the human's that takes no
    value: whoever gives one is told, and it is in no schema of the model's.
    """

    def visit(_: Keys, inner: JsonSchema | bool) -> JsonSchema | bool:
        return _told(schema, map_children(inner, visit)) if isinstance(inner, dict) else inner

    return _told(schema, map_children(schema, visit))


def _told(root: JsonSchema, schema: JsonSchema) -> JsonSchema:
    names = schema.get(UNLISTED)
    if not isinstance(names, dict):
        return schema
    listed = cast("JsonObject", schema.get("properties") or {})
    human = sorted(
        name
        for name, key in names.items()
        if name not in listed and key in listed and _is_touched(root, str(key), listed)
    )
    result = {key: value for key, value in schema.items() if key != UNLISTED}
    if human:
        patterns = cast("JsonObject", schema.get("patternProperties") or {})
        pattern = f"^(?:{'|'.join(map(_escaped, human))})$"
        result["patternProperties"] = {**patterns, pattern: {"x-human": True, "not": {}}}
    return result


def owned(document: JsonObject, classes: "Collection[ReadClass]") -> JsonObject:
    """Return a document in which other names of a person's field are the person's too.

    The document is an application's own, which reads these classes itself. They are found among its
    schemas by their declared names.
    """
    found = value_at(document, ("components", "schemas")) if classes else None
    if found is None or not isinstance(found[0], dict):
        return document
    schemas, changed = found[0], dict[str, JsonValue]()
    for title, schema in schemas.items():
        if not isinstance(schema, dict):
            continue
        listed = cast("JsonObject", schema.get("properties") or {})
        for one in classes:
            if listed and listed.keys() <= one.declared and one.declared <= {*listed, *one.names}:
                noted = {**cast("JsonObject", changed.get(title, schema)), UNLISTED: one.names}
                changed[title] = _shared(document, _told(document, noted), one)
    components = cast("JsonObject", document["components"])
    return {**document, "components": {**components, "schemas": {**schemas, **changed}}}


def _shared(root: JsonSchema, schema: JsonSchema, one: "ReadClass") -> JsonSchema:
    """Return a schema whose properties are the person's where one of theirs is read from them."""
    listed = cast("JsonObject", schema["properties"])
    theirs = [
        name
        for name, key in one.names.items()
        if name in listed and key in listed and _is_touched(root, str(key), listed)
    ]
    if not theirs:
        return schema
    marked = {name: {"allOf": [listed[name]], "x-human": True} for name in theirs}
    return {**schema, "properties": {**listed, **marked}}


def _is_touched(root: JsonSchema, key: str, listed: JsonObject) -> bool:
    """Return whether a property is the human's, or has a part of theirs below it."""
    stack = [(key, cast("JsonSchema | bool", listed[key]))]
    seen: set[int] = set()
    while stack:
        name, schema = stack.pop()
        whole = resolve(root, schema)
        if not isinstance(whole, dict) or id(whole) in seen:
            continue
        seen.add(id(whole))
        beside = schema if isinstance(schema, dict) else {}
        if is_human_by_default(Path.of((name,)), {**whole, **beside}):
            return True
        stack += [(str(steps[-1]), inner) for steps, inner in children(whole)]
    return False


def _escaped(name: str) -> str:
    return "".join(f"\\{each}" if each in r"\.^$|?*+()[]{}/" else each for each in name)


class Renamed:
    """A value with declared names only; `refused` are the places of names that nobody may give."""

    def __init__(self, schema: JsonSchema, value: JsonValue, *, renames: bool) -> None:
        self.refused: list[Keys] = []
        self._renames = renames
        self._root = schema
        self.value = self._at([schema], value, ())

    def _at(self, schemas: Iterable[object], value: JsonValue, keys: Keys) -> JsonValue:
        if not isinstance(value, dict | list):
            return value
        places = opened(self._root, schemas)
        if isinstance(value, list):
            return [self._at(items_at(places, n), each, (*keys, n)) for n, each in enumerate(value)]
        listed = [cast("JsonObject", each.get("properties") or {}) for each in places]
        names = {
            name: key
            for each in places
            for name, key in cast("JsonObject", each.get(UNLISTED) or {}).items()
            if not any(name in properties for properties in listed)
        }
        result: dict[str, JsonValue] = {}
        for key, inner in value.items():
            now = names.get(key, key)
            if key in names and (now is None or now in value or not self._renames):
                self.refused.append((*keys, key))
            else:
                below = _property(places, str(now))
                result[str(now)] = self._at(below, inner, (*keys, str(now)))
        return result


def opened(root: JsonSchema, schemas: Iterable[object]) -> tuple[JsonSchema, ...]:
    """Return these schemas and what holds at the same place by them: references and branches."""
    stack, found = list(schemas), dict[int, JsonSchema]()
    while stack:
        held = stack.pop()
        if not isinstance(held, dict) or id(cast("object", held)) in found:
            continue
        one = cast("JsonSchema", held)
        found[id(one)] = one  # what stands beside a reference holds too
        whole = resolve(root, one)
        if isinstance(whole, dict):
            found[id(whole)] = whole
            for keyword in COMPOSITION:
                stack += cast("list[object]", whole.get(keyword) or [])
    return tuple(found.values())


def items_at(places: Iterable[JsonSchema], number: int) -> list[object]:
    """Return the schemas that these schemas of a list have for its item of this number."""
    found: list[object] = []
    for place in places:
        listed = place.get("prefixItems")
        if isinstance(listed, list) and number < len(listed):
            found.append(listed[number])
        elif "items" in place:
            found.append(place["items"])
    return found


def _property(places: Iterable[JsonSchema], key: str) -> Iterator[object]:
    for each in places:
        properties = cast("JsonObject", each.get("properties") or {})
        if key in properties:
            yield properties[key]
        else:
            yield from cast("JsonObject", each.get("patternProperties") or {}).values()
            if isinstance(rest := each.get("additionalProperties"), dict):
                yield rest


SET = "x-pyfunctools-set"
"""What the generator writes beside the `uniqueItems` of a set, until `only_sets` takes it out."""


def only_sets(schema: JsonSchema) -> bool:
    """Return whether every array of `uniqueItems` is a set, and take what says so out of it."""
    only = True
    for _, inner in subschemas(schema):
        if isinstance(inner, dict):
            is_set = inner.pop(SET, None) is not None
            only = only and (is_set or inner.get("uniqueItems") is not True)
    return only
