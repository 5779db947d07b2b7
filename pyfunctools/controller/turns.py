"""`Turns`: what runs the calls of a model's turns, for a list of tools and for a prompt."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from pyfunctools.controller.calling import Beside, Calling, tickets_of
from pyfunctools.controller.turn import Draft, Saved, Turn
from pyfunctools.envelopes import Answering, Spoken
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.execution.person.approval import Approval, Approve
from pyfunctools.execution.pipeline import Ask, Given
from pyfunctools.record.call import Call
from pyfunctools.record.outcome import Outcome

PersonsAnswer: TypeAlias = "Given | Ask | bool | Approval"
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
        draft = self._begun(response, previous)
        call = self._controller.acall if awaits else self._controller.call
        return await draft.run(lambda each: call(each, **beside), self._together if awaits else ())

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
        asked, draft = self._resumed(turn, answers)
        resume = self._controller.aresume if awaits else self._controller.resume

        def one(call: Call) -> Outcome | Awaitable[Outcome]:
            ticket, human, approve = asked[call.id or ""]
            return resume(ticket, human, approve=approve, context=context, audience=audience)

        return await draft.run(one, self._together if awaits else ())

    def _begun(self, response: object, previous: Turn | None) -> Draft:
        if previous is not None and not isinstance(previous, Turn):  # pyright: ignore[reportUnnecessaryIsInstance]
            reason = f"`previous` must be a `Turn`, not `{type(previous).__name__}`."
            raise DefinitionError("run(previous)", reason)
        spoken = self._spoken(response)
        calls = self._calls(spoken)
        before = {} if previous is None else previous.repeats()
        return self._draft(spoken, calls, {}, range(len(calls)), before)

    def _resumed(
        self, turn: Turn | Mapping[str, Any], answers: Mapping[str, PersonsAnswer]
    ) -> "tuple[dict[str, _Answered], Draft]":
        """Return the answer to each call that goes on, and the turn of these calls."""
        if not isinstance(turn, Turn | Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            remedy = "Read a text with `json.loads(text)` first."
            raise wrong_type("resume(turn)", "a `Turn`, or what `turn.save()` gave", turn, remedy)
        if not isinstance(answers, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            remedy = "Write `{call_id: values}`."
            raise wrong_type("resume(answers)", "a mapping by the calls' ids", answers, remedy)
        if isinstance(turn, Turn):
            spoken, calls, outcomes, before = turn.parts()
        else:
            saved = Saved(turn, self._dialect, self._tickets.value)
            spoken, outcomes, before = saved.spoken, saved.outcomes, saved.before
            calls = self._calls(spoken, saved.ids)
        waiting = {
            call.id or "": (place, outcome.waiting)
            for place, (call, outcome) in enumerate(zip(calls, outcomes, strict=True))
            if outcome.waiting is not None
        }
        if strange := [call_id for call_id in answers if call_id not in waiting]:
            raise DefinitionError(
                "resume(answers)",
                f"No call {strange[0]!r} of this turn waits for a person.",
                f"Answer for {', '.join(map(repr, waiting)) or 'nothing: every call has run'}.",
            )
        asked = {
            call_id: (waiting[call_id][1].ticket or "", *parted(answer))
            for call_id, answer in answers.items()
            if answer is not None
        }
        todo = sorted(waiting[call_id][0] for call_id in asked)
        return asked, self._draft(spoken, calls, dict(enumerate(outcomes)), todo, before)

    def _draft(
        self,
        spoken: Spoken,
        calls: Sequence[Call],
        outcomes: Mapping[int, Outcome],
        todo: Iterable[int],
        before: Mapping[str, int],
    ) -> Draft:
        def finished(draft: Draft) -> Turn:
            return Turn(
                calls=draft.calls,
                outcomes=draft.outcomes,
                text=spoken.text,
                _spoken=spoken,
                _envelope=self._envelope,
                _dialect=self._dialect,
                _tickets=self._tickets.value,
                _before=before,
            )

        return Draft(calls, outcomes, todo, self._told, finished)


_Answered: TypeAlias = tuple[str, Given | Ask, Approve]


def parted(answer: PersonsAnswer) -> tuple[Given | Ask, Approve]:
    """Return a person's values and approval."""
    if isinstance(answer, bool | Approval):
        return None, answer
    return answer, None
