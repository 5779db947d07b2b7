"""How operations are reached over HTTP: the settings of a controller, and the base URL."""

import ipaddress
import re
import socket
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from inspect import Parameter, signature
from typing import TypeAlias, TypedDict, cast
from urllib.parse import urlsplit

from pyfunctools.errors import DefinitionError, DocumentError, PyfunctoolsError, wrong_type
from pyfunctools.execution.request.parameters import is_dot_segment
from pyfunctools.execution.request.styles import kept
from pyfunctools.execution.unsendable import UnsendableError
from pyfunctools.route import Server


class Connection(TypedDict, total=False):
    """Where requests go and what goes with each of them.

    `server` is the base URL, or `True` for the one the document names, whose braces `variables`
    fill. `headers` go with every request. `auth` gives a credential for each security scheme by
    its name; `{"header:X-Api-Key": ...}` and `{"query:key": ...}` go with every request, whatever
    the document says. Headers as a whole and each credential may be a function of nothing or of the
    call's context. `client` is an httpx client to use instead of the controller's own connections.
    With `expose_error_body` the model reads an excerpt of a failed answer's body; with
    `block_private_networks` only addresses of the open internet are connected to; with `deep` a
    `deepObject` parameter may nest (`a[b][c]`), which the specification leaves open.
    `idempotency_header` names a header for the id of the call (`CallInfo.id`), which every request
    that may change something then has; ids have to be different for different calls, so leave it
    out where a model's server numbers the calls of each response anew.
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

    No error shows a value: it may be a credential.

    Raises:
        TypeError: a setting is unknown.
        DefinitionError: a setting is of the wrong type.
    """
    for name in given:
        if name not in known:
            meant = _MEANT.get(name, f"The settings are {', '.join(sorted(known))}.")
            raise TypeError(f"unknown setting {name!r}. {meant}")
    if not isinstance(given.get("server"), str | bool | None):
        raise wrong_type(
            "server",
            "text",
            given["server"],
            "Pass a base URL such as `https://api.example.com/v1`.",
        )
    for name, remedy in _MAPPINGS.items():
        if given.get(name) is not None and not isinstance(given[name], Mapping):
            raise wrong_type(name, "a mapping", given[name], remedy)
    if callable(given.get("headers")):
        _check_source("headers", given["headers"])
    for name, value in cast("Mapping[str, object]", given.get("auth") or {}).items():
        _check_source(f"auth[{name!r}]", value)


_MEANT = {
    "base_url": "Write `server=`.",
    "timeout": "Write `limits=Limits(deadline=seconds)`.",
    "token": "Write `auth={scheme: token}`, with the name of the document's security scheme.",
    "url": "Write `server=`.",
}
_MAPPINGS = {
    "auth": "Write `auth={scheme: credential}`, with the name of the document's security scheme.",
    "variables": "Write `variables={name: text}`.",
}


def _check_source(where: str, value: object) -> None:
    """Refuse a function that could not be called for a header or a credential."""
    if not callable(value):
        return
    try:
        parameters = signature(value).parameters.values()
    except (TypeError, ValueError):  # some built-in callables have no signature
        return
    needed = [p for p in parameters if p.default is Parameter.empty and p.kind not in _STARS]
    if len(needed) > 1 or any(p.kind is Parameter.KEYWORD_ONLY for p in needed):
        raise DefinitionError(
            where,
            "This function has more required parameters than the context.",
            "Write one of no parameters, or of the context alone.",
        )


_STARS = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


Refusal: TypeAlias = Callable[[str], PyfunctoolsError]
"""Makes the error for a reason: it is the caller's fault or the document's."""


def server_url(
    servers: Sequence[Server], server: str | bool | None, variables: Mapping[str, str] | None = None
) -> str:
    """Return the base URL: `server` where it is a text, the document's first where it is `True`.

    Only `http` and `https`, without user information and fragment. `variables` are the caller's
    values for what stands in braces, the defaults the document's; each is checked against the
    document's list and stays in the part of the URL it stands in. A document's server may not be
    relative, for where the document came from is not known here, nor a link-local address, where
    only the metadata of a cloud machine answers.

    Raises:
        DefinitionError: there is no server, or the caller's or one of the variables is none.
        DocumentError: the document has no server, or one that cannot be used.
    """
    given = variables or {}
    if isinstance(server, str):
        return _checked(_filled(Server(url=server), given, _CALLER), _CALLER)
    if not server:
        raise DefinitionError(
            "server",
            "No base URL is given.",
            "Pass `server='https://…'`, or `server=True` to accept the document's.",
        )
    if not servers:
        raise _DOCUMENT("The document names no server.")
    url = _checked(_filled(servers[0], given, _DOCUMENT), _DOCUMENT)
    if _is_link_local(urlsplit(url).hostname or ""):
        raise _DOCUMENT("The server is a link-local address.")
    return url


_CALLER: Refusal = partial(
    DefinitionError, "server", remedy="Pass a base URL such as `https://api.example.com/v1`."
)
_DOCUMENT: Refusal = partial(DocumentError, "servers", remedy="Pass `server='https://…'` instead.")

_VARIABLE = re.compile(r"\{([^{}]*)\}")
_NAME = r"(?:[A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])"
_HOST = re.compile(_NAME)
_AUTHORITY = re.compile(rf"{_NAME}(?::[0-9]{{1,5}})?")
_PATH = "/!$&'()*+,;=:@"


def _filled(server: Server, given: Mapping[str, str], refusal: Refusal) -> str:
    """Return the URL with a value for each variable, none of which can leave its place."""
    url, end = "", 0
    for found in _VARIABLE.finditer(server.url):
        url += server.url[end : found.start()]
        end = found.end()
        name = found.group(1)
        value, owner = (given[name], _CALLER) if name in given else (None, refusal)
        value = server.variables.get(name) if value is None else value
        if value is None:
            raise refusal(f"The server variable {name!r} has no value.")
        if name in server.allowed and value not in server.allowed[name]:
            raise owner(f"The server variable {name!r} has a value the document does not list.")
        url += _placed(url, name, value, server.url[end:], owner)
    return url + server.url[end:]


def _placed(before: str, name: str, value: str, after: str, refusal: Refusal) -> str:
    if not before and not after.startswith("://"):
        return value  # the whole base is a variable; it is checked as the URL it becomes
    if "://" not in before:
        fits = value in ("http", "https")
    elif "/" not in before.partition("://")[2]:
        fits = _AUTHORITY.fullmatch(value) is not None
    else:
        return _encoded(value, "/", refusal)
    if not fits:
        raise refusal(f"The value of the server variable {name!r} does not fit its place.")
    return value


def _checked(url: str, refusal: Refusal) -> str:
    if any(character <= " " or character in "\\{}#\x7f" for character in url):
        raise refusal("The base URL holds a space, a control character or one of \\ { } #.")
    try:
        parsed = urlsplit(url)
        host, port = parsed.hostname or "", parsed.port
    except ValueError:
        raise refusal("The base URL is not a URL.") from None
    scheme = parsed.scheme.lower()
    if not scheme:
        raise refusal("The base URL is relative, and what it is relative to is not known.")
    if scheme not in ("http", "https"):
        raise refusal("The base URL is neither http nor https.")
    if "@" in parsed.netloc:
        raise refusal("The base URL holds user information; pass it as `auth`.")
    if not _HOST.fullmatch(host if ":" not in host else f"[{host}]"):
        raise refusal("The base URL has no host that is plain ASCII.")
    if any(map(is_dot_segment, parsed.path.split("/"))):
        raise refusal("The base URL has a `.` or `..` in its path.")
    authority = (f"[{host}]" if ":" in host else host) + ("" if port is None else f":{port}")
    query = f"?{_encoded(parsed.query, _PATH + '?', refusal)}" if parsed.query else ""
    return f"{scheme}://{authority}{_encoded(parsed.path, _PATH, refusal)}{query}"


def _encoded(text: str, reserved: str, refusal: Refusal) -> str:
    try:
        return kept(text, reserved)
    except UnsendableError as error:
        raise refusal(f"The base URL needs {error.expected}.") from None


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
