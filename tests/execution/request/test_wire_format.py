"""The text of each value on the wire: the vectors, and cases that they leave out."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyfunctools import Controller
from pyfunctools.execution.request.assembly import HttpRequest, build
from pyfunctools.route import Body, Encoding, Parameter, Route, is_dot_segment
from pyfunctools.schema import Failure

FORM = "application/x-www-form-urlencoded"
DEFAULT = {"path": "simple", "header": "simple"}


def table(vectors: Path, *names: str) -> list[dict[str, Any]]:
    read = json.loads((vectors / "style.json").read_text("utf-8"))
    return [row for name in names for row in read[name]]


def built(
    entries: list[dict[str, Any]], path: str = "/x", server: str = "https://h", **rest: Any
) -> HttpRequest | Failure:
    """Return the request for parameters as the vectors have them; what is undefined is absent."""
    arguments: dict[str, dict[str, Any]] = {}
    parameters = []
    for entry in entries:
        name, place = entry["name"], entry["in"]
        parameters.append(
            Parameter(
                name=name,
                location=place,
                argument=(place, name),
                style=entry.get("style", DEFAULT.get(place, "form")),
                explode=entry.get("explode", False),
                allow_reserved=entry.get("allowReserved", False),
                content_type=entry.get("content"),
            )
        )
        if not (isinstance(entry["value"], dict) and "$undefined" in entry["value"]):
            arguments.setdefault(place, {})[name] = entry["value"]
    route = Route(method="DELETE", path=path, parameters=tuple(parameters))
    return build(route, arguments, base_url=server, **rest)


def written(entry: dict[str, Any], **rest: Any) -> str | None:
    """Return what stands for one parameter in its place, or `None` where it is not sent."""
    path = "/x{" + entry["name"] + "}" if entry["in"] == "path" else "/x"
    request = built([entry], path, **rest)
    if not isinstance(request, HttpRequest):
        return None
    return {
        "path": request.url.removeprefix("https://h/x"),
        "header": request.headers.get(entry["name"].lower()),
        "cookie": request.headers.get("cookie"),
    }.get(entry["in"], request.url.partition("?")[2] or None)


def test_every_vector_of_a_parameter_is_written_exactly(vectors: Path) -> None:
    rows = table(vectors, "parameters", "content_parameters")
    wrong = [row["id"] for row in rows if written(row) != row["expected"]]
    assert wrong == []
    assert len(rows) == 232


def test_every_vector_of_assembly_is_written_exactly(vectors: Path) -> None:
    rows = table(vectors, "assembly")
    for row in rows:
        server = row.get("server", "https://h")
        request = built(row["parameters"], row.get("path", "/x"), server)
        assert isinstance(request, HttpRequest)
        if "expected_cookie" in row:
            assert request.headers["cookie"] == row["expected_cookie"], row["id"]
        else:
            query = row.get("expected_query")
            url = row.get("expected_url", "https://h/x" + (f"?{query}" if query else ""))
            assert request.url == url, row["id"]
    assert len(rows) == 8


def test_every_vector_of_a_rejection_is_refused_with_its_path(vectors: Path) -> None:
    rows = table(vectors, "rejections")
    for row in rows:
        entry = dict(row, style="cookie") if row["id"].endswith("cookie-style") else row
        path = f"/users/{{{row['name']}}}" if row["in"] == "path" else "/users"
        answer = built([entry], path)
        assert isinstance(answer, Failure), row["id"]
        assert answer.issues[0].path.keys == (row["in"], row["name"])
    assert len(rows) == 24


COLLECTIONS: dict[tuple[str, str], tuple[Any, bool]] = {
    ("query", "csv"): ("form", False),
    ("query", "ssv"): ("spaceDelimited", False),
    ("query", "tsv"): ("tabDelimited", False),
    ("query", "pipes"): ("pipeDelimited", False),
    ("query", "multi"): ("form", True),
    ("path", "csv"): ("simple", False),
    ("path", "pipes"): ("pipeDelimited", False),
    ("header", "csv"): ("simple", False),
    ("formData", "csv"): ("simple", False),
    ("formData", "multi"): ("form", True),
}


def test_every_swagger_vector_is_written_exactly(vectors: Path) -> None:
    for row in table(vectors, "swagger2"):
        style, explode = COLLECTIONS[row["in"], row["collectionFormat"]]
        if row["in"] == "formData":
            rule = {row["name"]: Encoding(style=style, explode=explode)}
            got = form({row["name"]: row["value"]}, rule)
        else:
            got = written({**row, "style": style, "explode": explode})
        assert got == row["expected"], row["id"]


@pytest.mark.parametrize(
    ("outer", "inner", "query", "body"),
    [
        ("multi", "pipes", "a=1%7C2&a=3", "a=1%7C2&a=3"),
        (None, None, "a=1%2C2,3", "a=1%2C2%2C3"),
        ("pipes", "ssv", "a=1%202%7C3", "a=1+2%7C3"),
        ("csv", "multi", "a=1%2C2,3", "a=1%2C2%2C3"),
    ],
)
def test_an_array_in_an_array_of_swagger_has_a_format_of_its_own(
    outer: str | None, inner: str | None, query: str, body: str
) -> None:
    formats = [{"collectionFormat": name} if name else {} for name in (outer, inner)]
    array = {**formats[0], "items": {"items": {"type": "integer"}, **formats[1], "type": "array"}}
    found = []
    for place in ("query", "formData"):
        operation = {"parameters": [{"name": "a", "in": place, "type": "array", **array}]}
        document = {"swagger": "2.0", "paths": {"/": {"post": operation}}}
        route = Controller.from_openapi(document).functions[0].origin
        assert isinstance(route, Route)
        value = {"a": [[1, 2], [3]]}
        request = build(route, {"query": value, "body": value}, base_url="https://h")
        assert isinstance(request, HttpRequest)
        found.append((request.content or request.url.partition("?")[2].encode()).decode())
    assert found == [query, body]


def form(value: Any, encoding: Any, schema: Any = True, **rest: Any) -> str | Failure:
    body = Body(content_type=FORM, encoding=encoding, schema=schema)
    route = Route(method="POST", path="/", body=body)
    request = build(route, {"body": value}, base_url="https://h", **rest)
    return request if isinstance(request, Failure) else (request.content or b"").decode()


def test_every_vector_of_a_form_is_written_exactly(vectors: Path) -> None:
    rows = table(vectors, "urlencoded_bodies")
    for row in rows:
        rules = {
            name: Encoding(
                content_type=rule.get("contentType"),
                style=rule.get("style"),
                explode=rule.get("explode"),
            )
            for name, rule in row.get("encoding", {}).items()
        }
        schema = {"type": "object", "properties": row["properties"]}
        assert form(row["value"], rules, schema) == row["expected"], row["id"]
    assert len(rows) == 10


@pytest.mark.parametrize(
    ("value", "encoding", "expected"),
    [
        ({"a": "x y&z", "b": 7, "c": True}, {}, "a=x+y%26z&b=7&c=true"),
        ({"a": "~*-._ü %20%2A"}, {}, "a=%7E*-._%C3%BC+%2520%252A"),
        ({"a": {"b": [1]}}, {}, "a=%7B%22b%22%3A%5B1%5D%7D"),
        ({"a": ["x", None, "y z"]}, {}, "a=x&a=y+z"),
        ({"a": [{"b": 1}]}, {}, "a=%7B%22b%22%3A1%7D"),
        ({"a": None, "b": ""}, {}, "b="),
        ({"a": "x"}, {"a": Encoding(content_type="application/json")}, "a=%22x%22"),
        ({"a": ["x", "y"]}, {"a": Encoding(style="form", explode=False)}, "a=x,y"),
        ({"a": ["x", "y"]}, {"a": Encoding(explode=False)}, "a=x,y"),
        ({"a": {"b": "c d"}}, {"a": Encoding(style="form")}, "b=c+d"),
        ({"a b": {"c": 1}}, {"a b": Encoding(style="deepObject")}, "a+b%5Bc%5D=1"),
        ({"a": "x/y"}, {"a": Encoding(allow_reserved=True)}, "a=x/y"),
        ({"a": []}, {"a": Encoding(style="simple")}, ""),
        ({"a": b"\xff"}, {}, "a=%2Fw%3D%3D"),
        ({"a": {"content": b"text"}}, {}, "a=dGV4dA%3D%3D"),
        ("a=1&b=2", {}, "a=1&b=2"),
        ({}, {}, ""),
    ],
)
def test_a_form_is_written(value: Any, encoding: Any, expected: str) -> None:
    assert form(value, encoding) == expected


@pytest.mark.parametrize("value", [1, ["a"], {"a": "\ud800"}])
def test_a_form_has_to_be_an_object(value: Any) -> None:
    assert isinstance(form(value, {}), Failure)


COLORS = ["blue", "black", "brown"]
RGB = {"R": 100, "G": 200, "B": 150}


@pytest.mark.parametrize(
    ("place", "style", "explode", "value", "expected"),
    [
        ("path", "pipeDelimited", False, COLORS, "blue%7Cblack%7Cbrown"),
        ("path", "simple", False, [{"a": [1]}, True], "%7B%22a%22%3A%5B1%5D%7D,true"),
        ("path", "label", True, [None], None),
        ("path", "matrix", True, {}, None),
        ("path", "simple", False, "a/b", "a%2Fb"),
        ("query", "form", True, [], None),
        ("query", "form", True, ["x", None, {"a": 1}], "p=x&p=%7B%22a%22%3A1%7D"),
        ("query", "spaceDelimited", True, COLORS, "p=blue&p=black&p=brown"),
        ("query", "pipeDelimited", True, RGB, "R=100&G=200&B=150"),
        ("query", "pipeDelimited", False, "a", "p=a"),
        ("query", "tabDelimited", False, COLORS, "p=blue%09black%09brown"),
        ("query", "deepObject", True, "a", "p=a"),
        ("query", "deepObject", True, {"a": None}, None),
        ("query", "form", False, True, "p=true"),
        ("query", "form", False, 1e-07, "p=1e-07"),
        ("query", "form", False, 12345678901234567890123, "p=12345678901234567890123"),
        ("header", "simple", False, 'text/plain; q="1"', 'text/plain; q="1"'),
        ("header", "simple", False, "a\tb", "a\tb"),
        ("cookie", "form", True, "1; admin=true", "p=1%3B%20admin%3Dtrue"),
        ("cookie", "cookie", True, {"g": "Hello%2C world!", "n": 42}, "g=Hello%2C world!; n=42"),
        ("cookie", "cookie", True, "", "p="),
    ],
)
def test_a_value_is_written_in_its_style(
    place: str, style: str, explode: bool, value: Any, expected: str | None
) -> None:
    entry = {"in": place, "name": "p", "style": style, "explode": explode, "value": value}
    assert written(entry) == expected


@pytest.mark.parametrize(
    ("place", "content", "value", "expected"),
    [
        ("path", "application/json", {"a": "/"}, "%7B%22a%22%3A%22%2F%22%7D"),
        ("query", "application/json", {"n": None}, "p=%7B%22n%22%3Anull%7D"),
        ("query", "text/plain", "a b", "p=a%20b"),
        ("querystring", FORM, {"foo": "a + b", "bar": True}, "foo=a+%2B+b&bar=true"),
        ("querystring", "application/json", {"a": 1}, "%7B%22a%22%3A1%7D"),
        ("header", "application/json", {"a": "é"}, '{"a":"\\u00e9"}'),
    ],
)
def test_content_is_written_in_its_media_type(
    place: str, content: str, value: Any, expected: str
) -> None:
    assert written({"in": place, "name": "p", "content": content, "value": value}) == expected


def refused(place: str, value: Any, style: str = "", **more: Any) -> list[tuple[Any, ...]]:
    entry = {"in": place, "name": "p", "value": value, **({"style": style} if style else {})}
    path = "/x{p}" if place == "path" else "/x"
    answer = built([{**entry, "explode": True, **more}], path)
    assert isinstance(answer, Failure)
    return [issue.path.keys[2:] for issue in answer.issues]


@pytest.mark.parametrize(
    ("value", "keys"),
    [([1], ()), ({"a": {"b": 1}}, ("a",)), ({"a": [1]}, ("a",)), ({"a]": 1}, ("a]",))],
)
def test_an_undefined_value_in_a_deep_object_is_refused_with_its_path(
    value: Any, keys: tuple[str, ...]
) -> None:
    assert refused("query", value, "deepObject") == [keys]


def test_a_deep_object_may_nest_if_deep_is_set() -> None:
    value = {"a": [1, {"c": "x y"}], "d": None}
    entry = {"in": "query", "name": "p", "style": "deepObject", "explode": True, "value": value}
    assert written(entry, deep=True) == "p%5Ba%5D%5B0%5D=1&p%5Ba%5D%5B1%5D%5Bc%5D=x%20y"
    rule = {"expand": Encoding(style="deepObject", explode=True)}
    assert form({"expand": ["a"]}, rule, deep=True) == "expand%5B0%5D=a"
    failure = form({"expand": ["a"]}, rule)
    assert isinstance(failure, Failure)
    assert [issue.path.keys for issue in failure.issues] == [("body", "expand")]


VALUES = [float("nan"), float("inf"), 10**5000, {"a": {1, 2}}, object(), "\ud800"]


@pytest.mark.parametrize("place", ["path", "query", "header", "cookie"])
@pytest.mark.parametrize("value", VALUES, ids=["nan", "inf", "digits", "set", "object", "half"])
def test_a_value_that_cannot_be_written_is_refused(place: str, value: Any) -> None:
    assert refused(place, value, "simple" if place in DEFAULT else "form", explode=False) == [()]


@pytest.mark.parametrize("value", ["a\nb", "\x00", "\x7f", "a\tb", None, [], {}, [None]])
def test_a_value_that_cannot_be_a_segment_is_refused(value: Any) -> None:
    assert refused("path", value) == [()]


@pytest.mark.parametrize(
    "value", ["1\r\nX-Evil: 1", "1\nX", "1\rX", "a\x00", "한글", "\x7f", " a", "a\t", "é"]
)
def test_a_header_value_that_is_not_visible_ascii_is_refused(value: str) -> None:
    assert refused("header", value) == [()]


@pytest.mark.parametrize(
    "value", ["1; admin=true", '"', "a,b", "a\\b", "é", "\n", " a", "a ", {"a=b": 1}, {"a b": 1}]
)
def test_a_cookie_of_style_cookie_refuses_invalid_characters(value: Any) -> None:
    assert refused("cookie", value, "cookie") == [()]


@given(st.text())
def test_allow_reserved_never_lets_a_delimiter_of_the_query_through(text: str) -> None:
    entry = {"in": "query", "name": "p", "style": "form", "value": text, "allowReserved": True}
    encoded = written(entry)
    if encoded is not None:
        assert encoded.isascii()
        assert not set(encoded[2:]) & set('&=+#[] "<>\\^`{|}')


@pytest.mark.parametrize(
    ("template", "url"),
    [
        ("/", "/"),
        ("users/{id}/", "/users/v/"),
        ("/a{id}b{id}.json", "/avbv.json"),
        ("/v1/{id}:cancel", "/v1/v:cancel"),
        ("/a b/ü/%2F/50%/{id}", "/a%20b/%C3%BC/%2F/50%25/v"),
        ("/{unclosed", "/%7Bunclosed"),
        ("/x{?q}?type=a&id={id}#frag", "/x?type=a&id=v"),
        ("/users/:id", "/users/v"),
        ("/v1/:verb", "/v1/:verb"),
        ("/x#{id}", "/x"),
        ("/users/{id*}/x", "/users/v/x"),
    ],
)
def test_a_path_template_is_parsed_and_filled(template: str, url: str) -> None:
    request = built([{"in": "path", "name": "id", "value": "v"}], template)
    assert isinstance(request, HttpRequest)
    assert request.url == f"https://h{url}"


@pytest.mark.slow
@pytest.mark.parametrize("template", ["/" + "{" * 100_000, "/" + "{a{id}" * 20_000, "/:" * 50_000])
def test_a_long_path_is_parsed_in_linear_time(template: str) -> None:
    given = [{"in": "path", "name": "id", "value": "v"}] if "id" in template else []
    assert isinstance(built(given, template), HttpRequest)


@pytest.mark.parametrize(
    ("segments", "is_dot"),
    [
        (
            ". .. %2e %2E%2e %252e%252E %25252e. %2525252e%2525252e a%2F.. ..%5Cadmin a%5c.%5cb "
            "..%3Bx ..;x %2e%2e%2Fadmin",
            True,
        ),
        ("... a. .a a..b ..a %252 a%2Fb %", False),
    ],
)
def test_a_dot_segment_is_recognised_in_every_encoding(segments: str, is_dot: bool) -> None:
    wrong = [each for each in ["", *segments.split()][is_dot:] if is_dot_segment(each) != is_dot]
    assert wrong == []
