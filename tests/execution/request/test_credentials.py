"""Credentials: which are sent, where, and which texts are masked."""

from typing import Any

import pytest
from pydantic import SecretStr

from pyfunctools.errors import DefinitionError, DocumentError
from pyfunctools.execution.request.assembly import HttpRequest
from pyfunctools.execution.request.connection import checked_headers
from pyfunctools.execution.request.credentials import (
    is_digest,
    schemes_to_send,
    secret_text,
    user_and_password,
    with_credential,
)
from pyfunctools.route import Route, SecurityScheme

REQUEST = HttpRequest(method="GET", url="https://h/x", headers={"cookie": "a=b"})

KEY = SecurityScheme(name="key", type="apiKey", location="header", parameter="X-API-Key")
IN_QUERY = SecurityScheme(name="key", type="apiKey", location="query", parameter="api key")
IN_COOKIE = SecurityScheme(name="key", type="apiKey", location="cookie", parameter="sid")
BASIC = SecurityScheme(name="basic", type="http", scheme="basic")
BEARER = SecurityScheme(name="bearer", type="http", scheme="bearer")
DIGEST = SecurityScheme(name="digest", type="http", scheme="digest")
OAUTH = SecurityScheme(name="oauth", type="oauth2")
MUTUAL = SecurityScheme(name="mutual", type="mutualTLS")


def sent(request: HttpRequest, scheme: SecurityScheme, credential: Any) -> HttpRequest:
    return with_credential(request, scheme, credential)[0]


def test_each_scheme_puts_its_credential_in_its_place() -> None:
    assert sent(REQUEST, KEY, "k").headers["x-api-key"] == "k"
    assert sent(REQUEST, IN_QUERY, "a&b").url == "https://h/x?api%20key=a%26b"
    assert sent(REQUEST, IN_COOKIE, "s").headers["cookie"] == "a=b; sid=s"
    assert sent(REQUEST, BASIC, ("Aladdin", "open sesame")).headers["authorization"] == (
        "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
    )
    assert sent(REQUEST, BASIC, "ü:p:q").headers["authorization"] == "Basic w7w6cDpx"
    for scheme in (BEARER, OAUTH, SecurityScheme(name="oidc", type="openIdConnect")):
        assert sent(REQUEST, scheme, "t").headers["authorization"] == "Bearer t"
    assert sent(REQUEST, BEARER, "Bearer t").headers["authorization"] == "Bearer t"
    other = SecurityScheme(name="x", type="http", scheme="hoba")
    assert sent(REQUEST, other, "t").headers["authorization"] == "Hoba t"
    other = SecurityScheme(name="x", type="http", scheme="GenieKey")
    assert sent(REQUEST, other, "t").headers["authorization"] == "GenieKey t"
    assert sent(REQUEST, other, "geniekey t").headers["authorization"] == "geniekey t"
    assert REQUEST.headers == {"cookie": "a=b"}


def test_a_second_query_parameter_joins_the_first() -> None:
    request = HttpRequest(method="GET", url="https://h/x?a=1")
    assert sent(request, IN_QUERY, "k").url == "https://h/x?a=1&api%20key=k"


def test_digest_and_mutual_tls_add_nothing_to_the_first_request() -> None:
    assert sent(REQUEST, DIGEST, ("u", "p")) is REQUEST
    assert sent(REQUEST, MUTUAL, None) is REQUEST
    assert is_digest(DIGEST)
    assert not is_digest(BASIC)


def test_a_secret_text_is_sent() -> None:
    assert sent(REQUEST, BEARER, SecretStr("t")).headers["authorization"] == "Bearer t"
    assert user_and_password("basic", ["u", SecretStr("p")]) == ("u", "p")
    assert secret_text("x", SecretStr("t")) == "t"


def test_the_texts_to_mask_are_those_of_the_credential_and_of_the_request() -> None:
    for scheme, credential, told in (
        (BASIC, ("u", "open sesame"), {"u:open sesame", "open sesame", "dTpvcGVuIHNlc2FtZQ=="}),
        (BASIC, "u:p", {"u:p", "p", "dTpw"}),
        (BEARER, SecretStr("t"), {"t"}),
        (BEARER, "Bearer t", {"Bearer t", "t"}),
        (KEY, "k", {"k"}),
        (DIGEST, ("u", "p"), {"u:p", "p"}),
        (MUTUAL, object(), set[str]()),
    ):
        assert set(with_credential(REQUEST, scheme, credential)[1]) == told


@pytest.mark.parametrize(
    ("scheme", "credential"),
    [
        (BEARER, "SECRET\r\nX: 1"),
        (BEARER, "SECRET é"),
        (BEARER, 42),
        (BEARER, None),
        (BASIC, "SECRET"),
        (BASIC, ("SECRET",)),
        (BASIC, ("SECRET", 1)),
        (BASIC, "SECRET:\ud800"),
        (IN_COOKIE, "SECRET; admin=true"),
        (IN_QUERY, "SECRET\ud800"),
        (KEY, b"SECRET"),
    ],
)
def test_a_credential_that_cannot_be_sent_is_refused_without_its_text(
    scheme: SecurityScheme, credential: Any
) -> None:
    with pytest.raises(DefinitionError) as caught:
        with_credential(REQUEST, scheme, credential)
    assert "SECRET" not in str(caught.value)
    assert "SECRET" not in repr(caught.value)


@pytest.mark.parametrize(
    "scheme",
    [
        SecurityScheme(name="k", type="apiKey", location="header", parameter="a b"),
        SecurityScheme(name="k", type="apiKey", location="header", parameter="Host"),
        SecurityScheme(name="k", type="apiKey", location="header", parameter="Content-Length"),
        SecurityScheme(name="k", type="apiKey", location="query"),
        SecurityScheme(name="k", type="apiKey", parameter="sid"),
        SecurityScheme(name="k", type="magic"),
    ],
)
def test_a_scheme_that_cannot_be_used_is_a_document_error(scheme: SecurityScheme) -> None:
    with pytest.raises(DocumentError):
        with_credential(REQUEST, scheme, "k")


def needs(*alternatives: tuple[str, ...]) -> Route:
    schemes = {s.name: s for s in (KEY, BASIC, BEARER, MUTUAL)}
    return Route(
        method="GET",
        path="/",
        security=tuple(dict.fromkeys(names, ()) for names in alternatives),
        schemes=schemes,
    )


@pytest.mark.parametrize(
    ("route", "known", "names"),
    [
        (needs(), {"key"}, []),
        (needs(("key",)), {"basic"}, []),
        (needs(("key",), ("basic",)), {"basic"}, ["basic"]),
        (needs(("key",), ("basic",)), {"basic", "key"}, ["key"]),
        (needs(("key", "basic"), ("bearer",)), {"key", "bearer"}, ["bearer"]),
        (needs(("key", "basic")), {"key", "basic"}, ["key", "basic"]),
        (needs(("key", "basic")), {"key"}, ["key"]),
        (needs(("key", "basic"), ()), {"key"}, []),
        (needs((), ("key",)), {"key"}, ["key"]),
        (needs(("mutual",), ("key",)), {"key"}, ["key"]),
        (needs(("mutual", "key")), {"key"}, ["key"]),
        (needs(("unknown", "key")), {"unknown", "key"}, ["key"]),
    ],
)
def test_the_operation_selects_the_credentials(
    route: Route, known: set[str], names: list[str]
) -> None:
    assert [scheme.name for scheme in schemes_to_send(route, known)] == names


def test_headers_are_checked_when_they_are_given() -> None:
    assert checked_headers({"X-A": "1", "x-b": SecretStr("2")}) == {"x-a": "1", "x-b": "2"}


@pytest.mark.parametrize(
    "headers",
    [{"a b": "1"}, {"": "1"}, {"X": "SECRET\n"}, {"X": "SECRETé"}, {"X": 1}, {"X": None},
     {"Content-Length": "1"}, {"Transfer-Encoding": "chunked"}, [("a", "b")], "a", None],
)  # fmt: skip
def test_headers_that_cannot_be_sent_are_refused_without_their_text(headers: Any) -> None:
    with pytest.raises(DefinitionError) as caught:
        checked_headers(headers)
    assert "SECRET" not in str(caught.value)
