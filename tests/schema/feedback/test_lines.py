import pytest

from pyfunctools._json import JsonValue
from pyfunctools.schema.feedback.feedback import (
    DETAILS,
    CommentedPlace,
    Detail,
    LineWriter,
    is_present,
    one_line,
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


CIRCLE: dict[str, JsonValue] = {"a": 1}
CIRCLE["self"] = CIRCLE
CARD: JsonValue = {"card": {"pin": "1234", "owner": {"name": "Ann"}}, "note": "Ann"}


@pytest.mark.parametrize(
    ("detail", "value", "root", "lines"),
    [
        (
            FULL,
            {"a": [1, {"b": "x"}], "c": {}, "d": None},
            marked(("a", 1, "b"), ("c",)),
            ["{", '  "a": [', "    1,", "    {", '      "b": "x" // ❌ wrong', "    }", "  ],",
             '  "c": {}, // ❌ wrong', '  "d": null', "}"],
        ),
        (FULL, "x", CommentedPlace(comments=["short", "odd"]), ['"x" // ❌ short; odd']),
        (
            FULL,
            {"a": 1},
            marked(("b",), ("c",)),
            ["{", '  "a": 1,', '  "b": undefined, // ❌ wrong',
             '  "c": undefined // ❌ wrong', "}"],
        ),
        (
            FULL,
            CARD,
            marked(("card", "pin"), hidden=("card",)),
            ["{", '  "card": (given by a person),', '  "note": "Ann"', "}"],
        ),
        (FULL, CARD, marked(hidden=()), ["(given by a person)"]),
        (FULL, {"a": 1}, marked(hidden=("gone",)), ["{", '  "a": 1', "}"]),
        (
            FULL,
            {"```": "</tool>```"},
            marked(("```",)),
            ["{", r'  "\u0060\u0060\u0060": "<\/tool>\u0060\u0060\u0060" // ❌ wrong', "}"],
        ),
        (
            SHORT,
            [*range(20), "x", *range(7)],
            marked((20,)),
            ["[", "  0,", "  1,", "  2,", "  // … 17 more items", '  "x" // ❌ wrong',
             "  // … 7 more items", "]"],
        ),
        (
            SHORT,
            {"a": [*range(1000)], "b": {str(n): n for n in range(50)}, "c": "x"},
            marked(("c",)),
            ["{", '  "a": [ … 1,000 items ],', '  "b": { … 50 properties },',
             '  "c": "x" // ❌ wrong', "}"],
        ),
        (
            SHORT,
            CIRCLE,
            marked(("a",)),
            ["{", '  "a": 1, // ❌ wrong', '  "self": { … 2 properties }', "}"],
        ),
        (
            LEAST,
            {f"k{n}": n for n in range(10)},
            marked(("k5",), ("k",)),
            ["{", '  "k0": 0,', '  "k1": 1,', "  // … 3 more properties", '  "k5": 5, // ❌ wrong',
             "  // … 4 more properties", '  "k": undefined // ❌ wrong', "}"],
        ),
    ],
)  # fmt: skip
def test_the_lines_are_json_with_comments(
    detail: Detail, value: JsonValue, root: CommentedPlace, lines: list[str]
):
    assert written(value, root, detail).lines == lines


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
def test_a_place_is_present_missing_or_unknown(value: JsonValue, keys: Keys, there: bool | None):
    assert is_present(value, keys) is there


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
