"""Shared code of the integrations with agent frameworks: settings, and answers by call id."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from inspect import isawaitable
from typing import Any

from pyfunctools.controller import Controller
from pyfunctools.errors import wrong_type
from pyfunctools.execution.person.tickets import Ticket
from pyfunctools.execution.steps import awaited, declined_text
from pyfunctools.record.outcome import Waiting


def check_controller(where: str, controller: object) -> None:
    """Check that an argument is a controller."""
    if not isinstance(controller, Controller):
        raise wrong_type(where, "a `Controller`", controller, f"Write `{where}(controller)`.")


def calls_inside(asked: Mapping[str, Any]) -> list[str]:
    """Return the ids of the calls that a program waits for, of what `what_is_asked` returned."""
    return [str(each["call_id"]) for each in asked.get("pending", ())]


def context_for(context: object, run: object, default: object) -> object:
    """Return the context of a call: `context`, its result for the run, or the default."""
    if context is None:
        return default
    return context(run) if callable(context) else context


def what_is_asked(waiting: Waiting, text: str, call_id: str | None) -> dict[str, Any]:
    """Return the fields of `Outcome.waiting` as plain data, with the outcome's text."""
    asked = {**asdict(waiting), "text": text, "call_id": call_id or waiting.call_id}
    asked.pop("_state")
    return asked


_WITHDRAWING = set["asyncio.Future[bool]"]()


def withdraw(controller: Controller, ticket: str | None) -> str:
    """Withdraw the ticket of a declined call, and return the text for the model.

    With an asynchronous store it is withdrawn in a task of the loop.
    """
    tickets = controller._tickets.value  # pyright: ignore[reportPrivateUsage]
    withdrawn = False if ticket is None else tickets.withdraw(ticket)
    read = tickets.read(ticket, also_expired=True)
    said = declined_text(read.state if isinstance(read, Ticket) else {})
    if isawaitable(withdrawn):
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            asyncio.run(awaited(withdrawn, ""))
            return said
        task = asyncio.ensure_future(withdrawn)
        _WITHDRAWING.add(task)  # a loop keeps only a weak reference
        task.add_done_callback(_WITHDRAWING.discard)
    return said
