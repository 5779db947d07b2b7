"""The person's part of a call: made from what the caller gave, and asked for more."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from json import dumps
from typing import Literal, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools.errors import PyfunctoolsError, TicketStoreError
from pyfunctools.execution.person.approval import (
    Approval,
    Approve,
    Ask,
    PendingCall,
    View,
    with_value,
)
from pyfunctools.execution.person.blame import NOT_YOURS, filled_in
from pyfunctools.execution.person.questions import questions_for
from pyfunctools.execution.person.ticket_use import Claim
from pyfunctools.execution.person.tickets import Ticket, Tickets
from pyfunctools.execution.person.withheld import Withheld
from pyfunctools.execution.runner import PersonsPart, Run
from pyfunctools.execution.steps import check_callable, declined_text, login_path
from pyfunctools.execution.trace import log_raised
from pyfunctools.record.function import settings_of
from pyfunctools.record.origin import RemoteTool
from pyfunctools.record.outcome import Outcome, ServerWords, Waiting
from pyfunctools.record.question import Question
from pyfunctools.route import Route
from pyfunctools.schema import Issue
from pyfunctools.schema.feedback.plain_words import TEXTS
from pyfunctools.schema.ground.path import Keys, value_at

Wants = Literal["needs_human", "needs_approval"]


def part_of_person(
    made: Run,
    human: object,
    approve: Approve,
    tickets: Lazy[Tickets],
    use: Claim | None,
) -> PersonsPart:
    """Return the person's part of one call, from the arguments of `Controller.call`."""
    asks = callable(human) and not isinstance(human, Mapping)
    given: object = None if asks else cast("object", human)
    if given is None and isinstance(approve, Approval):
        given = approve.human
    ticket, for_server = None if use is None else use.ticket, None
    state = dict[str, JsonValue]() if ticket is None else ticket.state
    if "program" in state:
        given, for_server = None, given
    elif isinstance(made.function.origin, RemoteTool | Route):
        given, for_server = _for_server(made, given, state)
    return PersonsPart(
        made,
        settings_of(made.function),
        cast("Ask", human) if asks else None,
        given,
        approve,
        tickets,
        use,
        ticket,
        state,
        Withheld(made.function, made.arguments),
        for_server,
    )


async def result_of(
    person: PersonsPart, where: str, called: Callable[..., object], *arguments: object
) -> tuple[object] | Outcome:
    """Return the result of a caller's callable, or the outcome of one that raised.

    The text has the exception's type but not its message, which may contain a secret. A
    callable with other parameters is a mistake of the program, and an exception is raised.
    """
    try:
        return (await person.made.resolve(called(*arguments), where),)
    except Exception as error:  # the application's code may raise anything
        if isinstance(error, PyfunctoolsError) and not isinstance(error, TicketStoreError):
            raise
        if isinstance(error, TypeError):
            check_callable(where, called, arguments)
        log_raised(person.made.function.name, f"`{where}`", error)
        text = _UNKNOWN if where == "confirm" else _UNASKED
        text = text.format(person.private.text(type(error).__name__), person.nothing_ran)
        return Outcome(text=text, reason="raised", exception=error, _still_waits=True)


def pending_call(
    person: PersonsPart, questions: tuple[Question, ...], server: ServerWords | None = None
) -> PendingCall:
    """Return the call as a person sees it who is asked for values."""
    arguments = deepcopy(shown_arguments(person))
    return PendingCall(
        function=person.made.function, arguments=arguments, questions=questions, server=server
    )


def shown_arguments(person: PersonsPart) -> JsonObject:
    """Return the arguments as a person sees them who is asked."""
    return person.made.arguments if person.shown is None else person.shown


def shown_with_fixed(person: PersonsPart, view: View) -> JsonObject | None:
    """Return the model's part with the fixed values, secrets covered, `None` without fixed ones."""
    if not person.fixed:
        return None
    shown, covered = person.made.arguments, dict(view.pending.arguments)
    for keys in person.fixed:
        found = value_at(covered, keys)
        shown = shown if found is None else with_value(shown, keys, found[0])
    return shown


def questions_to(person: PersonsPart, wrong: Sequence[Issue] = ()) -> tuple[Question, ...]:
    """Return the questions to the person; `wrong` are the issues with the last answers."""
    if person.given is None and person.asked is not None:
        return person.asked
    if person.made.function.separated is None:
        return ()
    issues = () if person.given is None else wrong
    texts = TEXTS if person.settings is None else {**TEXTS, **person.settings.texts}
    return questions_for(person.made.function, person.made.arguments, person.given, issues, texts)


def filled_paths(person: PersonsPart, wrong: Sequence[Issue] = ()) -> list[Keys]:
    """Return the paths of the person's values that are not `wrong`."""
    paths = filled_in(person.made.function, person.human)
    return [keys for keys in paths if all(i.path.keys[: len(keys)] != keys for i in wrong)]


def waiting_call(
    person: PersonsPart,
    reason: Wants,
    wrong: Sequence[Issue] = (),
    text: str | None = None,
    state: JsonObject | None = None,
) -> Outcome:
    """Return the outcome of a waiting call, with a ticket; `wrong` are issues of the person's.

    The ticket has the paths of the person's values that are not `wrong`. The person has to give
    these values again, since no value is stored, and a default must not replace one.
    """
    function = person.made.function
    waiting = Waiting(
        call_id=person.made.info.id,
        function=function.name,
        arguments=shown_arguments(person),
        approval=function.confirm or bool(person.settings and person.settings.confirm),
        ticket=next_ticket(person, person.ticket, filled=filled_paths(person, wrong), state=state),
        questions=questions_to(person, wrong),
        request=person.request,
    )
    text = text or f"{_WAITS[reason]} {person.nothing_ran} yet."
    return Outcome(text=text, reason=reason, waiting=waiting)


def still_waiting(person: PersonsPart, reason: Wants, outcome: Outcome) -> Outcome:
    """Return the outcome of a refusal before the run, with the ticket to resume."""
    return replace(outcome, waiting=waiting_call(person, reason).waiting)


def mistaken(person: PersonsPart, reason: Wants, wrong: Sequence[Issue], text: str = "") -> Outcome:
    """Return the outcome of a call that waits again after a mistake of the person's."""
    text = text or NOT_YOURS.format(person.nothing_ran)
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


async def claim(person: PersonsPart) -> Outcome | None:
    """Use up the ticket, if there is one; return the outcome if it cannot be used."""
    return None if person.use is None else await person.use.claim()


async def declined(person: PersonsPart, reason: Literal["declined", "denied"]) -> Outcome:
    """Return the outcome of a call that the person does not want; its ticket is used up."""
    return await claim(person) or Outcome(text=declined_text(person.state), reason=reason)


def _mapping(given: object) -> Mapping[str, object] | None:
    return cast("Mapping[str, object]", given) if isinstance(given, Mapping) else None


def _for_server(made: Run, given: object, state: JsonObject) -> tuple[object, object]:
    """Return what was given for the function itself, and for the server's question or the login."""
    is_route = isinstance(made.function.origin, Route)
    if is_route and not made.may_ask:
        return given, None
    values = _mapping(given)
    if made.function.separated is None and not (is_route and values is not None):
        return None, given
    paths = state.get("paths", {login_path(made.function): None} if is_route else None)
    if not isinstance(paths, Mapping) or values is None:
        return given, given if given is False else None
    answers = {k: value for k, value in values.items() if k in paths or f"$input.{k}" in paths}
    rest = {key: value for key, value in values.items() if key not in answers}
    return rest or None, answers or None


_WAITS: dict[Wants, str] = {
    "needs_human": "A person has to add their part first.",
    "needs_approval": "A person has to approve this call first.",
}
_UNASKED = "The person could not be asked ({}). {}."
_UNKNOWN = "The check whether a person has to approve this call failed ({}). {}."
