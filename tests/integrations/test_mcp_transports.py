"""The server as a program: over standard input and output, and over HTTP on this machine."""

import asyncio
import io
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import (
    AsyncExitStack,
    asynccontextmanager,
    contextmanager,
    redirect_stderr,
    suppress,
)
from pathlib import Path
from socket import create_server
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from pyfunctools import Controller, DefinitionError, Function, function
from pyfunctools.integrations import listening as listening_module
from pyfunctools.integrations.mcp import aserve, serve, server

REVISIONS = ("auto", "legacy")

MODULE = """
import os
import subprocess
import sys
from pyfunctools import function

print("noise of an import")

class Shop:
    '''A shop.'''

    @function
    def add(self, a: int, b: int) -> int:
        '''Add.'''
        print("noise of a function")
        os.write(1, b"noise below Python")
        subprocess.run([sys.executable, "-c", "print('noise of a child')"], check=True)
        return a + b
"""
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "T", "version": "1"},
    "paths": {"/teas": {"get": {"summary": "List"}}},
}
APPLICATION = """
from fastapi import FastAPI

app = FastAPI()

@app.get("/teas/{name}")
def tea(name: str) -> str:
    return f"a cup of {name}"
"""
FASTMCP = """
from fastmcp import Context, FastMCP
from fastmcp.utilities.types import Image
from pydantic import BaseModel

teas = FastMCP("teas")

class Tea(BaseModel):
    name: str
    grams: int = 100
    after: "Tea | None" = None

@teas.tool(annotations={"readOnlyHint": True})
def brew(tea: Tea) -> Tea:
    return tea

@teas.tool
def every() -> list[Tea]:
    return [Tea(name="oolong")]

@teas.tool
def picture() -> Image:
    return Image(data=b"PNG", format="png")

@teas.tool
async def fails(context: Context) -> str:
    await context.report_progress(1, 2)
    raise ValueError("no water")

teas.run(show_banner=False)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("mcp")
    (made / "noisy.py").write_text(MODULE)
    (made / "web.py").write_text(APPLICATION)
    (made / "doc.json").write_text(json.dumps(DOCUMENT))
    (made / "teas.py").write_text(FASTMCP)
    return made


def command(folder: Path, *words: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=["-m", "pyfunctools", "serve", *words], cwd=folder, env=ENV
    )


ENV = {"PYTHONPATH": str(Path(__file__).parents[2])}


@pytest.mark.slow
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_class_is_served_on_standard_streams_that_hold_nothing_else(
    folder: Path, revision: str
) -> None:
    async def run() -> Any:
        async with Client(command(folder, "noisy:Shop"), mode=revision) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            return names, (await client.call_tool("add", {"a": "2", "b": 3})).structured_content

    names, value = asyncio.run(run())
    assert names == ["add"]
    assert value == (5 if revision == "auto" else {"result": 5})


@pytest.mark.slow
def test_an_application_and_a_document_are_served(folder: Path) -> None:
    async def run(*words: str) -> list[str]:
        async with Client(command(folder, *words)) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    assert asyncio.run(run("web:app")) == ["teas_getByName"]
    assert asyncio.run(run("doc.json", "--server", "http://127.0.0.1:9")) == ["teas_get"]


MALFORMED = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b'"text"',
    b'{"jsonrpc": "2.0"}',
    b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": 5, "method": 7}',
    b'{"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": []}',
    b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": 3}}',
    b"[" * 5000,
    *(b'{"jsonrpc": "2.0", "id": %d, "method": "no/such"}' % n for n in range(100, 152)),
]


@pytest.mark.slow
def test_lines_that_are_no_messages_end_nothing(folder: Path) -> None:
    assert len(MALFORMED) == 65
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
    hello["clientInfo"] = {"name": "t", "version": "1"}
    wanted: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    call = {"name": "add", "arguments": {"a": 1, "b": 1}}
    last = {"jsonrpc": "2.0", "id": "last", "method": "tools/call", "params": call}
    lines = [*(json.dumps(each).encode() for each in wanted), *MALFORMED, json.dumps(last).encode()]
    with subprocess.Popen(
        [sys.executable, "-m", "pyfunctools", "serve", "noisy:Shop"],
        cwd=folder,
        env=ENV,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"\n".join(lines) + b"\n")
        process.stdin.flush()
        answers = {}
        for line in process.stdout:
            answer = json.loads(line)
            answers[answer.get("id")] = answer
            if answer.get("id") == "last":
                break
        process.stdin.close()
        assert process.wait(60) == 0
    assert answers["last"]["result"]["structuredContent"] == {"result": 2}
    assert {answers[n]["error"]["code"] for n in range(100, 152)} == {-32601}


@contextmanager
def program(folder: Path, *words: str) -> Iterator[str]:
    """Yield the address of a server that runs as a program."""
    with subprocess.Popen(
        [sys.executable, "-m", "pyfunctools", "serve", *words, "--http", "0"],
        cwd=folder,
        env={**ENV, "TOKEN": "a token of 16 characters"},
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stderr is not None
            lines = iter(process.stderr.readline, "")
            found = (re.search(r"http://127\.0\.0\.1:\d+/\w+", line) for line in lines)
            yield next(each[0] for each in found if each)
        finally:
            process.terminate()


@pytest.mark.slow
def test_a_class_is_served_over_http_to_this_machine_alone(folder: Path) -> None:
    async def run(address: str, revision: str) -> Any:
        async with Client(address, mode=revision) as client:
            calls = (client.call_tool("add", {"a": n, "b": 1}) for n in range(4))
            return [each.structured_content for each in await asyncio.gather(*calls)]

    with program(folder, "noisy:Shop") as address:
        assert asyncio.run(run(address, "auto")) == [1, 2, 3, 4]
        assert asyncio.run(run(address, "legacy")) == [{"result": n} for n in (1, 2, 3, 4)]
        ask = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        taken = {"accept": "application/json, text/event-stream"}
        for headers, status in (
            ({"host": "evil.example"}, 421),
            ({"origin": "http://evil.example"}, 403),
            ({"origin": "null"}, 403),
            ({"content-type": "text/plain"}, 400),
        ):
            answer = httpx2.post(address, json=ask, headers={**taken, **headers})
            assert answer.status_code == status, headers
        assert httpx2.post(address, content=b"{", headers=taken).status_code == 400


@pytest.mark.slow
def test_fastmcps_client_lists_and_calls_what_is_served(folder: Path) -> None:
    fastmcp = pytest.importorskip("fastmcp")

    async def run(where: Any, name: str, arguments: Any) -> Any:
        async with fastmcp.Client(where) as client:
            assert [tool.name for tool in await client.list_tools()] == [name]
            result = await client.call_tool(name, arguments, raise_on_error=False)
            return result.content[0].text if result.is_error else result.data

    def stdio(*words: str) -> Any:
        args = ["-m", "pyfunctools", "serve", *words]
        transport = fastmcp.client.transports.StdioTransport
        return transport(command=sys.executable, args=args, env=ENV, cwd=str(folder))

    added, tea = ("add", {"a": "2", "b": 3}), ("teas_getByName", {"name": "oolong"})
    assert asyncio.run(run(stdio("noisy:Shop"), *added)) == 5
    assert asyncio.run(run(stdio("web:app"), *tea)) == "a cup of oolong"
    unreached = asyncio.run(
        run(stdio("doc.json", "--server", "http://127.0.0.1:9"), "teas_get", {})
    )
    assert "The request was not sent." in unreached
    with program(folder, "noisy:Shop") as address:
        assert asyncio.run(run(address, *added)) == 5
        assert "missing" in asyncio.run(run(address, "add", {"a": 2}))
    with program(folder, "web:app") as address:
        assert asyncio.run(run(address, *tea)) == "a cup of oolong"


@pytest.mark.slow
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_server_of_fastmcps_is_read_and_called(folder: Path, revision: str) -> None:
    pytest.importorskip("fastmcp")
    teas = StdioServerParameters(command=sys.executable, args=["teas.py"], cwd=folder)

    async def run() -> Any:
        client = Client(teas, mode=revision)
        async with await Controller.from_mcp(client, trust=True) as remote:
            assert ([each.name for each in remote], remote.skipped) == (
                ["brew", "every", "picture", "fails"],
                (),
            )
            assert remote["brew"].read_only
            written = """{'tea': {"name": "oolong", "after": {"name": "pu erh"}"""
            wrong = {"tea": {"name": "oolong", "grams": "many"}}
            calls = (("brew", written), ("brew", wrong), ("every", None), ("picture", None))
            return [await remote.acall(*each) for each in (*calls, ("fails", None))]

    brewed, wrong, every, picture, failed = asyncio.run(run())
    assert brewed.value["after"] == {"name": "pu erh", "grams": 100, "after": None}
    assert (wrong.reason, "expected integer" in wrong.text) == ("arguments", True)
    assert every.value == [{"name": "oolong", "grams": 100, "after": None}]
    assert bytes(picture.content[0].content) == b"PNG"
    assert (failed.reason, "no water" in failed.text) == ("raised", True)


class Shop:
    @function
    def add(self, a: int, b: int) -> int:
        return a + b


@asynccontextmanager
async def served(capsys: pytest.CaptureFixture[str], **settings: Any) -> AsyncIterator[str]:
    """Yield the address of a server on this loop."""
    shop = Controller.from_object(Shop())
    task = asyncio.create_task(aserve(shop, "http", **settings))
    told = ""
    while "/mcp" not in told:
        assert not task.done()
        await asyncio.sleep(0)
        told += capsys.readouterr().err
    try:
        yield told.split()[-1]
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def test_requests_without_a_good_token_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    async def whose(token: str) -> str | None:
        return {"good": "ada"}.get(token)

    async def run() -> Any:
        async with served(capsys, auth=whose) as address:
            async with httpx2.AsyncClient() as bare:
                refused = [
                    (await bare.post(address, json={}, headers=each)).status_code
                    for each in ({}, {"authorization": "Bearer bad"}, {"authorization": "good"})
                ]
            headers = {"authorization": "Bearer good"}
            async with (
                httpx2.AsyncClient(headers=headers) as http,
                Client(streamable_http_client(address, http_client=http)) as client,
            ):
                return refused, (await client.call_tool("add", {"a": 1, "b": 1})).structured_content

    assert asyncio.run(run()) == ([401, 401, 401], 2)


def test_what_cannot_be_served_so_is_refused() -> None:
    shop = Controller.from_functions(
        [Function.from_schema(name="f", parameters={"type": "object"}, handler=lambda **_: "x")]
    )
    with pytest.raises(DefinitionError, match="no transport 'sse'"):
        serve(shop, "sse")  # type: ignore[arg-type]
    for host in ("0.0.0.0", "192.0.2.1", "example.org"):  # noqa: S104 - refused
        with pytest.raises(DefinitionError, match="Everybody who can reach"):
            serve(shop, "http", host=host)
    with pytest.raises(DefinitionError, match="is not a port"):
        serve(shop, "http", port=1 << 20)
    wanted = r"served: Address.*\. Choose another; port 0 takes"
    with create_server(("127.0.0.1", 0)) as taken, pytest.raises(DefinitionError, match=wanted):
        serve(shop, "http", port=taken.getsockname()[1])
    assert server(shop).controller is shop


def _served(listening: list[int], **settings: Any) -> Any:
    """Return a context manager: a server over HTTP on this loop, whose port is put into a list."""

    @asynccontextmanager
    async def run() -> AsyncIterator[None]:
        err = io.StringIO()
        with redirect_stderr(err):
            task = asyncio.ensure_future(aserve(Controller.from_object(Held()), "http", **settings))
            while "MCP at" not in err.getvalue():
                await asyncio.sleep(0)
                if task.done():
                    task.result()
        found = re.search(r":(\d+)(/\S*)", err.getvalue())
        assert found is not None
        assert found[2] == settings.get("path", "/mcp")
        listening.append(int(found[1]))
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    return run()


class Held:
    @function
    def hi(self) -> str:
        """Say hi."""
        return "hi"


def test_half_requests_and_too_many_connections_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening_module, "HEADER_SECONDS", 0.1)
    ports: list[int] = []

    async def closed(half: bytes) -> bool:
        reader, writer = await asyncio.open_connection("127.0.0.1", ports[0])
        writer.write(half)
        try:
            return await asyncio.wait_for(reader.read(), 30) is not None
        finally:
            writer.close()

    async def run() -> None:
        async with _served(ports, max_connections=3):
            halves = [b"", b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "]
            assert all(await asyncio.gather(*map(closed, halves)))
            monkeypatch.setattr(listening_module, "HEADER_SECONDS", 60)
            kept = [await asyncio.open_connection("127.0.0.1", ports[0]) for _ in range(3)]
            assert await closed(b"")  # the fourth
            assert not any(reader.at_eof() for reader, _ in kept)
            for _, writer in kept:
                writer.close()

    asyncio.run(run())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_path_the_name_and_the_version_are_as_given(mode: str) -> None:
    ports: list[int] = []

    async def run() -> Any:
        settings: Any = {"path": "/tools", "name": "shop", "version": "2.1"}
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(_served(ports, **settings))
            made = Client(f"http://127.0.0.1:{ports[0]}/tools", mode=mode)
            client = await stack.enter_async_context(made)
            called: Any = await client.call_tool("hi", {})
            assert called.content[0].text == "hi"
            return client.server_info

    info = asyncio.run(run())
    assert (info.name, info.version) == ("shop", "2.1")


@pytest.mark.parametrize(
    ("settings", "where"), [({"path": "mcp"}, "path"), ({"max_connections": 0}, "max_connections")]
)
def test_a_wrong_setting_of_the_address_is_refused(settings: Any, where: str) -> None:
    with pytest.raises(DefinitionError, match=rf"serve\({where}\)"):
        asyncio.run(aserve(Controller.from_object(Held()), "http", **settings))


@pytest.mark.slow
def test_the_command_takes_a_token_a_path_a_name_and_a_version(folder: Path) -> None:
    options = ["--auth-token-env", "TOKEN", "--path", "/tools", "--name", "shop"]

    async def run(address: str, token: str) -> Any:
        headers = {"Authorization": f"Bearer {token}"}
        async with AsyncExitStack() as stack:
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers))
            transport = streamable_http_client(address, http_client=http)
            client = await stack.enter_async_context(Client(transport))
            result: Any = await client.call_tool("add", {"a": 1, "b": 1})
            return result.structured_content, client.server_info

    with program(folder, "noisy:Shop", *options, "--version", "2.1") as address:
        assert address.endswith("/tools")
        value, info = asyncio.run(run(address, "a token of 16 characters"))
        assert (value, info.name, info.version) == (2, "shop", "2.1")
        for token in ("", "another token of 16"):
            with pytest.raises(Exception):  # noqa: B017 - the SDK's own, in a group
                asyncio.run(run(address, token))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--http", "0", "--host", "0.0.0.0"], "serve(host)"),  # noqa: S104
        (["--http", "0", "--auth-token-env", "NO_TOKEN"], "$NO_TOKEN must be"),
        (["--host", "127.0.0.2"], "Add `--http PORT`"),
    ],
)
def test_the_command_refuses_what_serves_nobody_or_everybody(
    words: list[str], told: str, folder: Path
) -> None:
    command = [sys.executable, "-m", "pyfunctools", "serve", "noisy:Shop", *words]
    ended = subprocess.run(
        command, cwd=folder, env=ENV, capture_output=True, text=True, timeout=300
    )
    assert ended.returncode != 0
    assert told in ended.stderr
