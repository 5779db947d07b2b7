import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyfunctools.execution.request.parameters import (
    cookie_pairs,
    header_text,
    query_pairs,
    query_text,
)
from pyfunctools.execution.request.styles import (
    form,
    json_text,
    pairs,
    percent,
    percent_reserved,
    plain,
    printable,
    printable_reserved,
    scalar,
    written,
)
from pyfunctools.execution.unsendable import UnsendableError
from pyfunctools.route import Parameter


def on_the_wire(parameter: Parameter, value: Any) -> str | None:
    """Give what the grammar makes of a value, before the request has its say."""
    match parameter.location:
        case "path":
            encode = printable_reserved if parameter.allow_reserved else percent
            return written(parameter.name, value, parameter.style, parameter.explode, encode)
        case "query":
            return "&".join(map("=".join, query_pairs(parameter, value, deep=False))) or None
        case "querystring":
            return query_text(parameter, value, deep=False)
        case "header":
            return header_text(parameter, value)
        case "cookie":
            return "; ".join(map("=".join, cookie_pairs(parameter, value))) or None


def of_vector(vector: dict[str, Any]) -> Parameter:
    return Parameter(
        name=vector["name"],
        location=vector["in"],
        argument=(vector["name"],),
        style=vector.get("style", "simple"),
        explode=vector.get("explode", False),
        allow_reserved=vector.get("allowReserved", False),
        content_type=vector.get("content"),
    )


def test_every_vector_of_a_parameter_is_written_exactly(vectors: Path) -> None:
    table = json.loads((vectors / "style.json").read_text("utf-8"))
    rows = table["parameters"] + table["content_parameters"]
    wrong = {}
    for vector in rows:
        undefined = isinstance(vector["value"], dict) and "$undefined" in vector["value"]
        got = on_the_wire(of_vector(vector), None if undefined else vector["value"])
        if got != vector["expected"]:
            wrong[vector["id"]] = (got, vector["expected"])
    assert wrong == {}
    assert len(rows) == 232


COLORS = ["blue", "black", "brown"]
RGB = {"R": 100, "G": 200, "B": 150}


@pytest.mark.parametrize(
    ("style", "explode", "value", "expected"),
    [
        ("simple", False, "blue", "blue"),
        ("simple", False, COLORS, "blue,black,brown"),
        ("simple", True, RGB, "R=100,G=200,B=150"),
        ("label", False, COLORS, ".blue,black,brown"),
        ("label", True, COLORS, ".blue.black.brown"),
        ("matrix", False, RGB, ";color=R,100,G,200,B,150"),
        ("matrix", True, COLORS, ";color=blue;color=black;color=brown"),
        ("matrix", True, RGB, ";R=100;G=200;B=150"),
        ("matrix", True, "", ";color"),
        ("pipeDelimited", False, COLORS, "blue%7Cblack%7Cbrown"),
        ("simple", False, [{"a": [1]}, True], "%7B%22a%22%3A%5B1%5D%7D,true"),
        ("simple", False, None, None),
        ("label", True, [None], None),
        ("matrix", True, {}, None),
    ],
)
def test_a_path_value_is_written_in_its_style(
    style: Any, explode: bool, value: Any, expected: str | None
) -> None:
    assert written("color", value, style, explode, printable) == expected


@pytest.mark.parametrize(
    ("style", "explode", "value", "expected"),
    [
        ("form", True, COLORS, "color=blue&color=black&color=brown"),
        ("form", False, COLORS, "color=blue,black,brown"),
        ("form", True, RGB, "R=100&G=200&B=150"),
        ("form", True, "", "color="),
        ("form", True, [], ""),
        ("form", True, ["x", None, {"a": 1}], "color=x&color=%7B%22a%22%3A1%7D"),
        ("spaceDelimited", False, COLORS, "color=blue%20black%20brown"),
        ("spaceDelimited", True, COLORS, "color=blue&color=black&color=brown"),
        ("pipeDelimited", True, RGB, "R=100&G=200&B=150"),
        ("pipeDelimited", False, "a", "color=a"),
        ("tabDelimited", False, COLORS, "color=blue%09black%09brown"),
        ("deepObject", False, RGB, "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
        ("deepObject", True, "a", "color=a"),
        ("deepObject", True, {"a": None}, ""),
    ],
)
def test_a_query_value_is_written_in_its_style(
    style: Any, explode: bool, value: Any, expected: str
) -> None:
    found = pairs("color", value, style, explode, percent)
    assert "&".join(map("=".join, found)) == expected


@pytest.mark.parametrize(
    ("value", "keys"), [([1], ()), ({"a": {"b": 1}}, ("a",)), ({"a": [1]}, ("a",))]
)
def test_what_a_deep_object_does_not_define_is_refused_with_its_place(
    value: Any, keys: tuple[str, ...]
) -> None:
    with pytest.raises(UnsendableError) as caught:
        pairs("p", value, "deepObject", True, percent)
    assert caught.value.keys == keys


def test_a_deep_object_may_nest_where_that_is_asked_for() -> None:
    value = {"a": {"b": [1, {"c": "x y"}]}, "d": None}
    found = pairs("p", value, "deepObject", True, percent, deep=True)
    assert found == [("p%5Ba%5D%5Bb%5D%5B0%5D", "1"), ("p%5Ba%5D%5Bb%5D%5B1%5D%5Bc%5D", "x%20y")]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        (True, "true"),
        (False, "false"),
        (10.0, "10.0"),
        (1e-07, "1e-07"),
        (12345678901234567890123, "12345678901234567890123"),
        ({"a": [1, None]}, '{"a":[1,null]}'),
        (b"\x00\xff", "AP8="),
    ],
)
def test_a_scalar_has_its_json_spelling(value: Any, text: str) -> None:
    assert scalar(value) == text


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), 10**5000, {"a": {1, 2}}, object(), nested(100_000)],
    ids=["nan", "inf", "digits", "set", "object", "depth"],
)
def test_what_json_cannot_say_is_refused(value: Any) -> None:
    with pytest.raises(UnsendableError):
        scalar(value)


@pytest.mark.parametrize("encode", [percent, percent_reserved, printable, printable_reserved, form])
def test_a_lone_surrogate_is_refused(encode: Any) -> None:
    with pytest.raises(UnsendableError):
        encode("a\ud800")


@given(st.text())
def test_allow_reserved_never_lets_a_delimiter_of_the_query_through(text: str) -> None:
    try:
        encoded = percent_reserved(text)
    except UnsendableError:
        return
    assert encoded.isascii()
    assert not set(encoded) & set('&=+#[] "<>\\^`{|}')


@pytest.mark.parametrize("text", ["a\nb", "\x00", "\x7f", "a\tb"])
def test_a_control_character_is_refused_in_the_path(text: str) -> None:
    with pytest.raises(UnsendableError):
        printable(text)


def test_form_encoding_is_that_of_browsers() -> None:
    assert form("~*-._ü %20%2A") == "%7E*-._%C3%BC+%2520%252A"


def test_json_for_a_header_is_ascii() -> None:
    assert json_text({"a": "é"}, ascii_only=True) == '{"a":"\\u00e9"}'
    assert plain("é") == "é"
