from copy import deepcopy
from typing import Any

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.walk import (
    children,
    copy_with_slots,
    map_children,
    map_subschemas,
    subschemas,
)
from pyfunctools.schema.vocabulary import ONE_SCHEMA, SCHEMA_LIST, SCHEMA_MAP

EVERY: dict[str, Any] = {
    **{keyword: {"title": keyword} for keyword in ONE_SCHEMA},
    **{keyword: [{"title": keyword}, False] for keyword in SCHEMA_LIST},
    **{keyword: {"a": {"title": keyword}, "b": ["c"]} for keyword in SCHEMA_MAP},
    "properties": {"a": {"title": "properties"}, "properties": {"title": "named properties"}},
}
NOT_SCHEMAS: JsonSchema = {
    "const": {"type": "integer"},
    "enum": [{"type": "integer"}],
    "default": {"items": {}},
    "examples": [{"not": {}}],
    "x-anything": {"properties": {"a": {}}},
    "discriminator": {"propertyName": "kind", "mapping": {"a": "#/$defs/A"}},
    "items": "integer",
    "properties": ["a"],
    "allOf": {"type": "integer"},
    "required": ["a"],
}


def titles(schema: JsonSchema) -> list[JsonValue]:
    return [inner["title"] for _, inner in children(schema) if isinstance(inner, dict)]


def test_every_keyword_that_holds_subschemas_is_walked():
    assert set(titles(EVERY)) == {*(EVERY.keys()), "named properties"}
    assert (("anyOf", 1), False) in list(children(EVERY))
    assert (("properties", "properties"), {"title": "named properties"}) in list(children(EVERY))


def test_other_values_are_skipped():
    assert list(children(NOT_SCHEMAS)) == []
    assert copy_with_slots(NOT_SCHEMAS) == (NOT_SCHEMAS, [])


def test_map_children_copies_what_it_changes_and_shares_the_rest():
    original = deepcopy(EVERY)
    steps: list[Keys] = []

    def visit(keys: Keys, inner: JsonSchema | bool) -> JsonSchema | bool:
        steps.append(keys)
        return {**inner, "seen": True} if isinstance(inner, dict) else inner

    result = map_children(EVERY, visit)
    assert original == EVERY
    assert steps == [keys for keys, _ in children(EVERY)]
    assert all(inner.get("seen") for _, inner in children(result) if isinstance(inner, dict))
    schema: JsonSchema = {"const": {"a": 1}}
    assert map_children(schema, visit)["const"] is schema["const"]


def test_slots_can_be_filled_without_changing_the_original():
    original = deepcopy(EVERY)
    copy, slots = copy_with_slots(EVERY)
    for slot in slots:
        slot.put(True)
    assert original == EVERY
    assert all(inner is True for _, inner in children(copy))
    assert len(slots) == len(list(children(EVERY)))


def test_subschemas_are_yielded_in_document_order_with_their_steps():
    schema: JsonSchema = {"properties": {"a": {"items": {"not": {}}}, "b": True}, "not": False}
    assert [keys for keys, _ in subschemas(schema)] == [
        (),
        ("properties", "a"),
        ("properties", "a", "items"),
        ("properties", "a", "items", "not"),
        ("properties", "b"),
        ("not",),
    ]


def test_subschemas_are_walked_and_mapped_without_recursion():
    schema: JsonSchema = {"properties": {"title": {"title": "a"}}, "title": "b"}
    untitled = map_subschemas(schema, lambda own: {k: v for k, v in own.items() if k != "title"})
    assert untitled == {"properties": {"title": {}}}
    for _ in range(3000):
        schema = {"items": schema}
    assert len(list(subschemas(map_subschemas(schema, dict)))) == 3002
