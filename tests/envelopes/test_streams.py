"""A stream is read as the response that its server would have sent whole."""

import json
from dataclasses import replace
from time import process_time
from typing import Any, Literal

import pytest
from pydantic import BaseModel
from vendor_clients import CLIENTS, Script
from vendor_replies import REPLIES, chat, chat_call, claude, item, responses, use
from vendor_streams import EVENTS, chat_events, claude_events, converse_events, responses_events

from pyfunctools import Controller, DefinitionError
from pyfunctools.dialects.partial import PartialArguments
from pyfunctools.envelopes.envelope import ModelTurn
from pyfunctools.envelopes.vendors import envelope_of

CASES = [(vendor, case) for vendor, replies in REPLIES.items() for case in replies]


def envelope(vendor: str) -> Any:
    return envelope_of(vendor)


def fed(vendor: str, events: Any) -> tuple[ModelTurn, list[Any]]:
    reading = envelope(vendor).stream_reader()
    deltas = [reading.feed(event) for event in events]
    assert envelope(vendor).is_response(reading.response)
    return envelope(vendor).read_turn(reading.response), deltas


def said(messages: Any) -> Any:
    """Leave out what is null or empty, which a stream never says."""
    if isinstance(messages, dict):
        inner = {key: said(value) for key, value in messages.items()}
        return {key: value for key, value in inner.items() if value not in (None, "", [])}
    return [said(each) for each in messages] if isinstance(messages, list | tuple) else messages


def same(streamed: ModelTurn, whole: ModelTurn, *, ids: bool) -> None:
    assert (streamed.text, streamed.cut, streamed.waits) == (whole.text, whole.cut, whole.waits)
    for mine, theirs in zip(streamed.calls, whole.calls, strict=True):
        assert mine.arguments == theirs.arguments
        assert (mine.name, mine.closed) == (theirs.name, theirs.closed)
        assert not ids or mine.id == theirs.id
    if ids:
        assert said(streamed.messages) == said(whole.messages)


@pytest.mark.parametrize(("vendor", "case"), CASES)
def test_a_stream_is_read_as_its_whole_response(vendor: str, case: str) -> None:
    reply = REPLIES[vendor][case]
    whole = envelope(vendor).read_turn(reply)
    streamed, deltas = fed(vendor, EVENTS[vendor](reply))
    if (vendor, case) == ("bedrock", "cited"):
        streamed = whole  # without a citation it is a text like any other
    if (vendor, case) == ("gemini", "refused"):
        assert streamed.messages == ()
    else:
        same(streamed, whole, ids=(vendor, case) != ("mistral", "parallel"))
    assert "".join(delta.text for delta in deltas) == whole.text


@pytest.mark.parametrize(
    ("vendor", "case"), [each for each in CASES if each[0] not in ("bedrock", "gemini")]
)
def test_the_events_of_a_client_are_read_as_plain_data(vendor: str, case: str) -> None:
    reply = REPLIES[vendor][case]
    events = list(EVENTS[vendor](reply))
    streamed, _ = fed(vendor, CLIENTS[vendor](Script(events))([], [], stream=True))
    same(streamed, fed(vendor, events)[0], ids=(vendor, case) != ("mistral", "parallel"))


@pytest.mark.parametrize("case", REPLIES["gemini"])
def test_the_chunks_of_gemini_are_read_as_plain_data(case: str) -> None:
    events = list(EVENTS["gemini"](REPLIES["gemini"][case]))
    user = {"role": "user", "parts": [{"text": "go"}]}
    streamed, _ = fed("gemini", CLIENTS["gemini"](Script(events))([user], [], stream=True))
    same(streamed, fed("gemini", events)[0], ids=True)


@pytest.mark.parametrize(("vendor", "case"), CASES)
def test_an_interrupted_stream_is_a_cut_response(vendor: str, case: str) -> None:
    reply = REPLIES[vendor][case]
    events = list(EVENTS[vendor](reply))
    ends = {"openai-responses": 1, "anthropic": 2, "mistral": 1, "gemini": 1}.get(vendor, 2)
    for length in range(len(events) - ends + 1):
        turn, _ = fed(vendor, events[:length])
        assert turn.cut
        open_calls = [call.closed for call in turn.calls[:-1]]
        assert all(open_calls)
        for message in turn.messages:
            json.dumps(message, default=repr)


def test_the_arguments_received_so_far_are_final() -> None:
    written = {"city": "Páris 12", "days": 120, "deep": {"on": True, "none": None}, "at": [1, 22]}
    texts = {
        "openai": chat_events(chat(chat_call("f", json.dumps(written)))),
        "openai-responses": responses_events(responses(item("f", json.dumps(written)))),
        "anthropic": claude_events(claude(use("f", written))),
        "bedrock": converse_events(
            {
                **REPLIES["bedrock"]["text"],
                "output": {
                    "message": {
                        "content": [{"toolUse": {"toolUseId": "t", "name": "f", "input": written}}]
                    }
                },
            }
        ),
    }

    def grows(part: Any, whole: Any) -> bool:
        if isinstance(whole, dict):
            return all(grows(value, whole[key]) for key, value in part.items())
        if isinstance(whole, list):
            return len(part) <= len(whole) and all(map(grows, part, whole))
        return whole.startswith(part) if isinstance(whole, str) else part == whole

    for vendor, events in texts.items():
        _, deltas = fed(vendor, events)
        shown = [delta.arguments for delta in deltas if delta.call is not None]
        assert all(grows(each or {}, written) for each in shown), vendor
        assert shown[-1] == written
        assert len([each for each in shown if each]) > 5
        assert {delta.call.name for delta in deltas if delta.call is not None} == {"f"}


def pieces(vendor: str, text: str, size: int) -> Any:
    """Yield the events of one call of `f` whose arguments come in pieces."""
    for start in range(0, len(text), size):
        piece = text[start : start + size]
        if vendor == "anthropic":
            delta = {"type": "input_json_delta", "partial_json": piece}
            if start == 0:
                block = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
                yield {"type": "content_block_start", "index": 0, "content_block": block}
            yield {"type": "content_block_delta", "index": 0, "delta": delta}
        else:
            function = {"name": "f", "arguments": piece}
            call = {"index": 0, "id": "a", "type": "function", "function": function}
            yield {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}


class Cat(BaseModel):
    kind: Literal["cat"]
    toys: dict[str, int] = {}


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str = ""


def test_arguments_are_shown_in_the_names_and_the_shape_of_the_function() -> None:
    def f(pet: Cat | Dog, ages: dict[str, float], note: str = "", n: int = 3) -> None:
        """Do it."""

    written = {"pet": {"kind": "cat", "toys": {"ball": 2, "rope": 1}}, "ages": {"x y": 1.5}}
    for vendor, dialect in (("openai", "openai"), ("anthropic", "gemini-schema")):
        controller = Controller.from_functions([f])
        rendering = controller.tools(dialect, strict=True).renderings["f"]
        text = json.dumps(rendering.apply(written))
        assert json.loads(text) != written
        if vendor == "openai":
            reading = controller.tools(dialect, strict=True).reading()
            shown = [reading.feed(event).arguments for event in pieces(vendor, text, 1)]
        else:
            partial = rendering.partial()
            shown = [partial.read(text[:end]) for end in range(len(text) + 1)]
        assert shown[-1] == written
        assert {"pet": {"kind": "cat", "toys": {"ball": 2}}} in shown
        assert {"pet": {"kind": "cat", "toys": {"ball": 2, "rope": 1}}, "ages": {}} in shown
        assert not any("key" in str(each) or "None" in str(each) for each in shown if each)


def test_nothing_is_shown_that_is_not_certain() -> None:
    partial = PartialArguments()
    for text, value in {
        "": None,
        '{"a": 1': {},
        '{"a": 12,': {"a": 12},
        '{"a": 12, "b": "\\ud83d': {"a": 12, "b": ""},
        '{"a": 12, "b": "\\ud83d\\ude00\\': {"a": 12, "b": "😀"},
        '{"a": 12, "b": "\\ud83d\\ude00\\n", c': {"a": 12, "b": "😀\n"},
        '{"a": 12, "b": "\\ud83d\\ude00\\n", c: 1}': {"a": 12, "b": "😀\n"},
    }.items():
        assert partial.read(text) == value
    assert partial.read('{"a": 12,') == {"a": 12}  # an older text
    assert PartialArguments().read('{"a":' * 1_000) is not None


@pytest.mark.parametrize("vendor", ["openai", "anthropic"])
@pytest.mark.parametrize(
    "value", ["code\n" * 10_000, [{"a": "b", "n": 1}] * 3_000], ids=["str", "list"]
)
def test_arguments_are_shown_in_linear_time(vendor: str, value: Any) -> None:
    def seconds(times: int) -> float:
        text = json.dumps({"v": value * times})
        reading = envelope(vendor).stream_reader()
        first, partial = None, PartialArguments()
        start = process_time()
        for event in pieces(vendor, text, 40):
            delta = reading.feed(event)
            first = replace(delta, received=partial).arguments
        taken = process_time() - start
        assert first == {"v": value * times}
        return taken

    assert min(map(seconds, [4] * 3)) < 9 * min(map(seconds, [1] * 3))  # 16 times in quadratic time


@pytest.mark.parametrize("index", [{"index": 0}, {}], ids=["all at 0", "without"])
def test_whole_calls_with_one_index_are_distinguished_by_id(index: Any) -> None:
    """Servers that are compatible with OpenAI's send parallel calls so."""
    deltas = [
        {"tool_calls": [{**chat_call("f", text, name), **index}]}
        for name, text in (("a", '{"x": 1}'), ("b", '{"x": 2}'))
    ]
    chunks = [{"choices": [{"delta": delta}]} for delta in deltas]
    turn, _ = fed("openai", chunks)
    assert [(call.id, call.arguments) for call in turn.calls] == [
        ("a", '{"x": 1}'),
        ("b", '{"x": 2}'),
    ]


def test_a_name_repeated_in_each_piece_is_read_once() -> None:
    piece = {"index": 0, "id": "a", "type": "function"}
    chunks = [
        {
            "choices": [
                {"delta": {"tool_calls": [{**piece, "function": {"name": "f", "arguments": text}}]}}
            ]
        }
        for text in ('{"x"', ": 1}")
    ]
    turn, _ = fed("openai", chunks)
    assert [(call.name, call.arguments) for call in turn.calls] == [("f", '{"x": 1}')]


def test_additions_of_a_server_to_a_call_are_sent_back() -> None:
    """Gemini's compatible server puts its signature there."""
    extra = {"google": {"thought_signature": "sig"}}
    call = {**chat_call("f", "{}"), "index": 0, "extra_content": extra}
    turn, _ = fed("openai", [{"choices": [{"delta": {"tool_calls": [call]}}]}])
    assert turn.messages[0]["tool_calls"][0]["extra_content"] == extra  # type: ignore[index,call-overload]


def test_only_the_first_choice_is_read() -> None:
    chunks = [
        {"choices": [{"index": n, "delta": {"content": text}}]} for n, text in ((1, "B"), (0, "A"))
    ]
    assert fed("openai", chunks)[0].text == "A"


def test_items_of_responses_are_joined_by_id() -> None:
    one, two = item("f", "", "a"), item("f", "", "b")
    kind = "response.function_call_arguments.delta"
    events = [
        {"type": "response.output_item.added", "item": one},
        {"type": "response.output_item.added", "item": two},
        *(
            {"type": kind, "item_id": f"fc_{n}", "delta": d}
            for n, d in zip("baba", "[{]}", strict=True)
        ),
    ]
    turn, _ = fed("openai-responses", events)
    assert [call.arguments for call in turn.calls] == ["{}", "[]"]


def test_a_final_response_without_items_has_those_of_the_stream() -> None:
    reply = REPLIES["openai-responses"]["parallel"]
    *events, last = responses_events(reply)
    last["response"] = {**last["response"], "output": []}
    assert fed("openai-responses", [*events, last])[0].calls == (
        envelope("openai-responses").read_turn(reply).calls
    )


def test_other_arguments_are_sent_back_inside_an_object() -> None:
    """Anthropic streams invalid JSON where `eager_input_streaming` is on."""
    events = list(claude_events(claude(use("f", {}))))
    for event in events:
        if event["type"] == "content_block_delta" and event["delta"]["partial_json"]:
            event["delta"]["partial_json"] = '{"a": 1, b'
    turn, _ = fed("anthropic", events)
    assert turn.calls[0].arguments == '{"a": 1, b'
    content: Any = turn.messages[0]["content"]
    assert content[0]["input"] == {"INVALID_JSON": '{"a": 1, b'}


@pytest.mark.parametrize("vendor", EVENTS)
@pytest.mark.parametrize(
    "event",
    [None, "", 1, [], {}, {"type": "error", "error": {}}, {"type": []}, {"choices": [1]},
     {"choices": [{"delta": {"tool_calls": [{}]}}]}, {"candidates": [{"content": []}]},
     {"contentBlockDelta": {"delta": {"toolUse": 1}}}, {"contentBlockDelta": []},
     {"type": "content_block_delta", "index": 7, "delta": {"type": "text_delta", "text": "x"}},
     {"type": "response.output_text.delta"}, {"type": "response.output_item.added", "item": 1},
     {"type": "response.completed"}, {"type": "content_block_start", "index": [1]}],
    ids=str,
)  # fmt: skip
def test_other_events_change_nothing(vendor: str, event: Any) -> None:
    turn, (delta,) = fed(vendor, [event])
    assert delta.text == turn.text == ""


def test_citations_stay_with_their_text() -> None:
    cited = {"type": "char_location", "cited_text": "sun"}
    events = list(claude_events(REPLIES["anthropic"]["text"]))
    delta = {"type": "citations_delta", "citation": cited}
    events.insert(3, {"type": "content_block_delta", "index": 0, "delta": delta})
    turn, _ = fed("anthropic", events)
    content: Any = turn.messages[0]["content"]
    assert content == [{"type": "text", "text": "Sunny.", "citations": [cited]}]
    events = list(converse_events(REPLIES["bedrock"]["text"]))
    at = {"contentBlockIndex": 0, "delta": {"citation": {"title": "Sky"}}}
    events.insert(2, {"contentBlockDelta": at})
    turn, _ = fed("bedrock", events)
    content = turn.messages[0]["content"]
    made = {"content": [{"text": "Sunny."}], "citations": [{"title": "Sky"}]}
    assert (turn.text, content) == ("Sunny.", [{"citationsContent": made}])


def test_a_hidden_thought_of_bedrock_stays_bytes() -> None:
    events = [
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": piece}}}
        for piece in ({"redactedContent": b"\xff"}, {"redactedContent": b"\xfe"})
    ]
    content: Any = fed("bedrock", events)[0].messages[0]["content"]
    assert content == [{"reasoningContent": {"redactedContent": b"\xff\xfe"}}]


@pytest.mark.parametrize(
    "call", [{"name": "f", "willContinue": True}, {"partialArgs": [{"jsonPath": "$.n"}]}], ids=str
)
def test_a_call_of_gemini_in_pieces_is_refused(call: dict[str, Any]) -> None:
    parts = [{"functionCall": call}]
    with pytest.raises(DefinitionError, match="stream_function_call_arguments"):
        fed("gemini", [{"candidates": [{"content": {"role": "model", "parts": parts}}]}])
