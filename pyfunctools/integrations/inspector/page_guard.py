"""`PageGuard`: who may see the page, from which address, and the headers of every answer."""

from collections.abc import Awaitable, Callable
from hashlib import sha256
from hmac import compare_digest
from typing import Any, cast
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pyfunctools.execution.steps import awaited

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    # `no-referrer` would make the Origin of every form `null`.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_PORTS = {"http": 80, "https": 443}


class PageGuard:
    """The application behind a login (`audience`), or a `token` of one address of this machine."""

    def __init__(
        self,
        inner: ASGIApp,
        audience: "Callable[[Request], str | Awaitable[str | None] | None] | None",
        token: str | None,
    ) -> None:
        self._inner = inner
        self._audience = audience
        self._secret = "" if token is None else _digest(token)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, if its sender may ask."""
        if scope["type"] == "lifespan":
            await self._inner(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        refused = await self._answer(scope)
        await (refused or self._inner)(scope, receive, send_guarded)

    async def _answer(self, scope: Scope) -> Response | None:
        """Return the refusal, or the answer to the address with the token; `None`: go on."""
        headers = Headers(scope=scope)
        if scope["method"] not in ("GET", "HEAD") and not _is_own_origin(scope, headers):
            return _refusal("This form was sent from another page.")
        if self._audience is not None:
            audience = await awaited(self._audience(Request(scope)), "")
            if not isinstance(audience, str) or not audience:
                return _refusal("You are not logged in.")
            scope["pyfunctools.audience"] = audience
            return None
        address = _address(scope)
        if len(headers.getlist("host")) != 1 or headers["host"].lower() not in address:
            return _refusal(f"The address of this page is http://{address[0]}/.")
        cookie = f"pyfunctools_inspector_{address[-1].rpartition(':')[2]}"
        root = scope.get("root_path", "")
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token")
        if given and scope["method"] == "GET" and scope["path"] in (f"{root}/", "/", root):
            if not compare_digest(_digest(given[0]), self._secret):
                return _refusal("This token is of another run of the program.")
            led = RedirectResponse(f"{root}/", 303)
            led.set_cookie(cookie, self._secret, path=root or "/", httponly=True, samesite="strict")
            return led
        if compare_digest(Request(scope).cookies.get(cookie, "").encode(), self._secret.encode()):
            return None
        return _refusal("Open the address with the token that the program printed.")


def audience_of(request: Request) -> str | None:
    """Return whose login a request has, `None` if the page has a token."""
    return cast("str | None", request.scope.get("pyfunctools.audience"))


def _refusal(text: str) -> Response:
    return PlainTextResponse(f"{text} Nothing has run.\n", 403)


def _is_own_origin(scope: Scope, headers: Headers) -> bool:
    """True if a form came from this page; a program that sends no `Origin` is no browser."""
    site = headers.get("sec-fetch-site", "same-origin")
    origins = headers.getlist("origin")
    own = f"{scope['scheme']}://{headers.get('host', '')}".lower()
    return site in ("same-origin", "none") and all(each.lower() == own for each in origins)


def _address(scope: Scope) -> list[str]:
    """Return the `Host` headers of the socket that took the request."""
    host, port = cast("tuple[Any, Any]", scope.get("server") or ("", None))
    usual = _PORTS.get(scope["scheme"], 0)
    name = f"[{host}]".lower() if ":" in str(host) else str(host).lower()
    return [*([name] if (port or usual) == usual else []), f"{name}:{port or usual}"]


def _digest(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
