"""What of a value is one side's own."""

from enum import Enum, StrEnum
from typing import Any

import pytest

from pyfunctools.schema.separation.graph import graph_of
from pyfunctools.schema.separation.ownership import Ownership
from pyfunctools.schema.separation.side_writer import Part
from pyfunctools.schema.separation.sieve import ABSENT, own

Schema = dict[str, Any]
H = {"type": "string", "x-human": True}
S = {"type": "string"}
ROW = {"type": "object", "properties": {"n": S, "t": H}}


class Key(StrEnum):
    PIN = "pin"


class Box(Enum):
    ROW = {"n": "x", "t": "EVIL"}


def of(part: Part, value: Any, **properties: Any) -> tuple[Any, list[str], list[str]]:
    schema = {"type": "object", "properties": {**properties, "a": S, "pin": H}}
    graph = graph_of(schema, lambda _, inner: inner.get("x-human") is True)
    found = own(Ownership(graph), part, value)
    return (
        found.part,
        [str(issue.path) for issue in found.foreign],
        [str(issue.path) for issue in found.broken],
    )


@pytest.mark.parametrize(
    ("value", "kept", "foreign"),
    [
        ({"a": "x"}, {"a": "x"}, []),
        ({"a": "x", "pin": "EVIL"}, {"a": "x"}, ["$input.pin"]),
        ({"pin": None}, {}, ["$input.pin"]),
        ({"more": {"pin": 1}}, {"more": {"pin": 1}}, []),
        ({"row": {"n": "x", "t": "EVIL"}}, {"row": {"n": "x"}}, ["$input.row.t"]),
        ({"row": "x"}, {"row": "x"}, []),
        ({"rows": [{"n": "x", "t": 1}]}, {"rows": [{"n": "x"}]}, ["$input.rows[0].t"]),
        ({"rows": ({"t": "EVIL"},)}, {"rows": [{}]}, ["$input.rows[0].t"]),
        ({"rows": [Box.ROW]}, {"rows": [{"n": "x"}]}, ["$input.rows[0].t"]),
        ({"pair": ["x", None]}, {"pair": ["x", None]}, []),
        ({"pair": ["x", "EVIL"]}, {"pair": ["x", None]}, ["$input.pair[1]"]),
        ({"union": {"kind": "b"}}, {}, ["$input.union"]),
        ({"split": {"n": "x", "t": 1}}, {"split": {"n": "x"}}, ["$input.split.t"]),
        ({"split": "x"}, {"split": "x"}, []),
        ({"list": "x"}, {}, ["$input.list"]),
        ("text", "text", []),
        ([], [], []),
        (None, None, []),
    ],
)
def test_the_model_keeps_what_is_its_own(value: Any, kept: Any, foreign: list[str]) -> None:
    human = {"properties": {"kind": {"const": "a"}, "cvc": S}, "x-human": True}
    properties = {
        "row": ROW,
        "rows": {"type": "array", "items": ROW},
        "pair": {"prefixItems": [S, H]},
        "union": {"anyOf": [human, {"properties": {"kind": {"const": "b"}}}]},
        "split": {"anyOf": [ROW, S]},
        "list": {"anyOf": [{"type": "array", "items": H}, S]},
    }
    assert of("llm", value, **properties) == (kept, foreign, [])


@pytest.mark.parametrize(
    ("value", "kept", "foreign"),
    [
        ({"pin": "1"}, {"pin": "1"}, []),
        ({"pin": "1", "a": "x"}, {"pin": "1"}, ["$input.a"]),
        ({"pin": "1", "else": None}, {"pin": "1"}, ["$input.else"]),
        ({"row": {"t": "s", "n": "x"}}, {"row": {"t": "s"}}, ["$input.row.n"]),
        ({"row": "x"}, {}, ["$input.row"]),
        ({"row": None}, {"row": None}, []),
        ({"pair": [None, "s"]}, {"pair": [None, "s"]}, []),
        ({"pair": ["x", "s"]}, {"pair": [None, "s"]}, ["$input.pair[0]"]),
        ({"union": {"kind": "b"}}, {"union": {"kind": "b"}}, []),
    ],
)
def test_the_human_keeps_what_is_the_humans(value: Any, kept: Any, foreign: list[str]) -> None:
    union = {"anyOf": [{"properties": {"cvc": H}}, {"properties": {"kind": {"const": "b"}}}]}
    properties = {"row": ROW, "pair": {"prefixItems": [S, H]}, "union": union}
    assert of("human", value, **properties) == (kept, foreign, [])


@pytest.mark.parametrize("part", ["llm", "human"])
@pytest.mark.parametrize(
    ("value", "kept", "broken"),
    [
        ({Key.PIN: "EVIL"}, ABSENT, "$input"),
        ({1: "EVIL"}, ABSENT, "$input"),
        ({"row": {Key.PIN: 1}}, {}, "$input.row"),
        ({"row": object()}, {}, "$input.row"),
        ({"row": {"t"}}, {}, "$input.row"),
    ],
)
def test_what_is_no_json_is_dropped_where_both_have_parts(
    part: Part, value: Any, kept: Any, broken: str
) -> None:
    assert of(part, value, row=ROW) == (kept, [], [broken])


def test_an_issue_of_the_humans_has_no_value() -> None:
    schema = {"properties": {"a": S, "pin": H}}
    places = Ownership(graph_of(schema, lambda _, inner: inner.get("x-human") is True))
    (foreign,) = own(places, "human", {"a": "SECRET-7f3a"}).foreign
    assert foreign.value is None
    assert foreign.side == "human"
    assert "SECRET" not in foreign.message
    (foreign,) = own(places, "llm", {"pin": "EVIL"}).foreign
    assert (foreign.side, foreign.value) == ("llm", "EVIL")


@pytest.mark.parametrize(
    ("part", "mark"), [("llm", {"x-human": True}), ("human", {"description": "nothing is"})]
)
def test_who_has_nothing_gives_an_empty_object_or_null(part: Part, mark: Schema) -> None:
    schema = {"type": "object", "properties": {"a": S}, **mark}
    places = Ownership(graph_of(schema, lambda _, inner: inner.get("x-human") is True))
    assert own(places, part, {}).part == {}
    assert own(places, part, None).part == {}
    given = own(places, part, {"a": 1, "b": 2})
    assert (given.part, [str(one.path) for one in given.foreign]) == ({}, ["$input.a", "$input.b"])
    assert own(places, part, "text").part == "text"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"PIN": "1"}, '$input.PIN: expected no value here: did you mean "pin"?'),
        ({"x9": "1"}, '$input.x9: expected no value here: "row", "rows", "pin" is asked for.'),
        ({"a": "1"}, '$input.a: expected no value here: "row", "rows", "pin" is asked for.'),
        ({"row": {"n": "1"}}, '$input.row.n: expected no value here: "t" is asked for.'),
        ({"rows": [{"T": 1}]}, '$input.rows[0].T: expected no value here: did you mean "t"?'),
        ({"row": 3}, '$input.row: expected an object with "t".'),
        ({"rows": 3}, "$input.rows: expected an object or an array."),
        ("x", '$input: expected an object with "row", "rows", "pin".'),
    ],
)
def test_a_person_is_told_what_they_are_asked_for_and_the_model_is_not(
    value: Any, said: str
) -> None:
    rows = {"type": "array", "items": ROW}
    schema = {"type": "object", "properties": {"row": ROW, "rows": rows, "a": S, "pin": H}}
    ownership = Ownership(graph_of(schema, lambda _, inner: inner.get("x-human") is True))
    assert [issue.message for issue in own(ownership, "human", value).foreign] == [said]
    for issue in own(ownership, "llm", {"pin": "1", "row": {"t": "1"}}).foreign:
        assert issue.expected == "no value, since this is not yours to give"
