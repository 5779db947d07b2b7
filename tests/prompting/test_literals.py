"""Literals of Python and JSON: the same values as `ast.literal_eval`, and nothing is run."""

import ast
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyfunctools.prompting.calls.literals import Literals, NotALiteral

TEXTS = st.text(st.characters(exclude_categories=("Cs",)))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=20,
)


def read(text: str) -> tuple[object, Literals]:
    literals = Literals(text, 0, len(text))
    return literals.value(()), literals


@given(VALUES, st.sampled_from([repr, json.dumps, lambda v: json.dumps(v, ensure_ascii=False)]))
def test_what_python_and_json_write_is_read_unchanged(value: object, write: type[str]) -> None:
    found, literals = read(write(value) + ")")
    assert found == value
    assert type(found) is type(value)
    assert [*literals.found.raws, *literals.found.repairs, *literals.found.faults] == []


@pytest.mark.parametrize(
    "text",
    [
        *("'a' 'b'", "'a'\n  \"b\"", "'''a\n'b' '''", '"""x"""', "r'a\\d\\n'", "u'x'"),
        *("'\\x41\\u0042\\103\\7'", "'\\U0001F600'", "'a\\\nb'", "'\\n\\t\\r\\a\\b\\f\\v\\''"),
        *("-5", "+5", "1_000", "0x1F", "0b11", "1e3", ".5", "5."),
        *("[1, 2, ]", "(1)", "[]", "{}", "[[1, 2], [3]]", "{'a': [1, {'b': None}], \"c\": True}"),
    ],
)
def test_python_agrees(text: str) -> None:
    found, literals = read(text + ")")
    assert found == ast.literal_eval(f"({text})")
    assert not literals.found.raws


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(1, 2)", [1, 2]),
        ("(1,)", [1]),
        ("()", []),
        ("(('a', 1), 2)", [["a", 1], 2]),
        ("f'x'", "x"),
        ("b'x'", "x"),
        ("true", True),
        ("[null, false]", [None, False]),
        ("'L'Aquila'", "L'Aquila"),
        ('"He said "hi" to me"', 'He said "hi" to me'),
        ("'two\nlines'", "two\nlines"),
        ('\\"x\\"', "x"),
        ("[1,  # the first\n 2]", [1, 2]),
        ("'\\ud83d\\ude00'", "\U0001f600"),
        ("'a\\d\\_\\/'", "a\\d\\_/"),
        ("'\\U00110000'", "\\U00110000"),
    ],
)
def test_what_models_write_is_read(text: str, value: object) -> None:
    found, literals = read(text + ")")
    assert found == value
    assert not literals.found.raws


@pytest.mark.parametrize(
    "text",
    [
        *("2*3", "x", "London", "f(1, [2])", "'a' + 'b'", "[1, 2][0]", "'a'.upper()"),
        *("lambda: 1", "5%", "007", "1j", "[" * 65 + "]" * 65),
    ],
)
def test_what_is_not_a_literal_stays_as_its_text(text: str) -> None:
    found, literals = read(text + ")")
    assert found == text
    assert [(raw.keys, raw.start, raw.end) for raw in literals.found.raws] == [((), 0, len(text))]


def test_inner_values_have_places() -> None:
    found, literals = read("{'a': [1, x], 'b': {'c': y}})")
    assert found == {"a": [1, "x"], "b": {"c": "y"}}
    assert [raw.keys for raw in literals.found.raws] == [("a", 1), ("b", "c")]
    assert literals.objects == {(): (0, 28), ("b",): (19, 27)}


@pytest.mark.parametrize("text", ["", ")", "[1, 2)", "a\n\nb", "{'a' 1} {", "x" * 5_000])
def test_what_is_not_a_value_is_not_read(text: str) -> None:
    with pytest.raises(NotALiteral):
        read(text)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("'Par", ["truncated"]),
        ("12", ["truncated"]),
        ("[1, 2", ["truncated", "closer"]),
        ("{'a': 'x'", ["closer"]),
        ("tru", ["truncated"]),
        ("true", []),
    ],
)
def test_a_missing_end_is_a_repair(text: str, kinds: list[str]) -> None:
    assert [repair.kind for repair in read(text)[1].found.repairs] == kinds


@pytest.mark.parametrize("text", ["{'a': 1, 'a': 2}", "9" * 5_000, "1e999", "[1e999]", "'\\u12'"])
def test_what_cannot_be_right_is_a_fault(text: str) -> None:
    assert len(read(text + ",")[1].found.faults) == 1
