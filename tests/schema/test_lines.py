import pytest

from pyfunctools._json import JsonValue
from pyfunctools.schema.feedback.lines import (
    DETAILS,
    CommentedPlace,
    Detail,
    LineWriter,
    is_present,
    one_line,
    without_closers,
)
from pyfunctools.schema.ground.path import Keys

FULL, SHORT, LEAST = DETAILS


def marked(*places: Keys, hidden: Keys | None = None) -> CommentedPlace:
    root = CommentedPlace()
    for keys in places:
        root.at(keys).comments.append("wrong")
    if hidden is not None:
        root.at(hidden).hidden = True
    return root


def written(value: JsonValue, root: CommentedPlace, detail: Detail) -> LineWriter:
    writer = LineWriter(detail)
    assert writer.write(value, root)
    return writer


def text(value: JsonValue, root: CommentedPlace, detail: Detail = FULL) -> str:
    return "\n".join(written(value, root, detail).lines)


def test_the_lines_of_json_and_comments_are_json_without_the_comments():
    value: JsonValue = {"a": [1, {"b": "x"}], "c": {}, "d": None}
    assert text(value, marked(("a", 1, "b"), ("c",))) == (
        "{\n"
        '  "a": [\n'
        "    1,\n"
        "    {\n"
        '      "b": "x" // ❌ wrong\n'
        "    }\n"
        "  ],\n"
        '  "c": {}, // ❌ wrong\n'
        '  "d": null\n'
        "}"
    )


def test_several_comments_stand_on_one_line():
    root = CommentedPlace(comments=["too short", "too odd"])
    assert text("x", root) == '"x" // ❌ too short; too odd'


def test_a_missing_property_stands_after_those_that_are_there():
    assert text({"a": 1}, marked(("b",), ("c",))) == (
        '{\n  "a": 1,\n  "b": undefined, // ❌ wrong\n  "c": undefined // ❌ wrong\n}'
    )


def test_what_is_hidden_is_never_written_and_neither_is_anything_below():
    value: JsonValue = {"card": {"pin": "1234", "owner": {"name": "Ann"}}, "note": "Ann"}
    shown = text(value, marked(("card", "pin"), hidden=("card",)))
    assert shown == '{\n  "card": (given by a person),\n  "note": "Ann"\n}'
    assert text(value, marked(hidden=())) == "(given by a person)"
    assert "undefined" not in text({"a": 1}, marked(hidden=("gone",)))


@pytest.mark.parametrize(
    ("value", "keys", "there"),
    [
        ({"a": [1]}, ("a", 0), True),
        ({"a": [1]}, (), True),
        ({"a": 1}, ("b",), None),
        ({"a": {}}, ("a", "b"), None),
        ({"a": 1}, ("b", "c"), False),
        ({"a": 1}, ("a", "b"), False),
        ([1], (1,), False),
        ([1], (-1,), False),
        ([1], ("0",), False),
        ({"0": 1}, (0,), False),
    ],
)
def test_a_place_is_there_or_missing_or_nowhere(value: JsonValue, keys: Keys, there: bool | None):
    assert is_present(value, keys) is there


def test_right_items_around_a_wrong_one_are_left_out():
    lines = text([*range(20), "x", *range(7)], marked((20,)), SHORT).splitlines()
    assert lines == [
        "[",
        "  0,",
        "  1,",
        "  2,",
        "  // … 17 more items",
        '  "x" // ❌ wrong',
        "  // … 7 more items",
        "]",
    ]


def test_right_properties_around_a_wrong_one_are_left_out():
    value = {f"k{n}": n for n in range(10)}
    assert text(value, marked(("k5",), ("k",)), LEAST).splitlines() == [
        "{",
        '  "k0": 0,',
        '  "k1": 1,',
        "  // … 3 more properties",
        '  "k5": 5, // ❌ wrong',
        "  // … 4 more properties",
        '  "k": undefined // ❌ wrong',
        "}",
    ]


def test_what_is_right_and_large_is_folded():
    value: JsonValue = {"a": list(range(1000)), "b": {str(n): n for n in range(50)}, "c": "x"}
    assert text(value, marked(("c",)), SHORT) == (
        '{\n  "a": [ … 1,000 items ],\n  "b": { … 50 properties },\n  "c": "x" // ❌ wrong\n}'
    )


@pytest.mark.parametrize(
    "value", [{"a": "x" * 1000}, {"b": [0] * 1000}, {str(n): n for n in range(99)}]
)
def test_it_is_known_whether_anything_is_left_out(value: dict[str, JsonValue]):
    assert written(value, CommentedPlace(), SHORT).is_elided
    assert written({**value, "c": 1}, marked(("c",)), SHORT).is_elided
    assert not written({"c": 1}, marked(("c",)), SHORT).is_elided


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("a\nb\t c", "a b c"),
        ("```\n</tool><|end|>", "\\u0060\\u0060\\u0060 <\\/tool>\\u003c|end|>"),
        ("a\u202eb\x00", "a\\u202eb\\u0000"),
        ("x" * 400, "x" * 299 + "…"),
    ],
)
def test_a_comment_can_end_neither_its_line_nor_the_fence(given: str, taken: str):
    assert one_line(given) == taken


def test_texts_and_names_cannot_close_a_fence_or_a_tag():
    shown = text({"```": "</tool>```"}, marked(("```",)))
    assert "```" not in shown
    assert "</" not in shown
    assert without_closers("a < b") == "a < b"


def test_a_value_that_holds_itself_is_written_as_far_as_is_shown():
    value: dict[str, JsonValue] = {"a": 1}
    value["self"] = value
    assert text(value, marked(("a",)), SHORT) == (
        '{\n  "a": 1, // ❌ wrong\n  "self": { … 2 properties }\n}'
    )
