"""How the functions of a controller are called, at once or with a ticket later on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, Unpack

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
    Taken: TypeAlias = tuple[str, str | bytes | JsonValue, Result | None, str | None]


class Beside(TypedDict, total=False):
    """What is given beside what a model wrote, for each of its calls; see `Controller.call`."""

    human: PersonsValues | Ask
    context: object
    approve: Approve
    audience: str | None


class Calling:
    """The calls of a controller: of what it holds, by name."""

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
        """Check what the model wrote, add the human's part, run the function, say what came of it.

        `name_or_call` is a function's name, or a `Call` for the name and the arguments. `arguments`
        is the model's text, or the value where somebody has read it (a list is taken in the order
        of `Function.positional`); none, `None` and blank text are `{}`. `human` are the person's
        values, or a callable that asks for them. It is asked only where the call cannot run without
        them, and given the `PendingCall`; `None` says that the person gave nothing.
        Where values are required and there is no `human`, nothing runs, and `outcome.waiting` has
        the questions to ask and the ticket to `resume` with. Values are nested as the schema, or
        by `Question.path`; they may be texts of a form, files, and Python objects. `context`
        reaches parameters annotated `Context`.

        A function with `confirm` runs only when `approve` is `True`, or an `Approval` with what the
        person edited or added, which is checked again, or a callable that gives one of them.
        Without, the outcome waits, with a ticket; so it does after a mistake of the person's. What
        else is wrong with any of this is an error outcome, and so is a callable that raises.

        `audience` is whom the ticket is for, such as a user's id: `resume` takes it only with the
        same. It is in the ticket as a digest.

        Raises:
            LoopError: the function is asynchronous and this thread runs an event loop.
            DefinitionError: the function has nothing that could run it, or `human` or `approve`
                cannot be called so, or is asynchronous.
        """
        from pyfunctools.execution.steps import finish

        steps = self._called(
            name_or_call,
            arguments,
            awaits=False,
            human=human,
            context=context,
            approve=approve,
            audience=audience,
        )
        del human  # no traceback that shows locals is to show it
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
        """Do what `call` does, without blocking the event loop.

        A synchronous method runs in a thread, with the caller's context variables. `human` and
        `approve` may be asynchronous; where they are not, they are called on the loop.

        Raises:
            DefinitionError: the function has nothing that could run it, or `human` or `approve`
                cannot be called so.
        """
        steps = self._called(
            name_or_call,
            arguments,
            awaits=True,
            human=human,
            context=context,
            approve=approve,
            audience=audience,
        )
        del human
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
        """Go on with a call that waited for a person, maybe in another process or much later.

        The model's part is in the ticket; everything else is as in `call`. A ticket is good for one
        run, or one answer of `approve` that is no. Where the person made a mistake, or something is
        still missing, it stays good, and `outcome.waiting` has the one to go on with: values that
        the person gave before are in no ticket and are wanted again. One that was changed, has
        expired, was used, is of another key or audience, or is for a function that is not there any
        more or not as it was, is an error outcome that says which, and nothing runs. So does
        nothing where the store of used tickets cannot answer, and the ticket stays good.

        Raises:
            LoopError: the function is asynchronous and this thread runs an event loop.
            DefinitionError: the function has nothing that could run it, or something that is asked
                is asynchronous.
        """
        from pyfunctools.execution.steps import finish

        steps = self._resumed(
            ticket, awaits=False, human=human, context=context, approve=approve, audience=audience
        )
        del human
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
        """Do what `resume` does, without blocking the event loop; the store may be asynchronous.

        Raises:
            DefinitionError: the function has nothing that could run it.
        """
        steps = self._resumed(
            ticket, awaits=True, human=human, context=context, approve=approve, audience=audience
        )
        del human
        return await steps

    def _called(
        self, given: str | Call, arguments: Any, *, awaits: bool, **beside: Unpack[Beside]
    ) -> Coroutine[Any, None, Outcome]:
        from pyfunctools.execution.pipeline import Invocation

        name, arguments, read, call_id = _taken(given, arguments)
        call = Invocation(self._entry, self._tickets, awaits=awaits, call_id=call_id, **beside)
        return call.logged(call.run(name, arguments, read))

    async def _resumed(
        self, ticket: str | None, *, awaits: bool, **beside: Unpack[Beside]
    ) -> Outcome:
        from pyfunctools.execution.pipeline import Invocation

        call = Invocation(self._entry, self._tickets, awaits=awaits, **beside)
        del beside
        outcome = await call.logged(call.resume(ticket))
        self._tickets.value.ended(ticket, outcome)
        return outcome

    def _longest(self, name: str | None) -> int:
        known = self._entries.get(name or "")
        if known is not None:
            return known[1].limits.outcome
        from pyfunctools.limits import DEFAULT_LIMITS

        return DEFAULT_LIMITS.outcome

    def _entry(self, name: str) -> tuple[Function, Runner]:
        try:
            return self._entries[name]
        except (KeyError, TypeError):  # a name that a model wrote may be anything, also a list
            from pyfunctools.controller.selection import unknown_name

            raise unknown_name(name, self._entries) from None


def tickets_of(calling: Calling) -> Lazy[Tickets]:
    """Return how tickets are written, made when it is first asked for."""
    return calling._tickets  # pyright: ignore[reportPrivateUsage]


def longest_of(calling: Calling, name: str) -> int:
    """Return the characters that a model is told of an outcome of the function."""
    return calling._longest(name)  # pyright: ignore[reportPrivateUsage]


def _taken(given: str | Call, arguments: str | bytes | JsonValue) -> Taken:
    """Return the name and the arguments of a call, what came of reading them, and its id.

    Raises:
        DefinitionError: there are arguments beside a `Call`.
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
        reason = f"There are arguments beside a `Call`, which has its own: {given.name}."
        raise DefinitionError("call(arguments)", reason, "Write `controller.call(call)`.")
    return given.name, given.arguments, given.result, getattr(given, "id", None)
