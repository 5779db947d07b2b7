"""What one side gave and may not give, told at its place."""

from enum import Enum, StrEnum
from typing import Any

import pytest

from pyfunctools.schema.separation.separate import separate

Schema = dict[str, Any]
H = {"type": "string", "x-human": True}
S = {"type": "string"}
ROW = {"properties": {"n": S, "t": H}}
CARD = {"properties": {"kind": {"const": "a"}, "cvc": S}, "x-human": True}
LINE = {"type": "object", "properties": {"n": S, "t": H}}
SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "row": ROW,
        "rows": {"items": ROW},
        "pair": {"prefixItems": [S, H]},
        "union": {"anyOf": [CARD, {"properties": {"kind": {"const": "b"}}}]},
        "split": {"anyOf": [LINE, S]},
        "list": {"anyOf": [{"type": "array", "items": H}, S]},
        "a": S,
        "pin": H,
    },
}
SEPARATED = separate(SCHEMA)


class Key(StrEnum):
    PIN = "pin"


class Box(Enum):
    ROW = {"n": "x", "t": "EVIL"}


class Text(str):
    """A text that is not quite one."""


def told(value: Any, side: Any) -> list[tuple[str, str]]:
    result = SEPARATED.validate(value, side)
    assert all(issue.side == side for issue in (() if result else result.issues))
    return [] if result else [(str(issue.path), issue.expected) for issue in result.issues]


@pytest.mark.parametrize(
    ("value", "whole", "foreign"),
    [
        ({"a": "x"}, {"a": "x"}, None),
        ({"a": "x", "pin": "EVIL"}, {"a": "x"}, "$input.pin"),
        ({"pin": None}, {}, "$input.pin"),
        ({"more": {"pin": 1}}, {"more": {"pin": 1}}, None),
        ({"row": {"n": "x", "t": "EVIL"}}, {"row": {"n": "x"}}, "$input.row.t"),
        ({"row": "x"}, {"row": "x"}, None),
        ({"rows": [{"n": "x", "t": 1}]}, {"rows": [{"n": "x"}]}, "$input.rows[0].t"),
        ({"rows": ({"t": "EVIL"},)}, {"rows": [{}]}, "$input.rows[0].t"),
        ({"rows": [Box.ROW]}, {"rows": [{"n": "x"}]}, "$input.rows[0].t"),
        ({"union": {"kind": "b"}}, {}, "$input.union"),
        ({"split": {"n": "x", "t": 1}}, {"split": {"n": "x"}}, "$input.split.t"),
        ({"split": "x"}, {"split": "x"}, None),
        ({"list": "x"}, {}, "$input.list"),
    ],
)
def test_of_the_models_the_persons_places_are_told_and_dropped(
    value: Any, whole: Any, foreign: str | None
) -> None:
    assert SEPARATED.merge(value, {}).unwrap() == whole  # type: ignore[union-attr]
    wanted = "no value, since this is not yours to give"
    assert told(value, "llm") == ([] if foreign is None else [(foreign, wanted)])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"pin": "1"}, None),
        ({"row": {"t": "s"}}, None),
        ({"row": None}, None),
        ({"pair": [None, "s"]}, None),
        ({"union": {"kind": "b"}}, None),
        ({"PIN": "1"}, '$input.PIN: expected no value here: did you mean "pin"?'),
        ({"a": "x"}, "$input.a: expected no value here: {} is asked for."),
        ({"else": None}, "$input.else: expected no value here: {} is asked for."),
        ({"row": {"n": "1"}}, '$input.row.n: expected no value here: "t" is asked for.'),
        ({"rows": [{"T": 1}]}, '$input.rows[0].T: expected no value here: did you mean "t"?'),
        ({"row": 3}, '$input.row: expected an object with "t".'),
        ({"rows": 3}, "$input.rows: expected an object or an array."),
        ({"pair": ["x", "s"]}, "$input.pair[0]: expected no value here: nothing is asked for."),
        ("x", "$input: expected an object with {}."),
    ],
)
def test_a_person_is_told_what_they_are_asked_for(value: Any, said: str | None) -> None:
    mine = {"rows": [{}], "pair": ["x", None]}
    merged = SEPARATED.merge({name: mine[name] for name in mine if name in value}, value)
    issues = () if merged else merged.issues
    wanted = (
        None if said is None else said.format('"row", "rows", "pair", "union", "split", "list", …')
    )
    assert [i.message for i in issues][:1] == ([] if wanted is None else [wanted])
    assert all(issue.value is None and issue.side == "human" for issue in issues)


@pytest.mark.parametrize("side", ["llm", "human"])
@pytest.mark.parametrize(
    ("value", "broken"),
    [
        ({Key.PIN: "EVIL"}, "$input"),
        ({Text("pin"): "EVIL"}, "$input"),
        ({1: "EVIL"}, "$input"),
        ({None: "EVIL"}, "$input"),
        ({"row": {Key.PIN: 1}}, "$input.row"),
        ({"row": object()}, "$input.row"),
        ({"row": b"t"}, "$input.row"),
        ({"row": {"t"}}, "$input.row"),
    ],
)
def test_what_is_no_json_is_refused_where_both_have_parts(
    side: Any, value: Any, broken: str
) -> None:
    wanted = "JSON, with texts as the keys of objects"
    assert (broken, wanted) in told(value, side)
    given = (value, {}) if side == "llm" else ({}, value)
    merged = SEPARATED.merge(*given)
    assert [(str(i.path), i.expected, i.side) for i in merged.issues] == [(broken, wanted, side)]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("side", "mark"), [("llm", {"x-human": True}), ("human", {"description": "nothing is"})]
)
def test_who_has_nothing_gives_an_empty_object_or_null(side: Any, mark: Schema) -> None:
    separated = separate({"type": "object", "properties": {"a": S}, **mark})
    assert separated.validate({}, side)
    assert separated.validate(None, side)
    failure = separated.validate({"a": 1, "b": 2}, side)
    assert [str(one.path) for one in failure.issues] == ["$input.a", "$input.b"]  # type: ignore[union-attr]
    assert not separated.validate("text", side)
