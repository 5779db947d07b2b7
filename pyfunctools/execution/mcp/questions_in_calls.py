"""Questions of an older server in the middle of a call: their call, and who answers them.

Until 2025-11-25 a server asks in a separate request (`elicitation/create`), which does not name the
call. So a call for which somebody can answer runs alone. Calls for which nobody can answer run at
the same time; their questions are cancelled.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Final

from mcp_types import ElicitRequestParams, ElicitResult

from pyfunctools._json import JsonObject
from pyfunctools.execution.mcp.server_questions import (
    AskHere,
    answers_to,
    state_of_question,
)
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Outcome, Reason


@dataclass(eq=False, slots=True)
class RunningCall:
    """A call that a server carries out.

    `ask` is `None` if nobody can answer. `is_alone` is true if a question of the server can belong
    only to this call.
    """

    function: Function
    ask: AskHere | None
    is_alone: bool = True
    _no_answer: Outcome | None = field(default=None, init=False)
    _error: BaseException | None = field(default=None, init=False)
    _clock: asyncio.Timeout = field(init=False)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    _answer: "asyncio.Future[JsonObject | None] | None" = field(default=None, init=False)
    _is_over: bool = field(default=False, init=False)

    @asynccontextmanager
    async def deadline(self, seconds: float) -> AsyncGenerator[None]:
        """Limit the time of a block; the time in which a person answers does not count."""
        try:
            async with asyncio.timeout(seconds) as self._clock:
                yield
        finally:
            self._is_over = True
            if self._answer is not None:
                self._answer.cancel()

    def start_deadline_again(self, seconds: float) -> None:
        """Start the time of `deadline` again, unless it is over, or a person is asked."""
        if not self._is_over and self._clock.when() is not None and not self._clock.expired():
            self._clock.reschedule(asyncio.get_running_loop().time() + seconds)

    async def answer(self, params: JsonObject) -> ElicitResult:
        """Return the answer to a server's question; the deadline moves by the time it takes."""
        async with self._lock:  # a person is asked one question at a time
            loop, end = asyncio.get_running_loop(), self._clock.when()
            asked_at = loop.time()
            self._clock.reschedule(None)
            self._answer = asyncio.ensure_future(self._ask(params))
            try:
                await asyncio.wait([self._answer])
            finally:
                self._answer.cancel()
                if end is not None and not self._is_over:
                    self._clock.reschedule(end + loop.time() - asked_at)
        if self._answer.cancelled():  # the call is over
            return ElicitResult(action="cancel")
        error = self._answer.exception()
        if error is None:
            return ElicitResult.model_validate(self._answer.result() or {"action": "cancel"})
        self._error = error  # a mistake of the program, which `with_reason` raises
        return ElicitResult(action="cancel")

    async def _ask(self, params: JsonObject) -> JsonObject | None:
        """Return a person's answer, or `None`."""
        answers = await answers_to(self.function, state_of_question(params), self.ask, {})
        if isinstance(answers, Outcome):
            self._no_answer = _no_answer(answers)
            return None
        return next(iter(answers.values()))

    def with_reason(self, outcome: Outcome) -> Outcome:
        """Return the outcome; if the call failed for lack of an answer, its text has this reason.

        Raises:
            PyfunctoolsError: the person could not be asked, by a mistake of the program.
        """
        if self._error is not None:
            raise self._error
        if self._no_answer is None or not outcome.is_error:
            return outcome
        cause = self._no_answer if self.is_alone else outcome
        text = f"{outcome.text}\n{self._no_answer.text}"
        return replace(outcome, text=text, reason=cause.reason, exception=cause.exception)


def _no_answer(found: Outcome) -> Outcome:
    """Return the outcome with the reason why a question has no answer."""
    questions = () if found.waiting is None else found.waiting.questions
    wrong = [f"{each.label}: {each.problem}" for each in questions if each.problem]
    why = f"their answer was not valid ({', '.join(wrong)})" if wrong else "nobody was there"
    said = f"{why}. {found.text}"
    if found.exception is not None:
        said = f"they could not be asked ({type(found.exception).__name__})."
    text = f"In the middle of this call the server asked a person, and {said} "
    return replace(found, text=text + _CALL_AGAIN, reason=_REASON.get(found.reason, found.reason))


_REASON: Final[Mapping[str | None, Reason]] = {
    "needs_human": "declined",
    "needs_approval": "declined",
}
_CALL_AGAIN: Final = (
    "The call cannot go on later: it has to be made again when somebody can answer."
)


class QuestionsInCalls:
    """The calls that an older server carries out, and the answers to its questions."""

    def __init__(self) -> None:
        self._gate = asyncio.Lock()
        self._running = set[RunningCall]()
        self._is_idle = asyncio.Event()
        self._is_idle.set()

    @asynccontextmanager
    async def during(self, call: RunningCall) -> AsyncGenerator[None]:
        """Run a block as a call: alone if somebody can answer, else with others without answers."""
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
        """Return the answer to a question of the server: the SDK's `elicitation_callback`."""
        del context
        question: JsonObject = params.model_dump(by_alias=True, mode="json", exclude_none=True)
        answer = ElicitResult(action="cancel")
        running = list(self._running)
        for call in running:  # only one if somebody can answer
            call.is_alone = len(running) == 1
            answer = await call.answer(question)
        return answer
