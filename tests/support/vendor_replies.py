"""Replies of the vendors' servers, by case."""

import json
from typing import Any

from pyfunctools.testing.replies import (
    block,
    chat,
    chat_call,
    claude,
    cohere,
    converse,
    gemini,
    item,
    ollama,
    part,
    responses,
    spoken_item,
    use,
)

Json = dict[str, Any]

BROKEN = '{"city": "Par'
SIGNATURE = "__4Bc2lnPz4="


PARIS = {"city": "Paris"}
OSLO = {"city": "Oslo"}
P = json.dumps(PARIS)
Q = json.dumps(OSLO)


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
