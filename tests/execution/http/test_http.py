"""Calls over HTTP, against real servers on 127.0.0.1."""

import asyncio
import gc
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest
from watched import watched

from pyfunctools import DefinitionError, DocumentError, Function
from pyfunctools.execution.http import transports
from pyfunctools.execution.http.runner import HttpRunner
from pyfunctools.limits import Limits
from pyfunctools.route import Parameter, SecurityScheme, Server

from ..conftest import WAYS, Connection, aran, called, operation, ran

Answering = Callable[[Callable[[Connection], None]], Any]

SECRET = "SECRET-7f3a"
ONE = {"id": "1"}


@pytest.fixture(params=["httpx", "httpx2"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the only library that is installed."""
    pytest.importorskip(request.param)
    monkeypatch.setattr(transports, "find_spec", lambda name: name == request.param or None)
    return str(request.param)


@pytest.fixture
def fine(answering: Answering) -> Any:
    return answering(lambda connection: connection.answer())


def guarded(*schemes: SecurityScheme, method: str = "GET", **rest: Any) -> Function:
    """Return an operation that wants all of these schemes."""
    return operation(
        method,
        security=({scheme.name: () for scheme in schemes},),
        schemes={scheme.name: scheme for scheme in schemes},
        **rest,
    )


KEY = SecurityScheme(name="key", type="apiKey", location="header", parameter="X-API-Key")
IN_QUERY = SecurityScheme(name="query", type="apiKey", location="query", parameter="api_key")
IN_COOKIE = SecurityScheme(name="cookie", type="apiKey", location="cookie", parameter="sid")
BEARER = SecurityScheme(name="bearer", type="http", scheme="bearer")
BASIC = SecurityScheme(name="basic", type="http", scheme="basic")
DIGEST = SecurityScheme(name="digest", type="http", scheme="digest")


@pytest.mark.parametrize("way", WAYS)
def test_a_call_sends_a_request_and_returns_its_response(
    answering: Answering, way: str, library: str
) -> None:
    server = answering(lambda connection: connection.answer(body=b'{"n": 1}'))
    runner = HttpRunner(server=f"{server.url}/v1", headers={"X-Own": "1"})
    arguments = {"id": "a b", "query": {"q": "x&y"}, "header": {"X-T": "t"}, "body": {"a": "ü"}}
    outcome = called(runner, operation("POST"), arguments, way)
    assert (outcome.text, outcome.value, outcome.response.status) == ('{"n":1}', {"n": 1}, 200)
    assert (outcome.response.sent, outcome.function, outcome.is_error) == (
        "yes",
        "operation",
        False,
    )
    (request,) = server.requests
    assert request.line == "POST /v1/things/a%20b?q=x%26y HTTP/1.1"
    assert request.body == '{"a":"ü"}'.encode()
    assert request.header("host") == server.url.removeprefix("http://")
    assert request.header("x-own") == "1"
    assert request.header("x-t") == "t"
    assert request.header("content-type") == "application/json"
    assert request.header("accept-encoding") == "gzip, deflate"
    assert request.header("accept") == "*/*"
    assert request.header("user-agent") == "pyfunctools"


def test_a_path_arrives_as_it_was_built(fine: Any) -> None:
    called(HttpRunner(server=fine.url), operation(path="/c;v=1/{id};w=2"), {"id": "a;b/c"})
    assert fine.requests[0].line == "GET /c;v=1/a%3Bb%2Fc;w=2 HTTP/1.1"
    with pytest.raises(DocumentError):
        operation(path="/c{id};v=1/{id}/%2e")


@pytest.mark.parametrize("way", WAYS)
def test_bad_arguments_are_a_failure_and_nothing_is_sent(fine: Any, way: str) -> None:
    outcome = called(HttpRunner(server=fine.url), operation(), {"id": "../admin"}, way)
    assert outcome.is_error
    assert outcome.response.sent == "no"
    assert outcome.issues
    assert [str(issue.path) for issue in outcome.issues] == ["$input.id"]
    assert fine.connections == 0


def test_a_write_without_a_body_has_a_length(fine: Any) -> None:
    called(HttpRunner(server=fine.url), operation("POST"), ONE)
    assert fine.requests[0].header("content-length") == "0"


def test_the_response_to_head_has_no_body(answering: Answering) -> None:
    def head(connection: Connection) -> None:
        connection.send(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\nX-N: 1\r\n\r\n")

    outcome = called(HttpRunner(server=answering(head).url), operation("HEAD"), ONE)
    assert (outcome.is_error, outcome.value, outcome.response.headers["x-n"]) == (False, None, "1")


@pytest.mark.parametrize("way", WAYS)
def test_each_scheme_sends_its_credential_where_it_belongs(fine: Any, way: str) -> None:
    auth = {"key": "k", "query": "q&", "cookie": "c", "bearer": "b", "unused": SECRET}
    function = guarded(KEY, IN_QUERY, IN_COOKIE, BEARER)
    called(HttpRunner(server=fine.url, auth=auth), function, ONE, way)
    (request,) = fine.requests
    assert request.line == "GET /things/1?api_key=q%26 HTTP/1.1"
    assert request.header("x-api-key") == "k"
    assert request.header("cookie") == "sid=c"
    assert request.header("authorization") == "Bearer b"
    assert SECRET not in request.head.decode()


@pytest.mark.parametrize("way", WAYS)
def test_credentials_and_headers_may_be_functions_of_the_context(fine: Any, way: str) -> None:
    runner = HttpRunner(
        server=fine.url,
        headers=lambda context: {"X-User": context["user"]},
        auth={"basic": lambda: ("u", "p"), "key": lambda context: context["key"]},
    )
    called(runner, guarded(BASIC, KEY), ONE, way, {"user": "ann", "key": "k"})
    (request,) = fine.requests
    assert request.header("authorization") == "Basic dTpw"
    assert (request.header("x-user"), request.header("x-api-key")) == ("ann", "k")


async def later(value: object = "k") -> object:
    await asyncio.sleep(0)
    return value


async def later_headers() -> dict[str, str]:
    return {"X-Later": "1"}


def test_a_function_that_has_to_be_awaited_works_where_it_can_be(fine: Any) -> None:
    runner = HttpRunner(server=fine.url, headers=later_headers, auth={"key": later})
    called(runner, guarded(KEY), ONE, "arun")
    assert fine.requests[0].header("x-api-key") == "k"
    assert fine.requests[0].header("x-later") == "1"
    with pytest.raises(DefinitionError, match="acall"):
        called(runner, guarded(KEY), ONE)


def fails() -> str:
    raise ValueError(SECRET)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("given", [{"headers": fails}, {"auth": {"key": fails}}], ids=["h", "a"])
def test_a_function_that_fails_is_an_error_outcome_without_its_message(
    fine: Any, way: str, given: Any
) -> None:
    outcome = called(HttpRunner(server=fine.url, **given), guarded(KEY), ONE, way)
    assert outcome.text == "The credentials could not be obtained (ValueError). Nothing was sent."
    assert (outcome.is_error, outcome.response.sent, fine.connections) == (True, "no", 0)


def md5(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()  # noqa: S324 - it is what RFC 2617 says


DIGESTS = (
    'Digest realm="r", nonce="n", qop="auth", algorithm=MD5',
    'Basic realm="a, Digest b", Digest realm="r",nonce="n", qop="auth,auth-int"',
    'Negotiate, Bearer abc==, Digest realm="r", nonce="n", qop="auth", , Negotiate abc==',
    'Digest realm="r", nonce="n", algorithm=SHA-512-256, Digest realm="r", nonce="n", qop="auth"',
)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("challenge", DIGESTS)
def test_digest_answers_a_challenge(
    answering: Answering, challenge: str, way: str, library: str
) -> None:
    def guard(connection: Connection) -> None:
        given = connection.header("authorization")
        if given is None:
            connection.answer(401, WWW_Authenticate=challenge)
            return
        parts = dict(re.findall(r'(\w+)="?([^",]+)"?', given))
        middle = f"n:{parts['nc']}:{parts['cnonce']}:auth"
        proof = md5(f"{md5('u:r:p')}:{middle}:{md5('GET:/things/1')}")
        connection.answer(200 if parts["response"] == proof else 403)

    server = answering(guard)
    runner = HttpRunner(server=server.url, auth={"digest": ("u", "p")})
    assert called(runner, guarded(DIGEST), ONE, way).response.status == 200
    assert len(server.requests) == 2


@pytest.mark.parametrize("user", ["ü", "u"])
@pytest.mark.parametrize("challenge", ["Basic", 'Digest realm="é", nonce="n"', '", Digest,,=', ""])
def test_a_challenge_that_cannot_be_answered_is_not(
    answering: Answering, user: str, challenge: str
) -> None:
    server = answering(lambda connection: connection.answer(401, WWW_Authenticate=challenge))
    runner = HttpRunner(server=server.url, auth={"digest": (user, "p")})
    assert called(runner, guarded(DIGEST), ONE).response.status == 401
    assert len(server.requests) == 1


def test_a_user_that_no_header_can_hold_is_not_sent(answering: Answering) -> None:
    challenge = 'Digest realm="r", nonce="n"'
    server = answering(lambda connection: connection.answer(401, WWW_Authenticate=challenge))
    runner = HttpRunner(server=server.url, auth={"digest": ("ü", "p")})
    assert called(runner, guarded(DIGEST), ONE).response.status == 401


# Where a call may go.


def test_the_documents_server_is_used_only_where_it_is_accepted(fine: Any) -> None:
    function = operation(servers=(Server(url=f"{fine.url}/{{v}}", variables={"v": "v1"}),))
    with pytest.raises(DefinitionError):
        called(HttpRunner(), function, ONE)
    called(HttpRunner(server=True, variables={"v": "v2"}), function, ONE)
    assert fine.requests[0].line == "GET /v2/things/1 HTTP/1.1"


@pytest.mark.audited
@pytest.mark.parametrize(
    "url", ["http://169.254.169.254/", "file:///etc", "//evil", "https://api.example@evil/"]
)
def test_a_hostile_server_opens_no_socket(url: str) -> None:
    runner = HttpRunner(server=True, auth={"key": SECRET})
    function = guarded(KEY, servers=(Server(url=url),))
    with pytest.raises(DocumentError):
        ran(runner, function, ONE)  # loads what a call loads
    with watched() as events, pytest.raises(DocumentError):
        ran(runner, function, ONE)
    assert events == []


@pytest.mark.parametrize("way", WAYS)
def test_a_redirect_is_not_followed(answering: Answering, fine: Any, way: str) -> None:
    elsewhere = f"{fine.url}/x?token={SECRET}"
    server = answering(lambda connection: connection.answer(302, Location=elsewhere))
    for limits in (Limits(), Limits(redirects=5)):
        runner = HttpRunner(
            server=server.url,
            auth={"bearer": SECRET, "key": SECRET, "cookie": SECRET},
            limits=limits,
        )
        outcome = called(runner, guarded(BEARER, KEY, IN_COOKIE), ONE, way)
        assert (outcome.is_error, outcome.response.status) == (True, 302)
        assert fine.url in outcome.text
        assert SECRET not in outcome.text
    assert fine.connections == 0
    assert len(server.requests) == 2


@pytest.mark.parametrize("way", WAYS)
def test_a_redirect_on_the_same_origin_is_followed_as_often_as_allowed(
    answering: Answering, way: str
) -> None:
    def turn(connection: Connection) -> None:
        number = int(connection.line.split()[1].rpartition("/")[2])
        connection.answer(307 if number < 4 else 200, Location=f"/things/{number + 1}")

    server = answering(turn)
    for redirects, status in ((2, 307), (3, 200)):
        runner = HttpRunner(
            server=server.url, auth={"key": "k"}, limits=Limits(redirects=redirects)
        )
        outcome = called(runner, guarded(KEY, method="POST"), {"id": "1", "body": {"a": "b"}}, way)
        assert outcome.response.status == status
    assert {request.header("x-api-key") for request in server.requests} == {"k"}
    assert {request.body for request in server.requests} == {b'{"a":"b"}'}


@pytest.mark.parametrize("way", WAYS)
def test_t20_the_environment_is_ignored(
    fine: Any, way: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any, library: str
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login user password secret")
    for name, value in {
        "HTTP_PROXY": "http://127.0.0.1:1",
        "http_proxy": "http://127.0.0.1:1",
        "ALL_PROXY": "http://127.0.0.1:1",
        "NETRC": str(netrc),
        "SSL_CERT_FILE": "/nonexistent",
    }.items():
        monkeypatch.setenv(name, value)
    outcome = called(HttpRunner(server=fine.url), operation(), ONE, way)
    assert outcome.response.status == 200
    assert fine.requests[0].header("authorization") is None


def test_t20_no_cookie_is_kept_between_calls(answering: Answering) -> None:
    server = answering(lambda connection: connection.answer(Set_Cookie="sid=1; Path=/"))
    runner = HttpRunner(server=server.url)
    assert ran(runner, operation(), ONE).response.headers["set-cookie"] == "sid=1; Path=/"
    called(runner, operation(), ONE)
    assert [request.header("cookie") for request in server.requests] == [None, None]
    assert server.connections == 1


@pytest.mark.parametrize("way", WAYS)
def test_private_addresses_can_be_refused_at_the_connection(
    fine: Any, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = HttpRunner(server=fine.url, block_private_networks=True)
    outcome = called(runner, operation(), ONE, way)
    assert (outcome.is_error, outcome.response.sent, fine.connections) == (True, "no", 0)
    assert "PrivateAddressError" in outcome.text


# When a call is made again.


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("method", "retries", "hits"),
    [("GET", 2, 3), ("PUT", 2, 3), ("POST", 2, 1), ("PATCH", 2, 1), ("GET", 0, 1)],
)
def test_only_idempotent_requests_are_repeated_as_often_as_allowed(
    answering: Answering, method: str, retries: int, hits: int, way: str
) -> None:
    server = answering(lambda connection: connection.answer(503, Retry_After="0"))
    runner = HttpRunner(server=server.url, limits=Limits(retries=retries))
    outcome = called(runner, operation(method), ONE, way)
    assert (outcome.response.status, outcome.response.retry_after) == (503, 0)
    assert len(server.requests) == hits


def test_a_write_with_an_idempotency_key_can_be_repeated(answering: Answering) -> None:
    server = answering(lambda connection: connection.answer(503, Retry_After="0"))
    key = Parameter(name="Idempotency-Key", location="header", argument=("header", "X-T"))
    path = Parameter(name="id", location="path", argument=("id",), required=True)
    runner = HttpRunner(server=server.url, limits=Limits(retries=1))
    arguments = {"id": "1", "header": {"X-T": "k"}}
    called(runner, operation("POST", parameters=(path, key)), arguments)
    assert len(server.requests) == 2


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_retry_waits_as_long_as_the_server_asks(answering: Answering, way: str) -> None:
    times: list[float] = []

    def once(connection: Connection) -> None:
        times.append(time.monotonic())
        connection.answer(503 if len(times) == 1 else 200, Retry_After="1")

    runner = HttpRunner(server=answering(once).url, limits=Limits(retries=1))
    assert called(runner, operation(), ONE, way).response.status == 200
    assert times[1] - times[0] >= 1.0


@pytest.mark.parametrize("way", WAYS)
def test_a_refusal_until_a_time_is_a_reason_to_try_again(answering: Answering, way: str) -> None:
    def once(connection: Connection) -> None:
        if len(server.requests) > 1:
            return connection.answer()
        return connection.answer(403, Retry_After="0")

    server = answering(once)
    runner = HttpRunner(server=server.url, limits=Limits(retries=1))
    assert called(runner, operation(), ONE, way).response.status == 200


def test_a_refusal_without_a_time_is_final(answering: Answering) -> None:
    server = answering(lambda connection: connection.answer(403))
    runner = HttpRunner(server=server.url, limits=Limits(retries=3))
    assert called(runner, operation(), ONE).response.status == 403
    assert len(server.requests) == 1


@pytest.mark.parametrize("asked", ["86400", "30"])
def test_a_wait_past_the_deadline_ends_the_call_at_once(answering: Answering, asked: str) -> None:
    server = answering(lambda connection: connection.answer(429, Retry_After=asked))
    runner = HttpRunner(server=server.url, limits=Limits(retries=3, deadline=20))
    started = time.monotonic()
    outcome = called(runner, operation(), ONE)
    assert time.monotonic() - started < 15
    assert outcome.response.retry_after == float(asked)
    assert len(server.requests) == 1


def test_an_earlier_try_that_was_sent_makes_the_outcome_unknown(
    answering: Answering,
) -> None:
    def last_words(connection: Connection) -> None:
        server.stop_accepting()
        raise ConnectionError

    server = answering(last_words)
    runner = HttpRunner(server=server.url, limits=Limits(retries=1))
    outcome = called(runner, operation("PUT"), ONE)
    assert "ConnectError" in outcome.text
    assert outcome.response.sent == "unknown"
    assert "may have been carried out" in outcome.text


# What is told.


@pytest.mark.parametrize("status", [200, 401])
def test_credentials_in_a_response_are_masked(answering: Answering, status: int) -> None:
    def repeat(connection: Connection) -> None:
        connection.answer(status, body=json.dumps({"you sent": connection.head.decode()}).encode())

    server = answering(repeat)
    runner = HttpRunner(
        server=server.url,
        headers={"X-Own": "not told of an error"},
        auth={
            "key": SECRET,
            "query": f"{SECRET} &",
            "cookie": SECRET,
            "basic": ("user", "open sesame"),
        },
        expose_error_body=True,
    )
    outcome = called(runner, guarded(KEY, IN_QUERY, IN_COOKIE, BASIC), ONE)
    assert outcome.response.status == status
    assert "you sent" in outcome.text
    assert "x-own" in outcome.text
    sent = str(outcome.value)
    for secret in (SECRET, quote(f"{SECRET} &"), "dXNlcjpvcGVuIHNlc2FtZQ=="):
        assert secret in sent
        assert secret not in outcome.text
    assert ("not told" in outcome.text) is (status == 200)
    assert SECRET not in repr(outcome)


@pytest.mark.parametrize(
    ("status", "setting", "person", "is_shown"),
    [
        (409, {}, False, True),
        (409, {}, True, False),
        (409, {"expose_error_body": False}, False, False),
        (409, {"expose_error_body": True}, True, True),
        (503, {}, False, False),
        (503, {"expose_error_body": "4xx"}, False, False),
        (503, {"expose_error_body": True}, False, True),
    ],
)
def test_t63_the_model_reads_what_a_server_says_of_its_mistake(
    answering: Answering, status: int, setting: Any, person: bool, is_shown: bool
) -> None:
    server = answering(lambda connection: connection.answer(status, body=b'{"why": "too long"}'))
    schema = {"type": "object", "properties": {"id": {"type": "string", "x-human": person}}}
    function = replace(
        Function.from_schema(name="thing", parameters=schema), origin=operation().origin
    )
    outcome = called(HttpRunner(server=server.url, **setting), function, ONE)
    assert outcome.text.endswith('\n{"why":"too long"}') is is_shown
    assert outcome.value == {"why": "too long"}


# Many at once.


def test_many_threads_share_one_runner(answering: Answering) -> None:
    def echo(connection: Connection) -> None:
        name = connection.line.split()[1].rpartition("/")[2]
        connection.answer(body=f'"{name}"'.encode())

    runner = HttpRunner(server=answering(echo).url)
    wrong: list[Any] = []

    def work(thread: int) -> None:
        for number in range(50):
            outcome = ran(runner, operation(), {"id": f"{thread}-{number}"})
            if outcome.value != f"{thread}-{number}":
                wrong.append(outcome)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    runner.close()
    assert wrong == []


def test_every_event_loop_has_its_own_connections(fine: Any) -> None:
    runner = HttpRunner(server=fine.url)

    async def calls() -> set[int | None]:
        outcomes = await asyncio.gather(*(aran(runner, operation(), ONE) for _ in range(20)))
        await runner.aclose()
        return {outcome.response.status for outcome in outcomes}

    assert [asyncio.run(calls()) for _ in range(3)] == [{200}] * 3
    gc.collect()


def test_a_closed_runner_opens_again(fine: Any) -> None:
    runner = HttpRunner(server=fine.url)
    assert called(runner, operation(), ONE).response.status == 200
    assert called(runner, operation(), ONE).response.status == 200
    assert fine.connections == 2
    runner.close()


def test_a_forgotten_runner_closes_its_connections(fine: Any) -> None:
    ran(HttpRunner(server=fine.url), operation(), ONE)
    gc.collect()


@pytest.mark.slow
def test_cancellation_passes_through_and_leaves_the_connections_usable(
    answering: Answering,
) -> None:
    stop = threading.Event()

    def slow(connection: Connection) -> None:
        stop.wait(0.01)
        connection.answer()

    server = answering(slow)
    runner = HttpRunner(server=server.url)

    async def scenario() -> list[int | None]:
        cancelled = 0
        for number in range(150):
            task = asyncio.create_task(aran(runner, operation(), ONE))
            await asyncio.sleep(number % 10 * 0.001)
            task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                cancelled += 1
        assert cancelled > 10
        async with asyncio.timeout(60):
            outcomes = [await aran(runner, operation(), ONE) for _ in range(20)]
        await runner.aclose()
        return [outcome.response.status for outcome in outcomes]

    assert asyncio.run(scenario()) == [200] * 20
    gc.collect()


def test_a_forked_process_uses_connections_of_its_own(fine: Any) -> None:
    code = (
        "import os, sys\n"
        "from dataclasses import replace\n"
        "from pyfunctools import CallInfo, Function\n"
        "from pyfunctools.execution.http.runner import HttpRunner\n"
        "from pyfunctools.execution.runner import Run\n"
        "from pyfunctools.execution.steps import finish\n"
        "from pyfunctools.route import Route\n"
        "function = Function.from_schema(name='f', parameters={'type': 'object'})\n"
        "function = replace(function, origin=Route(method='GET', path='/x'))\n"
        "runner = HttpRunner(server=sys.argv[1])\n"
        "info = CallInfo(id='c', function='f', attempt=1, audience=None)\n"
        "run = Run(function, {}, info)\n"
        "assert finish(runner.run(run)).response.status == 200\n"
        "child = os.fork()\n"
        "status = finish(runner.run(run)).response.status\n"
        "if child == 0: os._exit(0 if status == 200 else 1)\n"
        "assert os.waitpid(child, 0)[1] == 0 and status == 200\n"
    )
    if not hasattr(os, "fork"):
        return
    subprocess.run([sys.executable, "-c", code, fine.url], check=True, timeout=300)
    assert fine.connections == 2


def test_a_function_that_is_not_an_operation_is_a_definition_error(fine: Any) -> None:
    function = Function.from_schema(name="f", parameters={"type": "object"})
    with pytest.raises(DefinitionError):
        called(HttpRunner(server=fine.url), function, {})
