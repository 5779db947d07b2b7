"""Runs operations over HTTP."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Unpack

from pyfunctools._text import visible
from pyfunctools.errors import DefinitionError, PyfunctoolsError
from pyfunctools.execution.http.connections import DEADLINE, Pools
from pyfunctools.execution.http.exchange import Challenge, Exchange, Wire
from pyfunctools.execution.http.responses import outcome_of
from pyfunctools.execution.http.transports import (
    Masked,
    masked_for,
    over_client,
    over_pools,
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
    secrets_of,
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

    Only the connection sets its headers (`execution.request.claims`). What gives a credential or
    headers and raises makes an error outcome without its message. A request with the header of
    `idempotency_header` may be repeated, as `Limits.retries` says.

    A `client` is used as it is (with its own headers, cookies, proxies and hooks) and not closed. A
    blocking one runs in a thread where the call awaits; an asynchronous one needs such a call. With
    a blocking client the deadline is kept between the steps its library takes, with the runner's
    own connections inside them. `library` is `httpx` or `httpx2`, by default the newer one that is
    installed.

    Raises:
        DefinitionError: the server, the headers, the client or the library is none, or a client is
            given where private networks are to be blocked, which only own connections can do.
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
                "A client that is handed in connects where it likes.",
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
        self._blocks = self._client is None or over_client(self._client, None).blocks
        self._own_schemes = explicit_schemes(auth)
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
        """Send the request that the arguments make.

        Raises:
            DefinitionError: the function is no operation, no server is given, or something of this
                runner has to be awaited.
            DocumentError: the document's server or path cannot be used.
        """
        if not (self._blocks or run.awaits):
            raise DefinitionError(
                run.function.name,
                "The client of this controller is asynchronous.",
                "Use `await controller.acall(...)`, or hand in an `httpx.Client`.",
            )
        deadline = time.monotonic() + self.limits.deadline
        call = await self.prepared(run)
        return call if isinstance(call, Outcome) else await self._sent(call, deadline, run.awaits)

    def close(self) -> None:
        """Close the runner's own blocking connections; a later call opens others."""
        self._pools.close()

    async def aclose(self) -> None:
        """Close the runner's own connections, blocking and of this loop."""
        await self._pools.aclose()

    async def prepared(
        self, run: Run, forbid: "Callable[[PreparedCall], Outcome | None]" = lambda _: None
    ) -> "PreparedCall | Outcome":
        """Return the call to send, or the outcome that says why it is not sent.

        `forbid` is asked when the request is made, and then `begin`.

        Raises:
            DefinitionError: as `run` does.
            DocumentError: as `run` does.
        """
        call = await self._made(run)
        if isinstance(call, Outcome):
            return call
        forbidden = forbid(call)
        if forbidden is None and run.begin is not None:
            forbidden = await run.begin(run.arguments)
        return forbidden or call

    async def _made(self, run: Run) -> "PreparedCall | Outcome":
        function = run.function
        route = function.origin
        if not isinstance(route, Route):
            raise DefinitionError(function.name, "This function is not an HTTP operation.")
        base_url = self._server
        if not isinstance(base_url, str):
            base_url = server_url(route.servers, base_url, self._variables)
        connected = ConnectionSecrets(_names_of_keys(route))
        try:
            given = await run.resolve(self._headers(run.context), "headers")
            fixed = checked_headers(given)
            connected.add_headers(given)
            if route.method not in SAFE:
                fixed = with_call_id(fixed, self._idempotency, run.info)
        except Exception as error:  # the caller's code may raise anything
            return _unprovided(function, error)
        request = build(
            route,
            run.arguments,
            base_url=base_url,
            headers=fixed,
            connected=self._names,
            separated=function.separated,
            deep=self._deep,
        )
        if isinstance(request, Failure):
            return replace(whole_refused(function, request), response=Response(sent="no"))
        connected.add_query(base_url.partition("?")[2])
        connected.add_client(self._client)
        may_repeat = route.method in IDEMPOTENT or function.idempotent is True
        has_key = not {"idempotency-key", self._idempotency}.isdisjoint(request.headers)
        masked = masked_for(locations_of_person(function, route))
        call = PreparedCall(run, route, request, connected, may_repeat or has_key, masked)
        return await self._signed(call)

    async def _signed(self, call: "PreparedCall") -> "PreparedCall | Outcome":
        """Return the call with its credentials, or the outcome if one could not be obtained."""
        for scheme in (*schemes_to_send(call.route, self._auth), *self._own_schemes):
            try:
                given = self._auth[scheme.name](call.run.context)
                credential = await call.run.resolve(given, f"auth[{scheme.name!r}]")
            except Exception as error:  # so may what gives a credential
                return _unprovided(call.run.function, error)
            call.request = with_credential(call.request, scheme, credential)
            call.connected.credentials += secrets_of(scheme, credential, call.request)
            if scheme.location == "query" and call.masked is None:
                call.masked = "query"
            if is_digest(scheme):
                call.challenge = partial(
                    self._pools.proof, user_and_password(scheme.name, credential)
                )
        return call

    async def _sent(self, call: "PreparedCall", deadline: float, awaits: bool) -> Outcome:
        if self._client is None:
            wire = over_pools(self._pools, awaits=awaits)
        else:
            wire = over_client(self._client, call.masked)
        if wire.blocks and awaits:
            from asyncio import to_thread

            return await to_thread(lambda: finish(self.exchanged(call, wire, deadline)))
        token = DEADLINE.set(deadline)
        try:
            return await self.exchanged(call, wire, deadline)
        finally:
            DEADLINE.reset(token)

    async def exchanged(self, call: "PreparedCall", wire: Wire, deadline: float) -> Outcome:
        """Send a call's request over a wire and return its outcome."""
        route, started = call.route, time.monotonic()
        exchange = Exchange(
            wire=wire, deadline=deadline, limits=self.limits, challenge=call.challenge
        )
        result = await exchange.run(call.request, repeatable=call.repeatable)
        if LOGGER.isEnabledFor(logging.DEBUG):
            status = "no answer" if result.status is None else result.status
            taken = (time.monotonic() - started) * 1000
            path = visible(route.path).replace("\n", " ")
            LOGGER.debug("%s %s %s %d ms", route.method, path, status, taken)
        name = call.run.function.name
        outcome = outcome_of(result, method=route.method, name=name, expose=self._expose)
        others = () if outcome.ok else call.connected.others
        outcome = Masker(call.connected.credentials, others).outcome(outcome)
        return replace(outcome, repairs=(*outcome.repairs, *call.request.repairs))


@dataclass(slots=True)
class PreparedCall:
    """A call that may be sent; `repeatable` says whether more than once."""

    run: Run
    route: Route
    request: HttpRequest
    connected: ConnectionSecrets
    repeatable: bool
    masked: Masked
    challenge: Challenge | None = None


def _names_of_keys(route: Route) -> frozenset[str]:
    """Return the names under which an operation wants API keys, in lower case."""
    return frozenset(each.parameter.lower() for each in route.schemes.values() if each.parameter)


def _unprovided(function: Function, error: Exception) -> Outcome:
    """Return the outcome where a function of the caller's failed; its message may hold a secret.

    Raises:
        PyfunctoolsError: the error is one of our own, about how that function was given.
    """
    if isinstance(error, PyfunctoolsError):
        raise error
    log_raised(function.name, "what gives the credentials", error)
    return Outcome(
        text=f"The credentials could not be obtained ({type(error).__name__}). Nothing was sent.",
        reason="raised",
        exception=error,
        response=Response(sent="no"),
        function=function.name,
    )
