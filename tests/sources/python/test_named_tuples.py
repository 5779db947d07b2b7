"""Named tuples are taken by position and by the names of their fields."""

from typing import Any, NamedTuple

import pytest

from pyfunctools import Controller, function_of


class Place(NamedTuple):
    lat: float
    lon: float
    height: float = 3.0
    name: str = "home"


def go(to: Place, stops: list[Place] | None = None) -> str:
    return repr((tuple(to), [tuple(each) for each in stops or ()]))


HOME = (1.0, 2.0, 3.0, "home")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"to": [1, 2]}, (HOME, [])),
        ({"to": {"lat": 1, "lon": 2}}, (HOME, [])),
        ({"to": {"lon": "2", "lat": 1}}, (HOME, [])),
        ({"to": {"lat": 1, "lon": 2, "name": "x"}}, ((1.0, 2.0, 3.0, "x"), [])),
        ({"to": [1, 2], "stops": [{"lat": 1, "lon": 2}, [1, 2]]}, (HOME, [HOME, HOME])),
    ],
)
def test_a_named_tuple_is_taken_by_names(written: Any, expected: object) -> None:
    outcome = Controller.from_functions([go]).call("go", written)
    assert outcome.value == repr(expected), outcome.text


@pytest.mark.parametrize("to", [{"lat": 1, "lng": 2}, {"lat": 1}, {"lat": 1, "lon": "x"}, {}])
def test_other_names_are_refused(to: Any) -> None:
    assert not function_of(go).check({"to": to})
