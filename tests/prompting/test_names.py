"""The function that a written name means."""

import pytest

from pyfunctools import Function
from pyfunctools.prompting.calls.names import FunctionNames


def named(*names: str) -> FunctionNames:
    empty = {"type": "object"}
    return FunctionNames(
        Function.from_schema(name=name, description=str(n), parameters=empty)
        for n, name in enumerate(names)
    )


NAMES = named("get_weather", "math_sqrt", "sqrt", "find-user", "sub_find", "sqrt")
WRITTEN = {
    "get_weather": (
        *("get_weather", "get.weather", "get weather", "get\\_weather", "`get_weather`"),
        *("functions.get_weather", "a.b.c.get_weather", "api/get_weather", "api::get_weather"),
        "get_weather.call",
    ),
    "math_sqrt": ("math.sqrt",),
    "sqrt": ("sqrt", "numpy.sqrt"),
    "find-user": ("find-user",),
    "sub_find": ("api.sub.find",),
    None: ("x.math.sqrt", "Get_Weather", "weather", "find_user", "", ".", "x" * 300),
}


@pytest.mark.parametrize(
    ("written", "name"), [(each, name) for name, listed in WRITTEN.items() for each in listed]
)
def test_a_written_name_means_at_most_one_function(written: str, name: str | None) -> None:
    for _ in range(2):
        found = NAMES.find(written)
        assert (found and found.name) == name
        assert found is None or found.description != "5"  # of two with one name, the first


def test_similar_names_are_close() -> None:
    assert NAMES.close("get_wether")[0] == "get_weather"
    assert NAMES.close("api.get_wether")[0] == "get_weather"
    assert NAMES.close("zzz") == ()
    assert len(NAMES.close("s" * 10_000)) <= 3
    assert NAMES.is_near("get_wether")
    assert not NAMES.is_near("math.floor")


def test_only_64_names_are_compared() -> None:
    names = named("get_weather")
    assert all(names.close(f"get_weathe{n}") for n in range(64))
    assert names.close("get_weathr") == ()
    assert names.close("get_weathe1") == ("get_weather",)
