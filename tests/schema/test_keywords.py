import pytest

from pyfunctools._json import JsonValue
from pyfunctools.schema.normalization.clean import CLEAN, with_visible_texts


@pytest.mark.parametrize(
    ("keyword", "value", "sound"),
    [
        ("minimum", "1", 1),
        ("minimum", " -1.5e2 ", -150.0),
        ("minimum", "1e999", None),
        ("minimum", "one", None),
        ("minimum", True, None),
        ("maximum", 1.5, 1.5),
        ("exclusiveMinimum", True, True),
        ("multipleOf", 0, None),
        ("multipleOf", "0.01", 0.01),
        ("minLength", 1.0, 1),
        ("minLength", 1.5, None),
        ("minLength", -1, None),
        ("maxItems", "3", 3),
        ("uniqueItems", "true", None),
        ("pattern", "^a+$", "^a+$"),
        ("pattern", "(", None),
        ("pattern", "(?P<x>a)\\Z", None),
        ("pattern", "(?<year>[0-9]{4})", "(?<year>[0-9]{4})"),
        ("pattern", "^(?=.*\\d).+$", "^(?=.*\\d).+$"),
        ("pattern", 3, None),
        ("pattern", r"^[\w-./:]+$", r"^[\w\-./:]+$"),
        ("pattern", r"^[.-\d]+$", r"^[.\-\d]+$"),
        ("format", ["date"], None),
        ("description", "a\u200bb\ud800", "ab"),
        ("title", 3, None),
        ("enum", [], None),
        ("enum", {"a": 1}, None),
        ("required", ["a", 1, "b", "a"], ["a", "b"]),
        ("required", "a", None),
        ("required", True, None),
        ("properties", ["a"], None),
        (
            "properties",
            {"a": None, "b": "string", "c": 1},
            {"a": True, "b": {"type": "string"}, "c": True},
        ),
        ("patternProperties", {"(": {}, "a": {}}, {"a": {}}),
        ("allOf", [], None),
        ("anyOf", [None, {}], [{}]),
        ("anyOf", {"a": {}}, None),
        ("items", [{}, 3], [{}, True]),
        ("items", "integer", {"type": "integer"}),
        ("additionalProperties", "no", None),
        ("not", 3, None),
        ("dependentRequired", {"a": ["b", "b"], "c": "d"}, {"a": ["b"]}),
        ("$ref", {"type": "string"}, None),
        ("readOnly", "yes", None),
        ("$schema", "http://json-schema.org/draft-07/schema#", None),
        ("examples", "x", ["x"]),
        ("examples", {"a": {"value": 1}, "b": {"externalValue": "u"}, "c": 2}, [1, 2]),
        ("examples", {"b": {"$ref": "#/x"}}, None),
    ],
)
def test_a_value_is_made_sound_or_left_out(keyword: str, value: JsonValue, sound: JsonValue):
    result = CLEAN[keyword](value)
    assert result == sound
    assert type(result) is type(sound)


def test_an_example_is_shown_without_what_nobody_sees() -> None:
    example: JsonValue = {"a\u200b": ["b\U000e0041", {"c": "\x1bd"}], "e": 1, "f": None}
    assert with_visible_texts(example) == {"a": ["b", {"c": "d"}], "e": 1, "f": None}
    assert example["a\u200b"][0] == "b\U000e0041"  # type: ignore[index]
    assert with_visible_texts("x\u2066") == "x"
    assert CLEAN["examples"](["x\u2066", 1]) == ["x", 1]
    assert CLEAN["$comment"]("x\u2066") == "x"


def test_an_example_may_hold_one_value_often_and_itself() -> None:
    often: list[JsonValue] = ["x\u200b"]
    for _ in range(30):
        often = [often, often]
    once = with_visible_texts(often)
    assert isinstance(once, list)
    assert once[0] is once[1]
    endless: list[JsonValue] = ["x\u200b"]
    endless.append(endless)
    assert with_visible_texts(endless)[0] == "x"  # type: ignore[index]
