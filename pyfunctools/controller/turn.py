"""`Turn`: a response of a model, the outcomes of its calls, and the messages with these."""

from asyncio import create_task, gather
from base64 import b64decode, b64encode
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from hmac import compare_digest
from itertools import groupby
from json import dumps
from typing import Any, Final, TypeVar, cast

from pyfunctools._json import JsonObject
from pyfunctools._text import record_repr
from pyfunctools.envelopes.envelope import CallResult, Ended, ModelCall, ModelTurn, ResultWriter
from pyfunctools.envelopes.plain import copied, shallow_copy
from pyfunctools.errors import DefinitionError, WaitingError
from pyfunctools.execution.person.tickets import Tickets
from pyfunctools.record.call import Call
from pyfunctools.record.file import File
from pyfunctools.record.outcome import Outcome, Waiting, outcome_json, waiting_from_json
from pyfunctools.schema import Issue, Path

T = TypeVar("T")

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
    _before: Mapping[str, int]

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
        said = cast("list[dict[str, Any]]", copied(list(self._model_turn.messages)))
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
        made = self._envelope.results(results)
        if self._model_turn.in_words:
            made = (self._envelope.user(_told(results, self._model_turn.broken)),)
        return [cast("dict[str, Any]", each) for each in made]

    @property
    def ended(self) -> Ended:
        """How the model's turn ended: `calls`, `stop`, or why it is not a whole answer.

        `length`, `refusal` and `filter` are `done` without one. After `malformed` (the vendor could
        not read a call) `messages` have the result of that call, or tell the model to repeat it.
        """
        return self._model_turn.ended

    @property
    def ended_as(self) -> str | None:
        """The vendor's word for `ended`."""
        return self._model_turn.ended_as

    @property
    def done(self) -> bool:
        """Whether nothing is left to run or to tell the model; see `ended` for how it ended."""
        is_broken = self._model_turn.ended == "malformed"
        return not self.calls and not self._model_turn.waits and not is_broken

    @property
    def stuck(self) -> bool:
        """Whether a failure came up in three turns in a row, counted by `previous=`."""
        return any(times >= STUCK for times in self.repeats().values())

    def repeats(self) -> dict[str, int]:
        """Return the number of turns in a row in which each failure of this turn came up."""
        failed = {_failure_digest(outcome) for outcome in self.outcomes if outcome.is_error}
        if self.ended == "malformed" and not self.calls:
            failed.add("malformed")
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
        saved = {
            "v": _VERSION,
            "dialect": self._dialect,
            "spoken": copied(self._model_turn, _pack),
            "ids": [call.id for call in self.calls],
            "outcomes": [_outcome_to_json(each) for each in self.outcomes],
            "before": dict(self._before),
        }
        return {**saved, "signature": self._tickets.signature(_canonical_json(saved))}


def _told(results: Sequence[CallResult], broken: str) -> str:
    """Return the results of calls that the vendor could not read, or a request to repeat one."""
    if not results:
        said = f"\n{broken}" if broken else ""
        return f"Your function call was malformed, and nothing has run. Call it again.{said}"
    return "\n\n".join(f"{each.name} returned:\n{each.text}" for each in results)


def load_turn(
    saved: Mapping[str, Any], dialect: str, tickets: Tickets
) -> tuple[ModelTurn, Mapping[str, int], Sequence[str], list[Outcome]]:
    """Return what `Turn.save` saved: the turn, what came before, the calls' ids, the outcomes."""
    body = {key: value for key, value in saved.items() if key != "signature"}
    signature = saved.get("signature")
    good = isinstance(signature, str) and compare_digest(
        tickets.signature(_canonical_json(body)).encode(), signature.encode(errors="replace")
    )
    if not good or body.get("v") != _VERSION:
        raise DefinitionError(
            "resume(saved)",
            "This turn was changed, or another controller saved it.",
            "Keep what `turn.save()` returns as it is, and configure every process with the same "
            "`Tickets(key, store=...)`.",
        )
    if (own := body["dialect"]) != dialect:
        reason = f"This turn is of tools for {own!r}, not for {dialect!r}."
        runner = "prompt()" if own == "prompt" else f"tools({own!r})"
        raise DefinitionError("resume(saved)", reason, f"Write `controller.{runner}.resume(...)`.")
    spoken = cast("dict[str, Any]", copied(body["spoken"], _unpack))
    messages, calls = spoken["messages"], spoken["calls"]
    spoken |= {"messages": tuple(messages), "calls": tuple(ModelCall(**each) for each in calls)}
    outcomes = [*map(_outcome_from_json, body["outcomes"])]
    return ModelTurn(**spoken), body["before"], body["ids"], outcomes


async def run_in_order(
    items: Iterable[T],
    step: Callable[[T], Coroutine[None, None, None]],
    runs_beside: Callable[[T], bool],
) -> None:
    """Run a step for each item in order; neighbours that `runs_beside` names run together.

    If one of these raises, the others are cancelled, and their end is awaited.
    """
    for is_beside, group in groupby(items, runs_beside):
        if not is_beside:
            for item in group:
                await step(item)
            continue
        tasks = [create_task(step(item)) for item in group]
        try:
            await gather(*tasks)
        except BaseException:  # cancelled, or one of them has raised
            for task in tasks:
                task.cancel()
            await gather(*tasks, return_exceptions=True)
            raise


_VERSION: Final = 2
_BYTES: Final = "$bytes:"
_TEXT: Final = "$text:"
"""Before a saved text that looks like saved bytes."""


def _failure_digest(outcome: Outcome) -> str:
    """Return a digest of a failure: its function, its reason, and its issues, or else its text."""
    issues = sorted([str(issue.path), issue.expected] for issue in outcome.issues)
    failure = [outcome.function, outcome.reason, issues or outcome.text]
    return sha256(dumps(failure).encode()).hexdigest()[:16]


def _canonical_json(saved: Mapping[str, Any]) -> bytes:
    """Return the bytes of a saved turn that are signed."""
    try:
        return dumps(saved, sort_keys=True).encode()
    except (TypeError, ValueError, RecursionError) as error:
        reason = f"This is not JSON: {error}."
        raise DefinitionError("Turn.save", reason, "Go on with the `Turn` itself.") from None


def _pack(value: object) -> object:
    """Return a value as JSON, one level of it; bytes (Bedrock's reasoning) become a text."""
    if isinstance(value, bytes):
        return _BYTES + b64encode(value).decode()
    if isinstance(value, str):
        return _TEXT + value if value.startswith((_BYTES, _TEXT)) else value
    if isinstance(value, ModelTurn | ModelCall):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    return shallow_copy(value)


def _unpack(value: object) -> object:
    """Return the value that `_pack` packed, one level of it."""
    if isinstance(value, str):
        is_bytes = value.startswith(_BYTES)
        return b64decode(value.removeprefix(_BYTES)) if is_bytes else value.removeprefix(_TEXT)
    return shallow_copy(value)


def _outcome_to_json(outcome: Outcome) -> JsonObject:
    """Return an outcome as JSON, without its value, exception, repairs and response."""
    return {
        **{name: getattr(outcome, name) for name in _OF_OUTCOME},
        "content": [
            {"content": str(each), "filename": each.filename, "content_type": each.content_type}
            for each in outcome.content
        ],
        "issues": [
            {"keys": list(each.path.keys), **{name: getattr(each, name) for name in _OF_ISSUE}}
            for each in outcome.issues
        ],
        "waiting": outcome.waiting and asdict(outcome.waiting),
    }


_OF_OUTCOME: Final = ("text", "reason", "function")
_OF_ISSUE: Final = ("expected", "message", "side")


def _outcome_from_json(saved: Mapping[str, Any]) -> Outcome:
    """Return the outcome that `_outcome_to_json` saved."""
    files = (
        File(b64decode(each["content"]), each["filename"], each["content_type"])
        for each in saved["content"]
    )
    issues = (
        Issue(path=Path.of(each.pop("keys")), value=None, **each)
        for each in map(dict[str, Any], saved["issues"])
    )
    return Outcome(
        **{name: saved[name] for name in _OF_OUTCOME},
        content=tuple(files),
        issues=tuple(issues),
        waiting=saved["waiting"] and waiting_from_json(saved["waiting"]),
    )
