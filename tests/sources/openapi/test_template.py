"""Path templates."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfunctools.sources.openapi.naming import template_names, template_of


@pytest.mark.parametrize(
    ("path", "fixed", "names", "beside"),
    [
        ("/", [], [], []),
        ("", [], [], []),
        ("/users", ["users"], [], []),
        ("/users/", ["users"], [], []),
        ("//users", ["users"], [], []),
        ("users/{id}", ["users"], ["id"], []),
        ("/users/:id/posts", ["users", "posts"], ["id"], []),
        ("/users/{id}.json", ["users"], ["id"], [".json"]),
        ("/{a}..{b}", [], ["a", "b"], [".."]),
        ("/v1/{name}:cancel", ["v1"], ["name"], [":cancel"]),
        ("/v1/things:batch", ["v1", "things:batch"], [], []),
        ("/a?x={x}&y={y}", ["a"], ["x", "y"], ["x=&y="]),
        ("/a#X-Target=B.C", ["a", "X-Target=B.C"], [], []),
        ("/a{?x,y}", ["a"], [], []),
        ("/a/{?x}", ["a"], [], []),
        ("/{id*}/{.b}/{;c}", [], ["id*", ".b", ";c"], []),
        ("/{/a}", [], ["/a"], []),
        ("/{}", [], [""], []),
        ("/{a", ["{a"], [], []),
        ("/a}", ["a}"], [], []),
        ("/:", [":"], [], []),
        ("/{:a}", [], [":a"], []),
    ],
)
def test_a_template_is_taken_apart(
    path: str, fixed: list[str], names: list[str], beside: list[str]
) -> None:
    assert [*map(list, template_of(path))] == [fixed, names, beside]
    assert template_names(path) == names


def test_a_name_that_stands_twice_counts_once() -> None:
    assert template_names("/{a}/x/{a}") == ["a"]


@pytest.mark.parametrize("piece", ["{", "}", "{a", "/:", "/{a}", "?", "{{a}}"])
def test_a_long_hostile_path_takes_no_time(piece: str) -> None:
    path = "/" + piece * (100_000 // len(piece))
    template_of(path)
    template_names(path)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.from_regex(r"[a-z]{1,4}", fullmatch=True))))
def test_names_and_fixed_segments_are_all_there_is(parts: list[tuple[bool, str]]) -> None:
    path = "".join(f"/{{{text}}}" if is_name else f"/{text}" for is_name, text in parts)
    fixed, names, beside = map(list, template_of(path))
    assert fixed == [text for is_name, text in parts if not is_name]
    assert names == [text for is_name, text in parts if is_name]
    assert beside == []
