"""`Calling`: calls the functions of a controller, or resumes a call with a ticket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from pyfunctools.errors import DefinitionError, wrong_type

# Everything else is imported by the first call, as in `controller`.
if TYPE_CHECKING:
    from collections.abc import Coroutine

    from pyfunctools._json import JsonValue
    from pyfunctools._lazy import Lazy
    from pyfunctools.execution.person.approval import Approve, Ask, PersonsValues
    from pyfunctools.execution.person.tickets import Tickets
    from pyfunctools.execution.runner import Runner
    from pyfunctools.record.call import Call
    from pyfunctools.record.function import Function
    from pyfunctools.record.outcome import Outcome
    from pyfunctools.schema.result import Failure, Success

    Result: TypeAlias = Success[JsonValue] | Failure
    CallParts: TypeAlias = tuple[str, str | bytes | JsonValue, Result | None, str | None]


class CallOptions(TypedDict, total=False):
    """The keyword arguments of `Controller.call`."""

    human: PersonsValues | Ask
    context: object
    approve: Approve
    audience: str | None


class Calling:
    """Calls the functions of a controller by name."""

    functions: tuple[Function, ...]
    _entries: dict[str, tuple[Function, Runner]]
    _tickets: Lazy[Tickets]

    def call(
        self,
        name_or_call: str | Call,
        arguments: Any = None,
        *,
        human: PersonsValues | Ask = None,
        context: object = None,
        approve: Approve = None,
        audience: str | None = None,
    ) -> Outcome:
        """Check the model's arguments, add the human's part, run the function, return its outcome.

        `name_or_call` is a function's name, or a `Call` with the name and the arguments.
        `arguments` is the model's text, or a value that was parsed already (a list is in the order
        of `Function.positional`); `None` and blank text mean `{}`.

        `human` has the person's values, nested as the schema or by `Question.path`: texts of a
        form, files, Python objects. Or it is a callable that asks for them: it is called with the
        `PendingCall`, only if the call cannot run without the values, and returns `None` if the
        person gave nothing. If values are required and there is no `human`, nothing runs, and
        `outcome.waiting` has the questions and the ticket for `resume`. `context` is passed to
        parameters annotated `Context`.

        A function with `confirm` runs only if `approve` is `True`, an `Approval` with values that
        the person edited or added (they are checked again), or a callable that returns one of
        these. Without it, and after an invalid answer of the person, the outcome waits with a
        ticket. Any other error is an error outcome, also an exception of a callable.

        `audience` identifies the person for whom the ticket is issued, such as a user's id:
        `resume` needs the same audience. The ticket contains only its digest.

        Raises:
            LoopError: the function is asynchronous and this thread runs an event loop.
            DefinitionError: the function has no handler, or `human` or `approve` is asynchronous or
                is a callable with other parameters.
        """
        from pyfunctools.execution.steps import finish

        options = CallOptions(human=human, context=context, approve=approve, audience=audience)
        steps = self._called(name_or_call, arguments, options, awaits=False)
        del human, options  # a traceback with locals must not show them
        return finish(steps)

    async def acall(
        self,
        name_or_call: str | Call,
        arguments: Any = None,
        *,
        human: PersonsValues | Ask = None,
        context: object = None,
        approve: Approve = None,
        audience: str | None = None,
    ) -> Outcome:
        """Do the same as `call` without blocking the event loop.

        A synchronous method runs in a thread, with the caller's context variables. `human` and
        `approve` may be asynchronous; if they are not, they are called on the loop.

        Raises:
            DefinitionError: the function has no handler, or `human` or `approve` is a callable with
                other parameters.
        """
        options = CallOptions(human=human, context=context, approve=approve, audience=audience)
        steps = self._called(name_or_call, arguments, options, awaits=True)
        del human, options
        return await steps

    def resume(
        self,
        ticket: str | None,
        human: PersonsValues | Ask = None,
        *,
        context: object = None,
        approve: Approve = None,
        audience: str | None = None,
    ) -> Outcome:
        """Resume a call that waited for a person, maybe in another process or much later.

        The model's part is in the ticket; everything else is as in `call`. A ticket is valid for
        one run, or for one refusal. It stays valid if the person's values are invalid or
        incomplete: then `outcome.waiting` has the next ticket, and the person has to give all
        values again, since no ticket contains them. Nothing runs, and the outcome is an error, if
        the ticket was changed or used, has expired, or was issued with another key or for another
        audience, or if its function has changed or no longer exists. If the store of used tickets
        fails, nothing runs and the ticket stays valid.

        Raises:
            LoopError: the function is asynchronous and this thread runs an event loop.
            DefinitionError: the function has no handler, or a callable or the store is
                asynchronous.
        """
        from pyfunctools.execution.steps import finish

        options = CallOptions(human=human, context=context, approve=approve, audience=audience)
        steps = self._resumed(ticket, options, awaits=False)
        del human, options
        return finish(steps)

    async def aresume(
        self,
        ticket: str | None,
        human: PersonsValues | Ask = None,
        *,
        context: object = None,
        approve: Approve = None,
        audience: str | None = None,
    ) -> Outcome:
        """Do the same as `resume` without blocking the event loop; the store may be asynchronous.

        Raises:
            DefinitionError: the function has no handler.
        """
        options = CallOptions(human=human, context=context, approve=approve, audience=audience)
        steps = self._resumed(ticket, options, awaits=True)
        del human, options
        return await steps

    def _called(
        self, given: str | Call, arguments: Any, options: CallOptions, *, awaits: bool
    ) -> Coroutine[Any, None, Outcome]:
        from pyfunctools.execution.pipeline import Invocation

        name, arguments, read, call_id = _call_parts(given, arguments)
        call = Invocation(self._entry, self._tickets, awaits=awaits, call_id=call_id, **options)
        return call.logged(call.run(name, arguments, read))

    async def _resumed(self, ticket: str | None, options: CallOptions, *, awaits: bool) -> Outcome:
        from pyfunctools.execution.pipeline import Invocation

        call = Invocation(self._entry, self._tickets, awaits=awaits, **options)
        del options
        outcome = await call.logged(call.resume(ticket))
        self._tickets.value.ended(ticket, outcome)
        return outcome

    def _entry(self, name: str) -> tuple[Function, Runner]:
        try:
            return self._entries[name]
        except (KeyError, TypeError):  # a name that a model wrote may be anything, also a list
            from pyfunctools.controller.selection import unknown_name

            raise unknown_name(name, self._entries) from None


def tickets_of(calling: Calling) -> Lazy[Tickets]:
    """Return the tickets of a controller."""
    return calling._tickets  # pyright: ignore[reportPrivateUsage]


def text_limit(calling: Calling, name: str) -> int:
    """Return the maximum length of the text of a function's outcome, in characters."""
    return calling._entries[name][1].limits.outcome  # pyright: ignore[reportPrivateUsage]


def _call_parts(given: str | Call, arguments: str | bytes | JsonValue) -> CallParts:
    """Return the name and arguments of a call, the result of parsing these, and the call's id.

    Raises:
        DefinitionError: arguments were passed together with a `Call`.
    """
    if isinstance(given, str):
        return given, arguments, None, None
    from pyfunctools.record.call import Call
    from pyfunctools.record.function import Function

    if isinstance(given, Function):
        remedy = "Write `controller.call(function.name, ...)`."
        raise wrong_type("call(name)", "a name or a `Call`", given, remedy)
    if not isinstance(given, Call):  # pyright: ignore[reportUnnecessaryIsInstance]
        return given, arguments, None, None
    if arguments is not None:
        reason = f"A `Call` already contains its arguments; others were passed: {given.name}."
        raise DefinitionError("call(arguments)", reason, "Write `controller.call(call)`.")
    return given.name, given.arguments, given.result, getattr(given, "id", None)
