"""Complaints of users of other libraries, each with tests that show that it works here.

`complaints.json` has the threads. The tests here are those that no other file has.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from linked import missing
from vendor_replies import REPLIES

from pyfunctools import Controller, DefinitionError, Function, Loss, function

COMPLAINTS = json.loads(Path(__file__).with_name("complaints.json").read_text())
STRICT = ("openai", "openai-responses", "anthropic", "bedrock", "deepseek")


def test_each_complaint_has_its_tests() -> None:
    assert len(COMPLAINTS) == 15
    assert all(each["tests"] for each in COMPLAINTS)
    assert missing(name for each in COMPLAINTS for name in each["tests"]) == []


def written(schema: dict[str, Any], name: str = "f") -> Function:
    parameters = {"type": "object", "properties": {"x": schema}, "required": ["x"]}
    return Function.from_schema(name=name, parameters=parameters, handler=lambda x: x)


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield the schemas of objects in a schema, at any depth."""
    if isinstance(schema, list):
        for each in schema:
            yield from objects(each)
    if isinstance(schema, dict):
        if "properties" in schema or schema.get("type") == "object":
            yield schema
        for each in schema.values():
            yield from objects(each)


MAPS = [
    {"type": "object", "additionalProperties": {"type": "integer"}},
    {"type": "object", "additionalProperties": {}},
    {"type": "object", "additionalProperties": True},
    {"type": "object"},
]


@pytest.mark.parametrize("dialect", STRICT)
@pytest.mark.parametrize("schema", MAPS, ids=range(4))
def test_a_map_is_never_closed(schema: dict[str, Any], dialect: str) -> None:
    function = written(schema)
    rendering = function.render(dialect, strict=True)
    assert rendering.restore(rendering.apply({"x": {"a": 1}})) == {"x": {"a": 1}}
    assert not [
        each
        for each in objects(rendering.schema)
        if each.get("additionalProperties") is False and not each.get("properties")
    ]


def test_the_older_gemini_is_sent_nothing_that_its_api_refuses() -> None:
    place = {
        "type": "object",
        "properties": {"lines": {"type": "array", "items": MAPS[0]}, "kind": {"const": "a"}},
        "additionalProperties": False,
    }
    rendering = written(place).render("gemini-schema")
    told = json.dumps([{**each, "description": ""} for each in objects(rendering.schema)])
    for word in ("additionalProperties", "$ref", "$defs", "const", "oneOf"):
        assert f'"{word}"' not in told
    assert Loss(path="$input.x.lines[]", keyword="additionalProperties", how="told") in (
        rendering.losses
    )


def test_a_bare_list_is_a_loss_with_its_place() -> None:
    @function
    def add(items: list) -> int:  # type: ignore[type-arg]
        """Add."""
        return len(items)

    tools = Controller.from_functions([add]).tools("openai", strict=True)
    assert tools[0]["function"]["strict"] is False
    refused = [loss.path for loss in tools.losses["add"] if loss.how == "refused"]
    assert refused == ["$input.items[]"]


def test_nested_arguments_that_are_texts_are_read() -> None:
    line = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    lines = written({"type": "array", "items": line})
    outcome = Controller.from_functions([lines]).call("f", {"x": '[{"n": "1"}, "{\\"n\\": 2}"]'})
    assert outcome.value == [{"n": 1}, {"n": 2}]


@pytest.mark.parametrize("dialect", ["openai", "openai-responses"])
def test_strict_is_said_of_strict_schemas_alone(dialect: str) -> None:
    functions = [written(each, f"f{place}") for place, each in enumerate([*MAPS, {"enum": [1]}])]
    for tool in Controller.from_functions(functions).tools(dialect, strict=True):
        said = tool.get("function", tool)
        if said["strict"]:
            for each in objects(said["parameters"]):
                assert each["additionalProperties"] is False
                assert set(each["required"]) == set(each["properties"])
        else:
            assert said["name"] in ("f1", "f2", "f3")  # a map of any values cannot be said


@pytest.mark.parametrize(("dialect", "most"), [("openai", 128), ("gemini", 512)])
def test_too_many_functions_are_refused_before_anything_is_sent(dialect: str, most: int) -> None:
    functions = [written({"type": "integer"}, f"f{number}") for number in range(most + 1)]
    controller = Controller.from_functions(functions)
    with pytest.raises(DefinitionError) as caught:
        controller.tools(dialect)
    assert f"{most + 1} functions" in str(caught.value)
    assert f"may have {most}" in str(caught.value)
    assert "select" in str(caught.value)
    assert controller.select(names=[f"f{number}" for number in range(most)]).tools(dialect)


def test_strict_bedrock_closes_every_object() -> None:
    inner = {"type": "object", "properties": {"a": {"type": "string"}}}
    place = {"type": "object", "properties": {"many": {"type": "array", "items": inner}}}
    closed = {"anyOf": [place, {"type": "null"}]}
    rendering = written(closed).render("bedrock", strict=True)
    assert rendering.strict
    found = list(objects(rendering.schema))
    assert len(found) == 3
    assert all(each["additionalProperties"] is False for each in found)


@pytest.mark.parametrize("vendor", ["openai", "openai-responses", "anthropic", "gemini", "bedrock"])
def test_a_failed_call_is_answered_under_its_id(vendor: str) -> None:
    @function(name="weather")
    def breaks(city: str, days: int = 1) -> str:
        """Break."""
        raise KeyError

    tools = Controller.from_functions([breaks]).tools(vendor)
    turn = tools.run(REPLIES[vendor]["parallel"])
    assert [each.is_error for each in turn.outcomes] == [True, True]
    assert all(each.text for each in turn.outcomes)
    told = json.dumps(turn.results)
    assert told.count("KeyError") == 2
    for call in turn.calls:  # Gemini gives no ids, and is answered in the order of its calls
        assert told.count(json.dumps(call.id)) == (0 if vendor == "gemini" else 1)
