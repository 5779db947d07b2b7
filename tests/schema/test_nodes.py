"""What a single subschema says of the places around it."""

from typing import Any

import pytest

from pyfunctools.schema.separation.graph import (
    Node,
    declared,
    graph_of,
    is_null,
    opened,
    prefix,
    required,
    unions,
)


def node(schema: dict[str, Any]) -> Node:
    # Something has to be the human's, or the graph is the root alone.
    beside = {"properties": {**schema.get("properties", {}), "h": {"x-human": True}}}
    return graph_of({**schema, **beside}, lambda _, inner: inner.get("x-human") is True).root


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "null"},
        {"type": ["null"]},
        {"const": None},
        {"enum": [None]},
        {"$ref": "#/$defs/Null"},
        {"$ref": "#/$defs/Ref"},
    ],
)
def test_only_null_fits(schema: dict[str, Any]) -> None:
    definitions = {"Null": {"type": "null"}, "Ref": {"$ref": "#/$defs/Null"}}
    root = node({"properties": {"a": schema}, "$defs": definitions})
    assert is_null(root.parts["properties", "a"])


@pytest.mark.parametrize(
    "schema",
    [True, False, {}, {"type": ["null", "string"]}, {"enum": [None, 1]}, {"$ref": "#/$defs/Loop"}],
)
def test_more_than_null_fits(schema: Any) -> None:
    root = node({"properties": {"a": schema}, "$defs": {"Loop": {"$ref": "#/$defs/Loop"}}})
    assert not is_null(root.parts["properties", "a"])


def test_names_and_prefixes_are_read_from_sound_keywords_only() -> None:
    root = node({"properties": {"a": True}, "required": ["a", 1, None], "prefixItems": [True, {}]})
    assert declared(root) == ["a", "h"]
    assert required(root) == ["a"]
    assert prefix(root) == 2
    assert required(node({"required": "a"})) == []
    assert prefix(node({"items": [True]})) == 1
    assert prefix(node({"items": {}})) == 0


def test_what_holds_at_one_place_is_opened_once_each() -> None:
    schema = {"allOf": [{"$ref": "#"}, {"title": "x"}], "anyOf": [{"title": "y"}, {"title": "z"}]}
    root = node(schema)
    titles = [inner.schema.get("title") for inner in opened([root], {"allOf"})]  # type: ignore[union-attr]
    assert titles.count("x") == 1
    assert "y" not in titles
    assert [len(branches) for branches in unions([root])] == [2]
