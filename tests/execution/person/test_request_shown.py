"""What a person approves is the request that is sent, with its secrets covered."""

from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from pyfunctools import Controller, PendingCall, Tools
from pyfunctools.record.outcome import Request

KEY, TOKEN, PIN, TENANT = "key-9471-secret", "token-8365-secret", "pin-2746", "tenant-secret-1"
DOCUMENT: Mapping[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Bank", "version": "1"},
    "components": {
        "securitySchemes": {
            "bearer": {"type": "http", "scheme": "bearer"},
            "basic": {"type": "http", "scheme": "basic"},
            "key": {"type": "apiKey", "in": "query", "name": "api_key"},
        }
    },
    "paths": {
        "/accounts/{account}/payments": {
            "post": {
                "security": [{"bearer": [], "key": []}],
                "parameters": [
                    {
                        "name": "account",
                        "in": "path",
                        "required": True,
                        "schema": {"type": "string"},
                    },
                    {"name": "X-Tenant-Token", "in": "header", "schema": {"type": "string"}},
                ],
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {
                                    "amount": {"type": "integer"},
                                    "pin": {"type": "string", "format": "password"},
                                },
                                "required": ["amount", "pin"],
                            }
                        }
                    }
                },
            }
        }
    },
}
NAME = "accounts_payments_postByAccount"
ARGUMENTS = {"account": "a/1", "body": {"amount": 250}}
HUMAN = {"body": {"pin": PIN}}
SENT: list[httpx.Request] = []


def bank(**settings: Any) -> Controller:
    def answer(request: httpx.Request) -> httpx.Response:
        SENT.append(request)
        return httpx.Response(200, json={})

    SENT.clear()
    controller = Controller.from_openapi(
        DOCUMENT,
        server="https://bank.example/v1",
        auth={"bearer": lambda: TOKEN, "key": KEY},
        headers={"X-Channel": "app"},
        client=httpx.Client(transport=httpx.MockTransport(answer)),
    )
    return controller.configured(
        confirm=True, fixed={"$input.header.X-Tenant-Token": TENANT}, **settings
    )


def covered(text: str) -> str:
    for secret in (KEY, TOKEN, PIN, TENANT):
        text = text.replace(secret, "***")
    return text


def test_the_request_that_is_approved_is_the_request_that_is_sent() -> None:
    shown: list[PendingCall] = []

    def approve(pending: PendingCall) -> bool:
        shown.append(pending)
        return True

    with bank() as controller:
        assert controller.call(NAME, ARGUMENTS, human=HUMAN, approve=approve).ok
    request, sent = shown[0].request, SENT[0]
    assert request is not None
    target = covered(sent.url.raw_path.decode())
    assert (request.method, request.url) == (sent.method, f"https://bank.example{target}")
    assert request.content == covered(sent.content.decode())
    assert request.headers.items() <= {name: covered(v) for name, v in sent.headers.items()}.items()
    assert request.headers["authorization"] == "Bearer ***"
    assert request.headers["x-channel"] == "app"
    assert KEY not in repr(shown)
    assert "accounts" not in repr(request)


def test_a_waiting_call_has_its_request_without_any_value_of_the_person() -> None:
    with bank() as controller:
        outcome = controller.call(NAME, ARGUMENTS, human=HUMAN)
        waiting = outcome.waiting
        assert waiting is not None
        assert isinstance(waiting.request, Request)
        assert waiting.request.url == "https://bank.example/v1/accounts/a%2F1/payments?api_key=***"
        assert waiting.request.content == '{"amount":250,"pin":"***"}'
        assert not SENT


def test_a_saved_turn_keeps_the_request() -> None:
    response = {"choices": [{"message": {"role": "assistant", "tool_calls": [_call()]}}]}
    with bank() as controller:
        tools: Tools = controller.tools("openai")
        turn = tools.run(response, human=lambda _: HUMAN)
        again = tools.resume(turn.save(), {})
        assert turn.outcomes[0].waiting is not None
        assert again.outcomes[0].waiting is not None
        assert again.outcomes[0].waiting.request == turn.outcomes[0].waiting.request


def _call() -> dict[str, Any]:
    arguments = '{"account": "a/1", "body": {"amount": 250}}'
    return {"id": "1", "type": "function", "function": {"name": NAME, "arguments": arguments}}


def test_no_credential_is_asked_for_to_show_a_request() -> None:
    asked: list[str] = []
    with Controller.from_openapi(
        DOCUMENT,
        server="https://bank.example",
        auth={"bearer": lambda: asked.append("bearer") or TOKEN, "key": KEY},
    ) as controller:
        waits = controller.configured(confirm=True)
        outcome = waits.call(NAME, ARGUMENTS, human=HUMAN)
    assert outcome.waiting is not None
    assert outcome.waiting.request is not None
    assert not asked


@pytest.mark.parametrize("scheme", ["basic", "bearer", "digest", "negotiate"])
def test_a_request_is_shown_whatever_its_scheme(scheme: str) -> None:
    document = {
        "openapi": "3.1.0",
        "paths": {"/a": {"post": {"security": [{"k": []}]}}},
        "components": {"securitySchemes": {"k": {"type": "http", "scheme": scheme}}},
    }
    with Controller.from_openapi(
        document, server="https://a.example", auth={"k": f"ada:{KEY}"}
    ) as controller:
        waiting = controller.configured(confirm=True).call("a_post").waiting
    assert waiting is not None
    assert waiting.request is not None
    assert KEY not in str(waiting.request.headers)


def test_a_call_without_http_has_no_request() -> None:
    def refund(amount: int) -> None:
        """Refund."""

    shown: list[PendingCall] = []
    controller = Controller.from_functions([refund]).configured(confirm=True)
    outcome = controller.call("refund", {"amount": 1}, approve=shown.append)
    assert shown[0].request is None
    assert outcome.waiting is not None
    assert outcome.waiting.request is None
