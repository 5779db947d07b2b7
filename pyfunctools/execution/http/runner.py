"""Runs operations over HTTP. The only file that names httpx; where httpx2 is installed it is used.

A runner's own connections are a pool of httpcore, the layer httpx stands on: nothing of the
environment reaches it (proxies, `.netrc`, certificates), it keeps no cookies, follows no redirects,
normalises no path and logs no URL. A client handed in is used as it is.
"""

import logging
import os
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from importlib import import_module
from importlib.util import find_spec
from inspect import iscoroutinefunction
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING

from pyfunctools._json import JsonObject
from pyfunctools._text import visible
from pyfunctools._trace import log_raised
from pyfunctools.errors import DefinitionError, PyfunctoolsError
from pyfunctools.execution.http.deadlines import DEADLINE, DeadlineBackend, PublicBackend
from pyfunctools.execution.http.exchange import Challenge, Exchange, Headers, Incoming
from pyfunctools.execution.http.responses import SAFE, outcome_of
from pyfunctools.execution.http.transports import (
    AsyncClient,
    AsyncPool,
    Client,
    Masked,
    Pool,
    masked_for,
    over_async_client,
    over_async_pool,
    over_client,
    over_pool,
)
from pyfunctools.execution.http.wire import Awaiting, Blocking, Wire
from pyfunctools.execution.person.blame import locations_of_person, refused
from pyfunctools.execution.person.masking import Masker
from pyfunctools.execution.request.assembly import HttpRequest, build
from pyfunctools.execution.request.base_url import server_url
from pyfunctools.execution.request.connected import Connected
from pyfunctools.execution.request.credentials import (
    checked_headers,
    checked_idempotency,
    chosen,
    is_digest,
    names_beside,
    own_schemes,
    pair_of,
    signed,
    source_of,
    told_by,
    with_call_id,
)
from pyfunctools.execution.steps import Begin, Settle, at_hand, finish, settled
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.record.call_info import CallInfo
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Outcome, Response
from pyfunctools.route import Route
from pyfunctools.schema import Failure

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

LOGGER = logging.getLogger("pyfunctools")

IDEMPOTENT = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PUT", "QUERY", "TRACE"})
"""Methods whose requests may be sent again (RFC 9110, section 9.2.2)."""


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
        self._headers = source_of(headers)
        self._auth = {name: source_of(value) for name, value in (auth or {}).items()}
        self._client, self._async_client = _kinds(client)
        self._own_schemes = own_schemes(auth or {})
        self._names = names_beside(client, auth)
        self._idempotency = checked_idempotency(idempotency_header, headers)
        self.limits = limits
        self._expose = expose_error_body
        self._deep = deep
        self._pools = _Pools(library, block_private_networks)

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
        if self._async_client is not None:
            raise DefinitionError(
                function.name,
                "The client of this controller is asynchronous.",
                "Use `await controller.acall(...)`, or hand in an `httpx.Client`.",
            )
        deadline = time.monotonic() + self.limits.deadline
        call = finish(self.prepared(function, arguments, context, at_hand, info))
        if isinstance(call, Outcome):
            return call
        forbidden = None if begin is None else finish(begin(arguments))
        return forbidden or self._waited(call, deadline)

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
        call = await self.prepared(function, arguments, context, settled, info)
        if isinstance(call, Outcome):
            return call
        forbidden = None if begin is None else await begin(arguments)
        if forbidden is not None:
            return forbidden
        if self._client is not None:
            from asyncio import to_thread

            return await to_thread(self._waited, call, deadline)
        if self._async_client is not None:
            send = over_async_client(self._async_client, masked=call.masked)
        else:
            send = over_async_pool(self._pools.core, self._pools.of_loop())
        return await self.exchanged(call, Awaiting(send), deadline)

    def close(self) -> None:
        """Close the runner's own blocking connections; a later call opens others."""
        self._pools.close()

    async def aclose(self) -> None:
        """Close the runner's own connections, blocking and of this loop."""
        await self._pools.aclose()

    async def prepared(
        self,
        function: Function,
        arguments: JsonObject,
        context: object,
        settle: Settle,
        info: CallInfo | None = None,
    ) -> "PreparedCall | Outcome":
        """Return the call that may be sent, or the outcome that says why none is.

        Raises:
            DefinitionError: as `run` does.
            DocumentError: as `run` does.
        """
        route = function.origin
        if not isinstance(route, Route):
            raise DefinitionError(function.name, "This function is no HTTP operation.")
        base_url = self._server
        if not isinstance(base_url, str):
            base_url = server_url(route.servers, base_url, self._variables)
        connected = Connected(_names_of_keys(route))
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
        connected.add_client(self._client or self._async_client)
        call = PreparedCall(function, route, request, connected)
        call.repeatable = call.repeatable or self._idempotency in request.headers
        return await self._signed(call, context, settle)

    async def _signed(
        self, call: "PreparedCall", context: object, settle: Settle
    ) -> "PreparedCall | Outcome":
        """Return the call with its credentials, or the outcome that says which is not to be had."""
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

    def _waited(self, call: "PreparedCall", deadline: float) -> Outcome:
        if self._client is not None:
            send = over_client(self._client, masked=call.masked)
        else:
            send = over_pool(self._pools.core, self._pools.of_threads())
        token = DEADLINE.set(deadline)
        try:
            return finish(self.exchanged(call, Blocking(send), deadline))
        finally:
            DEADLINE.reset(token)

    async def exchanged(
        self, call: "PreparedCall", wire: Wire[Incoming], deadline: float
    ) -> Outcome:
        """Send a call's request over a wire and give what came of it."""
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
        self, function: Function, route: Route, request: HttpRequest, connected: Connected
    ) -> None:
        self.function = function
        self.route = route
        self.request = request
        self.connected = connected
        self.challenge: Challenge | None = None
        self.masked: Masked = masked_for(locations_of_person(function, route))
        self.repeatable = (
            route.method in IDEMPOTENT
            or function.idempotent is True
            or "idempotency-key" in request.headers
        )


class _Pools:
    """A runner's own connections: one pool for all threads, one for each event loop."""

    def __init__(self, library: str | None, public_only: bool) -> None:
        if library not in (None, "httpx", "httpx2") or not find_spec(library or "httpx"):
            raise DefinitionError(
                "library", f"{library!r} is not installed, or is no HTTP library."
            )
        self._name = library or ("httpx2" if find_spec("httpx2") else "httpx")
        self._public_only = public_only
        self._lock = Lock()
        self._process = os.getpid()
        self._of_threads: Pool | None = None
        self._of_loops: weakref.WeakKeyDictionary[AbstractEventLoop, AsyncPool] = (
            weakref.WeakKeyDictionary()
        )

    @property
    def core(self) -> ModuleType:
        """httpcore, or httpcore2 beside httpx2."""
        return import_module(self._name.replace("httpx", "httpcore"))

    def of_threads(self) -> Pool:
        """Return the blocking pool; after a fork it is another one."""
        with self._lock:
            if self._of_threads is None or self._process != os.getpid():
                core = self.core
                backend = DeadlineBackend(core.SyncBackend(), public_only=self._public_only)
                pool: Pool = core.ConnectionPool(network_backend=backend, **self._settings)
                self._of_threads, self._process = pool, os.getpid()
                weakref.finalize(self, pool.close)
            return self._of_threads

    def of_loop(self) -> AsyncPool:
        """Return the pool of the running loop."""
        from asyncio import get_running_loop

        loop = get_running_loop()
        with self._lock:
            pool = self._of_loops.get(loop)
            if pool is None:
                core = self.core
                backend = PublicBackend(core.AnyIOBackend()) if self._public_only else None
                pool = core.AsyncConnectionPool(network_backend=backend, **self._settings)
                self._of_loops[loop] = pool
            return pool

    def close(self) -> None:
        """Close the blocking pool."""
        with self._lock:
            pool, self._of_threads = self._of_threads, None
        if pool is not None:
            pool.close()

    async def aclose(self) -> None:
        """Close the blocking pool and that of the running loop."""
        from asyncio import get_running_loop

        self.close()
        with self._lock:
            pool = self._of_loops.pop(get_running_loop(), None)
        if pool is not None:
            await pool.aclose()

    def proof(self, pair: tuple[str, str], request: HttpRequest, headers: Headers) -> str | None:
        """Answer a digest challenge (RFC 7616), if there is one."""
        library = import_module(self._name)
        asked = library.Request(request.method, request.url)
        flow = library.DigestAuth(*pair).auth_flow(asked)
        next(flow)
        try:
            flow.send(library.Response(401, headers=list(headers), request=asked))
        except Exception:  # a challenge that cannot be answered is one that was not
            return None
        return asked.headers.get("authorization")

    @property
    def _settings(self) -> dict[str, object]:
        return {
            "ssl_context": _trusted(self._name),
            "max_connections": 100,
            "max_keepalive_connections": 20,
            "keepalive_expiry": 5.0,
        }


@lru_cache(maxsize=2)
def _trusted(library: str) -> object:
    """Return the TLS settings of a library, without what the environment says of certificates."""
    return import_module(library).create_ssl_context(trust_env=False)


def _kinds(client: object) -> tuple[Client | None, AsyncClient | None]:
    """Return the client as a blocking one, or as one for event loops."""
    if client is None:
        return None, None
    send = getattr(client, "send", None)
    if isinstance(client, type) or not callable(send) or not hasattr(client, "build_request"):
        raise DefinitionError(
            "client",
            f"A {type(client).__name__} is no client of httpx or httpx2.",
            "Pass an `httpx.Client` or an `httpx.AsyncClient`.",
        )
    if iscoroutinefunction(send):
        return None, client  # pyright: ignore
    return client, None  # pyright: ignore


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
        text=f"The credentials are not to be had ({type(error).__name__}). Nothing was sent.",
        reason="raised",
        exception=error,
        response=Response(sent="no"),
        function=function.name,
    )
