"""`tools("mcp")`: the list and the responses for a server of the application's own."""

import asyncio
import json
from typing import Annotated, Any

import pytest
from mcp import Client
from mcp.types import CallToolRequest, CallToolRequestParams, CallToolResult, Tool

from pyfunctools import Controller, DefinitionError, function, human
from pyfunctools.integrations.mcp import server
from pyfunctools.record.file import File


class Shop:
    @function(title="Add it", read_only=True, idempotent=True)
    def add(self, a: int, b: int = 1) -> dict[str, int]:
        """Add."""
        return {"sum": a + b}

    @function
    def count(self) -> int:
        return 3

    @function
    def pay(self, amount: int, pin: Annotated[str, human()]) -> str:
        return f"{amount} paid"

    @function
    def picture(self) -> File:
        return File(b"\x89PNG", "a.png", "image/png")


TOOLS = Controller.from_object(Shop()).tools("mcp")


def asked(name: str, id: Any = "a", **arguments: Any) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def test_the_list_is_that_of_the_server_without_output_schemas() -> None:
    async def run() -> Any:
        async with Client(server(Controller.from_object(Shop()))) as client:
            return (await client.list_tools()).model_dump(by_alias=True, exclude_none=True)["tools"]

    served = [
        {key: each[key] for key in each if key != "outputSchema"} for each in asyncio.run(run())
    ]
    assert served == list(TOOLS)
    assert TOOLS[0]["annotations"] == {"readOnlyHint": True, "idempotentHint": True}
    assert all(Tool.model_validate(each) for each in TOOLS)
    assert (TOOLS.request, TOOLS.losses) == ({}, {})


ANSWER = {
    "content": [{"type": "text", "text": '{"sum": 3}'}],
    "isError": False,
    "structuredContent": {"sum": 3},
}
PARAMS = {"name": "add", "arguments": {"a": "2"}}


@pytest.mark.parametrize(
    "request_",
    [
        PARAMS,
        {**PARAMS, "_meta": {"progressToken": 1}},
        CallToolRequestParams(name="add", arguments={"a": 2}),
        CallToolRequest(params=CallToolRequestParams(name="add", arguments={"a": 2})),
        {"method": "tools/call", "params": PARAMS},
    ],
    ids=range(5),
)
def test_a_call_has_its_result(request_: Any) -> None:
    turn = TOOLS.run(request_)
    assert turn.messages == turn.results == [ANSWER]
    assert CallToolResult.model_validate(turn.results[0]).structured_content == {"sum": 3}
    assert not turn.done


@pytest.mark.parametrize("id", ["a", "", 7, 0])
def test_the_response_of_a_request_has_its_id(id: Any) -> None:
    (message,) = TOOLS.run(asked("add", id, a=2)).messages
    assert json.dumps(message) == json.dumps({"jsonrpc": "2.0", "id": id, "result": ANSWER})


@pytest.mark.parametrize("id", [None, True, 1.5, [], {}])
def test_an_invalid_id_is_not_sent_back(id: Any) -> None:
    assert TOOLS.run(asked("add", id, a=2)).messages == [ANSWER]


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("add", {"a": "x"}, "expected integer"),
        ("add", {}, "missing"),
        ("ad", {}, "add"),
        (7, {}, "no function"),
        ("add", "{'a': 2, 'b': [}", "expected integer"),
    ],
)
def test_a_mistake_is_a_result_with_feedback(name: Any, arguments: Any, said: str) -> None:
    request = {"method": "tools/call", "params": {"name": name, "arguments": arguments}}
    (result,) = TOOLS.run(request).results
    assert result["isError"]
    assert said in result["content"][0]["text"]
    assert "structuredContent" not in result


def test_values_other_than_objects_are_text_or_a_block() -> None:
    (count,), (picture,) = (TOOLS.run({"name": name}).results for name in ("count", "picture"))
    assert count == {"content": [{"type": "text", "text": "3"}], "isError": False}
    assert picture["content"][1] == {"type": "image", "data": "iVBORw==", "mimeType": "image/png"}


def test_a_resumed_call_keeps_its_id() -> None:
    turn = TOOLS.run(asked("pay", 9, amount=5))
    (waiting,) = turn.waiting
    done = TOOLS.resume(turn.save(), {waiting.call_id or "": {"pin": "4711"}})
    assert done.messages[0]["id"] == 9
    assert done.messages[0]["result"]["content"] == [{"type": "text", "text": "5 paid"}]
    assert "4711" not in json.dumps(done.messages)


def test_requests_are_not_streamed() -> None:
    with pytest.raises(DefinitionError, match=r"Pass each request to `tools.run`"):
        TOOLS.reading()


@pytest.mark.parametrize(
    "value",
    [
        {"method": "tools/list", "params": PARAMS},
        {"method": 1, "params": PARAMS},
        {**PARAMS, "type": "function"},
        {"name": "add", "arguments": "{}"},
        {"arguments": {}},
        ANSWER,
        "add",
        None,
    ],
    ids=range(8),
)
def test_other_values_are_refused(value: Any) -> None:
    with pytest.raises(DefinitionError, match="must be a response of 'mcp'"):
        TOOLS.run(value)
