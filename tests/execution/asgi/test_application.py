"""An application in this process: one loop, one lifespan, one deadline."""

import asyncio
import contextvars
import gc
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from pyfunctools import DefinitionError, LifespanError, Limits, LoopError, Outcome
from pyfunctools.execution.asgi.application import ApplicationRunner
from pyfunctools.route import SecurityScheme

from ..conftest import WAYS, aran, operation, ran

SECRET = "SECRET-7f3a"
SHORT = Limits(deadline=0.3)
WHO: contextvars.ContextVar[str] = contextvars.ContextVar("WHO", default="nobody")
Handle = Callable[[Any, Any, Any], Any]
Hosted = Callable[..., tuple["Teas", ApplicationRunner]]


class Teas:
    """An application that records its loops and scopes, and responds through `handle`."""

    def __init__(self, handle: Handle | None = None, *, fail: str = "") -> None:
        self.handle = handle
        self.fail = fail
        self.steps: list[str] = []
        self.loops: set[int] = set()
        self.scopes: list[Any] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.loops.add(id(asyncio.get_running_loop()))
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif self.handle is not None:
            await self.handle(scope, receive, send)
        else:
            self.scopes.append(scope)
            await say(send, scope["path"].encode())

    async def _live(self, receive: Any, send: Any) -> None:
        for phase in ("startup", "shutdown"):
            await receive()
            self.steps.append(phase)
            if self.fail == phase:
                await send({"type": f"lifespan.{phase}.failed", "message": "no database"})
                return
            await send({"type": f"lifespan.{phase}.complete"})


async def say(send: Any, text: bytes = b"ok", status: int = 200, *, more: bool = False) -> None:
    lines = [(b"content-type", b"text/plain")]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": text, "more_body": more})


def called(
    runner: ApplicationRunner, way: str, arguments: Any = None, method: str = "GET", **more: Any
) -> Outcome:
    function = operation(method, **more)
    given = {"id": "1"} if arguments is None else arguments
    if way == "run":
        return ran(runner, function, given)
    return asyncio.run(aran(runner, function, given))


def loops() -> set[threading.Thread]:
    """Return the threads of background loops, also those of other tests' controllers."""
    return {each for each in threading.enumerate() if each.name == "pyfunctools-loop"}


@pytest.fixture
def hosted() -> Iterator[Hosted]:
    """Run an application; it is closed at the end of the test, and no thread is left."""
    runners: list[ApplicationRunner] = []

    def host(
        application: Handle | Teas | None = None, fail: str = "", **settings: Any
    ) -> tuple[Teas, ApplicationRunner]:
        teas = application if isinstance(application, Teas) else Teas(application, fail=fail)
        runners.append(ApplicationRunner(teas, name="Teas", **settings))
        return teas, runners[-1]

    before = loops()
    yield host
    for runner in runners:
        with suppress(LifespanError):
            runner.close()
    for thread in loops() - before:
        thread.join(60)
        assert not thread.is_alive()


@pytest.mark.parametrize("way", WAYS)
def test_a_call_is_answered_without_a_socket(hosted: Hosted, way: str) -> None:
    teas, runner = hosted()
    outcome = called(runner, way, {"id": "ü b", "query": {"q": "x"}})
    assert (outcome.response.status, outcome.value, outcome.response.sent) == (
        200,
        "/things/ü b",
        "yes",
    )
    assert teas.scopes[0]["query_string"] == b"q=x"
    assert dict(teas.scopes[0]["headers"])[b"host"] == b"localhost"


def test_one_loop_serves_every_thread_and_every_loop_and_the_lifespan(hosted: Hosted) -> None:
    teas, runner = hosted()

    async def several() -> list[Outcome]:
        calls = [aran(runner, operation(), {"id": str(n)}) for n in range(20)]
        return list(await asyncio.gather(*calls))

    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(called, runner, "run", {"id": str(n)}) for n in range(20)]
        futures += [pool.submit(called, runner, "arun", {"id": str(n)}) for n in range(20)]
        texts = [future.result().value for future in futures]
    texts += [outcome.value for outcome in asyncio.run(several())]
    assert texts == [f"/things/{n}" for n in range(20)] * 3
    assert teas.steps == ["startup"]
    runner.close()
    assert teas.steps == ["startup", "shutdown"]
    assert len(teas.loops) == 1


def test_a_call_after_closing_starts_the_application_again(hosted: Hosted) -> None:
    teas, runner = hosted()
    runner.close()
    assert teas.steps == []
    called(runner, "run")
    runner.close()
    runner.close()
    called(runner, "arun")
    asyncio.run(runner.aclose())
    assert teas.steps == ["startup", "shutdown"] * 2


def test_a_blocking_call_in_a_loop_is_an_error(hosted: Hosted) -> None:
    _, runner = hosted()

    async def block() -> Outcome:
        return ran(runner, operation(), {"id": "1"})

    with pytest.raises(LoopError, match="acall"):
        asyncio.run(block())


@pytest.mark.parametrize("way", WAYS)
def test_a_startup_that_fails_is_an_error_each_time(hosted: Hosted, way: str) -> None:
    teas, runner = hosted(fail="startup")
    for _ in range(2):
        with pytest.raises(LifespanError, match=r"^Teas: The startup .* no database$"):
            called(runner, way)
    teas.fail = ""
    assert called(runner, way).response.status == 200
    runner.close()
    assert teas.steps == ["startup", "startup", "startup", "shutdown"]


def test_a_shutdown_that_fails_is_an_error_of_closing(
    hosted: Hosted, caplog: pytest.LogCaptureFixture
) -> None:
    _, runner = hosted(fail="shutdown")
    called(runner, "run")
    with pytest.raises(LifespanError, match=r"^Teas: The shutdown .* no database$"):
        runner.close()
    called(runner, "arun")
    with pytest.raises(LifespanError, match="shutdown"):
        asyncio.run(runner.aclose())
    gc.collect()
    assert caplog.records == []  # no loop finds an error that nobody took


@pytest.mark.parametrize("way", WAYS)
def test_the_callers_context_variables_reach_the_application(hosted: Hosted, way: str) -> None:
    async def who(scope: Any, receive: Any, send: Any) -> None:
        await say(send, WHO.get().encode())

    _, runner = hosted(who)
    for name in ("Ada", "Bob"):
        token = WHO.set(name)
        assert called(runner, way).value == name
        WHO.reset(token)


async def stuck(scope: Any, receive: Any, send: Any) -> None:
    await asyncio.Event().wait()


RELEASED = threading.Event()


async def blocking(scope: Any, receive: Any, send: Any) -> None:
    RELEASED.wait(60)


async def dripping(scope: Any, receive: Any, send: Any) -> None:
    await say(send, more=True)
    while True:
        await asyncio.sleep(0)
        await send({"type": "http.response.body", "body": b"x", "more_body": True})


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("handle", [stuck, blocking, dripping])
def test_the_deadline_holds_whatever_the_application_does(
    hosted: Hosted, handle: Handle, way: str
) -> None:
    _, runner = hosted(handle, limits=SHORT)
    RELEASED.clear()
    started = time.monotonic()
    outcome = called(runner, way, method="POST")
    assert time.monotonic() - started < 20
    RELEASED.set()
    assert outcome.is_error
    assert "No answer came within 0.3 s" in outcome.text
    assert "may have been carried out" in outcome.text
    assert outcome.response.sent == "unknown"


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_the_time_of_the_startup_does_not_count(hosted: Hosted, way: str) -> None:
    class Slow(Teas):
        async def _live(self, receive: Any, send: Any) -> None:
            await asyncio.sleep(1.7)
            await super()._live(receive, send)

    _, runner = hosted(Slow(), limits=Limits(deadline=1))
    assert called(runner, way).response.status == 200


@pytest.mark.parametrize("way", WAYS)
def test_a_large_answer_is_refused_while_it_comes(hosted: Hosted, way: str) -> None:
    sent: list[int] = []

    async def endless(scope: Any, receive: Any, send: Any) -> None:
        await say(send, more=True)
        while True:
            await send({"type": "http.response.body", "body": b"x" * 1000, "more_body": True})
            sent.append(1000)

    _, runner = hosted(endless, limits=Limits(response=5000))
    outcome = called(runner, way)
    assert "larger than 5000 bytes" in outcome.text
    assert sum(sent) < 50_000


@pytest.mark.parametrize("way", WAYS)
def test_an_application_that_raises_is_a_500_without_its_message(hosted: Hosted, way: str) -> None:
    async def raising(scope: Any, receive: Any, send: Any) -> None:
        raise SystemExit(SECRET)

    _, runner = hosted(raising)
    outcome = called(runner, way)
    assert (outcome.response.status, outcome.text) == (500, "500 Internal Server Error")
    assert SECRET in str(outcome.exception)  # the program's own, and in no text
    assert SECRET not in repr(outcome)
    assert called(runner, way).response.status == 500  # the loop is still there


def test_a_cancelled_call_cancels_the_request(hosted: Hosted) -> None:
    ended: list[str] = []
    began = threading.Event()

    async def waiting(scope: Any, receive: Any, send: Any) -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    async def cancel() -> None:
        task = asyncio.create_task(aran(runner, operation(), {"id": "1"}))
        await asyncio.to_thread(began.wait, 5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    _, runner = hosted(waiting)
    asyncio.run(cancel())
    runner.close()
    assert ended == ["cancelled"]


@pytest.mark.parametrize("close", ["close", "aclose"])
def test_closing_waits_for_calls_and_for_their_tasks(hosted: Hosted, close: str) -> None:
    steps: list[str] = []
    began, go = threading.Event(), threading.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        began.set()
        await asyncio.to_thread(go.wait, 60)
        await say(send)
        while (await receive())["type"] != "http.disconnect":
            pass
        steps.append("background")

    teas, runner = hosted(slow)
    with ThreadPoolExecutor(2) as pool:
        call = pool.submit(called, runner, "run")
        assert began.wait(60)
        if close == "close":
            closing = pool.submit(runner.close)
        else:
            closing = pool.submit(lambda: asyncio.run(runner.aclose()))
        assert not closing.done()
        go.set()
        assert call.result(60).value == "ok"
        closing.result(60)
    assert steps == ["background"]
    assert teas.steps == ["startup", "shutdown"]


def test_an_application_starts_again_when_its_shutdown_has_ended(hosted: Hosted) -> None:
    began, go = threading.Event(), threading.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        began.set()
        await asyncio.to_thread(go.wait, 60)
        await say(send)

    teas, runner = hosted(slow)
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(called, runner, "run")
        assert began.wait(60)
        closing = pool.submit(runner.close)
        while runner._running:  # pyright: ignore[reportPrivateUsage]
            time.sleep(0.001)
        again = pool.submit(called, runner, "run")
        time.sleep(0.2)  # in which it must not start
        go.set()
        assert (first.result(60).value, again.result(60).value) == ("ok", "ok")
        closing.result(60)
    assert teas.steps == ["startup", "shutdown", "startup"]


@pytest.mark.slow
@pytest.mark.parametrize("close", ["close", "aclose"])
def test_a_shutdown_that_does_not_end_is_an_error_in_time(hosted: Hosted, close: str) -> None:
    go = threading.Event()

    class Slow(Teas):
        async def _live(self, receive: Any, send: Any) -> None:
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await asyncio.to_thread(go.wait, 60)

    _, runner = hosted(Slow(), limits=SHORT)
    called(runner, "run")
    started = time.monotonic()
    with pytest.raises(LifespanError, match=r"^Teas: The shutdown .* It does not end\.$"):
        runner.close() if close == "close" else asyncio.run(runner.aclose())
    assert time.monotonic() - started < 20
    go.set()


def test_work_that_does_not_end_after_its_answer_is_cancelled_by_closing(hosted: Hosted) -> None:
    steps: list[str] = []

    async def working(scope: Any, receive: Any, send: Any) -> None:
        await say(send)
        try:
            await asyncio.Event().wait()
        finally:
            steps.append("cancelled")

    teas, runner = hosted(working, limits=Limits(deadline=1))
    assert called(runner, "run").value == "ok"
    runner.close()
    assert steps == ["cancelled"]
    assert teas.steps == ["startup", "shutdown"]


def test_an_application_may_call_itself_and_even_close_itself(hosted: Hosted) -> None:
    async def nested(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"].endswith("/1"):
            inner = await aran(runner, operation(), {"id": "2"})
            runner.close()
            await say(send, str(inner.value).encode())
        else:
            await say(send, b"inner")

    before = loops()
    teas, runner = hosted(nested)
    assert called(runner, "run").value == "inner"
    for thread in loops() - before:
        thread.join(60)
    assert teas.steps == ["startup", "shutdown"]


def test_a_runner_that_nobody_closes_ends_with_its_last_holder() -> None:
    ended: list[str] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await say(send)
            return
        await receive()
        await send({"type": "lifespan.startup.complete"})
        try:
            await receive()
        finally:
            ended.append("cancelled")

    before = loops()
    runner = ApplicationRunner(application, name="Teas")
    assert called(runner, "run").response.status == 200
    [thread] = loops() - before
    del runner
    gc.collect()
    thread.join(60)
    assert ended == ["cancelled"]


@pytest.mark.parametrize(
    ("server", "root_path", "path", "root", "host"),
    [
        (None, "", "/things/1", "", b"localhost"),
        (None, "/api", "/api/things/1", "/api", b"localhost"),
        (
            "https://shop.example/v%201",
            "",
            "/v 1/things/1",
            "/v 1",
            b"shop.example",
        ),
        ("http://shop.example:81/v1/", "/api/", "/api/things/1", "/api", b"shop.example:81"),
    ],
)
def test_the_application_sees_its_address(
    hosted: Hosted, server: str | None, root_path: str, path: str, root: str, host: bytes
) -> None:
    teas, runner = hosted(server=server, root_path=root_path)
    assert called(runner, "run").value == path
    assert teas.scopes[0]["root_path"] == root
    assert dict(teas.scopes[0]["headers"])[b"host"] == host


@pytest.mark.parametrize(
    "server", [3, [], True, ["https://a", "https://b"], "ftp://x", "localhost"]
)
def test_an_invalid_server_is_refused(hosted: Hosted, server: Any) -> None:
    with pytest.raises(DefinitionError, match="server"):
        hosted(server=server)


@pytest.mark.parametrize("way", WAYS)
def test_headers_and_credentials_are_provided_in_the_callers_thread(
    hosted: Hosted, way: str
) -> None:
    threads: list[str] = []

    def token() -> str:
        threads.append(threading.current_thread().name)
        return "t"

    teas, runner = hosted(headers={"X-Team": "tea"}, auth={"key": token})
    scheme = SecurityScheme(name="key", type="apiKey", location="header", parameter="X-Key")
    outcome = called(runner, way, security=({"key": ()},), schemes={"key": scheme})
    headers = dict(teas.scopes[0]["headers"])
    assert (headers[b"x-team"], headers[b"x-key"]) == (b"tea", b"t")
    assert threads == [threading.current_thread().name]
    assert outcome.response.status == 200
    assert repr(runner) == "ApplicationRunner('Teas')"


@pytest.mark.parametrize("way", WAYS)
def test_arguments_that_lead_to_another_route_are_refused(hosted: Hosted, way: str) -> None:
    asked: list[tuple[str, str, str]] = []

    def other_route(method: str, template: str, path: str) -> str | None:
        asked.append((method, template, path))
        return "GET /things/{id}/cups" if "/cups" in path else None

    teas, runner = hosted(other_route=other_route, root_path="/api")
    outcome = called(runner, way, {"id": "1/cups"})
    assert asked == [("GET", "/things/{id}", "/things/1/cups")]
    assert outcome.response.sent == "no"
    assert "❌ expected a value with which this is not GET /things/{id}/cups" in outcome.text
    assert outcome.issues
    assert [str(issue.path) for issue in outcome.issues] == ["$input.id"]
    fixed = called(runner, way, path="/cups", parameters=())
    assert (
        fixed.text
        == "The application answers this path by GET /things/{id}/cups. Nothing was sent."
    )
    assert teas.steps == []
    assert called(runner, way).response.status == 200
