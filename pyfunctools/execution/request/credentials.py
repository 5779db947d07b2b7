"""Credentials: selected by the operation's `security`, sent in the place that a scheme defines.

A credential is never in an error, a `repr` or a text for the model.
"""

from base64 import b64encode
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from pyfunctools.errors import DefinitionError, DocumentError, wrong_type
from pyfunctools.execution.request.styles import TOKEN, percent
from pyfunctools.execution.steps import UnsendableError
from pyfunctools.record.call import takes_context
from pyfunctools.record.function import Function
from pyfunctools.route import Route, SecurityScheme, is_field_value

if TYPE_CHECKING:
    from pyfunctools.execution.request.assembly import HttpRequest


def schemes_to_send(route: Route, known: Collection[str]) -> tuple[SecurityScheme, ...]:
    """Return the security schemes to send credentials for; `known` are those that have one.

    This is the first alternative that can be met completely. If no alternative can be, and the
    operation does not allow calls without credentials, it is the first that can be met in part: a
    client or a header may carry the rest. `mutualTLS` is left to the client.
    """
    partly: tuple[SecurityScheme, ...] = ()
    for requirement in route.security:
        wanted = [route.schemes[name] for name in requirement if name in route.schemes]
        found = tuple(scheme for scheme in wanted if scheme.name in known)
        missing = [s for s in wanted if s.name not in known and s.type != "mutualTLS"]
        if found and not missing and len(wanted) == len(requirement):
            return found
        partly = partly or found
    return () if {} in route.security else partly


def explicit_schemes(names: Iterable[str]) -> tuple[SecurityScheme, ...]:
    """Return the schemes of names such as `header:X-Key` and `query:key`."""
    found: list[SecurityScheme] = []
    for name in names:
        location, colon, parameter = str(name).partition(":")
        if colon and location in ("header", "query"):
            if not (can_be_set(parameter) if location == "header" else parameter):
                raise invalid_setting(f"auth[{name!r}]", f"must name a {location} that can be set")
            found.append(
                SecurityScheme(name=name, type="apiKey", location=location, parameter=parameter)
            )
    return tuple(found)


def check_schemes(given: Collection[str], functions: Iterable[Function]) -> None:
    """Refuse a credential that no operation would ever send."""
    known = {
        name
        for function in functions
        if isinstance(function.origin, Route)
        for name in function.origin.schemes
    }
    known.update(each.name for each in explicit_schemes(given))
    for name in given:
        if name not in known:
            raise DefinitionError(
                f"auth[{name!r}]",
                "No operation of the document uses a security scheme of this name.",
                f"Its schemes: {', '.join(sorted(known)) or 'none'}. A header or a query parameter "
                'goes with every request as `auth={"header:X-Api-Key": ...}` or '
                '`auth={"query:key": ...}`.',
            )


def provider_of(where: str, value: object) -> Callable[[object], object]:
    """Return a function of the context that returns the value, or its result if it is a function.

    Raises:
        DefinitionError: the function requires more than the context.
    """
    if not callable(value):
        return lambda _: value
    provide: Callable[..., object] = value
    return provide if takes_context(where, provide) else lambda _: provide()


def with_credential(
    request: "HttpRequest", scheme: SecurityScheme, credential: object
) -> "tuple[HttpRequest, tuple[str, ...]]":
    """Return the request with a credential in its place, and the texts to mask in outcomes.

    A credential of `basic` and `digest` is a pair or `user:password`; any other is a text, or hides
    one as `SecretStr` does. Digest and mutual TLS add nothing here: digest answers a challenge, and
    the client sends its certificate.

    Raises:
        DefinitionError: the credential does not fit the scheme.
        DocumentError: the type of the scheme is unknown, or its name cannot be sent.
    """
    where = f"auth[{scheme.name!r}]"
    if scheme.type == "mutualTLS":
        return request, ()
    try:
        if scheme.type == "http" and scheme.scheme in PAIRS:
            user, password = user_and_password(scheme.name, credential)
            pair = f"{user}:{password}"
            if is_digest(scheme):
                return request, (pair, password)
            encoded = b64encode(pair.encode()).decode("ascii")
            basic = _with_header(request, "authorization", f"Basic {encoded}")
            return basic, (pair, password, encoded)
        text = secret_text(where, credential)
        if scheme.location != "query" and not is_field_value(text):
            raise invalid_setting(where, NOT_ASCII)
        if scheme.type == "apiKey":
            return _with_key(request, scheme, text, where), (text,)
    except (UnicodeEncodeError, UnsendableError):
        raise invalid_setting(where, "is not valid Unicode") from None
    if scheme.type not in ("http", "oauth2", "openIdConnect"):
        reason = f"The type {scheme.type!r} is unknown."
        raise DocumentError(f"securitySchemes.{scheme.name}", reason)
    kind = (scheme.type == "http" and scheme.scheme) or "bearer"
    written = kind.title() if kind.islower() else kind
    whole = text if text.lower().startswith(f"{kind.lower()} ") else f"{written} {text}"
    return _with_header(request, "authorization", whole), (text, whole.partition(" ")[2])


PAIRS = frozenset({"basic", "digest"})
"""Schemes of HTTP whose credential is a user and a password."""


def is_digest(scheme: SecurityScheme) -> bool:
    """Return whether a scheme is HTTP digest, which answers a challenge (RFC 7616)."""
    return scheme.type == "http" and scheme.scheme == "digest"


def user_and_password(name: str, credential: object) -> tuple[str, str]:
    """Return the user and the password of a credential."""
    where = f"auth[{name!r}]"
    if isinstance(credential, tuple | list):
        pair = [secret_text(where, each) for each in cast("Sequence[object]", credential)]
    else:
        pair = secret_text(where, credential).split(":", 1)
    if len(pair) != 2:
        raise invalid_setting(where, "must be a pair of user and password, or `user:password`")
    return pair[0], pair[1]


def secret_text(where: str, credential: object) -> str:
    """Return the text of a credential or a header, also if it is hidden as in a `SecretStr`.

    `where` names the place in an error.
    """
    reveal = getattr(credential, "get_secret_value", None)
    text: object = reveal() if callable(reveal) else credential
    if not isinstance(text, str):
        raise wrong_type(where, "text", text)
    return text


def can_be_set(header: str) -> bool:
    """Return whether a program may set a header: not if it frames or addresses the message."""
    return bool(TOKEN.fullmatch(header)) and header.lower() not in (*FRAMING, "host")


FRAMING = frozenset({"connection", "content-length", "transfer-encoding"})
"""Headers that frame the message."""


NOT_ASCII = "must be one line of visible ASCII characters"


def invalid_setting(name: str, reason: str) -> DefinitionError:
    """Return the error for a setting; `reason` completes the sentence "This ..."."""
    return DefinitionError(name, f"This {reason}.")


def _with_header(request: "HttpRequest", name: str, text: str) -> "HttpRequest":
    return replace(request, headers={**request.headers, name: text})


def _with_key(
    request: "HttpRequest", scheme: SecurityScheme, text: str, where: str
) -> "HttpRequest":
    name = scheme.parameter or ""
    if scheme.location == "query" and name:
        pair = f"{percent(name)}={percent(text)}"
        return replace(request, url=request.url + ("&" if "?" in request.url else "?") + pair)
    if scheme.location is None or not can_be_set(name):
        raise DocumentError(f"securitySchemes.{scheme.name}", "Its `name` or `in` cannot be sent.")
    if scheme.location == "header":
        return _with_header(request, name.lower(), text)
    if any(character in text for character in ' ",;\\'):
        raise invalid_setting(where, "cannot be a cookie")
    cookies = (request.headers.get("cookie"), f"{name}={text}")
    return _with_header(request, "cookie", "; ".join(filter(None, cookies)))
