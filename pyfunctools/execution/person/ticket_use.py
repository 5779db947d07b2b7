"""`TicketUse`: a ticket is used once, and what came of its call is told again to whoever asks."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from json import loads
from typing import cast

from pyfunctools.errors import DefinitionError, PyfunctoolsError, TicketStoreError
from pyfunctools.execution.person.stores import keeps_answers
from pyfunctools.execution.person.tickets import Ticket, Tickets, answer_text, ticket_refused
from pyfunctools.execution.steps import resolving
from pyfunctools.execution.trace import log_raised
from pyfunctools.execution.truncation import truncated
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.record.outcome import Outcome, waiting_from_json


@dataclass(slots=True)
class TicketUse:
    """The ticket of a resumed call."""

    tickets: Tickets
    ticket: Ticket
    awaits: bool

    async def earlier(self) -> Outcome | None:
        """Return the recorded outcome of the ticket's call, or the refusal of an expired ticket.

        It is `None` if the ticket can be used, as far as is known.

        Raises:
            PyfunctoolsError: the store has to be awaited.
        """
        expired = await self._expired()
        if expired is not None:
            return expired
        answer = await self._ask("answer", self.ticket.id)
        return answer if isinstance(answer, Outcome) else _replayed(answer, self.ticket.function)

    async def claim(self) -> Outcome | None:
        """Use up the ticket, or return the outcome that refuses it."""
        expired = await self._expired()
        if expired is not None:
            return expired
        claimed = await self._ask("claim", self.ticket.id, self.ticket.expires)
        if isinstance(claimed, Outcome):
            return claimed
        if claimed:
            return None
        return await self.earlier() or ticket_refused("used", self.ticket.function)

    async def record(self, outcome: Outcome, text: str) -> None:
        """Record the outcome of the call with this text; of one that waits again, its next ticket.

        A store that fails is logged: the call has run, and its outcome is returned.
        """
        answer = answer_text(outcome, truncated(text, DEFAULT_LIMITS.outcome))
        with suppress(PyfunctoolsError):
            await self._ask("record", self.ticket.id, answer)

    async def _expired(self) -> Outcome | None:
        """Return the refusal of an expired ticket: a claim tells that it was never used."""
        if not self.tickets.has_expired(self.ticket):
            return None
        claimed: object = False
        if not self.tickets.has_expired(self.ticket, 60):  # else the store may have forgotten it
            claimed = await self._ask("claim", self.ticket.id, self.ticket.expires)
        reason = "unused" if claimed is True else "expired"
        return ticket_refused(reason, self.ticket.function, self.ticket)

    async def _ask(self, name: str, *arguments: object) -> object:
        """Return what a method of the store returns, `None` if it has no such method.

        If the method raises, the result is an outcome without the exception's message.
        """
        store = self.tickets.store_in_use
        if name != "claim" and not keeps_answers(store):
            return None
        called: Callable[..., object] = getattr(store, name)
        try:
            if self.awaits and getattr(store, "blocks", False):
                from asyncio import to_thread  # which few programs need

                return await to_thread(called, *arguments)
            return await resolving(self.awaits)(called(*arguments), "store")
        except Exception as error:  # the application's code may raise anything
            if isinstance(error, PyfunctoolsError) and not isinstance(error, TicketStoreError):
                raise
            log_raised(self.ticket.function, "`store`", error)
            text = _UNCLAIMED.format(type(error).__name__)
            return Outcome(text=text, reason="raised", exception=error, _still_waits=True)


_UNCLAIMED = (
    "The check whether the ticket was used failed ({}). The call was not run now, and still waits: "
    "resume it again later."
)


def _replayed(answer: object, function: str) -> Outcome | None:
    """Return the outcome that was recorded as this text, `None` if it is no record."""
    with suppress(ValueError, TypeError, KeyError, RecursionError, DefinitionError):
        read = loads(cast("str", answer))
        if not isinstance(read["text"], str):
            return None
        told = Outcome(text=read["text"], reason=read["reason"], function=function, replayed=True)
        waiting = read.get("waiting")
        return replace(told, waiting=waiting_from_json(waiting)) if waiting else told
    return None
