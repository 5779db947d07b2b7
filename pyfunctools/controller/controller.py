"""`Controller`: functions and what runs them, under one name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from typing import TYPE_CHECKING, Literal, Self, Unpack

from pyfunctools._json import JsonObject
from pyfunctools._text import quantity
from pyfunctools.controller.calling import Calling
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.schema.separation.predicates import IsHuman, is_human_by_default

# Everything else is imported by the method that needs it: to import a controller and to decorate a
# class loads neither the engine nor pydantic.

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from types import TracebackType

    from mcp import Client, ClientSession

    from pyfunctools.controller.opening import Application, ApplicationSettings, Opened, Source
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
    """Functions and what runs them, under one name.

    Made by `from_object`, `from_functions`, `from_openapi` or `from_fastapi`. `controller["name"]`
    is a function, `"name" in controller` says whether there is one, and iterating gives the
    functions in their order. It is a context manager, synchronous and asynchronous: `close` gives
    back what its runners hold. It may be used from many threads and event loops.
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
            DefinitionError: two functions have one name, or these are no such pairs.
        """
        from pyfunctools._lazy import Lazy
        from pyfunctools.controller.opening import pairs_of

        self.name = name
        self.description = description
        self.skipped = tuple(skipped)
        self._entries: dict[str, tuple[Function, Runner]] = {}
        for function, runner in pairs_of(entries):
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

        With `all=True` of the public methods that its class itself defines; with `inherited=True`
        those of its base classes too. What is marked and never exposed (a private name, a
        property) is in `skipped`. The class docstring becomes the description.

        Raises:
            DefinitionError: nothing is exposed, or a method cannot become a function.
        """
        from pyfunctools.controller.opening import open_object

        opened = open_object(source, all=all, inherited=inherited, is_human=is_human, limits=limits)
        return cls._of(opened)

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
            DefinitionError: one cannot become a function, or two have one name.
        """
        from pyfunctools.controller.opening import open_functions

        opened = open_functions(
            functions, name=name, description=description, is_human=is_human, limits=limits
        )
        return cls._of(opened)

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

        `source` is a path, the text or bytes (JSON or YAML), or the document as a mapping. What
        cannot be called is in `skipped`. The requests go to `server=` with `headers=` and `auth=`;
        see `Connection` for these and the other settings. `resolver` gives what an external `$ref`
        names; without one nothing outside the document is read.

        Raises:
            DocumentError: the document cannot be read, or with `on_skip="raise"` not all of it.
            DefinitionError: a setting is none of those it may be.
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

        The operations are those of the application's own document; what that leaves out (hidden
        routes, websockets, mounts) is in `skipped`. A call goes through all of the application, in
        this process, on one event loop that the controller keeps for it: the application starts
        before the first call, and `close` shuts it down. A router and routes get an application of
        their own, without middleware. The settings are those of `from_openapi` that make sense
        here; `server` is what the application is told of its own address.

        Raises:
            DocumentError: the document cannot be made or read, or `on_skip="raise"` refuses it.
            DefinitionError: FastAPI is not installed, or the source or a setting is none.
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

        `source` is a `Client`, or a `ClientSession` that is open. A client that is not open is
        opened, and closed by `aclose`. Names that vendors refuse are changed; what cannot be read
        is in `skipped`. A result keeps its text whatever else is wrong with it, and its value is
        checked by what the tool promises. A tool that says something else of itself than when it
        was read is not called, unless `accept`, a function of both, returns true; so the list is
        read again before a call, for as long as the server does not say that it stays as it is.
        Calls go over the event loop on which this ran, also those of other threads.

        Raises:
            DefinitionError: the SDK is not installed, or a setting is none of these.
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
        """Return a controller of those functions for which everything that is asked holds.

        `tags` asks for one of these tags; `names` and `paths` for one of these patterns (`*` and
        `?` as in file names, case told apart) and `methods` for one of these HTTP methods; a text
        is one of them. What has no path, having come from no document, has none of the paths and
        methods. Runners are shared with this controller.

        Raises:
            DefinitionError: what is asked for is no text, or `where` is no predicate. Or without
                `allow_empty` a tag, a pattern or all methods match none of the functions; the error
                names what is close.
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
            DefinitionError: a name would be one that vendors refuse, for its length for instance.
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
        """Return a controller of the same functions with other settings; `None` leaves one as it
        is.

        `tickets` says how tickets are signed, for how long, and who remembers the used ones. By
        default they end with this process.
        `confirm` has more calls wait for `approve`: all (`True`), those of functions that are
        `destructive`, or those of which a function of the `PendingCall`, its arguments whole, says
        so. What is marked `confirm` stays so.

        `fixed` are values that are the program's, by path (`{"$input.header.token": value}`, a
        value or a function of the context), or a function of the `Function` and the context that
        returns such a mapping; it is asked once with the context `None` for the paths. They are
        in nobody's schema and in no question, taken from nobody, and put in last. Functions
        without the path are left as they are.

        `texts` are your own words for a person, in their language say, by the keys of
        `schema.feedback.plain_words.TEXTS`: they stand in `Question.label`, `help` and `problem`.

        `executor` runs the synchronous functions of this process, under `call` and `acall`: a pool
        of processes for what computes, say. What goes to another process and what comes back has
        to be picklable. It is yours to shut down.

        Raises:
            DefinitionError: one of these is none of what it may be, no function has a path of
                `fixed` or runs in this process, or there is no text of a key.
        """
        from pyfunctools._lazy import Lazy
        from pyfunctools.controller.opening import check_tickets
        from pyfunctools.controller.settings import Settings

        check_tickets(tickets)
        entries = self._entries.values()
        settings = Settings.of(
            entries, confirm=confirm, fixed=fixed, texts=texts, executor=executor
        )
        made = self._with(settings.entry(*entry) for entry in entries)
        made._tickets = self._tickets if tickets is None else Lazy.of(tickets)
        return made

    def replaced(self, handlers: Mapping[str, object]) -> Controller:
        """Return a controller of the same functions in which some are run by something else.

        For tests: schemas, checks, the person's part and the rest stay as they are. What stands
        under a function's name is a callable, which gets what the method would (for an operation
        its arguments by keyword); any other value is returned, and an exception raised.

        Raises:
            UnknownFunctionError: there is no function of a name.
            DefinitionError: `handlers` is no mapping.
        """
        from pyfunctools.controller.selection import replaced

        return self._with(replaced(self._entries, handlers))

    @classmethod
    def combine(cls, *controllers: Controller, name: str = "", description: str = "") -> Self:
        """Return one controller of the functions of several, in their order.

        Its tickets are the first one's.

        Raises:
            DefinitionError: two of them have a function of one name; `prefixed` tells them apart.
                Or one is not a controller.
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
        """Return a report: the functions, what was skipped and why, and the size for a model."""
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
        """Return the functions as the list of tools that a vendor's interface takes.

        `dialect` is `"openai"`, `"openai-responses"`, `"anthropic"`, `"gemini"` or another row of
        `dialects.table`; `strict` and `inline` are as in `Function.render`. Where the list is
        longer than `budget` bytes, descriptions are shortened, and `Tools.losses` says whose.

        Raises:
            DefinitionError: there is no such dialect, there are more functions than the vendor
                takes, or they are longer than the budget even with shortened descriptions.
        """
        from pyfunctools.controller.tools import Tools

        return Tools(self, dialect, strict=strict, inline=inline, budget=budget)

    def prompt(self, *, compact: bool = False, must_call: bool = False) -> RunnablePrompt:
        """Return the prompt for a model without function calling; it runs the model's answers, too.

        `prompt.system` and `prompt.response_schema` are as in `prompt_of`, with its options;
        `prompt.run(text)` is to an answer what `Tools.run` is to a response.

        Raises:
            DefinitionError: there is no function, and the model `must_call`.
        """
        from pyfunctools.controller.prompted import runnable_prompt

        return runnable_prompt(self, compact=compact, must_call=must_call)

    def parse_calls(self, raw: object, *, repeated: Literal["drop", "keep"] = "drop") -> list[Call]:
        """Return the calls of these functions in what a model wrote; see `pyfunctools.parse_calls`.

        Each goes to `call` as it is; one that could not be read stays an error.

        Raises:
            DocumentError: `raw` is nothing that a model or an SDK gives.
        """
        from pyfunctools.prompting.calls.calls import parse_calls

        return parse_calls(raw, self.functions, repeated=repeated)

    def display_text(self, name: str, fallback: str = "Perform action") -> str:
        """Return the text that a person is shown while the function runs."""
        return (self[name].display_text if name in self else None) or fallback

    def close(self) -> None:
        """Close the clients, loops and threads of the runners' own."""
        with ExitStack() as closing:  # one that fails keeps no other open
            for runner in self._runners():
                closing.callback(runner.close)

    async def aclose(self) -> None:
        """Close the clients, loops and threads of the runners' own."""
        async with AsyncExitStack() as closing:
            for runner in self._runners():
                closing.push_async_callback(runner.aclose)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    @classmethod
    def _of(cls, opened: Opened) -> Self:
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
