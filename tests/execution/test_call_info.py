"""The info of a call, for the function that runs and for a server."""

import asyncio
from collections.abc import Iterator
from typing import Annotated, Any

import httpx
import pytest

from pyfunctools import CallInfo, Controller, DefinitionError, Function, Human, function
from pyfunctools.limits import Limits

SEEN: list[CallInfo | None] = []


class Bank:
    @function
    def pay(self, amount: int, info: CallInfo) -> int:
        SEEN.append(info)
        return amount

    @function
    async def pay_later(self, amount: int, *, info: CallInfo | None = None) -> int:
        SEEN.append(info)
        return amount

    @function
    def pay_with(self, amount: int, pin: Human[str], info: Annotated[CallInfo, "which"]) -> int:
        SEEN.append(info)
        return amount


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    SEEN.clear()
    with BANK:
        yield


BANK = Controller.from_object(Bank())


@pytest.mark.parametrize("name", ["pay", "pay_later", "pay_with"])
def test_call_info_is_in_no_schema(name: str) -> None:
    assert "info" not in str(BANK[name].parameters)
    assert "info" not in str(BANK[name].llm)


@pytest.mark.parametrize("name", ["pay", "pay_later"])
def test_a_method_with_the_hint_gets_the_info_of_its_call(name: str) -> None:
    BANK.call(name, {"amount": 1}, audience="ann")
    asyncio.run(BANK.acall(name, {"amount": 1}))
    first, second = SEEN
    assert first is not None
    assert (first.function, first.attempt, first.audience) == (name, 1, "ann")
    assert second is not None
    assert second.audience is None
    assert first.id != second.id


def test_the_model_cannot_write_it() -> None:
    outcome = BANK.call("pay", {"amount": 1, "info": {"id": "mine", "function": "pay"}})
    assert outcome.reason == "arguments"
    assert SEEN == []


def test_the_id_is_the_vendors_also_after_a_resume(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "pyfunctools.calls")
    [call] = BANK.parse_calls([{"id": "call_7", "name": "pay_with", "arguments": {"amount": 1}}])
    waiting = BANK.call(call, audience="ann").waiting
    assert waiting is not None
    assert waiting.call_id == "call_7"
    mistaken = BANK.resume(waiting.ticket or "", {"pin": 3.5}, audience="ann").waiting
    assert mistaken is not None
    BANK.resume(mistaken.ticket or "", {"pin": "1"}, audience="ann").unwrap()
    expected = CallInfo(id="call_7", function="pay_with", attempt=2, audience="ann")
    assert [expected] == SEEN
    assert {vars(record)["call_id"] for record in caplog.records} == {"call_7"}


def test_a_handler_of_a_written_schema_gets_the_info_by_its_hint() -> None:
    def handler(a: int, info: "CallInfo") -> str:
        SEEN.append(info)
        return info.function

    made = Function.from_schema(
        name="f",
        parameters={"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
        handler=handler,
    )
    assert Controller.from_functions([made]).call("f", {"a": 1}).unwrap() == "f"
    with pytest.raises(DefinitionError, match="The program gives `info`"):
        Function.from_schema(
            name="f",
            parameters={"type": "object", "properties": {"a": {}, "info": {}}},
            handler=handler,
        )


def test_the_hint_inside_another_type_is_refused() -> None:
    def f(infos: list[CallInfo]) -> None: ...

    with pytest.raises(DefinitionError, match="infos"):
        _ = Controller.from_functions([f])["f"].parameters


PATHS: dict[str, Any] = {
    "/pay": {
        "post": {
            "operationId": "pay",
            "parameters": [
                {
                    "name": "idempotency-key",
                    "in": "header",
                    "required": True,
                    "schema": {"type": "string"},
                },
                {"name": "X-Api-Key", "in": "header", "schema": {"type": "string"}},
            ],
        },
        "get": {"operationId": "list"},
    }
}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Bank", "version": "1"},
    "paths": PATHS,
}


class Server:
    """A server that keeps its requests, and answers with these statuses and then with 200."""

    def __init__(self, *statuses: int) -> None:
        self.requests: list[httpx.Request] = []
        self._left = list(statuses)
        self.client = httpx.Client(transport=httpx.MockTransport(self._answer))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return httpx.Response(self._left.pop(0) if self._left else 200, json={})

    def bank(self, **settings: Any) -> Controller:
        settings = {"server": "https://h", "names": "operation_id", **settings}
        return Controller.from_openapi(DOCUMENT, client=self.client, **settings)


def test_the_header_of_a_connection_has_the_id_of_the_call() -> None:
    server = Server(503)
    bank = server.bank(idempotency_header="Idempotency-Key", limits=Limits(retries=1))
    assert "idempotency" not in str(bank["pay"].parameters).lower()
    [call] = bank.parse_calls([{"id": "call_7", "name": "pay", "arguments": {}}])
    assert bank.call(call).ok
    sent = [each.headers["idempotency-key"] for each in server.requests]
    assert sent == ["call_7", "call_7"], "the same id makes it safe to send again"
    bank.call("list")
    assert "idempotency-key" not in server.requests[-1].headers


@pytest.mark.parametrize("call_id", ["ü", "a\r\nEvil: 1", "x" * 256, " "])
def test_an_id_that_is_not_a_valid_header_is_sent_as_its_digest(call_id: str) -> None:
    server = Server()
    bank = server.bank(idempotency_header="Idempotency-Key")
    [call] = bank.parse_calls([{"id": call_id, "name": "pay", "arguments": {}}])
    assert bank.call(call).ok
    sent = server.requests[-1].headers
    assert len(sent["idempotency-key"]) == 64
    assert "evil" not in sent


@pytest.mark.parametrize(
    "settings",
    [
        {"idempotency_header": ""},
        {"idempotency_header": "a b"},
        {"idempotency_header": "Content-Length"},
        {"idempotency_header": True},
        {"idempotency_header": "X-Id", "headers": {"x-id": "1"}},
        {"auth": {"header:": "k"}},
        {"auth": {"header:a b": "k"}},
        {"auth": {"header:Host": "k"}},
        {"auth": {"query:": "k"}},
        {"auth": {"cookie:sid": "k"}},
        {"auth": {3: "k"}},
    ],
    ids=str,
)
def test_a_name_that_cannot_be_sent_is_refused(settings: Any) -> None:
    with pytest.raises(DefinitionError):
        Server().bank(**settings)


def test_a_credential_may_name_its_header_if_the_document_has_no_scheme() -> None:
    server = Server(401)
    bank = server.bank(
        auth={"header:X-Api-Key": "S3CRET-1", "query:key": lambda: "S3CRET-2"},
        expose_error_body=True,
        headers={"idempotency-key": "1"},
    )
    outcome = bank.call("pay", {"header": {"X-Api-Key": "the model's"}})
    assert outcome.reason == "arguments", "the connection's name is not the model's to set"
    outcome = bank.call("pay", {})
    [request] = server.requests
    assert request.headers["x-api-key"] == "S3CRET-1"
    assert request.url.query == b"key=S3CRET-2"
    assert outcome.reason == "status"
    assert "S3CRET" not in repr((outcome, bank, vars(bank)))
