"""`TurnRunner`: runs the calls in a model's responses; base of `Tools` and `RunnablePrompt`."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias, Unpack, cast

from pyfunctools.controller.call_errors import check_options
from pyfunctools.controller.calling import Calling, CallOptions, ResumeOptions, called_function
from pyfunctools.controller.turn import Turn, load_turn, run_in_order
from pyfunctools.envelopes.envelope import ModelCall, ModelTurn, PlainText, ResultWriter
from pyfunctools.envelopes.plain import Ids
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.execution.person.approval import Approval, Approve, Ask, PersonsValues
from pyfunctools.execution.person.masking import UnshownArguments
from pyfunctools.execution.steps import finish
from pyfunctools.prompting.calls.calls import parse_calls
from pyfunctools.prompting.prompt import Prompt, prompt_of
from pyfunctools.record.call import Call
from pyfunctools.record.function import runs_beside
from pyfunctools.record.outcome import Outcome, waiting_as_before

PersonsAnswer: TypeAlias = "PersonsValues | Ask | bool | Approval"
"""A person's answer to a call that waits: their values, yes or no, or an `Approval`."""


class TurnRunner(ABC):
    """Runs the calls in the responses of a model, and resumes those that wait for a person."""

    def __init__(self, controller: Calling, dialect: str, envelope: ResultWriter) -> None:
        self._controller = controller
        self._tickets = controller._tickets  # pyright: ignore[reportPrivateUsage]
        self._dialect = dialect
        self._envelope = envelope

    def run(
        self, response: object, *, previous: Turn | None = None, **options: Unpack[CallOptions]
    ) -> Turn:
        """Check the calls of a response, run them in their order, and return the turn.

        `human`, `context`, `approve` and `audience` are as in `Controller.call`, for each call. A
        call that waits for a person is in `Turn.waiting`. With the `previous` turn, `Turn.stuck` is
        true if the model repeats a mistake. An exception during the turn has an attribute `turn`:
        the turn with the outcomes so far.

        Raises:
            DefinitionError: this is not a response, or as `Controller.call`.
            LoopError: a function is asynchronous and this thread runs an event loop.
        """
        steps = self._run(response, previous, unshown(options), awaits=False)
        del options  # a traceback with locals must not show it
        return finish(steps)

    async def arun(
        self, response: object, *, previous: Turn | None = None, **options: Unpack[CallOptions]
    ) -> Turn:
        """Do the same as `run` without blocking the event loop.

        Consecutive calls of `concurrent` functions, by default the read-only ones, run together.
        """
        steps = self._run(response, previous, unshown(options), awaits=True)
        del options
        return await steps

    def resume(
        self,
        turn: Turn | Mapping[str, Any],
        answers: Mapping[str, PersonsAnswer],
        *,
        context: object = None,
        audience: str | None = None,
    ) -> Turn:
        """Resume the calls of a turn that wait for a person, and return the turn.

        `turn` is a `Turn`, or the result of its `save`, also in another process. `answers` maps the
        id of a call to the person's values, to `True` or `False` if it waits for approval, or to an
        `Approval`. Other calls continue to wait; finished calls are not run again.

        Raises:
            DefinitionError: a saved turn was changed, another controller or dialect saved it, an
                answer is for a call that does not wait, or as `Controller.resume`.
        """
        steps = self._resume(turn, unshown(answers), context, audience, awaits=False)
        del answers
        return finish(steps)

    async def aresume(
        self,
        turn: Turn | Mapping[str, Any],
        answers: Mapping[str, PersonsAnswer],
        *,
        context: object = None,
        audience: str | None = None,
    ) -> Turn:
        """Do the same as `resume` without blocking the event loop."""
        steps = self._resume(turn, unshown(answers), context, audience, awaits=True)
        del answers
        return await steps

    @abstractmethod
    def _read_turn(self, response: object) -> ModelTurn:
        """Return the messages and calls of a response."""

    @abstractmethod
    def _calls(self, model_turn: ModelTurn, ids: Sequence[str] | None = None) -> list[Call]:
        """Check and return the calls, in their order; `ids` are those of an earlier reading."""

    def _reworded(self, call: Call, outcome: Outcome) -> Outcome:
        """Return an outcome with the names and shape of the arguments that the model saw."""
        return outcome

    def _turn(
        self,
        model_turn: ModelTurn,
        before: Mapping[str, int],
        ids: Sequence[str] | None = None,
        outcomes: Iterable[Outcome] = (),
    ) -> Turn:
        return Turn(
            calls=tuple(self._calls(model_turn, ids)),
            outcomes=tuple(outcomes),
            text=model_turn.text,
            _model_turn=model_turn,
            _envelope=self._envelope,
            _dialect=self._dialect,
            _tickets=self._tickets.value,
            _before=before,
        )

    async def _run(
        self, response: object, previous: Turn | None, options: CallOptions, *, awaits: bool
    ) -> Turn:
        check_options("run", options, CallOptions.__annotations__)
        if previous is not None and not isinstance(previous, Turn):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise wrong_type("run(previous)", "a `Turn`", previous)
        before = {} if previous is None else previous.repeats()
        turn = self._turn(self._read_turn(response), before)
        call = self._controller.acall if awaits else self._controller.call
        todo = range(len(turn.calls))
        return await self._continued(turn, todo, lambda one: call(one, **options), awaits=awaits)

    async def _resume(
        self,
        turn: Turn | Mapping[str, Any],
        answers: Mapping[str, PersonsAnswer],
        context: object,
        audience: str | None,
        *,
        awaits: bool,
    ) -> Turn:
        if not isinstance(turn, Turn | Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            remedy = "Read a text with `json.loads(text)` first."
            raise wrong_type(
                "resume(turn)", "a `Turn`, or the result of `turn.save()`", turn, remedy
            )
        if not isinstance(answers, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            remedy = "Write `{call_id: values}`."
            wrong = wrong_type("resume(answers)", "a mapping by the calls' ids", answers, remedy)
            del answers  # a traceback with locals must not show them
            raise wrong
        if not isinstance(turn, Turn):
            turn = self._turn(*load_turn(turn, self._dialect, self._tickets.value))
        waiting = {each.call_id: each for each in turn.waiting}
        inside = {key: [one.call_id for one in each.pending] for key, each in waiting.items()}
        given = answers_by_call("resume", answers, inside, "this turn")
        resume = self._controller.aresume if awaits else self._controller.resume

        def one(call: Call) -> Outcome | Awaitable[Outcome]:
            human, approve = values_and_approval(given[call.id or ""])
            options = ResumeOptions(context=context, approve=approve, audience=audience)
            return resume(waiting[call.id or ""].ticket, human, **options)

        todo = [n for n, call in enumerate(turn.calls) if given.get(call.id or "") is not None]
        return await self._continued(turn, todo, one, awaits=awaits)

    async def _continued(
        self,
        turn: Turn,
        todo: Iterable[int],
        one: Callable[[Call], Outcome | Awaitable[Outcome]],
        *,
        awaits: bool,
    ) -> Turn:
        """Run the calls of a turn at these indexes, and return the turn with their outcomes.

        A resumed call that was refused before its run (the store failed, another audience) still
        waits. An exception gets the attribute `turn`: the turn with the outcomes so far.
        """
        outcomes = list(turn.outcomes) or [_NOT_STARTED] * len(turn.calls)

        async def step(place: int) -> None:
            before = turn.outcomes[place].waiting if turn.outcomes else None
            call, outcomes[place] = turn.calls[place], _INTERRUPTED
            made = one(call)
            outcome = self._reworded(call, made if isinstance(made, Outcome) else await made)
            outcome = waiting_as_before(outcome, before)
            if outcome.waiting is not None:
                outcome = replace(outcome, waiting=replace(outcome.waiting, call_id=call.id or ""))
            outcomes[place] = outcome

        def is_beside(place: int) -> bool:
            if not (awaits and turn.calls[place].result):
                return awaits  # a wrong call runs nothing
            function = called_function(self._controller, turn.calls[place])
            return function is not None and runs_beside(function)

        try:
            await run_in_order(todo, step, is_beside)
        except BaseException as error:  # also if the turn is cancelled: finished calls are not lost
            named = [
                each if each.function else replace(each, function=call.name)
                for call, each in zip(turn.calls, outcomes, strict=True)
            ]
            vars(error)["turn"] = replace(turn, outcomes=tuple(named))
            raise
        return replace(turn, outcomes=tuple(outcomes))


_INTERRUPTED: Final = Outcome(
    text="This call was cancelled after it had started; its effects are not known.",
    reason="cancelled",
)
_NOT_STARTED: Final = Outcome(
    text="The turn was cancelled before this call started. Nothing has run.", reason="cancelled"
)


def answers_by_call(
    where: str,
    answers: Mapping[str, PersonsAnswer],
    waiting: Mapping[str, Iterable[str]],
    source: str,
) -> dict[str, PersonsAnswer]:
    """Return the answers by the ids of the calls that wait, and check that all are for one.

    `waiting` has the ids of the calls inside each, if it is a program: an answer for one of these
    is an answer for the program. `source` names where the calls wait.
    """
    outer = {each: program for program, inside in waiting.items() for each in inside}
    made: dict[str, Any] = unshown(
        {key: unshown(answers[key]) for key in answers if key not in outer}
    )
    for key in [key for key in answers if key in outer]:
        others = made.get(outer[key])
        others = cast("Mapping[str, Any]", others if isinstance(others, Mapping) else {})
        made[outer[key]] = unshown({**others, key: unshown(answers[key])})
    if unknown := [call_id for call_id in made if call_id not in waiting]:
        known = ", ".join(map(repr, [*waiting, *outer])) or "none, since no call waits"
        reason = f"No call {unknown[0]!r} of {source} waits for a person."
        raise DefinitionError(f"{where}(answers)", reason, f"The ids are {known}.")
    return made


def unshown(given: Any) -> Any:
    """Return a mapping with a `repr` that shows only its keys, other objects as they are."""
    is_mapping = isinstance(given, Mapping)
    return UnshownArguments(cast("Mapping[str, Any]", given)) if is_mapping else given


def values_and_approval(answer: PersonsAnswer) -> tuple[PersonsValues | Ask, Approve]:
    """Return the arguments `human` and `approve` for an answer."""
    if isinstance(answer, bool | Approval):
        return None, answer
    return answer, None


class RunnablePrompt(Prompt, TurnRunner):
    """A `Prompt` of a controller, which also runs the calls in the model's responses.

    `run` and `arun` take the text of a response; the calls in it are found as by `parse_calls`.
    `Turn.messages` are the response and a user message with the results, `Turn.text` is the model's
    answer in words, and `Turn.done` is true if the model called nothing.
    """

    def __init__(self, controller: Calling, *, compact: bool) -> None:
        """Make the prompt; see `Controller.prompt`."""
        prompt = prompt_of(controller.functions, compact=compact)
        self._text = PlainText()
        Prompt.__init__(self, system=prompt.system, response_schema=prompt.response_schema)
        TurnRunner.__init__(self, controller, "prompt", self._text)

    def _read_turn(self, response: object) -> ModelTurn:
        if not isinstance(response, str):
            remedy = "Write `prompt.run(response.choices[0].message.content)`, for example."
            raise wrong_type("prompt.run(response)", "a text", response, remedy)
        found = parse_calls(response, self._controller.functions)
        calls = [ModelCall(id=None, name=each.name, arguments=each.arguments) for each in found]
        return self._text.read_turn(response, calls)

    def _calls(self, model_turn: ModelTurn, ids: Sequence[str] | None = None) -> list[Call]:
        unique = Ids()
        found = parse_calls(model_turn.messages[0]["content"], self._controller.functions)
        given = [unique.of(None) for _ in found] if ids is None else ids
        return [replace(each, id=own) for each, own in zip(found, given, strict=True)]
