"""The session with an MCP server, over which its tools are listed and called.

A server may say anything. So what comes is taken as the plain data it is, not through the models of
the SDK, which drop a whole list for one wrong tool and a whole result for one wrong field: every
tool that can be read is, and a result keeps its text whatever else is wrong with it.
"""

import asyncio
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import Future
from contextlib import suppress
from json import dumps, loads
from logging import getLogger
from typing import Any, Final, TypeAlias, TypeVar, cast
from urllib.parse import unquote

from typing_extensions import TypeIs

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import shortened, visible
from pyfunctools.errors import (
    DefinitionError,
    DocumentError,
    LoopError,
    PyfunctoolsError,
    wrong_type,
)
from pyfunctools.execution.loop import in_a_loop
from pyfunctools.execution.remote_questions import (
    is_declined,
    is_wrong,
    params_of,
    state_of_refusal,
    state_of_result,
    waiting_of,
)
from pyfunctools.execution.runner import Run
from pyfunctools.execution.steps import Answered, finish, settled
from pyfunctools.limits import Limits
from pyfunctools.record.call_info import answered_in
from pyfunctools.record.file import File
from pyfunctools.record.function import Function
from pyfunctools.record.origin import RemoteTool, digest_of_tool
from pyfunctools.record.outcome import Outcome, Reason
from pyfunctools.schema import Validator
from pyfunctools.schema.ground.json_values import deeper_than
from pyfunctools.schema.parsing.strict import strict

try:
    from mcp import Client, ClientSession
    from mcp.shared.exceptions import MCPError
    from mcp.shared.inbound import find_invalid_x_mcp_header
    from mcp_types import (
        CONNECTION_CLOSED,
        INVALID_PARAMS,
        METHOD_NOT_FOUND,
        REQUEST_TIMEOUT,
        URL_ELICITATION_REQUIRED,
        ElicitResult,
    )
except ModuleNotFoundError as error:
    raise DefinitionError(
        "from_mcp",
        f"The official SDK of MCP, version 2, is not installed: {error}.",
        "Run `pip install 'pyfunctools[mcp]'`.",
    ) from None

LOGGER = getLogger("pyfunctools.mcp")

T = TypeVar("T")

Read: TypeAlias = Callable[[JsonObject, Function], Function]
"""A function of a tool, and of what it was read as, that returns what it is read as now."""

Accept: TypeAlias = Callable[[Function, Function], bool | Awaitable[bool]]
"""A function of a tool as it was read and as it is now that returns whether it may be called."""

PAGES: Final = 1_000
"""Pages of a list that are read."""

TOOLS: Final = 10_000
"""Tools of a list that are read."""

PATIENCE: Final = 600.0
"""Seconds for which a server is asked again that waits for a person."""

_PAUSES: Final = (0.05, 1.0)

FRESH: Final = 300.0
"""Seconds for which a server is believed that its list stays as it is."""

DEPTH: Final = 128
"""Nesting of a result."""


class Session:
    """A session with a server: one that somebody opened, or a client that is opened here.

    It belongs to the event loop on which it was opened; calls from other threads are sent there.
    """

    def __init__(self, source: object, limits: Limits) -> None:
        """Keep a `Client` of the SDK, opened or not, or a `ClientSession`.

        Raises:
            DefinitionError: it is neither.
        """
        if not isinstance(source, Client | ClientSession):
            remedy = "Write `Controller.from_mcp(mcp.Client(...))`."
            raise wrong_type("from_mcp", "a `Client` or `ClientSession` of MCP", source, remedy)
        self.limits = limits
        self._source = source
        self._loop = asyncio.get_running_loop()
        self._end = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self._session: ClientSession
        self._stale_at = 0.0

    async def open(self) -> None:
        """Open the client, unless somebody has.

        Raises:
            DocumentError: the server cannot be reached.
        """
        if isinstance(self._source, ClientSession):
            self._session = self._source
            return
        try:
            self._session = self._source.session
        except RuntimeError:  # it is not open: a task opens it, which is also the one to close it
            if self._source.elicitation_callback is None:  # so the server is told that we can ask
                self._source.elicitation_callback = _unasked
            opened: asyncio.Future[ClientSession] = self._loop.create_future()
            self._keeper = self._loop.create_task(self._keep(self._source, opened))
            try:
                self._session = await opened
            except Exception as error:  # a transport may raise anything
                said = visible(str(_first(error))) or type(error).__name__
                reason = f"The server cannot be reached: {shortened(said, 1_000)}"
                raise DocumentError("from_mcp", reason) from error

    async def close(self) -> None:
        """Close the client, if it was opened here."""
        if self._keeper is not None and self._loop.is_running():
            self._end.set()
            await asyncio.wait([self._keeper])

    @property
    def name(self) -> str:
        """What the server calls itself."""
        told = self._session.server_info
        return visible(told.title or told.name) if told is not None else ""

    @property
    def instructions(self) -> str:
        """What the server says of its tools."""
        return visible(self._session.instructions or "")

    async def tools(self) -> list[JsonValue]:
        """Return the tools of the server's list, all pages of it.

        Raises:
            DocumentError: it has no end, or is none.
            MCPError: the server does not answer, or refuses.
        """
        tools, seen, fresh = list[JsonValue](), set[str](), list[float]()
        cursor: JsonValue = None
        for _ in range(PAGES):
            page = await self.ask("tools/list", {} if cursor is None else {"cursor": cursor})
            listed = page.get("tools")
            if not isinstance(listed, list):
                raise DocumentError(self.name, "The server's list of tools is none.")
            tools += listed
            fresh.append(_seconds(page.get("ttlMs")))
            cursor = page.get("nextCursor")
            if not isinstance(cursor, str):
                self._stale_at = self._loop.time() + min(fresh)
                return tools
            if cursor in seen or len(tools) > TOOLS:
                break
            seen.add(cursor)
        reason = f"The server's list of tools goes on after {len(tools)} of them"
        raise DocumentError(self.name, f"{reason}, over the same cursors or without an end.")

    async def first_tools(self) -> list[JsonValue]:
        """Return the tools of the list, when it is read first.

        Raises:
            DocumentError: as `tools`, or the server does not answer.
        """
        try:
            tools = await self.tools()
            if any("x-mcp-header" in str(each) for each in tools):
                with suppress(ValueError):  # the SDK sends them for what it has listed itself
                    await self._session.list_tools()
        except MCPError as error:
            said = shortened(visible(error.message), _LONGEST)
            raise DocumentError(
                "from_mcp", f"The server does not list its tools: {said}"
            ) from error
        return tools

    def is_stale(self) -> bool:
        """Return whether the list may be another one than was read last."""
        return self._loop.time() >= self._stale_at

    async def ask(self, method: str, params: Mapping[str, JsonValue]) -> JsonObject:
        """Return the plain result of a request.

        Raises:
            MCPError: the server answers with an error, too late, or not any more.
        """
        session, data = self._session, {"method": method, "params": dict(params)}
        options: Any = {"timeout": self.limits.deadline}
        # What the SDK does for `send_request` before it takes the result through its models.
        session._stamp(data, options)  # pyright: ignore[reportPrivateUsage]
        send = session._dispatcher.send_raw_request  # pyright: ignore[reportPrivateUsage]
        return cast("JsonObject", await send(method, cast("Any", data["params"]), options))

    async def _keep(self, client: Client, opened: "asyncio.Future[ClientSession]") -> None:
        """Open the client, and close it in the same task, as its scopes want it."""
        try:
            async with client:
                opened.set_result(client.session)
                await self._end.wait()
        except BaseException as error:
            if opened.done():
                LOGGER.warning("the session with an MCP server ended: %s", type(error).__name__)
            elif isinstance(error, Exception):
                opened.set_exception(error)
            else:
                opened.cancel()
                raise

    async def there(self, steps: Coroutine[Any, Any, T], awaits: bool) -> T:
        """Return what steps give that are taken on the loop of the session.

        Without `awaits` it is waited for in this thread, which is another.
        """
        if awaits and asyncio.get_running_loop() is self._loop:
            return await steps
        future = self._submitted(steps)
        try:
            return await asyncio.wrap_future(future) if awaits else future.result()
        except BaseException:  # an interrupt of the waiting thread too
            future.cancel()
            raise

    def _submitted(self, steps: Coroutine[Any, Any, T]) -> "Future[T]":
        if self._loop.is_running():
            return asyncio.run_coroutine_threadsafe(steps, self._loop)
        steps.close()
        raise ConnectionError("the event loop of the session has ended")


class RemoteRunner:
    """Runs the tools of one session; see `execution.pipeline.Runner`.

    Before a call the list is read again, unless the server has said that it stays as it is. A tool
    that is not what it was is called only where `accept` returns true; `read` makes a function of a
    tool as it is now.
    """

    def __init__(self, session: Session, read: Read, accept: Accept | None) -> None:
        self.limits = session.limits
        self._session = session
        self._read = read
        self._accept = accept
        self._accepted = set[str]()
        self._listing: asyncio.Task[list[JsonValue]] | None = None
        self._validators: dict[str, Validator] = {}

    async def run(self, run: Run) -> Outcome:
        """Call the tool; without `awaits` from a thread that is not the session's.

        Raises:
            LoopError: this thread runs an event loop.
        """
        function, awaits = run.function, run.awaits
        if not awaits and in_a_loop():
            raise LoopError(function.name)
        answered = cast("Answered | None", answered_in(run.info))
        try:
            refused = await self._session.there(self._before(function, answered), awaits)
            if refused is None and run.begin is not None:
                refused = await run.begin(run.arguments)
            if refused is not None:
                return refused
            called = self._called(function, run.arguments, answered)
            return await self._session.there(called, awaits)
        except ConnectionError as error:
            return _failed(function, error)

    def close(self) -> None:
        """Close the session, if it was opened here; on its own loop use `aclose`."""
        if not in_a_loop():
            with suppress(ConnectionError):
                finish(self._session.there(self._session.close(), False))

    async def aclose(self) -> None:
        """Close the session, if it was opened here."""
        with suppress(ConnectionError):
            await self._session.there(self._session.close(), True)

    async def _changed(self, function: Function) -> Outcome | None:
        """Return why a tool is not called: it is not what it was, or nobody can tell."""
        origin = _origin(function)
        try:
            listed = await self._listed()
        except Exception as error:  # a transport may raise anything
            return _failed(function, error, sent=False)
        tools = [each for each in listed if isinstance(each, dict)]
        tool = next((each for each in tools if each.get("name") == origin.name), None)
        if tool is None:
            text = f"The server has no tool {function.name} any more. Nothing has run."
            return Outcome(text=text, reason="unknown", function=function.name)
        digest = digest_of_tool(tool)
        if digest == origin.digest or digest in self._accepted:
            return None
        with suppress(PyfunctoolsError):  # what cannot be read cannot be accepted either
            now = self._read(tool, function)
            if self._accept is not None and await settled(self._accept(function, now), "") is True:
                self._accepted.add(digest)
                return None
        text = f"The tool {function.name} is not what it was when it was read. Nothing has run."
        return Outcome(text=text, reason="unknown", function=function.name)

    async def _listed(self) -> list[JsonValue]:
        """Return the list as it is now; calls that want it at the same time read it once."""
        if self._listing is None or self._session.is_stale():
            if self._listing is None or self._listing.done():
                self._listing = asyncio.ensure_future(self._session.tools())
            return await asyncio.shield(self._listing)
        return self._listing.result()

    async def _before(self, function: Function, answered: Answered | None) -> Outcome | None:
        """Return why a call does not go out: nobody has answered it well, or the tool changed."""
        if answered is not None and (answered.accepted is None or is_wrong(answered)):
            return waiting_of(function, cast("JsonObject", answered.state), answered.values)
        if answered is not None and is_declined(answered):
            text = "The person declined what the server asks for. Nothing has run."
            return Outcome(text=text, reason="declined", function=function.name)
        return await self._changed(function)

    async def _called(
        self, function: Function, arguments: JsonObject, answered: Answered | None
    ) -> Outcome:
        given: JsonObject = loads(dumps(arguments))
        params: JsonObject = {"name": _origin(function).name, "arguments": given}
        more: JsonObject = {} if answered is None else params_of(answered)
        started, pause = asyncio.get_running_loop().time(), _PAUSES[0]
        while True:
            try:
                result = await self._session.ask("tools/call", {**params, **more})
            except Exception as error:  # a transport may raise anything
                needs = isinstance(error, MCPError) and error.code == URL_ELICITATION_REQUIRED
                refusal = state_of_refusal(cast("MCPError", error).data) if needs else None
                if refusal is not None:
                    return waiting_of(function, refusal, {})
                return _failed(function, error)
            if result.get("resultType") != "input_required":
                return self._outcome(function, result)
            state = state_of_result(result)
            if isinstance(state, str):
                return Outcome(text=state, reason="declined", function=function.name)
            if state["requests"]:
                return waiting_of(function, state, {})
            # It wants to be asked again, which is how a server waits for what a person does.
            if asyncio.get_running_loop().time() - started > PATIENCE:
                text = f"The server is not ready after {PATIENCE:g} seconds."
                return Outcome(text=text, reason="deadline", function=function.name)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _PAUSES[1])
            more = params_of(Answered(state, {}, True))

    def _outcome(self, function: Function, result: JsonObject) -> Outcome:
        """Return the outcome of a result, whose text stays whatever else is wrong with it."""
        if deeper_than(result, DEPTH) or len(dumps(result)) > self.limits.response:
            text = f"The tool ran, but its result is larger than {self.limits.response:,} bytes or "
            text += f"nested more than {DEPTH} deep."
            return Outcome(text=text, reason="output", function=function.name)
        content = result.get("content")
        blocks = content if isinstance(content, list) else []
        told = [_told(each) for each in blocks if isinstance(each, dict)]
        files = tuple(each for each in told if isinstance(each, File))
        texts = [each for each in told if not isinstance(each, File)]
        text = "\n".join(texts)
        if result.get("isError") is True:
            return Outcome(
                text=visible(text) or "The tool failed, and did not say why.",
                reason="raised",
                content=files,
                function=function.name,
            )
        value, wrong = self._value(function, result, text)
        if not texts and not (files and value is None):
            text = value if isinstance(value, str) else dumps(value, ensure_ascii=False)
        if wrong is not None:
            text = f"The tool ran, but returned what it does not promise. {wrong}\n{text}"
        reason: Reason | None = None if wrong is None else "output"
        return Outcome(
            text=visible(text), value=value, reason=reason, content=files, function=function.name
        )

    def _value(
        self, function: Function, result: JsonObject, text: str
    ) -> tuple[JsonValue, str | None]:
        """Return the value of a result, and what is wrong with it by the schema of the tool."""
        value, promised = result.get("structuredContent"), function.output
        if promised is None:
            return (value if "structuredContent" in result else text or None), None
        if _origin(function).wraps and isinstance(value, dict) and "result" in value:
            value = value["result"]
        elif "structuredContent" not in result:  # as older servers do: the JSON is in the text
            read = strict(text, DEPTH)
            value = text if read is None else read[0]
        if function.name not in self._validators:
            self._validators[function.name] = Validator(promised, formats=False)
        checked = self._validators[function.name].validate(value)
        if checked:
            return value, None
        return value, " ".join(issue.message for issue in checked.issues[:3])


async def _unasked(context: object, params: object) -> ElicitResult:
    """Return that nobody answers what an older server asks in the middle of a call."""
    return ElicitResult(action="cancel")


def _seconds(milliseconds: JsonValue) -> float:
    """Return how long a list stays as it is, as far as a server is believed."""
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return 0.0
    return min(max(milliseconds / 1000, 0.0), FRESH)


def header_fault(tool: Mapping[str, JsonValue]) -> str | None:
    """Return why a client must not take a tool: what it wants sent in headers is wrong."""
    found = find_invalid_x_mcp_header(tool.get("inputSchema"))
    return None if found is None else f"Its `x-mcp-header` is wrong: {visible(found)}."


def _origin(function: Function) -> RemoteTool:
    assert isinstance(function.origin, RemoteTool)  # noqa: S101 - the runner of no other kind
    return function.origin


def _told(block: JsonObject) -> str | File:
    """Return a block of a result: its text, a file, or what it is."""
    kind, resource = block.get("type"), block.get("resource")
    held = resource if isinstance(resource, dict) else block
    for word in ("text", "data", "blob"):
        data = held.get(word)
        if isinstance(data, str):
            if word == "text":
                return data
            try:
                content = b64decode(data, validate=True)
            except (Base64Error, ValueError):
                return f"[{kind} that is no base64]"
            name, media = held.get("uri"), held.get("mimeType")
            named = name.rpartition("/")[2].removeprefix("attachment:") if _is_text(name) else None
            return File(
                content, unquote(named) if named else None, media if _is_text(media) else None
            )
    name, uri = block.get("name"), block.get("uri")
    return f"[{' '.join(str(each) for each in (kind, name, uri) if each)}]"


def _is_text(value: JsonValue) -> TypeIs[str]:
    return isinstance(value, str)


def _failed(function: Function, error: Exception, *, sent: bool = True) -> Outcome:
    """Return the outcome of a call that has no result."""
    reason: Reason = "transport"
    said = visible(str(_first(error))) or type(error).__name__
    if isinstance(error, DocumentError):
        said, reason = error.reason, "unknown"
    elif isinstance(error, MCPError):
        reason, said = _REASONS.get(error.code, "raised"), visible(error.message)
    text = shortened(said, _LONGEST)
    if reason in ("transport", "deadline"):
        text = f"There is no answer of the server: {text.rstrip('.')}."
        unsure = sent and not function.read_only
        text += " It may have carried out the call." if unsure else ""
    return Outcome(
        text=text if sent else f"{text} Nothing has run.", reason=reason, function=function.name
    )


_LONGEST: Final = 2_000
"""Characters of a server's words about a failure that are told."""

_REASONS: Final[Mapping[int, Reason]] = {
    CONNECTION_CLOSED: "transport",
    INVALID_PARAMS: "arguments",
    METHOD_NOT_FOUND: "unknown",
    REQUEST_TIMEOUT: "deadline",
}


def _first(error: BaseException) -> BaseException:
    """Return the first error in a group."""
    while isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        error = group.exceptions[0]
    return error
