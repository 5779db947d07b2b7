"""Logins: tokens of OAuth 2.0, obtained, renewed, and asked of a person.

One call renews a token for all others that wait for it, in any thread and on any loop. What a
person has to do is a question of the runner in the middle of a call (`Run.dialog`), on the same
road as the questions of a remote server: callables, tickets, `resume`.
"""

import json
import os
import secrets
import time
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from hmac import compare_digest
from importlib import import_module
from threading import get_ident
from typing import Any, TypeVar, cast
from urllib.parse import parse_qs, urlsplit

from pyfunctools.errors import LoopError, PyfunctoolsError
from pyfunctools.execution.http.exchange import Exchange, rest, wait_for
from pyfunctools.execution.http.transports import Pools
from pyfunctools.execution.request.oauth import (
    Hidden,
    LoginFlow,
    NoToken,
    OAuth2,
    answer_of,
    device_login_of,
    login_request,
    saved,
    store_of,
    stored_under,
    token_of,
)
from pyfunctools.execution.runner import Run
from pyfunctools.execution.steps import Answered, login_path
from pyfunctools.execution.trace import log_raised
from pyfunctools.limits import Limits
from pyfunctools.record.function import settings_of
from pyfunctools.record.outcome import Outcome, Question, Response, Waiting
from pyfunctools.schema import coerce
from pyfunctools.schema.feedback.plain_words import TEXTS

T = TypeVar("T")

LARGEST = 64 << 10
"""Bytes of an answer of a token server."""

LIFETIME = 600
"""Seconds in which a person has to log in by an authorization code."""


_RUNNING = dict[Hashable, tuple[Future[tuple[Any] | None], int, Hashable]]()
"""The steps that run now, the threads that take them, and their names; `setdefault` is atomic."""


class _StoreError(Exception):
    """A store of the program raised. Never leaves this file."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


@dataclass(frozen=True, slots=True, repr=False)
class Login:
    """How one call gets the token of one security scheme, `name`."""

    name: str
    run: Run
    settings: OAuth2
    flow: LoginFlow
    pools: Pools
    limits: Limits

    async def token(self) -> Hidden | Outcome:
        """Return a token; the outcome waits if a person has to log in, or says why there is none.

        Raises:
            PyfunctoolsError: the store has to be awaited.
        """
        answered = None if self.run.dialog is None else self.run.dialog.answered
        if answered is not None and answered.state != self.name:
            answered = None
        is_declined = answered is not None and self._is_declined(answered)
        try:
            found = None if is_declined else await self._known(None)
            found = await self._asked(answered) if found is None else found
        except _StoreError as failed:
            log_raised(self.run.function.name, "the store of tokens", failed.error)
            text = f"The store of logins failed ({type(failed.error).__name__}). Nothing was sent."
            return Outcome(
                text=text, reason="raised", exception=failed.error, response=Response(sent="no")
            )
        if not isinstance(found, NoToken):
            return found
        text = f"There is no access token: the login server {found.reason}. Nothing was sent."
        reason = "deadline" if found.is_late else "transport"
        return Outcome(text=text, reason=reason, response=Response(sent="no"))

    async def renewed(self, rejected: Hidden) -> Hidden | None:
        """Return another token than the one that a server rejected; `None` if there is none."""
        try:
            found = await self._known(rejected["access"])
        except (_StoreError, LoopError):
            return None
        return None if isinstance(found, NoToken) else found

    async def _known(self, rejected: str | None) -> Hidden | NoToken | None:
        """Return a token that nobody has to be asked for; `None` if somebody has to be."""
        found = await self._fresh(rejected)
        return found or await self._once("token", partial(self._new, rejected))

    async def _fresh(self, rejected: str | None = None) -> Hidden | None:
        token = await self._load("token")
        is_good = token is not None and token.is_fresh and token.get("access") != rejected
        return token if is_good else None

    async def _new(self, rejected: str | None) -> Hidden | NoToken | None:
        if fresh := await self._fresh(rejected):  # another call has renewed it
            return fresh
        token = await self._load("token")
        if token is not None and token.get("refresh"):
            found = await self._granted("refresh_token", token, refresh_token=token["refresh"])
            if isinstance(found, Hidden) or found.code != "invalid_grant":
                return found
            if fresh := await self._fresh(token["access"]):  # another process has renewed it
                return fresh
        if self.flow.kind == "client":
            return await self._granted("client_credentials", scope=" ".join(self.settings.scopes))
        await self._save("token", None)
        return None

    async def _granted(
        self, grant: str, earlier: Hidden | None = None, **fields: str
    ) -> Hidden | NoToken:
        answer = await self._sent(self.flow.token_url, {"grant_type": grant, **fields})
        found = token_of(answer, earlier)
        if isinstance(found, Hidden):
            await self._save("token", found)
        return found

    async def _asked(self, answered: Answered | None) -> Hidden | NoToken | Outcome:
        """Return the token after a person has logged in, or the outcome that waits for it."""
        ask = None if self.run.dialog is None else self.run.dialog.ask
        problem = None
        while True:
            if answered is not None and answered.accepted is not None:
                found = await self._finished(answered)
                if isinstance(found, Hidden):
                    return found
                if found.code == "access_denied":
                    return Outcome(text=_DECLINED, reason="declined")
                if not found.asks:
                    return found
                problem = self._text(found.reason)
            begun = await self._once("login", self._begun)
            if isinstance(begun, NoToken):
                return begun
            waiting = self._waiting(begun, problem)
            given = None if ask is None else await ask(waiting)
            if isinstance(given, Outcome):
                return given
            if given is None:
                return Outcome(text=_LOG_IN, reason="needs_human", waiting=waiting)
            answered = given

    def _waiting(self, begun: Hidden, problem: str | None) -> Waiting:
        is_code, address = self.flow.kind == "code", str(begun["address"])
        host = urlsplit(address).netloc
        label = "login" if is_code else "login_code"
        question = Question(
            path=login_path(self.run.function),
            label=self._text(label).format(host=host, code=begun.get("code")),
            kind="login",
            help=address,
            secret=is_code,
            problem=problem,
            schema={"type": "string", "format": "uri"} if is_code else {"type": "boolean"},
        )
        name = self.run.function.name
        return Waiting(function=name, questions=(question,), _state=self.name)

    async def _begun(self) -> Hidden | NoToken:
        """Return the login that has begun, with the address for the person; begin it if needed."""
        known = await self._load("login")
        if known is not None and known.is_fresh:
            return known
        settings = self.settings
        if self.flow.kind == "device":
            fields = {"client_id": settings.client_id, "scope": " ".join(settings.scopes)}
            begun = device_login_of(await self._sent(self.flow.login_url, fields))
            if isinstance(begun, NoToken):
                return begun
        else:
            state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
            challenge: Any = import_module("authlib.oauth2.rfc7636").create_s256_code_challenge
            make: Any = import_module("authlib.oauth2.rfc6749.parameters").prepare_grant_uri
            address = make(
                self.flow.login_url,
                settings.client_id,
                "code",
                redirect_uri=settings.redirect_uri,
                scope=" ".join(self.settings.scopes),
                state=state,
                code_challenge=challenge(verifier),
                code_challenge_method="S256",
            )
            until = time.time() + LIFETIME
            begun = Hidden(proof=state, verifier=verifier, address=address, until=until)
        await self._save("login", begun)
        return begun

    async def _finished(self, answered: Answered) -> Hidden | NoToken:
        if self._is_declined(answered):
            return NoToken("", "access_denied")
        given = next(iter(answered.values.values()), None)
        return await self._once(("login", str(given)), partial(self._exchanged, given))

    def _is_declined(self, answered: Answered) -> bool:
        """Return whether the person does not want to log in; then no known token is used either."""
        given = next(iter(answered.values.values()), None)
        is_no = self.flow.kind == "device" and coerce({"type": "boolean"}, given).value is False
        return answered.accepted is False or is_no

    async def _exchanged(self, given: object) -> Hidden | NoToken:
        if fresh := await self._fresh():  # an answer to another call was first
            return fresh
        begun = await self._load("login")
        if begun is None or not begun.is_fresh:
            return _AGAIN
        is_code = self.flow.kind == "code"
        found = await (self._by_code if is_code else self._by_device)(given, begun)
        if isinstance(found, Hidden) or found.code is not None:
            await self._save("login", None)
        is_over = isinstance(found, NoToken) and found.code in ("expired_token", "invalid_grant")
        return _AGAIN if is_over else found

    async def _by_code(self, given: object, begun: Hidden) -> Hidden | NoToken:
        try:
            query = parse_qs(urlsplit(str(given)).query, max_num_fields=100)
        except ValueError:
            return _WRONG
        state, code = (query.get(name, [""])[0] for name in ("state", "code"))
        if self.run.person is not None and code not in begun["address"]:
            self.run.person.private.secret_answers.append(code)
        if not compare_digest(state.encode(), begun["proof"].encode()):
            return _WRONG
        if "error" in query or not code:
            is_refused = query.get("error") == ["access_denied"]
            return NoToken("", "access_denied" if is_refused else "invalid_grant")
        return await self._granted(
            "authorization_code",
            code=code,
            redirect_uri=self.settings.redirect_uri or "",
            code_verifier=begun["verifier"],
        )

    async def _by_device(self, given: object, begun: Hidden) -> Hidden | NoToken:
        agreed = coerce({"type": "boolean"}, given).value
        early = begun["after"] - time.time()
        if agreed is not True or early > self.limits.deadline:
            return _OPEN
        if early > 0:
            await rest(early, blocks=not self.run.awaits)
        found = await self._granted(_DEVICE_GRANT, device_code=begun["proof"])
        if isinstance(found, Hidden) or found.code not in ("authorization_pending", "slow_down"):
            return found
        interval = begun["interval"] + (5 if found.code == "slow_down" else 0)
        after = time.time() + interval
        await self._save("login", Hidden({**begun, "interval": interval, "after": after}))
        return _OPEN

    async def _sent(self, url: str, fields: dict[str, str]) -> Hidden | NoToken:
        """Return the answer of a login server; no redirect is followed with the secrets."""
        found: Hidden | NoToken = NoToken("")
        limits = replace(self.limits, response=LARGEST, redirects=0, retries=0)
        for in_body in (False, True):  # some servers take the client's secret only there
            transport = self.pools.transport(awaits=self.run.awaits)
            deadline = time.monotonic() + limits.deadline
            exchange = Exchange(transport=transport, deadline=deadline, limits=limits)
            request = login_request(self.settings, url, fields, has_secret_in_body=in_body)
            result = await exchange.run(request, repeatable=False)
            if result.lost or result.status is None:
                return NoToken("has not answered", is_late=result.late)
            media_type = result.headers.get("content-type", "")
            found = answer_of(result.status, media_type, result.body)
            is_unknown = isinstance(found, NoToken) and found.code == "invalid_client"
            if not is_unknown or self.settings.client_secret is None:
                break
        return found

    async def _once(self, name: Hashable, steps: Callable[[], Awaitable[T]]) -> T | NoToken:
        """Return the result of the steps, taken once for all calls that wait for it.

        These may be in any thread and on any loop. If the steps fail, by a cancellation for
        example, the next call takes its own. Steps of another name come after them: both write what
        is stored.

        Raises:
            LoopError: this call blocks the loop on which another one takes the steps.
        """
        future, blocks = Future[tuple[Any] | None](), not self.run.awaits
        future.set_running_or_notify_cancel()
        mine = future, get_ident(), name
        # A forked process waits for nobody in the other.
        key = (os.getpid(), id(store_of(self.settings)), self._key("token"))
        while (running := _RUNNING.setdefault(key, mine)) is not mine:
            if blocks and running[1] == get_ident():
                raise LoopError(self.run.function.name)
            if not await wait_for(running[0], self.limits.deadline, blocks=blocks):
                return NoToken("has not answered in time", is_late=True)
            if (found := running[0].result()) is not None and running[2] == name:
                return cast("T", found[0])
        result: tuple[T] | None = None
        try:
            result = (await steps(),)
            return result[0]
        finally:
            del _RUNNING[key]
            future.set_result(result)

    def _key(self, what: str) -> str:
        audience = None if self.flow.kind == "client" else self.run.info.audience
        return stored_under(self.settings, what, self.flow, audience)

    async def _load(self, what: str) -> Hidden | None:
        load = partial(store_of(self.settings).load, self._key(what))
        return saved(await self._stored(load), what)

    async def _save(self, what: str, found: Hidden | None) -> None:
        save = partial(store_of(self.settings).save, self._key(what))
        await self._stored(lambda: save(json.dumps(found) if found else ""))

    async def _stored(self, called: Callable[[], object]) -> object:
        """Return what a method of the store returns.

        Its exceptions are caught here, so that no frame of a traceback holds a secret.
        """
        try:
            return await self.run.resolve(called(), "OAuth2(store)")
        except PyfunctoolsError:
            raise
        except Exception as error:  # the program's code may raise anything
            raise _StoreError(error) from None

    def _text(self, key: str) -> str:
        settings = settings_of(self.run.function)
        return TEXTS[key] if settings is None else settings.texts.get(key, TEXTS[key])


_DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_AGAIN = NoToken("login_again", asks=True)
_OPEN = NoToken("login_open", asks=True)
_WRONG = NoToken("login_wrong", asks=True)
_LOG_IN = "A person has to log in first. Nothing has run yet."
_DECLINED = "The person did not log in. Nothing has run."
