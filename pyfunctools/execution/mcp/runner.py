"""`RemoteRunner`: the session with an MCP server, which lists the tools and calls them.

A server may send anything. So responses are read as plain data, not through the models of the SDK:
these reject a whole list for one wrong tool, and a whole result for one wrong field.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from contextvars import copy_context
from json import dumps, loads
from logging import getLogger
from typing import Any, Final, TypeAlias, TypeVar, cast

from mcp import Client, ClientSession
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import find_invalid_x_mcp_header
from mcp_types import REQUEST_TIMEOUT
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import shortened, visible
from pyfunctools.errors import (
    DefinitionError,
    DocumentError,
    LoopError,
    PyfunctoolsError,
    wrong_type,
)
from pyfunctools.execution.http.exchange import wait_for
from pyfunctools.execution.mcp.server_questions import (
    AskHere,
    QuestionsInCalls,
    RunningCall,
    answers_to,
    continuation_of,
    responses_of,
    state_of_refusal,
    state_of_result,
)
from pyfunctools.execution.mcp.tool_results import (
    MESSAGE_LIMIT,
    RespondedError,
    failed_outcome,
    first_error,
    outcome_of_result,
    remote_tool_of,
)
from pyfunctools.execution.runner import Run
from pyfunctools.execution.steps import Answered, AskSteps, ServerDialog, awaited, finish, in_a_loop
from pyfunctools.limits import Limits
from pyfunctools.record.function import Function
from pyfunctools.record.origin import digest_of_tool
from pyfunctools.record.outcome import Outcome, Waiting
from pyfunctools.schema import Validator

LOGGER = getLogger("pyfunctools.mcp")

T = TypeVar("T")

Accept: TypeAlias = Callable[[Function, Function], bool | Awaitable[bool]]
"""Returns whether a changed tool may be called; the arguments are the old and the new function."""

PATIENCE: Final = 600.0
"""Seconds for which a call is repeated while the server waits for a person."""

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

_PAUSES: Final = (0.05, 1.0)
_ENDED: Final = "the event loop of the session has ended"


class RemoteRunner:
    """Runs the tools of a session; see `execution.runner.Runner`.

    `source` is a `Client` of the SDK, open or not, or a `ClientSession`. The session belongs to the
    event loop on which it was opened; calls from other threads run there.

    Before a call the list of tools is read again, unless the server declared it as still fresh. A
    tool that has changed is called only if `accept` returns true; `read` makes its function of the
    tool and its earlier function.
    """

    preview = None

    def __init__(
        self,
        source: object,
        limits: Limits,
        progress: ToolProgress | None,
        read: Callable[[JsonObject, Function], Function],
        accept: Accept | None,
    ) -> None:
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
        self._stale_at = 0.0
        self._read = read
        self._accept = accept
        self._accepted = set[str]()
        self._listing: asyncio.Task[list[JsonValue]] | None = None
        self._validators: dict[str, Validator] = {}

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
            tools = await self._tools()
            if any("x-mcp-header" in str(each) for each in tools):
                with suppress(ValueError):  # the SDK sends these headers for tools it has listed
                    await self._session.list_tools()
        except BaseException as error:  # a cancelled opening too
            await self._close()
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

    async def _close(self) -> None:
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

    def __reduce__(self) -> tuple[object, ...]:
        remedy = "Write `await Controller.from_mcp(...)` in the other process."
        raise DefinitionError("from_mcp", "A session cannot be pickled.", remedy)

    async def run(self, run: Run) -> Outcome:
        """Call the tool."""
        awaits = run.awaits
        if not awaits and in_a_loop():
            raise LoopError(run.function.name)
        answered, ask = run.dialog or ServerDialog(None, None)
        ask_here = None if ask is None else _where_called(ask, awaits)
        try:
            more = await self._on_loop(self._more(run, answered, ask_here), awaits)
            if not isinstance(more, Outcome):
                more = await run.refused() or more
            if isinstance(more, Outcome):
                return more
            return await self._on_loop(self._carry_out(run, more, ask_here), awaits)
        except ConnectionError as error:
            return failed_outcome(run, error)

    def may_ask(self, function: Function) -> bool:
        """Return True: a server may ask."""
        return True

    def close(self) -> None:
        """Close the session if it was opened here; on its own loop use `aclose`."""
        if not in_a_loop():
            with suppress(ConnectionError):
                finish(self._on_loop(self._close(), False))

    async def aclose(self) -> None:
        """Close the session if it was opened here."""
        with suppress(ConnectionError):
            await self._on_loop(self._close(), True)

    async def _more(
        self, run: Run, answered: Answered | None, ask: AskHere | None
    ) -> JsonObject | Outcome:
        """Return the parameters that continue a call; the answer of a ticket may be wrong."""
        more: JsonObject | Outcome = {}
        if answered is not None:
            state = cast("JsonObject", answered.state)
            given = None if answered.accepted is None else responses_of(run.function, answered)
            if given is None:
                given = await answers_to(run.function, state, ask, answered.values)
            more = continuation_of(state, given)
        if isinstance(more, Outcome):
            return more
        return await self._refusal_of_changed_tool(run) or more

    async def _refusal_of_changed_tool(self, run: Run) -> Outcome | None:
        function, origin = run.function, remote_tool_of(run.function)
        try:
            listed = await self._list()
        except Exception as error:  # a transport may raise anything
            return failed_outcome(run, error, sent=False)
        why = f"The server has no tool {function.name} any more."
        for tool in listed:
            if not isinstance(tool, dict) or tool.get("name") != origin.name:
                continue
            digest = digest_of_tool(tool)
            if digest == origin.digest or digest in self._accepted:
                return None
            with suppress(PyfunctoolsError):  # a tool that cannot be read is not accepted
                now = self._read(tool, function)
                if self._accept and await awaited(self._accept(function, now), "") is True:
                    self._accepted.add(digest)
                    return None
            why = f"The tool {function.name} has changed since it was read."
            break
        return Outcome(text=f"{why} Nothing has run.", reason="unknown")

    async def _tools(self) -> list[JsonValue]:
        """Return the tools on all pages of the server's list.

        Raises:
            DocumentError: the list has no end, or is not a list.
            MCPError: the server does not answer, or answers with an error.
        """
        tools, seen, fresh = list[JsonValue](), list[JsonValue](), list[float]()
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
            if len(tools) > TOOLS or cursor in seen:
                break
            if not isinstance(cursor, str):
                self._stale_at = self._loop.time() + min(fresh)
                return tools
            seen.append(cursor)
        reason = f"The server's list of tools has no end, or more than {TOOLS:,} of them."
        raise DocumentError(self.name, reason)

    async def _list(self) -> list[JsonValue]:
        """Return the current list of tools; concurrent calls share one request."""
        is_stale = self._loop.time() >= self._stale_at
        if self._listing is None or (is_stale and self._listing.done()):
            self._listing = asyncio.ensure_future(self._tools())
        return await asyncio.shield(self._listing)

    async def _carry_out(self, run: Run, more: JsonObject, ask: AskHere | None) -> Outcome:
        """Call the tool, and call it again with a person's answers, or while the server waits."""
        function = run.function
        given: JsonObject = loads(dumps(run.arguments))
        params: JsonObject = {"name": remote_tool_of(function).name, "arguments": given}
        started, pause = self._loop.time(), _PAUSES[0]
        while True:
            call = RunningCall(function, ask)
            state: JsonObject | Outcome | None
            try:
                result = await self._call({**params, **more}, call)
                if result.get("resultType") != "input_required":
                    return call.with_reason(self._outcome(run, result))
                state = state_of_result(result)
            except Exception as error:  # a transport may raise anything
                state = state_of_refusal(error)
                if state is None:
                    return call.with_reason(failed_outcome(run, error))
            if isinstance(state, Outcome):
                return state
            responses: dict[str, JsonObject] | Outcome = {}
            if state["requests"]:
                responses = await answers_to(function, state, ask, {})
                started = self._loop.time()
            elif self._loop.time() - started > PATIENCE:
                text = f"The server is not ready after {PATIENCE:g} seconds."
                return Outcome(text=text, reason="deadline")
            else:  # the server expects the same call again: it waits for a person
                await asyncio.sleep(pause)
                pause = min(2 * pause, _PAUSES[1])
            continued = continuation_of(state, responses)
            if isinstance(continued, Outcome):
                return continued
            more = continued

    def _outcome(self, run: Run, result: JsonObject) -> Outcome:
        function = run.function
        if function.name not in self._validators and function.output is not None:
            self._validators[function.name] = Validator(dict(function.output), formats=False)
        validator = self._validators.get(function.name)
        return outcome_of_result(run, result, validator, self.limits.response)

    async def _call(self, params: Mapping[str, JsonValue], call: RunningCall) -> JsonObject:
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

    async def _on_loop(self, steps: Coroutine[Any, Any, T], awaits: bool) -> T:
        """Run steps on the loop of the session; without `awaits` that is not this thread's loop."""
        if awaits and asyncio.get_running_loop() is self._loop:
            return await steps
        if not self._loop.is_running():
            steps.close()
            raise ConnectionError(_ENDED)
        future = asyncio.run_coroutine_threadsafe(steps, self._loop)
        try:
            while self._loop.is_running() and not future.done():  # a loop that ends may say nothing
                await wait_for(future, 1, blocks=not awaits)
        except BaseException:  # an interrupt of the waiting thread too
            future.cancel()
            raise
        if not future.done() or future.cancelled():
            raise ConnectionError(_ENDED)
        return future.result()


def _where_called(ask: AskSteps, awaits: bool) -> AskHere:
    """Return `ask` for the session: it runs on this loop, or in a thread, with this context."""
    context, loop = copy_context(), asyncio.get_running_loop() if awaits else None

    async def ask_here(waiting: Waiting) -> Answered | Outcome | None:
        own = context.copy()
        if loop is None:
            pool = ThreadPoolExecutor(1)  # all threads of the loop may wait for answers
            asked = pool.submit(own.run, finish, ask(waiting))
            pool.shutdown(wait=False)
            return await asyncio.wrap_future(asked)
        submitted = own.run(asyncio.run_coroutine_threadsafe, ask(waiting), loop)
        return await asyncio.wrap_future(submitted)

    return ask_here


def _seconds(milliseconds: JsonValue) -> float:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return 0.0
    return min(max(milliseconds / 1000, 0.0), FRESH)


def header_fault(tool: Mapping[str, JsonValue]) -> str | None:
    """Return the reason to skip a tool whose `x-mcp-header` breaks the rules, else `None`."""
    found = find_invalid_x_mcp_header(tool.get("inputSchema"))
    return None if found is None else f"Its `x-mcp-header` is wrong: {visible(found)}."
