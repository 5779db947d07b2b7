"""Literals of Python and JSON: the same values as `ast.literal_eval`, and nothing run."""

import ast
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyfunctools.prompting.calls.literals import Literals, NotALiteral, unescaped

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=("Cs",))), inner)
    ),
    max_leaves=20,
)


def read(text: str) -> tuple[object, Literals]:
    literals = Literals(text, 0, len(text))
    return literals.value(()), literals


@given(VALUES)
def test_what_python_writes_is_read_as_it_was(value: object) -> None:
    found, literals = read(repr(value) + ")")
    assert found == value
    assert type(found) is type(value)
    assert [*literals.raws, *literals.repairs, *literals.faults] == []


@given(VALUES, st.booleans())
def test_what_json_writes_is_read_as_it_was(value: object, ascii_only: bool) -> None:
    found, literals = read(json.dumps(value, ensure_ascii=ascii_only) + ",")
    assert found == value
    assert [*literals.raws, *literals.repairs, *literals.faults] == []


@pytest.mark.parametrize(
    "text",
    [
        "'a' 'b'",
        "'a'\n  \"b\"",
        "'''a\n'b' '''",
        '"""x"""',
        "r'a\\d'",
        "u'x'",
        "'\\x41\\u0042\\103'",
        "'a\\\nb'",
        "-5",
        "+5",
        "1_000",
        "0x1F",
        "0b11",
        "1e3",
        ".5",
        "5.",
        "[1, 2, ]",
        "(1)",
        "[]",
        "{}",
        "{'a': [1, {'b': None}], \"c\": True}",
        "[[1, 2], [3]]",
    ],
)
def test_python_agrees(text: str) -> None:
    found, literals = read(text + ")")
    assert found == ast.literal_eval(f"({text})")
    assert not literals.raws


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
        ("'a\\d'", "a\\d"),
    ],
)
def test_what_models_write_is_read(text: str, value: object) -> None:
    found, literals = read(text + ")")
    assert found == value
    assert not literals.raws


@pytest.mark.parametrize(
    "text",
    [
        "2*3",
        "x",
        "London",
        "f(1, [2])",
        "'a' + 'b'",
        "[1, 2][0]",
        "'a'.upper()",
        "lambda: 1",
        "5%",
        "007",
        "1j",
    ],
)
def test_what_is_no_literal_is_kept_as_it_is_written(text: str) -> None:
    found, literals = read(text + ")")
    assert found == text
    assert [(raw.keys, raw.start, raw.end) for raw in literals.raws] == [((), 0, len(text))]


def test_places_inside_are_told() -> None:
    found, literals = read("{'a': [1, x], 'b': {'c': y}})")
    assert found == {"a": [1, "x"], "b": {"c": "y"}}
    assert [raw.keys for raw in literals.raws] == [("a", 1), ("b", "c")]
    assert literals.objects == {(): (0, 28), ("b",): (19, 27)}
    found, literals = read("({'a': x}))")
    assert [raw.keys for raw in literals.raws] == [("a",)]


@pytest.mark.parametrize("text", ["", ")", "[1, 2)", "a\n\nb", "{'a' 1} {", "x" * 5_000])
def test_what_is_no_value_is_not_read(text: str) -> None:
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
def test_an_end_in_the_middle_is_noted(text: str, kinds: list[str]) -> None:
    assert [note.kind for note in read(text)[1].repairs] == kinds


@pytest.mark.parametrize("text", ["{'a': 1, 'a': 2}", "9" * 5_000, "1e999", "[1e999]"])
def test_what_cannot_be_right_is_a_fault(text: str) -> None:
    assert len(read(text + ",")[1].faults) == 1


def test_nesting_is_bounded() -> None:
    assert read("[" * 64 + "]" * 64)[1].raws == []
    found, literals = read("[" * 65 + "]" * 65)
    assert literals.raws
    assert found == "[" * 65 + "]" * 65


@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_escapes_of_json_are_read(text: str) -> None:
    assert unescaped(json.dumps(text)[1:-1]) == text


@pytest.mark.parametrize(
    "written",
    [
        "a",
        "\\n\\t\\r",
        "\\x41",
        "\\u0041",
        "\\U0001F600",
        "\\101",
        "\\7",
        "\\\n",
        "\\'",
        "\\a\\b\\f\\v",
    ],
)
def test_escapes_of_python_are_read(written: str) -> None:
    assert unescaped(written) == ast.literal_eval(f'"{written}"')


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("\\d", "\\d"),
        ("\\_", "\\_"),
        ("\\u12", "\\u12"),
        ("\\U00110000", "\\U00110000"),
        ("\\ud83d\\ude00", "\U0001f600"),
        ("\\", "\\"),
        ("\\/", "/"),
    ],
)
def test_what_else_stands_behind_a_backslash_stays_as_it_is(written: str, value: str) -> None:
    assert unescaped(written) == value


def test_a_raw_string_has_no_escapes() -> None:
    assert unescaped("\\n", raw=True) == "\\n"
