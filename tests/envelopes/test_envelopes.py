"""Each vendor's rules: ids, order, one message or several, files, and errors."""

import json
from typing import Any

import pytest
from vendor_replies import REPLIES, block, chat, chat_call, claude, converse, item, responses, use

from pyfunctools.envelopes.envelope import CallResult, ModelCall
from pyfunctools.envelopes.vendors import ENVELOPES, envelope_of
from pyfunctools.errors import DefinitionError
from pyfunctools.record.file import File

PNG = File(b"\x89PNG", "a.png", "image/png")
PDF = File(b"%PDF", "my file.v2.pdf", "application/pdf")
BIN = File(b"\x00\x01", "model.bin")


def result(id: str = "a", **more: Any) -> CallResult:
    call = more.pop("call", ModelCall(id=id, name="f", arguments="{}"))
    return CallResult(
        **{"id": id, "name": "f", "text": "Sunny.", "is_error": False, "call": call} | more
    )


def answered(vendor: str, *results: CallResult) -> Any:
    return list(envelope_of(vendor).results(results))


def test_each_call_has_its_result_in_the_order_of_the_calls() -> None:
    two = (result("a", text="1"), result("b", text="2", is_error=True))
    assert answered("openai", *two) == [
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "content": "Error: 2"},
    ]
    assert answered("openai-responses", *two) == [
        {"type": "function_call_output", "call_id": "a", "output": "1"},
        {"type": "function_call_output", "call_id": "b", "output": "Error: 2"},
    ]
    wrapped = {"type": "tool_result", "tool_use_id": "a", "content": "1", "is_error": False}
    other = {"type": "tool_result", "tool_use_id": "b", "content": "2", "is_error": True}
    assert answered("anthropic", *two) == [{"role": "user", "content": [wrapped, other]}]
    for vendor in ("gemini", "gemini-schema"):
        assert answered(vendor, *two) == [
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"name": "f", "id": "a", "response": {"output": "1"}}},
                    {"functionResponse": {"name": "f", "id": "b", "response": {"error": "2"}}},
                ],
            }
        ]
    inner = [
        {"toolUseId": "a", "content": [{"text": "1"}], "status": "success"},
        {"toolUseId": "b", "content": [{"text": "2"}], "status": "error"},
    ]
    assert answered("bedrock", *two) == [
        {"role": "user", "content": [{"toolResult": each} for each in inner]}
    ]


@pytest.mark.parametrize("vendor", ENVELOPES)
def test_without_calls_there_are_no_messages(vendor: str) -> None:
    assert answered(vendor) == []


def test_an_error_prefix_is_not_repeated() -> None:
    (message,) = answered("openai", result(text="error: gone", is_error=True))
    assert message["content"] == "error: gone"


def test_files_are_sent_if_the_vendor_accepts_them_and_else_named() -> None:
    """Nothing is lost in silence: a file that cannot be shown is named in the text."""
    files = (PNG, PDF, BIN)
    chat_message, shown = answered("openai", result(content=files))
    for name in ("picture follows", "my file.v2.pdf", "model.bin"):
        assert name in chat_message["content"]
    assert shown["role"] == "user"
    assert shown["content"][1]["image_url"]["url"] == "data:image/png;base64,iVBORw=="
    (chat_message,) = answered("groq", result(content=files))
    assert "a.png, image/png, 4 bytes" in chat_message["content"]
    (output,) = answered("openai-responses", result(content=files))
    assert [part["type"] for part in output["output"]] == [
        "input_text", "input_image", "input_file", "input_file",
    ]  # fmt: skip
    assert output["output"][1]["image_url"] == "data:image/png;base64,iVBORw=="
    (message,) = answered("anthropic", result(content=files))
    text, image, document = message["content"][0]["content"]
    assert "model.bin" in text["text"]
    assert "a.png" not in text["text"]
    assert (image["type"], document["type"]) == ("image", "document")
    (message,) = answered("gemini", result(content=files))
    response = message["parts"][0]["functionResponse"]
    assert [part["inlineData"]["mimeType"] for part in response["parts"]] == [
        "image/png", "application/pdf",
    ]  # fmt: skip
    assert "model.bin" in response["response"]["output"]
    (message,) = answered("gemini-schema", result(content=files))
    assert "a.png" in message["parts"][0]["functionResponse"]["response"]["output"]
    (message,) = answered("bedrock", result(content=files))
    _, image, document = message["content"][0]["toolResult"]["content"]
    assert image["image"] == {"format": "png", "source": {"bytes": b"\x89PNG"}}
    assert document["document"]["name"] == "my-file-v2-2"


def test_an_error_for_anthropic_has_only_text() -> None:
    (message,) = answered("anthropic", result(content=(PNG,), is_error=True))
    assert "a.png" in message["content"][0]["content"]


def test_a_file_alone_is_sent_without_text() -> None:
    (message,) = answered("anthropic", result(content=(PNG,), text=""))
    assert [each["type"] for each in message["content"][0]["content"]] == ["image"]
    (output,) = answered("openai-responses", result(content=(PNG,), text=""))
    assert [each["type"] for each in output["output"]] == ["input_image"]


def test_namespaces_and_callers_are_echoed() -> None:
    caller = {"type": "program", "caller_id": "p"}
    reply = responses(item("f", "{}", namespace="crm", caller=caller))
    (call,) = envelope_of("openai-responses").read_turn(reply).calls
    (output,) = answered("openai-responses", result("call_1", call=call))
    assert (output["namespace"], output["caller"]) == ("crm", caller)
    (call,) = (
        envelope_of("anthropic").read_turn(claude({**use("f", {}), "toolset_name": "x"})).calls
    )
    (message,) = answered("anthropic", result("toolu_1", call=call))
    assert message["content"][0]["toolset_name"] == "x"


def test_the_result_of_a_custom_tool_has_its_type() -> None:
    said = {"type": "custom_tool_call", "call_id": "a", "name": "sql", "input": "select 1"}
    (call,) = envelope_of("openai-responses").read_turn(responses(said)).calls
    assert (call.arguments, call.custom) == ("select 1", True)
    (output,) = answered("openai-responses", result(call=call))
    assert output["type"] == "custom_tool_call_output"
    said = {"type": "custom", "id": "a", "custom": {"name": "sql", "input": "select 1"}}
    (call,) = envelope_of("openai").read_turn(chat(said)).calls
    assert (call.name, call.arguments) == ("sql", "select 1")


TWICE: dict[str, tuple[Any, Any]] = {
    "openai": (
        chat(*(chat_call("f", "{}", each) for each in ("a", "a", None, "null", ""))),
        lambda turn: [call["id"] for call in turn.messages[0]["tool_calls"]],
    ),
    "openai-responses": (
        responses(*(item("f", "{}", each) for each in ("a", "a", None, ""))),
        lambda turn: [each["call_id"] for each in turn.messages],
    ),
    "anthropic": (
        claude(use("f", {}, "a"), use("f", {}, "a"), use("f", {}, "")),
        lambda turn: [each["id"] for each in turn.messages[0]["content"]],
    ),
    "bedrock": (
        converse(block("f", {}, "a"), block("f", {}, "a"), block("f", {}, "")),
        lambda turn: [each["toolUse"]["toolUseId"] for each in turn.messages[0]["content"]],
    ),
}


@pytest.mark.parametrize("vendor", TWICE)
def test_a_missing_or_repeated_id_is_replaced_in_the_turn_and_the_call(vendor: str) -> None:
    reply, ids_of = TWICE[vendor]
    before = json.dumps(reply)
    turn = envelope_of(vendor).read_turn(reply)
    ids = [call.id for call in turn.calls]
    assert ids == ids_of(turn)
    assert ids[0] == "a"
    assert len(set(ids)) == len(ids)
    assert all(len(each or "") == 9 and (each or "").isalnum() for each in ids[1:])
    assert json.dumps(reply) == before


def test_gemini_gets_no_id_that_it_did_not_send() -> None:
    (one, two) = envelope_of("gemini").read_turn(REPLIES["gemini"]["parallel"]).calls
    assert (one.id, two.id) == (None, None)
    (message,) = answered("gemini", result("made", call=one), result("made 2", call=two))
    assert not any("id" in each["functionResponse"] for each in message["parts"])


def test_gemini_and_bedrock_have_all_functions_in_one_item() -> None:
    for vendor in ("gemini", "gemini-schema"):
        tools = [envelope_of(vendor).tool(name, "", {}, strict=None) for name in "ab"]
        listed = envelope_of(vendor).listed(tools, cache=False)
        assert listed == [{"functionDeclarations": tools}]
        assert envelope_of(vendor).request(listed) == {"tools": listed}
    tools = [envelope_of("bedrock").tool(name, "", {}, strict=None) for name in "ab"]
    assert envelope_of("bedrock").request(tools) == {"toolConfig": {"tools": tools}}
    for vendor in ("openai", "openai-responses", "anthropic"):
        assert envelope_of(vendor).request(tools) == {}
    assert all(each.request([]) == {} for each in ENVELOPES.values())


def test_responses_always_have_strict() -> None:
    tool = envelope_of("openai-responses").tool
    assert [tool("f", "", {}, strict=each)["strict"] for each in (None, False, True)] == [
        False, False, True,
    ]  # fmt: skip


def test_a_turn_is_a_copy_of_the_response() -> None:
    for vendor, replies in REPLIES.items():
        for reply in replies.values():
            before = json.dumps(reply)
            envelope = envelope_of(vendor)
            for message in envelope.read_turn(reply).messages:
                message.clear()  # type: ignore[attr-defined]
            assert json.dumps(reply) == before


HOSTILE: list[Any] = [
    None, "", "text", 1, [], {}, object, {"choices": None}, {"choices": [None]}, {"choices": []},
    {"choices": [{"message": "f"}]}, {"choices": [{"message": {"tool_calls": [1, {}, None]}}]},
    {"choices": [{"message": {"content": {"a": 1}, "tool_calls": {"function": 1}}}]},
    {"output": [1, {"type": "message"}, {"type": "message", "content": [None, "x"]}]},
    {"output": {"message": None}}, {"output": {"message": {"content": [{"toolUse": 1}, 2]}}},
    {"type": "message", "content": [1, {"type": "tool_use"}, {"type": 1}]},
    {"candidates": [{"content": {"parts": [{"functionCall": None}, {"functionCall": 7}, 1]}}]},
    {"candidates": [{"content": None}]}, {"candidates": 1},
]  # fmt: skip


@pytest.mark.parametrize("vendor", ENVELOPES)
@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_other_values_have_no_calls(vendor: str, value: Any) -> None:
    envelope = envelope_of(vendor)
    assert isinstance(envelope.is_response(value), bool)
    turn = envelope.read_turn(value)
    assert {call.name for call in turn.calls} <= {""}


def test_a_response_may_be_deeply_nested_or_contain_itself() -> None:
    deep: Any = {}
    for _ in range(100_000):
        deep = {"a": deep}
    assert envelope_of("anthropic").read_turn(claude(use("f", deep))).calls[0].name == "f"
    loop = use("f", {})
    loop["input"]["self"] = loop["input"]
    assert envelope_of("anthropic").read_turn(claude(loop)).calls[0].name == "f"


def test_an_unknown_dialect_names_the_near_one() -> None:
    with pytest.raises(DefinitionError, match=r"Write 'openai'\."):
        envelope_of("open-ai")
