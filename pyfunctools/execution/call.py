"""The way of a call up to where it may run: check, merge, ask; and what is said where it stops."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import UnknownFunctionError
from pyfunctools.execution.files import with_files
from pyfunctools.execution.sides import NOT_YOURS
from pyfunctools.outcome import Outcome
from pyfunctools.record import Function
from pyfunctools.schema import Failure, Success


class Runner(Protocol):
    """What runs functions of one kind: in process, or over HTTP."""

    def run(self, function: Function, arguments: JsonObject, context: object) -> Outcome:
        """Run the function on checked arguments."""
        ...

    async def arun(self, function: Function, arguments: JsonObject, context: object) -> Outcome:
        """Run the function on checked arguments, awaiting what can be awaited."""
        ...

    def close(self) -> None:
        """Give back what the runner holds."""
        ...

    async def aclose(self) -> None:
        """Give back what the runner holds, on an event loop."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingCall:
    """A call that waits for a person's approval: the function, and the whole of its arguments."""

    function: Function
    arguments: JsonObject


Approve: TypeAlias = Callable[[PendingCall], bool]
"""Asked before a function with `confirm` runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyCall:
    """A call that may run: everything checked, merged and approved."""

    function: Function
    arguments: JsonObject
    checked: Success[JsonValue]

    def finished(self, outcome: Outcome) -> Outcome:
        """Give the outcome with the function's name and the repairs that were made before it."""
        repairs = (*self.checked.repairs, *outcome.repairs)
        return replace(outcome, function=self.function.name, repairs=repairs)


def prepare(
    function: Function,
    arguments: str | bytes | JsonValue,
    human: JsonObject | None,
    approve: Approve | None,
) -> ReadyCall | Outcome:
    """Give the call that may run, or the outcome that says why none may.

    Bytes among the human's values, and mappings whose `content` is bytes, are files.
    Nothing of the function runs here, and nothing is sent.
    """
    checked = function.check(arguments)
    if not checked:
        return _refused(function, checked)
    merged = function.merge(llm=checked.value, human=with_files(human))
    if not merged:
        return _not_merged(function, checked, merged, asked=human is not None)
    whole = merged.value if isinstance(merged.value, dict) else {}
    if function.confirm and not _approved(function, whole, approve):
        text = "A person has to approve this call and has not. Nothing has run."
        return Outcome(text=text, is_error=True, function=function.name, repairs=checked.repairs)
    return ReadyCall(function=function, arguments=whole, checked=checked)


def unknown(error: UnknownFunctionError) -> Outcome:
    """Give the outcome of a call whose function is not there."""
    return Outcome(text=str(error), is_error=True, function=error.name)


def _approved(function: Function, whole: JsonObject, approve: Approve | None) -> bool:
    return approve is not None and approve(PendingCall(function=function, arguments=whole))


def _refused(function: Function, failure: Failure) -> Outcome:
    return Outcome(
        text=failure.feedback(),
        is_error=True,
        failure=failure,
        function=function.name,
        repairs=failure.repairs,
    )


def _not_merged(
    function: Function, checked: Success[JsonValue], failure: Failure, *, asked: bool
) -> Outcome:
    separated = function.separated
    if separated is None or any(issue.side != "human" for issue in failure.issues):
        return _refused(function, failure)
    if not asked:
        return Outcome(
            text="A person has to add their part first. Nothing has run yet.",
            value=checked.value,
            function=function.name,
            repairs=checked.repairs,
            needs_human=separated.human,
        )
    return Outcome(
        text=NOT_YOURS,
        is_error=True,
        failure=failure,
        function=function.name,
        repairs=checked.repairs,
    )
