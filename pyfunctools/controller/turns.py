"""`Turns`: what runs the calls of a model's turns, for a list of tools and for a prompt."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from pyfunctools.controller.calling import Beside, Calling, tickets_of
from pyfunctools.controller.turn import Turn, load_turn, run_calls
from pyfunctools.envelopes import Answering, Spoken
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.execution.person.approval import Approval, Approve, Ask, PersonsValues
from pyfunctools.record.call import Call
from pyfunctools.record.outcome import Outcome

PersonsAnswer: TypeAlias = "PersonsValues | Ask | bool | Approval"
"""What a person says to a call that waits: their values, yes or no, or an `Approval`."""


class ReadCalls(Protocol):
    """Returns the calls of a turn, under these ids where it was read before."""

    def __call__(self, spoken: Spoken, ids: Sequence[str] | None = None) -> list[Call]:
        """Return the calls, checked, in their order."""
        ...


class Turns:
    """Runs the calls of the turns that `spoken` and `calls` read; see `Tools` for the methods.

    `told` gives an outcome in the words that the model saw.
    """

    def __init__(
        self,
        controller: Calling,
        *,
        dialect: str,
        envelope: Answering,
        spoken: Callable[[object], Spoken],
        calls: ReadCalls,
        told: Callable[[Call, Outcome], Outcome],
    ) -> None:
        self._controller = controller
        self._tickets = tickets_of(controller)
        self._dialect = dialect
        self._envelope = envelope
        self._spoken = spoken
        self._calls = calls
        self._told = told
        self._together = frozenset(
            each.name
            for each in controller.functions
            if (each.read_only if each.concurrent is None else each.concurrent)
        )

    async def run(
        self, response: object, previous: Turn | None, beside: Beside, *, awaits: bool
    ) -> Turn:
        """Check the calls of a response, and run them; neighbours together where they may."""
        if strange := beside.keys() - Beside.__annotations__.keys():
            raise TypeError(f"run() got an unexpected keyword argument {min(strange)!r}")
        if previous is not None and not isinstance(previous, Turn):  # pyright: ignore[reportUnnecessaryIsInstance]
            reason = f"`previous` must be a `Turn`, not `{type(previous).__name__}`."
            raise DefinitionError("run(previous)", reason)
        spoken = self._spoken(response)
        turn = Turn(
            calls=tuple(self._calls(spoken)),
            outcomes=(),
            text=spoken.text,
            _spoken=spoken,
            _envelope=self._envelope,
            _dialect=self._dialect,
            _tickets=self._tickets.value,
            _before={} if previous is None else previous.repeats(),
        )
        call = self._controller.acall if awaits else self._controller.call
        together = self._together if awaits else ()
        todo = range(len(turn.calls))
        return await run_calls(turn, todo, lambda one: call(one, **beside), self._told, together)

    async def resume(
        self,
        turn: Turn | Mapping[str, Any],
        answers: Mapping[str, PersonsAnswer],
        *,
        awaits: bool,
        context: object,
        audience: str | None,
    ) -> Turn:
        """Go on with the calls that a person has answered."""
        if not isinstance(turn, Turn | Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            remedy = "Read a text with `json.loads(text)` first."
            raise wrong_type("resume(turn)", "a `Turn`, or what `turn.save()` gave", turn, remedy)
        if not isinstance(answers, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            remedy = "Write `{call_id: values}`."
            raise wrong_type("resume(answers)", "a mapping by the calls' ids", answers, remedy)
        if not isinstance(turn, Turn):
            tickets = self._tickets.value
            turn = load_turn(turn, self._envelope, self._dialect, tickets, self._calls)
        asked = _asked(turn, answers)
        resume = self._controller.aresume if awaits else self._controller.resume

        def one(call: Call) -> Outcome | Awaitable[Outcome]:
            ticket, human, approve = asked[call.id or ""]
            return resume(ticket, human, approve=approve, context=context, audience=audience)

        todo = [place for place, call in enumerate(turn.calls) if (call.id or "") in asked]
        together = self._together if awaits else ()
        return await run_calls(turn, todo, one, self._told, together)


_Answered: TypeAlias = tuple[str, PersonsValues | Ask, Approve]


def _asked(turn: Turn, answers: Mapping[str, PersonsAnswer]) -> dict[str, _Answered]:
    """Return by the ids of the calls that go on their tickets, and what the person said.

    Raises:
        DefinitionError: an answer is for a call that does not wait.
    """
    tickets = {each.call_id: each.ticket or "" for each in turn.waiting}
    for call_id in answers:
        if call_id not in tickets:
            raise DefinitionError(
                "resume(answers)",
                f"No call {call_id!r} of this turn waits for a person.",
                f"Answer for {', '.join(map(repr, tickets)) or 'nothing: every call has run'}.",
            )
    return {
        call_id: (tickets[call_id], *parted(answer))
        for call_id, answer in answers.items()
        if answer is not None
    }


def parted(answer: PersonsAnswer) -> tuple[PersonsValues | Ask, Approve]:
    """Return a person's values and approval."""
    if isinstance(answer, bool | Approval):
        return None, answer
    return answer, None
