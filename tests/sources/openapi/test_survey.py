"""The survey of a document, and mappings as JSON."""

from collections import OrderedDict, UserString
from contextlib import nullcontext
from datetime import UTC, date, datetime, time
from enum import IntEnum, StrEnum
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.schema.ground.json_values import deeper_than
from pyfunctools.sources.openapi.load import load_content, survey

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
def test_the_survey_counts_every_node(root: JsonObject) -> None:
    nodes = count(root)
    assert survey(root, "x", Limits(document_nodes=nodes)) == references(root)
    with pytest.raises(DocumentError, match="nodes"):
        survey(root, "x", Limits(document_nodes=nodes - 1))


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=4), st.integers(1, 8))
def test_the_survey_measures_depth_as_the_engine_does(root: JsonObject, limit: int) -> None:
    expected = (
        pytest.raises(DocumentError, match="deep") if deeper_than(root, limit) else nullcontext()
    )
    with expected:
        survey(root, "x", Limits(document_depth=limit))


def test_a_nearly_full_stack_is_a_document_error() -> None:
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


class Color(StrEnum):
    RED = "red"


class Size(IntEnum):
    BIG = 7


def as_json(root: object) -> JsonObject:
    return load_content(root, "x", "", DEFAULT_LIMITS).root


def test_a_mapping_is_copied() -> None:
    document = {"a": [1, 1.5, True, None, {"b": "c\u00e9\ud800"}], "d": {}}
    found = as_json(document)
    assert found == document
    assert found is not document
    assert found["a"] is not document["a"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({200: 1, True: 2, None: 3, 1.5: 4}, {"200": 1, "true": 2, "null": 3, "1.5": 4}),
        ((1, (2.5,)), [1, [2.5]]),
        (OrderedDict(a=1), {"a": 1}),
        (MappingProxyType({"a": (1,)}), {"a": [1]}),
        (date(2020, 1, 2), "2020-01-02"),
        (datetime(2020, 1, 2, 3, tzinfo=UTC), "2020-01-02T03:00:00+00:00"),
        (time(1, 2), "01:02:00"),
        (Color.RED, "red"),
        (Size.BIG, 7),
        ([{"a": [Color.RED]}], [{"a": ["red"]}]),
    ],
)
def test_python_values_become_json_in_a_copy(value: object, expected: object) -> None:
    document = {"x": value, "y": [1]}
    found = as_json(document)
    assert found == {"x": expected, "y": [1]}
    assert found is not document
    assert document["x"] is value
    assert type(found["x"]) is type(expected)


def test_a_mapping_that_is_not_a_dict_is_copied() -> None:
    assert as_json(MappingProxyType({"a": {1: 2}})) == {"a": {"1": 2}}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (object(), "a object is not a JSON value"),
        ([1, {"a": {1, 2}}], "a set is not a JSON value"),
        (float("nan"), "Out of range float values are not JSON compliant"),
        ([float("inf")], "Out of range float values are not JSON compliant"),
        (b"bytes", "a bytes is not a JSON value"),
        ({(1, 2): 1}, "keys must be str, int, float, bool or None, not tuple"),
        ({UserString("a"): 1}, "keys must be str, int, float, bool or None, not UserString"),
        ({date(2020, 1, 2): 1}, "keys must be str, int, float, bool or None, not date"),
        ({"a/b": {"c~d": 1j}}, "a complex is not a JSON value"),
    ],
)
def test_a_value_without_json_form_is_refused(value: object, reason: str) -> None:
    with pytest.raises(DocumentError) as caught:
        as_json({"x": value})
    assert reason in str(caught.value)
