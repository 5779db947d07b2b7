"""What an older server asks a person in the middle of a call: whose question it is, who answers.

Until 2025-11-25 a server asks by a request of its own (`elicitation/create`), in which nothing says
for which call. So a call that somebody is there to answer for has no other beside it. Calls for
which nobody is there run side by side; what is asked meanwhile is closed without an answer.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from mcp_types import ElicitRequestParams, ElicitResult

from pyfunctools._json import JsonObject
from pyfunctools.execution.mcp.server_questions import (
    is_wrong,
    response_of,
    state_of_question,
    waiting_of,
)
from pyfunctools.execution.steps import Answered
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Outcome, Waiting

AskHere: TypeAlias = Callable[[Waiting], Awaitable[Answered | Outcome | None]]
"""`Person.ask`, taken where the call was made: on its loop, or in a thread with its context."""

TIMES: Final = 10
"""How often a person is asked one question, where their answers are wrong."""


@dataclass(eq=False, slots=True)
class RunningCall:
    """A call that an older server carries out. `ask` is `None` where nobody is there to answer.

    `is_alone` is whether no other call can be meant by what the server asks.
    """

    function: Function
    ask: AskHere | None
    is_alone: bool = True
    _unanswered: Outcome | None = field(default=None, init=False)
    _error: BaseException | None = field(default=None, init=False)
    _clock: asyncio.Timeout = field(init=False)
    _one: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    _answer: "asyncio.Future[JsonObject | None] | None" = field(default=None, init=False)
    _is_over: bool = field(default=False, init=False)

    @asynccontextmanager
    async def within(self, seconds: float) -> AsyncGenerator[None]:
        """Hold a deadline, beside the time that a person takes.

        Raises:
            TimeoutError: it is over.
        """
        try:
            async with asyncio.timeout(seconds) as self._clock:
                yield
        finally:
            self._is_over = True
            if self._answer is not None:
                self._answer.cancel()

    async def answer(self, params: JsonObject) -> ElicitResult:
        """Return the answer to what the server asks, for which the deadline waits."""
        async with self._one:  # a person is asked one question at a time
            loop, end = asyncio.get_running_loop(), self._clock.when()
            asked = loop.time()
            self._clock.reschedule(None)
            self._answer = asyncio.ensure_future(self._answered(params))
            try:
                await asyncio.wait([self._answer])
            finally:
                self._answer.cancel()
                if end is not None and not self._is_over:
                    self._clock.reschedule(end + loop.time() - asked)
        if self._answer.cancelled():  # the call is over
            return ElicitResult(action="cancel")
        error = self._answer.exception()
        if error is None:
            return ElicitResult.model_validate(self._answer.result() or {"action": "cancel"})
        self._error = error  # the program's: it is raised where the call was made
        return ElicitResult(action="cancel")

    async def _answered(self, params: JsonObject) -> JsonObject | None:
        """Return a person's answer, `None` where there is none; a wrong one is asked for again."""
        state, said = state_of_question(params), None
        asked = waiting_of(self.function, state, {})
        for _ in range(TIMES):
            assert asked.waiting is not None  # noqa: S101 - it is the outcome of what waits
            said = None if self.ask is None else await self.ask(asked.waiting)
            if not isinstance(said, Answered):
                break
            if not is_wrong(said):
                return response_of(said)
            asked = waiting_of(self.function, state, said.values)
        self._unanswered = _unanswered(asked, said)
        return None

    def told(self, outcome: Outcome) -> Outcome:
        """Return the outcome, which says where it failed for a question without an answer.

        Raises:
            PyfunctoolsError: the person could not be asked, by a mistake of the program.
        """
        if self._error is not None:
            raise self._error
        if self._unanswered is None or not outcome.is_error:
            return outcome
        kept = self._unanswered if self.is_alone else outcome
        text = f"{outcome.text}\n{self._unanswered.text}"
        return replace(outcome, text=text, reason=kept.reason, exception=kept.exception)


def _unanswered(asked: Outcome, said: Answered | Outcome | None) -> Outcome:
    """Return the outcome that says why a question has no answer."""
    questions = () if asked.waiting is None else asked.waiting.questions
    wrong = [f"{each.label}: {each.problem}" for each in questions if each.problem]
    why = f"what they gave is not taken ({', '.join(wrong)})" if wrong else "nobody was there"
    failed = said if isinstance(said, Outcome) else Outcome(text="", reason="declined")
    if failed.exception is not None:
        why = f"they could not be asked ({type(failed.exception).__name__})"
    text = f"In the middle of this call the server asked a person, and {why}. {asked.text} "
    return replace(failed, text=text + _AGAIN)


_AGAIN: Final = "The call cannot go on later: it has to be made again when somebody can answer."


class QuestionsInCalls:
    """The calls that an older server carries out, and the answers to what it asks meanwhile."""

    def __init__(self) -> None:
        self._gate = asyncio.Lock()
        self._running = set[RunningCall]()
        self._is_idle = asyncio.Event()
        self._is_idle.set()

    @asynccontextmanager
    async def during(self, call: RunningCall) -> AsyncGenerator[None]:
        """Hold a place for a call: alone where somebody is there, beside others where nobody is."""
        async with AsyncExitStack() as gate:
            await gate.enter_async_context(self._gate)
            if call.ask is not None:
                await self._is_idle.wait()
            self._running.add(call)
            self._is_idle.clear()
            if call.ask is None:
                await gate.aclose()
            try:
                yield
            finally:
                self._running.discard(call)
                if not self._running:
                    self._is_idle.set()

    async def answer(self, context: object, params: ElicitRequestParams) -> ElicitResult:
        """Return the answer to what the server asks: the SDK's `elicitation_callback`."""
        del context
        asked: JsonObject = params.model_dump(by_alias=True, mode="json", exclude_none=True)
        answer = ElicitResult(action="cancel")
        running = list(self._running)
        for call in running:  # one that somebody is there for is the only one
            call.is_alone = len(running) == 1
            answer = await call.answer(asked)
        return answer
