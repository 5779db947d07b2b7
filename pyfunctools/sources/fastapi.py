"""A FastAPI application, a router or routes: its functions, and the paths outside its document.

FastAPI is imported only when an application is read.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, Unpack, cast

from pyfunctools._json import JsonObject, members_of
from pyfunctools._text import visible
from pyfunctools.errors import DocumentError, missing_extra, wrong_type
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.record.function import Reading, Skipped
from pyfunctools.route import NO_NAMES, ConnectionNames
from pyfunctools.sources import ReadOptions
from pyfunctools.sources.openapi.reader import read_document

if TYPE_CHECKING:
    from fastapi import APIRouter, FastAPI
    from starlette.routing import BaseRoute

    FastApiSource: TypeAlias = FastAPI | APIRouter | Iterable[BaseRoute]


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """An application, the functions of its document, and everything that was skipped.

    `name` is its name in errors; `root_path` is the prefix of every path that it is called by.
    """

    application: "FastAPI"
    reading: Reading
    routes: "RouteTable"
    name: str
    root_path: str


def read_application(
    source: "FastApiSource",
    *,
    limits: Limits = DEFAULT_LIMITS,
    connected: ConnectionNames = NO_NAMES,
    **options: Unpack[ReadOptions],
) -> Application:
    """Return the functions of a FastAPI application, of an `APIRouter`, or of routes.

    A router, or routes, are put into a new application, without the middleware, exception handlers
    and state of their own application. Paths that are not in the document
    (`include_in_schema=False`, websockets, mounted applications, routes of Starlette) are in
    `skipped`, even with `on_skip="raise"`, which applies only to operations.

    Raises:
        DefinitionError: FastAPI is not installed, or the source has another type.
        DocumentError: the application cannot create its document, or the document cannot be read.
    """
    application, name = _application_of(source)
    from pyfunctools.sources.endpoints import Endpoints  # imports pydantic

    endpoints = Endpoints(_walked(application.routes))
    document = _document_of(application, name)
    if isinstance(document, dict):  # pyright: ignore - an own `openapi`
        has_humans = options.get("is_human", True) is not None
        document = endpoints.written_into(document, has_humans=has_humans)
    reading = read_document(document, limits=limits, connected=connected, hinted=True, **options)
    places = tuple(_places(application.routes))
    reading = replace(
        reading,
        functions=tuple(endpoints.with_settings(reading.functions)),
        skipped=(*reading.skipped, *_outside_document(places, document)),
    )
    path = str(getattr(application, "root_path", ""))
    return Application(
        application=application,
        reading=reading,
        routes=RouteTable(places),
        name=name,
        root_path=path.rstrip("/") if path.startswith("/") else "",  # no other prefix matches
    )


class ServedPath(NamedTuple):
    """One route of an application: its template, its pattern and its methods (empty for any)."""

    kind: str
    template: str
    pattern: "re.Pattern[str] | None"
    methods: frozenset[str]
    is_shown: bool


class RouteTable:
    """The routes of an application, in their order."""

    def __init__(self, places: Sequence[ServedPath]) -> None:
        self._places = [place for place in places if place.kind != "websocket"]
        self._templates = {_shape(place.template) for place in self._places}

    def elsewhere(self, method: str, template: str, path: str) -> str | None:
        """Return the other route that would answer a path made of this template: `GET /teas/{id}`.

        `None` if the route of this template answers, if no route does, or if the application does
        not have this template because its document was rewritten.
        """
        shape = _shape(template)
        for place in self._places if shape in self._templates else ():
            is_for_method = not place.methods or method in place.methods
            if is_for_method and place.pattern is not None and place.pattern.match(path):
                is_own = _shape(place.template) == shape
                return None if is_own else f"{method} {visible(place.template)}"
        return None


def _application_of(source: object) -> "tuple[FastAPI, str]":
    try:
        from fastapi import APIRouter, FastAPI
        from starlette.routing import BaseRoute
    except ImportError as error:
        raise missing_extra("from_fastapi", "FastAPI", "fastapi", "fastapi", error) from None

    if isinstance(source, FastAPI):
        return source, visible(source.title) or "the application"
    if isinstance(source, APIRouter):
        own = FastAPI(title="router", openapi_url=None)
        own.include_router(source)
        return own, "the router"
    own = FastAPI(title="routes", openapi_url=None)
    given = list(cast("Iterable[object]", source)) if isinstance(source, Iterable) else [source]
    for route in given:
        if not isinstance(route, BaseRoute):
            remedy = "Pass the `FastAPI` object itself, an `APIRouter`, or `app.routes`."
            wanted = "a FastAPI application, a router or routes"
            raise wrong_type("from_fastapi", wanted, route, remedy)
        own.router.routes.append(route)
    return own, "the routes"


def _document_of(application: "FastAPI", name: str) -> JsonObject:
    try:
        return application.openapi()
    except Exception as error:  # models, routes and a custom `openapi` are the user's code
        reason = f"The application cannot create its document: {type(error).__name__}: {error}"
        remedy = "`app.openapi()` has to return it."
        raise DocumentError(name, reason, remedy=remedy) from error


def _walked(routes: "Sequence[BaseRoute]") -> Iterable[Any]:
    from fastapi import routing

    # From 0.13x on an included router stays a branch of the routes.
    walk = cast("Callable[..., Iterable[Any]]", getattr(routing, "iter_route_contexts", list))
    return walk(routes)


def _places(routes: "Sequence[BaseRoute]") -> Iterator[ServedPath]:
    from fastapi import routing
    from starlette.routing import Host, Mount, WebSocketRoute

    kinds = {routing.APIRoute: "operation", WebSocketRoute: "websocket", Mount | Host: "mount"}
    for route in _walked(routes):
        original = getattr(route, "original_route", route)
        template = getattr(route, "path_format", None) or getattr(route, "path", None)
        yield ServedPath(
            kind=next((kinds[each] for each in kinds if isinstance(original, each)), "route"),
            template=template or getattr(route, "host", ""),
            pattern=getattr(route, "path_regex", None),
            methods=frozenset(getattr(route, "methods", None) or ()),
            is_shown=getattr(route, "include_in_schema", True) is True,
        )


def _outside_document(places: Iterable[ServedPath], document: JsonObject) -> Iterator[Skipped]:
    """Yield the paths that the application serves and its document does not describe."""
    for place in places:
        path, kind = visible(place.template), place.kind
        described = members_of(members_of(document.get("paths")).get(place.template))
        missing = sorted(place.methods - {key.upper() for key in described})
        if kind == "route":
            missing = [each for each in missing if place.is_shown and each != "HEAD"]
        elif kind == "operation" and not place.is_shown:
            kind = "hidden"
        wheres = [f"{method} {path}" for method in missing]
        if kind in ("mount", "websocket"):
            wheres = [path or "/" if kind == "mount" else f"websocket {path}"]
        yield from (Skipped(where=where, reason=_REASONS[kind]) for where in wheres)


_REASONS = {
    "hidden": "The application hides it (`include_in_schema=False`).",
    "mount": "A mounted application has its own document, if any: read it separately.",
    "operation": "The application's document leaves it out.",
    "route": "A route of Starlette does not declare its parameters.",
    "websocket": "A websocket has no response to a call.",
}


def _shape(template: str) -> str:
    return re.sub(r"\{[^{}]*\}", "{}", template)
