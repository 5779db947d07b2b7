"""The real clients of the vendors send our tools and turns unchanged, and their objects are read.

Each reply is read as the object of the SDK and as the plain data that it came as.
"""

import json
import re
from base64 import b64encode
from functools import cache
from typing import Any

import pytest
from vendor_clients import CLIENTS, Script
from vendor_replies import BROKEN, OSLO, PARIS, REPLIES

from pyfunctools.envelopes.envelope import CallResult
from pyfunctools.envelopes.vendors import ENVELOPES, envelope_of
from pyfunctools.record.file import File

CASES = [(vendor, case) for vendor, replies in REPLIES.items() for case in replies]
SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "Where, “exactly”."},
        "days": {"type": "integer", "minimum": 1},
    },
    "required": ["city"],
    "additionalProperties": False,
}
ASKED: dict[str, Any] = {
    "gemini": {"role": "user", "parts": [{"text": "go"}]},
    "bedrock": {"role": "user", "content": [{"text": "go"}]},
}
WHERE = {"openai-responses": "input", "gemini": "contents"}


def envelope(vendor: str) -> Any:
    return envelope_of(vendor)


def tools_of(vendor: str, **options: Any) -> Any:
    tools = [envelope(vendor).tool("weather", "Tell it.", SCHEMA, **{"strict": None, **options})]
    tools = envelope(vendor).listed(tools, cache=False)
    return envelope(vendor).request(tools).get("toolConfig") or tools


def sorted_text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def camel(value: Any) -> Any:
    """Spell keys as Gemini's documents do; its SDK sends some of them in snake case."""
    if isinstance(value, dict):
        return {
            key
            if key.startswith("parameters")
            else re.sub(r"_(.)", lambda m: m[1].upper(), key): camel(inner)
            for key, inner in value.items()
        }
    return [camel(each) for each in value] if isinstance(value, list) else value


def with_defaults(message: Any) -> Any:
    """Say what Mistral's SDK has for defaults in the messages it sends."""
    calls = [{"index": 0, "type": "function", **call} for call in message.get("tool_calls") or ()]
    known = {"prefix": False, **message} if message["role"] == "assistant" else message
    return {**known, "tool_calls": calls} if calls else known


@cache
def client_of(vendor: str) -> tuple[Script, Any]:
    script = Script()
    return script, CLIENTS[vendor](script)


@cache
def read(vendor: str, case: str) -> tuple[Any, Any, Any]:
    """Ask for a reply, and send what was made of it; return both turns and what was sent."""
    reply = REPLIES[vendor][case]
    script, ask = client_of(vendor)
    script.replies = [reply, reply]
    user = ASKED.get(vendor, {"role": "user", "content": "go"})
    response = ask([user], tools_of(vendor))
    spoken = envelope(vendor).read_turn(response)
    results = envelope(vendor).results(
        [
            CallResult(
                id=call.id or "x", name=call.name, text=f"fine {n}", is_error=n > 0, call=call
            )
            for n, call in enumerate(spoken.calls)
        ]
    )
    mine = [user, *spoken.messages, *results]
    ask(mine, tools_of(vendor))
    return response, spoken, (mine, script.last)


@pytest.mark.parametrize("vendor", CLIENTS)
@pytest.mark.parametrize("strict", [None, False, True])
def test_a_client_sends_the_tools_unchanged(vendor: str, strict: bool | None) -> None:
    script, ask = client_of(vendor)
    script.replies = [REPLIES[vendor]["text"]]
    made = tools_of(vendor, strict=strict)
    before = json.dumps(made)
    user = ASKED.get(vendor, {"role": "user", "content": "go"})
    ask([user], made)
    sent = script.last["toolConfig" if vendor == "bedrock" else "tools"]
    if vendor == "gemini":
        made = json.loads(
            json.dumps(made).replace("parametersJsonSchema", "parameters_json_schema")
        )
    if vendor == "ollama":  # its client drops what its types do not name
        return
    if vendor in ("openai", "openai-responses", "anthropic", "bedrock"):
        assert json.dumps(sent) == before
    assert sorted_text(sent) == sorted_text(made)


@pytest.mark.parametrize(("vendor", "case"), CASES)
def test_a_client_sends_the_turn_and_its_results_unchanged(vendor: str, case: str) -> None:
    _, spoken, (mine, body) = read(vendor, case)
    sent = body[WHERE.get(vendor, "messages")]
    if vendor == "mistral":
        sent, mine = list(map(with_defaults, sent)), list(map(with_defaults, mine))
    if vendor == "gemini":
        sent = camel(sent)
    if vendor == "ollama":  # its client leaves out what is empty
        mine = [{key: inner for key, inner in each.items() if inner != ""} for each in mine]
    if vendor == "bedrock":  # base64 on the wire, bytes in Python
        mine = json.loads(json.dumps(mine, default=lambda data: "//4B"))
    assert sorted_text(sent) == sorted_text(mine)
    del spoken


@pytest.mark.parametrize(("vendor", "case"), CASES)
def test_an_sdk_object_is_read_as_its_plain_data(vendor: str, case: str) -> None:
    response, spoken, _ = read(vendor, case)
    known = {name for name, each in ENVELOPES.items() if each.is_response(response)}
    assert known == {
        name for name, each in ENVELOPES.items() if each.is_response(REPLIES[vendor][case])
    }
    own = {name.removesuffix("-schema").removesuffix("-text") for name in known}
    assert own == {envelope(vendor).name}
    plain = envelope(vendor).read_turn(REPLIES[vendor][case])
    given_ids = [call.id for call in plain.calls if case != "parallel" or vendor != "mistral"]
    assert [call.id for call in spoken.calls][: len(given_ids)] == given_ids
    for each, other in zip(spoken.calls, plain.calls, strict=True):
        assert (each.name, each.arguments, each.closed) == (
            other.name,
            other.arguments,
            other.closed,
        )
    assert (spoken.text, spoken.cut, spoken.waits) == (plain.text, plain.cut, plain.waits)


@pytest.mark.parametrize("vendor", ["anthropic", "gemini"])
def test_an_sdk_object_with_deep_arguments_is_read(vendor: str) -> None:
    nested = json.loads('{"city":' * 300 + "1" + "}" * 300)
    reply = json.loads(json.dumps(REPLIES[vendor]["single"]).replace(json.dumps(PARIS), '"DEEP"'))
    assert '"DEEP"' in json.dumps(reply)
    for block in (*reply.get("content", ()), *reply.get("candidates", ())):
        for part in block.get("content", {}).get("parts", ()) if "content" in block else [block]:
            held = part.get("functionCall", part)
            held |= {key: nested for key, each in held.items() if each == "DEEP"}
    script, ask = client_of(vendor)
    script.replies = [reply]
    response = ask([ASKED.get(vendor, {"role": "user", "content": "go"})], tools_of(vendor))
    plain, spoken = map(envelope(vendor).read_turn, (reply, response))
    assert [(each.id, each.name) for each in spoken.calls] == [
        (each.id, each.name) for each in plain.calls
    ]
    assert spoken.calls[0].arguments == nested
    assert spoken.ended == plain.ended


@pytest.mark.parametrize(("vendor", "case"), CASES)
def test_calls_are_read_in_their_order(vendor: str, case: str) -> None:
    _, spoken, _ = read(vendor, case)
    wanted = {
        "single": [PARIS],
        "thinking": [PARIS],
        "unknown": [PARIS],
        "theirs": [OSLO],
        "parallel": [PARIS, OSLO],
        "cut": [PARIS, OSLO],
        "broken": [BROKEN],
    }.get(case, [])
    found = [
        json.loads(call.arguments)
        if isinstance(call.arguments, str) and call.arguments != BROKEN
        else call.arguments
        for call in spoken.calls
    ]
    assert found == wanted
    assert {call.name for call in spoken.calls} <= {"weather"}
    assert [call.closed for call in spoken.calls] == [True] * (len(found) - (case == "cut")) + [
        False
    ] * (case == "cut")
    assert spoken.cut == (case == "cut" or (case == "refused" and spoken.cut))
    assert spoken.waits == (case == "paused")


@pytest.mark.parametrize(("vendor", "case"), CASES)
def test_the_text_is_that_of_the_model(vendor: str, case: str) -> None:
    _, spoken, _ = read(vendor, case)
    wanted = {"text": "Sunny.", "cited": "Sunny.", "single": "Let me see.", "refused": "No."}
    said = "Well." if (vendor, case) == ("mistral", "thinking") else wanted.get(case, "")
    assert spoken.text == ("" if (vendor, case) == ("gemini", "refused") else said)


@pytest.mark.parametrize(("vendor", "case"), CASES)
def test_a_vendors_turn_is_sent_back_unchanged(vendor: str, case: str) -> None:
    plain = envelope(vendor).read_turn(REPLIES[vendor][case])
    reply = REPLIES[vendor][case]
    whole: Any = {
        "openai-responses": lambda: reply["output"],
        "anthropic": lambda: [{"role": "assistant", "content": reply["content"]}],
        "gemini": lambda: [each["content"] for each in reply.get("candidates", [])],
        "bedrock": lambda: [reply["output"]["message"]],
        "cohere": lambda: [reply["message"]],
        "ollama": lambda: [reply["message"]],
    }.get(vendor, lambda: [reply["choices"][0]["message"]])()
    if (vendor, case) == ("anthropic", "empty"):
        whole = []  # no message may be empty
    if (vendor, case) == ("mistral", "parallel"):  # ids were missing
        whole = [{**whole[0], "tool_calls": plain.messages[0]["tool_calls"]}]
    assert list(plain.messages) == whole


@pytest.mark.parametrize("vendor", CLIENTS)
def test_a_client_sends_files_unchanged(vendor: str) -> None:
    script, ask = client_of(vendor)
    reply = REPLIES[vendor]["single"]
    script.replies = [reply]
    spoken = envelope(vendor).read_turn(reply)
    files = (File(b"\x89PNG", "a.png", "image/png"), File(b"%PDF", "b.pdf"), File(b"x", "c.bin"))
    (call,) = spoken.calls
    result = CallResult(
        id=call.id or "x", name=call.name, text="", is_error=False, content=files, call=call
    )
    messages = envelope(vendor).results([result])
    before = json.dumps(messages, default=lambda data: b64encode(data).decode())
    ask([ASKED.get(vendor, {"role": "user", "content": "go"}), *messages], tools_of(vendor))
    sent = script.last[WHERE.get(vendor, "messages")][1:]
    assert sorted_text(camel(sent) if vendor == "gemini" else sent) == sorted_text(
        json.loads(before)
    )
