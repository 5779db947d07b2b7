"""`Controller`: functions, and what runs them, under one name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from typing import TYPE_CHECKING, Literal, Self, Unpack

from pyfunctools._json import JsonObject
from pyfunctools._text import quantity
from pyfunctools.controller.calling import Calling
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.schema.separation.predicates import IsHuman, is_human_by_default

# Everything else is imported by the method that needs it: importing `Controller` and decorating a
# class load neither the engine nor pydantic.

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from mcp import Client, ClientSession

    from pyfunctools.controller.opening import (
        Application,
        ApplicationSettings,
        Source,
        SourceContent,
    )
    from pyfunctools.controller.prompted import RunnablePrompt
    from pyfunctools.controller.report import Report
    from pyfunctools.controller.tools import Tools
    from pyfunctools.execution.configured import Fixed
    from pyfunctools.execution.mcp import Accept
    from pyfunctools.execution.person.approval import PendingCall
    from pyfunctools.execution.person.tickets import Tickets
    from pyfunctools.execution.request.connection import Connection
    from pyfunctools.execution.runner import Runner
    from pyfunctools.limits import Limits
    from pyfunctools.record.call import Call
    from pyfunctools.record.function import Function, Skipped
    from pyfunctools.route import Route


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
        from pyfunctools._lazy import Lazy
        from pyfunctools.controller.opening import checked_entries

        self.name = name
        self.description = description
        self.skipped = tuple(skipped)
        self._entries: dict[str, tuple[Function, Runner]] = {}
        for function, runner in checked_entries(entries):
            if function.name in self._entries:
                raise _collision(function, self._entries[function.name][0])
            self._entries[function.name] = (function, runner)
        self.functions = tuple(function for function, _ in self._entries.values())
        self._tickets = Lazy(_own_tickets)

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
        from pyfunctools.controller.opening import open_object

        return cls._of(
            open_object(source, all=all, inherited=inherited, is_human=is_human, limits=limits)
        )

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
        from pyfunctools.controller.opening import open_functions

        return cls._of(
            open_functions(
                functions, name=name, description=description, is_human=is_human, limits=limits
            )
        )

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
            DefinitionError: a setting is invalid.
        """
        from pyfunctools.controller.opening import open_document

        opened = open_document(
            source,
            is_human=is_human,
            names=names,
            describe=describe,
            on_skip=on_skip,
            resolver=resolver,
            limits=limits,
            **connection,
        )
        return cls._of(opened)

    @classmethod
    def from_fastapi(cls, source: Application, **settings: Unpack[ApplicationSettings]) -> Self:
        """Return a controller of a FastAPI application, of an `APIRouter`, or of routes.

        The operations are those of the application's own document; routes that are not in it
        (hidden ones, websockets, mounts) are in `skipped`. A call goes through the whole
        application, in this process, on one event loop of the controller: the application starts
        before the first call, and `close` shuts it down. For a router or for routes, an application
        without middleware is made. The settings are those of `from_openapi` that apply here;
        `server` is the address that the application sees as its own address.

        Raises:
            DocumentError: the document cannot be made or read, or with `on_skip="raise"` an
                operation is skipped.
            DefinitionError: FastAPI is not installed, or the source or a setting is invalid.
        """
        from pyfunctools.controller.opening import open_application

        return cls._of(open_application(source, **settings))

    @classmethod
    async def from_mcp(
        cls,
        source: Client | ClientSession,
        *,
        is_human: IsHuman | None = is_human_by_default,
        accept: Accept | None = None,
        limits: Limits | None = None,
    ) -> Self:
        """Return a controller of the tools of an MCP server, over the official SDK.

        `source` is a `Client`, or an open `ClientSession`. A client that is not open is opened, and
        closed by `aclose`. Names that vendors reject are changed; tools that cannot be read are in
        `skipped`. The value of a result is validated with the tool's output schema; its text is
        kept even if the value is invalid. A tool whose description or schema has changed since it
        was read is not called, unless `accept`, a function of the old and the new `Function`,
        returns true. To find changes, the list is read again before a call when its `ttlMs` is
        over. All calls use the event loop on which this method ran, also calls from other threads.

        Raises:
            DefinitionError: the SDK is not installed, or a setting is invalid.
            DocumentError: the server cannot be reached, or its list has no end.
        """
        from pyfunctools.controller.opening import open_mcp

        opened = await open_mcp(source, is_human=is_human, accept=accept, limits=limits)
        return cls._of(opened)

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
        from pyfunctools.controller.selection import selected_names

        kept = selected_names(
            self.functions,
            tags=tags,
            names=names,
            paths=paths,
            methods=methods,
            where=where,
            allow_empty=allow_empty,
        )
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
        executor: Executor | None = None,
    ) -> Controller:
        """Return a controller of the same functions with other settings; `None` changes nothing.

        `tickets` decides how tickets are signed, how long they are valid, and where used ones are
        stored. By default tickets are valid in this process only.

        With `confirm` more calls wait for `approve`: all (`True`), those of `destructive`
        functions, or those for which a function of the `PendingCall`, with the merged arguments,
        returns true. Functions that were declared with `confirm` still wait.

        `fixed` has values that the program gives, by path (`{"$input.header.token": value}`, where
        a value may be a function of the context). It may also be a function of the `Function` and
        the context that returns such a mapping; it is called once with the context `None`, for the
        paths. A fixed property is in no schema and no question, and only the program's value is
        used. A function without a property at the path does not change.

        `texts` replaces the texts that a person reads in `Question.label`, `help` and `problem`,
        for example by another language. Its keys are those of `schema.feedback.plain_words.TEXTS`.

        `executor` runs the synchronous functions of this process, for `call` and `acall`: a pool
        of processes for heavy computation, for example. Arguments and results must then be
        picklable. The caller shuts it down.

        Raises:
            DefinitionError: a setting is invalid, no function has a property at a path of `fixed`,
                a key of `texts` is unknown, or with an `executor` no function runs in this process.
        """
        from pyfunctools._lazy import Lazy
        from pyfunctools.controller.opening import check_tickets
        from pyfunctools.controller.settings import configured_entries

        check_tickets(tickets)
        entries = self._entries.values()
        configured = self._with(
            configured_entries(
                entries, confirm=confirm, fixed=fixed, texts=texts, executor=executor
            )
        )
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
        from pyfunctools.controller.selection import with_handlers

        return self._with(with_handlers(self._entries, handlers))

    @classmethod
    def combine(cls, *controllers: Controller, name: str = "", description: str = "") -> Self:
        """Return a controller of the functions of several controllers, in their order.

        It has the `tickets` of the first controller.

        Raises:
            DefinitionError: two functions have the same name (`prefixed` changes names), or an
                argument is not a controller.
        """
        for each in controllers:
            if not isinstance(each, Controller):  # pyright: ignore[reportUnnecessaryIsInstance]
                remedy = "Write `Controller.combine(one, other)`."
                raise wrong_type("combine", "a `Controller`", each, remedy)
        made = cls(
            (entry for controller in controllers for entry in controller._entries.values()),
            name=name or " + ".join(filter(None, (each.name for each in controllers))),
            description=description,
            skipped=[item for controller in controllers for item in controller.skipped],
        )
        if controllers:
            made._tickets = controllers[0]._tickets
        return made

    def report(self) -> Report:
        """Return a report: the functions, the skipped ones by reason, and the size for a model."""
        from pyfunctools.controller.report import report_of

        return report_of(self.functions, self.skipped)

    def tools(
        self,
        dialect: str = "openai",
        *,
        strict: bool | None = None,
        inline: bool | None = None,
        budget: int | None = None,
    ) -> Tools:
        """Return the functions as the list of tools that a vendor's API accepts.

        `dialect` is `"openai"`, `"openai-responses"`, `"anthropic"`, `"gemini"` or another row of
        `dialects.table`; `strict` and `inline` are as in `Function.render`. If the list is longer
        than `budget` bytes, descriptions are shortened, which `Tools.losses` records.

        Raises:
            DefinitionError: the dialect is unknown, the vendor does not accept so many functions,
                or the list is longer than the budget even with shortened descriptions.
        """
        from pyfunctools.controller.tools import Tools

        return Tools(self, dialect, strict=strict, inline=inline, budget=budget)

    def prompt(self, *, compact: bool = False, must_call: bool = False) -> RunnablePrompt:
        """Return a prompt for a model without function calling, which also runs the model's calls.

        `prompt.system`, `prompt.response_schema` and the options are as in `prompt_of`;
        `prompt.run` takes the text of a response, and is otherwise as `Tools.run`.

        Raises:
            DefinitionError: there is no function, and the model `must_call`.
        """
        from pyfunctools.controller.prompted import RunnablePrompt

        return RunnablePrompt(self, compact=compact, must_call=must_call)

    def parse_calls(self, raw: object, *, repeated: Literal["drop", "keep"] = "drop") -> list[Call]:
        """Return the calls of these functions in a model's text; see `pyfunctools.parse_calls`.

        Pass each of them to `call`; those that could not be parsed become error outcomes.

        Raises:
            DocumentError: `raw` is not a text or a response of a known SDK.
        """
        from pyfunctools.prompting.calls.calls import parse_calls

        return parse_calls(raw, self.functions, repeated=repeated)

    def display_text(self, name: str, fallback: str = "Perform action") -> str:
        """Return the text to show to a person while the function runs."""
        return (self[name].display_text if name in self else None) or fallback

    def close(self) -> None:
        """Close the connections, loops and threads that the runners have opened."""
        with ExitStack() as closing:  # an error of one must not leave others open
            for runner in self._runners():
                closing.callback(runner.close)

    async def aclose(self) -> None:
        """Close the connections, loops and threads that the runners have opened."""
        async with AsyncExitStack() as closing:
            for runner in self._runners():
                closing.push_async_callback(runner.aclose)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    @classmethod
    def _of(cls, opened: SourceContent) -> Self:
        return cls(
            opened.entries,
            name=opened.name,
            description=opened.description,
            skipped=opened.skipped,
        )

    def _with(self, entries: Iterable[tuple[Function, Runner]]) -> Controller:
        made = Controller(
            entries, name=self.name, description=self.description, skipped=self.skipped
        )
        made._tickets = self._tickets
        return made

    def _runners(self) -> list[Runner]:
        bare = (getattr(runner, "bare", runner) for _, runner in self._entries.values())
        return list({id(runner): runner for runner in bare}.values())


def _own_tickets() -> Tickets:
    from pyfunctools.execution.person.tickets import Tickets

    return Tickets()


def _collision(one: Function, other: Function) -> DefinitionError:
    from pyfunctools.record.origin import origin_text

    return DefinitionError(
        one.name,
        f"Two functions have this name: {origin_text(one.origin)} and {origin_text(other.origin)}.",
        "Rename one with `@function(name=...)`, or tell controllers apart with `prefixed`.",
    )
