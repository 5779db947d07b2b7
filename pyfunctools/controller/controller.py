"""`Controller`: functions, and what runs them, under one name."""

from __future__ import annotations

from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AsyncExitStack, ExitStack
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack

from pyfunctools._json import JsonObject
from pyfunctools._lazy import Lazy
from pyfunctools._text import quantity
from pyfunctools.controller.call_errors import listed, says_its_form
from pyfunctools.controller.calling import Calling, CallOptions
from pyfunctools.controller.opening import (
    ApplicationSettings,
    Opened,
    Source,
    entries_by_name,
    open_application,
    open_document,
    open_functions,
    open_mcp,
    open_object,
    own_tickets,
)
from pyfunctools.errors import wrong_type
from pyfunctools.schema.separation.predicates import IsHuman, is_human_by_default
from pyfunctools.sources import ReadOptions

# Everything else is imported by the method that needs it: importing `Controller` and decorating a
# class load neither the engine nor pydantic.

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from mcp import Client, ClientSession

    from pyfunctools.controller.batches import Progress, ToCall
    from pyfunctools.controller.opening import FastApiSource
    from pyfunctools.controller.searchable import VendorSearch
    from pyfunctools.controller.tools import ResponseFormat, Tools
    from pyfunctools.controller.turns import RunnablePrompt
    from pyfunctools.execution.mcp import Accept, ToolProgress
    from pyfunctools.execution.person.approval import PendingCall
    from pyfunctools.execution.person.tickets import Tickets
    from pyfunctools.execution.request.connection import Connection
    from pyfunctools.execution.runner import Runner
    from pyfunctools.execution.wrappers.hooks import Hook
    from pyfunctools.limits import Limits, ProgramLimits
    from pyfunctools.record.fixed import Fixed
    from pyfunctools.record.function import Function, Skipped
    from pyfunctools.record.outcome import Outcome
    from pyfunctools.route import Route


@says_its_form
class Controller(Calling):
    """Functions, and what runs them, under one name.

    Made by `from_object`, `from_functions`, `from_openapi`, `from_fastapi` or `from_mcp`.
    `controller["name"]` is a function, `"name" in controller` is true if it exists, and iteration
    yields the functions in their order. It is a context manager, synchronous and asynchronous, that
    closes the connections, loops and threads of its runners. It may be used from many threads and
    event loops.
    """

    def __init__(
        self,
        entries: Iterable[tuple[Function, Runner]],
        *,
        name: str = "",
        description: str = "",
        skipped: Sequence[Skipped] = (),
    ) -> None:
        """Make a controller of functions, each with its runner.

        Raises:
            DefinitionError: two functions have the same name, or an entry is not a pair of a
                function and its runner.
        """
        self.name = name
        self.description = description
        self.skipped = tuple(skipped)
        self._entries = entries_by_name(entries)
        self._tickets = Lazy(own_tickets)
        self._set_functions()

    @classmethod
    def from_object(
        cls,
        source: object,
        *,
        all: bool = False,  # noqa: A002 - the word a user reads
        inherited: bool = False,
        is_human: IsHuman | None = is_human_by_default,
        limits: Limits | None = None,
    ) -> Self:
        """Return a controller of an object's methods marked `@function`.

        With `all=True` it has all public methods that the object's class defines; with
        `inherited=True` also those of the base classes. Marked members that cannot be functions (a
        private name, a property) are in `skipped`. The class docstring becomes the description.

        Raises:
            DefinitionError: no method is selected, or one cannot become a function.
        """
        return cls._of(open_object(source, all, inherited, is_human, limits))

    @classmethod
    def from_functions(
        cls,
        functions: Iterable[Callable[..., object] | Function],
        *,
        name: str = "",
        description: str = "",
        is_human: IsHuman | None = is_human_by_default,
        limits: Limits | None = None,
    ) -> Self:
        """Return a controller of plain functions and of `Function` records that have a handler.

        Raises:
            DefinitionError: one cannot become a function, or two have the same name.
        """
        return cls._of(open_functions(functions, name, description, is_human, limits))

    @classmethod
    def from_openapi(
        cls,
        source: Source,
        *,
        is_human: IsHuman | None = is_human_by_default,
        names: Literal["accessor", "operation_id"] | Callable[[Route], str] = "accessor",
        describe: Literal["model", "full", "brief"] = "model",
        on_skip: Literal["collect", "raise"] = "collect",
        resolver: Callable[[str], JsonObject | str | bytes] | None = None,
        limits: Limits | None = None,
        **connection: Unpack[Connection],
    ) -> Self:
        """Return a controller of a document's operations: Swagger 2.0, or OpenAPI 3.0, 3.1 or 3.2.

        `source` is a path, the text or bytes (JSON or YAML), or the document as a mapping.
        Operations that cannot be called are in `skipped`. The requests go to `server=` with
        `headers=` and `auth=`; see `Connection` for these and the other settings. `resolver`
        returns the document of an external `$ref`; without it nothing outside the document is read.

        Raises:
            DocumentError: the document cannot be read, or with `on_skip="raise"` an operation is
                skipped.
            DefinitionError: a setting is invalid, or the package that reads YAML is not installed.
        """
        reading = ReadOptions(is_human=is_human, names=names, describe=describe, on_skip=on_skip)
        return cls._of(open_document(source, reading, resolver, limits, **connection))

    @classmethod
    def from_fastapi(cls, source: FastApiSource, **settings: Unpack[ApplicationSettings]) -> Self:
        """Return a controller of a FastAPI application, of an `APIRouter`, or of routes.

        The operations are those of the application's own document; routes that are not in it
        (hidden ones, websockets, mounts) are in `skipped`. A call goes through the whole
        application, in this process, on one event loop of the controller: the application starts
        before the first call, and `close` shuts it down. Marks, docstrings and `@function` of the
        endpoints count, also in what they depend on. For a router or for routes, an application
        without middleware is made. The settings are those of `from_openapi` that apply here;
        `server` is the address that the application sees as its own address.

        Raises:
            DocumentError: the document cannot be made or read, or with `on_skip="raise"` an
                operation is skipped.
            DefinitionError: FastAPI is not installed, or the source or a setting is invalid.
        """
        return cls._of(open_application(source, **settings))

    @classmethod
    async def from_mcp(
        cls,
        source: Client | ClientSession,
        *,
        is_human: IsHuman | None = is_human_by_default,
        accept: Accept | None = None,
        trust: bool | Callable[[str], bool] = False,
        limits: Limits | None = None,
        progress: ToolProgress | None = None,
    ) -> Self:
        """Return a controller of the tools of an MCP server, over the official SDK.

        `source` is a `Client`, or an open `ClientSession`. A client that is not open is opened, and
        closed by `aclose`. Names that vendors reject are changed; tools that cannot be read are in
        `skipped`. The value of a result is validated with the tool's output schema; its text is
        kept in any case. A tool that has changed since it was read is not called, unless `accept`,
        a function of the old and the new `Function`, returns true; for this the list is read again
        when its `ttlMs` is over. What a tool says of itself (`readOnlyHint`, `destructiveHint`,
        `idempotentHint`) counts only if `trust` is true for its name; any other is `destructive`.
        `progress` is a function of a function's name, what is done, the total and a message (or
        `None`); each report starts the deadline again, unless it returns `False`. All calls use the
        event loop on which this method ran, also calls from other threads.

        Raises:
            DefinitionError: the SDK is not installed, or a setting is invalid.
            DocumentError: the server cannot be reached, or its list has no end.
        """
        return cls._of(await open_mcp(source, is_human, accept, trust, limits, progress))

    def __getitem__(self, name: str) -> Function:
        return self._entry(name)[0]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._entries

    def __iter__(self) -> Iterator[Function]:
        return iter(self.functions)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        functions = quantity(len(self), "function")
        return f"<Controller {self.name!r}: {functions}, {len(self.skipped)} skipped>"

    def select(
        self,
        *,
        tags: Iterable[str] | None = None,
        names: Iterable[str] | None = None,
        paths: Iterable[str] | None = None,
        methods: Iterable[str] | None = None,
        where: Callable[[Function], bool] | None = None,
        allow_empty: bool = False,
    ) -> Controller:
        """Return a controller of the functions that meet all of these conditions.

        A function must have one of the `tags`, a name that matches one of the patterns in `names`,
        a path that matches one in `paths` (`*` and `?` as in file names, case-sensitive), one of
        the HTTP `methods`, and `where` must be true for it. A single text counts as a list with one
        item. A function that is not from a document has no path and no method. Runners are shared
        with this controller.

        Raises:
            DefinitionError: a condition is not a text or a list of texts, or `where` is not a
                predicate. Or, without `allow_empty`, a tag, a pattern or all of the methods match
                no function; the error names similar ones.
        """
        from pyfunctools.controller.views import selected_names

        wanted = {"tags": tags, "names": names, "paths": paths, "methods": methods}
        kept = selected_names(self.functions, wanted, where, allow_empty=allow_empty)
        return self._with(self._entries[name] for name in kept)

    def prefixed(self, prefix: str) -> Controller:
        """Return a controller in which every function's name begins with `prefix`.

        Raises:
            DefinitionError: vendors reject a new name, for example because it is too long.
        """
        from dataclasses import replace

        if not isinstance(prefix, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise wrong_type("prefixed", "a text", prefix, 'Write `prefixed("shop_")`.')
        return self._with(
            (replace(function, name=prefix + function.name), runner)
            for function, runner in self._entries.values()
        )

    def configured(
        self,
        *,
        tickets: Tickets | None = None,
        confirm: bool | Literal["destructive"] | Callable[[PendingCall], bool] | None = None,
        fixed: Fixed | None = None,
        texts: Mapping[str, str] | None = None,
        on_call: Hook | None = None,
        executor: Executor | None = None,
        executor_values: bool | None = None,
    ) -> Controller:
        """Return a controller of the same functions with other settings; `None` changes nothing.

        `tickets` signs and stores tickets; by default they are valid in this process only.

        With `confirm` more calls wait for `approve`: all (`True`), those of `destructive`
        functions, or those for which a function of the `PendingCall` (all arguments) says `True`.

        `fixed` has values that the program gives, by path (`{"$input.header.token": value}`, where
        a value may be a function of the context). It may also be a function of the `Function` and
        the context that returns such a mapping; it is called once with the context `None`, for the
        paths. A fixed property is in no schema and no question.

        `texts` replaces the texts that a person reads in `Question.label`, `help` and `problem`,
        for example by another language. Its keys are those of `schema.feedback.plain_words.TEXTS`.

        `on_call` is a hook, a generator function of the `PendingCall` with the model's arguments:
        `outcome = yield` runs the call and gives its `Outcome`; returning another one before it
        answers the call without running it. The last of several hooks is the outermost.

        `executor` runs the synchronous functions of this process, for `call` and `acall`: a pool
        of processes for heavy computation, for example. Arguments and results must then be
        picklable. The caller shuts it down. A function with a person's part runs in this process
        (see `notes`), unless the executor is a pool of threads, or with `executor_values`.

        Raises:
            DefinitionError: a setting is invalid, no function has a property at a path of `fixed`,
                a key of `texts` is unknown, or with an `executor` no function runs in this process.
        """
        from pyfunctools.controller.views import check_tickets, configured_entries

        check_tickets(tickets)
        given = (texts, on_call, executor, executor_values)
        configured = self._with(configured_entries(self._entries.values(), confirm, fixed, *given))
        if tickets is not None:
            configured._tickets = Lazy.of(tickets)
        return configured

    def replaced(self, handlers: Mapping[str, object]) -> Controller:
        """Return a controller of the same functions, some of them with other handlers.

        For tests: schemas, validation and the person's part do not change. `handlers` maps a
        function's name to a callable with the parameters of the method (for an operation, with
        keyword arguments), to an exception, which is raised, or to a value, which is returned.

        Raises:
            UnknownFunctionError: a function does not exist.
            DefinitionError: `handlers` is not a mapping.
        """
        from pyfunctools.controller.views import with_handlers

        return self._with(with_handlers(self._entries, handlers, self._entry))

    @classmethod
    def combine(cls, *controllers: Controller, name: str = "", description: str = "") -> Self:
        """Return a controller of the functions of several controllers, in their order.

        It has the `tickets` of the first controller, and is closed if one of them is.

        Raises:
            DefinitionError: two functions have the same name (`prefixed` changes names), or an
                argument is not a controller.
        """
        for each in controllers:
            if not isinstance(each, Controller):  # pyright: ignore[reportUnnecessaryIsInstance]
                remedy = "Write `Controller.combine(one, other)`."
                raise wrong_type("combine", "a `Controller`", each, remedy)
            each._check_views()
        made = cls(
            (entry for controller in controllers for entry in controller._entries.values()),
            name=name or " + ".join(filter(None, (each.name for each in controllers))),
            description=description,
            skipped=[item for controller in controllers for item in controller.skipped],
        )
        if controllers:
            made._tickets = controllers[0]._tickets
        made._is_closed = any(each._is_closed for each in controllers)
        return made

    def searchable(self, *, keep: Iterable[str] = (), limit: int = 5) -> Controller:
        """Return a controller of `find_functions`, `call_function` and the functions to `keep`.

        A model finds the signatures of at most `limit` functions by a query, and calls one of all
        functions by its name. Such a call is that function's: checks, feedback, the person's part,
        tickets and `Outcome.function` are the same as without a search. Configure, select and
        combine first: a searchable controller can no longer be changed.

        Raises:
            UnknownFunctionError: there is no function of a name in `keep`.
            DefinitionError: the limit is invalid, or a function has one of the two names.
        """
        from pyfunctools.controller.searchable import behind_of, finder

        find, runner = finder(self.search, self.functions, limit)
        behind = behind_of(self, self._entries)
        kept = [self._entry(name) for name in dict.fromkeys(listed("searchable", "keep", keep))]
        made = self._with([(find, runner), (behind.call, runner), *kept])
        made._behind = behind
        return made

    def programs(self, *, limits: ProgramLimits | None = None) -> Controller:
        """Return a controller of `run_program`, a function that runs a program of the model's.

        Where its calls need a person, the outcome waits with them in `waiting.pending`, and
        `resume(ticket, {call_id: answer})` goes on. Configure, select and combine first.

        Raises:
            DefinitionError: the limits are no `ProgramLimits`, or the extra is not installed.
        """
        from importlib import import_module

        programs = import_module("pyfunctools.integrations.programs")  # above this room
        return self._with(programs.entries_of(self, limits))

    def map(
        self,
        calls: Iterable[ToCall],
        *,
        concurrency: int = 8,
        progress: Progress = None,
        **options: Unpack[CallOptions],
    ) -> Generator[Outcome]:
        """Return an iterator of the outcomes of many calls, in their order.

        `calls` are `Call`s, or pairs of a name and arguments, from any iterable; it is read as far
        as needed, so it may be endless. Up to `concurrency` run at once, each in a thread; a
        function with `concurrent=False` runs alone. A call that fails or waits for a person is an
        outcome in its place. The other options are as in `call`, for each call.
        `progress=True` shows a bar in a terminal (the extra `cli`); a function is called with the
        number of outcomes so far, and of all calls or `None`. Closing the iterator waits for what
        runs, and cancels what has not started.

        Raises:
            DefinitionError: a setting is wrong, or later: an item is not a call, or as `call`.
        """
        from pyfunctools.controller.batches import Batch

        return Batch(self, concurrency, progress, options).in_threads(calls)

    def amap(
        self,
        calls: Iterable[ToCall] | AsyncIterable[ToCall],
        *,
        concurrency: int = 8,
        progress: Progress = None,
        **options: Unpack[CallOptions],
    ) -> AsyncGenerator[Outcome]:
        """Do the same as `map` on this event loop; `calls` may be asynchronous."""
        from pyfunctools.controller.batches import Batch

        return Batch(self, concurrency, progress, options).on_loop(calls)

    def tools(
        self,
        dialect: str = "openai",
        *,
        strict: bool | None = None,
        inline: bool | None = None,
        budget: int | None = None,
        search: bool = False,
        keep: Iterable[str] = (),
        bytes: int | None = None,  # noqa: A002 - the word a user reads
        cache: bool = False,
    ) -> Tools:
        """Return the functions as the list of tools that a vendor's API accepts.

        `dialect` is `"openai"`, `"openai-responses"`, `"anthropic"`, `"gemini"` or another row of
        `dialects.table`; `strict` and `inline` are as in `Function.render`. Descriptions are cut to
        fit `budget` tokens (as `report` estimates them) or `bytes`, which `Tools.losses` records.
        With `cache` the list is marked for the vendor's cache.

        With `search` the model finds functions when it needs them, by the tool search of OpenAI's
        Responses (from gpt-5.4 on) and of Anthropic, elsewhere as by `searchable`; `Tools.run`
        answers its searches. Functions to `keep` are in the list from the beginning.

        Raises:
            UnknownFunctionError: there is no function of a name in `keep`.
            DefinitionError: the dialect is unknown, the vendor does not accept so many functions,
                or the list is longer than the budget even with shortened descriptions.
        """
        from pyfunctools.controller.tool_list import largest_size
        from pyfunctools.controller.tools import Tools

        made, vendors, names = self._with_search(dialect, keep) if search else (self, None, ())
        size = largest_size(budget, bytes)
        return Tools(
            made, dialect, strict, inline=inline, size=size, cache=cache, search=vendors, keep=names
        )

    def response_format(self, kind: Any, dialect: str = "openai") -> ResponseFormat:
        """Return what asks a vendor for an answer of a type, and reads it.

        `**answer.request` goes to the vendor's client; `answer.read(response)` returns a `Success`
        with a value of the type, repaired as arguments are, or a `Failure` with its feedback.

        Raises:
            DefinitionError: the dialect is unknown, takes no schema of an answer, or cannot enforce
                that of the type.
        """
        from pyfunctools.controller.tools import ResponseFormat

        return ResponseFormat(kind, dialect)

    def prompt(self, *, compact: bool = False) -> RunnablePrompt:
        """Return a prompt for a model without function calling, which also runs the model's calls.

        `compact` is as in `prompt_of`, and `prompt.run(text)` is otherwise as `Tools.run`.
        """
        from pyfunctools.controller.turns import RunnablePrompt

        return RunnablePrompt(self, compact=compact)

    def _with_search(
        self, dialect: str, keep: Iterable[str]
    ) -> tuple[Controller, type[VendorSearch] | None, list[str]]:
        from pyfunctools.controller.searchable import LIMIT, SEARCHES, finder
        from pyfunctools.dialects.table import dialect_of

        vendors = SEARCHES.get(dialect_of(dialect).envelope)
        names = [self._entry(name)[0].name for name in listed("tools", "keep", keep)]
        if vendors is None:
            return self.searchable(keep=names), None, names
        find = finder(self.search, self.functions, LIMIT, names_only=True)
        return self._with([find, *self._entries.values()]), vendors, names

    def display_text(self, name: str, fallback: str = "Perform action") -> str:
        """Return the text to show to a person while the function runs."""
        return (self[name].display_text if name in self else None) or fallback

    def close(self) -> None:
        """Close the connections, loops and threads of the runners; later calls are errors."""
        with ExitStack() as closing:  # an error of one must not leave others open
            for runner in self._closing():
                closing.callback(runner.close)

    async def aclose(self) -> None:
        """Do the same as `close` without blocking the event loop."""
        async with AsyncExitStack() as closing:
            for runner in self._closing():
                closing.push_async_callback(runner.aclose)

    def __enter__(self) -> Self:
        self._is_closed = False
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    @classmethod
    def _of(cls, opened: Opened) -> Self:
        read, runner = opened
        return cls(
            [(function, runner) for function in read.functions],
            name=read.title,
            description=read.description,
            skipped=read.skipped,
        )

    def _with(self, entries: Iterable[tuple[Function, Runner]]) -> Controller:
        self._check_views()
        made = Controller(
            entries, name=self.name, description=self.description, skipped=self.skipped
        )
        made._tickets, made._is_closed = self._tickets, self._is_closed
        if [*map(id, made.functions)] == [*map(id, self.functions)]:
            made._index = self._index
        return made

    def _closing(self) -> list[Runner]:
        """Return the runners to close; every call is an error until the controller is entered."""
        self._is_closed = True
        whole: Controller = self if self._behind is None else self._behind.whole
        entries = (*self._entries.values(), *whole._entries.values())
        return list({id(runner): runner for _, runner in entries}.values())
