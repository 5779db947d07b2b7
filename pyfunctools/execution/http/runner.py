"""`HttpRunner`: runs the operations of a document over HTTP."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Unpack

from pyfunctools._text import visible
from pyfunctools.errors import DefinitionError, PyfunctoolsError
from pyfunctools.execution.http.connections import DEADLINE, Pools
from pyfunctools.execution.http.exchange import AnswerChallenge, Exchange, HttpTransport
from pyfunctools.execution.http.responses import outcome_of_response
from pyfunctools.execution.http.transports import (
    Masked,
    client_transport,
    masked_for,
    pool_transport,
)
from pyfunctools.execution.person.blame import locations_of_person, whole_refused
from pyfunctools.execution.person.masking import Masker
from pyfunctools.execution.request.assembly import HttpRequest, build
from pyfunctools.execution.request.connection import (
    Connection,
    checked_headers,
    checked_idempotency_header,
    names_of_connection,
    server_url,
    with_call_id,
)
from pyfunctools.execution.request.connection_secrets import ConnectionSecrets
from pyfunctools.execution.request.credentials import (
    explicit_schemes,
    is_digest,
    provider_of,
    schemes_to_send,
    user_and_password,
    with_credential,
)
from pyfunctools.execution.runner import Run
from pyfunctools.execution.steps import finish
from pyfunctools.execution.trace import log_raised
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Outcome, Response
from pyfunctools.route import IDEMPOTENT, SAFE, Route
from pyfunctools.schema import Failure

LOGGER = logging.getLogger("pyfunctools")


class HttpRunner:
    """Runs the operations of a document; the settings are those of `Connection`.

    No argument sets a header of the connection (`execution.request.claims`). If a callable for a
    credential or the headers raises, the outcome is an error without the message of the exception.
    A request with the header of `idempotency_header` may be repeated, up to `Limits.retries` times.

    A `client` is used with its own headers, cookies, proxies and hooks, and is not closed. A
    blocking client runs in a thread if the call is awaited; an asynchronous client needs a call
    that is awaited. With a blocking client the deadline is checked between the steps of its
    library; the runner's own connections check it in each step. `library` is `httpx` or `httpx2`,
    by default the newer one that is installed.

    Raises:
        DefinitionError: the server, the headers, the client or the library is invalid, or private
            networks are to be blocked with a client: only the runner's own connections can do that.
    """

    def __init__(
        self,
        *,
        limits: Limits = DEFAULT_LIMITS,
        library: str | None = None,
        **connection: Unpack[Connection],
    ) -> None:
        self._client, server = connection.get("client"), connection.get("server")
        is_public_only = connection.get("block_private_networks", False)
        if self._client is not None and is_public_only:
            raise DefinitionError(
                "block_private_networks",
                "A `client` connects to any address.",
                "Leave out `client`, or check addresses in its transport.",
            )
        self._variables = dict(connection.get("variables") or {})
        self._server = (
            server_url((), server, self._variables) if isinstance(server, str) else server
        )
        headers, auth = connection.get("headers") or {}, connection.get("auth") or {}
        if not callable(headers):
            checked_headers(headers)
            headers = dict(headers)
        self._headers = provider_of("headers", headers)
        self._auth = {name: provider_of(f"auth[{name!r}]", value) for name, value in auth.items()}
        self._blocks = self._client is None or client_transport(self._client, None).blocks
        self._explicit_schemes = explicit_schemes(auth)
        self._idempotency = checked_idempotency_header(
            connection.get("idempotency_header"), headers
        )
        self._names = names_of_connection(connection)
        self.limits = limits
        self._expose = connection.get("expose_error_body", False)
        self._deep = connection.get("deep", False)
        self._pools = Pools(library, is_public_only)

    def __repr__(self) -> str:
        server = self._server.partition("?")[0] if isinstance(self._server, str) else self._server
        return f"HttpRunner(server={server!r}, auth={sorted(self._auth)})"

    async def run(self, run: Run) -> Outcome:
        """Send the request of a call.

        Raises:
            DefinitionError: the function is not an operation, there is no server, or a setting of
                this runner has to be awaited.
            DocumentError: the document's server or path cannot be used.
        """
        if not (self._blocks or run.awaits):
            raise DefinitionError(
                run.function.name,
                "The client of this controller is asynchronous.",
                "Use `await controller.acall(...)`, or pass an `httpx.Client`.",
            )
        deadline = time.monotonic() + self.limits.deadline
        call = await self.prepared(run)
        return (
            call if isinstance(call, Outcome) else await self._send_own(call, deadline, run.awaits)
        )

    def close(self) -> None:
        """Close the runner's own blocking connections; a later call opens new ones."""
        self._pools.close()

    async def aclose(self) -> None:
        """Close the runner's own connections: the blocking ones and those of this loop."""
        await self._pools.aclose()

    async def prepared(
        self, run: Run, refuse: "Callable[[PreparedCall], Outcome | None]" = lambda _: None
    ) -> "PreparedCall | Outcome":
        """Return the call to send, or the outcome of a call that is not sent.

        `refuse` is called with the complete call before `run.begin` is awaited; an outcome that it
        returns is the outcome of the call.

        Raises:
            DefinitionError: as `run`.
            DocumentError: as `run`.
        """
        call = await self._complete_call(run)
        if isinstance(call, Outcome):
            return call
        refusal = refuse(call)
        if refusal is None and run.begin is not None:
            refusal = await run.begin(run.arguments)
        return refusal or call

    async def _complete_call(self, run: Run) -> "PreparedCall | Outcome":
        function = run.function
        route = function.origin
        if not isinstance(route, Route):
            raise DefinitionError(function.name, "This function is not an HTTP operation.")
        base_url = self._server
        if not isinstance(base_url, str):
            base_url = server_url(route.servers, base_url, self._variables)
        secrets = ConnectionSecrets(_names_of_keys(route))
        try:
            given = await run.resolve(self._headers(run.context), "headers")
            headers = checked_headers(given)
            secrets.add_headers(given)
            if route.method not in SAFE:
                headers = with_call_id(headers, self._idempotency, run.info)
        except Exception as error:  # the caller's code may raise anything
            return _without_credentials(function, error)
        request = build(
            route,
            run.arguments,
            base_url=base_url,
            headers=headers,
            connected=self._names,
            separated=function.separated,
            deep=self._deep,
        )
        if isinstance(request, Failure):
            return replace(whole_refused(function, request), response=Response(sent="no"))
        secrets.add_query(base_url.partition("?")[2])
        secrets.add_client(self._client)
        may_repeat = route.method in IDEMPOTENT or function.idempotent is True
        has_key = not {"idempotency-key", self._idempotency}.isdisjoint(request.headers)
        masked = masked_for(locations_of_person(function, route))
        call = PreparedCall(run, route, request, secrets, may_repeat or has_key, masked)
        return await self._with_credentials(call)

    async def _with_credentials(self, call: "PreparedCall") -> "PreparedCall | Outcome":
        """Return the call with its credentials, or the outcome if one could not be obtained."""
        for scheme in (*schemes_to_send(call.route, self._auth), *self._explicit_schemes):
            try:
                given = self._auth[scheme.name](call.run.context)
                credential = await call.run.resolve(given, f"auth[{scheme.name!r}]")
            except Exception as error:  # the caller's code may raise anything
                return _without_credentials(call.run.function, error)
            call.request, texts = with_credential(call.request, scheme, credential)
            call.secrets.credentials += texts
            if scheme.location == "query" and call.masked is None:
                call.masked = "query"
            if is_digest(scheme):
                call.challenge = partial(
                    self._pools.digest, user_and_password(scheme.name, credential)
                )
        return call

    async def _send_own(self, call: "PreparedCall", deadline: float, awaits: bool) -> Outcome:
        """Send a call over the runner's own connections, or over the client."""
        if self._client is None:
            transport = pool_transport(self._pools, awaits=awaits)
        else:
            transport = client_transport(self._client, call.masked)
        if transport.blocks and awaits:
            from asyncio import to_thread

            return await to_thread(lambda: finish(self.send(call, transport, deadline)))
        token = DEADLINE.set(deadline)
        try:
            return await self.send(call, transport, deadline)
        finally:
            DEADLINE.reset(token)

    async def send(
        self, call: "PreparedCall", transport: HttpTransport, deadline: float
    ) -> Outcome:
        """Send a call over a transport and return its outcome."""
        route, started = call.route, time.monotonic()
        exchange = Exchange(
            transport=transport, deadline=deadline, limits=self.limits, challenge=call.challenge
        )
        result = await exchange.run(call.request, repeatable=call.repeatable)
        if LOGGER.isEnabledFor(logging.DEBUG):
            status = "no answer" if result.status is None else result.status
            milliseconds = (time.monotonic() - started) * 1000
            path = visible(route.path).replace("\n", " ")
            LOGGER.debug("%s %s %s %d ms", route.method, path, status, milliseconds)
        name = call.run.function.name
        outcome = outcome_of_response(result, method=route.method, name=name, expose=self._expose)
        others = () if outcome.ok else call.secrets.others
        outcome = Masker(call.secrets.credentials, others).outcome(outcome)
        return replace(outcome, repairs=(*outcome.repairs, *call.request.repairs))


@dataclass(slots=True)
class PreparedCall:
    """A call that is ready to be sent; if `repeatable`, it may be sent again."""

    run: Run
    route: Route
    request: HttpRequest
    secrets: ConnectionSecrets
    repeatable: bool
    masked: Masked
    challenge: AnswerChallenge | None = None


def _names_of_keys(route: Route) -> frozenset[str]:
    """Return the names of headers, cookies and query parameters with API keys, in lower case."""
    return frozenset(each.parameter.lower() for each in route.schemes.values() if each.parameter)


def _without_credentials(function: Function, error: Exception) -> Outcome:
    """Return the outcome after the caller's function raised an exception.

    The outcome does not contain the exception's message, which may contain a secret.

    Raises:
        PyfunctoolsError: the error is about the definition of that function or its result.
    """
    if isinstance(error, PyfunctoolsError):
        raise error
    log_raised(function.name, "the function for the credentials", error)
    return Outcome(
        text=f"The credentials could not be obtained ({type(error).__name__}). Nothing was sent.",
        reason="raised",
        exception=error,
        response=Response(sent="no"),
        function=function.name,
    )
