"""`TicketUse`: a ticket is used once, and what came of its call is told again to whoever asks."""

from contextlib import suppress
from dataclasses import dataclass, replace
from json import loads
from time import monotonic
from typing import cast

from pyfunctools.errors import DefinitionError
from pyfunctools.execution.person.tickets import Ticket, Tickets, ticket_refused
from pyfunctools.record.outcome import Outcome, still_waits, waiting_from_json


@dataclass(slots=True)
class TicketUse:
    """The ticket of a resumed call."""

    tickets: Tickets
    ticket: Ticket
    awaits: bool

    async def earlier(self) -> Outcome | None:
        """Return the recorded outcome or the refusal of an expired ticket, `None` of a good one."""
        late = self.tickets.has_expired(self.ticket)
        return await (self.claim() if late else self._recorded())

    async def claim(self) -> Outcome | None:
        """Use up the ticket, or return the outcome that refuses it: an expired one is not used."""
        tickets, ticket, claimed = self.tickets, self.ticket, cast("object", False)
        is_late, name = tickets.has_expired(ticket), ticket.function
        if not tickets.has_expired(ticket, 60):  # else the store may have forgotten it
            claimed = await tickets.ask(ticket, "claim", ticket.expires, awaits=self.awaits)
        if claimed and not isinstance(claimed, Outcome):
            return ticket_refused("unused", name, ticket) if is_late else None
        told = claimed if isinstance(claimed, Outcome) else await self._recorded()
        if told is None or (is_late and not told.replayed):
            return ticket_refused("expired" if is_late else "used", name)
        return told

    async def record(self, outcome: Outcome, text: str) -> None:
        """Record the outcome of the call with this text."""
        await self.tickets.record(self.ticket, outcome, text, awaits=self.awaits)

    async def outcome(self, seconds: float) -> Outcome | None:
        """Return the expected outcome of the ticket's call, `None` if it does not end in time.

        The call may be resumed in another process, or wait again: the store tells that.
        """
        from asyncio import sleep

        end = monotonic() + seconds
        while (told := self.tickets.expect(self.ticket)) is None:
            told = await self.earlier()
            if told is not None and not still_waits(told):  # else the store has failed
                return self.tickets.expect(self.ticket) or told
            if (left := end - monotonic()) <= 0:
                return None
            await sleep(min(left, _PAUSE))
        return told

    async def _recorded(self) -> Outcome | None:
        answer = await self.tickets.ask(self.ticket, "answer", awaits=self.awaits)
        return answer if isinstance(answer, Outcome) else _replayed(answer, self.ticket.function)


_PAUSE = 0.5
"""Seconds between two questions to the store."""


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
