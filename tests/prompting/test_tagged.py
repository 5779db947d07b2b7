"""Calls in tags, and in the labels of ReAct."""

import pytest

from pyfunctools import Failure, Function, parse_calls


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
    ("arguments", "value", "kinds"),
    [
        ("<parameter=city>x", {"city": "x"}, ["closer"]),
        ("<parameter=city>x</parameter><parameter=city>y</parameter>", {"city": "x"}, None),
    ],
    ids=["no end", "given twice"],
)
def test_an_argument_may_lack_its_end_but_not_be_repeated(
    arguments: str, value: object, kinds: list[str] | None, functions: list[Function]
) -> None:
    (call,) = parse_calls(f"<function=get_weather>{arguments}</function>", functions)
    assert call.arguments == value
    assert bool(call.result) is (kinds is not None)
    assert kinds is None or [repair.kind for repair in call.repairs] == kinds


def test_an_argument_that_is_cut_off_is_a_failure(functions: list[Function]) -> None:
    (call,) = parse_calls("<function=get_weather><parameter=city>Par", functions)
    assert isinstance(call.result, Failure)
    assert "the text ended" in call.result.issues[0].message
