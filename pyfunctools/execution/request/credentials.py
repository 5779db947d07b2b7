"""What proves who is calling: chosen by the operation's `security`, put where its scheme says.

Values are here only until a request is made. They are never in a text, a `repr` or an error.
"""

from base64 import b64encode
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from inspect import Parameter, signature
from typing import cast

from pyfunctools.errors import DefinitionError, DocumentError, wrong_type
from pyfunctools.execution.request.assembly import HttpRequest
from pyfunctools.execution.request.styles import TOKEN, is_field_value, percent
from pyfunctools.execution.unsendable import UnsendableError
from pyfunctools.record.function import Function
from pyfunctools.route import Route, SecurityScheme


def chosen(route: Route, known: Collection[str]) -> tuple[SecurityScheme, ...]:
    """Return the schemes to prove oneself by, of those one has a credential for.

    The first alternative that can be met whole; where none can and none is empty, the first that
    can be met in part, for the rest may be a client's or a header's. `mutualTLS` is the client's.
    """
    partly: tuple[SecurityScheme, ...] = ()
    optional = False
    for requirement in route.security:
        wanted = [route.schemes[name] for name in requirement.schemes if name in route.schemes]
        found = tuple(scheme for scheme in wanted if scheme.name in known)
        missing = [s for s in wanted if s.name not in known and s.type != "mutualTLS"]
        if found and not missing and len(wanted) == len(requirement.schemes):
            return found
        partly = partly or found
        optional = optional or not requirement.schemes
    return () if optional else partly


def own_schemes(names: Iterable[str]) -> tuple[SecurityScheme, ...]:
    """Return the schemes of names such as `header:X-Key` and `query:key`.

    Raises:
        DefinitionError: what follows the colon cannot be a header or a query parameter.
    """
    found: list[SecurityScheme] = []
    for name in names:
        location, colon, parameter = str(name).partition(":")
        if colon and location in ("header", "query"):
            if location == "header" and not can_be_set(parameter):
                raise unfit(f"auth[{name!r}]", "must name a header that can be set")
            if not parameter:
                raise unfit(f"auth[{name!r}]", "must name a query parameter")
            found.append(
                SecurityScheme(name=name, type="apiKey", location=location, parameter=parameter)
            )
    return tuple(found)


def source_of(where: str, value: object) -> Callable[[object], object]:
    """Return a function from a context to the value, or to what the value, a function, returns.

    Raises:
        DefinitionError: the function takes more than nothing or the context.
    """
    if not callable(value):
        return lambda _: value
    supplied: Callable[..., object] = value
    try:
        parameters = signature(supplied).parameters.values()
    except (TypeError, ValueError):  # some built-in callables have no signature
        return lambda _: supplied()
    needed = [p for p in parameters if p.default is Parameter.empty and p.kind not in _STARS]
    if len(needed) > 1 or any(p.kind is Parameter.KEYWORD_ONLY for p in needed):
        raise DefinitionError(
            where,
            "This function has more required parameters than the context.",
            "Write one of no parameters, or of the context alone.",
        )
    return supplied if needed else lambda _: supplied()


_STARS = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def signed(request: HttpRequest, scheme: SecurityScheme, credential: object) -> HttpRequest:
    """Return the request with a credential in its place.

    Basic takes a pair or `user:password`; everything else a text. What hides its text as a
    `SecretStr` does is taken too. Digest answers a challenge, so there is nothing to add to a first
    request; mutual TLS is the client's.

    Raises:
        DefinitionError: the credential is none for this scheme.
        DocumentError: the scheme says nothing a client could do.
    """
    if scheme.type == "mutualTLS" or is_digest(scheme):
        return request
    if scheme.type == "apiKey":
        return _with_key(request, scheme, _sendable(scheme, revealed(_place(scheme), credential)))
    if scheme.type == "http" and scheme.scheme == "basic":
        pair = ":".join(pair_of(scheme.name, credential))
        return _with_header(
            request, "authorization", "Basic " + b64encode(pair.encode()).decode("ascii")
        )
    if scheme.type in ("http", "oauth2", "openIdConnect"):
        kind = "bearer" if scheme.type != "http" else scheme.scheme or "bearer"
        text = _sendable(scheme, revealed(_place(scheme), credential))
        if text.lower().startswith(f"{kind} "):
            return _with_header(request, "authorization", text)
        return _with_header(request, "authorization", f"{kind.title()} {text}")
    raise DocumentError(f"securitySchemes.{scheme.name}", f"The type {scheme.type!r} is unknown.")


def check_schemes(given: Collection[str], functions: Iterable[Function]) -> None:
    """Refuse a credential that no operation would ever send.

    Raises:
        DefinitionError: no operation asks for a security scheme of this name.
    """
    asked = {
        name
        for function in functions
        if isinstance(function.origin, Route)
        for name in function.origin.schemes
    }
    asked.update(each.name for each in own_schemes(given))
    for name in given:
        if name not in asked:
            raise DefinitionError(
                f"auth[{name!r}]",
                "No operation of the document asks for a security scheme of this name.",
                f"It asks for: {', '.join(sorted(asked)) or 'none'}. A header or a query parameter "
                'goes with every request as `auth={"header:X-Api-Key": ...}` or '
                '`auth={"query:key": ...}`.',
            )


def is_digest(scheme: SecurityScheme) -> bool:
    """Return whether a scheme is HTTP digest, which answers a challenge (RFC 7616)."""
    return scheme.type == "http" and scheme.scheme == "digest"


def pair_of(name: str, credential: object) -> tuple[str, str]:
    """Return the user and the password of a credential.

    Raises:
        DefinitionError: it must be a pair of user and password, or `user:password`.
    """
    where = f"auth[{name!r}]"
    if isinstance(credential, tuple | list):
        pair = cast("Sequence[object]", credential)
        if len(pair) != 2:
            raise unfit(where, "must be a pair of user and password")
        return revealed(where, pair[0]), revealed(where, pair[1])
    user, colon, password = revealed(where, credential).partition(":")
    if not colon:
        raise unfit(where, "must be a pair of user and password, or `user:password`")
    return user, password


def told_by(scheme: SecurityScheme, credential: object, request: HttpRequest) -> tuple[str, ...]:
    """Return the texts to mask of a credential: its own, and its spelling in the request.

    Raises:
        DefinitionError: it is not text.
    """
    if scheme.type == "mutualTLS":
        return ()
    if isinstance(credential, tuple | list):
        own = pair_of(scheme.name, cast("object", credential))[1:]
    else:
        text = revealed(_place(scheme), credential)
        is_pair = scheme.type == "http" and scheme.scheme in ("basic", "digest")
        own = (text, text.partition(":")[2]) if is_pair else (text,)
    return (*own, request.headers.get("authorization", "").partition(" ")[2])


def revealed(where: str, credential: object) -> str:
    """Return the text of a credential or a header, also of one that hides it as `SecretStr` does.

    `where` is what an error calls its place.

    Raises:
        DefinitionError: it is not text.
    """
    reveal = getattr(credential, "get_secret_value", None)
    text: object = reveal() if callable(reveal) else credential
    if not isinstance(text, str):
        raise wrong_type(where, "text", text)
    return text


def can_be_set(header: str) -> bool:
    """True if a program may set a header of this name; the others frame or address the message."""
    return bool(TOKEN.fullmatch(header)) and header.lower() not in (*FRAMING, "host")


FRAMING = frozenset({"connection", "content-length", "transfer-encoding"})


def unfit(name: str, reason: str) -> DefinitionError:
    """Return the error for a setting: `reason` completes "This ..."."""
    return DefinitionError(name, f"This {reason}.")


def _place(scheme: SecurityScheme) -> str:
    return f"auth[{scheme.name!r}]"


def _sendable(scheme: SecurityScheme, text: str) -> str:
    if scheme.location != "query" and not is_field_value(text):
        raise unfit(_place(scheme), "is not visible ASCII")
    return text


def _with_header(request: HttpRequest, name: str, text: str) -> HttpRequest:
    return replace(request, headers={**request.headers, name: text})


def _with_key(request: HttpRequest, scheme: SecurityScheme, text: str) -> HttpRequest:
    name = scheme.parameter or ""
    if scheme.location == "query" and name:
        try:
            pair = f"{percent(name)}={percent(text)}"
        except UnsendableError:
            raise unfit(_place(scheme), "is not valid Unicode") from None
        return replace(request, url=request.url + ("&" if "?" in request.url else "?") + pair)
    if not can_be_set(name):
        raise DocumentError(f"securitySchemes.{scheme.name}", "Its name cannot be sent.")
    if scheme.location == "header":
        return _with_header(request, name.lower(), text)
    if any(character in text for character in ' ",;\\'):
        raise unfit(_place(scheme), "cannot be a cookie")
    cookies = request.headers.get("cookie")
    cookie = f"{name}={text}"
    return _with_header(request, "cookie", f"{cookies}; {cookie}" if cookies else cookie)
