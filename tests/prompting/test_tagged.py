"""Calls in tags."""

import pytest

from pyfunctools import Function, parse_calls
from pyfunctools.prompting.calls.names import Names
from pyfunctools.prompting.calls.tagged import read_tagged


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("<function=get_time></function>", {}),
        ('<invoke name="get_time"></invoke>', {}),
        ("<tool_call>get_time</tool_call>", {}),
        (
            "<function=get_weather>\n<parameter=city>\n  a\n b\n</parameter>\n</function>",
            {"city": "  a\n b"},
        ),
        (
            '<invoke name="get_weather"><parameter name="city"><b>x</b> & "y"</parameter></invoke>',
            {"city": '<b>x</b> & "y"'},
        ),
        (
            "<function=get_weather><parameter=city>x</parameter><parameter=tags>"
            '["a", "b"]</parameter><parameter=hourly>True</parameter></function>',
            {"city": "x", "tags": ["a", "b"], "hourly": True},
        ),
        ("<get_weather><city>x</city><days>2</days></get_weather>", {"city": "x", "days": 2}),
        (
            '<steptml:invoke name="get_weather"><steptml:parameter name="city">x'
            "</steptml:parameter></steptml:invoke>",
            {"city": "x"},
        ),
        ("<function name='get_weather'><param name='city'>x</param></function>", {"city": "x"}),
    ],
)
def test_a_tagged_call_is_read(text: str, arguments: object, functions: list[Function]) -> None:
    (call,) = parse_calls(f"So:\n{text}\n", functions)
    assert call.result
    assert call.arguments == arguments
    assert call.span == (4, 4 + len(text))


@pytest.mark.parametrize(
    "text",
    [
        "<p>",
        "<b>get_time</b>",
        "<get_weather>Paris</get_weather>",
        "<tool_call>",
        "<function=f>",
        "< x >",
        "<city><x>",
    ],
)
def test_other_tags_are_no_calls(text: str, functions: list[Function]) -> None:
    found, far = read_tagged(text, 0, Names(functions))
    assert found is None
    assert 0 < far <= len(text)


def test_a_missing_end_is_noted(functions: list[Function]) -> None:
    (call,) = parse_calls("<function=get_weather><parameter=city>Par", functions)
    assert not call.result
    assert "cut off" in call.result.issues[0].message
    (call,) = parse_calls("<function=get_weather><parameter=city>x</function>", functions)
    assert call.result
    assert call.arguments == {"city": "x"}
    assert [repair.kind for repair in call.repairs] == ["closer"]


def test_an_argument_given_twice_is_an_issue(functions: list[Function]) -> None:
    given = "<parameter=city>x</parameter><parameter=city>y</parameter>"
    text = f"<function=get_weather>{given}</function>"
    (call,) = parse_calls(text, functions)
    assert not call.result
    assert call.arguments == {"city": "x"}
