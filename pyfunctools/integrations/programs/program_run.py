"""`ProgramRun`: one run of a program, from its text or a ticket to its outcome.

The program runs until all that is left of it waits for calls. These calls then run, at once in
`acall`, one after another in `call`; when all have ended the program gets their results together.
So what it does depends on no order, neither of the calls nor of people's answers. If one of the
calls waits for a person, the program is put into a ticket, and goes on when each is answered.

The state of its ticket (`ProgramRun._saved`) holds the dump of the sandbox, what was printed, and
the calls: those that ran in brief, those that wait with the model's arguments, and nothing of a
person's.
"""

import builtins
from asyncio import Lock, get_running_loop, to_thread
from base64 import b85decode, b85encode
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from json import dumps, loads
from lzma import FILTER_LZMA2, FORMAT_RAW, compress, decompress
from typing import Any, Final, TypeAlias, TypeVar, cast

from pyfunctools._json import JsonObject
from pyfunctools._text import shortened, text_of_value, visible
from pyfunctools.controller import Controller
from pyfunctools.controller.calling import CallOptions, called_function, inner_call
from pyfunctools.controller.searchable import CALL, FIND, RunnableFunction, finder
from pyfunctools.controller.turn import run_in_order
from pyfunctools.controller.turns import PersonsAnswer, values_and_approval
from pyfunctools.execution.person.approval import Approval
from pyfunctools.execution.person.tickets import Ticket, digest_of, ticket_refused
from pyfunctools.execution.person.uploads import plain_json
from pyfunctools.execution.runner import Beginning, PersonsPart, Run
from pyfunctools.execution.truncation import truncated
from pyfunctools.execution.wrappers.part import next_ticket
from pyfunctools.integrations.programs.sandbox import (
    VERSION,
    WORD,
    AskedCall,
    ProgramEnd,
    ProgramError,
    Sandbox,
)
from pyfunctools.limits import DEFAULT_LIMITS, ProgramLimits
from pyfunctools.record.call import Call
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import InnerCall, Outcome, Waiting, outcome_json
from pyfunctools.schema import Issue, Path, Success
from pyfunctools.schema.ground.issue import side_issue
from pyfunctools.schema.ground.json_values import is_json_value
from pyfunctools.schema.ground.path import Keys
from pyfunctools.signatures import loose_signatures, spelled_names

_SMALL: Final[Any] = {
    "format": FORMAT_RAW,
    "filters": [{"id": FILTER_LZMA2, "preset": 6, "dict_size": 1 << 20}],
}
_BRIEF: Final = 100
"""The most characters of the text of a call that ran."""


@dataclass(slots=True)
class ProgramCall:
    """A call that a program waits for, under Monty's `number`.

    `result` is what the program gets: whether it is right, and the value or the text of an error;
    `None` when the program has it. `ticket` is what it continues with if it waits for a person.
    """

    number: int
    id: str
    function: str
    arguments: JsonObject | None = None
    outcome: Outcome | None = None
    result: tuple[bool, Any] | None = None
    ticket: Ticket | None = None

    @property
    def is_open(self) -> bool:
        """Whether the call has not ended."""
        return self.outcome is None or self.ticket is not None

    @property
    def made(self) -> InnerCall:
        """The call as it is told."""
        return InnerCall(
            call_id=self.id,
            function=self.function,
            arguments=self.arguments,
            outcome=cast("Outcome", self.outcome),
        )


def _saved(call: ProgramCall) -> list[Any]:
    """Return a call as JSON: its outcome in brief if it has ended, else what its ticket holds."""
    kept = call.ticket and {name: getattr(call.ticket, name) for name in _KEPT}
    told = None if kept else {name: getattr(call.outcome, name) for name in _TOLD}
    if told is not None:
        told["text"] = shortened(told["text"], _BRIEF)
    return [call.number, call.id, call.function, call.result, told, kept]


_TOLD: Final = ("text", "reason", "function")
_KEPT: Final = ("function", "digest", "arguments", "filled", "state")
"""The contents of a waiting call's ticket that are its own; the rest is the program's."""


def _loaded_call(
    outer: Ticket, number: int, call_id: str, function: str, result: Any, told: Any, kept: Any
) -> ProgramCall:
    call = ProgramCall(number, call_id, function)
    if kept is None:
        call.result, call.outcome = result and tuple(result), Outcome(**told)
        return call
    filled = tuple(tuple(keys) for keys in kept.pop("filled"))
    call.ticket = replace(outer, call=call_id, filled=filled, **kept)
    call.arguments = call.ticket.arguments
    return call


T = TypeVar("T")
Reached: TypeAlias = list[AskedCall] | ProgramEnd

MANY: Final = 40
"""With more functions the model finds them first."""
_FOUND: Final = 5
_TAKEN: Final = frozenset({*dir(builtins), "asyncio"})


class ProgramRunner:
    """Runs programs whose calls are those of `inner`, by their `names` in a program.

    Where there are many functions, `find` is the one that finds them.
    """

    limits = DEFAULT_LIMITS
    preview = None
    find: RunnableFunction | None
    names: Mapping[str, str]

    def __init__(self, controller: Controller, limits: ProgramLimits) -> None:
        self._controller = controller.select()  # to be closed by itself
        self.program_limits = limits
        self.inner, self.find = controller, None
        names = [each.name for each in controller]
        if len(names) <= MANY:
            self.names = spelled_names(names, _TAKEN)
            return
        spelled = spelled_names(names, _TAKEN | {FIND, CALL})
        self.find = finder(controller.search, controller.functions, _FOUND, spelled=spelled)
        self.inner = controller.searchable()
        self.inner._entries[FIND] = self.find  # pyright: ignore[reportPrivateUsage] - other spellings
        self.names = {**spelled, FIND: FIND, CALL: CALL}

    def __reduce__(self) -> tuple[object, ...]:
        return ProgramRunner, (self._controller, self.program_limits)

    def stubs(self, code: str) -> str:
        """Return what a type checker has to know of the functions in a program."""
        words = set(WORD.findall(code))
        used = {now: self.inner[name] for now, name in self.names.items() if now in words}
        return loose_signatures(used)

    async def run(self, run: Run) -> Outcome:
        """Run a program, or continue it where it waited."""
        return await ProgramRun(self, run).outcome()

    def may_ask(self, function: Function) -> bool:
        """Return True: a call of the program may wait for a person."""
        return True

    def close(self) -> None:
        """Close what runs the functions."""
        self._controller.select().close()  # a view: the controller itself may be entered again

    async def aclose(self) -> None:
        """Close what runs the functions."""
        await self._controller.select().aclose()


class ProgramRun:
    """One run of a program."""

    def __init__(self, runner: ProgramRunner, run: Run) -> None:
        assert run.person is not None  # noqa: S101 - the runner pauses
        self._runner = runner
        self._run = run
        self._person: PersonsPart = run.person
        self._sandbox = Sandbox(runner.names, runner.program_limits)
        self._code = ""
        self._calls: list[ProgramCall] = []
        self._answers: Mapping[str, PersonsAnswer] = {}
        self._issues: tuple[Issue, ...] = ()
        self._claimed: list[Outcome | None] = []
        self._claiming = Lock()

    async def outcome(self) -> Outcome:
        """Run the program to its end, or to calls that wait for a person."""
        try:
            reached = await self._begun()
            while not isinstance(reached, Outcome | ProgramEnd):
                refused = await self._answered()
                if refused is None and any(call.ticket for call in self._calls):
                    return self._suspended(await self._step(self._sandbox.dump))
                if refused := refused or await self.claim():
                    return refused
                results = {call.number: call.result for call in self._calls if call.result}
                for call in self._calls:
                    call.result = None
                reached = await self._ran_on(self._sandbox.resume, results)
            return reached if isinstance(reached, Outcome) else self._done(reached)
        except ProgramError as error:
            return self._failed(error)
        finally:
            self._close()

    async def claim(self) -> Outcome | None:
        """Use up the program's ticket once; the first of its calls that runs does so."""
        async with self._claiming:
            if not self._claimed:
                begin = self._run.begin
                self._claimed.append(None if begin is None else await begin())
            return self._claimed[0]

    async def _begun(self) -> Reached | Outcome:
        """Return the first calls of the program, or those that a ticket holds."""
        ticket, text = self._person.ticket, self._person.state.get("program")
        if ticket is None or text is None:
            if refused := await self.claim():
                return refused
            self._code = cast("str", self._run.arguments["code"])
            stubs = self._runner.stubs(self._code)
            return await self._ran_on(self._sandbox.start, self._code, stubs)
        dump = self._loaded(cast("str", text), ticket)
        if dump is not None and (refused := self._refused()):
            return refused
        self._answers, self._issues = _answers_of(self._person, self._calls)
        is_loaded = dump is not None and await self._step(self._sandbox.load, dump)
        return [] if is_loaded else ticket_refused("changed", ticket.function)

    def _saved(self, dump: bytes) -> str:
        """Return the program where it waits as a text."""
        sandbox = self._sandbox
        so_far = [VERSION, self._code, sandbox.printed, sandbox.spent, sandbox.made]
        head = dumps([*so_far, [*map(_saved, self._calls)]], separators=(",", ":")).encode()
        return b85encode(compress(head + b"\n" + dump, **_SMALL)).decode()

    def _loaded(self, text: str, outer: Ticket) -> bytes | None:
        """Read what `_saved` wrote, and return the dump, `None` if it is another Monty's."""
        head, _, dump = decompress(b85decode(text), **_SMALL).partition(b"\n")
        version, self._code, *so_far, calls = loads(head)
        if version != VERSION:
            return None
        self._sandbox.printed, self._sandbox.spent, self._sandbox.made = so_far
        self._calls = [_loaded_call(outer, *each) for each in calls]
        return dump

    def _refused(self) -> Outcome | None:
        """Refuse to go on if a function of a waiting call is not what it was."""
        inner, known = self._runner.inner, self._runner.names.values()
        for ticket in filter(None, [call.ticket for call in self._calls]):
            if ticket.function not in known:
                return ticket_refused("gone", ticket.function)
            if digest_of(inner[ticket.function]) != ticket.digest:
                return ticket_refused("changed", ticket.function)
        return None

    async def _ran_on(self, step: Callable[..., Reached], *given: object) -> Reached:
        """Run the program to its next calls, or to its end."""
        reached = await self._step(step, *given)
        for each in reached if isinstance(reached, list) else []:
            call_id = f"{self._run.info.id}.{len(self._calls) + 1}"
            name = self._runner.names[each.name]
            self._calls.append(ProgramCall(each.number, call_id, name, each.arguments))
        return reached

    async def _answered(self) -> Outcome | None:
        """Run the calls that have no result yet; return the outcome if the ticket is refused."""
        calls = [call for call in self._calls if call.is_open]
        await run_in_order(calls, self._one, self._runs_beside)
        return self._claimed[0] if self._claimed else None

    def _runs_beside(self, call: ProgramCall) -> bool:
        name, given = call.function, call.arguments
        if call.ticket is not None:
            name, given = call.ticket.function, None
        function = called_function(self._runner.inner, name, given)
        return self._run.awaits and (function is None or function.concurrent is not False)

    async def _one(self, call: ProgramCall) -> None:
        try:
            outcome = await self._steps(call)
        except RecursionError:  # of the program's own value
            outcome = Outcome(text=_TOO_DEEP, reason="arguments", function=call.function)
        waiting = outcome.waiting
        ticket = waiting and self._person.tickets.value.read(waiting.ticket, also_expired=True)
        if waiting is not None:
            outcome = replace(outcome, waiting=replace(waiting, ticket=None))
        if waiting is not None and not isinstance(ticket, Ticket):
            outcome = Outcome(text=_TOO_LARGE, reason="arguments", function=call.function)
        call.outcome = outcome
        call.ticket = ticket if isinstance(ticket, Ticket) else None
        call.result = None if call.ticket else _result(outcome)

    def _steps(self, call: ProgramCall) -> Coroutine[Any, None, Outcome]:
        person, run = self._person, self._run
        human, approve = person.ask, person.approve if callable(person.approve) else None
        made: Call | Beginning
        if call.ticket is None:
            call.arguments = cast("JsonObject", plain_json(call.arguments))
            read = Success(value=call.arguments)
            made = Call(id=call.id, name=call.function, arguments=call.arguments, result=read)
        else:
            made = Beginning(self.claim, call.ticket)  # what came of the program is recorded
            values, approval = values_and_approval(self._answers.get(call.id))
            human = human if values is None else values
            approve = approve if approval is None else approval
        options = CallOptions(
            human=human, context=run.context, approve=approve, audience=run.info.audience
        )
        return inner_call(
            self._runner.inner, made, options, awaits=run.awaits, tickets=person.tickets
        )

    def _suspended(self, dump: bytes) -> Outcome:
        """Return the outcome of a program that waits, with its ticket."""
        person = self._person
        after = None if self._claimed else person.ticket
        bare = person.made._replace(arguments={"code": ""})  # the program has it, compressed
        state = {"program": self._saved(dump)}
        ticket = next_ticket(person._replace(made=bare), after, state=state)
        if ticket is None:
            raise ProgramError("The program is too large to wait for a person.")
        outcomes = [call.outcome for call in self._calls if call.ticket and call.outcome]
        pending = tuple(each.waiting for each in outcomes if each.waiting is not None)
        waiting = Waiting(
            call_id=self._run.info.id,
            function=self._run.function.name,
            arguments={"code": self._code},
            ticket=ticket,
            pending=pending,
        )
        names = ", ".join(each.function for each in pending)
        return Outcome(
            text=f"The program waits for a person to take part in: {names}.",
            reason="needs_human" if any(each.questions for each in pending) else "needs_approval",
            issues=(*self._issues, *(issue for each in outcomes for issue in each.issues)),
            waiting=waiting,
            calls=self._made_calls,
        )

    @property
    def _made_calls(self) -> tuple[InnerCall, ...]:
        """All calls that were begun, in the program's order."""
        return tuple(call.made for call in self._calls if call.outcome)

    def _done(self, ended: ProgramEnd) -> Outcome:
        value, lines = ended.value, [self._sandbox.printed.removesuffix("\n")]
        if value is not None:
            lines.append(text_of_value(value))
        if ended.left:
            lines.append(f"Not awaited, so not run: {', '.join(ended.left)}.")
        lines = [*filter(None, lines)]
        text = truncated(visible("\n".join(lines)) or _NOTHING, DEFAULT_LIMITS.outcome)
        is_value = len(lines) == 1 and value is not None and is_json_value(value)
        json = value if is_value else text
        return Outcome(text=text, value=value, calls=self._made_calls, _json=(json, value))

    def _failed(self, error: ProgramError) -> Outcome:
        """Return the outcome of a program that was not run, or was stopped."""
        calls, issues = self._made_calls, ()
        if error.reason == "arguments":
            path = Path.of(("code",))
            issues = (Issue(path=path, expected="a program", value=None, message=error.text),)
        lines = [error.text]
        if printed := self._sandbox.printed:
            lines.append(f"It had printed:\n{truncated(printed, _LONGEST)}")
        begun = (each for each in calls if _has_begun(each.outcome))
        ran = Counter(f"{each.function} ({each.outcome.reason or 'ok'})" for each in begun)
        if ran:
            told = (name if times == 1 else f"{name} x {times}" for name, times in ran.items())
            lines.append(f"These calls have run, and are not undone: {', '.join(told)}.")
        elif error.reason != "arguments":
            lines.append("None of its calls has run.")
        text = visible("\n".join(lines))
        return Outcome(text=text, reason=error.reason, issues=issues, calls=calls)

    async def _step(self, called: Callable[..., T], *arguments: object) -> T:
        return await to_thread(called, *arguments) if self._run.awaits else called(*arguments)

    def _close(self) -> None:
        if self._run.awaits:  # after a step that may still run, if the call is cancelled
            get_running_loop().run_in_executor(None, self._sandbox.close)
        else:
            self._sandbox.close()


def _has_begun(outcome: Outcome) -> bool:
    """Return whether a call may have been carried out, as far as its outcome tells."""
    is_unsent = outcome.response is not None and outcome.response.sent == "no"
    return outcome.waiting is None and not is_unsent and outcome.reason not in _NOT_BEGUN


def _result(outcome: Outcome) -> tuple[bool, Any]:
    """Return what a program gets of a call: the value, or the text of an error."""
    json = outcome_json(outcome) if outcome.ok else None
    if json is None:
        return outcome.ok, visible(outcome.text)
    try:
        text = dumps(json[0], ensure_ascii=False, default=plain_json)
        text.encode()
        return True, loads(text)
    except (TypeError, ValueError, RecursionError):
        return False, _UNREADABLE


def _answers_of(
    person: PersonsPart, calls: list[ProgramCall]
) -> tuple[Mapping[str, PersonsAnswer], tuple[Issue, ...]]:
    """Return the answers by the ids of the calls that wait, or what is wrong with them."""
    waiting = [call.id for call in calls if call.ticket]
    given, approve = person.for_server, person.approve
    if approve is False or given is False:
        return dict.fromkeys(waiting, False), ()
    answers = cast("Mapping[str, Any]", given if isinstance(given, Mapping) else {})
    places: list[Keys] = [
        (key,)
        for key, each in answers.items()
        if key not in waiting or not isinstance(each, Mapping | bool | Approval | None)
    ]
    if isinstance(approve, bool | Approval) or not isinstance(given, Mapping | None):
        places.append(())
    wanted = f"an answer by the id of a call: {', '.join(waiting)}"
    issues = tuple(side_issue("human", keys, wanted) for keys in places)
    return ({}, issues) if issues else (answers, ())


_LONGEST: Final = 4000
_NOT_BEGUN: Final = ("arguments", "unknown", "declined", "denied")
_NOTHING: Final = "The program has ended and shown nothing: print what you want to know."
_TOO_DEEP: Final = "The arguments are nested too deeply. Nothing has run."
_TOO_LARGE: Final = "The arguments are too large to wait for a person. Nothing has run."
_UNREADABLE: Final = "The call has run, but its result cannot be read by a program."
