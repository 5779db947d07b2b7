"""JSON in the middle of a text."""

import pytest

from pyfunctools import Function
from pyfunctools.prompting.calls.json_calls import calls_of, read_piece
from pyfunctools.prompting.calls.names import Names


@pytest.mark.parametrize(
    ("text", "value", "end"),
    [
        ('{"a": 1} and more', {"a": 1}, 8),
        ("{'a': (1, None)}", {"a": [1, None]}, 16),
        ('[{"a": 1}]]', [{"a": 1}], 10),
        ('{"a": 1</tool_call>', {"a": 1}, None),
        ('{"a": "x" "b": 2}', {"a": "x", "b": 2}, 17),
        ("{a: 1}", {"a": 1}, 6),
    ],
)
def test_a_piece_is_read(text: str, value: object, end: int | None) -> None:
    piece, far = read_piece(text, 0, len(text))
    assert piece is not None
    assert piece.value == value
    assert not piece.issues
    assert far >= piece.end
    assert end is None or piece.end == end


@pytest.mark.parametrize("text", ["[1]", "[see below]", "[", "{name}", "(a)"])
def test_brackets_of_prose_are_none(text: str) -> None:
    piece, _ = read_piece(text, 0, len(text))
    assert piece is None or piece.issues


def test_what_is_no_literal_is_an_issue_that_keeps_it() -> None:
    piece, _ = read_piece('{"a": 2 * 3.14, "b": 1}', 0, 23)
    assert piece is not None
    assert piece.value == {"a": "2 * 3.14", "b": 1}
    assert [issue.path for issue in piece.issues] == ["$input.a"]


@pytest.mark.parametrize(
    "front",
    [
        "get_weather\n",
        "get_weather ",
        "get_weather: ",
        "**get_weather**\n",
        "- get_weather: ",
        "x.get_weather\n```json\n",
        "<|tool_call|>get_weather\n",
        "'get_weather', ",
        "get\\_weather = ",
    ],
)
def test_a_name_in_front_makes_a_call(front: str, functions: list[Function]) -> None:
    text = front + '{"city": "Paris"}'
    piece, _ = read_piece(text, len(front), len(text))
    assert piece is not None
    (found,) = calls_of(piece, text, Names(functions))
    assert found.function is not None
    assert found.arguments == {"city": "Paris"}
    assert text[found.start : found.end].startswith(("get", "x."))


@pytest.mark.parametrize(
    "front", ["", "The answer: ", "get_weather gave ", "My Get_weather: ", "```json\n", "name "]
)
def test_other_words_in_front_make_none(front: str, functions: list[Function]) -> None:
    text = front + '{"city": "Paris"}'
    piece, _ = read_piece(text, len(front), len(text))
    assert piece is not None
    assert calls_of(piece, text, Names(functions)) == []


def test_a_name_in_a_sentence_needs_arguments_of_the_function(functions: list[Function]) -> None:
    text = 'It is of get_weather: {"temperature": 21}'
    piece, _ = read_piece(text, text.index("{"), len(text))
    assert piece is not None
    assert calls_of(piece, text, Names(functions)) == []
