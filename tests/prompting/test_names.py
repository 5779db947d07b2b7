"""Which function a written name means."""

import pytest

from pyfunctools import Function
from pyfunctools.prompting.calls.names import FunctionNames

NAMES = FunctionNames(
    Function.from_schema(name=name, parameters={"type": "object"})
    for name in ("get_weather", "math_sqrt", "sqrt", "find-user", "sub_find")
)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("get_weather", "get_weather"),
        ("get.weather", "get_weather"),
        ("get weather", "get_weather"),
        ("get\\_weather", "get_weather"),
        ("`get_weather`", "get_weather"),
        ("functions.get_weather", "get_weather"),
        ("a.b.c.get_weather", "get_weather"),
        ("api/get_weather", "get_weather"),
        ("api::get_weather", "get_weather"),
        ("get_weather.call", "get_weather"),
        ("math.sqrt", "math_sqrt"),
        ("numpy.sqrt", "sqrt"),
        ("find-user", "find-user"),
        ("api.sub.find", "sub_find"),
        ("x.math.sqrt", None),
        ("Get_Weather", None),
        ("weather", None),
        ("find_user", None),
        ("", None),
        (".", None),
        ("x" * 300, None),
    ],
)
def test_a_name_is_matched(written: str, name: str | None) -> None:
    for _ in range(2):
        found = NAMES.find(written)
        assert (found and found.name) == name


def test_names_that_resemble_are_given() -> None:
    assert NAMES.close("get_wether")[0] == "get_weather"
    assert NAMES.close("api.get_wether")[0] == "get_weather"
    assert NAMES.close("zzz") == ()
    assert len(NAMES.close("s" * 10_000)) <= 3
    assert NAMES.is_near("get_wether")
    assert not NAMES.is_near("math.floor")


def test_the_first_of_two_functions_of_a_name_is_meant() -> None:
    one, two = (
        Function.from_schema(name="f", description=text, parameters={"type": "object"})
        for text in ("one", "two")
    )
    assert FunctionNames([one, two]).find("f") is one


def test_only_so_many_names_are_looked_up_for_closeness() -> None:
    names = FunctionNames([Function.from_schema(name="get_weather", parameters={"type": "object"})])
    assert all(names.close(f"get_weathe{n}") for n in range(64))
    assert names.close("get_weathr") == ()
    assert names.close("get_weathe1") == ("get_weather",)
