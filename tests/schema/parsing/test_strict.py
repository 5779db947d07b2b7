import json
import math
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stacks import on_stack

from pyfunctools._json import JsonValue
from pyfunctools.schema.parsing.strict import parse_strict

SEEDS = [
    '{"a": 1, "b": [1.5, -2e10, "x\\u00e9\\n", null, true]}',
    "[0, -0, 0.0, 1E+5, 12.5e-3]",
    '"\\ud83d\\ude00 é😀"',
    '{"k" : {"k":{}}, "at": "12:30", ":": "\\":"}',
]
CHARACTERS = (
    '{}[]",:0123456789eE+-.\\u/bfnrt \n\t\r\x0b\x00\x1f\x7f\u00a0\ufeffdDtruefalsnl😀é\u2028'
)


def reference(text: str) -> JsonValue:
    """Read as `json.loads` does, and refuse what RFC 8259 and RFC 7493 do not allow."""

    def once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        if len(dict(pairs)) != len(pairs):
            raise ValueError
        return dict(pairs)

    def constant(name: str) -> JsonValue:
        raise ValueError(name)

    value = json.loads(text, object_pairs_hook=once, parse_constant=constant)
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    return value


def mutated(random: Random) -> str:
    text = list(random.choice(SEEDS))
    for _ in range(random.randint(0, 4)):
        at = random.randrange(len(text) + 1)
        text[at : at + random.randint(0, 2)] = random.choice(CHARACTERS)
    return "".join(text)


def test_it_agrees_with_json_loads_on_valid_json():
    random = Random(0)
    accepted = 0
    for _ in range(15_000):
        text = mutated(random)
        try:
            value = reference(text)
        except ValueError:
            assert parse_strict(text, 64) is None, text
            assert parse_strict(text.encode(), 64) is None, text
            continue
        accepted += 1
        for written in (text, text.encode()):
            read = parse_strict(written, 64)
            assert read is not None, text
            assert repr(read[0]) == repr(value), text
    assert accepted > 1000


@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(max_examples=500, deadline=None)
def test_numbers_are_read_to_the_last_bit(number: float):
    assert parse_strict(repr(number), 64) == (number, True, number.is_integer())
    read = float(f"{number:.30e}")
    assert parse_strict(f"[{number:.30e}]", 64) == ([read], True, read.is_integer())


@pytest.mark.parametrize(
    ("text", "fractions", "whole"),
    [
        ("[1, 2]", False, False),
        ('{"a": [{"b": 1.0}]}', True, True),
        ('{"a": [{"b": 1.5}]}', True, False),
        ("[1.5, 2.0]", True, True),
        ("1e2", True, True),
        ("0.5", True, False),
        ("12", False, False),
        ('{"a": "12:30", "b": "x: y", "c:d": "\\":"}', False, False),
        ('{"a"  : 1, "b"\t:2, "c"\n: 3}', False, False),
        ('[{"a": 1}, {"a": 1}]', False, False),
        ('{"a": {"a": {"a": "a"}}}', False, False),
        ("{}", False, False),
    ],
)
def test_a_value_is_read_with_whether_it_has_a_fraction_and_a_whole_one(
    text: str, fractions: bool, whole: bool
):
    assert parse_strict(text, 64) == (json.loads(text), fractions, whole)


@pytest.mark.parametrize(
    "text",
    [
        *('{"a":1,"a":2}', '{"a" :1,"a":2}', '{"a"\n:1,"a":2}', '{"a": 1, "\\u0061": 2}'),
        *('[{"x": {"a": ":", "a": "::"}}]', '{"b:": "x", "a": 1, "a": "\\":"}'),
        *("NaN", "[Infinity]", "-Infinity", "1e999", "[-1e999]", "9" * 400 + ".5", "9" * 4301),
        *('"\\ud800"', '"\ud800"', "\ufeff1"),
    ],
)
def test_duplicate_keys_and_what_is_not_json_are_rejected(text: str):
    assert parse_strict(text, 64) is None
    assert parse_strict(text.encode(errors="surrogatepass"), 64) is None


def test_integers_and_small_numbers_are_exact():
    assert parse_strict("9" * 4300, 64) == (int("9" * 4300), False, False)
    assert parse_strict("1e-999", 64) == (0.0, True, True)
    read = parse_strict("-0.0", 64)
    assert read is not None
    assert math.copysign(1, read[0]) == -1  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("depth", [1, 2, 64])
def test_depth_is_counted_exactly(depth: int):
    assert parse_strict("[" * depth + "]" * depth, depth) is not None
    assert parse_strict("[" * (depth + 1) + "]" * (depth + 1), depth) is None
    assert parse_strict('{"a":' * depth + "1" + "}" * depth, depth) is not None
    assert parse_strict("[" * (depth + 1) + "1" + "]" * (depth + 1), depth) is None
    assert parse_strict("1", 0) == (1, False, False)


def test_very_deep_text_is_rejected_in_a_thread_with_a_small_stack():
    answers: list[object] = []

    def ask() -> None:
        texts = ("[" * 100_000, "[" * 190 + "]" * 190, '{"a":' * 100_000)
        answers.extend(parse_strict(text, 64) for text in texts)

    on_stack(ask)
    assert answers == [None, None, None]
