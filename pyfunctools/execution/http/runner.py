"""`HttpRunner`: runs the operations of a document over HTTP."""

import time
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Unpack

from pyfunctools.errors import DefinitionError, PyfunctoolsError
from pyfunctools.execution.http.exchange import Exchange, HttpTransport, OpenResponse, moved
from pyfunctools.execution.http.items import StreamItem
from pyfunctools.execution.http.logins import Login
from pyfunctools.execution.http.responses import outcome_of_item, outcome_of_response
from pyfunctools.execution.http.transports import Masked, Pools, client_transport
from pyfunctools.execution.person.blame import locations_of_person, whole_refused
from pyfunctools.execution.person.masking import MASK, Masker
from pyfunctools.execution.request.assembly import HttpRequest, build
from pyfunctools.execution.request.connection import (
    Connection,
    ConnectionSecrets,
    ConnectionSettings,
    checked_headers,
    with_call_id,
)
from pyfunctools.execution.request.credentials import (
    PAIRS,
    is_digest,
    schemes_to_send,
    user_and_password,
    with_credential,
)
from pyfunctools.execution.request.destination import Destination
from pyfunctools.execution.request.oauth import Hidden, OAuth2, login_flow, login_kind
from pyfunctools.execution.runner import Run
from pyfunctools.execution.steps import finish
from pyfunctools.execution.trace import log_raised
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.record.function import Function, contract_of
from pyfunctools.record.outcome import Outcome, Request, Response, end_of_stream
from pyfunctools.record.settings import check_picklable
from pyfunctools.route import IDEMPOTENT, NO_NAMES, SAFE, Route, SecurityScheme
from pyfunctools.schema import Failure, Validator


class HttpRunner:
    """Runs the operations of a document; the settings are those of `Connection`.

    If a callable for a credential or the headers raises, the outcome is an error without the
    message of the exception. A request with the header of `idempotency_header` may be repeated, up
    to `Limits.retries` times.

    A `client` is used with its own headers, cookies, proxies and hooks, and is not closed. A
    blocking client runs in a thread if the call is awaited; an asynchronous client needs a call
    that is awaited. With a blocking client the deadline is checked between the steps of its
    library; the runner's own connections check it in each step.

    Raises:
        DefinitionError: the server, the headers or the client is invalid, or private networks are
            to be blocked with a client.
    """

    repeats = False
    """Whether a header with several values is sent in several lines."""

    def __init__(
        self, *, limits: Limits = DEFAULT_LIMITS, **connection: Unpack[Connection]
    ) -> None:
        self._settings = ConnectionSettings(connection)
        auth = (self._settings.given.get("auth") or {}).items()
        self._logins = {name: each for name, each in auth if isinstance(each, OAuth2)}
        self._client = self._settings.client
        self._blocks = self._client is None or client_transport(self._client, None).blocks
        self.limits = limits
        self._pools = Pools(self._settings.public_only)

    def __reduce__(self) -> tuple[object, ...]:
        for name, value in self._settings.given.items():
            check_picklable(name, value, "Open the document in the other process.")
        make = partial(HttpRunner, limits=self.limits, **self._settings.given)
        return (make, ())

    def __repr__(self) -> str:
        settings = self._settings
        return f"HttpRunner(server={settings.destinations!r}, auth={sorted(settings.auth)})"

    async def run(self, run: Run) -> Outcome:
        """Send the request of a call.

        Raises:
            DefinitionError: the function is not an operation, there is no server, or a setting of
                this runner has to be awaited.
            DocumentError: the document's server or path cannot be used.
            SchemaError: the schema of the items of a stream cannot be used.
        """
        if not (self._blocks or run.awaits):
            raise DefinitionError(
                run.function.name,
                "The client of this controller is asynchronous.",
                "Use `await controller.acall(...)`, or pass an `httpx.Client`.",
            )
        call = await self._complete_call(run)
        if not isinstance(call, Outcome) and call.destination.trusted:
            call = await self._with_credentials(call)
        if isinstance(call, Outcome):
            return call
        if refusal := self._refused(call) or (run.begin and await run.begin()):
            return refusal
        outcome = await self._send_own(call)
        if await self._has_new_credentials(call, outcome.response):
            return await self._send_own(call)
        return outcome

    def may_ask(self, function: Function) -> bool:
        """Return whether a person may have to log in.

        Raises:
            DefinitionError: it is not said how to log in.
        """
        route = function.origin
        if not self._logins or not isinstance(route, Route):
            return False
        schemes = [each for each in self._schemes(route) if each.name in self._logins]
        return any(login_kind(self._logins[each.name], each) != "client" for each in schemes)

    def close(self) -> None:
        """Close the runner's own blocking connections; a later call opens new ones."""
        self._pools.close()

    async def aclose(self) -> None:
        """Close the runner's own connections: the blocking ones and those of this loop."""
        await self._pools.aclose()

    def _refused(self, call: "PreparedCall") -> Outcome | None:
        """Return the outcome of a complete call that must not be sent."""
        del call

    async def _complete_call(self, run: Run) -> "PreparedCall | Outcome":
        function = run.function
        route = function.origin
        if not isinstance(route, Route):
            raise DefinitionError(function.name, "This function is not an HTTP operation.")
        settings = self._settings
        destination = settings.destinations.of(route)
        given: object = {}
        try:
            if destination.trusted:
                given = settings.headers
                if callable(given):
                    given = await run.resolve(given(run.context), "headers")
            headers = checked_headers(given)
            secrets = ConnectionSecrets(route, headers, given, destination.base_url, self._client)
            if settings.idempotency_header is not None and route.method not in SAFE:
                headers = with_call_id(headers, settings.idempotency_header, run.info.id)
        except Exception as error:  # the caller's code may raise anything
            return _without_credentials(function, error)
        request = build(
            route,
            run.arguments,
            base_url=destination.base_url,
            headers=headers,
            connected=settings.names if destination.trusted else NO_NAMES,
            separated=function.separated,
            deep=settings.deep,
            items=run.put is not None,
            repeats=self.repeats,
        )
        if isinstance(request, Failure):
            return replace(whole_refused(function, request), response=Response(sent="no"))
        may_repeat = route.method in IDEMPOTENT or function.idempotent is True
        keys = {"idempotency-key", settings.idempotency_header}
        may_repeat = may_repeat or not keys.isdisjoint(request.headers)
        contract = contract_of(function)
        checks = contract.item_validator if run.put and contract.items else None
        if checks is not None:
            checks.compile()  # before anything is sent
        return PreparedCall(run, route, request, request, destination, secrets, may_repeat, checks)

    def _schemes(self, route: Route) -> "tuple[SecurityScheme, ...]":
        return (*schemes_to_send(route, self._settings.auth), *self._settings.explicit_schemes)

    async def preview(self, run: Run) -> Request | None:
        """Return the request of a call, without asking for its credentials, which are covered."""
        try:
            call = await self._complete_call(run)
            if isinstance(call, Outcome):
                return None
            for scheme in self._schemes(call.route) if call.destination.trusted else ():
                call.add(scheme, f"{MASK}:{MASK}" if scheme.scheme in PAIRS else MASK)
        except PyfunctoolsError:  # the run will raise it
            return None
        request, content = call.request, call.request.content
        try:
            text = None if content is None else content.decode()
        except UnicodeDecodeError:
            text = f"({len(content or b''):,} bytes)"
        shown = Request(
            method=request.method, url=request.url, headers=request.headers, content=text
        )
        return Masker(call.secrets.credentials).request(shown)

    async def _with_credentials(self, call: "PreparedCall") -> "PreparedCall | Outcome":
        for scheme in self._schemes(call.route):
            if (settings := self._logins.get(scheme.name)) is not None:
                flow = login_flow(settings, scheme, call.destination.base_url)
                login = Login(scheme.name, call.run, settings, flow, self._pools, self.limits)
                token = await login.token()
                if isinstance(token, Outcome):
                    return token
                call.tokens.append((login, scheme, token))
                call.add(_bearer(scheme), token["access"])
                continue
            try:
                given = self._settings.auth[scheme.name](call.run.context)
                credential = await call.run.resolve(given, f"auth[{scheme.name!r}]")
            except Exception as error:  # the caller's code may raise anything
                return _without_credentials(call.run.function, error)
            call.add(scheme, credential)
            if is_digest(scheme):
                call.digest = user_and_password(scheme.name, credential)
        return call

    async def _has_new_credentials(self, call: "PreparedCall", response: Response | None) -> bool:
        """Return whether a call was rejected, and has other credentials; nothing was done yet."""
        if response is None or response.status != 401:
            return False
        for login, scheme, token in call.tokens:
            renewed = await login.renewed(token)
            if renewed is None:
                return False
            call.add(_bearer(scheme), renewed["access"])
        if call.digest is not None:
            answer = self._pools.digest(call.digest, call.request, response.headers)
            if answer is None:
                return False
            sent = {**call.request.headers, "authorization": answer}
            call.request = replace(call.request, headers=sent)
        return bool(call.tokens or call.digest)

    async def _send_own(self, call: "PreparedCall") -> Outcome:
        awaits = call.run.awaits
        if self._client is None:
            return await self.send(call, self._pools.transport(awaits=awaits))
        transport = client_transport(
            self._client, self._masked(call), trusted=call.destination.trusted
        )
        if transport.blocks and awaits:
            from asyncio import to_thread

            if call.run.put is None:
                return await to_thread(lambda: finish(self.send(call, transport)))
            transport = moved(transport, lambda steps: to_thread(finish, steps), blocks=False)
        return await self.send(call, transport)

    def _masked(self, call: "PreparedCall") -> Masked:
        """Return the part of the URL that a client's library must not log."""
        places = set[str](locations_of_person(call.run.function, call.route))
        if call.destination.trusted:
            places.update(each.location or "" for each in self._schemes(call.route))
        if "path" in places:
            return "target"
        return None if places.isdisjoint({"query", "querystring"}) else "query"

    async def send(self, call: "PreparedCall", transport: HttpTransport) -> Outcome:
        """Send a call over a transport and return its outcome; its time begins the first time."""
        call.deadline = call.deadline or time.monotonic() + self.limits.deadline
        put, passed_on = call.run.put, 0

        async def put_item(item: StreamItem, response: OpenResponse) -> None:
            nonlocal passed_on
            made = outcome_of_item(item, response.status, response.headers)
            if put is not None:
                await put(_told(call, made))
            passed_on += 1

        exchange = Exchange(
            transport=transport,
            deadline=call.deadline,
            limits=self.limits,
            put_item=None if put is None else put_item,
            item_checks=call.item_checks,
        )
        result = await exchange.run(call.request, repeatable=call.repeatable)
        if result.passed_on:
            return end_of_stream(call.run.function.name, passed_on)
        outcome = outcome_of_response(
            result, method=call.route.method, expose=self._exposed(call, result.status)
        )
        return _told(call, outcome)

    def _exposed(self, call: "PreparedCall", status: int | None) -> bool:
        """Return whether the model may read the body of a response with an error.

        By default not if a person or a fixed secret has a part in the call: it may be in the body.
        """
        if isinstance(self._settings.expose, bool):
            return self._settings.expose
        separated = call.run.function.separated
        is_persons = separated is not None and bool(separated.split(call.run.arguments)[1])
        is_callers = status is not None and 400 <= status < 500
        return is_callers and not (is_persons or call.run.withholds)


def _told(call: "PreparedCall", outcome: Outcome) -> Outcome:
    """Return an outcome without the credentials of the connection, with the request's repairs."""
    others = () if outcome.ok else call.secrets.others
    if call.secrets.credentials or others:
        outcome = Masker(call.secrets.credentials, others).outcome(outcome)
    repairs = (*outcome.repairs, *call.request.repairs)
    return replace(outcome, function=call.run.function.name, repairs=repairs)


@dataclass(slots=True)
class PreparedCall:
    """A call that is ready to be sent; if `repeatable`, it may be sent again.

    It has the credentials of the connection only if its destination is `trusted`: `bare` is its
    request without them.
    """

    run: Run
    route: Route
    bare: HttpRequest
    request: HttpRequest
    destination: Destination
    secrets: ConnectionSecrets
    repeatable: bool
    item_checks: Validator | None = None
    deadline: float | None = None
    digest: tuple[str, str] | None = None
    tokens: list[tuple[Login, SecurityScheme, Hidden]] = field(default_factory=list[Any])
    _added: dict[str, tuple[SecurityScheme, object]] = field(default_factory=dict[str, Any])

    def add(self, scheme: SecurityScheme, credential: object) -> None:
        """Send a credential, instead of an earlier one of its scheme; outcomes do not show it."""
        self._added[scheme.name] = scheme, credential
        self.request = self.bare
        for name, each in self._added.items():
            self.request, texts = with_credential(self.request, *each)
            self.secrets.credentials += texts if name == scheme.name else ()


def _bearer(scheme: SecurityScheme) -> SecurityScheme:
    """Return a scheme for a token of OAuth 2.0: in `Authorization` it is a bearer's (RFC 6750)."""
    is_key = scheme.type == "apiKey" and (scheme.parameter or "").lower() == "authorization"
    return replace(scheme, type="oauth2") if is_key else scheme


def _without_credentials(function: Function, error: Exception) -> Outcome:
    """Return the outcome after the caller's function raised an exception.

    The outcome does not contain the exception's message, which may contain a secret.
    """
    if isinstance(error, PyfunctoolsError):
        raise error
    log_raised(function.name, "the function for the credentials", error)
    return Outcome(
        text=f"The credentials could not be obtained ({type(error).__name__}). Nothing was sent.",
        reason="raised",
        exception=error,
        response=Response(sent="no"),
    )
