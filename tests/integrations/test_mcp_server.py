"""A controller as an MCP server, called by the official client in both revisions."""

import asyncio
import base64
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult
from pydantic import SecretStr

from pyfunctools import Context, Controller, DefinitionError, File, Function, Human, function
from pyfunctools.integrations.mcp import PAGE, FunctionServer, McpRequest, server

PIN = SecretStr("0000-1111")
REVISIONS = ("auto", "legacy")
"""The official client's settings for 2026-07-28 and for 2025-11-25."""


@dataclass
class Tea:
    name: str
    grams: int | None = None
    blend: "list[Tea] | None" = None


class Shop:
    """A shop of teas."""

    def __init__(self) -> None:
        self.began, self.ended = list[str](), list[str]()

    @function(read_only=True, title="Find teas")
    def find(self, name: str, count: int = 1) -> list[Tea]:
        """Find teas."""
        return [Tea(name, count)]

    @function(destructive=True, idempotent=False)
    def erase(self, name: Literal["green", "black"]) -> Tea | None:
        """Erase one."""
        return None if name == "green" else Tea(name, blend=[Tea("leaf")])

    @function
    def tree(self) -> Tea:
        """Return a blend."""
        return Tea("a", 1, [Tea("b")])

    @function
    def say(self) -> str:
        print("this is no message of the protocol")
        return "hey"

    @function
    def fail(self) -> int:
        raise ValueError("no leaf is left")

    @function
    def mixed(self, count: int) -> list[str | File]:
        """Return words and pictures."""
        return ["words", *[File(b"png", "a.png", "image/png")] * count]

    @function
    def picture(self) -> list[File]:
        return [
            File(content=b"png", filename="a.png", content_type="image/png"),
            File(content=b"pdf", filename="a b.pdf", content_type="application/pdf"),
        ]

    @function
    async def wait(self) -> None:
        self.began.append("wait")
        try:
            await asyncio.sleep(60)
        finally:
            self.ended.append("wait")


def with_client(
    served: Controller | FunctionServer,
    steps: Callable[[Client], Awaitable[Any]],
    revision: str,
    **settings: Any,
) -> Any:
    """Return what the steps return, given a client of a revision that is connected in memory."""

    async def run() -> Any:
        made = served if isinstance(served, FunctionServer) else server(served)
        async with Client(made, mode=revision, **settings) as client:
            return await steps(client)

    return asyncio.run(run())


def called(revision: str, tool: str, /, **arguments: Any) -> CallToolResult:
    """Return what the shop's tool gives; an error of the protocol is raised."""

    async def steps(client: Client) -> CallToolResult | MCPError:
        try:
            return await client.call_tool(tool, arguments)
        except MCPError as error:  # which the client would put into a group
            return error

    result = with_client(Controller.from_object(Shop()), steps, revision)
    if isinstance(result, MCPError):
        raise result
    assert isinstance(result, CallToolResult)
    return result


def text_of(result: CallToolResult) -> str:
    return "\n".join(getattr(block, "text", "") for block in result.content)


@pytest.mark.parametrize("revision", REVISIONS)
def test_tools_are_the_functions_in_their_order(revision: str) -> None:
    shop = Controller.from_object(Shop())
    tools = with_client(shop, lambda client: client.list_tools(), revision).tools
    assert [tool.name for tool in tools] == [each.name for each in shop]
    assert [tool.description or "" for tool in tools] == [each.description for each in shop]
    assert tools[0].title == "Find teas"
    assert tools[0].annotations.read_only_hint is True
    hints = tools[1].annotations
    assert (hints.destructive_hint, hints.idempotent_hint, hints.read_only_hint) == (
        True,
        False,
        None,
    )
    assert tools[2].annotations is None


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(
    ("name", "arguments", "value"),
    [
        ("find", {"name": "x", "count": "3"}, [{"name": "x", "grams": 3, "blend": None}]),
        ("erase", {"name": "green"}, None),
        (
            "tree",
            {},
            {"name": "a", "grams": 1, "blend": [{"name": "b", "grams": None, "blend": None}]},
        ),
        ("say", {}, "hey"),
    ],
)
def test_a_value_of_any_form_arrives_as_promised(
    name: str, arguments: dict[str, Any], value: Any, revision: str
) -> None:
    result = called(revision, name, **arguments)  # the client has checked it by the output schema
    wrapped = value is None or (revision == "legacy" and not isinstance(value, dict))
    assert result.structured_content == ({"result": value} if wrapped else value)
    assert not result.is_error


@pytest.mark.parametrize("revision", REVISIONS)
def test_wrong_arguments_are_a_result_with_feedback(revision: str) -> None:
    result = called(revision, "find", count="many")
    assert result.is_error
    assert "❌ expected integer" in text_of(result)
    assert "❌ missing: expected string" in text_of(result)


@pytest.mark.parametrize("revision", REVISIONS)
def test_what_the_function_raises_is_a_result(revision: str) -> None:
    result = called(revision, "fail")
    assert (result.is_error, text_of(result)) == (True, "ValueError: no leaf is left")
    assert result.structured_content is None


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("name", ["fnd", "", "a" * 5000, "find\n"])
def test_an_unknown_tool_is_an_error_of_the_protocol(name: str, revision: str) -> None:
    with pytest.raises(MCPError, match="There is no function") as caught:
        called(revision, name)
    assert caught.value.error.code == INVALID_PARAMS


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_tool_that_is_not_listed_runs_with_its_own_arguments_or_not_at_all(
    revision: str,
) -> None:
    ran: list[int] = []

    def reset(depth: int = 0) -> str:
        """Reset."""
        ran.append(depth)
        return "reset"

    async def run() -> Any:
        made = server(Controller.from_functions([reset]).searchable())
        async with Client(made, mode=revision) as client:
            return await client.call_tool("reset", {"depth": 3})

    result = asyncio.run(run())
    assert (text_of(result), result.is_error, ran) == ("reset", False, [3])


@pytest.mark.parametrize("revision", REVISIONS)
def test_files_are_content(revision: str) -> None:
    _, image, document = called(revision, "picture").content
    assert (image.type, image.mime_type, image.data) == (
        "image",
        "image/png",
        base64.b64encode(b"png").decode(),
    )  # type: ignore[union-attr]
    assert document.resource.uri == "attachment:a%20b.pdf"  # type: ignore[union-attr]
    assert document.resource.blob == base64.b64encode(b"pdf").decode()  # type: ignore[union-attr]


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(("count", "text"), [(2, "words"), (0, '["words"]')])
def test_words_and_pictures_of_one_list_are_all_content(
    count: int, text: str, revision: str
) -> None:
    result = called(revision, "mixed", count=count)
    assert [each.type for each in result.content] == ["text", *["image"] * count]
    assert (result.content[0].text, result.is_error) == (text, False)  # type: ignore[union-attr]
    words = ["words"]
    assert result.structured_content in (words, {"result": words})


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_result_that_is_not_what_was_promised_keeps_its_text(revision: str) -> None:
    # What a document promises nobody checks where it is called: a server may answer anything.
    def lie(**_: Any) -> Any:
        return {"grams": "many"}

    schema = {"type": "object", "properties": {"grams": {"type": "integer"}}}
    made = Function.from_schema(name="lie", parameters={"type": "object"}, handler=lie)
    shop = Controller.from_functions([made])
    promising = Function.from_schema(name="lie", parameters={"type": "object"}, output=schema)
    from pyfunctools.envelopes.mcp import output_of, result_of

    output = output_of(promising, modern=revision == "auto")
    told = result_of(shop.call("lie"), output, modern=revision == "auto")
    assert told["isError"] is True
    assert '{"grams": "many"}' in told["content"][0]["text"]
    assert "structuredContent" not in told


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_persons_secret_is_in_no_part_of_a_result(revision: str) -> None:
    class Bank:
        @function
        def echo(self, note: str, pin: Human[SecretStr] = PIN) -> dict[str, str]:
            return {"said": pin.get_secret_value(), "note": note}

    bank = Controller.from_object(Bank())
    result = with_client(bank, lambda client: client.call_tool("echo", {"note": "n"}), revision)
    assert PIN.get_secret_value() not in result.model_dump_json()
    assert result.structured_content == {"said": "***", "note": "n"}


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_cancelled_call_ends_the_function(revision: str) -> None:
    shop = Shop()

    async def steps(client: Client) -> None:
        call = asyncio.create_task(client.call_tool("wait", {}))
        while not shop.began:
            await asyncio.sleep(0.001)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        while not shop.ended:
            await asyncio.sleep(0.001)

    with_client(Controller.from_object(shop), steps, revision)
    assert shop.ended == ["wait"]


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_method_reports_progress_by_its_context(revision: str) -> None:
    class Long:
        @function
        async def work(self, request: Context[McpRequest]) -> str:
            for done in (1, 2):
                await request.session.report_progress(done, 2, f"step {done}")
            return "done"

    seen: list[tuple[float, float | None, str | None]] = []

    async def told(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    async def steps(client: Client) -> Any:
        return await client.call_tool("work", {}, progress_callback=told)

    made = server(Controller.from_object(Long()), context=lambda request: request)
    assert text_of(with_client(made, steps, revision)) == "done"
    assert seen == [(1, 2, "step 1"), (2, 2, "step 2")]


def many(count: int) -> Iterator[Function]:
    for number in range(count):
        yield Function.from_schema(
            name=f"f{number}", parameters={"type": "object"}, handler=lambda **_: "x"
        )


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_long_list_comes_in_pages(revision: str) -> None:
    count = 2 * PAGE + 1

    async def steps(client: Client) -> tuple[list[str], str | None]:
        names, cursor, first = list[str](), None, None
        while True:
            page = await client.list_tools(cursor=cursor)
            names += [tool.name for tool in page.tools]
            first, cursor = first or page.next_cursor, page.next_cursor
            if cursor is None:
                break
        for wrong in ("", "x", f"{first}0", "0.500"):
            with pytest.raises(MCPError) as caught:
                await client.list_tools(cursor=wrong)
            assert caught.value.error.code == INVALID_PARAMS
        return names, first

    shop = Controller.from_functions(many(count))
    names, first = with_client(shop, steps, revision)
    assert names == [f"f{number}" for number in range(count)]
    assert with_client(shop, steps, revision)[1] == first  # another server, the same cursors


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_replaced_controller_is_told_to_the_clients(revision: str) -> None:
    made = server(Controller.from_functions(many(1)))
    told = asyncio.Event()

    async def heard(message: Any) -> None:
        told.set()

    async def steps(client: Client) -> list[str]:
        await client.list_tools()
        if revision == "legacy":
            await made.replace(Controller.from_functions(many(2)))
            await asyncio.wait_for(told.wait(), 60)
        else:
            async with client.listen(tools_list_changed=True) as events:
                await made.replace(Controller.from_functions(many(2)))
                async for _ in events:
                    break
        page = await client.list_tools(cache_mode="refresh")
        assert (await client.call_tool("f1", {})).is_error is False
        return [tool.name for tool in page.tools]

    settings = {"message_handler": heard} if revision == "legacy" else {}
    assert with_client(made, steps, revision, **settings) == ["f0", "f1"]


def test_what_cannot_be_served_is_refused() -> None:
    class Needs:
        @function
        def who(self, user: Context[str]) -> str:
            return user

    shop = Controller.from_object(Shop())
    with pytest.raises(DefinitionError, match="takes a context"):
        server(Controller.from_object(Needs()))
    with pytest.raises(DefinitionError, match="must be a `Controller`"):
        server(Shop())  # type: ignore[arg-type]
    with pytest.raises(DefinitionError, match=r"server\(url\)"):
        server(shop, url="https://example.org")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no setting 'tilte'"):
        server(shop, tilte="x")  # type: ignore[call-arg]
