from typing import Any

import pytest

from pyfunctools.execution.request.parameters import (
    cookie_pairs,
    header_text,
    is_field_value,
    is_reserved,
    query_pairs,
    query_text,
    segment_text,
)
from pyfunctools.execution.unsendable import UnsendableError
from pyfunctools.route import Parameter


def parameter(location: Any, name: str = "p", **rest: Any) -> Parameter:
    return Parameter(name=name, location=location, argument=(name,), **rest)


@pytest.mark.parametrize("value", [None, [], {}, [None]])
def test_a_path_value_that_says_nothing_is_refused(value: Any) -> None:
    with pytest.raises(UnsendableError):
        segment_text(parameter("path"), value)


def test_a_slash_in_a_path_value_is_encoded() -> None:
    assert segment_text(parameter("path"), "a/b") == "a%2Fb"
    assert segment_text(parameter("path", allow_reserved=True), "a/b?c#d") == "a%2Fb%3Fc%23d"
    assert segment_text(parameter("path", content_type="application/json"), {"a": "/"}) == (
        "%7B%22a%22%3A%22%2F%22%7D"
    )


def test_content_in_the_query_is_written_in_its_media_type() -> None:
    as_json = parameter("query", content_type="application/json")
    assert query_pairs(as_json, {"n": None}, deep=False) == [("p", "%7B%22n%22%3Anull%7D")]
    as_text = parameter("query", content_type="text/plain")
    assert query_pairs(as_text, "a b", deep=False) == [("p", "a%20b")]


def test_a_parameter_may_be_the_whole_query() -> None:
    whole = parameter("querystring", content_type="application/x-www-form-urlencoded")
    assert query_text(whole, {"foo": "a + b", "bar": True}, deep=False) == "foo=a+%2B+b&bar=true"
    with pytest.raises(UnsendableError):
        query_text(whole, "a=1#&b", deep=False)


@pytest.mark.parametrize(
    "value", ["1\r\nX-Evil: 1", "1\nX", "1\rX", "a\x00", "한글", "\x7f", " a", "a\t", "é"]
)
def test_a_header_value_that_is_not_visible_ascii_is_refused(value: str) -> None:
    assert not is_field_value(value)
    with pytest.raises(UnsendableError):
        header_text(parameter("header", "X-T"), value)


@pytest.mark.parametrize("value", ["", "a", "a b", 'text/plain; q="1"', "a\tb", "50%"])
def test_a_header_value_stands_as_it_is(value: str) -> None:
    assert header_text(parameter("header", "X-T"), value) == value


@pytest.mark.parametrize(
    "name",
    ["Host", "content-length", "Transfer-Encoding", "Connection", "Cookie", "Authorization",
     "ACCEPT", "Content-Type", "Proxy-Authorization", "X-Forwarded-Host", "a b", "a:b", ""],
)  # fmt: skip
def test_a_header_that_is_not_an_arguments_to_set_is_refused(name: str) -> None:
    with pytest.raises(UnsendableError):
        header_text(parameter("header", name), "evil.com")
    assert header_text(parameter("header", name), None) is None
    assert not is_reserved("X-Request-Id")


def test_a_cookie_of_style_form_is_encoded() -> None:
    cookie = parameter("cookie", "sid", style="form", explode=True)
    assert cookie_pairs(cookie, "1; admin=true") == [("sid", "1%3B%20admin%3Dtrue")]
    reserved = parameter("cookie", "sid", style="form", allow_reserved=True)
    assert cookie_pairs(reserved, "1; a") == [("sid", "1%3B%20a")]


@pytest.mark.parametrize(
    "value", ["1; admin=true", '"', "a,b", "a\\b", "é", "\n", " a", "a ", {"a=b": 1}, {"a b": 1}]
)
def test_a_cookie_of_style_cookie_refuses_what_a_cookie_cannot_hold(value: Any) -> None:
    with pytest.raises(UnsendableError):
        cookie_pairs(parameter("cookie", "sid", style="cookie", explode=True), value)


def test_a_cookie_of_style_cookie_stands_as_it_is() -> None:
    cookie = parameter("cookie", "sid", style="cookie", explode=True)
    assert cookie_pairs(cookie, {"greeting": "Hello%2C world!", "n": 42}) == [
        ("greeting", "Hello%2C world!"),
        ("n", "42"),
    ]
    assert cookie_pairs(cookie, "") == [("sid", "")]
