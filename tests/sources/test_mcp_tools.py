"""MCP tools as functions: fields, changed names, skipped tools."""

from typing import Any

import pytest

from pyfunctools.record.origin import RemoteTool, digest_of_tool
from pyfunctools.sources.mcp import read_tools

TEXT = {"type": "object", "properties": {"x": {"type": "string"}}}


def one(**tool: Any) -> Any:
    found = read_tools([{"name": "f", "inputSchema": TEXT, **tool}], server="s")
    assert not found.skipped
    return found.functions[0]


def reason(tool: Any, *others: Any) -> str:
    found = read_tools([*others, tool], server="s")
    assert len(found.functions) == len(others)
    return found.skipped[0].reason


def test_the_function_has_the_fields_of_the_tool() -> None:
    function = one(
        title="T",
        description="Do it.\u202e",
        outputSchema={"type": "array"},
        annotations={"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True},
    )
    assert (function.title, function.description) == ("T", "Do it.")
    assert (function.read_only, function.destructive, function.idempotent) == (True, False, True)
    assert function.output == {"type": "array"}
    assert (function.origin.server, function.origin.name) == ("s", "f")
    assert function.parameters == {**TEXT, "additionalProperties": False}
    assert one(annotations={"title": "B"}).title == "B"
    assert one(annotations={"readOnlyHint": "yes"}).read_only is None


@pytest.mark.parametrize(
    ("dialect", "schema", "good", "bad"),
    [
        ("http://json-schema.org/draft-04/schema#", {"minimum": 1, "exclusiveMinimum": True}, 2, 1),
        ("http://json-schema.org/draft-07/schema#", {"exclusiveMinimum": 1}, 2, 1),
        ("http://json-schema.org/draft-07/schema#", {"$ref": "#/definitions/A"}, 2, "2x"),
        ("https://json-schema.org/draft/2019-09/schema", {"$ref": "#/$defs/A"}, 2, "2x"),
        (
            "https://json-schema.org/draft/2020-12/schema",
            {"prefixItems": [{"type": "null"}]},
            [None],
            [1],
        ),
    ],
)
def test_any_draft_is_read(dialect: str, schema: Any, good: Any, bad: Any) -> None:
    defined = {"A": {"type": "integer"}}
    written = {"type": "object", "properties": {"x": schema}, "definitions": defined}
    function = one(inputSchema={**written, "$schema": dialect, "$defs": defined})
    assert function.validate({"x": good})
    assert not function.validate({"x": bad})


@pytest.mark.parametrize(
    ("schema", "is_open"),
    [
        ({"type": "object"}, True),
        ({}, True),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "object"}}}, True),
        ({"type": "object", "description": "Anything."}, True),
        ({"type": "object", "properties": {}}, False),
        ({"type": "object", "properties": {"x": {}}}, False),
        ({"type": "object", "additionalProperties": False}, False),
    ],
)
def test_an_object_that_declares_no_properties_takes_any(schema: Any, is_open: bool) -> None:
    function = one(inputSchema=schema)
    assert bool(function.check('{"q": {"x": 1}}')) is is_open


def test_a_tool_that_only_runs_as_a_task_is_skipped() -> None:
    tool = {"name": "t", "inputSchema": TEXT, "execution": {"taskSupport": "required"}}
    assert "as a task" in reason(tool)
    assert one(execution={"taskSupport": "optional"})


def test_one_of_is_read_as_any_of() -> None:
    number = {"oneOf": [{"type": "number"}, {"type": "integer"}]}
    function = one(inputSchema={"type": "object", "properties": {"n": number}})
    assert function.check({"n": 3})
    assert any("oneOf" in note.text for note in function.notes)


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        (3, "no name"),
        ({"inputSchema": TEXT}, "no name"),
        ({"name": "g", "inputSchema": "text"}, "must be an object"),
        ({"name": "g", "inputSchema": {"type": "string"}}, "type 'string'"),
        ({"name": "g", "inputSchema": {"$schema": "https://x.example/s"}}, "unknown dialect"),
        ({"name": "g", "inputSchema": {"$schema": 7}}, "unknown dialect"),
        (
            {"name": "g", "inputSchema": {"properties": {"a": {"$ref": "https://x.example/s"}}}},
            "nothing may be fetched",
        ),
        (
            {"name": "g", "inputSchema": {"properties": {"a": {"$ref": "#/$defs/no"}}}},
            "does not exist",
        ),
        (
            {"name": "g", "inputSchema": TEXT, "outputSchema": {"$ref": "file:///etc/passwd"}},
            "nothing may be fetched",
        ),
        ({"name": "f", "inputSchema": TEXT}, "An earlier tool"),
    ],
)
def test_an_unreadable_tool_is_skipped(tool: Any, said: str) -> None:
    assert said in reason(tool, {"name": "f", "inputSchema": TEXT})


def test_a_tool_with_a_very_deep_schema_is_skipped() -> None:
    schema: dict[str, Any] = {}
    for _ in range(5_000):
        schema = {"type": "object", "properties": {"x": schema}}
    assert "deep" in reason({"name": "g", "inputSchema": schema})


def test_names_are_made_valid_for_vendors() -> None:
    names = [
        "files.read",
        "files_read",
        "1st",
        "ok-name",
        "a" * 65,
        "a" * 64 + "b",
        "日本",
        "a b\n",
    ]
    found = read_tools([{"name": name, "inputSchema": TEXT} for name in names], server="s")
    made = [function.name for function in found.functions]
    assert [function.origin.name for function in found.functions] == names  # type: ignore[union-attr]
    assert made[0] == "files_read"
    assert made[2:4] == ["_1st", "ok-name"]
    assert len(set(made)) == len(names)
    assert made == [
        each.name for each in read_tools([{"name": n} for n in names], server="s").functions
    ]


def test_the_digest_covers_all_that_changes_a_call() -> None:
    tool = {"name": "f", "inputSchema": TEXT, "title": "T", "_meta": {}, "icons": []}
    same = {"inputSchema": dict(reversed(TEXT.items())), "name": "f", "title": "U"}
    assert digest_of_tool(tool) == digest_of_tool(same)
    for change in (
        {"description": "x"},
        {"annotations": {}},
        {"outputSchema": {}},
        {"inputSchema": {}},
    ):
        assert digest_of_tool({**tool, **change}) != digest_of_tool(tool)
    origin = one().origin
    assert isinstance(origin, RemoteTool)
    assert origin.digest == digest_of_tool({"name": "f", "inputSchema": TEXT})
