"""Where requests go: the base URL of an operation, and whether credentials may go there.

Credentials are bound to origins (scheme, host and port). They go to the servers that the caller
named, with `server=True` to the document's own, and to no other: a document is written by others,
and a path or an operation in it may name any host.
"""

import ipaddress
import re
import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple, TypeAlias, cast
from urllib.parse import urlsplit

from pyfunctools._text import shortened
from pyfunctools.errors import DefinitionError, DocumentError, PyfunctoolsError, wrong_type
from pyfunctools.execution.request.styles import percent_except
from pyfunctools.execution.steps import UnsendableError
from pyfunctools.note import Note
from pyfunctools.route import Route, Server, is_dot_segment

WRITE_A_URL = "Pass a base URL such as `https://api.example.com/v1`."


class Destination(NamedTuple):
    """The base URL of a request; it is `trusted` if the connection's credentials may go there."""

    base_url: str
    trusted: bool = True


class Destinations:
    """The destinations of a connection, by its `server` and `variables`.

    Raises:
        DefinitionError: the caller's server or variable is invalid.
    """

    def __init__(
        self,
        server: str | bool | Sequence[str] | None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self._variables = dict(variables or {})
        self._written = listed = checked_servers(server)
        self._named = tuple(server_url((), each, self._variables) for each in listed)
        self._only = Destination(self._named[0]) if isinstance(server, str) else None
        self._accepts = bool(server)

    def __repr__(self) -> str:
        named = [url.partition("?")[0] for url in self._named]
        return repr(named[0] if self._only else named or self._accepts)

    def of(self, route: Route) -> Destination:
        """Return the destination of an operation.

        If the caller named several servers, it is the first server of the operation with an origin
        among them, and the first one named for an operation without a server of its own.

        Raises:
            DefinitionError: the caller named no server and did not accept the document's.
            DocumentError: the document's server cannot be used.
        """
        if self._only is not None:
            return self._only
        trusted = {endpoint_of(url): url for url in reversed(self._named)}
        if trusted:
            for server in route.servers:
                url = self._url_of(server)
                named = None if url is None else trusted.get(endpoint_of(url))
                if url is not None and named is not None:
                    is_own = url in self._named or not urlsplit(named).path.strip("/")
                    return Destination(url if is_own else named)
            if not _names_own_servers(route):
                return Destination(self._named[0])
        url = server_url(route.servers, self._accepts, self._variables)
        if not trusted:
            home = url
            if route.document_servers is not None:
                home = self._url_of(*route.document_servers[:1])
            trusted = {} if home is None else {endpoint_of(home): home}
        if url.startswith("http:") and trusted and all(each[0] == "https" for each in trusted):
            url = re.sub(r"^http(://[^/?]*?)(?::80)?(?=[/?]|$)", r"https\1", url)
        return Destination(url, endpoint_of(url) in trusted)

    def check_variables(self, routes: Iterable[Route]) -> None:
        """Refuse a variable that no server has."""
        listed = (one for each in routes for one in (*each.servers, *(each.document_servers or ())))
        urls = {*self._written, *(server.url for server in listed)}
        known = {name for url in urls for name in _VARIABLE.findall(url)}
        for name in sorted(self._variables.keys() - known, key=str):
            reason = "No server has a variable of this name."
            remedy = f"The variables: {', '.join(sorted(known)) or 'none'}."
            raise DefinitionError(f"variables[{name!r}]", reason, remedy)

    def notes(self, route: Route) -> tuple[Note, ...]:
        """Return a note if an operation is called without the connection's credentials."""
        if self._only is not None or not _names_own_servers(route):
            return ()
        try:
            url, trusted = (self if self._accepts else Destinations(True, self._variables)).of(
                route
            )
        except PyfunctoolsError:  # the call says so
            return ()
        origin = "/".join(url.split("/")[:3])
        text = (
            f"Its own server {origin} is not the one that gets the credentials: it is called "
            "without `auth`, `headers` and cookies. To send them there too, name both: "
            f'`server=["https://...", "{origin}"]`.'
        )
        return () if trusted else (Note(text=text),)

    def _url_of(self, *servers: Server) -> str | None:
        try:
            return server_url(servers, True, self._variables)
        except DocumentError:
            return None


def _names_own_servers(route: Route) -> bool:
    return route.document_servers is not None and route.servers != route.document_servers


def checked_servers(server: object) -> tuple[str, ...]:
    """Return the servers that a caller named: one, several, or none.

    Raises:
        DefinitionError: the setting has another type.
    """
    if isinstance(server, str):
        return (server,)
    if isinstance(server, bool | None):
        return ()
    several = cast("Sequence[object]", server if isinstance(server, list | tuple) else ())
    found = tuple(each for each in several if isinstance(each, str))
    if not found or len(found) < len(several):
        given = cast("object", server)
        raise wrong_type("server", "text, or a list of texts", given, WRITE_A_URL)
    return found


def endpoint_of(url: str) -> tuple[str, str | None, int | None]:
    """Return the scheme, host and port of a URL; a default port is `None`.

    Raises:
        ValueError: it has user information, or is no URL.
    """
    parts = urlsplit(url)
    if "@" in parts.netloc:
        raise ValueError("user information")
    default = {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname, None if parts.port == default else parts.port


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


_CALLER: ErrorMaker = partial(DefinitionError, "server", remedy=WRITE_A_URL)
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
    url, *pieces = _VARIABLE.split(server.url)
    for name, after in zip(pieces[::2], pieces[1::2], strict=True):
        owner = _CALLER if name in given else error
        value = given.get(name, server.variables.get(name))
        if value is None:
            raise error(f"The server variable {name!r} has no value: pass it in `variables`.")
        if name in server.allowed and value not in server.allowed[name]:
            listed = shortened(", ".join(map(repr, server.allowed[name])), 200)
            raise owner(
                f"The server variable {name!r} has a value the document does not list ({listed})."
            )
        url += _variable_text(url, name, value, after, owner) + after
    return url


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


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host."""
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def address_reached(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Return an IP address; for an IPv6 address that contains an IPv4 address, that one.

    Raises:
        ValueError: the text is no IP address.
    """
    ip = ipaddress.ip_address(text)
    if isinstance(ip, ipaddress.IPv6Address):
        if ip in _NAT64:
            return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        return ip.ipv4_mapped or ip.sixtofour or ip
    return ip


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def _is_link_local(host: str) -> bool:
    host = host.rstrip(".")
    with suppress(ValueError):
        return address_reached(host).is_link_local
    try:  # `0xA9FEA9FE` and `2852039166` are the same address to a resolver
        return ipaddress.ip_address(socket.inet_aton(host)).is_link_local
    except (OSError, UnicodeError):
        return False
