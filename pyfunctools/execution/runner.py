"""`Runner`: runs functions of one kind; `Run` is its argument.

A runner is wrapped as ASGI applications are: whatever runs around a function (`execution.wrappers`)
is such a `run` too, and calls the next one.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DefinitionError
from pyfunctools.execution.steps import ServerDialog, has_begun, nothing_ran, resolved
from pyfunctools.limits import Limits
from pyfunctools.record.call import CallInfo
from pyfunctools.record.function import Function, handler_of, settings_of
from pyfunctools.record.outcome import Outcome, Question, Request

if TYPE_CHECKING:  # loaded by the first call in which a person takes part
    from concurrent.futures import Executor

    from pyfunctools._lazy import Lazy
    from pyfunctools.execution.person.approval import Approve, Ask
    from pyfunctools.execution.person.tickets import Ticket, Tickets
    from pyfunctools.execution.person.withheld import Withheld
    from pyfunctools.record.settings import Settings
    from pyfunctools.schema.ground.path import Keys


@dataclass(slots=True, eq=False, repr=False)
class Beginning:
    """The steps just before a function, which run once; a call that they refuse has not begun.

    For the call of a `ticket` they `claim` it, and `record` keeps what came of the call.
    """

    claim: Callable[[], Awaitable[Outcome | None]] | None = None
    ticket: "Ticket | None" = None
    record: Callable[[Outcome, str], Awaitable[None]] | None = None
    has_begun: bool = field(default=False, init=False)

    async def __call__(self) -> Outcome | None:
        """Return the outcome of a call that is refused, else `None`."""
        refused = None if self.has_begun or self.claim is None else await self.claim()
        self.has_begun = refused is None
        return refused


class Run(NamedTuple):
    """One run of a function on checked arguments.

    `begin` is awaited just before the function's own code runs, when all checks have passed; an
    outcome that it returns is that of the call. Without `awaits` the steps never suspend, and block
    this thread. `person` is `None` if nobody takes part. `finish` returns an outcome as the caller
    gets it. `put` passes on an item of a stream, and returns when the next one is wanted; without
    it the items are collected. `may_ask` is whether this call may ask a person in its middle.
    """

    function: Function
    arguments: JsonObject
    info: CallInfo
    context: object = None
    awaits: bool = False
    begin: Beginning | None = None
    person: "PersonsPart | None" = None
    dialog: ServerDialog | None = None
    preview: "Preview | None" = None
    finish: "Callable[[Outcome], Outcome]" = lambda outcome: outcome
    may_ask: bool = False
    put: "Put | None" = None
    executor: "Executor | None" = None

    def telling(self, change: Callable[[Outcome], Outcome]) -> "Run":
        """Return the run, each item of which is changed before it is passed on."""
        if (put := self.put) is None:
            return self

        def changed(item: Outcome) -> Awaitable[None]:
            return put(change(item))

        return self._replace(put=changed)

    @property
    def has_begun(self) -> bool:
        """Whether the function's own code may run, or has run."""
        return self.begin is not None and self.begin.has_begun

    async def refused(self) -> Outcome | None:
        """Begin; return the outcome of a call that may not."""
        return None if self.begin is None else await self.begin()

    async def resolve(self, value: object, where: str) -> object:
        """Return a value of the program's, which may be awaitable; see `steps`."""
        return await resolved(value, where, awaits=self.awaits)

    @property
    def withholds(self) -> bool:
        """Whether a model is told no message of an exception, and no words of a server."""
        return self.person is not None and self.person.private.withholds

    def check_context(self) -> None:
        """Refuse a run without the context that a parameter requires."""
        handler = handler_of(self.function) if self.context is None else None
        if handler is not None and (parameter := handler.wants_context) is not None:
            raise DefinitionError(
                f"{self.function.name}({parameter})",
                "This parameter is the context, and the call has no context.",
                "Pass `context=` to the call (in a terminal `--context`), give it a default, or "
                "hint `Context[... | None]`.",
            )


class PersonsPart(NamedTuple):
    """The person's part in one call; `made` is the run as the model made it.

    `ask` asks for values, and `asked` are the questions; `given` are those that the caller passed,
    `human` the same as the schema has them. `private` collects what nobody may read in the outcome.
    `ticket` is that of a resumed call. `fixed` are the program's values, and `whole` are all
    arguments with these; `request` is what will be sent. `for_server` is what was given for a
    server's question, or for the calls in a program. `is_unkept` is whether an edit moved a value
    of the person's into the model's part, so that no ticket may have it.
    """

    made: "Run"
    settings: "Settings"
    ask: "Ask | None"
    given: object
    approve: "Approve"
    tickets: "Lazy[Tickets]"
    ticket: "Ticket | None"
    private: "Withheld"
    for_server: object
    asked: "tuple[Question, ...] | None" = None
    human: JsonValue = None
    fixed: "Mapping[Keys, JsonValue]" = MappingProxyType({})
    whole: JsonObject = MappingProxyType({})
    request: Request | None = None
    is_unkept: bool = False

    def __repr__(self) -> str:
        return "PersonsPart(...)"

    @property
    def state(self) -> JsonObject:
        """What the wrappers kept in the ticket."""
        return {} if self.ticket is None else self.ticket.state

    @property
    def has_begun(self) -> bool:
        """Whether the function may have run, now or before the call waited in its middle."""
        return self.made.has_begun or has_begun(self.state)

    @property
    def nothing_ran(self) -> str:
        """ "Nothing has run" as far as it is true."""
        return nothing_ran({"approved": self.has_begun})

    @property
    def has_answer(self) -> bool:
        """Whether the caller passed an answer, and not a function that asks for it."""
        return self.approve is not None and not callable(self.approve)


Preview: TypeAlias = Callable[[Run], Awaitable[Request | None]]
"""Returns the HTTP request of a run without sending it, `None` if it cannot be made."""

Put: TypeAlias = Callable[[Outcome], Awaitable[None]]

Runs: TypeAlias = Callable[[Run], Awaitable[Outcome]]
"""The `run` of a runner, or of a wrapper around one."""


class Runner(Protocol):
    """Runs functions of one kind: in this process, over HTTP, on an MCP server."""

    def run(self, run: Run, /) -> Awaitable[Outcome]: ...

    @property
    def limits(self) -> Limits:
        """The limits of time, of sizes, and of the text for the model."""
        ...

    @property
    def preview(self) -> "Preview | None":
        """The function that returns the HTTP request of a call, its credentials covered."""
        ...

    @property
    def may_ask(self) -> "Callable[[Function], bool] | None":
        """The function that returns whether a call may ask a person in its middle."""
        ...

    def close(self) -> None:
        """Close all resources."""
        ...

    async def aclose(self) -> None:
        """Close all resources, on an event loop."""
        ...


def executor_of(function: Function) -> "Executor | None":
    """Return a function's executor: a person's values leave this process only if so configured."""
    settings = settings_of(function)
    if settings is None or settings.executor is None:
        return None
    from concurrent.futures import ThreadPoolExecutor

    is_here = isinstance(settings.executor, ThreadPoolExecutor) or settings.executor_values
    return settings.executor if is_here or function.separated is None else None
