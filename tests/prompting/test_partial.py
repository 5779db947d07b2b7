"""What could be read of broken JSON holds nothing else."""

import pytest

from pyfunctools.prompting.calls.json_calls import readable, recovered
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.result import Issue


def issue(*keys: str | int) -> Issue:
    return Issue(path=Path.of(keys), expected="", value=None, message="")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, "b": 1e}', {"a": 1}),
        ('{"a": {"b": NaN, "c": 2}}', {"a": {"c": 2}}),
        ('{"a": [1, 1e, 3], "b": 2}', {"b": 2}),
        ('[{"a": NaN}, {"a": 2}]', [{}, {"a": 2}]),
        ("[1e]", None),
        ('{"a": 1}', {"a": 1}),
        ('{"a": null}', {"a": None}),
    ],
)
def test_what_could_not_be_read_is_left_out(text: str, value: object) -> None:
    assert recovered(text, 0, len(text), sure=True)[0] == value


def test_a_value_is_not_changed() -> None:
    value = {"a": {"b": None, "c": [1, None]}, "d": None}
    assert readable(value, [issue("a", "b"), issue("a", "c", 1)]) == {"a": {}, "d": None}
    assert readable(value, [issue("x"), issue(), issue("d", "e")]) == value
    assert value == {"a": {"b": None, "c": [1, None]}, "d": None}
