"""`RemoteRunner`: calls the tools of one MCP session."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import copy_context
from json import dumps, loads
from typing import Final, TypeAlias, cast

from mcp.shared.exceptions import MCPError
from mcp_types import URL_ELICITATION_REQUIRED

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DefinitionError, LoopError, PyfunctoolsError
from pyfunctools.execution.mcp.server_questions import (
    AskHere,
    RunningCall,
    answers_to,
    continuation_of,
    responses_of,
    state_of_refusal,
    state_of_result,
)
from pyfunctools.execution.mcp.session import Session, ToolProgress
from pyfunctools.execution.mcp.tool_results import failed_outcome, outcome_of_result, remote_tool_of
from pyfunctools.execution.runner import Run
from pyfunctools.execution.steps import Answered, AskSteps, ServerDialog, awaited, finish, in_a_loop
from pyfunctools.limits import Limits
from pyfunctools.record.function import Function
from pyfunctools.record.origin import digest_of_tool
from pyfunctools.record.outcome import Outcome, Waiting
from pyfunctools.schema import Validator

ReadTool: TypeAlias = Callable[[JsonObject, Function], Function]
"""Returns the current function of a tool; the arguments are the tool and its earlier function."""

Accept: TypeAlias = Callable[[Function, Function], bool | Awaitable[bool]]
"""Returns whether a changed tool may be called; the arguments are the old and the new function."""

PATIENCE: Final = 600.0
"""Seconds for which a call is repeated while the server waits for a person."""

_PAUSES: Final = (0.05, 1.0)


class RemoteRunner(Session):
    """Runs the tools of a session; see `execution.runner.Runner`.

    Before a call the list of tools is read again, unless the server declared it as still fresh. A
    tool that has changed is called only if `accept` returns true; `read` makes its function.
    """

    preview = None

    def __init__(
        self,
        source: object,
        limits: Limits,
        progress: ToolProgress | None,
        read: ReadTool,
        accept: Accept | None,
    ) -> None:
        super().__init__(source, limits, progress)
        self._read = read
        self._accept = accept
        self._accepted = set[str]()
        self._listing: asyncio.Task[list[JsonValue]] | None = None
        self._validators: dict[str, Validator] = {}

    def __reduce__(self) -> tuple[object, ...]:
        remedy = "Write `await Controller.from_mcp(...)` in the other process."
        raise DefinitionError("from_mcp", "A session cannot be pickled.", remedy)

    async def run(self, run: Run) -> Outcome:
        """Call the tool."""
        function, awaits = run.function, run.awaits
        if not awaits and in_a_loop():
            raise LoopError(function.name)
        answered, ask = run.dialog or ServerDialog(None, None)
        ask_here = None if ask is None else _where_called(ask, awaits)
        try:
            steps = self._more(run, answered, ask_here)
            more = await self.run_on_loop(steps, awaits)
            if not isinstance(more, Outcome) and run.begin is not None:
                more = await run.begin() or more
            if isinstance(more, Outcome):
                return more
            return await self.run_on_loop(self._carry_out(run, more, ask_here), awaits)
        except ConnectionError as error:
            return failed_outcome(run, error)

    def may_ask(self, function: Function) -> bool:
        """Return True: a server may ask."""
        return True

    def close(self) -> None:
        """Close the session if it was opened here; on its own loop use `aclose`."""
        if not in_a_loop():
            with suppress(ConnectionError):
                finish(self.run_on_loop(self.end(), False))

    async def aclose(self) -> None:
        """Close the session if it was opened here."""
        with suppress(ConnectionError):
            await self.run_on_loop(self.end(), True)

    async def _more(
        self, run: Run, answered: Answered | None, ask: AskHere | None
    ) -> JsonObject | Outcome:
        function = run.function
        more: JsonObject | Outcome = {}
        if answered is not None:
            state = cast("JsonObject", answered.state)
            given = None if answered.accepted is None else responses_of(function, answered)
            if given is None:
                given = await answers_to(function, state, ask, answered.values)
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
        tools = [each for each in listed if isinstance(each, dict)]
        tool = next((each for each in tools if each.get("name") == origin.name), None)
        if tool is None:
            text = f"The server has no tool {function.name} any more. Nothing has run."
            return Outcome(text=text, reason="unknown")
        digest = digest_of_tool(tool)
        if digest == origin.digest or digest in self._accepted:
            return None
        with suppress(PyfunctoolsError):  # a tool that cannot be read is not accepted
            now = self._read(tool, function)
            if self._accept is not None and await awaited(self._accept(function, now), "") is True:
                self._accepted.add(digest)
                return None
        text = f"The tool {function.name} has changed since it was read. Nothing has run."
        return Outcome(text=text, reason="unknown")

    async def _list(self) -> list[JsonValue]:
        """Return the current list of tools; concurrent calls share one request."""
        is_stale = asyncio.get_running_loop().time() >= self.stale_at
        if self._listing is None or is_stale:
            if self._listing is None or self._listing.done():
                self._listing = asyncio.ensure_future(self.tools())
            return await asyncio.shield(self._listing)
        return self._listing.result()

    async def _carry_out(self, run: Run, more: JsonObject, ask: AskHere | None) -> Outcome:
        """Call the tool, and call it again with a person's answers, or while the server waits."""
        function = run.function
        given: JsonObject = loads(dumps(run.arguments))
        params: JsonObject = {"name": remote_tool_of(function).name, "arguments": given}
        started, pause = asyncio.get_running_loop().time(), _PAUSES[0]
        while True:
            call = RunningCall(function, ask)
            try:
                result = await self.call({**params, **more}, call)
                if result.get("resultType") != "input_required":
                    return call.with_reason(self._outcome(run, result))
                state = state_of_result(result)
            except Exception as error:  # a transport may raise anything
                needs = isinstance(error, MCPError) and error.code == URL_ELICITATION_REQUIRED
                refused = state_of_refusal(cast("MCPError", error).data) if needs else None
                if refused is None:
                    return call.with_reason(failed_outcome(run, error))
                state = refused
            if isinstance(state, str):
                return Outcome(text=state, reason="declined")
            responses: dict[str, JsonObject] | Outcome = {}
            if state["requests"]:
                responses = await answers_to(function, state, ask, {})
                started = asyncio.get_running_loop().time()
            elif asyncio.get_running_loop().time() - started > PATIENCE:
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


def _where_called(ask: AskSteps, awaits: bool) -> AskHere:
    """Return `ask` for the session: it runs on this loop, or in a thread, with this context."""
    context, loop = copy_context(), asyncio.get_running_loop() if awaits else None

    async def ask_here(waiting: Waiting) -> Answered | Outcome | None:
        own = context.copy()
        if loop is None:
            return await asyncio.to_thread(own.run, finish, ask(waiting))
        submitted = own.run(asyncio.run_coroutine_threadsafe, ask(waiting), loop)
        return await asyncio.wrap_future(submitted)

    return ask_here
