"""The settings of a controller whose operations are called over HTTP, and the base URL."""

import ipaddress
import re
import socket
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Literal, TypeAlias, TypedDict, cast
from urllib.parse import urlsplit

from pyfunctools.errors import DefinitionError, DocumentError, PyfunctoolsError, wrong_type
from pyfunctools.execution.request.claims import names_in_connection
from pyfunctools.execution.request.credentials import (
    FRAMING,
    can_be_set,
    explicit_schemes,
    invalid_setting,
    secret_text,
)
from pyfunctools.execution.request.parameters import is_dot_segment
from pyfunctools.execution.request.styles import TOKEN, is_field_value, percent_except
from pyfunctools.execution.unsendable import UnsendableError
from pyfunctools.record.call_info import CallInfo
from pyfunctools.route import ConnectionNames, Server


class Connection(TypedDict, total=False):
    """Where requests go, and what is sent with each of them.

    `server` is the base URL, or `True` for the document's server; `variables` fill its braces.
    `headers` are sent with every request. `auth` maps the name of each security scheme to a
    credential; `{"header:X-Api-Key": ...}` and `{"query:key": ...}` are sent with every request,
    even if the document does not declare them. The headers, and each credential, may be a function
    without parameters or of the call's context. `client` is an httpx client to use instead of the
    controller's own connections. With `expose_error_body` the model reads an excerpt of the body of
    an error response. With `block_private_networks` requests go to public addresses only. With
    `deep` a `deepObject` parameter may nest (`a[b][c]`), which the specification leaves open.
    `idempotency_header` names a header for the id of the call (`CallInfo.id`), sent with every
    request that may change something. Different calls need different ids: leave it out where a
    model's server numbers the calls of each response from one.
    """

    server: str | bool | None
    variables: Mapping[str, str] | None
    headers: Mapping[str, object] | Callable[..., object] | None
    auth: Mapping[str, object] | None
    client: object
    expose_error_body: bool
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
            remedy = _MEANT.get(name, f"The settings are {', '.join(sorted(known))}.")
            raise TypeError(f"unknown setting {name!r}. {remedy}")
    if not isinstance(given.get("server"), str | bool | None):
        raise wrong_type("server", "text", given["server"], _WRITE_A_URL)
    for name, remedy in _MAPPINGS.items():
        if given.get(name) is not None and not isinstance(given[name], Mapping):
            raise wrong_type(name, "a mapping", given[name], remedy)
    for name in _FLAGS:
        if not isinstance(given.get(name), bool | None):
            raise wrong_type(name, "`True` or `False`", given[name])


_WRITE_A_URL = "Pass a base URL such as `https://api.example.com/v1`."
_MEANT = {
    "base_url": "Write `server=`.",
    "timeout": "Write `limits=Limits(deadline=seconds)`.",
    "token": "Write `auth={scheme: token}`, with the name of the document's security scheme.",
    "url": "Write `server=`.",
}
_FLAGS = ("block_private_networks", "deep", "expose_error_body")
_MAPPINGS = {
    "auth": "Write `auth={scheme: credential}`, with the name of the document's security scheme.",
    "variables": "Write `variables={name: text}`.",
}


ErrorMaker: TypeAlias = Callable[[str], PyfunctoolsError]
"""Returns the error for a reason: a mistake of the caller or in the document."""


def server_url(
    servers: Sequence[Server], server: str | bool | None, variables: Mapping[str, str] | None = None
) -> str:
    """Return the base URL: `server` if it is text, or the document's first server if it is `True`.

    The URL is `http` or `https`, without user information and fragment. The caller's `variables`,
    or else the document's defaults, fill its braces; each value is checked against the document's
    list, and cannot leave its part of the URL. A document's server must not be relative, since the
    address of the document is unknown here, nor a link-local address, at which the metadata service
    of a cloud machine answers.

    Raises:
        DefinitionError: there is no server, or the caller's server or variable is invalid.
        DocumentError: the document has no server, or one that cannot be used.
    """
    given = variables or {}
    if isinstance(server, str):
        return _normalized(_with_variables(Server(url=server), given, _CALLER), _CALLER)
    if not server:
        raise DefinitionError(
            "server",
            "No base URL is given.",
            "Pass `server='https://…'`, or `server=True` to accept the document's server.",
        )
    if not servers:
        raise _DOCUMENT("The document names no server.")
    url = _normalized(_with_variables(servers[0], given, _DOCUMENT), _DOCUMENT)
    if _is_link_local(urlsplit(url).hostname or ""):
        raise _DOCUMENT("The server is a link-local address.")
    return url


_CALLER: ErrorMaker = partial(DefinitionError, "server", remedy=_WRITE_A_URL)
_DOCUMENT: ErrorMaker = partial(
    DocumentError, "servers", remedy="Pass `server='https://…'` instead."
)

_VARIABLE = re.compile(r"\{([^{}]*)\}")
_NAME = r"(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])"
_HOST = re.compile(_NAME)
_BEFORE_PATH = re.compile(rf"{_NAME}(?::[0-9]{{1,5}})?")
_PATH = "/!$&'()*+,;=:@"


def _with_variables(server: Server, given: Mapping[str, str], error: ErrorMaker) -> str:
    """Return the URL with a value for each variable; no value can leave its part of the URL."""
    url, end = "", 0
    for found in _VARIABLE.finditer(server.url):
        url += server.url[end : found.start()]
        end = found.end()
        name = found.group(1)
        owner = _CALLER if name in given else error
        value = given.get(name, server.variables.get(name))
        if value is None:
            raise error(f"The server variable {name!r} has no value.")
        if name in server.allowed and value not in server.allowed[name]:
            raise owner(f"The server variable {name!r} has a value the document does not list.")
        url += _variable_text(url, name, value, server.url[end:], owner)
    return url + server.url[end:]


def _variable_text(before: str, name: str, value: str, after: str, error: ErrorMaker) -> str:
    if not before and not after.startswith("://"):
        return value  # the whole base URL, which is checked later
    if "/" in before.partition("://")[2]:
        return _encoded(value, "/", error)
    if not _BEFORE_PATH.fullmatch(value):
        raise error(f"The value of the server variable {name!r} does not fit its place.")
    return value


def _normalized(url: str, error: ErrorMaker) -> str:
    if any(character <= " " or character in "\\{}#\x7f" for character in url):
        raise error("The base URL holds a space, a control character or one of \\ { } #.")
    try:
        parsed = urlsplit(url)
        host, port = parsed.hostname or "", parsed.port
    except ValueError:
        raise error("The base URL is not a URL.") from None
    scheme = parsed.scheme.lower()
    if not scheme:
        raise error("The base URL is relative.")
    if scheme not in ("http", "https"):
        raise error("The base URL is neither http nor https.")
    if "@" in parsed.netloc:
        raise error("The base URL holds user information; pass it as `auth`.")
    if not _HOST.fullmatch(host if ":" not in host else f"[{host}]"):
        raise error("The base URL has no host that is plain ASCII.")
    if any(map(is_dot_segment, parsed.path.split("/"))):
        raise error("The base URL has a `.` or `..` in its path.")
    authority = (f"[{host}]" if ":" in host else host) + ("" if port is None else f":{port}")
    query = f"?{_encoded(parsed.query, _PATH + '?', error)}" if parsed.query else ""
    return f"{scheme}://{authority}{_encoded(parsed.path, _PATH, error)}{query}"


def _encoded(text: str, reserved: str, error: ErrorMaker) -> str:
    try:
        return percent_except(text, reserved)
    except UnsendableError as unsendable:
        raise error(f"The base URL needs {unsendable.expected}.") from None


def _is_link_local(host: str) -> bool:
    host = host.rstrip(".")
    try:
        return ipaddress.ip_address(host).is_link_local
    except ValueError:
        pass
    try:  # `0xA9FEA9FE` and `2852039166` are the same address to a resolver
        return ipaddress.ip_address(socket.inet_aton(host)).is_link_local
    except (OSError, UnicodeError):
        return False


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
            raise invalid_setting(f"headers[{name!r}]", "is not visible ASCII")
        found[name] = text
    return found


def names_of_connection(connection: Connection) -> ConnectionNames:
    """Return the names that the settings of a connection set in every request.

    Headers that a function returns are known only in the call, and not included. Headers that the
    library of a client sets itself are not included either.

    Raises:
        DefinitionError: as `checked_headers`.
    """
    server, headers = connection.get("server"), connection.get("headers")
    fixed = {} if headers is None or callable(headers) else checked_headers(headers)
    found = names_in_connection(fixed, server.partition("?")[2] if isinstance(server, str) else "")
    idempotency_header = connection.get("idempotency_header")
    if idempotency_header is not None:
        found["header"].add(idempotency_header.lower())
    client, auth = connection.get("client"), connection.get("auth") or {}
    found["header"] |= {
        name.lower() for name in client_defaults(client, "headers")
    } - _OF_THE_LIBRARY
    found["cookie"].update(client_defaults(client, "cookies"))
    found["query"].update(client_defaults(client, "params"))
    for scheme in explicit_schemes(auth):
        if scheme.location == "header":
            found["header"].add(str(scheme.parameter).lower())
        else:
            found["query"].add(str(scheme.parameter))
    return found


def checked_idempotency_header(name: object, headers: object) -> str | None:
    """Return the name of the header for a call's id, in lower case, or `None`.

    Raises:
        DefinitionError: a header of this name cannot be set, or `headers` set it too.
    """
    if name is None:
        return None
    remedy = 'Write `idempotency_header="Idempotency-Key"`.'
    if not isinstance(name, str):
        raise wrong_type("idempotency_header", "text", name, remedy)
    if not can_be_set(name):
        raise DefinitionError("idempotency_header", f"{name!r} cannot be set as a header.", remedy)
    if isinstance(headers, Mapping) and name.lower() in checked_headers(cast("object", headers)):
        raise _set_twice(name)
    return name.lower()


def with_call_id(
    headers: dict[str, str], name: str | None, info: CallInfo | None
) -> dict[str, str]:
    """Return the headers, with the id of a call in the header `name` (in lower case).

    An id that is not visible ASCII, or has more than 255 characters, is sent as its SHA-256.

    Raises:
        DefinitionError: the headers set this name already.
    """
    if name is None or info is None:
        return headers
    if name in headers:
        raise _set_twice(name)
    fits = is_field_value(info.id) and 0 < len(info.id) <= 255
    digest = sha256(info.id.encode("utf-8", "surrogatepass")).hexdigest()
    return {**headers, name: info.id if fits else digest}


def _set_twice(name: str) -> DefinitionError:
    return DefinitionError(
        "idempotency_header",
        f"`headers` set {name!r} too, with one value for every call.",
        "Remove it from `headers`.",
    )


_OF_THE_LIBRARY = frozenset({"accept", "accept-encoding", "connection", "user-agent"})
"""Headers that the library of a client sets itself."""


def client_defaults(
    client: object, kind: Literal["headers", "cookies", "params"]
) -> dict[str, str]:
    """Return the headers, cookies or query parameters that a client sends with every request."""
    held: object = getattr(client, kind, None)
    pairs = cast("Mapping[object, object]", held).items() if isinstance(held, Mapping) else ()
    return {str(name): str(text) for name, text in pairs}
