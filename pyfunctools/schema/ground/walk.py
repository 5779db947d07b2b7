"""A schema walked down: its subschemas, by what the vocabulary says of each keyword."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.vocabulary import ONE_SCHEMA, SCHEMA_LIST, SCHEMA_MAP

_SCHEMA = (dict, bool)  # a union would be made anew for each question


def is_schema(value: object) -> bool:
    """Return whether this can be a schema at all: an object or a boolean."""
    return isinstance(value, _SCHEMA)


def children(schema: JsonSchema) -> Iterator[tuple[Keys, JsonSchema | bool]]:
    """Yield each subschema one level below, with the steps that lead to it.

    What stands where a schema belongs and is not one (a text, a number) is passed over.
    """
    for keyword, value in schema.items():
        if keyword in SCHEMA_MAP and isinstance(value, dict):
            for name, inner in value.items():
                if isinstance(inner, dict | bool):
                    yield (keyword, name), inner
        elif keyword in SCHEMA_LIST and isinstance(value, list):
            for index, inner in enumerate(value):
                if isinstance(inner, dict | bool):
                    yield (keyword, index), inner
        elif keyword in ONE_SCHEMA and isinstance(value, dict | bool):
            yield (keyword,), value


@dataclass(slots=True)
class Slot:
    """Where a subschema stands in a copy of a schema, for another one to be put there.

    `steps` lead there from the schema one level above; the root has none.
    """

    holder: dict[str, JsonValue] | list[JsonValue]
    key: str | int
    inner: JsonSchema | bool
    steps: Keys = ()

    def put(self, schema: JsonSchema | bool) -> None:
        """Put this schema here."""
        if isinstance(self.holder, dict):
            self.holder[str(self.key)] = schema
        else:
            self.holder[int(self.key)] = schema


def copy_with_slots(schema: JsonSchema) -> tuple[dict[str, JsonValue], list[Slot]]:
    """Return a copy of a schema, and the places of the subschemas one level below in it.

    What stands there is still the original's; to put something else there changes only the copy.
    A walk that needs no stack frames keeps a list of these places.
    """
    copy = dict(schema)
    places: list[Slot] = []
    for keyword, value in schema.items():  # as `children` does, which would be slower
        if keyword in SCHEMA_MAP and isinstance(value, dict):
            copy[keyword] = named = dict(value)
            for name, inner in value.items():
                if isinstance(inner, dict | bool):
                    places.append(Slot(named, name, inner, (keyword, name)))
        elif keyword in SCHEMA_LIST and isinstance(value, list):
            copy[keyword] = listed = list(value)
            for index, inner in enumerate(value):
                if isinstance(inner, dict | bool):
                    places.append(Slot(listed, index, inner, (keyword, index)))
        elif keyword in ONE_SCHEMA and isinstance(value, dict | bool):
            places.append(Slot(copy, keyword, value, (keyword,)))
    return copy, places


def map_children(
    schema: JsonSchema, visit: Callable[[Keys, JsonSchema | bool], JsonSchema | bool]
) -> dict[str, JsonValue]:
    """Return a copy in which each subschema one level below is replaced by `visit`'s result.

    `visit` takes the steps to a subschema, and the subschema. The copy shares everything else with
    the original. To go deeper, `visit` calls `map_children` again (two stack frames a level).
    """
    copy, places = copy_with_slots(schema)
    for place in places:
        place.put(visit(place.steps, place.inner))
    return copy


def map_subschemas(
    schema: JsonSchema, change: Callable[[JsonSchema], dict[str, JsonValue]]
) -> dict[str, JsonValue]:
    """Return a copy in which every schema is what `change` makes of it; needs no stack."""
    whole: dict[str, JsonValue] = {}
    todo = [Slot(whole, "", schema)]
    while todo:
        place = todo.pop()
        if isinstance(place.inner, dict):
            copy, places = copy_with_slots(change(place.inner))
            place.put(copy)
            todo.extend(places)
    result = whole[""]
    return result if isinstance(result, dict) else {}


def subschemas(schema: JsonSchema | bool) -> Iterator[tuple[Keys, JsonSchema | bool]]:
    """Yield this schema and every subschema below it, in document order, references not
    followed.
    """
    stack: list[tuple[Keys, JsonSchema | bool]] = [((), schema)]
    while stack:
        keys, current = stack.pop()
        yield keys, current
        if isinstance(current, dict):
            below = [((*keys, *steps), inner) for steps, inner in children(current)]
            stack.extend(reversed(below))
