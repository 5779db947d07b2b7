"""Runs operations over HTTP."""

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial

from pyfunctools._json import JsonObject
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
from pyfunctools.execution.person.blame import locations_of_person, refused
from pyfunctools.execution.person.masking import Masker
from pyfunctools.execution.request.assembly import HttpRequest, build
from pyfunctools.execution.request.connection import (
    checked_headers,
    checked_idempotency,
    names_beside,
    server_url,
    with_call_id,
)
from pyfunctools.execution.request.connection_secrets import ConnectionSecrets
from pyfunctools.execution.request.credentials import (
    chosen,
    is_digest,
    own_schemes,
    pair_of,
    signed,
    source_of,
    told_by,
)
from pyfunctools.execution.steps import Begin, Settle, at_hand, finish, settled
from pyfunctools.execution.trace import log_raised
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.record.call_info import CallInfo
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Outcome, Response
from pyfunctools.route import IDEMPOTENT, SAFE, Route
from pyfunctools.schema import Failure

LOGGER = logging.getLogger("pyfunctools")


class HttpRunner:
    """Runs the operations of a document.

    `server` is the base URL, or `True` for the one the document names, which is then also trusted
    with the credentials; `variables` are the values of what stands in its braces. `headers` are
    sent with every request; nobody else may set one of them (`execution.claims`).
    `auth` gives a credential for each security scheme by its name, a text, or a pair for basic and
    digest; which are sent is what the operation's `security` says. Each of them, and the headers as
    a whole, may be a function of nothing or of the call's context, under `arun` also an
    asynchronous one; one that raises makes an error outcome without its message. `auth` also takes
    `{"header:X-Api-Key": ...}` and `{"query:key": ...}`, which go with every request.

    `idempotency_header` names a header that has the id of the call (`CallInfo.id`) in every request
    that may change something; one that has it may be repeated, as `Limits.retries` says.

    `client` is a client of httpx or httpx2, of either kind; it is used as it is (with its own
    headers, cookies, proxies and hooks) and not closed. A blocking one runs in a thread under
    `arun`; an asynchronous one cannot be used under `run`. With a blocking client the deadline is
    kept between the steps its library takes, with the runner's own connections inside them.

    The model reads a failed answer's status and, with `expose_error_body`, an excerpt of its body.
    `deep` lets a `deepObject` nest (`a[b][c]`). `block_private_networks` refuses to connect to
    addresses that are not on the open internet. `library` is `httpx` or `httpx2`, by default the
    newer one that is installed.

    Raises:
        DefinitionError: the server, the headers, the client or the library is none, or a client is
            given where private networks are to be blocked, which only own connections can do.
    """

    def __init__(
        self,
        *,
        server: str | bool | None = None,
        variables: Mapping[str, str] | None = None,
        headers: Mapping[str, object] | Callable[..., object] | None = None,
        auth: Mapping[str, object] | None = None,
        client: object = None,
        limits: Limits = DEFAULT_LIMITS,
        expose_error_body: bool = False,
        deep: bool = False,
        block_private_networks: bool = False,
        idempotency_header: str | None = None,
        library: str | None = None,
    ) -> None:
        if client is not None and block_private_networks:
            raise DefinitionError(
                "block_private_networks",
                "A client that is handed in connects where it likes.",
                "Leave out `client`, or check addresses in its transport.",
            )
        self._variables = dict(variables or {})
        self._server = server_url((), server, variables) if isinstance(server, str) else server
        if not callable(headers):
            checked_headers(headers or {})
            headers = dict(headers or {})
        self._headers = source_of("headers", headers)
        self._auth = {
            name: source_of(f"auth[{name!r}]", value) for name, value in (auth or {}).items()
        }
        self._client = client
        self._blocks = client is None or over_client(client, None).blocks
        self._own_schemes = own_schemes(auth or {})
        self._names = names_beside(client, auth)
        self._idempotency = checked_idempotency(idempotency_header, headers)
        self.limits = limits
        self._expose = expose_error_body
        self._deep = deep
        self._pools = Pools(library, block_private_networks)

    def __repr__(self) -> str:
        server = self._server.partition("?")[0] if isinstance(self._server, str) else self._server
        return f"HttpRunner(server={server!r}, auth={sorted(self._auth)})"

    def run(
        self,
        function: Function,
        arguments: JsonObject,
        context: object,
        begin: Begin | None = None,
        info: CallInfo | None = None,
    ) -> Outcome:
        """Send the request that the arguments make and wait for what comes of it.

        Raises:
            DefinitionError: the function is no operation, no server is given, or something of this
                runner works under `arun` only.
            DocumentError: the document's server or path cannot be used.
        """
        if not self._blocks:
            raise DefinitionError(
                function.name,
                "The client of this controller is asynchronous.",
                "Use `await controller.acall(...)`, or hand in an `httpx.Client`.",
            )
        deadline = time.monotonic() + self.limits.deadline
        token = DEADLINE.set(deadline)
        try:
            carry = partial(self._sent, deadline, awaits=False)
            steps = self.steps(function, arguments, context, begin, info, at_hand, carry)
            return finish(steps)
        finally:
            DEADLINE.reset(token)

    async def arun(
        self,
        function: Function,
        arguments: JsonObject,
        context: object,
        begin: Begin | None = None,
        info: CallInfo | None = None,
    ) -> Outcome:
        """Send the request that the arguments make and await what comes of it.

        Raises:
            DefinitionError: the function is no operation, or no server is given.
            DocumentError: the document's server or path cannot be used.
        """
        deadline = time.monotonic() + self.limits.deadline
        carry = partial(self._sent, deadline, awaits=True)
        return await self.steps(function, arguments, context, begin, info, settled, carry)

    def close(self) -> None:
        """Close the runner's own blocking connections; a later call opens others."""
        self._pools.close()

    async def aclose(self) -> None:
        """Close the runner's own connections, blocking and of this loop."""
        await self._pools.aclose()

    async def steps(
        self,
        function: Function,
        arguments: JsonObject,
        context: object,
        begin: Begin | None,
        info: CallInfo | None,
        settle: Settle,
        carry: "Callable[[PreparedCall], Awaitable[Outcome]]",
        forbid: "Callable[[PreparedCall], Outcome | None]" = lambda _: None,
    ) -> Outcome:
        """Make the request, ask `forbid` and `begin` whether it may go, and `carry` it.

        Raises:
            DefinitionError: as `run` does.
            DocumentError: as `run` does.
        """
        call = await self._prepared(function, arguments, context, settle, info)
        if isinstance(call, Outcome):
            return call
        forbidden = forbid(call)
        if forbidden is None and begin is not None:
            forbidden = await begin(arguments)
        return forbidden or await carry(call)

    async def _prepared(
        self,
        function: Function,
        arguments: JsonObject,
        context: object,
        settle: Settle,
        info: CallInfo | None,
    ) -> "PreparedCall | Outcome":
        """Return the call to send, or the outcome that says why it cannot be sent."""
        route = function.origin
        if not isinstance(route, Route):
            raise DefinitionError(function.name, "This function is not an HTTP operation.")
        base_url = self._server
        if not isinstance(base_url, str):
            base_url = server_url(route.servers, base_url, self._variables)
        connected = ConnectionSecrets(_names_of_keys(route))
        try:
            given = await settle(self._headers(context), "headers")
            fixed = checked_headers(given)
            connected.add_headers(given)
            if route.method not in SAFE:
                fixed = with_call_id(fixed, self._idempotency, info)
        except Exception as error:  # the caller's code may raise anything
            return _unprovided(function, error)
        request = build(
            route,
            arguments,
            base_url=base_url,
            headers=fixed,
            connected=self._names,
            separated=function.separated,
            deep=self._deep,
        )
        if isinstance(request, Failure):
            return replace(refused(function, request), response=Response(sent="no"))
        connected.add_query(base_url.partition("?")[2])
        connected.add_client(self._client)
        call = PreparedCall(function, route, arguments, request, connected)
        call.repeatable = call.repeatable or self._idempotency in request.headers
        return await self._signed(call, context, settle)

    async def _signed(
        self, call: "PreparedCall", context: object, settle: Settle
    ) -> "PreparedCall | Outcome":
        """Return the call with its credentials, or the outcome if one could not be obtained."""
        for scheme in (*chosen(call.route, self._auth), *self._own_schemes):
            try:
                credential = await settle(
                    self._auth[scheme.name](context), f"auth[{scheme.name!r}]"
                )
            except Exception as error:  # so may what gives a credential
                return _unprovided(call.function, error)
            call.request = signed(call.request, scheme, credential)
            call.connected.credentials += told_by(scheme, credential, call.request)
            if scheme.location == "query" and call.masked is None:
                call.masked = "query"
            if is_digest(scheme):
                call.challenge = partial(self._pools.proof, pair_of(scheme.name, credential))
        return call

    async def _sent(self, deadline: float, call: "PreparedCall", *, awaits: bool) -> Outcome:
        if self._client is None:
            wire = over_pools(self._pools, awaits=awaits)
        else:
            wire = over_client(self._client, call.masked)
        if wire.blocks and awaits:
            from asyncio import to_thread

            return await to_thread(lambda: finish(self.exchanged(call, wire, deadline)))
        return await self.exchanged(call, wire, deadline)

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
        name = call.function.name
        outcome = outcome_of(result, method=route.method, name=name, expose=self._expose)
        others = () if outcome.ok else call.connected.others
        masker = Masker(call.connected.credentials, others)
        return replace(
            outcome,
            text=masker.text(outcome.text),
            repairs=(*outcome.repairs, *call.request.repairs),
            _json=masker.json(outcome),
        )


class PreparedCall:
    """A call that may be sent; `repeatable` says whether more than once."""

    def __init__(
        self,
        function: Function,
        route: Route,
        arguments: JsonObject,
        request: HttpRequest,
        connected: ConnectionSecrets,
    ) -> None:
        self.function = function
        self.route = route
        self.arguments = arguments
        self.request = request
        self.connected = connected
        self.challenge: Challenge | None = None
        self.masked: Masked = masked_for(locations_of_person(function, route))
        self.repeatable = (
            route.method in IDEMPOTENT
            or function.idempotent is True
            or "idempotency-key" in request.headers
        )


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
