"""Calls as Python writes them, and whether one is meant."""

import pytest

from pyfunctools import Function, parse_calls
from pyfunctools.prompting.calls.code import Code
from pyfunctools.prompting.calls.found import Found, Weight
from pyfunctools.prompting.calls.names import Names
from pyfunctools.prompting.calls.python import Caller, read_listed
from pyfunctools.prompting.calls.scan import Scan


def read(text: str, at: int, end: int, functions: list[Function]) -> tuple[Found | None, int, int]:
    return Caller(text, Names(functions), Code(text)).read(at, end, len(text))


def test_a_call_is_read_from_its_name_to_its_bracket(functions: list[Function]) -> None:
    text = "x = api.get_weather(city='(') + 1"
    found, on, far = read(text, 4, 20, functions)
    assert found is not None
    assert text[found.start : found.end] == "api.get_weather(city='(')"
    assert on == far == found.end


@pytest.mark.parametrize("text", ["def get_weather()", "print('x')", "get_weather(a b\n\nc"])
def test_what_is_no_call_is_passed_over(text: str, functions: list[Function]) -> None:
    at = text.index("(") + 1
    name = text.index("get") if "get" in text else 0
    found, on, _ = read(text, name, at, functions)
    assert (found, on) == (None, at)


def test_calls_stand_alone_or_in_a_sentence(functions: list[Function]) -> None:
    names = Names(functions)
    for text, weight in (
        ("get_weather(city='x')", Weight.ALONE),
        ("- `get_weather(city='x')`\nand so on", Weight.ALONE),
        ("The call: get_weather(city='x')\nis it", Weight.ALONE),
        ("It calls get_weather(city='x') then", Weight.QUOTED),
    ):
        (found,) = Scan(text, names).calls()
        assert found.weight is weight, text


def test_calls_of_nobodys_functions_need_a_reason(functions: list[Function]) -> None:
    for text, count in (
        ("fly(to='Mars')", 1),
        ("[fly(to='Mars'), get_time()]", 2),
        ("Then:\nfly(to='Mars')\nwould do.", 0),
        ("Then:\nget_weathr(city='x')\nwould do.", 1),
        ("I fly (see get_time).", 0),
        ("print('x')", 0),
        ("fly(somewhere)", 0),
    ):
        assert len(parse_calls(text, functions)) == count, text


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("['get_weather', 'city=x']", {"city": "x"}),
        ("('get_weather', \"city='x'\", days=2)", {"city": "x", "days": 2}),
        ("['get_weather', 'city': 'x', 'days': 2]", {"city": "x", "days": 2}),
        ("['get_weather', 'get_time']", None),
        ("['get_weather', 'x', 'y']", None),
        ("['fly', 'to=Mars']", None),
        ("['get_weather', {'city': 'x'}]", None),
    ],
)
def test_a_list_may_be_a_call(text: str, values: object, functions: list[Function]) -> None:
    found, far = read_listed(text, 0, Names(functions))
    assert far <= len(text)
    assert (found and found.arguments.values) == values  # type: ignore[union-attr]
