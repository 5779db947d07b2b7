"""The replies of `vendor_replies` as the vendors' servers stream them."""

import json
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]


def pieces(text: str) -> list[str]:
    return [text[n : n + 4] for n in range(0, len(text), 4)]


def chat_events(reply: Json) -> Iterator[Json]:
    choice = reply["choices"][0]
    message = dict(choice["message"])
    calls = message.pop("tool_calls", [])

    def chunk(delta: Json, reason: str | None = None) -> Json:
        made = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
        return {**reply, "object": "chat.completion.chunk", "choices": [made], "usage": None}

    yield chunk({"role": "assistant", "content": "", "refusal": None})
    for key, value in message.items():
        if key != "role" and value:
            for each in pieces(value) if isinstance(value, str) else [[each] for each in value]:
                yield chunk({key: each})
    for index, call in enumerate(calls):
        function = call["function"]
        written = function["arguments"]
        whole = not isinstance(written, str)
        start = {**function, "arguments": written if whole else ""}
        yield chunk({"tool_calls": [{**call, "index": index, "function": start}]})
        for each in () if whole else pieces(written):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": each}}]})
    yield chunk({}, choice["finish_reason"])
    yield {**reply, "object": "chat.completion.chunk", "choices": []}


def mistral_events(reply: Json) -> Iterator[Json]:
    """Mistral sends whole calls, without an index, in the last piece."""
    *events, last, _ = chat_events(reply)
    calls = reply["choices"][0]["message"].get("tool_calls")
    for each in events:
        delta = each["choices"][0]["delta"]
        if not delta.get("tool_calls"):
            yield {**each, "usage": reply["usage"]}
    if calls:
        last["choices"][0]["delta"] = {"tool_calls": calls}
    yield {**last, "usage": reply["usage"]}


def responses_events(reply: Json) -> Iterator[Json]:
    opening = {**reply, "output": [], "status": "in_progress"}
    yield {"type": "response.created", "response": opening}
    for index, item in enumerate(reply["output"]):
        started = {**item}
        if item["type"] == "function_call":
            started |= {"arguments": "", "status": "in_progress"}
        if item["type"] == "message":
            started |= {"content": [], "status": "in_progress"}
        yield {"type": "response.output_item.added", "output_index": index, "item": started}
        where = {"item_id": item["id"], "output_index": index}
        if item["type"] == "function_call":
            for each in pieces(item["arguments"]):
                kind = "response.function_call_arguments.delta"
                yield {"type": kind, **where, "delta": each}
            yield {
                "type": "response.function_call_arguments.done",
                **where,
                "name": item["name"],
                "arguments": item["arguments"],
            }
        for number, part in enumerate(item.get("content", ())):
            key = "refusal" if part["type"] == "refusal" else "text"
            for each in pieces(part[key]):
                kind = f"response.{part['type']}.delta"
                yield {"type": kind, **where, "content_index": number, "delta": each}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": f"response.{reply['status']}", "response": reply}


def claude_events(reply: Json) -> Iterator[Json]:
    opening = {**reply, "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": opening}
    for index, block in enumerate(reply["content"]):
        started, deltas = dict(block), []
        match block["type"]:
            case "text":
                started["text"] = ""
                deltas = [{"type": "text_delta", "text": each} for each in pieces(block["text"])]
            case "tool_use":
                started["input"] = {}
                written = json.dumps(block["input"])
                deltas = [
                    {"type": "input_json_delta", "partial_json": each}
                    for each in ["", *pieces(written)]
                ]
            case "thinking":
                started |= {"thinking": "", "signature": ""}
                deltas = [
                    {"type": "thinking_delta", "thinking": each}
                    for each in pieces(block["thinking"])
                ]
                deltas.append({"type": "signature_delta", "signature": block["signature"]})
            case _:
                pass
        yield {"type": "content_block_start", "index": index, "content_block": started}
        yield {"type": "ping"}
        for each in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": each}
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": reply["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 9}}
    yield {"type": "message_stop"}


def gemini_events(reply: Json) -> Iterator[Json]:
    if "candidates" not in reply:
        yield reply
        return
    candidate = reply["candidates"][0]
    for part in candidate["content"]["parts"]:
        cut = pieces(part["text"]) if part.keys() <= {"text", "thought"} else [None]
        for each in cut:
            made = part if each is None else {**part, "text": each}
            yield {"candidates": [{"content": {"role": "model", "parts": [made]}, "index": 0}]}
    ended = {"role": "model", "parts": []}
    yield {"candidates": [{"content": ended, "finishReason": candidate["finishReason"]}]}


def converse_events(reply: Json) -> Iterator[Json]:
    yield {"messageStart": {"role": "assistant"}}
    for index, block in enumerate(reply["output"]["message"]["content"]):
        deltas: list[Json] = []
        at = {"contentBlockIndex": index}
        if "toolUse" in block:
            use = {key: block["toolUse"][key] for key in ("toolUseId", "name")}
            yield {"contentBlockStart": {**at, "start": {"toolUse": use}}}
            written = json.dumps(block["toolUse"]["input"])
            deltas = [{"toolUse": {"input": each}} for each in pieces(written)]
        elif "text" in block:
            deltas = [{"text": each} for each in pieces(block["text"])]
        elif "citationsContent" in block:
            text = block["citationsContent"]["content"][0]["text"]
            deltas = [{"text": each} for each in pieces(text)]
        else:
            thought = block["reasoningContent"]
            inner = thought.get("reasoningText", thought)
            deltas = [{"reasoningContent": {key: each}} for key, each in inner.items()]
        for each in deltas:
            yield {"contentBlockDelta": {**at, "delta": each}}
        yield {"contentBlockStop": at}
    yield {"messageStop": {"stopReason": reply["stopReason"]}}
    yield {"metadata": {"usage": reply["usage"], "metrics": {"latencyMs": 1}}}


def cohere_events(reply: Json) -> Iterator[Json]:
    message = reply["message"]
    yield {"type": "message-start", "id": "c1", "delta": {"message": {"role": "assistant"}}}

    def event(kind: str, index: int, **inner: Any) -> Json:
        return {"type": kind, "index": index, "delta": {"message": inner}}

    for each in pieces(message.get("tool_plan", "")):
        yield {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": each}}}
    for index, block in enumerate(message.get("content", ())):
        yield event("content-start", index, content={"type": "text", "text": ""})
        for each in pieces(block["text"]):
            yield event("content-delta", index, content={"text": each})
        yield {"type": "content-end", "index": index}
    for index, call in enumerate(message.get("tool_calls", ())):
        function = call["function"]
        started = {**call, "function": {**function, "arguments": ""}}
        yield event("tool-call-start", index, tool_calls=started)
        for each in pieces(function["arguments"]):
            yield event("tool-call-delta", index, tool_calls={"function": {"arguments": each}})
        yield {"type": "tool-call-end", "index": index}
    yield {"type": "message-end", "delta": {"finish_reason": reply["finish_reason"]}}


def ollama_events(reply: Json) -> Iterator[Json]:
    message = reply["message"]

    def part(**inner: Any) -> Json:
        piece = {"role": "assistant", "content": "", **inner}
        return {**reply, "done": False, "done_reason": None, "message": piece}

    for each in pieces(message.get("thinking", "")):
        yield part(thinking=each)
    for each in pieces(message["content"]):
        yield part(content=each)
    for call in message.get("tool_calls", ()):
        yield part(tool_calls=[call])
    yield {**reply, "message": {"role": "assistant", "content": ""}}


EVENTS = {
    "cohere": cohere_events,
    "ollama": ollama_events,
    "openai": chat_events,
    "mistral": mistral_events,
    "openai-responses": responses_events,
    "anthropic": claude_events,
    "gemini": gemini_events,
    "bedrock": converse_events,
}
