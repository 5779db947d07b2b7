"""A mapping that somebody hands in, as JSON."""

from collections import OrderedDict, UserString
from datetime import UTC, date, datetime, time
from enum import IntEnum, StrEnum
from types import MappingProxyType

import pytest

from pyfunctools.errors import DocumentError
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.sources.openapi.survey import plain


class Color(StrEnum):
    RED = "red"


class Size(IntEnum):
    BIG = 7


def test_plain_json_is_given_as_it_is() -> None:
    document = {"a": [1, 1.5, True, None, {"b": "c"}], "d": {}}
    assert plain(document, "x", DEFAULT_LIMITS) is document


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({200: 1, True: 2, None: 3, 1.5: 4}, {"200": 1, "true": 2, "null": 3, "1.5": 4}),
        ({date(2020, 1, 2): 1}, {"2020-01-02": 1}),
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
def test_what_a_yaml_reader_makes_becomes_json_in_a_copy(value: object, expected: object) -> None:
    document = {"x": value, "y": [1]}
    found = plain(document, "x", DEFAULT_LIMITS)
    assert found == {"x": expected, "y": [1]}
    assert found is not document
    assert document["x"] is value
    assert type(found["x"]) is type(expected)


def test_a_mapping_that_is_no_dict_is_copied() -> None:
    assert plain(MappingProxyType({"a": {1: 2}}), "x", DEFAULT_LIMITS) == {"a": {"1": 2}}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (object(), "A object is no JSON value. (at /x)"),
        ([1, {"a": {1, 2}}], "A set is no JSON value. (at /x/1/a)"),
        (float("nan"), "A float is no JSON value. (at /x)"),
        ([float("inf")], "A float is no JSON value. (at /x/0)"),
        (b"bytes", "A bytes is no JSON value."),
        ({(1, 2): 1}, "A tuple is no key of a JSON object. (at /x)"),
        ({UserString("a"): 1}, "A UserString is no key of a JSON object. (at /x)"),
        ({"a/b": {"c~d": 1j}}, "A complex is no JSON value. (at /x/a~1b/c~0d)"),
    ],
)
def test_what_json_has_no_word_for_is_refused_at_its_place(value: object, reason: str) -> None:
    with pytest.raises(DocumentError) as caught:
        plain({"x": value}, "x", DEFAULT_LIMITS)
    assert reason in str(caught.value)
