"""The program's part of the arguments, and objects that neither side has to give."""

from typing import Any

import pytest

from pyfunctools.schema.separation.separate import ProgramPart, separate

S = {"type": "string"}
HEADER = {"type": "object", "properties": {"token": S, "trace": S}, "required": ["token"]}


def object_of(*required: str, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [*required],
        "additionalProperties": False,
    }


WHOLE = object_of("text", "header", text=S, tenant=S, header=HEADER)
TOKEN, TENANT = ("header", "token"), ("tenant",)


def test_the_rest_has_nothing_of_the_program_and_requires_no_object_of_it() -> None:
    part = ProgramPart(WHOLE, [TOKEN, TENANT, ("missing",)])
    assert part.places == (TOKEN, TENANT)
    rest = object_of(
        "text", text=S, header={"type": "object", "properties": {"trace": S}, "required": []}
    )
    assert part.rest == rest


@pytest.mark.parametrize(
    ("rest", "whole"),
    [
        ({"text": "x"}, {"text": "x", "tenant": "a", "header": {"token": "t"}}),
        (
            {"text": "x", "header": {"trace": "1"}},
            {"text": "x", "tenant": "a", "header": {"trace": "1", "token": "t"}},
        ),
    ],
)
def test_the_program_s_values_are_joined_to_the_rest(rest: Any, whole: Any) -> None:
    part = ProgramPart(WHOLE, [TOKEN, TENANT])
    assert part.joined(rest, {TOKEN: "t", TENANT: "a"})[:1] == (whole,)


def test_a_value_in_a_place_of_the_program_is_found_and_never_joined() -> None:
    part = ProgramPart({**WHOLE, "additionalProperties": True}, [TOKEN, TENANT])
    rest = {"text": "x", "tenant": "evil", "header": {"token": "evil"}}
    assert part.taken(rest) == (TOKEN, TENANT)
    joined = part.joined(rest, {TOKEN: "t", TENANT: "a"})
    assert joined.whole == {"text": "x", "tenant": "a", "header": {"token": "t"}}


def test_issues_are_told_apart_by_whose_value_is_wrong() -> None:
    part = ProgramPart(WHOLE, [TOKEN, TENANT])
    wrong = part.joined({"text": "x"}, {TOKEN: 1, TENANT: "a"})
    assert ([str(one.path) for one in wrong.wrong], wrong.issues) == (["$input.header.token"], ())
    other = part.joined({"text": 1}, {TOKEN: "t", TENANT: "a"})
    assert ([str(one.path) for one in other.issues], other.wrong) == (["$input.text"], ())


def test_a_value_has_no_room_in_an_object_that_needs_more() -> None:
    card = object_of("number", number=S, pin=S)
    part = ProgramPart(object_of(card=card), [("card", "pin")])
    assert part.joined({}, {("card", "pin"): "1"}) == ({}, {}, (), ())
    both = ProgramPart(object_of(card=card), [("card", "pin"), ("card", "number")])
    values = {("card", "pin"): "1", ("card", "number"): "2"}
    assert both.joined({}, values).whole == {"card": {"pin": "1", "number": "2"}}


H = {"type": "string", "x-human": True}


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("needs", [True, False])
def test_an_object_is_required_of_the_model_only_if_something_in_it_is(
    depth: int, needs: bool
) -> None:
    inner = object_of(*(["pin"] if needs else []), pin=H, note=S)
    human: Any = {"pin": "1"}
    empty: Any = {}
    for _ in range(depth):
        inner, human, empty = object_of("in", **{"in": inner}), {"in": human}, {"in": empty}
    separated = separate(inner)
    assert separated.llm["required"] == []
    assert separated.validate({}, "llm")
    assert separated.merge({}, human).unwrap() == human
    if not needs:
        assert separated.human is not None
        assert separated.human["required"] == []
        assert separated.merge({}, {}).unwrap() == empty
    else:
        assert not separated.merge({}, {})
