"""ASGI: the scope and messages of an application, its responses, its startup and shutdown."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest

from pyfunctools import LifespanError
from pyfunctools.execution.asgi.conversation import (
    AHEAD,
    BrokenResponseError,
    Lifespan,
    scope_of,
)
from pyfunctools.execution.request.assembly import HttpRequest

SECRET = "SECRET-7f3a"


def asked(method: str = "GET", url: str = "http://localhost/teas", **more: Any) -> HttpRequest:
    return HttpRequest(method=method, url=url, **more)


async def replied(lifespan: Lifespan, request: HttpRequest | None = None) -> Any:
    return await lifespan.send(request or asked(), "GET /teas", "")


async def answer(
    application: Any, request: HttpRequest | None = None, state: dict[str, object] | None = None
) -> tuple[int, dict[str, str], bytes]:
    lifespan = Lifespan(application, "teas")
    lifespan.state |= state or {}
    reply = await replied(lifespan, request)
    body = b""
    while (chunk := await reply.read()) is not None:
        body += chunk
    await reply.close()
    if lifespan.tasks:
        await asyncio.wait(lifespan.tasks)
    return reply.status, dict(reply.headers), body


def start(status: int = 200, *lines: tuple[bytes, bytes]) -> dict[str, Any]:
    return {"type": "http.response.start", "status": status, "headers": list(lines)}


def body(content: bytes = b"", *, more: bool = False) -> dict[str, Any]:
    return {"type": "http.response.body", "body": content, "more_body": more}


def test_the_scope_is_that_of_a_server() -> None:
    request = asked(
        "POST",
        "https://shop.example:8443/api/teas/a%2Fb%20c?q=%C3%BC&r",
        headers={"x-key": "k", "accept-encoding": "gzip, deflate"},
        content=b"{}",
    )
    scope = scope_of(request, "/api")
    headers = dict(scope.pop("headers"))  # type: ignore[call-overload]
    assert scope == {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "https",
        "path": "/api/teas/a/b c",
        "raw_path": b"/api/teas/a%2Fb%20c",
        "query_string": b"q=%C3%BC&r",
        "root_path": "/api",
        "client": ("127.0.0.1", 0),
        "server": ("shop.example", 8443),
    }
    assert headers == {
        b"host": b"shop.example:8443",
        b"accept": b"*/*",
        b"user-agent": b"pyfunctools",
        b"x-key": b"k",
        b"accept-encoding": b"identity",
        b"content-length": b"2",
    }


@pytest.mark.parametrize(
    ("url", "port"), [("http://a/", 80), ("https://a/", 443), ("http://a:1/", 1)]
)
def test_the_port_is_that_of_the_address_or_of_its_scheme(url: str, port: int) -> None:
    assert scope_of(asked(url=url), "")["server"] == ("a", port)


def test_the_application_reads_the_body_once_and_then_the_disconnect() -> None:
    heard: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        heard.append(await receive())
        await send(start(201, (b"X-One", b"a"), (b"Set-Cookie", b"b")))
        await send(body(b"ab", more=True))
        await send(body(b"c"))
        heard.append(await receive())

    said = asyncio.run(answer(application, asked("POST", content=b"in")))
    assert said == (201, {"x-one": "a", "set-cookie": "b"}, b"abc")
    assert heard == [
        {"type": "http.request", "body": b"in", "more_body": False},
        {"type": "http.disconnect"},
    ]


def test_the_answer_to_head_has_no_body() -> None:
    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send(start())
        await send(body(b"never"))

    assert asyncio.run(answer(application, asked("HEAD"))) == (200, {}, b"")


async def silent(scope: Any, receive: Any, send: Any) -> None: ...


async def raising(scope: Any, receive: Any, send: Any) -> None:
    raise ValueError(SECRET)


async def exiting(scope: Any, receive: Any, send: Any) -> None:
    raise SystemExit(1)


async def interrupted(scope: Any, receive: Any, send: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("application", [silent, raising, exiting, interrupted])
def test_an_application_that_does_not_answer_is_a_500(application: Any) -> None:
    assert asyncio.run(answer(application)) == (500, {}, b"")


def test_an_exception_of_the_application_is_logged_without_its_message(
    caplog: pytest.LogCaptureFixture,
) -> None:
    asyncio.run(answer(raising, asked(url=f"http://a/teas/{SECRET}?key={SECRET}")))
    [record] = caplog.records
    assert (record.name, record.levelno) == ("pyfunctools", logging.ERROR)
    said = record.getMessage()
    assert said.startswith("GET /teas: the application raised ValueError (")
    assert said.endswith(")")
    assert __file__ in said
    assert SECRET not in said


def test_an_incomplete_response_is_an_error() -> None:
    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send(start())
        await send(body(b"a", more=True))
        raise ValueError(SECRET)

    with pytest.raises(BrokenResponseError) as caught:
        asyncio.run(answer(application))
    assert isinstance(caught.value.__cause__, ValueError)


def test_work_after_the_response_goes_on_and_its_exception_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    done: list[str] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send(start())
        await send(body(b"a"))
        await asyncio.sleep(0)
        done.append("later")
        raise ValueError

    assert asyncio.run(answer(application)) == (200, {}, b"a")
    assert done == ["later"]
    assert len(caplog.records) == 1


def test_an_application_is_never_far_ahead_of_its_reader() -> None:
    sent: list[int] = []
    ended: list[str] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send(start())
        try:
            for number in range(10_000):
                await send(body(b"x", more=True))
                sent.append(number)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def read_one() -> None:
        lifespan = Lifespan(application, "teas")
        reply = await replied(lifespan)
        assert await reply.read() == b"x"
        for _ in range(10):
            await asyncio.sleep(0)
        assert len(sent) <= AHEAD + 2
        await reply.close()
        await asyncio.wait(lifespan.tasks)

    asyncio.run(read_one())
    assert ended == ["cancelled"]


def test_sending_after_the_reader_has_left_is_an_error_that_is_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    told: list[str] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send(start())
        try:
            await receive(), await receive()
        except asyncio.CancelledError:
            try:
                await send(body(b"too late"))
            except OSError as error:
                told.append(type(error).__name__)
                raise

    async def leave() -> None:
        lifespan = Lifespan(application, "teas")
        reply = await replied(lifespan)
        await reply.close()
        await asyncio.wait(lifespan.tasks)

    asyncio.run(leave())
    assert told == ["OSError"]
    assert caplog.records == []


def test_a_request_has_its_own_copy_of_the_state() -> None:
    seen: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        seen.append(dict(scope["state"]))
        scope["state"]["own"] = 1
        await send(start())
        await send(body())

    async def twice() -> None:
        state: dict[str, object] = {"pool": "P"}
        await answer(application, state=state)
        await answer(application, state=state)

    asyncio.run(twice())
    assert seen == [{"pool": "P"}, {"pool": "P"}]


Step = Callable[[Any, Any, Any], Any]


def living(steps: list[str], *, fail: str = "", says: bool = True) -> Any:
    """Return an application that records its lifespan, and fails in one phase."""

    async def application(scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "lifespan"
        for phase in ("startup", "shutdown"):
            assert (await receive()) == {"type": f"lifespan.{phase}"}
            steps.append(phase)
            scope["state"]["n"] = len(steps)
            if fail == phase:
                if says:
                    await send(
                        {"type": f"lifespan.{phase}.failed", "message": "a\nOSError: gone\n"}
                    )
                raise OSError("gone")
            await send({"type": f"lifespan.{phase}.complete"})

    return application


@pytest.mark.parametrize("application", [silent, raising, exiting])
def test_an_application_may_have_no_lifespan(application: Any) -> None:
    async def life() -> None:
        lifespan = Lifespan(application, "teas")
        await lifespan.start()
        await lifespan.stop()

    asyncio.run(life())


def test_an_exception_of_a_shutdown_is_an_error_without_a_message_too() -> None:
    async def life() -> None:
        lifespan = Lifespan(living([], fail="shutdown", says=False), "teas")
        await lifespan.start()
        await lifespan.stop()

    with pytest.raises(LifespanError, match="OSError: gone"):
        asyncio.run(life())
