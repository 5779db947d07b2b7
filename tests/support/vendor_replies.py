"""Replies of the vendors' servers, by case."""

import json
from typing import Any

Json = dict[str, Any]

BROKEN = '{"city": "Par'
SIGNATURE = "__4Bc2lnPz4="


PARIS = {"city": "Paris"}
OSLO = {"city": "Oslo"}
P = json.dumps(PARIS)
Q = json.dumps(OSLO)


def chat(*calls: Json, reason: str = "tool_calls", **message: Any) -> Json:
    """Return a chat completion with these calls and fields of its message."""
    said: Json = {"role": "assistant", "content": None, "refusal": None, **message}
    if calls:
        said["tool_calls"] = list(calls)
    choice = {"index": 0, "finish_reason": reason, "logprobs": None, "message": said}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    whole = {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "usage": usage}
    return {**whole, "choices": [choice]}


def chat_call(name: str, arguments: Any, call_id: str | None = "call_1") -> Json:
    """Return a call of a chat completion; `arguments` are text, or an object of some servers."""
    call = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return call if call_id is None else {"id": call_id, **call}


def responses(*output: Json, status: str = "completed") -> Json:
    """Return a response of OpenAI's Responses interface with these items."""
    whole = {"id": "r1", "object": "response", "created_at": 1, "model": "m", "status": status}
    more = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": list[Any](), "error": None}
    return {**whole, **more, "output": list(output)}


def item(name: str, arguments: str, call_id: str | None = "call_1", **more: Any) -> Json:
    """Return the item of a call in a response of OpenAI's Responses interface."""
    call = {"type": "function_call", "id": f"fc_{call_id}", "status": "completed", **more}
    call |= {"name": name, "arguments": arguments}
    return call if call_id is None else {**call, "call_id": call_id}


def spoken_item(text: str, kind: str = "output_text") -> Json:
    """Return the item of a text in a response of OpenAI's Responses interface."""
    part: Json = {"type": kind, kind.removeprefix("output_"): text}
    if kind == "output_text":
        part["annotations"] = []
    message = {"type": "message", "id": "m1", "role": "assistant", "status": "completed"}
    return {**message, "content": [part]}


def claude(*content: Json, reason: str = "tool_use") -> Json:
    """Return a message of Anthropic with these blocks."""
    whole = {"id": "m1", "type": "message", "role": "assistant", "model": "c"}
    usage = {"input_tokens": 1, "output_tokens": 1}
    return {**whole, "stop_reason": reason, "stop_sequence": None, "usage": usage} | {
        "content": list(content)
    }


def use(name: str, arguments: Json, call_id: str = "toolu_1") -> Json:
    """Return the block of a call in a message of Anthropic."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def gemini(*parts: Json, reason: str = "STOP") -> Json:
    """Return a response of Gemini with these parts."""
    content = {"role": "model", "parts": list(parts)}
    return {"candidates": [{"content": content, "finishReason": reason, "index": 0}]}


def part(name: str, arguments: Json, call_id: str | None = None, **more: Any) -> Json:
    """Return the part of a call in a response of Gemini."""
    call = {"name": name, "args": arguments}
    return {"functionCall": call if call_id is None else {"id": call_id, **call}, **more}


def converse(*content: Json, reason: str = "tool_use") -> Json:
    """Return a response of Bedrock's Converse with these blocks."""
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
    message = {"role": "assistant", "content": list(content)}
    whole = {"output": {"message": message}, "stopReason": reason}
    return {**whole, "usage": usage, "metrics": {"latencyMs": 1}}


def block(name: str, arguments: Json, call_id: str = "tooluse_1") -> Json:
    """Return the block of a call in a Converse response."""
    return {"toolUse": {"toolUseId": call_id, "name": name, "input": arguments}}


def cohere(*calls: Json, reason: str = "TOOL_CALL", **message: Any) -> Json:
    """Return a response of Cohere's v2 with these calls and fields of its message."""
    listed = {"tool_calls": list(calls)} if calls else {}
    spoken = {"role": "assistant", **message, **listed}
    return {"id": "c1", "finish_reason": reason, "message": spoken}


def ollama(*calls: Json, reason: str = "stop", content: str = "", **message: Any) -> Json:
    """Return a response of Ollama with these calls and fields of its message."""
    listed = {"tool_calls": [{"function": each} for each in calls]} if calls else {}
    spoken = {"role": "assistant", "content": content, **message, **listed}
    when = {"model": "qwen3", "created_at": "2026-11-23T00:00:00Z"}
    return {**when, "message": spoken, "done": True, "done_reason": reason}


def called(arguments: Json) -> Json:
    return {"name": "weather", "arguments": arguments}


REPLIES: dict[str, dict[str, Json]] = {
    "cohere": {
        "text": cohere(content=[{"type": "text", "text": "Sunny."}], reason="COMPLETE"),
        "single": cohere(
            chat_call("weather", P), content=[{"type": "text", "text": "Let me see."}]
        ),
        "parallel": cohere(chat_call("weather", P), chat_call("weather", Q, "call_2")),
        "broken": cohere(chat_call("weather", BROKEN)),
        "cut": cohere(
            chat_call("weather", P), chat_call("weather", Q, "call_2"), reason="MAX_TOKENS"
        ),
        "thinking": cohere(chat_call("weather", P), tool_plan="Paris, then."),
    },
    "ollama": {
        "text": ollama(content="Sunny."),
        "single": ollama(called(PARIS), content="Let me see."),
        "parallel": ollama(called(PARIS), called(OSLO)),
        "cut": ollama(called(PARIS), called(OSLO), reason="length"),
        "thinking": ollama(called(PARIS), thinking="Paris, then."),
    },
    "openai": {
        "text": chat(content="Sunny.", reason="stop"),
        "single": chat(chat_call("weather", P), content="Let me see."),
        "parallel": chat(chat_call("weather", P), chat_call("weather", Q, "call_2")),
        "broken": chat(chat_call("weather", BROKEN)),
        "refused": chat(refusal="No.", reason="stop"),
        "cut": chat(chat_call("weather", P), chat_call("weather", Q, "call_2"), reason="length"),
        "thinking": chat(chat_call("weather", P), reasoning_content="Paris, then."),
    },
    "mistral": {
        "text": chat(content="Sunny.", reason="stop"),
        "single": chat(chat_call("weather", PARIS), content="Let me see."),
        "parallel": chat(chat_call("weather", P, None), chat_call("weather", Q, None)),
        "broken": chat(chat_call("weather", BROKEN)),
        "cut": chat(chat_call("weather", P), chat_call("weather", Q, "b"), reason="model_length"),
        "thinking": chat(
            chat_call("weather", P),
            content=[
                {"type": "thinking", "thinking": [{"type": "text", "text": "Paris, then."}]},
                {"type": "text", "text": "Well."},
            ],
        ),
    },
    "openai-responses": {
        "text": responses(spoken_item("Sunny.")),
        "single": responses(spoken_item("Let me see."), item("weather", P)),
        "parallel": responses(item("weather", P), item("weather", Q, "call_2")),
        "broken": responses(item("weather", BROKEN)),
        "refused": responses(spoken_item("No.", "refusal")),
        "cut": responses(
            item("weather", P),
            item("weather", Q, "call_2", status="incomplete"),
            status="incomplete",
        ),
        "thinking": responses(
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "xyz"},
            item("weather", P),
        ),
        "unknown": responses({"type": "telepathy", "id": "t1", "waves": [1]}, item("weather", P)),
        "theirs": responses(
            {
                "type": "mcp_call",
                "id": "mcp_1",
                "server_label": "s",
                "name": "weather",
                "arguments": P,
                "output": Q,
            },
            item("weather", Q),
        ),
    },
    "anthropic": {
        "text": claude({"type": "text", "text": "Sunny."}, reason="end_turn"),
        "single": claude({"type": "text", "text": "Let me see."}, use("weather", PARIS)),
        "parallel": claude(use("weather", PARIS), use("weather", OSLO, "toolu_2")),
        "refused": claude({"type": "text", "text": "No."}, reason="refusal"),
        "cut": claude(use("weather", PARIS), use("weather", OSLO, "t2"), reason="max_tokens"),
        "thinking": claude(
            {"type": "thinking", "thinking": "Paris, then.", "signature": "sig"},
            {"type": "redacted_thinking", "data": "xyz"},
            use("weather", PARIS),
        ),
        "unknown": claude({"type": "telepathy", "waves": [1]}, use("weather", PARIS)),
        "theirs": claude(
            {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": PARIS},
            use("weather", OSLO),
        ),
        "paused": claude(
            {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": PARIS},
            reason="pause_turn",
        ),
        "empty": claude(reason="end_turn"),
    },
    "gemini": {
        "text": gemini({"text": "Sunny."}),
        "single": gemini({"text": "Let me see."}, part("weather", PARIS, "g1")),
        "parallel": gemini(
            part("weather", PARIS, thoughtSignature=SIGNATURE), part("weather", OSLO)
        ),
        "refused": {"promptFeedback": {"blockReason": "SAFETY"}},
        "cut": gemini(part("weather", PARIS), part("weather", OSLO), reason="MAX_TOKENS"),
        "thinking": gemini(
            {"text": "Paris, then.", "thought": True},
            part("weather", PARIS, thoughtSignature=SIGNATURE),
        ),
        "theirs": gemini(
            {"executableCode": {"language": "PYTHON", "code": "weather(city='Paris')"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "weather(city='Rome')"}},
            part("weather", OSLO),
        ),
    },
    "bedrock": {
        "text": converse({"text": "Sunny."}, reason="end_turn"),
        "single": converse({"text": "Let me see."}, block("weather", PARIS)),
        "parallel": converse(block("weather", PARIS), block("weather", OSLO, "tooluse_2")),
        "refused": converse({"text": "No."}, reason="guardrail_intervened"),
        "cut": converse(
            block("weather", PARIS), block("weather", OSLO, "tooluse_2"), reason="max_tokens"
        ),
        "thinking": converse(
            {"reasoningContent": {"reasoningText": {"text": "Paris, then.", "signature": "sig"}}},
            {"reasoningContent": {"redactedContent": "//4B"}},
            block("weather", PARIS),
        ),
        "cited": converse(
            {"citationsContent": {"content": [{"text": "Sunny."}], "citations": []}},
            reason="end_turn",
        ),
    },
}
