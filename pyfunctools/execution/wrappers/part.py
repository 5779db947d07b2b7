"""The parts of a call: what a person gives is asked for and merged, and what the program gives."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import takewhile
from json import dumps
from typing import Literal, cast

from pyfunctools._json import JsonObject, JsonValue, members_of
from pyfunctools._lazy import Lazy
from pyfunctools.errors import DefinitionError, PyfunctoolsError, TicketStoreError, wrong_type
from pyfunctools.execution.person.answers import path_of
from pyfunctools.execution.person.approval import Approval, Approve, Ask, PendingCall, View
from pyfunctools.execution.person.blame import blamed, whole_refused
from pyfunctools.execution.person.masking import UnshownArguments
from pyfunctools.execution.person.questions import persons_values, questions_for
from pyfunctools.execution.person.tickets import Ticket, Tickets
from pyfunctools.execution.person.uploads import leaves, merged, with_files
from pyfunctools.execution.person.withheld import Withheld
from pyfunctools.execution.runner import PersonsPart, Run, Runs
from pyfunctools.execution.steps import check_callable, declined_text, login_path
from pyfunctools.execution.trace import log_raised
from pyfunctools.record.function import Function, contract_of
from pyfunctools.record.origin import RemoteTool
from pyfunctools.record.outcome import Outcome, Question, ServerWords, Waiting, arguments_refused
from pyfunctools.record.settings import NO_SETTINGS, FixedView, Settings
from pyfunctools.route import Route
from pyfunctools.schema import Failure, Issue, Path, Success
from pyfunctools.schema.feedback.feedback import NOT_YOURS
from pyfunctools.schema.feedback.plain_words import TEXTS
from pyfunctools.schema.ground.issue import side_issue
from pyfunctools.schema.ground.path import Keys, value_at, with_value
from pyfunctools.schema.separation.ownership import SideName
from pyfunctools.schema.separation.separate import WithProgram
from pyfunctools.schema.separation.side_values import is_too_deep

Wants = Literal["needs_human", "needs_approval"]


def part_of_person(
    made: Run, settings: Settings | None, human: object, approve: Approve, tickets: Lazy[Tickets]
) -> PersonsPart:
    """Return the person's part of one call, from the arguments of `Controller.call`."""
    asks = callable(human) and not isinstance(human, Mapping)
    given: object = None if asks else cast("object", human)
    if given is None and isinstance(approve, Approval):
        given = approve.human
    ticket = made.begin and made.begin.ticket
    given, for_server = _for_server(made, given, ticket.state if ticket else {})
    return PersonsPart(
        made,
        settings or NO_SETTINGS,
        cast("Ask", human) if asks else None,
        given,
        approve,
        tickets,
        ticket,
        Withheld(made.function, made.arguments),
        for_server,
    )


async def result_of(
    person: PersonsPart, where: str, called: Callable[..., object], *arguments: object
) -> tuple[object] | Outcome:
    """Return the result of a caller's callable, or the outcome of one that raised.

    Its message may contain a secret, and is left out. A callable with other parameters or results
    is a mistake of the program, and an exception is raised.
    """
    try:
        answer = await person.made.resolve(called(*arguments), where)
        wanted, kinds = _ANSWERS[where]
        if not isinstance(answer, kinds):
            raise wrong_type(f"{where}(pending)", wanted, answer)
        return (answer,)
    except Exception as error:  # the application's code may raise anything
        if isinstance(error, PyfunctoolsError) and not isinstance(error, TicketStoreError):
            raise
        if isinstance(error, TypeError):
            check_callable(where, called, arguments)
        log_raised(person.made.function.name, f"`{where}`", error)
        text = _UNKNOWN if where == "confirm" else _UNASKED
        text = text.format(person.private.text(type(error).__name__), person.nothing_ran)
        return Outcome(text=text, reason="raised", exception=error)


_ANSWERS = {
    "approve": ("`True`, `False`, `None` or an `Approval`", bool | Approval | None),
    "confirm": ("`True` or `False`", bool),
    "human": ("a value", object),
}


def pending_call(
    person: PersonsPart, questions: tuple[Question, ...], server: ServerWords | None = None
) -> PendingCall:
    """Return the call as a person sees it who is asked for values."""
    shown, function = deepcopy(shown_arguments(person)), person.made.function
    return PendingCall(function=function, arguments=shown, questions=questions, server=server)


def shown_arguments(person: PersonsPart) -> JsonObject:
    """Return the model's part, with the fixed values and secrets covered, as a person sees it."""
    made, shown = person.made, person.made.arguments
    if person.fixed:
        view = View(person.private.function, person.whole, made.function, person.fixed)
        covered = dict(view.pending.arguments)
        for keys in person.fixed:
            if (value := value_at(covered, keys)) is not None:
                shown = members_of(with_value(shown, keys, value[0]))
    return shown


def questions_to(person: PersonsPart, wrong: Sequence[Issue] = ()) -> tuple[Question, ...]:
    """Return the questions to the person; `wrong` are the issues with the last answers."""
    made, given = person.made, person.given
    if given is None and person.asked is not None:
        return person.asked
    if made.function.separated is None:
        return ()
    issues, texts = () if given is None else wrong, {**TEXTS, **person.settings.texts}
    return questions_for(made.function, made.arguments, given, issues, texts)


def filled_paths(person: PersonsPart, wrong: Sequence[Issue] = ()) -> list[Keys]:
    """Return the paths of the person's values that are not `wrong`.

    They end before undeclared names, which may be secret.
    """
    function, human = person.made.function, person.human
    if function.separated is None or human is None or is_too_deep(human):
        return []
    declared = contract_of(function).human_side.property_names
    paths = {tuple(takewhile(declared.__contains__, keys)): None for keys, _ in leaves(human)}
    return [keys for keys in paths if keys and all(i.path.keys[: len(keys)] != keys for i in wrong)]


def waiting_call(
    person: PersonsPart,
    reason: Wants,
    wrong: Sequence[Issue] = (),
    text: str | None = None,
    state: JsonObject | None = None,
) -> Outcome:
    """Return the outcome of a waiting call, with a ticket; `wrong` are issues of the person's.

    The ticket has the paths of their other values: they have to be given again, since no value is
    stored, and a default must not replace one.
    """
    function = person.made.function
    waiting = Waiting(
        call_id=person.made.info.id,
        function=function.name,
        arguments=shown_arguments(person),
        approval=function.confirm or bool(person.settings.confirm),
        ticket=next_ticket(person, person.ticket, filled=filled_paths(person, wrong), state=state),
        questions=questions_to(person, wrong),
        request=person.request,
    )
    text = text or f"{_WAITS[reason]} {person.nothing_ran} yet."
    name = function.name
    return Outcome(text=text, reason=reason, waiting=waiting, function=name, _is_ours=True)


def still_waiting(person: PersonsPart, reason: Wants, outcome: Outcome) -> Outcome:
    """Return the outcome of a refusal before the run, with the ticket to resume."""
    return replace(outcome, waiting=waiting_call(person, reason).waiting)


def mistaken(person: PersonsPart, reason: Wants, wrong: Sequence[Issue]) -> Outcome:
    """Return the outcome of a call that waits again after a mistake of the person's."""
    text = f"{NOT_YOURS} {person.nothing_ran}."
    return replace(waiting_call(person, reason, wrong, text), issues=tuple(wrong))


def next_ticket(
    person: PersonsPart,
    after: Ticket | None,
    *,
    filled: Sequence[Keys] = (),
    state: JsonObject | None = None,
) -> str | None:
    """Return a ticket for this call, which replaces `after`; `None` if no ticket may hold it."""
    if person.is_unkept:
        return None
    fixed: JsonObject = {"fixed": fixed_digest(person)} if person.fixed else {}
    return person.tickets.value.issue(
        person.made.function,
        person.made.arguments,
        call=person.made.info.id,
        audience=person.made.info.audience,
        filled=filled,
        after=after,
        state={**({} if after is None else after.state), **fixed, **(state or {})},
    )


def fixed_digest(person: PersonsPart) -> str:
    """Return a digest of the program's values: an approval is for these."""
    fixed = [[list(keys), value] for keys, value in person.fixed.items()]
    return person.tickets.value.signature(b"fixed\n" + dumps(fixed, default=repr).encode())


async def declined(person: PersonsPart, reason: Literal["declined", "denied"]) -> Outcome:
    """Return the outcome of a call that the person does not want; its ticket is used up."""
    text = declined_text(person.state)
    return await person.made.refused() or Outcome(text=text, reason=reason, _is_ours=True)


def mapping_of(given: object) -> Mapping[str, object]:
    """Return the values that were given, if they are values."""
    return cast("Mapping[str, object]", given if isinstance(given, Mapping) else {})


def _for_server(made: Run, given: object, state: JsonObject) -> tuple[object, object]:
    """Return what was given for the function, and for a server, a login or a program's calls."""
    is_route, are_values = isinstance(made.function.origin, Route), isinstance(given, Mapping)
    if "program" in state:
        return None, given
    if not (isinstance(made.function.origin, RemoteTool) or (is_route and made.may_ask)):
        return given, None
    if made.function.separated is None and not (is_route and are_values):
        return None, given
    paths = state.get("paths", {login_path(made.function): None} if is_route else None)
    if not isinstance(paths, Mapping) or not are_values:
        return given, given if given is False else None
    values = mapping_of(given)
    answers = {key: value for key, value in values.items() if path_of(key) in paths}
    return {key: values[key] for key in values if key not in answers} or None, answers or None


_WAITS: dict[Wants, str] = {
    "needs_human": "A person has to add their part first.",
    "needs_approval": "A person has to approve this call first.",
}
_UNASKED = "The person could not be asked ({}). {}."
_UNKNOWN = "The check whether a person has to approve this call failed ({}). {}."


async def run_with_values(inner: Runs, given: PersonsPart, run: Run) -> Outcome:
    """Run the function with both parts; without all values, or after a mistake, it waits."""
    view = given.settings.view
    if view is not None and (given.made.function.confirm or given.settings.confirm):
        made = await _with_values(run, given, view.value)  # who answers may approve it as well
        if isinstance(made, Outcome):
            return made
        whole: JsonValue = {**run.arguments}
        for keys, value in made[0].fixed.items():
            whole = with_value(whole, keys, value)
        given = made[0]._replace(whole=UnshownArguments(members_of(whole)))
    completed = await _completed(given)
    if isinstance(completed, Outcome):
        return completed
    person, arguments = completed
    outcome = await inner(run._replace(arguments=arguments, person=person))
    if outcome.reason != "arguments" or run.has_begun or not _is_persons(outcome.issues):
        return outcome
    return mistaken(person, "needs_human", person.private.masked(outcome).issues)


async def _completed(person: PersonsPart) -> tuple[PersonsPart, UnshownArguments] | Outcome:
    """Return the whole arguments; ask the person if only the person's values are wrong."""
    if person.given is False:
        return await declined(person, "declined")
    person, joined = _joined(person)
    text: str | None = None
    if person.ask is not None and _is_to_give(person, joined):
        pending = pending_call(person, questions_to(person))
        answer = await result_of(person, "human", person.ask, pending)
        if isinstance(answer, Outcome):
            return still_waiting(person, "needs_human", answer)
        if answer[0] is False:
            return await declined(person, "declined")
        if answer[0] is None:
            text = f"{_NOT_NOW} {person.nothing_ran} yet."
        else:
            person, joined = _joined(person._replace(given=answer[0], human=None))
    if joined:
        return person, UnshownArguments(joined.value if isinstance(joined.value, dict) else {})
    if not _is_to_give(person, joined):
        return arguments_refused(person.made.function.name, joined)
    if person.human is None and person.approve is False:
        return await declined(person, "denied")
    if person.given is None or text is not None:
        return waiting_call(person, "needs_human", joined.issues, text)
    return mistaken(person, "needs_human", joined.issues)


def _is_to_give(person: PersonsPart, joined: Success[JsonValue] | Failure) -> bool:
    """Return whether the person has to give or to correct values."""
    is_split = person.made.function.separated is not None
    return not joined and is_split and _is_persons(joined.issues)


def _joined(person: PersonsPart) -> tuple[PersonsPart, Success[JsonValue] | Failure]:
    """Return both parts merged; values that were given before the ticket are required."""
    function, llm = person.made.function, person.made.arguments
    if person.given is not None:
        nested, human = persons_values(function, llm, person.given)
        both = (human,) if nested == human else (nested, human)
        person.private.given = (*person.private.given, *both)
        person = person._replace(human=human)
        whole = merged(function, llm, human)
        if not whole:
            return person, blamed(function, whole, human)
    elif (separated := function.separated) is None:
        return person, Success(value=llm)
    elif not (whole := separated.merge(llm, {})):
        if _is_persons(whole.issues):
            person = person._replace(asked=questions_to(person))
            if not person.asked:
                return _joined(person._replace(given=_BLANK))
        return person, whole
    wrong = [
        side_issue("human", keys, "the value, which was given before")
        for keys in (() if person.ticket is None else person.ticket.filled)
        if value_at(person.human, keys) is None
    ]
    return person, Failure(value=llm, issues=tuple(wrong)) if wrong else whole


def _is_persons(issues: tuple[Issue, ...]) -> bool:
    """Return whether there are issues, and all are for the person to correct."""
    return {issue.side for issue in issues} == {"human"}


_BLANK = {"$input": ""}
"""An empty form: what has only one value is filled in."""
_NOT_NOW = "A person was asked for their part and has not given it yet."


async def run_with_fixed(inner: Runs, view: FixedView, run: Run) -> Outcome:
    """Run the function with its fixed values; from here on it is the one with their properties."""
    run.check_context()
    completed = await _with_fixed(run, view)
    if isinstance(completed, Outcome):
        return completed
    outcome = await inner(completed)
    if outcome.reason == "arguments":
        return _wrong_fixed(run, view, outcome.issues) or outcome
    return outcome


async def _with_fixed(run: Run, view: FixedView) -> Run | Outcome:
    """Return the run with the whole arguments, or the outcome of a refusal."""
    function, arguments, person = run.function, run.arguments, run.person
    assert person is not None  # noqa: S101 - it is made for every wrapped call
    taken = [_taken(function, keys) for keys in view.part.taken(arguments)]
    taken += [_taken(function, keys, "human") for keys in view.part.taken(person.human)]
    if taken:
        return whole_refused(function, Failure(value=arguments, issues=tuple(taken)))
    made = await _with_values(run, person, view)
    if isinstance(made, Outcome):
        return made
    person, joined = made
    if issues := joined.wrong or joined.issues:
        refused = _wrong_fixed(run, view, joined.wrong)
        return refused or whole_refused(function, Failure(value=arguments, issues=issues))
    whole = UnshownArguments(joined.whole)
    person = person._replace(whole=whole)
    return run._replace(function=person.private.function, arguments=whole, person=person)


async def _with_values(
    run: Run, person: PersonsPart, view: FixedView
) -> tuple[PersonsPart, WithProgram] | Outcome:
    """Return the person's part with the fixed values, and the arguments joined with these."""
    bare = replace(run.function, _contract=Lazy.of(view.whole))
    try:
        values = await _values(bare, view, run)
    except PyfunctoolsError:
        raise
    except Exception as error:  # it is the program's code, and may raise anything
        return _not_made(run, error, type(error).__name__)
    joined = view.part.joined(run.arguments, values)
    fixed = {keys: value for keys, value in values.items() if value_at(joined.program, keys)}
    person.private.fixed = (*person.private.fixed, joined.program)
    person.private.function = bare
    return person._replace(fixed=fixed), joined


async def _values(function: Function, view: FixedView, run: Run) -> dict[Keys, JsonValue]:
    context, made = run.context, dict[int, Mapping[str, object]]()
    values: dict[Keys, JsonValue] = {}
    for keys, (fixed, path) in view.places.items():
        if callable(fixed) and id(fixed) not in made:
            given = await run.resolve(fixed(function, context), "fixed")
            made[id(fixed)] = cast("Mapping[str, object]", given)
        value = (made[id(fixed)] if callable(fixed) else fixed)[path]
        value = await run.resolve(value(context), "fixed") if callable(value) else value
        values[keys] = with_files(value)
    return values


def _wrong_fixed(run: Run, view: FixedView, issues: Iterable[Issue]) -> Outcome | None:
    wrong = {
        str(Path.of(one.path.keys)): one.expected
        for one in issues
        if any(one.path.keys[: len(keys)] == keys for keys in view.places)
    }
    if not wrong:
        return None
    listed = "; ".join(f"`{path}`: expected {expected}" for path, expected in wrong.items())
    reason = f"A fixed value of {run.function.name} is not right: {listed}."
    return _not_made(run, DefinitionError("fixed", reason), "it is not right")


def _not_made(run: Run, error: Exception, reason: str) -> Outcome:
    name, ran = run.function.name, run.person and run.person.nothing_ran
    log_raised(name, "`fixed`", error)
    text = f"A value that the application gives could not be made ({reason}). {ran}."
    return Outcome(text=text, reason="raised", exception=error)


def _taken(function: Function, keys: Keys, side: SideName = "llm") -> Issue:
    separated = function.separated
    if separated is not None and separated.owner(keys) == "human":
        side = "human"
    return side_issue(side, keys, "no value, since the application sets it")
