"""The session with an MCP server: it lists and calls the tools.

A server may send anything. So responses are read as plain data, not through the models of the SDK:
these reject a whole list for one wrong tool, and a whole result for one wrong field. Here every
valid tool is read, and a result keeps its text whatever else is wrong with it.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import nullcontext, suppress
from logging import getLogger
from typing import Any, Final, TypeAlias, TypeVar, cast

from mcp import Client, ClientSession
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import find_invalid_x_mcp_header
from mcp_types import REQUEST_TIMEOUT
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import shortened, visible
from pyfunctools.errors import DocumentError, wrong_type
from pyfunctools.execution.mcp.server_questions import QuestionsInCalls, RunningCall
from pyfunctools.execution.mcp.tool_results import MESSAGE_LIMIT, RespondedError, first_error
from pyfunctools.execution.steps import awaited
from pyfunctools.limits import Limits

LOGGER = getLogger("pyfunctools.mcp")

T = TypeVar("T")

ToolProgress: TypeAlias = Callable[[str, float, float | None, str | None], object]
"""A function of a function's name, what is done, the total and a message; it may be asynchronous.

After `False` the deadline does not move.
"""

PAGES: Final = 1_000
"""The most pages of the list of tools that are read."""

TOOLS: Final = 10_000
"""The most tools of a list; with more, it is an error."""

FRESH: Final = 300.0
"""The most seconds for which a list of tools counts as fresh, even if the server sends more."""


class Session:
    """A session with a server, opened by the caller or here.

    `source` is a `Client` of the SDK, open or not, or a `ClientSession`. The session belongs to the
    event loop on which it was opened; calls from other threads run there.
    """

    def __init__(self, source: object, limits: Limits, progress: ToolProgress | None) -> None:
        if not isinstance(source, Client | ClientSession):
            remedy = "Write `Controller.from_mcp(mcp.Client(...))`."
            raise wrong_type("from_mcp", "a `Client` or `ClientSession` of MCP", source, remedy)
        self.limits = limits
        self._progress = progress
        self._source = source
        self._loop = asyncio.get_running_loop()
        self._end = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self._session: ClientSession
        self._questions = QuestionsInCalls()
        self.stale_at = 0.0

    async def open(self) -> list[JsonValue]:
        """Open the client, unless it is open, and return the tools.

        Raises:
            DocumentError: the server cannot be reached, or does not list its tools.
        """
        try:
            self._session = await self._opened()
        except Exception as error:  # a transport may raise anything
            message = visible(str(first_error(error))) or type(error).__name__
            reason = f"The server cannot be reached: {shortened(message, 1_000)}"
            raise DocumentError("from_mcp", reason) from error
        try:
            tools = await self.tools()
            if any("x-mcp-header" in str(each) for each in tools):
                with suppress(ValueError):  # the SDK sends these headers for tools it has listed
                    await self._session.list_tools()
        except BaseException as error:  # a cancelled opening too
            await self.end()
            if not isinstance(error, MCPError):
                raise
            message = shortened(visible(error.message), MESSAGE_LIMIT)
            reason = f"The server does not list its tools: {message}"
            raise DocumentError("from_mcp", reason) from error
        return tools

    async def _opened(self) -> ClientSession:
        source = self._source
        if isinstance(source, ClientSession):
            return source
        with suppress(RuntimeError):  # it is not open; the task that opens it has to close it too
            return source.session
        if source.elicitation_callback is None:  # declares that questions are answered
            source.elicitation_callback = self._questions.answer
        opened: asyncio.Future[ClientSession] = self._loop.create_future()
        self._keeper = self._loop.create_task(self._keep_open(source, opened))
        return await opened

    async def end(self) -> None:
        """Close the client if it was opened here."""
        if self._keeper is not None and self._loop.is_running():
            self._end.set()
            await asyncio.wait([self._keeper])

    @property
    def name(self) -> str:
        """The name of the server."""
        info = self._session.server_info
        return visible(info.title or info.name) if info is not None else ""

    @property
    def instructions(self) -> str:
        """The server's instructions for its tools."""
        return visible(self._session.instructions or "")

    async def tools(self) -> list[JsonValue]:
        """Return the tools on all pages of the server's list.

        Raises:
            DocumentError: the list has no end, or is not a list.
            MCPError: the server does not answer, or answers with an error.
        """
        tools, seen, fresh = list[JsonValue](), set[str](), list[float]()
        cursor: JsonValue = None
        for _ in range(PAGES):
            params: JsonObject = {} if cursor is None else {"cursor": cursor}
            page = await self._send("tools/list", params, {"timeout": self.limits.deadline})
            listed = page.get("tools")
            if not isinstance(listed, list):
                raise DocumentError(self.name, "The server's list of tools is not a list.")
            tools += listed
            fresh.append(_seconds(page.get("ttlMs")))
            cursor = page.get("nextCursor")
            if not isinstance(cursor, str) and len(tools) <= TOOLS:
                self.stale_at = self._loop.time() + min(fresh)
                return tools
            if not isinstance(cursor, str) or cursor in seen or len(tools) > TOOLS:
                break
            seen.add(cursor)
        reason = f"The server's list of tools has no end, or more than {TOOLS:,} of them."
        raise DocumentError(self.name, reason)

    async def call(self, params: Mapping[str, JsonValue], call: RunningCall) -> JsonObject:
        """Return the result of `tools/call`; meanwhile an older server may ask a person."""
        asks = self._session.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS
        progress, options = self._progress, dict[str, Any]()
        if progress is not None:

            async def moved(done: float, total: float | None, message: str | None) -> None:
                said = None if message is None else shortened(visible(message), MESSAGE_LIMIT)
                result = await awaited(progress(call.function.name, done, total, said), "")
                if result is not False:
                    call.start_deadline_again(self.limits.deadline)

            options["on_progress"] = moved
        async with self._questions.during(call) if asks else nullcontext():
            try:
                async with call.deadline(self.limits.deadline):
                    return await self._send("tools/call", params, options)
            except TimeoutError:
                raise MCPError(REQUEST_TIMEOUT, "Request 'tools/call' timed out") from None

    async def _send(self, method: str, params: Mapping[str, JsonValue], options: Any) -> JsonObject:
        session, data = self._session, {"method": method, "params": dict(params)}
        # `send_request` of the SDK does the same, but parses the result with the SDK's models.
        session._stamp(data, options)  # pyright: ignore[reportPrivateUsage]
        send = session._dispatcher.send_raw_request  # pyright: ignore[reportPrivateUsage]
        try:
            return cast("JsonObject", await send(method, cast("Any", data["params"]), options))
        except MCPError as error:
            closed = cast("Any", session._dispatcher)._closed  # pyright: ignore[reportPrivateUsage]
            if error.__suppress_context__ or closed:  # the SDK's own, not a response
                raise
            raise RespondedError(error.code, error.message, error.data) from None

    async def _keep_open(self, client: Client, opened: "asyncio.Future[ClientSession]") -> None:
        """Open the client, and close it in the same task: its cancel scopes need that."""
        try:
            async with client:
                opened.set_result(client.session)
                await self._end.wait()
        except BaseException as error:  # cancelled too: who waits for the session must hear of it
            if opened.done():
                LOGGER.warning("the session with an MCP server ended: %s", type(error).__name__)
            elif isinstance(error, Exception):
                opened.set_exception(error)
            else:
                opened.cancel()
                raise

    async def run_on_loop(self, steps: Coroutine[Any, Any, T], awaits: bool) -> T:
        """Run steps on the loop of the session, and return their result.

        Without `awaits` this thread is blocked until they end, so it must not be the loop's thread.
        """
        if awaits and asyncio.get_running_loop() is self._loop:
            return await steps
        if not self._loop.is_running():
            steps.close()
            raise ConnectionError("the event loop of the session has ended")
        future = asyncio.run_coroutine_threadsafe(steps, self._loop)
        try:
            return await asyncio.wrap_future(future) if awaits else future.result()
        except BaseException:  # an interrupt of the waiting thread too
            future.cancel()
            raise


def _seconds(milliseconds: JsonValue) -> float:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return 0.0
    return min(max(milliseconds / 1000, 0.0), FRESH)


def header_fault(tool: Mapping[str, JsonValue]) -> str | None:
    """Return the reason to skip a tool whose `x-mcp-header` breaks the rules, else `None`."""
    found = find_invalid_x_mcp_header(tool.get("inputSchema"))
    return None if found is None else f"Its `x-mcp-header` is wrong: {visible(found)}."
