"""Text that means harm: answered in time, without an exception, on little stack.

`PYFUNCTOOLS_EXAMPLES=1000000` shows the laws that many texts; `benchmarks/fuzz.py` looks for new
ones by what they reach in the code.
"""

import pytest
from clock import at_most
from hypothesis import given
from hypothesis import strategies as st
from laws import law
from stacks import on_stack

from pyfunctools import Function
from pyfunctools._json import JsonSchema
from pyfunctools._text import visible
from pyfunctools.schema import Failure, Success, parse

MEGABYTE = 1 << 20

ORDER: JsonSchema = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 5},
        "count": {"type": "integer", "minimum": 1},
        "price": {"type": "number"},
        "pet": {
            "oneOf": [
                {
                    "type": "object",
                    "properties": {"kind": {"const": kind}, "next": {"$ref": "#"}},
                    "required": ["kind"],
                }
                for kind in ("cat", "dog")
            ]
        },
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
        "pin": {"type": "string", "x-human": True},
    },
    "required": ["name"],
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("begin", "more"),
    [
        ('{"a": "', '"b\': "'),
        ('{"a": "', "\u201db\u2018\"', "),
        ('{"a": ', "[{"),
        ("", '{"a":'),
        ('{"a": "', "\\"),
        ('{"a": ', '\\"'),
        ("", "```json\n{"),
        ("", "```\n"),
        ("", "<tool_call>{"),
        ("{", ",:"),
        ("{", "/* // "),
        ("", '```{"\\[\\"'),
        ('{"a": [', "1;"),
        ('{"a": [', "tru,"),
    ],
)
def test_a_megabyte_is_answered_in_seconds(begin: str, more: str) -> None:
    text = begin + more * ((MEGABYTE - len(begin)) // len(more.encode()))
    with at_most(20):
        assert isinstance(parse(text), Success | Failure)
        assert isinstance(parse(text, ORDER), Success | Failure)


FUNCTION = Function.from_schema(name="order", parameters=ORDER)
OPEN = Function.from_schema(name="any", parameters={"type": "object"}, is_human=None)

PIECES = [
    *(b"{ } [ ] \" ' ` : , ; \\ / . - + e E 0 1 9 \n \t".split(b" ")),
    *(b'{"name": "a"} "count" : 1 "pet": {"kind": "cat", "next": [{"kind":'.split(b" ")),
    *(b"```json ``` <tool_call> </tool_call> // /* */ # true True None nul NaN 1e999".split(b" ")),
    b'"\\ud800"',
    b'"\\u00',
    b"\xef\xbb\xbf",
    b"\xff",
    "\u201c\u201d\u2018\u2019\u00ab\uff1a\uff0c\u202e\U000e0041".encode(),
    b'{"arguments": ',
    b'"[1]"',
    b"\x00\x1b",
]
TEXTS = st.one_of(
    st.binary(max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join),
    st.lists(st.sampled_from(PIECES) | st.binary(max_size=4), max_size=20).map(b" ".join),
    st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")),
)


def answer(text: str | bytes) -> None:
    """Take one text through everything that reads the arguments of a model."""
    for result in (
        parse(text),
        parse(text, ORDER),
        FUNCTION.check(text),
        FUNCTION.check(text, allow_truncated=True),
        OPEN.check(text),
    ):
        assert isinstance(result, Success | Failure)
        if not result:
            assert result.issues
            told = result.feedback()
            assert len(told.encode()) <= 8_192
            assert visible(told) == told


@pytest.mark.slow
@law(1_000)
@given(TEXTS)
def test_b07_any_text_has_an_answer(text: bytes) -> None:
    answer(text)
    answer(text.decode(errors="replace"))


@law(50)
@given(st.lists(TEXTS, min_size=1, max_size=20))
def test_b07_any_text_has_an_answer_in_a_thread_with_512_kb_of_stack(texts: list[bytes]) -> None:
    on_stack(lambda: [answer(text) for text in texts])


@pytest.mark.parametrize(
    "unit", [b"[", b'{"a":', b'{"pet":{"kind":"cat","next":', b"[{", b"{'a':["]
)
@pytest.mark.parametrize("depth", [60, 64, 65, 200, 5_000])
def test_b07_nesting_has_an_answer_in_a_thread_with_512_kb_of_stack(
    unit: bytes, depth: int
) -> None:
    on_stack(lambda: answer(unit * depth))
