"""What stands between the brackets of a call."""

import pytest

from pyfunctools.prompting.calls.arguments import Arguments, keyed, read_arguments


def read(text: str) -> Arguments:
    found, far = read_arguments(text, 0, len(text))
    assert found is not None
    assert far > 0
    return found


def test_arguments_are_read_by_place_and_by_name() -> None:
    found = read("1, 'x', a=[1], \"b\"={'c': None}, 'd': 2) and more")
    assert found.positional == [1, "x"]
    assert found.values == {"a": [1], "b": {"c": None}, "d": 2}
    assert (found.end, found.closed) == (39, True)
    assert [found.source(key) for key in (0, 1, "a", "b", "e")] == [
        "1",
        "'x'",
        "[1]",
        "{'c': None}",
        None,
    ]


@pytest.mark.parametrize(
    ("text", "positional", "values"),
    [
        (")", [], {}),
        (" \n)", [], {}),
        ("**{'a': 1}, b=2)", [], {"a": 1, "b": 2}),
        ("*[1, 2])", [1, 2], {}),
        ("a=x y, z, b=1)", [], {"a": "x y, z", "b": 1}),
        ("a=1, )", [], {"a": 1}),
        ("num\\_results=1)", [], {"num_results": 1}),
        ("a=1  # one\n, b=2)", [], {"a": 1, "b": 2}),
        ("größe=1)", [], {"größe": 1}),
    ],
)
def test_the_ways_of_writing_them(text: str, positional: object, values: object) -> None:
    found = read(text)
    assert (found.positional, found.values) == (positional, values)


@pytest.mark.parametrize(
    "text",
    [
        "a=",
        "a=)",
        "a=,b=1)",
        "see below\n\nfor more)",
        "**x)",
        "*x)",
    ],
)
def test_what_is_not_arguments_is_not_read(text: str) -> None:
    assert read_arguments(text, 0, len(text))[0] is None


def test_a_missing_bracket_is_noted() -> None:
    for text in ("a=1", "a=1\n", "a='x'", "a='x']"):
        found = read(text)
        assert not found.closed
        assert "closer" in [note.kind for note in found.notes]


def test_a_name_given_twice_is_a_fault() -> None:
    assert read("a=1, a=2)").faults == [(("a",), "is given twice")]
    assert read("a=1, **{'a': 2})").faults == [(("a",), "is given twice")]


def test_strings_that_are_assignments_are_arguments() -> None:
    found = read("'a=1', \"b='x'\", 'c=Palo Alto, CA', 'd=[1, 2], e=2')")
    keyed(found, ("a", "b", "c", "d", "e"))
    assert found.positional == []
    assert found.values == {"a": 1, "b": "x", "c": "Palo Alto, CA", "d": [1, 2], "e": 2}


@pytest.mark.parametrize("text", ["'a=1', 'x')", "'a=1', 'z=2')", "1, 'a=1')", "'a=1', b=x)"])
def test_other_strings_are_left_alone(text: str) -> None:
    found = read(text)
    before = list(found.positional)
    keyed(found, ("a", "b"))
    assert found.positional == before
