"""The sections of a docstring, and that a text without any is left as it is."""

from inspect import cleandoc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyfunctools.sources.python.docstrings import MAX_NAME, read_docstring, read_sections

SIGNS = st.sampled_from(
    [":", "@", "-", "=", "---", "===", "-=-", "Args", "Returns", "x", " ", "\n"]
)


@given(st.lists(SIGNS, max_size=20).map("".join))
def test_the_short_way_past_the_sections_says_the_same(text: str) -> None:
    assert read_docstring(text) == read_sections(cleandoc(text).split("\n"))


@pytest.mark.parametrize(
    "title",
    ["Args", "ARGS", "arguments", "Parameters", "Params", "Keyword Args", "Other Parameters"],
)
def test_parameters_have_many_titles(title: str) -> None:
    assert read_sections(["Do.", "", f"{title}:", "    x: a"]).parameters == {"x": "a"}


@pytest.mark.parametrize(
    "title", ["Raises", "Exceptions", "Example", "Examples", "See Also", "References", "Warns"]
)
def test_what_is_of_no_use_to_a_model_is_left_out(title: str) -> None:
    found = read_sections(["Do.", "", title, "-----", "x : int", "    a"])
    assert (found.text, found.parameters, found.returns) == ("Do.", {}, "")


@pytest.mark.parametrize("title", ["Note", "Arg", "Keyword  Args", "Returning", "Args and more"])
def test_other_titles_are_prose(title: str) -> None:
    found = read_sections(["Do.", "", f"{title}:", "    x: a"])
    assert found.text == f"Do.\n\n{title}:\n    x: a"


def test_what_is_too_long_for_a_name_stays_in_the_text() -> None:
    line = f"    {'x' * (MAX_NAME + 1)}: a"
    assert read_sections(["Do.", "", "Args:", line]).text == f"Do.\n\nArgs:\n{line}"
