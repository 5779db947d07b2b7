import json
from pathlib import Path
from typing import Any

import pytest

from pyfunctools.execution.request.body import form_text
from pyfunctools.execution.unsendable import UnsendableError
from pyfunctools.route import Encoding


def encodings(vector: dict[str, Any]) -> dict[str, Encoding]:
    return {
        name: Encoding(
            content_type=rule.get("contentType"),
            style=rule.get("style"),
            explode=rule.get("explode"),
        )
        for name, rule in vector.get("encoding", {}).items()
    }


def test_every_vector_of_a_form_is_written_exactly(shared: Path) -> None:
    table = json.loads((shared / "vectors" / "style.json").read_text("utf-8"))
    wrong = {}
    for vector in table["urlencoded_bodies"]:
        schema = {"type": "object", "properties": vector["properties"]}
        got = form_text(vector["value"], encodings(vector), schema, deep=False)
        if got != vector["expected"]:
            wrong[vector["id"]] = (got, vector["expected"])
    old = {"csv": Encoding(style="simple"), "multi": Encoding(style="form", explode=True)}
    for vector in table["swagger2"]:
        if vector["in"] == "formData":
            rule = {vector["name"]: old[vector["collectionFormat"]]}
            got = form_text({vector["name"]: vector["value"]}, rule, True, deep=False)
            if got != vector["expected"]:
                wrong[vector["id"]] = (got, vector["expected"])
    assert wrong == {}
    assert len(table["urlencoded_bodies"]) == 10


@pytest.mark.parametrize(
    ("value", "encoding", "expected"),
    [
        ({"a": "x y&z", "b": 7, "c": True}, {}, "a=x+y%26z&b=7&c=true"),
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
def test_a_form_is_written(value: Any, encoding: dict[str, Encoding], expected: str) -> None:
    assert form_text(value, encoding, True, deep=False) == expected


def test_a_deep_object_in_a_form_may_nest_where_that_is_asked_for() -> None:
    rule = {"expand": Encoding(style="deepObject", explode=True)}
    assert (
        form_text({"expand": ["a", "b"]}, rule, True, deep=True)
        == "expand%5B0%5D=a&expand%5B1%5D=b"
    )
    with pytest.raises(UnsendableError) as caught:
        form_text({"expand": ["a", "b"]}, rule, True, deep=False)
    assert caught.value.keys == ("expand",)


@pytest.mark.parametrize("value", [1, None, ["a"]])
def test_what_is_no_object_is_no_form(value: Any) -> None:
    with pytest.raises(UnsendableError):
        form_text(value, {}, True, deep=False)
