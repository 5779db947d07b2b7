"""The settings of a controller whose operations are called over HTTP, and what is masked of them.

Its credentials are masked in every outcome. Among headers, cookies and the query of the base URL a
credential is recognised by its name, by a security scheme of the document, by its form, or because
it hides its text as `SecretStr` does. The other texts there are masked in errors only: a successful
result may name a tenant or a version.
"""

import re
from base64 import b64decode
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Literal, TypedDict, cast

from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.execution.request.credentials import (
    FRAMING,
    NOT_ASCII,
    can_be_set,
    explicit_schemes,
    invalid_setting,
    provider_of,
    secret_text,
)
from pyfunctools.execution.request.destination import Destinations, checked_servers
from pyfunctools.execution.request.styles import TOKEN, set_in
from pyfunctools.route import ConnectionNames, Location, Route, is_field_value
from pyfunctools.schema.ground.did_you_mean import meant_option
from pyfunctools.schema.separation.predicates import sounds_secret


class Connection(TypedDict, total=False):
    """Where requests go, and what is sent with each of them.

    `server` is the base URL, or `True` for the document's server; `variables` fill its braces.
    `headers` are sent with every request. `auth` maps the name of each security scheme to a
    credential, or an `OAuth2`; `{"header:X-Api-Key": ...}` and `{"query:key": ...}` are sent with
    every request, even if the document does not declare them. The headers, and each credential, may
    be a function without parameters or of the call's context. They and a client's cookies go to
    `server` only: an operation with another server of its own is called there without them, unless
    `server` is a list that names both. `client` is an httpx client to use instead of own
    connections. `expose_error_body` is `"4xx"` by default: of a response with such a status the
    model reads the first 2,048 characters of the body, unless a person gave a part of the
    arguments; `True` is every error, `False` none.
    With `block_private_networks` requests go to public addresses only. With
    `deep` a `deepObject` parameter may nest (`a[b][c]`), which the specification leaves open.
    `idempotency_header` names a header for the id of the call (`CallInfo.id`), sent with every
    request that may change something. Different calls need different ids: leave it out where a
    model's server numbers the calls of each response from one.
    """

    server: str | bool | Sequence[str] | None
    variables: Mapping[str, str] | None
    headers: Mapping[str, object] | Callable[..., object] | None
    auth: Mapping[str, object] | None
    client: object
    expose_error_body: bool | Literal["4xx"]
    block_private_networks: bool
    deep: bool
    idempotency_header: str | None


def check_settings(given: Mapping[str, object], known: Collection[str]) -> None:
    """Refuse unknown settings, and those of the wrong type.

    No error contains a value: it may be a credential.

    Raises:
        TypeError: a setting is unknown.
        DefinitionError: a server, a mapping or a flag is of the wrong type.
    """
    for name in given:
        if name not in known:
            meant = _MEANT.get(name) or meant_option(name, known)
            remedy = meant or f"The settings are {', '.join(sorted(known))}."
            raise TypeError(f"unknown setting {name!r}. {remedy}")
    checked_servers(given.get("server"))
    for name, remedy in _MAPPINGS.items():
        if given.get(name) is not None and not isinstance(given[name], Mapping):
            raise wrong_type(name, "a mapping", given[name], remedy)
    for name, value in cast("Mapping[str, object]", given.get("variables") or {}).items():
        if not isinstance(value, str):
            raise wrong_type(f"variables[{name!r}]", "text", value, _MAPPINGS["variables"])
    for name in _FLAGS:
        if not isinstance(given.get(name), bool | None):
            raise wrong_type(name, "`True` or `False`", given[name])
    exposed = given.get("expose_error_body")
    if not isinstance(exposed, bool | None) and exposed != "4xx":
        raise wrong_type("expose_error_body", '`True`, `False` or `"4xx"`', exposed)


_MEANT = {
    "base_url": "Write `server=`.",
    "retries": "Write `limits=Limits(retries=3)`.",
    "timeout": "Write `limits=Limits(deadline=seconds)`.",
    "token": "Write `auth={scheme: token}`, with the name of the document's security scheme.",
    "url": "Write `server=`.",
}
_FLAGS = ("block_private_networks", "deep")
_MAPPINGS = {
    "auth": "Write `auth={scheme: credential}`, with the name of the document's security scheme.",
    "variables": "Write `variables={name: text}`.",
}


class ConnectionSettings:
    """The settings of a connection, checked; `given` is a copy of them.

    `auth` has a function of the context for each credential, and `headers` may be one.

    Raises:
        DefinitionError: the server, the headers or a credential is invalid, or private networks are
            to be blocked with a client.
    """

    def __init__(self, connection: Connection) -> None:
        self.client = connection.get("client")
        self.public_only = connection.get("block_private_networks", False)
        if self.client is not None and self.public_only:
            raise DefinitionError(
                "block_private_networks",
                "A `client` connects to any address.",
                "Leave out `client`, or check addresses in its transport.",
            )
        self.destinations = Destinations(connection.get("server"), connection.get("variables"))
        headers, auth = connection.get("headers") or {}, connection.get("auth") or {}
        self.names = names_of_connection(connection)
        headers = headers if callable(headers) else dict(headers)
        self.headers = provider_of("headers", headers) if callable(headers) else headers
        self.given: Connection = {**connection, "headers": headers, "auth": dict(auth)}
        self.auth = {name: provider_of(f"auth[{name!r}]", value) for name, value in auth.items()}
        self.explicit_schemes = explicit_schemes(auth)
        self.idempotency_header = (connection.get("idempotency_header") or "").lower() or None
        self.expose = connection.get("expose_error_body", "4xx")
        self.deep = connection.get("deep", False)


def checked_headers(headers: object) -> dict[str, str]:
    """Return the headers of a connection, the names in lower case.

    Raises:
        DefinitionError: they are not a mapping of text to text, a name or a value cannot be sent,
            or a header frames the message.
    """
    if not isinstance(headers, Mapping):
        raise wrong_type("headers", "a mapping", headers)
    found: dict[str, str] = {}
    for key, value in cast("Mapping[object, object]", headers).items():
        name = str(key).lower()
        if not TOKEN.fullmatch(name) or name in FRAMING:
            reason = "frames the message" if name in FRAMING else "is not a valid header name"
            raise invalid_setting(f"headers[{name!r}]", f"{reason} and cannot be set")
        text = secret_text(f"headers[{name!r}]", value)
        if not is_field_value(text):
            raise invalid_setting(f"headers[{name!r}]", NOT_ASCII)
        found[name] = text
    return found


def names_of_connection(connection: Connection) -> ConnectionNames:
    """Return the names that the settings of a connection set in every request.

    Headers that a function returns are known only in the call, and not included. Headers that the
    library of a client sets itself are not included either.

    Raises:
        DefinitionError: the headers are invalid, or set that of `idempotency_header` too.
    """
    headers, key = connection.get("headers"), connection.get("idempotency_header")
    fixed = {} if headers is None or callable(headers) else checked_headers(headers)
    query = "&".join(each.partition("?")[2] for each in checked_servers(connection.get("server")))
    sent = (*set_in(fixed, query), *set_by_client(connection.get("client")))
    found = {(location, name) for location, name, _ in sent}
    for scheme in explicit_schemes(connection.get("auth") or {}):
        location, name = scheme.location or "header", scheme.parameter or ""
        found.add((location, name.lower() if location == "header" else name))
    if key is not None:
        if not (isinstance(key, str) and can_be_set(key)):  # pyright: ignore[reportUnnecessaryIsInstance]
            remedy = 'Write `idempotency_header="Idempotency-Key"`.'
            raise wrong_type("idempotency_header", "the name of a header", key, remedy)
        if key.lower() in fixed:
            raise _set_twice(key)
        found.add(("header", key.lower()))
    return found


def with_call_id(headers: dict[str, str], name: str, call_id: str) -> dict[str, str]:
    """Return the headers, with the id of a call in the header `name` (in lower case).

    An id that is not visible ASCII, or has more than 255 characters, is sent as its SHA-256.
    """
    if name in headers:
        raise _set_twice(name)
    fits = is_field_value(call_id) and 0 < len(call_id) <= 255
    digest = sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()
    return {**headers, name: call_id if fits else digest}


def _set_twice(name: str) -> DefinitionError:
    return DefinitionError(
        "idempotency_header",
        f"`headers` set {name!r} too, with one value for every call.",
        "Remove it from `headers`.",
    )


_OF_THE_LIBRARY = frozenset({"accept", "accept-encoding", "connection", "user-agent"})
"""Headers that the library of a client sets itself."""


def set_by_client(client: object) -> Iterator[tuple[Location, str, str]]:
    """Yield what a caller's client sends with every request, as `set_in` does."""
    headers = _pairs(client, "headers")
    own = {name.lower(): text for name, text in headers if name.lower() not in _OF_THE_LIBRARY}
    yield from set_in(own, "")
    for name, text in _pairs(client, "cookies"):
        yield "cookie", name, text
    for name, text in _pairs(client, "params"):
        yield "query", name, text


def _pairs(client: object, kind: str) -> list[tuple[str, str]]:
    held: object = getattr(client, kind, None)
    pairs = cast("Mapping[object, object]", held).items() if isinstance(held, Mapping) else ()
    return [(str(name), str(text)) for name, text in pairs]


class ConnectionSecrets:
    """The texts of a connection: `credentials`, and `others` that are sent with every request.

    `headers` are the checked ones, `given` the same as the caller wrote them: a text may be hidden.
    """

    def __init__(
        self, route: Route, headers: Mapping[str, str], given: object, url: str, client: object
    ) -> None:
        self.credentials: list[str] = []
        self.others: list[str] = []
        written = cast("Mapping[object, object]", given).items()
        hidden = {str(name).lower() for name, each in written if not isinstance(each, str)}
        declared = {one.parameter.lower() for one in route.schemes.values() if one.parameter}
        sent = set_in(headers, url.partition("?")[2])
        for location, name, text in sent if client is None else (*sent, *set_by_client(client)):
            is_header = location == "header"
            if not text or (is_header and name == "cookie"):
                continue
            is_hidden = (is_header and name in hidden) or name.lower() in declared
            if is_hidden or _is_credential(name, text):
                self.credentials += (text, *_secret_parts(text))
            else:
                self.others.append(text)


def _is_credential(name: str, text: str) -> bool:
    if sounds_secret(name) or not _AUTH.isdisjoint(re.findall(r"[a-z]+", name.lower())):
        return True
    if name.lower() in _PLAIN:
        return False
    is_token = _TOKEN.fullmatch(text) and not _VERSION.fullmatch(text)
    return bool(is_token or _SCHEME.match(text))


def _secret_parts(text: str) -> Iterator[str]:
    """Yield the secret parts of a credential: the text after its scheme, the password."""
    scheme, _, rest = text.partition(" ")
    if rest:
        yield rest.strip()
    if scheme.lower() == "basic":
        with suppress(ValueError):
            pair = b64decode(rest).decode()
            yield from (pair, pair.partition(":")[2])


_AUTH = frozenset(
    {"auth", "authentication", "authorization", "bearer", "session", "sessionid", "sid"}
    | {"sig", "signature", "csrf", "xsrf", "nonce"}
)
"""Words in the name of a header, cookie or query parameter that holds a credential."""

_PLAIN = frozenset(
    {"baggage", "cache-control", "expect", "idempotency-key", "keep-alive", "prefer", "range"}
    | {"traceparent", "tracestate", "user-agent", "x-correlation-id", "x-request-id"}
)
"""Headers whose values look like a token, and are none."""

_SCHEME = re.compile(r"(?:basic|bearer|digest|negotiate|token|apikey|api-key)\s", re.IGNORECASE)
_TOKEN = re.compile(r"(?=.*[a-z])(?=.*\d)[\w.~+/=:-]{8,}", re.ASCII | re.IGNORECASE)
"""A value with letters and digits, and without spaces."""
_VERSION = re.compile(
    r"\d{4}-\d\d-\d\d\S*"  # 2024-10-01, 2024-10-01-preview
    r"|v?\d{1,4}(?:\.\d{1,6}){1,4}(?:[.-](?:alpha|beta|dev|preview|rc)[.-]?\d*)?"  # 1.2.3-beta4
    r"|https?://\S*|(?:application|audio|image|text|video)/[\w.+-]+",
    re.ASCII | re.IGNORECASE,
)
