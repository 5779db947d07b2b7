"""Opens a source for a controller: its functions, each with its runner."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Unpack, cast

from pyfunctools._collector import collector_paused
from pyfunctools._json import JsonObject
from pyfunctools._lazy import Lazy
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.schema.separation.predicates import IsHuman, check_predicate
from pyfunctools.sources import ReadOptions

# Everything else is imported by the function that needs it: no source loads modules of another.
if TYPE_CHECKING:
    from os import PathLike

    from pyfunctools.execution.mcp import Accept, ToolProgress
    from pyfunctools.execution.person.tickets import Tickets
    from pyfunctools.execution.request.connection import Connection
    from pyfunctools.execution.runner import Preview, Run, Runner
    from pyfunctools.limits import Limits
    from pyfunctools.record.function import Function, Reading
    from pyfunctools.record.origin import RemoteTool
    from pyfunctools.record.outcome import Outcome
    from pyfunctools.route import Route
    from pyfunctools.sources.fastapi import FastApiSource

Opened: TypeAlias = "tuple[Reading, Runner]"
"""What was read from a source, and what runs its functions."""

Source: TypeAlias = "str | bytes | PathLike[str] | Mapping[str, Any]"
"""An OpenAPI document: a path, its text, its bytes, or the document as a mapping."""


class ApplicationSettings(ReadOptions, total=False):
    """The settings for an application in this process; see `Connection`.

    `server` is the address that the application sees as its own address, by default
    `http://localhost`. The path in it is put before every path, as behind a proxy.
    """

    limits: "Limits | None"
    server: str | None
    headers: Mapping[str, object] | Callable[..., object] | None
    auth: Mapping[str, object] | None
    expose_error_body: bool | Literal["4xx"]
    deep: bool
    idempotency_header: str | None


class LateRunner:
    """A runner that is made by the first call: what only calls need is imported then."""

    def __init__(self, make: "Callable[[], Runner]", limits: "Limits") -> None:
        self.limits = limits
        self._runner = Lazy(make)

    def run(self, run: "Run", /) -> "Awaitable[Outcome]":
        """Run the function."""
        return self._runner.value.run(run)

    @property
    def preview(self) -> "Preview | None":
        """The function that returns the request of a call."""
        return self._runner.value.preview

    @property
    def may_ask(self) -> "Callable[[Function], bool] | None":
        """The function that returns whether a call may ask a person in its middle."""
        return self._runner.value.may_ask

    def close(self) -> None:
        """Close the runner if it has been made."""
        if self._runner.made:
            self._runner.value.close()

    async def aclose(self) -> None:
        """Close the runner if it has been made."""
        if self._runner.made:
            await self._runner.value.aclose()


def entries_by_name(entries: object) -> "dict[str, tuple[Function, Runner]]":
    """Return the functions, each with its runner, by their names."""
    found = dict[str, "tuple[Function, Runner]"]()
    for entry in cast("Iterable[object]", entries if isinstance(entries, Iterable) else [entries]):
        if not isinstance(entry, tuple):
            reason = "It is made of pairs of a function and its runner."
            remedy = "Use `Controller.from_object`, `from_functions` or `from_openapi`."
            raise DefinitionError("Controller", reason, remedy)
        function, runner = cast("tuple[Function, Runner]", entry)
        if function.name in found:
            from pyfunctools.record.origin import origin_text

            one, other = (origin_text(f.origin) for f in (function, found[function.name][0]))
            raise DefinitionError(
                function.name,
                f"Two functions have this name: {one} and {other}.",
                "Rename one with `@function(name=...)`, or tell controllers apart with `prefixed`.",
            )
        found[function.name] = (function, runner)
    return found


def own_tickets() -> "Tickets":
    """Return tickets that are valid in this process only."""
    from pyfunctools.execution.person.tickets import Tickets

    return Tickets()


def open_object(
    source: object, every: bool, inherited: bool, is_human: IsHuman | None, limits: "Limits | None"
) -> Opened:
    """Return the content of `Controller.from_object`."""
    from pyfunctools.execution.local import LocalRunner
    from pyfunctools.limits import limits_of_methods
    from pyfunctools.sources.python.reader import read_object

    check_predicate(is_human)
    reading = read_object(source, all=every, inherited=inherited, is_human=is_human)
    return reading, LocalRunner(limits=limits_of_methods(limits))


def open_functions(
    functions: "Iterable[Callable[..., object] | Function]",
    name: str,
    description: str,
    is_human: IsHuman | None,
    limits: "Limits | None",
) -> Opened:
    """Return the content of `Controller.from_functions`."""
    from pyfunctools.execution.local import LocalRunner
    from pyfunctools.limits import limits_of_methods
    from pyfunctools.record.function import Function, Reading
    from pyfunctools.sources.python.reader import function_of

    check_predicate(is_human)
    if not isinstance(functions, Iterable) or isinstance(functions, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        remedy = "Write `Controller.from_functions([one, other])`; for an object, `from_object`."
        raise wrong_type("from_functions", "a list of functions", functions, remedy)
    runner = LocalRunner(limits=limits_of_methods(limits))
    made = [
        item if isinstance(item, Function) else function_of(item, is_human=is_human)
        for item in functions
    ]
    return Reading(functions=made, title=name, description=description), runner


@collector_paused()
def open_document(
    source: Source,
    reading: ReadOptions,
    resolver: Callable[[str], JsonObject | str | bytes] | None,
    limits: "Limits | None",
    **connection: "Unpack[Connection]",
) -> Opened:
    """Return the content of `Controller.from_openapi`."""
    from dataclasses import replace

    from pyfunctools.execution.request import connection as known
    from pyfunctools.execution.request.credentials import check_schemes
    from pyfunctools.limits import checked_limits
    from pyfunctools.record.function import with_notes
    from pyfunctools.sources.openapi.reader import read_document

    check_predicate(reading.get("is_human"))
    known.check_settings(connection, known.Connection.__annotations__)
    if resolver is not None and not callable(resolver):
        remedy = "Write `resolver=files_under(folder)`, or a function of a reference."
        raise wrong_type("resolver", "a function", resolver, remedy)
    limits = checked_limits(limits)
    settings = known.ConnectionSettings(connection)
    connected, notes_on = settings.names, settings.destinations.notes

    def make_runner() -> "Runner":
        from pyfunctools.execution.http.runner import HttpRunner

        return HttpRunner(limits=limits, **settings.given)

    # A client is of a library that is loaded already: it is checked here.
    runner = LateRunner(make_runner, limits) if settings.client is None else make_runner()
    made = read_document(source, **reading, resolver=resolver, limits=limits, connected=connected)
    check_schemes(settings.auth, made.functions)
    routes = [cast("Route", each.origin) for each in made.functions]
    settings.destinations.check_variables(routes if connection.get("variables") else ())
    noted = [
        with_notes(each, notes) if (notes := notes_on(route)) else each
        for each, route in zip(made.functions, routes, strict=True)
    ]
    return replace(made, functions=noted), runner


@collector_paused()
def open_application(source: "FastApiSource", **settings: "Unpack[ApplicationSettings]") -> Opened:
    """Return the content of `Controller.from_fastapi`."""
    from pyfunctools.execution.asgi.application import ApplicationRunner
    from pyfunctools.execution.request.connection import check_settings, names_of_connection
    from pyfunctools.execution.request.credentials import check_schemes
    from pyfunctools.limits import checked_limits
    from pyfunctools.sources.fastapi import read_application

    check_predicate(settings.get("is_human"))
    check_settings(settings, ApplicationSettings.__annotations__)
    limits = checked_limits(settings.pop("limits", None))
    reading = {key: settings.pop(key) for key in ReadOptions.__annotations__ if key in settings}
    connection = cast("Connection", settings)
    connected = names_of_connection(connection)
    found = read_application(
        source, limits=limits, connected=connected, **cast("ReadOptions", reading)
    )
    runner = ApplicationRunner(
        found.application,
        name=found.name,
        root_path=found.root_path,
        other_route=found.routes.elsewhere,
        limits=limits,
        **connection,
    )
    check_schemes(connection.get("auth") or {}, found.reading.functions)
    return found.reading, runner


async def open_mcp(
    source: object,
    is_human: IsHuman | None,
    accept: "Accept | None",
    trust: "bool | Callable[[str], bool]",
    limits: "Limits | None",
    progress: "ToolProgress | None",
) -> Opened:
    """Return the content of `Controller.from_mcp`."""
    from dataclasses import replace

    from pyfunctools.execution.mcp import RemoteRunner, header_fault
    from pyfunctools.limits import checked_limits
    from pyfunctools.sources.mcp import function_of_tool, read_tools

    check_predicate(is_human)
    for name, given, remedy in (
        ("accept", accept, "the old `Function` and the new one"),
        ("progress", progress, "a function's name, what is done, the total and a message"),
    ):
        if given is not None and not callable(given):
            form = f"Write a function of {remedy}."
            raise wrong_type(f"from_mcp({name})", "a function", given, form)
    if not isinstance(trust, bool) and not callable(trust):  # pyright: ignore[reportUnnecessaryIsInstance]
        remedy = "Write `True`, or a function of a tool's name."
        raise wrong_type("from_mcp(trust)", "`True`, `False` or a function", trust, remedy)

    def judged(function: "Function") -> "Function":
        """Return a function without the server's own hints, unless the tool is trusted."""
        origin = cast("RemoteTool", function.origin)
        if trust is True or (callable(trust) and trust(origin.name) is True):
            return function
        bare = replace(origin, extras={})
        return replace(function, read_only=None, destructive=True, idempotent=None, origin=bare)

    def reread_tool(tool: JsonObject, known: "Function") -> "Function":
        server = cast("RemoteTool", known.origin).server
        return judged(function_of_tool(tool, known.name, server, is_human))

    runner = RemoteRunner(source, checked_limits(limits), progress, reread_tool, accept)
    listed = await runner.open()
    found = read_tools(listed, server=runner.name, is_human=is_human, fault=header_fault)
    functions = [*map(judged, found.functions)]
    read = replace(found, functions=functions, title=runner.name, description=runner.instructions)
    return read, runner
