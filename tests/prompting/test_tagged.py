"""Calls in tags, and in the labels of ReAct."""

import pytest

from pyfunctools import Failure, Function, parse_calls

BOTH = {"city": "x", "unit": "celsius"}


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
        (
            "<get_weather><city><p><city>x</city></p></city></get_weather>",
            {"city": "<p><city>x</city></p>"},
        ),
        (
            "<function=get_weather><parameter=city>a <parameter=z>b</parameter> c</parameter>"
            "</function>",
            {"city": "a <parameter=z>b</parameter> c"},
        ),
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
        ("<parameter=city>x\n<parameter=unit>celsius</parameter>", BOTH, ["closer"]),
        ("<parameter=city>x\n<parameter=unit>celsius", BOTH, ["closer", "closer"]),
        ("<parameter=city>x</parameter><parameter=city>y</parameter>", {"city": "x"}, None),
    ],
    ids=["no end", "no end before another", "no ends", "given twice"],
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


def test_an_argument_without_an_end_does_not_hold_the_next_call(functions: list[Function]) -> None:
    text = "<function=get_weather><parameter=city>%s</function>"
    calls = parse_calls(text % "x" + text % "y</parameter>", functions)
    assert [call.result.unwrap() for call in calls] == [{"city": "x"}, {"city": "y"}]


@pytest.mark.parametrize("end", ["<parameter=da", "</par", "<"])
def test_a_call_that_ends_in_a_tag_is_cut_off(end: str, functions: list[Function]) -> None:
    (call,) = parse_calls(f"<function=get_weather><parameter=city>x</parameter>\n{end}", functions)
    assert not call.result


TYPES = {"any": {}, "id": {"type": ["string", "integer"]}, "note": {"type": ["string", "null"]}}


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("note", "null", None),
        ("note", "None", None),
        ("note", "42", "42"),
        ("id", "42", 42),
        ("id", "007", "007"),
        ("id", "1e5", "1e5"),
        ("any", "true", True),
        ("any", '{"a": 1}', {"a": 1}),
        ("any", '"x"', '"x"'),
        ("text", "null", "null"),
        ("text", "42", "42"),
    ],
)
def test_a_text_in_a_tag_has_the_type_that_its_program_would_write(
    name: str, text: str, value: object
) -> None:
    properties = {**TYPES, "text": {"type": "string"}}
    f = Function.from_schema(name="f", parameters={"type": "object", "properties": properties})
    (call,) = parse_calls(f"<function=f><parameter={name}>{text}</parameter></function>", [f])
    assert call.result.unwrap() == {name: value}


def test_a_tag_may_tell_the_type_of_its_text() -> None:
    f = Function.from_schema(name="f", parameters={"type": "object", "properties": TYPES})
    tag = '<｜DSML｜invoke name="f"><｜DSML｜parameter name="{}" string="{}">{}</｜DSML｜parameter>'
    for told, value in (("true", "42"), ("false", 42)):
        (call,) = parse_calls(tag.format("id", told, 42) + "</｜DSML｜invoke>", [f])
        assert call.result.unwrap() == {"id": value}
