"""The real clients of the vendors' SDKs over scripted transports: no network, no key.

A test that needs one is skipped if its SDK is not installed.
"""

import json
from collections.abc import Callable
from typing import Any

import httpx
import httpx2
import pytest

KEY = "not-a-key"
User = dict[str, Any]


class Script:
    """A transport that answers with scripted replies and keeps the requests."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.sent: list[bytes] = []

    @property
    def last(self) -> Any:
        """The body of the last request."""
        return json.loads(self.sent[-1])

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        self.sent.append(request.read())
        reply = self.replies.pop(0)
        if isinstance(reply, list):  # the events of a stream
            lines = "".join(
                (f"event: {each['type']}\n" if "type" in each else "")
                + f"data: {json.dumps(each)}\n\n"
                for each in reply
            )
            kind = {"content-type": "text/event-stream"}
            return httpx2.Response(200, content=lines.encode(), headers=kind)
        return httpx2.Response(200, json=reply)

    @property
    def older(self) -> httpx.MockTransport:
        """The transport for SDKs that use the older httpx; Ollama streams lines of JSON."""

        def answer(request: httpx.Request) -> httpx.Response:
            in_lines = request.url.path == "/api/chat" and isinstance(self.replies[0], list)
            lines = "".join(f"{json.dumps(each)}\n" for each in self.replies[0])
            made = self.answer(httpx2.Request("POST", "https://x", content=request.read()))
            kind = {"content-type": made.headers["content-type"]}
            content = lines.encode() if in_lines else made.content
            return httpx.Response(200, content=content, headers=kind)

        return httpx.MockTransport(answer)

    @property
    def client(self) -> httpx2.Client:
        return httpx2.Client(transport=httpx2.MockTransport(self.answer))


def openai_chat(script: Script) -> Callable[..., Any]:
    OpenAI = pytest.importorskip("openai").OpenAI
    client = OpenAI(api_key=KEY, http_client=script.client)

    def ask(messages: list[Any], tools: list[Any], **more: Any) -> Any:
        return client.chat.completions.create(
            model="gpt-5.6", messages=messages, tools=tools, **more
        )

    return ask


def openai_responses(script: Script) -> Callable[..., Any]:
    OpenAI = pytest.importorskip("openai").OpenAI
    client = OpenAI(api_key=KEY, http_client=script.client)

    def ask(messages: list[Any], tools: list[Any], **more: Any) -> Any:
        return client.responses.create(model="gpt-5.6", input=messages, tools=tools, **more)

    return ask


def anthropic(script: Script) -> Callable[..., Any]:
    Anthropic = pytest.importorskip("anthropic").Anthropic
    client = Anthropic(api_key=KEY, http_client=script.client)

    def ask(messages: list[Any], tools: list[Any], **more: Any) -> Any:
        return client.messages.create(
            model="claude-opus-5", max_tokens=99, messages=messages, tools=tools, **more
        )

    return ask


def gemini(script: Script) -> Callable[..., Any]:
    genai = pytest.importorskip("google.genai")
    options = genai.types.HttpOptions(httpx_client=script.client)
    client = genai.Client(api_key=KEY, http_options=options)

    def ask(messages: list[Any], tools: list[Any], *, stream: bool = False) -> Any:
        models = client.models
        method = models.generate_content_stream if stream else models.generate_content
        config: Any = {"tools": tools}
        return method(model="gemini-3-pro", contents=messages, config=config)

    return ask


def mistral(script: Script) -> Callable[..., Any]:
    Mistral = pytest.importorskip("mistralai.client").Mistral
    client = Mistral(api_key=KEY, client=script.client)

    def ask(messages: list[Any], tools: list[Any], *, stream: bool = False) -> Any:
        method = client.chat.stream if stream else client.chat.complete
        return method(model="mistral-large", messages=messages, tools=tools)

    return ask


def bedrock(script: Script) -> Callable[..., Any]:
    """Bedrock's Converse: botocore builds and checks the request, and returns the parsed reply."""
    pytest.importorskip("botocore")
    import botocore.session
    from botocore.awsrequest import AWSResponse

    session = botocore.session.Session()
    session.set_credentials("a", "b")
    client = session.create_client("bedrock-runtime", region_name="us-east-1")

    class Raw:
        def __init__(self, content: bytes) -> None:
            self._content = content

        def stream(self, **_: Any) -> Any:
            yield self._content

    def answer(request: Any, **_: Any) -> Any:
        body = request.body
        reply = script.answer(httpx2.Request("POST", "https://x", content=body))
        return AWSResponse(
            request.url, 200, {"content-type": "application/json"}, Raw(reply.content)
        )

    client.meta.events.register("before-send.bedrock-runtime.Converse", answer)

    def ask(messages: list[Any], tools: Any, **more: Any) -> Any:
        return client.converse(modelId="claude", messages=messages, toolConfig=tools, **more)

    return ask


def cohere(script: Script) -> Callable[..., Any]:
    ClientV2 = pytest.importorskip("cohere").ClientV2
    client = ClientV2(api_key=KEY, httpx_client=httpx.Client(transport=script.older))

    def ask(messages: list[Any], tools: list[Any], *, stream: bool = False) -> Any:
        method = client.chat_stream if stream else client.chat
        return method(model="command-a", messages=messages, tools=tools)

    return ask


def ollama(script: Script) -> Callable[..., Any]:
    Client = pytest.importorskip("ollama").Client
    client = Client(transport=script.older)

    def ask(messages: list[Any], tools: list[Any], **more: Any) -> Any:
        return client.chat(model="qwen3", messages=messages, tools=tools, **more)

    return ask


CLIENTS = {
    "cohere": cohere,
    "ollama": ollama,
    "openai": openai_chat,
    "mistral": mistral,
    "openai-responses": openai_responses,
    "anthropic": anthropic,
    "gemini": gemini,
    "bedrock": bedrock,
}
