"""Text that means harm: answered in time, without an exception, on little stack."""

from time import perf_counter

import pytest

from pyfunctools._json import JsonSchema
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
    began = perf_counter()
    assert isinstance(parse(text), Success | Failure)
    assert isinstance(parse(text, ORDER), Success | Failure)
    assert perf_counter() - began < 20
