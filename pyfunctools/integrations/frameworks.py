"""Shared code of the integrations with agent frameworks: settings, and answers by call id."""

from collections.abc import Iterable, Sequence

from pyfunctools.controller import Controller
from pyfunctools.errors import DefinitionError, wrong_type

DENIED = "A person has to approve this call and has not. Nothing has run."


def check_controller(where: str, controller: object) -> None:
    """Check that an argument is a controller.

    Raises:
        DefinitionError: it is not.
    """
    if not isinstance(controller, Controller):
        raise wrong_type(where, "a `Controller`", controller, f"Write `{where}(controller)`.")


def check_answers(where: str, answers: Iterable[str], waiting: Sequence[str], source: str) -> None:
    """Check that every answer is for a call that waits; `source` names the origin of the calls.

    Raises:
        DefinitionError: no waiting call has the id of an answer.
    """
    if unknown := [call_id for call_id in answers if call_id not in waiting]:
        known = ", ".join(map(repr, waiting)) or "none, since no call waits"
        raise DefinitionError(
            f"{where}(answers)",
            f"No call {unknown[0]!r} of {source} waits for a person.",
            f"The ids are {known}.",
        )


def context_for(context: object, run: object, default: object) -> object:
    """Return the context of a call: `context`, its result for the run, or the default."""
    if context is None:
        return default
    return context(run) if callable(context) else context
