"""`Calling`: finds the functions of a controller, calls them, and resumes calls with a ticket."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, cast

from pyfunctools._lazy import Lazy
from pyfunctools.controller.call_errors import check_options, listed, says_its_form
from pyfunctools.errors import DefinitionError, PyfunctoolsError, wrong_type
from pyfunctools.execution.steps import finish

# Everything else is imported by the first call, as in `controller`.
if TYPE_CHECKING:
    from collections.abc import (
        AsyncGenerator,
        Awaitable,
        Callable,
        Coroutine,
        Generator,
        Iterable,
        Mapping,
        Sequence,
    )

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from pyfunctools._json import JsonValue
    from pyfunctools.controller.searchable import Behind, CallParts
    from pyfunctools.controller.tool_list import Report
    from pyfunctools.execution.person.approval import Approve, Ask, PersonsValues
    from pyfunctools.execution.person.tickets import Tickets
    from pyfunctools.execution.pipeline import Invocation
    from pyfunctools.execution.runner import Beginning, Put, Runner
    from pyfunctools.note import Note
    from pyfunctools.record.call import Call
    from pyfunctools.record.function import Function, Skipped
    from pyfunctools.record.outcome import Outcome
    from pyfunctools.search import OtherRanker, SearchIndex


class ResumeOptions(TypedDict, total=False):
    """The keyword arguments of `Controller.resume`."""

    context: object
    approve: Approve
    audience: str | None


class CallOptions(ResumeOptions, total=False):
    """The keyword arguments of `Controller.call`."""

    human: PersonsValues | Ask


@says_its_form
class Calling:
    """Finds the functions of a controller by name or by what they do, and calls them."""

    functions: tuple[Function, ...]
    skipped: tuple[Skipped, ...]
    _entries: dict[str, tuple[Function, Runner]]
    _index: Lazy[SearchIndex]
    _behind: Behind | None = None
    _is_closed: bool = False
    _tickets: Lazy[Tickets]

    def call(
        self, name_or_call: str | Call, arguments: Any = None, **options: Unpack[CallOptions]
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
        these, `False` (no) or `None` (not yet). Without it, and after an invalid answer of the
        person, the outcome waits with a ticket. Any other error is an error outcome, also an
        exception of a callable.

        `audience` identifies the person for whom the ticket is issued, such as a user's id:
        `resume` needs the same audience. The ticket contains only its digest.

        Raises:
            LoopError: the function is asynchronous and this thread runs an event loop.
            DefinitionError: the function has no handler, or `human` or `approve` is asynchronous or
                is a callable with other parameters or results.
        """
        call = self._invocation(options, awaits=False)
        return finish(self._steps(call, name_or_call, arguments))

    async def acall(
        self, name_or_call: str | Call, arguments: Any = None, **options: Unpack[CallOptions]
    ) -> Outcome:
        """Do the same as `call` without blocking the event loop.

        A synchronous method runs in a thread, with the caller's context variables. `human` and
        `approve` may be asynchronous; if they are not, they are called on the loop.
        """
        call = self._invocation(options, awaits=True)
        return await self._steps(call, name_or_call, arguments)

    def resume(
        self,
        ticket: str | None,
        human: PersonsValues | Ask = None,
        **options: Unpack[ResumeOptions],
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
        given = CallOptions(human=human, **options)
        del human, options  # as `_invocation` clears the others
        return finish(self._resumed(ticket, given, awaits=False))

    async def aresume(
        self,
        ticket: str | None,
        human: PersonsValues | Ask = None,
        **options: Unpack[ResumeOptions],
    ) -> Outcome:
        """Do the same as `resume` on this event loop; the store may be asynchronous."""
        given = CallOptions(human=human, **options)
        del human, options
        return await self._resumed(ticket, given, awaits=True)

    def stream(
        self, name_or_call: str | Call, arguments: Any = None, **options: Unpack[CallOptions]
    ) -> Generator[Outcome]:
        """Return an iterator of the items that a function gives, each an outcome as it comes.

        The items are those of a generator, or of a response that is a sequence: server-sent events
        (`text/event-stream`) or JSON lines. Each is checked, by the hint of
        the generator or the document's `itemSchema`, masked and bounded; one that is wrong is an
        outcome with issues, and the next ones follow. The value of an event is what `itemSchema`
        describes (the event's fields, or its data as JSON), else its data as text. `Limits.call`
        and `Limits.deadline` bound the time until the next item, `Limits.response` its size. What
        ends a stream too early is the last outcome. Anything else than a stream is one outcome: a
        function that returns, a refusal, a call that waits for a person.

        A hook (`configured(on_call=)`) around the call sees the outcome of its end, not the items.
        Everything else is as in `call`; the call begins with the first `next`. Close the iterator,
        or read it to its end: closing ends the function, and the connection. On an executor of
        other processes the list of all items is one outcome.

        Raises:
            DefinitionError: as `call`, when the iterator is read.
            LoopError: as `call`, when the iterator is read.
        """
        from pyfunctools.execution.pipeline import items_of

        call = self._invocation(options, awaits=False)
        return items_of(lambda put: self._steps(call, name_or_call, arguments, put))

    def astream(
        self, name_or_call: str | Call, arguments: Any = None, **options: Unpack[CallOptions]
    ) -> AsyncGenerator[Outcome]:
        """Do the same as `stream` without blocking the event loop."""
        from pyfunctools.execution.pipeline import aitems_of

        call = self._invocation(options, awaits=True)
        return aitems_of(lambda put: self._steps(call, name_or_call, arguments, put))

    def search(
        self, query: str, *, limit: int = 8, rank: OtherRanker | None = None
    ) -> tuple[Function, ...]:
        """Return the functions that fit a query, the best first; fewer than `limit` if fewer fit.

        The search is lexical: BM25 over names, paths, descriptions, tags and parameters. The index
        is built by the first search. `rank`, a function of the query and the functions that returns
        functions, is another ranker; the two orders are fused.

        Raises:
            DefinitionError: the query, the limit or the ranker is invalid.
        """
        return self._index.value.search(query, limit, rank)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Where the functions run otherwise than `configured` says; see also `Function.notes`."""
        from pyfunctools.controller.views import notes_of

        return notes_of(self.functions)

    def __getstate__(self) -> dict[str, object]:
        if self._behind is not None:
            remedy = "Pickle the controller, and write `controller.searchable()` where it arrives."
            raise DefinitionError("searchable", "This controller cannot be pickled.", remedy)
        made = ("functions", "_index", "_other_names")
        return {name: value for name, value in vars(self).items() if name not in made}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        self._set_functions()

    def signatures(self, names: Iterable[str] | None = None) -> str:
        """Return functions as typed Python stubs: the model's side, a line each.

        `names` chooses functions. A name that Python does not allow is written with `_`, and can be
        called so. Types come first, each once.

        Raises:
            UnknownFunctionError: there is no function of a name.
        """
        from pyfunctools.signatures import signatures_of, spelled_names

        chosen = self.functions
        if names is not None:
            chosen = [self._entry(name)[0] for name in listed("signatures", "names", names)]
        return signatures_of(chosen, spelled=spelled_names(each.name for each in self.functions))

    def report(self) -> Report:
        """Return a report: the functions, the skipped ones by reason, and the size for a model."""
        from pyfunctools.controller.tool_list import report_of

        return report_of(self.functions, self.skipped)

    def parse_calls(self, raw: object, *, repeated: Literal["drop", "keep"] = "drop") -> list[Call]:
        """Return the calls of these functions in a model's text; see `pyfunctools.parse_calls`.

        Pass each of them to `call`; those that could not be parsed become error outcomes.

        Raises:
            DocumentError: `raw` is not a text or a response of a known SDK.
        """
        from pyfunctools.prompting.calls.calls import parse_calls

        return parse_calls(raw, self.functions, repeated=repeated)

    def inspector(
        self,
        *,
        audience: Callable[[Request], str | Awaitable[str | None] | None] | None = None,
        token: str | None = None,
        context: object = None,
        waiting: Callable[[str | None], Any] | None = None,
    ) -> ASGIApp:
        """Return a page that shows these functions and tries them, as an ASGI application.

        Mount it in your own application. `audience`, a function of the request, returns who is
        logged in, `None` to refuse; without it a secret `token` is the login, and the page answers
        at the address of its own socket only: `http://127.0.0.1:PORT/?token=TOKEN`. `waiting`, a
        function of the audience, returns the `outcome.waiting`s that this person may answer here.
        `context` is that of the calls, or a function of the request that returns it. All of these
        may be asynchronous. Of a searchable controller it shows what is behind the search.

        Raises:
            DefinitionError: there is neither an `audience` nor a `token`, one of the arguments has
                the wrong type, or the extra `inspector` is not installed.
        """
        from importlib import import_module

        # By name: the page stands above this room, and uses it as everybody does.
        page = import_module("pyfunctools.integrations.inspector")
        app: ASGIApp = page.inspector_app(
            self, audience=audience, token=token, context=context, waiting=waiting
        )
        return app

    def _entry(self, name: str) -> tuple[Function, Runner]:
        try:
            return self._entries[name]
        except (KeyError, TypeError):  # a name that a model wrote may be anything, also a list
            pass
        if self._behind is not None:
            entry: tuple[Function, Runner] = self._behind.whole._entry(name)
            return entry
        if isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            others = self._other_names
            if found := others.get(name) or others.get(name.replace(".", "_")):
                return self._entries[found]
        from pyfunctools.controller.searchable import unknown_name

        raise unknown_name(name, self._entries, self._index)

    @cached_property
    def _other_names(self) -> Mapping[str, str]:
        from pyfunctools.controller.searchable import other_names

        return other_names(self.functions)

    def _check_views(self) -> None:
        """Refuse views of a searchable controller."""
        if self._behind is not None:
            reason = "A searchable controller cannot be changed: what is behind it would be lost."
            remedy = "Select, configure and combine first: `controller.select(...).searchable()`."
            raise DefinitionError("searchable", reason, remedy)

    def _set_functions(self) -> None:
        self.functions = tuple([function for function, _ in self._entries.values()])
        self._index = Lazy(_index_of, self.functions)

    def _steps(
        self, call: Invocation, given: str | Call, arguments: Any, put: Put | None = None
    ) -> Coroutine[Any, None, Outcome]:
        call.put = put
        if isinstance(given, str) and self._behind is None:
            return call.logged(call.run(given, arguments))
        parts, mark = self._parts(given, arguments)
        return call.logged(call.run(*parts, mark))

    def _parts(self, given: str | Call, arguments: Any) -> tuple[CallParts, object]:
        """Return the parts of the call that runs, also of one in `call_function`; and its mark."""
        if isinstance(given, str):
            parts, mark = (given, arguments, None, None), None
        else:
            parts, mark = _parts_of(given, arguments)
        if self._behind is not None:
            parts, mark = self._behind.resolved(parts), None
        return parts, mark

    async def _resumed(self, ticket: str | None, options: CallOptions, *, awaits: bool) -> Outcome:
        call = self._invocation(options, awaits=awaits, verb="resume")
        return await call.logged(call.resume(ticket))

    def _invocation(
        self,
        options: CallOptions,
        *,
        awaits: bool,
        tickets: Lazy[Tickets] | None = None,
        verb: str = "call",
    ) -> Invocation:
        """Return a call with these options, and clear them: no frame around it may hold them."""
        made, tickets = _invocation_type(), tickets or self._tickets
        try:
            return made(self._entry, tickets, awaits=awaits, is_closed=self._is_closed, **options)
        except TypeError:
            check_options(verb, options, CallOptions.__annotations__)
            raise
        finally:
            cast("dict[str, object]", options).clear()


def inner_call(
    calling: Calling,
    call: Call | Beginning,
    options: CallOptions,
    *,
    awaits: bool,
    tickets: Lazy[Tickets],
) -> Coroutine[Any, None, Outcome]:
    """Return the steps of a call inside another one, which has the tickets.

    A call that waited is continued by what claims the ticket of the outer one.
    """
    from pyfunctools.record.call import Call

    made = calling._invocation(options, awaits=awaits, tickets=tickets)  # pyright: ignore[reportPrivateUsage]
    if isinstance(call, Call):
        return calling._steps(made, call, None)  # pyright: ignore[reportPrivateUsage]
    return made.logged(made.resumed(call))


def look_at(
    calling: Calling, call: Call, options: CallOptions, *, awaits: bool
) -> Coroutine[Any, None, Outcome]:
    """Return the steps of a call that does not run: its outcome waits, or is an error."""
    made = calling._invocation(options, awaits=awaits)  # pyright: ignore[reportPrivateUsage]
    made.looks = True
    parts, mark = calling._parts(call, None)  # pyright: ignore[reportPrivateUsage]
    return made.run(*parts, mark)


def called_function(calling: Calling, call: str | Call, arguments: Any = None) -> Function | None:
    """Return the function that a call runs, also one that `call_function` names, or `None`."""
    try:
        parts, _ = calling._parts(call, arguments)  # pyright: ignore[reportPrivateUsage]
        return calling._entry(parts[0])[0]  # pyright: ignore[reportPrivateUsage]
    except PyfunctoolsError:  # which the call itself tells
        return None


def _parts_of(given: Call, arguments: JsonValue) -> tuple[CallParts, object]:
    """Return the parts of a call, and `mark_of` it."""
    from pyfunctools.record.call import Call, mark_of
    from pyfunctools.record.function import Function

    if isinstance(given, Function) or callable(given):
        remedy = "Write the name of the function, as in `controller.call(function.name, ...)`."
        raise wrong_type("call(name)", "a name or a `Call`", given, remedy)
    if not isinstance(given, Call):  # pyright: ignore[reportUnnecessaryIsInstance]
        return (given, arguments, None, None), None
    if arguments is not None:
        reason = f"A `Call` already contains its arguments; others were passed: {given.name}."
        raise DefinitionError("call(arguments)", reason, "Write `controller.call(call)`.")
    return (given.name, given.arguments, given.result, given.id), mark_of(given)


@cache  # an import statement in each call would take longer than the rest of its steps here
def _invocation_type() -> type[Invocation]:
    from pyfunctools.execution.pipeline import Invocation

    return Invocation


def _index_of(functions: Sequence[Function]) -> SearchIndex:
    from pyfunctools.search import SearchIndex

    return SearchIndex(functions)
