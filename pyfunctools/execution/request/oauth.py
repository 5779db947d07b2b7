"""OAuth 2.0 as data: the settings of a login, its addresses, and what a token server answers.

`execution.http.logins` sends what is made here. Nothing here shows a secret in its `repr`.
"""

import json
import time
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from hashlib import sha256
from importlib import import_module
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, cast
from urllib.parse import urljoin

from pyfunctools.errors import DefinitionError, DocumentError, missing_extra, wrong_type
from pyfunctools.execution.request.assembly import HttpRequest
from pyfunctools.execution.request.credentials import secret_text
from pyfunctools.execution.request.destination import endpoint_of, is_loopback
from pyfunctools.media_types import is_json_media
from pyfunctools.route import SecurityScheme, is_field_value
from pyfunctools.schema.parsing.strict import parse_strict

LoginKind: TypeAlias = Literal["client", "code", "device"]
"""With the client's own secret, by an authorization code, or on another device."""


class TokenStore(Protocol):
    """Keeps tokens between calls, as texts; its methods may be asynchronous for `acall`.

    The texts are secrets: encrypt them where they are stored. An empty text takes a key away.
    """

    def load(self, key: str, /) -> "str | Awaitable[str | None] | None":
        """Return the text that was saved under a key, `None` if there is none."""
        ...

    def save(self, key: str, text: str, /) -> object:
        """Save a text under a key, in place of an earlier one."""
        ...


class _Memory:
    def __init__(self) -> None:
        self._texts = dict[str, str]()

    def load(self, key: str, /) -> str | None:
        return self._texts.get(key)

    def save(self, key: str, text: str, /) -> None:
        self._texts[key] = text

    def __reduce__(self) -> tuple[object, ...]:
        return (_Memory, ())  # a token stays in its process


class Hidden(dict[str, Any]):
    """A token, a login that has begun, or an answer of a token server; its `repr` is `***`."""

    def __repr__(self) -> str:
        return "***"

    @property
    def is_fresh(self) -> bool:
        """Whether it has not expired."""
        return self["until"] is None or time.time() < self["until"]


class NoToken(NamedTuple):
    """Why there is no token.

    `code` is an error of the specification. If `asks`, `reason` is a key of `plain_words.TEXTS`,
    and the person is asked again; else it completes the sentence "The login server ...".
    """

    reason: str
    code: str | None = None
    asks: bool = False
    is_late: bool = False


class LoginFlow(NamedTuple):
    """How a token is obtained, and where; `login_url` is for the person, or begins a device's."""

    kind: LoginKind
    token_url: str
    login_url: str


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class OAuth2:
    """The credential of a security scheme whose tokens come from an OAuth 2.0 server.

    With a `redirect_uri` a person logs in by an authorization code (with PKCE); with `device_url`,
    or if the document has only that flow, on another device; else the client's own credentials
    are used. A login is one more question to the person, of the kind `login`: `help` is the address
    to open, and the answer is the address that one was sent back to, with a device code `True`.
    Each `audience` has its own token. Addresses that are not given are the document's; all are
    https, or of this machine. Tokens are kept in the `store`, by default in memory.

    Raises:
        MissingExtraError: the extra `oauth` is not installed.
        DefinitionError: a setting has the wrong type, or an address is not https.
    """

    client_id: str
    client_secret: object = None
    _: KW_ONLY
    scopes: Iterable[str] = ()
    token_url: str | None = None
    authorize_url: str | None = None
    device_url: str | None = None
    redirect_uri: str | None = None
    store: TokenStore | None = None
    _memory: _Memory = field(default_factory=_Memory, init=False)

    def __post_init__(self) -> None:
        try:
            import_module("authlib")
        except ImportError as error:
            raise missing_extra("OAuth2", "Authlib", "authlib", "oauth", error) from error
        scopes = self.scopes.split() if isinstance(self.scopes, str) else tuple(self.scopes)
        object.__setattr__(self, "scopes", tuple(scopes))
        secret_of(self)
        methods = (getattr(store_of(self), name, None) for name in ("load", "save"))
        wanted = {
            "client_id": ("a text", isinstance(self.client_id, str) and bool(self.client_id)),  # pyright: ignore[reportUnnecessaryIsInstance]
            "scopes": ("texts without spaces", all(map(_is_word, scopes))),
            "redirect_uri": ("a URL", self.redirect_uri is None or _is_word(self.redirect_uri)),
            "store": ("an object with `load` and `save`", all(map(callable, methods))),
        }
        for name, (what, is_right) in wanted.items():
            if not is_right:
                raise wrong_type(f"OAuth2({name})", what, getattr(self, name))
        for name in ("token_url", "authorize_url", "device_url"):
            url = getattr(self, name)
            if url is not None and (wrong := _wrong_address(url)):
                raise DefinitionError(f"OAuth2({name})", f"This address {wrong}.", _REMEDY)

    def __repr__(self) -> str:
        return f"OAuth2(client_id={self.client_id!r})"


def secret_of(settings: OAuth2) -> str | None:
    """Return the client's secret as text."""
    given = settings.client_secret
    return None if given is None else secret_text("OAuth2(client_secret)", given)


def store_of(settings: OAuth2) -> TokenStore:
    """Return the store of the program, or the memory of this process."""
    return settings._memory if settings.store is None else settings.store  # pyright: ignore[reportPrivateUsage]


def login_kind(settings: OAuth2, scheme: SecurityScheme) -> LoginKind:
    """Return how a token of a scheme is obtained.

    Raises:
        DefinitionError: the settings are not complete.
    """
    if settings.redirect_uri:
        return "code"
    if settings.device_url:
        return "device"
    if settings.client_secret and (settings.token_url or "clientCredentials" in scheme.flows):
        return "client"
    if "deviceAuthorization" in scheme.flows:
        return "device"
    raise DefinitionError(
        f"auth[{scheme.name!r}]",
        "It is not said how to log in.",
        "Give `redirect_uri=` for an authorization code, `device_url=` for a device code, or "
        "`client_secret=` (and `token_url=`) for the client's own credentials.",
    )


def login_flow(settings: OAuth2, scheme: SecurityScheme, base_url: str) -> LoginFlow:
    """Return how a token of a scheme is obtained, and where.

    A relative address of a document begins at the base URL of the call.

    Raises:
        DefinitionError: the settings are not complete.
        DocumentError: an address is not in the document, or cannot be used.
    """
    kind = login_kind(settings, scheme)
    flow, login, given = _ADDRESSES[kind]
    known = scheme.flows.get(flow, {})

    def address(key: str, name: str) -> str:
        own: str | None = getattr(settings, name)
        found = own or (urljoin(base_url, known[key]) if known.get(key) else "")
        wrong = _wrong_address(found) if found else "is not given, and not in the document"
        if wrong and not own:
            where = f"securitySchemes.{scheme.name}.flows.{flow}.{key}"
            raise DocumentError(where, f"This address {wrong}.", remedy=_MISSING.format(name))
        return found

    login_url = address(login, given) if login else ""
    return LoginFlow(kind, address("tokenUrl", "token_url"), login_url)


def stored_under(settings: OAuth2, what: str, flow: LoginFlow, audience: str | None) -> str:
    """Return the key of a text in the store."""
    named = [*flow, settings.client_id, settings.scopes, settings.redirect_uri, audience]
    return f"pyfunctools:{what}:{sha256(json.dumps(named).encode()).hexdigest()}"


def login_request(
    settings: OAuth2, url: str, fields: Mapping[str, str], *, has_secret_in_body: bool
) -> HttpRequest:
    """Return the request of a client to a token server; blank fields are left out."""
    add: Any = import_module("authlib.common.urls").add_params_to_qs
    client: Any = import_module("authlib.oauth2.auth").ClientAuth
    secret, headers = secret_of(settings), {"accept": "application/json"}
    is_ascii = f"{settings.client_id}{secret}".isascii()
    method = "basic" if is_ascii and not has_secret_in_body else "post"
    method = "none" if secret is None else f"client_secret_{method}"
    body = add("", [(name, text) for name, text in fields.items() if text])
    _, headers, body = client(settings.client_id, secret, method).prepare(
        "POST", url, headers, body
    )
    lower = {name.lower(): text for name, text in headers.items()}
    lower["content-type"] = "application/x-www-form-urlencoded"
    return HttpRequest(method="POST", url=url, headers=lower, content=body.encode())


def answer_of(status: int, media_type: str, body: bytes) -> Hidden | NoToken:
    """Return what a token server answered, which may be anything.

    Of an error only codes of the specifications are kept: other words may be of anyone.
    """
    read = parse_strict(body, 8) if is_json_media(media_type) else None
    value = None if read is None else read.value
    if isinstance(value, dict) and status == 200 and "error" not in value:
        return Hidden(value)
    code = value.get("error") if isinstance(value, dict) else None
    if isinstance(code, str) and code in _CODES:
        return NoToken(f"refused: {code}", code)
    what = "" if status == 200 or not 100 <= status <= 599 else f"with status {status}"
    return NoToken(f"answered {what or 'something that is no token'}")


def token_of(answer: Hidden | NoToken, earlier: Hidden | None = None) -> Hidden | NoToken:
    """Return the token of an answer; without a new refresh token it keeps the `earlier` one."""
    if isinstance(answer, NoToken):
        return answer
    access, kind = answer.get("access_token"), answer.get("token_type", "bearer")
    is_bearer = isinstance(kind, str) and kind.lower() == "bearer"
    if not is_bearer or not _is_word(access):
        return NoToken("answered something that is no token")
    refresh, seconds = answer.get("refresh_token"), _seconds(answer.get("expires_in"))
    until = None if seconds is None else time.time() + max(seconds * 0.9, seconds - 30)
    known = None if earlier is None else earlier["refresh"]
    return Hidden(access=access, refresh=refresh if _is_word(refresh) else known, until=until)


def device_login_of(answer: Hidden | NoToken) -> Hidden | NoToken:
    """Return the login that a device began (RFC 8628, section 3.2)."""
    if isinstance(answer, NoToken):
        return answer
    url = answer.get("verification_uri", answer.get("verification_url"))
    whole = answer.get("verification_uri_complete", url)
    address = next((each for each in (whole, url) if not _wrong_address(each)), None)
    proof, code = answer.get("device_code"), answer.get("user_code")
    if address is None or not _is_word(proof) or not _is_word(code, 64):
        return NoToken("answered something that is no device code")
    until = time.time() + (_seconds(answer.get("expires_in")) or 600)
    interval = _seconds(answer.get("interval"))
    interval = 5 if interval is None else interval
    return Hidden(proof=proof, code=code, address=address, until=until, interval=interval, after=0)


def saved(text: object, what: str) -> Hidden | None:
    """Return the `token` or `login` that was saved as this text; `None` if the text is none."""
    read = parse_strict(text, 8) if isinstance(text, str) and text else None
    value = None if read is None else read.value
    if not isinstance(value, dict) or value.keys() not in _SAVED[what]:
        return None
    for name, each in value.items():
        is_none = each is None and name in ("refresh", "until")
        if not (is_none or isinstance(each, (int | float) if name in _TIMES else str)):
            return None
    return Hidden(value)


_SAVED = {
    "token": [{"access", "refresh", "until"}],
    "login": [
        {"proof", "verifier", "address", "until"},
        {"proof", "code", "address", "until", "interval", "after"},
    ],
}
"""The names in what is saved, by what it is: a login begins with a code or on a device."""
_TIMES = ("until", "interval", "after")


def _is_word(value: object, longest: int = 16_384) -> bool:
    is_text = isinstance(value, str) and 0 < len(value) <= longest
    return is_text and " " not in cast("str", value) and is_field_value(cast("str", value))


def _seconds(value: object) -> float | None:
    """Return a number of seconds; some servers write it as text."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 12:
        value = int(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(cast("float", value)) if is_number and 0 <= cast("float", value) < 1e10 else None


def _wrong_address(url: object) -> str | None:
    """Return what is wrong with the address of a login: it is https, or http of this machine."""
    if not isinstance(url, str) or not is_field_value(url) or any(c in url for c in ' \\"<>'):
        return "is not a URL"
    try:
        scheme, host, _ = endpoint_of(url)
    except ValueError:
        scheme, host = "", None
    if not host or "#" in url:
        return "is not a URL of a host, without a user and a fragment"
    is_safe = scheme == "https" or (scheme == "http" and is_loopback(host))
    return None if is_safe else "is not https"


_REMEDY = "Give `OAuth2` an address such as `https://login.example.com/token`."
_MISSING = "Give `OAuth2({}=)`; OpenID Connect lists its addresses as JSON at `openIdConnectUrl`."
_ADDRESSES: dict[LoginKind, tuple[str, str, str]] = {
    "client": ("clientCredentials", "", ""),
    "code": ("authorizationCode", "authorizationUrl", "authorize_url"),
    "device": ("deviceAuthorization", "deviceAuthorizationUrl", "device_url"),
}
_CODES = frozenset(
    {"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client"}
    | {"unsupported_grant_type", "invalid_scope", "access_denied", "temporarily_unavailable"}
    | {"server_error", "authorization_pending", "slow_down", "expired_token"}
)
"""Errors of RFC 6749 (4.1.2.1, 5.2) and RFC 8628 (3.5)."""
