"""`Turn`: a response of a model, the outcomes of its calls, and the messages with these."""

from asyncio import create_task, gather
from collections.abc import Awaitable, Callable, Container, Coroutine, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from hmac import compare_digest
from itertools import groupby
from json import dumps
from typing import Any, Final, cast

from pyfunctools._text import record_repr
from pyfunctools.controller.saved_turn import (
    canonical_json,
    outcome_from_json,
    outcome_to_json,
    pack,
    unpack,
)
from pyfunctools.envelopes import CallResult, ModelCall, ModelTurn, ResultWriter
from pyfunctools.errors import DefinitionError, WaitingError
from pyfunctools.execution.person.tickets import Tickets
from pyfunctools.record.call import Call
from pyfunctools.record.outcome import Outcome, Waiting, outcome_json

STUCK: Final = 3
"""Turns in a row with the same failure after which a model counts as stuck."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Turn:
    """One response of a model: its calls, the outcome of each, and its text.

    `waiting` are the calls that wait for a person; `Tools.resume` resumes them.
    """

    calls: tuple[Call, ...]
    outcomes: tuple[Outcome, ...]
    text: str
    _model_turn: ModelTurn
    _envelope: ResultWriter
    _dialect: str
    _tickets: Tickets
    _before: Mapping[str, int] = field(default_factory=dict[str, int])

    def __repr__(self) -> str:
        return record_repr(self, "calls", "outcomes", "text", "waiting")

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        """The calls that wait for a person."""
        return tuple(each.waiting for each in self.outcomes if each.waiting is not None)

    @property
    def messages(self) -> list[Any]:
        """The messages to append to the conversation: the model's messages, then the results.

        Raises:
            WaitingError: a call waits for a person; vendors require all results together.
        """
        results = self.results
        said = cast("list[dict[str, Any]]", deepcopy(list(self._model_turn.messages)))
        return [*said, *results]

    @property
    def results(self) -> list[dict[str, Any]]:
        """The messages with the results, for a vendor that keeps the model's messages itself.

        Raises:
            WaitingError: a call waits for a person.
        """
        if self.waiting:
            raise WaitingError([each.call_id for each in self.waiting])
        results = [
            CallResult(
                id=call.id or "",
                name=written.name,
                text=outcome.text,
                is_error=outcome.is_error,
                content=outcome.content,
                value=outcome_json(outcome) if outcome.ok else None,
                call=written,
            )
            for call, outcome, written in zip(
                self.calls, self.outcomes, self._model_turn.calls, strict=True
            )
        ]
        return [cast("dict[str, Any]", each) for each in self._envelope.results(results)]

    @property
    def done(self) -> bool:
        """Whether the model called nothing, and the vendor does not expect another request."""
        return not self.calls and not self._model_turn.waits

    @property
    def stuck(self) -> bool:
        """Whether a failure came up in three turns in a row, counted by `previous=`."""
        return any(times >= STUCK for times in self.repeats().values())

    def repeats(self) -> dict[str, int]:
        """Return the number of turns in a row in which each failure of this turn came up."""
        failed = {_failure_digest(outcome) for outcome in self.outcomes if outcome.is_error}
        return {mark: self._before.get(mark, 0) + 1 for mark in failed}

    def save(self) -> dict[str, Any]:
        """Return the turn as plain JSON for `Tools.resume`, in this or another process.

        It has the model's messages, the texts and files of the outcomes, and the tickets of calls
        that wait, but no `Outcome.value` and no values of a person. It is signed with the key of
        the controller's `Tickets`, so another process needs the same key:
        `configured(tickets=Tickets(key, store=...))`.

        Raises:
            DefinitionError: the model's messages are not JSON.
        """
        model_turn = asdict(self._model_turn)
        saved = {
            "v": _VERSION,
            "dialect": self._dialect,
            "spoken": {key: pack(value) for key, value in model_turn.items()},
            "ids": [call.id for call in self.calls],
            "outcomes": [outcome_to_json(each) for each in self.outcomes],
            "before": dict(self._before),
        }
        return {**saved, "signature": self._tickets.signature(canonical_json(saved))}


def load_turn(
    saved: Mapping[str, Any],
    envelope: ResultWriter,
    dialect: str,
    tickets: Tickets,
    read: Callable[[ModelTurn, Sequence[str]], Sequence[Call]],
) -> Turn:
    """Return the turn that `Turn.save` saved; `read` reads its calls again.

    Raises:
        DefinitionError: it is not a saved turn, it was changed, or another controller or dialect
            saved it.
    """
    body = {key: value for key, value in saved.items() if key != "signature"}
    signature = saved.get("signature")
    good = isinstance(signature, str) and compare_digest(
        tickets.signature(canonical_json(body)).encode(), signature.encode(errors="replace")
    )
    if not good or body.get("v") != _VERSION:
        raise DefinitionError(
            "resume(saved)",
            "This turn was changed, or another controller saved it.",
            "Keep what `turn.save()` returns as it is, and configure every process with the same "
            "`Tickets(key, store=...)`.",
        )
    if body["dialect"] != dialect:
        raise DefinitionError(
            "resume(saved)",
            f"This turn is of tools for {body['dialect']!r}, not for {dialect!r}.",
            "Write `controller.prompt().resume(...)`."
            if body["dialect"] == "prompt"
            else f"Write `controller.tools({body['dialect']!r}).resume(...)`.",
        )
    fields: dict[str, Any] = {key: unpack(value) for key, value in body["spoken"].items()}
    fields["messages"] = tuple(fields["messages"])
    fields["calls"] = tuple(ModelCall(**each) for each in fields["calls"])
    model_turn = ModelTurn(**fields)
    return Turn(
        calls=tuple(read(model_turn, body["ids"])),
        outcomes=tuple(map(outcome_from_json, body["outcomes"])),
        text=model_turn.text,
        _model_turn=model_turn,
        _envelope=envelope,
        _dialect=dialect,
        _tickets=tickets,
        _before=body["before"],
    )


async def run_calls(
    turn: Turn,
    todo: Iterable[int],
    one: Callable[[Call], Outcome | Awaitable[Outcome]],
    reworded: Callable[[Call, Outcome], Outcome],
    concurrent: Container[str],
) -> Turn:
    """Run the calls at these indexes in order; consecutive `concurrent` calls run together.

    `reworded` returns an outcome with the names that the model saw. An exception gets the attribute
    `turn`: the turn with the outcomes so far.
    """
    outcomes: list[Outcome | str] = list(turn.outcomes) or [_NOT_STARTED] * len(turn.calls)

    async def step(place: int) -> None:
        call, outcomes[place] = turn.calls[place], _INTERRUPTED
        made = one(call)
        outcome = reworded(call, made if isinstance(made, Outcome) else await made)
        if outcome.waiting is not None:
            outcome = replace(outcome, waiting=replace(outcome.waiting, call_id=call.id or ""))
        outcomes[place] = outcome

    try:
        for beside, places in groupby(todo, lambda n: turn.calls[n].name in concurrent):
            if beside:
                await _gather([step(place) for place in places])
            else:
                for place in places:
                    await step(place)
    except BaseException as error:  # also if the turn is cancelled: finished calls are not lost
        vars(error)["turn"] = _with_outcomes(turn, outcomes)
        raise
    return _with_outcomes(turn, outcomes)


def _with_outcomes(turn: Turn, outcomes: Sequence[Outcome | str]) -> Turn:
    """Return the turn with these outcomes; a text is the reason why a call has no outcome."""
    made = (
        Outcome(text=each, reason="cancelled", function=call.name)
        if isinstance(each, str)
        else each
        for call, each in zip(turn.calls, outcomes, strict=True)
    )
    return replace(turn, outcomes=tuple(made))


async def _gather(steps: Sequence[Coroutine[None, None, None]]) -> None:
    """Run steps at the same time; if one raises, cancel the others and wait for their end."""
    tasks = [create_task(each) for each in steps]
    try:
        await gather(*tasks)
    except BaseException:  # cancelled, or one of them has raised
        for task in tasks:
            task.cancel()
        await gather(*tasks, return_exceptions=True)
        raise


_INTERRUPTED: Final = "This call was cancelled after it had started; its effects are not known."
_NOT_STARTED: Final = "The turn was cancelled before this call started. Nothing has run."
_VERSION: Final = 1


def _failure_digest(outcome: Outcome) -> str:
    """Return a digest of a failure: its function, its reason, and its issues, or else its text."""
    issues = sorted([str(issue.path), issue.expected] for issue in outcome.issues)
    failure = [outcome.function, outcome.reason, issues or outcome.text]
    return sha256(dumps(failure).encode()).hexdigest()[:16]
