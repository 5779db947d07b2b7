"""A controller as an MCP server, on the official SDK.

It supports both revisions of the protocol. If a person has to give values or approve a call, they
are asked through the client (see `elicitation`), and the call continues with its ticket.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from json import dumps, loads
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypedDict, Unpack
from weakref import WeakSet

from pyfunctools.controller import Controller
from pyfunctools.envelopes.mcp import MODERN, ToolOutput, output_of, result_of, tool_of
from pyfunctools.errors import DefinitionError, UnknownFunctionError, missing_extra, wrong_type
from pyfunctools.execution.person.approval import Approval
from pyfunctools.execution.person.ticket_use import TicketUse
from pyfunctools.execution.person.tickets import Ticket, Tickets
from pyfunctools.execution.request.destination import is_loopback
from pyfunctools.execution.steps import awaited, nothing_ran
from pyfunctools.record.function import Function, handler_of
from pyfunctools.record.outcome import Outcome, Waiting

try:
    from mcp.server import Server, ServerRequestContext
    from mcp.server.auth.middleware.auth_context import get_access_token
    from mcp.server.auth.provider import AccessToken
    from mcp.server.auth.settings import AuthSettings
    from mcp.server.connection import Connection
    from mcp.server.lowlevel.server import NotificationOptions
    from mcp.server.models import InitializationOptions
    from mcp.server.request_state import (
        RequestStateBoundary,
        RequestStateSecurity,
        authenticated_principal,
    )
    from mcp.server.stdio import stdio_server
    from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
    from mcp.shared.exceptions import MCPError
    from mcp_types import INVALID_PARAMS, CallToolRequestParams, PaginatedRequestParams
    from starlette.applications import Starlette

    from pyfunctools.integrations.elicitation import (
        FormAnswer,
        answer_of,
        elicitation_form,
        message_of,
        modes_of,
        refusal_of,
        values_by_path,
    )
    from pyfunctools.integrations.listening import CONNECTIONS, serve_app
except ImportError as error:
    package = "The official SDK of MCP, version 2,"
    raise missing_extra(__name__, package, "mcp", "mcp", error) from None

McpRequest: TypeAlias = ServerRequestContext[Any, Any]
"""The SDK's context of a request: `request.request` is the HTTP request, `request.session` reports
progress."""

Check: TypeAlias = Callable[[str], str | Awaitable[str | None] | None]
"""A function that returns the owner of a bearer token, `None` if the token is invalid."""

PAGE: Final = 500
"""Tools on one page of the list. Many clients read only the first page."""

Transport: TypeAlias = Literal["stdio", "http"]

_PATIENCE: Final = 2.0
"""Seconds in which a client of the older revision has to accept a notification."""

_HOLD: Final = 25.0
"""Seconds that a request waits for a person on a page; many clients give up after 60."""

_PERSON: Final = "person"
_TIMES: Final = 10
"""How many times a person is asked in one call."""
_ENDLESS: Final = "The person was asked several times without a valid answer."
_UNASKED_FIELD: Final = "The answer has a field which the form does not ask for. It was not used."

_LIFETIME: Final = 24 * 3600.0
"""Seconds until the state of a request expires; the ticket in it expires sooner."""


class ServerSettings(TypedDict, total=False):
    """The settings of a server; see `server`."""

    name: str | None
    version: str | None
    inline: bool | None
    keys: Sequence[str | bytes] | None
    url: Callable[[str], str] | None
    context: Callable[[McpRequest], object] | None
    auth: Check | None


class _Asked(NamedTuple):
    """The state of a call that waits for a person: how and how often they were asked.

    `fields` are those of the form; `call` is the id of a call in a program. Clients get it sealed
    by the SDK.
    """

    mode: str = ""
    times: int = 0
    ticket: str = ""
    fields: Sequence[str] = ()
    call: str = ""


def server(controller: Controller, **settings: Unpack[ServerSettings]) -> "FunctionServer":
    """Return a server of the official SDK whose tools are the functions of a controller.

    `name` is the server's name for clients, by default the controller's, and `version` the version
    of your program. `inline` replaces references by their definitions for every tool (`True`) or
    for no tool (`False`); by default where the schema becomes hardly longer. `keys` (32 bytes or
    more) protect the state of calls that wait for a person; several processes need the same keys,
    and without keys the state is invalid in any other process. `url` is a function of a ticket that
    returns the URL of your page, on which a person gives secrets and files: forms must not contain
    these. `context` is a function of the SDK's request context that returns the context of a call.
    `auth` is a function of a bearer token that returns its owner, who becomes the audience of
    tickets; HTTP requests without a valid token are refused.

    Raises:
        DefinitionError: a setting is invalid, or a function needs a context and there is no
            `context`.
    """
    return FunctionServer(controller, **settings)


class FunctionServer(Server[Any]):
    """A server of the official SDK whose tools are the functions of a controller.

    It runs as any server of the SDK: `run` on streams, `streamable_http_app` as an application.
    `controller` has the functions that it serves.
    """

    controller: Controller

    def __init__(self, controller: Controller, **settings: Unpack[ServerSettings]) -> None:
        """Make the server; see `server`."""
        _check(controller, settings)
        self._inline = settings.get("inline")
        self._url = settings.get("url")
        self._context = settings.get("context")
        self._auth = settings.get("auth")
        self._bus = InMemorySubscriptionBus()
        self._connected: WeakSet[Connection] = WeakSet()
        self._set(controller)
        name = settings.get("name") or controller.name or "pyfunctools"
        super().__init__(
            name,
            version=settings.get("version") or "",
            instructions=controller.description or None,
            on_subscriptions_listen=ListenHandler(self._bus),
        )
        self.add_request_handler("tools/list", PaginatedRequestParams, self._list)
        self.add_request_handler("tools/call", CallToolRequestParams, self._call)
        security = RequestStateSecurity.ephemeral(ttl=_LIFETIME)
        if keys := settings.get("keys"):
            security = RequestStateSecurity(keys=keys, ttl=_LIFETIME)
        self.middleware.append(RequestStateBoundary(security, default_audience=name))

    async def replace(self, controller: Controller) -> None:
        """Serve the functions of another controller from now on, and notify the clients."""
        _check(controller, {"context": self._context})
        self._set(controller)
        await self._bus.publish(ToolsListChanged())
        await asyncio.gather(*map(_tell_changed, self._connected))

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *rest: Any, **more: Any
    ) -> InitializationOptions:
        """Return the SDK's options, which declare that the list of tools may change."""
        options = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(options, *rest, **more)

    def streamable_http_app(self, **settings: Any) -> Starlette:
        """Return the ASGI application of the SDK, with the check of `auth`; see `Server`."""
        if self._auth is not None and "token_verifier" not in settings:
            # Required by the SDK, but not shown to clients: no authorization server exists.
            own = AuthSettings.model_validate(
                {"issuer_url": "http://localhost", "resource_server_url": None}
            )
            settings = {**settings, "auth": own, "token_verifier": _Verifier(self._auth)}
        return super().streamable_http_app(**settings)

    def _set(self, controller: Controller) -> None:
        self.controller = controller
        self._tickets: Tickets = controller._tickets.value  # pyright: ignore[reportPrivateUsage]
        inline = self._inline

        @cache
        def output(name: str, modern: bool) -> ToolOutput | None:
            return output_of(controller[name], modern=modern, inline=inline)

        @cache
        def page(start: int, modern: bool) -> list[dict[str, Any]]:
            functions = controller.functions[start : start + PAGE]
            return [tool_of(f, output(f.name, modern), inline=inline) for f in functions]

        self._output, self._page = output, page

    async def _list(self, request: McpRequest, params: PaginatedRequestParams) -> dict[str, Any]:
        """Return one page of the functions, in the controller's order."""
        count = len(self.controller)  # `replace` may come in between
        starts = {None: 0, **{str(n): n for n in range(PAGE, count, PAGE)}}
        if params.cursor not in starts:
            raise MCPError(INVALID_PARAMS, "This is not a cursor of the list.")
        start, modern = starts[params.cursor], request.protocol_version >= MODERN
        if not modern:
            self._connected.add(request.session._connection)  # pyright: ignore[reportPrivateUsage]
        # In a thread: making schemas may take seconds.
        listed: dict[str, Any] = {"tools": await asyncio.to_thread(self._page, start, modern)}
        if start + PAGE < count:
            listed["nextCursor"] = str(start + PAGE)
        if modern:
            listed |= {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        return listed

    async def _call(self, request: McpRequest, params: CallToolRequestParams) -> dict[str, Any]:
        """Return the result of a call, or the request for a person's values or approval."""
        controller, output = self.controller, self._output
        modern, name, state = request.protocol_version >= MODERN, params.name, params.request_state
        arguments = params.arguments
        answer = answer_of((params.input_responses or {}).get(_PERSON))
        try:
            function = controller[name]
        except UnknownFunctionError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from None
        options = await self._options(request)
        session, related = request.session, request.request_id
        del params, request  # no traceback with locals may show the person's answers in them
        asked = _Asked()
        with suppress(ValueError, TypeError):  # an earlier version's state has no valid ticket
            asked = _Asked(*loads(state or "[]"))
        if state is None:
            outcome = await controller.acall(name, arguments, **options)
        else:
            outcome = await self._answered(asked, answer, options, _HOLD)
        while outcome is not None and (waiting := outcome.waiting) is not None:
            elicitation = self._elicitation(function, waiting, session, modern, asked.times + 1)
            if isinstance(elicitation, str):
                outcome = replace(outcome, text=elicitation, waiting=None)
            elif asked.times == _TIMES:
                outcome = await self._declined(elicitation[0], options, _ENDLESS)
            elif modern:
                question = {"method": "elicitation/create", "params": elicitation[1]}
                return _input_required(dumps(elicitation[0]), {_PERSON: question})
            else:
                asked, elicited = elicitation
                answer = await _elicited(session, related, elicited)
                outcome = await self._answered(asked, answer, options, _LIFETIME)
        if outcome is None:  # the person has not finished on the page yet
            return _input_required(state or "")
        return result_of(outcome, output(function.name, modern), modern=modern)

    async def _options(self, request: McpRequest) -> dict[str, Any]:
        """Return the context and the audience of a call."""
        context = None if self._context is None else await awaited(self._context(request), "")
        token = None if self._auth is None else get_access_token()
        owner = authenticated_principal(request) if token is None else token.client_id
        return {"context": context, "audience": owner}

    def _elicitation(
        self, function: Function, waiting: Waiting, session: Any, modern: bool, times: int
    ) -> tuple[_Asked, dict[str, Any]] | str:
        """Return the state and the parameters of the question to a person.

        If the client cannot ask, return the text of a refusal.
        """
        modes, inside = modes_of(session.client_capabilities), ""
        if waiting.pending:  # the calls of a program are asked for one after another
            inside = waiting.pending[0].call_id
            waiting = replace(waiting.pending[0], ticket=waiting.ticket)
        form = elicitation_form(waiting.questions, approves=waiting.approval)
        if waiting.ticket is not None and form is not None and "form" in modes:
            params = {"mode": "form", "message": message_of(function, waiting)}
            asked = _Asked("form", times, waiting.ticket, [*form["properties"]], inside)
            return asked, {**params, "requestedSchema": form}
        ticket, has_page = self._tickets.read(waiting.ticket), self._url is not None
        if self._url is None or "url" not in modes or not isinstance(ticket, Ticket):
            ran = self._nothing_ran(waiting.ticket)
            return refusal_of(waiting, modes, has_page=has_page, nothing_ran=ran)
        self._tickets.expect(ticket)  # before a program can have answered it
        url = self._url(ticket.text)
        if not isinstance(url, str) or not url.startswith(("https://", "http://")):  # pyright: ignore[reportUnnecessaryIsInstance]
            reason = f"It returned {url!r}, which is not a URL."
            raise DefinitionError("server(url)", reason, "Return one that begins with `https://`.")
        params = {"mode": "url", "message": message_of(function, waiting, on_page=True)}
        more = {} if modern else {"elicitationId": ticket.id}
        return _Asked("page", times, ticket.text), {**params, "url": url, **more}

    async def _answered(
        self, asked: _Asked, answer: FormAnswer, options: dict[str, Any], patience: float
    ) -> Outcome | None:
        """Return the outcome of a call after an answer, `None` if the call has not ended."""
        ticket = asked.ticket
        if answer is False:
            return await self._declined(asked, options)
        if asked.mode == "form" and answer is not None:  # accepting a form approves the call
            if not answer.keys() <= values_by_path(dict.fromkeys(asked.fields)).keys():
                return await self._declined(asked, options, _UNASKED_FIELD)
            if asked.call:
                given = {asked.call: Approval(human=answer or None)}
                return await self.controller.aresume(ticket, given, **options)
            return await self.controller.aresume(ticket, answer or None, approve=True, **options)
        read = self._tickets.read(ticket)
        if asked.mode != "page" or not isinstance(read, Ticket):
            return await self.controller.aresume(ticket, **options)
        return await TicketUse(self._tickets, read, awaits=True).outcome(patience)

    def _nothing_ran(self, ticket: str | None) -> str:
        read = self._tickets.read(ticket, also_expired=True)
        return nothing_ran(read.state if isinstance(read, Ticket) else {})

    async def _declined(self, asked: _Asked, options: dict[str, Any], text: str = "") -> Outcome:
        """Withdraw a ticket, and return the outcome; with `text` if it was not used before."""
        if asked.call:
            return await self.controller.aresume(asked.ticket, {asked.call: False}, **options)
        outcome = await self.controller.aresume(asked.ticket, approve=False, **options)
        if not text or outcome.reason != "denied":
            return outcome
        return replace(outcome, text=f"{text} {self._nothing_ran(asked.ticket)}.")


async def _elicited(session: Any, related: Any, params: Mapping[str, Any]) -> FormAnswer:
    """Return a person's answer; a client of the older revision asks the person during the call."""
    message = params["message"]
    try:
        if params["mode"] == "form":
            asking = session.elicit_form(message, params["requestedSchema"], related)
        else:
            asking = session.elicit_url(message, params["url"], params["elicitationId"], related)
        return answer_of(await asking)
    except (MCPError, ValueError):  # the client cannot ask after all, or its answer is invalid
        return False


def _input_required(state: str, questions: dict[str, Any] | None = None) -> dict[str, Any]:
    requests = {} if questions is None else {"inputRequests": questions}
    return {"resultType": "input_required", "requestState": state, **requests}


def serve(
    controller: Controller,
    transport: Transport = "stdio",
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    path: str = "/mcp",
    max_connections: int = CONNECTIONS,
    **settings: Unpack[ServerSettings],
) -> None:
    """Serve the functions of a controller until the client disconnects or an interrupt comes.

    `"stdio"` serves one client over standard input and output; the program's own output goes to
    standard error. `"http"` serves many, at the path of the host and port (0: a free one), and
    prints its URL to standard error. Hosts and origins other than this machine's are refused, and
    more connections than `max_connections`; so are requests whose headers take longer than ten
    seconds. The other settings are those of `server`.

    Raises:
        DefinitionError: as `server`, the transport is unknown, or other machines would be served
            without `auth`.
    """
    at: dict[str, Any] = {"host": host, "port": port, "path": path}
    with suppress(KeyboardInterrupt):
        asyncio.run(
            aserve(controller, transport, **at, max_connections=max_connections, **settings)
        )


async def aserve(
    controller: Controller,
    transport: Transport = "stdio",
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    path: str = "/mcp",
    max_connections: int = CONNECTIONS,
    **settings: Unpack[ServerSettings],
) -> None:
    """Serve as `serve` does, on this event loop, until it is cancelled."""
    made = server(controller, **settings)
    if transport == "http":
        if settings.get("auth") is None and not is_loopback(host):
            reason = f"Everybody who can reach {host} could call the functions."
            remedy = "Pass `auth=` (in a terminal `--auth-token-env`), or serve 127.0.0.1."
            raise DefinitionError("serve(host)", reason, remedy)
        if not path.startswith("/"):
            reason = f"{path!r} is not a path."
            raise DefinitionError("serve(path)", reason, 'Write "/mcp", for example.')
        app = made.streamable_http_app(host=host, streamable_http_path=path)
        await serve_app(app, host, port, path, max_connections)
    elif transport == "stdio":
        async with stdio_server() as (incoming, outgoing):
            await made.run(incoming, outgoing, made.create_initialization_options())
    else:
        reason = f"There is no transport {transport!r}."
        raise DefinitionError("serve(transport)", reason, 'Write "stdio" or "http".')


class _Verifier:
    """The `auth` check of the application, in the form of the SDK."""

    def __init__(self, check: Check) -> None:
        self._check = check

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the owner of a bearer token."""
        owner = await awaited(self._check(token), "")
        if not isinstance(owner, str) or not owner:
            return None
        return AccessToken(token=token, client_id=owner, scopes=[])


async def _tell_changed(connection: Connection) -> None:
    with suppress(Exception):  # a client that has disconnected, or does not read
        async with asyncio.timeout(_PATIENCE):
            await connection.outbound.notify("notifications/tools/list_changed", None)


def _check(controller: object, settings: Mapping[str, object]) -> None:
    """Refuse invalid settings."""
    if not isinstance(controller, Controller):
        remedy = "Write `server(Controller.from_object(shop))`."
        raise wrong_type("server", "a `Controller`", controller, remedy)
    if unknown := sorted(settings.keys() - ServerSettings.__annotations__.keys()):
        raise TypeError(f"server() has no setting {unknown[0]!r}.")
    for name in ("url", "context", "auth"):
        if not callable(settings.get(name) or str):
            raise wrong_type(f"server({name})", "a function", settings[name])
    needs = [f.name for f in controller.functions if getattr(handler_of(f), "wants_context", None)]
    if needs and settings.get("context") is None:
        reason = f"{needs[0]!r} takes a context, and requests have no context."
        remedy = "Write `context=lambda request: ...`, a function of the SDK's request; in a "
        remedy += "terminal `--context module:object`, for every request."
        raise DefinitionError("server(context)", reason, remedy)
