"""A route and arguments become one request, or issues."""

import json
import re
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pyfunctools.errors import DocumentError
from pyfunctools.execution.request.assembly import HttpRequest, build
from pyfunctools.route import Body, Encoding, Parameter, Route, SecurityScheme, is_dot_segment
from pyfunctools.schema import Failure

BASE = "https://api.test/v1"


def path(name: str, **rest: Any) -> Parameter:
    return Parameter(name=name, location="path", argument=(name,), required=True, **rest)


def inside(location: Any, name: str, **rest: Any) -> Parameter:
    style = "simple" if location == "header" else "form"
    settings = {"style": style, "explode": style == "form", **rest}
    return Parameter(name=name, location=location, argument=(location, name), **settings)


def made(route: Route, arguments: Any, **rest: Any) -> HttpRequest:
    request = build(route, arguments, base_url=rest.pop("base_url", BASE), **rest)
    assert isinstance(request, HttpRequest), request
    return request


def refused(route: Route, arguments: Any, **rest: Any) -> list[str]:
    failure = build(route, arguments, base_url=rest.pop("base_url", BASE), **rest)
    assert isinstance(failure, Failure)
    assert failure.value is arguments
    return [str(issue.path) for issue in failure.issues]


@pytest.mark.parametrize(
    "value",
    ["..", ".", "../../admin/delete-all?", "a/../b", "..\\admin", "%2e%2e", "%2E%2e%2Fadmin",
     "%25252e", "", [], {}, None, "a\x00b", "a\r\nb", "\ud800", "..;x", "a/."],
)  # fmt: skip
def test_a_path_value_that_leaves_its_segment_is_refused(value: Any) -> None:
    route = Route(method="DELETE", path="/users/{id}", parameters=(path("id"),))
    assert refused(route, {"id": value}) == ["$input.id"]


def test_the_whole_segment_is_checked() -> None:
    route = Route(method="GET", path="/x/{a}{b}/y", parameters=(path("a"), path("b")))
    assert refused(route, {"a": ".", "b": "."}) == ["$input.a"]
    assert refused(route, {"a": "", "b": ""}) == ["$input.a"]
    assert made(route, {"a": "", "b": "1"}).url == f"{BASE}/x/1/y"
    label = Route(method="GET", path="/x/{a}", parameters=(path("a", style="label"),))
    assert refused(label, {"a": "."}) == ["$input.a"]
    assert refused(label, {"a": ""}) == ["$input.a"]
    assert made(label, {"a": "b"}).url == f"{BASE}/x/.b"


def test_a_value_is_never_read_as_a_template() -> None:
    route = Route(method="GET", path="/a/{x}/{y}", parameters=(path("x"), path("y")))
    assert made(route, {"x": "{y}", "y": "SECRET"}).url == f"{BASE}/a/%7By%7D/SECRET"
    assert made(route, {"x": "%s", "y": "{x.__class__}"}).url.endswith("/%25s/%7Bx.__class__%7D")


@pytest.mark.parametrize(
    "template",
    [
        "/{id.__class__.__mro__}",
        "/users/{id:>2000000}",
        "/users/{other}",
    ],
)
def test_a_template_that_cannot_be_filled_is_a_document_error(template: str) -> None:
    route = Route(method="GET", path=template, parameters=(path("id"),))
    with pytest.raises(DocumentError):
        build(route, {"id": "1"}, base_url=BASE)


@pytest.mark.parametrize("slot", ["id:[0-9]{1,3}", "name=shelves/*", "{id}"])
def test_a_pattern_in_braces_is_a_part_of_its_slot(slot: str) -> None:
    route = Route(method="GET", path=f"/a/{{{slot}}}:go", parameters=(path(slot),))
    assert made(route, {slot: "1/2"}).url == f"{BASE}/a/1%2F2:go"


@pytest.mark.parametrize("content_type", ["text/plain\r\nX-Evil: 1", "text/plüin", "a\x00"])
def test_an_invalid_media_type_is_the_documents_fault(content_type: str) -> None:
    with pytest.raises(DocumentError):
        Route(method="POST", path="/", body=Body(content_type=content_type))


@pytest.mark.parametrize("template", ["/a/../{id}", "/./{id}", "/\ud800"])
def test_a_route_that_cannot_be_requested_is_a_document_error(template: str) -> None:
    with pytest.raises(DocumentError):
        Route(method="GET", path=template, parameters=(path("id"),))


def test_every_argument_arrives_at_its_own_place() -> None:
    route = Route(
        method="PUT",
        path="/users/{id}",
        parameters=(path("id"), *(inside(place, "id") for place in ("query", "header", "cookie"))),
        body=Body(content_type="application/json"),
    )
    arguments = {
        "id": "1",
        "query": {"id": "2"},
        "header": {"id": "3"},
        "cookie": {"id": "4"},
        "body": {"id": "5"},
    }
    before = json.dumps(arguments)
    request = made(route, arguments)
    assert request.url == f"{BASE}/users/1?id=2"
    assert (request.headers["id"], request.headers["cookie"]) == ("3", "id=4")
    assert request.content == b'{"id":"5"}'
    assert request.headers["content-type"] == "application/json"
    assert json.dumps(arguments) == before


def test_all_issues_come_at_once_at_the_arguments_paths() -> None:
    route = Route(
        method="POST",
        path="/users/{id}",
        parameters=(path("id"), inside("header", "X-T")),
        body=Body(
            content_type="application/x-www-form-urlencoded",
            encoding={"deep": Encoding(style="deepObject")},
        ),
    )
    arguments = {"id": "..", "header": {"X-T": "a\nb"}, "body": {"deep": {"x": [1]}}}
    assert refused(route, arguments) == [
        "$input.id",
        '$input.header["X-T"]',
        "$input.body.deep.x",
    ]


@pytest.mark.parametrize(
    "name",
    ["Host", "Content-Length", "Transfer-Encoding", "Connection", "Cookie", "Authorization",
     "Accept", "Content-Type", "Proxy-Connection", "X-Forwarded-For"],
)  # fmt: skip
def test_a_reserved_header_is_never_an_arguments(name: str) -> None:
    route = Route(method="GET", path="/", parameters=(inside("header", name),))
    assert refused(route, {"header": {name: "evil.com"}})
    assert made(route, {}).url == f"{BASE}/"


def test_a_parameter_may_be_the_whole_query() -> None:
    whole = Parameter(
        name="q",
        location="querystring",
        argument=("query",),
        content_type="application/x-www-form-urlencoded",
        encoding={"csv": Encoding(style="form", explode=False)},
    )
    key = SecurityScheme(name="key", type="apiKey", location="query", parameter="k")
    route = Route(method="GET", path="/x", parameters=(whole,), schemes={"key": key})
    assert made(route, {"query": {"a": "b c", "d": ["e", "f"]}}).url == f"{BASE}/x?a=b+c&d=e&d=f"
    assert made(route, {"query": {"csv": [1, 2]}}).url == f"{BASE}/x?csv=1,2"
    assert made(route, {"query": None}).url == f"{BASE}/x"
    assert refused(route, {"query": {"k": "1"}}) == ["$input.query.k"]
    assert refused(route, {"query": {"%6b": "1", "K": "2"}}) == [
        '$input.query["%6b"]',
        "$input.query.K",
    ]
    assert refused(route, {"query": "a=1"}) == ["$input.query"]


def test_a_required_header_that_the_connection_sets_is_a_repair() -> None:
    header = inside("header", "X-Tenant", required=True)
    asked = {"header": {"X-Tenant": "other"}}
    request = made(
        Route(method="GET", path="/", parameters=(header,)), asked, headers={"x-tenant": "own"}
    )
    assert request.headers["x-tenant"] == "own"
    (repair,) = request.repairs
    assert (repair.path.keys, repair.before, repair.after) == (
        ("header", "X-Tenant"),
        "other",
        None,
    )


def test_only_encodings_that_can_be_limited_are_accepted() -> None:
    request = made(
        Route(method="GET", path="/"), {}, headers={"accept-encoding": "br", "user-agent": "me"}
    )
    assert request.headers["accept-encoding"] == "gzip, deflate"
    assert request.headers["user-agent"] == "me"


def test_json_is_preferred_if_the_document_declares_it() -> None:
    promised = {
        "404": ("application/json",),
        "200": ("text/csv", "application/vnd.x+json"),
    }
    assert made(Route(method="GET", path="/", responses=promised), {}).headers["accept"] == (
        "application/vnd.x+json, */*;q=0.5"
    )
    assert "accept" not in made(Route(method="GET", path="/"), {}).headers


def test_a_body_that_is_absent_is_not_sent() -> None:
    route = Route(method="POST", path="/", body=Body(content_type="application/json"))
    request = made(route, {})
    assert request.content is None
    assert "content-type" not in request.headers
    assert made(route, {"body": None}).content == b"null"


def test_the_repr_of_a_request_shows_only_its_method() -> None:
    route = Route(method="GET", path="/{id}", parameters=(path("id"),))
    request = made(route, {"id": "SECRET-7f3a"}, headers={"x": "SECRET-7f3a"})
    assert "SECRET" not in repr(request)
    assert request.origin == "https://api.test"
    assert request.target == "/v1/SECRET-7f3a"


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=6)
    | st.binary(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
STYLES = ("simple", "label", "matrix", "form", "spaceDelimited", "pipeDelimited", "tabDelimited",
          "deepObject", "cookie")  # fmt: skip
MEDIA = ("application/json", "text/plain", "application/xml", "*/*", "image/png",
         "multipart/form-data", "application/x-www-form-urlencoded")  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(
    st.dictionaries(st.sampled_from(("path", "query", "header", "cookie", "body")), ANYTHING),
    st.sampled_from(STYLES),
    st.booleans(),
    st.sampled_from((None, *MEDIA)),
    st.sampled_from(MEDIA),
    st.booleans(),
)
def test_any_arguments_become_a_valid_request_or_issues(
    given: dict[str, Any], style: Any, flag: bool, content: str | None, media: str, deep: bool
) -> None:
    locations: Any = ("path", "query", "header", "cookie")
    route = Route(
        method="POST",
        path="/a/{path}/b",
        parameters=tuple(
            Parameter(
                name=location,
                location=location,
                argument=(location,),
                style=style,
                explode=flag,
                allow_reserved=deep,
                content_type=content,
            )
            for location in locations
        ),
        body=Body(content_type=media, encoding={"": Encoding(style=style)} if flag else {}),
    )
    answer = build(route, given, base_url=BASE, deep=deep)
    if isinstance(answer, Failure):
        assert all(issue.path.keys[0] in {*given, "path"} for issue in answer.issues)
        return
    assert re.fullmatch(r"https://api\.test/v1/a/[^/?#\s]+/b(\?[!-~]*)?", answer.url)
    assert "#" not in answer.url
    for name, text in answer.headers.items():
        assert re.fullmatch(r"[a-z-]+", name)
        assert re.fullmatch(r"[\t -~]*", text)
    assert answer.headers.get("cookie", "").count("=") >= bool(answer.headers.get("cookie"))


LITERAL = st.text("abcXYZ019-._~ü %", min_size=1, max_size=6)
VALUE = st.one_of(
    st.text(max_size=12),
    st.integers(),
    st.booleans(),
    st.text("./\\%2eE5;:@?#&=+ {}", min_size=1, max_size=8),
)


@settings(max_examples=500, deadline=None)
@given(
    st.lists(st.tuples(LITERAL, VALUE), min_size=1, max_size=4),
    st.dictionaries(st.text(min_size=1, max_size=5), VALUE, max_size=4),
)
@example([("a", "..")], {})
@example([("a", "b")], {"q": "a&b=c"})
def test_no_value_changes_the_shape_of_a_request(
    segments: list[tuple[str, Any]], query: dict[str, Any]
) -> None:
    assume(not any(is_dot_segment(literal) for literal, _ in segments))
    assume(len({name.lower() for name in query}) == len(query))
    names = [f"p{index}" for index in range(len(segments))]
    template = "".join(
        f"/{literal}/{{{name}}}" for (literal, _), name in zip(segments, names, strict=True)
    )
    route = Route(
        method="GET",
        path=template,
        parameters=(*map(path, names), *(inside("query", name) for name in query)),
    )
    values = {name: value for name, (_, value) in zip(names, segments, strict=True)}
    request = build(route, {**values, "query": query}, base_url=BASE)
    assume(isinstance(request, HttpRequest))
    assert isinstance(request, HttpRequest)
    for library in ("httpx", "httpx2"):
        sent = pytest.importorskip(library).URL(request.url)
        assert sent.raw_path.decode() == request.target
        assert (sent.scheme, sent.host, sent.port) == ("https", "api.test", None)
    parts = urlsplit(request.url)
    literals, texts = parts.path.split("/")[2::2], parts.path.split("/")[3::2]
    assert [unquote(literal) for literal in literals] == [unquote(one) for one, _ in segments]
    assert [unquote(text) for text in texts] == [spelled(value) for _, value in segments]
    found = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(query))
    assert found == [(name, spelled(value)) for name, value in query.items()]


def spelled(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)
