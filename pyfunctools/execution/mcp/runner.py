"""`RemoteRunner`: calls the tools of one session."""

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
    is_declined,
    is_wrong,
    params_of,
    state_of_refusal,
    state_of_result,
    waiting_of,
)
from pyfunctools.execution.mcp.session import Session
from pyfunctools.execution.mcp.tool_results import failed, origin_of, outcome_of
from pyfunctools.execution.runner import Run
from pyfunctools.execution.steps import Answered, AskSteps, Person, awaited, finish
from pyfunctools.record.call_info import person_in
from pyfunctools.record.function import Function
from pyfunctools.record.origin import digest_of_tool
from pyfunctools.record.outcome import Outcome, Waiting
from pyfunctools.schema import Validator

ReadTool: TypeAlias = Callable[[JsonObject, Function], Function]
"""A function of a tool, and of what it was read as, that returns what it is read as now."""

Accept: TypeAlias = Callable[[Function, Function], bool | Awaitable[bool]]
"""A function of a tool as it was read and as it is now that returns whether it may be called."""

PATIENCE: Final = 600.0
"""Seconds for which a server is asked again that waits for a person."""

_PAUSES: Final = (0.05, 1.0)


class RemoteRunner:
    """Runs the tools of one session; see `execution.runner.Runner`.

    Before a call the list is read again, unless the server has said that it stays as it is. A tool
    that is not what it was is called only where `accept` returns true; `read` makes a function of a
    tool as it is now.
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
        """Call the tool; without `awaits` from a thread that is not the session's.

        Raises:
            LoopError: this thread runs an event loop.
        """
        function, awaits = run.function, run.awaits
        if not awaits and in_a_loop():
            raise LoopError(function.name)
        answered, ask = cast("Person | None", person_in(run.info)) or Person(None, None)
        asked = None if ask is None else (_on_this_loop if awaits else _in_a_thread)(ask)
        try:
            refused = await self._session.there(self._before(function, answered), awaits)
            if refused is None and run.begin is not None:
                refused = await run.begin(run.arguments)
            if refused is not None:
                return refused
            called = self._called(function, run.arguments, answered, asked)
            return await self._session.there(called, awaits)
        except ConnectionError as error:
            return failed(function, error)

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
        """Return the refusal of a tool that is not what it was, or that cannot be compared."""
        origin = origin_of(function)
        try:
            listed = await self._listed()
        except Exception as error:  # a transport may raise anything
            return failed(function, error, sent=False)
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
            if self._accept is not None and await awaited(self._accept(function, now), "") is True:
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
        """Return the refusal of a call that is not answered well, or whose tool changed."""
        if answered is not None and (answered.accepted is None or is_wrong(answered)):
            return waiting_of(function, cast("JsonObject", answered.state), answered.values)
        if answered is not None and is_declined(answered):
            text = "The person declined what the server asks for. Nothing has run."
            return Outcome(text=text, reason="declined", function=function.name)
        return await self._changed(function)

    async def _called(
        self,
        function: Function,
        arguments: JsonObject,
        answered: Answered | None,
        ask: AskHere | None,
    ) -> Outcome:
        given: JsonObject = loads(dumps(arguments))
        params: JsonObject = {"name": origin_of(function).name, "arguments": given}
        more: JsonObject = {} if answered is None else params_of(answered)
        started, pause = asyncio.get_running_loop().time(), _PAUSES[0]
        while True:
            call = RunningCall(function, ask)
            try:
                result = await self._session.call({**params, **more}, call)
            except Exception as error:  # a transport may raise anything
                needs = isinstance(error, MCPError) and error.code == URL_ELICITATION_REQUIRED
                refusal = state_of_refusal(cast("MCPError", error).data) if needs else None
                if refusal is not None:
                    return waiting_of(function, refusal, {})
                return call.told(failed(function, error))
            if result.get("resultType") != "input_required":
                return call.told(self._outcome(function, result))
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
        if function.name not in self._validators and function.output is not None:
            self._validators[function.name] = Validator(dict(function.output), formats=False)
        promised = self._validators.get(function.name)
        return outcome_of(function, result, promised, self.limits.response)


def _in_a_thread(ask: AskSteps) -> AskHere:
    """Return `ask` for a thread that waits: it runs in another, with the same context."""
    here = copy_context()

    async def asked(waiting: Waiting) -> Answered | Outcome | None:
        return await asyncio.to_thread(here.copy().run, finish, ask(waiting))

    return asked


def _on_this_loop(ask: AskSteps) -> AskHere:
    """Return `ask` for the session's loop: it runs on this one, with this context."""
    here, loop = copy_context(), asyncio.get_running_loop()

    async def asked(waiting: Waiting) -> Answered | Outcome | None:
        submitted = here.copy().run(asyncio.run_coroutine_threadsafe, ask(waiting), loop)
        return await asyncio.wrap_future(submitted)

    return asked
