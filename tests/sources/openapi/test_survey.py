"""One walk over a whole document."""

from contextlib import nullcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.limits import Limits
from pyfunctools.schema.ground.depth import deeper_than
from pyfunctools.sources.openapi.survey import survey

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["$ref", "a", "b", "c"]), inner, max_size=4)
    ),
    max_leaves=25,
)


def count(value: JsonValue) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(count, value.values()))
    return 1 + sum(map(count, value)) if isinstance(value, list) else 1


def references(value: JsonValue) -> set[str]:
    below = value.values() if isinstance(value, dict) else value
    found = set[str]()
    if isinstance(value, dict) and isinstance(value.get("$ref"), str):
        found.add(str(value["$ref"]))
    for inner in below if isinstance(value, dict | list) else ():
        found |= references(inner)
    return found


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=4))
def test_it_counts_what_a_naive_count_counts(root: JsonObject) -> None:
    nodes = count(root)
    assert survey(root, "x", Limits(document_nodes=nodes)) == references(root)
    with pytest.raises(DocumentError, match="nodes"):
        survey(root, "x", Limits(document_nodes=nodes - 1))


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=4), st.integers(1, 8))
def test_it_sees_the_depth_that_the_engine_sees(root: JsonObject, limit: int) -> None:
    expected = (
        pytest.raises(DocumentError, match="deep") if deeper_than(root, limit) else nullcontext()
    )
    with expected:
        survey(root, "x", Limits(document_depth=limit))


def test_a_stack_that_is_nearly_used_up_is_an_error_of_ours() -> None:
    root: dict[str, JsonValue] = {}
    for _ in range(200):
        root = {"a": root}

    def used_up(frames: int) -> None:
        if frames:
            used_up(frames - 1)
        else:
            survey(root, "x", Limits())

    with pytest.raises(DocumentError, match="deep"):
        used_up(800)
