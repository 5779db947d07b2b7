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
from pyfunctools.errors import LoopError, PyfunctoolsError
from pyfunctools.execution.loop import in_a_loop
from pyfunctools.execution.mcp.questions_in_calls import AskHere, RunningCall
from pyfunctools.execution.mcp.server_questions import (
    continuation_of,
    has_wrong_answers,
    is_declined,
    state_of_refusal,
    state_of_result,
    waiting_outcome,
)
from pyfunctools.execution.mcp.session import Session
from pyfunctools.execution.mcp.tool_results import failed_outcome, outcome_of_result, remote_tool_of
from pyfunctools.execution.runner import Run
from pyfunctools.execution.steps import Answered, AskSteps, Person, awaited, finish
from pyfunctools.record.call_info import person_in
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


class RemoteRunner:
    """Runs the tools of one session; see `execution.runner.Runner`.

    Before a call the list of tools is read again, unless the server declared it as still fresh. A
    tool that has changed is called only if `accept` returns true; `read` makes its function.
    """

    def __init__(self, session: Session, read: ReadTool, accept: Accept | None) -> None:
        self.limits = session.limits
        self._session = session
        self._read = read
        self._accept = accept
        self._accepted = set[str]()
        self._listing: asyncio.Task[list[JsonValue]] | None = None
        self._validators: dict[str, Validator] = {}

    async def run(self, run: Run) -> Outcome:
        """Call the tool.

        Raises:
            LoopError: a blocking call in a thread that runs an event loop.
        """
        function, awaits = run.function, run.awaits
        if not awaits and in_a_loop():
            raise LoopError(function.name)
        answered, ask = cast("Person | None", person_in(run.info)) or Person(None, None)
        ask_here = None if ask is None else (_on_this_loop if awaits else _in_a_thread)(ask)
        try:
            refusal = await self._session.run_on_loop(self._refusal(function, answered), awaits)
            if refusal is None and run.begin is not None:
                refusal = await run.begin(run.arguments)
            if refusal is not None:
                return refusal
            call = self._call(function, run.arguments, answered, ask_here)
            return await self._session.run_on_loop(call, awaits)
        except ConnectionError as error:
            return failed_outcome(function, error)

    def close(self) -> None:
        """Close the session if it was opened here; on its own loop use `aclose`."""
        if not in_a_loop():
            with suppress(ConnectionError):
                finish(self._session.run_on_loop(self._session.close(), False))

    async def aclose(self) -> None:
        """Close the session if it was opened here."""
        with suppress(ConnectionError):
            await self._session.run_on_loop(self._session.close(), True)

    async def _refusal(self, function: Function, answered: Answered | None) -> Outcome | None:
        """Return the outcome of a call with invalid answers or a changed tool, else `None`."""
        if answered is None:
            return await self._refusal_of_changed_tool(function)
        if answered.accepted is None or has_wrong_answers(answered):
            state = cast("JsonObject", answered.state)
            return waiting_outcome(function, state, answered.values)
        if is_declined(answered):
            text = "The person declined the server's question. Nothing has run."
            return Outcome(text=text, reason="declined", function=function.name)
        return await self._refusal_of_changed_tool(function)

    async def _refusal_of_changed_tool(self, function: Function) -> Outcome | None:
        origin = remote_tool_of(function)
        try:
            listed = await self._list()
        except Exception as error:  # a transport may raise anything
            return failed_outcome(function, error, sent=False)
        tools = [each for each in listed if isinstance(each, dict)]
        tool = next((each for each in tools if each.get("name") == origin.name), None)
        if tool is None:
            text = f"The server has no tool {function.name} any more. Nothing has run."
            return Outcome(text=text, reason="unknown", function=function.name)
        digest = digest_of_tool(tool)
        if digest == origin.digest or digest in self._accepted:
            return None
        with suppress(PyfunctoolsError):  # a tool that cannot be read is not accepted
            now = self._read(tool, function)
            if self._accept is not None and await awaited(self._accept(function, now), "") is True:
                self._accepted.add(digest)
                return None
        text = f"The tool {function.name} has changed since it was read. Nothing has run."
        return Outcome(text=text, reason="unknown", function=function.name)

    async def _list(self) -> list[JsonValue]:
        """Return the current list of tools; concurrent calls share one request."""
        if self._listing is None or self._session.is_stale():
            if self._listing is None or self._listing.done():
                self._listing = asyncio.ensure_future(self._session.tools())
            return await asyncio.shield(self._listing)
        return self._listing.result()

    async def _call(
        self,
        function: Function,
        arguments: JsonObject,
        answered: Answered | None,
        ask: AskHere | None,
    ) -> Outcome:
        """Call the tool, and call it again while the server waits without a question."""
        given: JsonObject = loads(dumps(arguments))
        params: JsonObject = {"name": remote_tool_of(function).name, "arguments": given}
        more: JsonObject = {} if answered is None else continuation_of(answered)
        started, pause = asyncio.get_running_loop().time(), _PAUSES[0]
        while True:
            call = RunningCall(function, ask)
            try:
                result = await self._session.call({**params, **more}, call)
            except Exception as error:  # a transport may raise anything
                needs = isinstance(error, MCPError) and error.code == URL_ELICITATION_REQUIRED
                refusal = state_of_refusal(cast("MCPError", error).data) if needs else None
                if refusal is not None:
                    return waiting_outcome(function, refusal, {})
                return call.with_reason(failed_outcome(function, error))
            if result.get("resultType") != "input_required":
                return call.with_reason(self._outcome(function, result))
            state = state_of_result(result)
            if isinstance(state, str):
                return Outcome(text=state, reason="declined", function=function.name)
            if state["requests"]:
                return waiting_outcome(function, state, {})
            # The server has no question, and expects the same call again: it waits for a person.
            if asyncio.get_running_loop().time() - started > PATIENCE:
                text = f"The server is not ready after {PATIENCE:g} seconds."
                return Outcome(text=text, reason="deadline", function=function.name)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _PAUSES[1])
            more = continuation_of(Answered(state, {}, True))

    def _outcome(self, function: Function, result: JsonObject) -> Outcome:
        if function.name not in self._validators and function.output is not None:
            self._validators[function.name] = Validator(dict(function.output), formats=False)
        validator = self._validators.get(function.name)
        return outcome_of_result(function, result, validator, self.limits.response)


def _in_a_thread(ask: AskSteps) -> AskHere:
    """Return `ask` for a call that blocks this thread: it runs in another, with this context."""
    context = copy_context()

    async def ask_here(waiting: Waiting) -> Answered | Outcome | None:
        return await asyncio.to_thread(context.copy().run, finish, ask(waiting))

    return ask_here


def _on_this_loop(ask: AskSteps) -> AskHere:
    """Return `ask` for the session's loop: it runs on this loop, with this context."""
    context, loop = copy_context(), asyncio.get_running_loop()

    async def ask_here(waiting: Waiting) -> Answered | Outcome | None:
        submitted = context.copy().run(asyncio.run_coroutine_threadsafe, ask(waiting), loop)
        return await asyncio.wrap_future(submitted)

    return ask_here
