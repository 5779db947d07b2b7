"""YAML 1.2 as JSON, hostile texts too."""

import math
import tracemalloc

import pytest
from clock import at_most

from pyfunctools._json import JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.sources.openapi.load import read_yaml


def parsed(text: str, limits: Limits = DEFAULT_LIMITS) -> JsonValue:
    return read_yaml(text, "a.yaml", limits)


def refusal(text: str, limits: Limits = DEFAULT_LIMITS) -> str:
    with pytest.raises(DocumentError) as caught:
        parsed(text, limits)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("No", "No"),
        ("yes", "yes"),
        ("on", "on"),
        ("OFF", "OFF"),
        ("y", "y"),
        ("true", True),
        ("True", True),
        ("FALSE", False),
        ("tRue", "tRue"),
        ("null", None),
        ("~", None),
        ("", None),
        ("NULL", None),
        ("0", 0),
        ("12", 12),
        ("-12", -12),
        ("+12", 12),
        ("012", "012"),
        ("0o14", 12),
        ("0x1F", 31),
        ("0b11", "0b11"),
        ("1_000", "1_000"),
        ("12:30:45", "12:30:45"),
        ("1e3", 1000.0),
        ("1.5", 1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("-1.5E-3", -0.0015),
        ("01.5", "01.5"),
        ("1.2.3", "1.2.3"),
        ("3.1.0", "3.1.0"),
        ("2020-01-01", "2020-01-01"),
        ("2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"),
        ("+", "+"),
        ("-", "-"),
        (".", "."),
        ("=", "="),
        ("'12'", "12"),
        ('"true"', "true"),
        ("|\n  two\n  lines\n", "two\nlines\n"),
    ],
)
def test_scalars_have_the_types_of_the_core_schema(text: str, value: JsonValue) -> None:
    if text == "-":
        text = "'-'"
    found = parsed(f"key: {text}\n")
    assert found == {"key": value}
    assert isinstance(found, dict)
    assert type(found["key"]) is type(value)


@pytest.mark.parametrize(
    "key", ["200", "on", "012", "1e3", "null", "true", "~", "3.10", "2020-01-01", "*x"]
)
def test_keys_stay_the_text_that_was_written(key: str) -> None:
    text = "a: &x 1\n" if key == "*x" else ""
    if key == "*x":
        assert parsed("a: &x b\n*x : 2\n") == {"a": "b", "b": 2}
    else:
        assert parsed(text + f"{key}: 2\n") == {key: 2}


def test_an_alias_is_the_same_object_again() -> None:
    found = parsed("a: &x {b: [1]}\nc: *x\nd: [*x, *x]\n")
    assert found == {"a": {"b": [1]}, "c": {"b": [1]}, "d": [{"b": [1]}, {"b": [1]}]}
    assert isinstance(found, dict)
    assert found["a"] is found["c"]


def test_a_key_may_have_an_anchor() -> None:
    assert parsed('&k name: 1\nb: *k\n"": 2\n') == {"name": 1, "b": "name", "": 2}


def test_an_anchor_may_be_redefined() -> None:
    assert parsed("a: &x 1\nb: *x\nc: &x 2\nd: *x\n") == {"a": 1, "b": 1, "c": 2, "d": 2}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("base: &x {a: 1, b: 2}\nd: {<<: *x, b: 3}", {"a": 1, "b": 3}),
        ("base: &x {a: 1}\nd:\n  b: 3\n  <<: *x", {"a": 1, "b": 3}),
        ("base: &x {a: 1}\nc: &y {a: 2, b: 2}\nd: {<<: [*x, *y]}", {"a": 1, "b": 2}),
        ("base: &x {a: 1}\nc: &y {b: 2}\nd:\n  <<: *x\n  <<: *y", {"a": 1, "b": 2}),
        ("d: {<<: {a: 1}}", {"a": 1}),
        ("base: &x {a: 1}\nd:\n  !!merge <<: *x", {"a": 1}),
        ("d: {'<<': 1}", {"<<": 1}),
    ],
)
def test_merge_keys_are_merged(text: str, value: JsonValue) -> None:
    found = parsed(text + "\n")
    assert isinstance(found, dict)
    assert found["d"] == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: 1\na: 2\n", "the key 'a' stands twice in one object, line 2 column 1."),
        ("{a: 1, 'a': 2}\n", "the key 'a' stands twice"),
        ("a: &x b\nb: 1\n*x : 2\n", "the key 'b' stands twice"),
        ("a: !!python/object/apply:os.system ['true']\n", "has no meaning in JSON"),
        ("a: !!python/name:os.system x\n", "has no meaning in JSON"),
        ("a: !custom {b: 1}\n", "the tag '!custom' has no meaning in JSON, line 1 column 4."),
        ("a: !!str 12\n", "has no meaning in JSON"),
        ("a: !!binary aGk=\n", "has no meaning in JSON"),
        ("a: !!timestamp 2020-01-01\n", "has no meaning in JSON"),
        ("!!set {a}: 1\n", "has no meaning in JSON"),
        ("!!python/name:x : 1\n", "has no meaning in JSON"),
        ("a: &a [*a]\n", "'a' contains itself"),
        ("a: &a {b: *a}\n", "'a' contains itself"),
        ("a: *b\n", "there is no anchor 'b'"),
        ("? [1]\n: 2\n", "a key is not text"),
        ("? {b: 1}\n: 2\n", "a key is not text"),
        ("a: &x [1]\n*x : 2\n", "a key is not text"),
        ("a: {<<: 1}\n", "`<<` merges objects only"),
        ("a: 1\n---\nb: 2\n", "there are several documents in it"),
        ("a: .inf\n", "JSON has no number .inf"),
        ("a: .NaN\n", "JSON has no number .NaN"),
        ("a: 1e999\n", "JSON has no number 1e999"),
        ("a: " + "1" * 5000 + "\n", "a number has too many digits"),
        ("a: [1\n", "This is not YAML: did not find expected ',' or ']', line 2 column 1."),
        ("\ta: 1\n", "This is not YAML"),
        ("a: \0\n", "This is not YAML: unacceptable character"),
        ("a: \ud800\n", "This is not YAML"),
    ],
)
def test_invalid_yaml_is_refused_with_reason_and_position(text: str, reason: str) -> None:
    assert reason in refusal(text)


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [lol, lol]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, levels)]
    return "\n".join(lines) + "\n"


def test_an_alias_bomb_is_refused_before_it_goes_off() -> None:
    tracemalloc.start()
    with at_most(0.1):
        reason = refusal(bomb(30))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "more than 2000000 nodes, aliases counted each time" in reason
    assert peak < 5_000_000


def test_nodes_are_counted_up_to_the_limit() -> None:
    text = "a: &x [1, 2]\nb: [*x, *x]\n"  # the object, two arrays of two, each with two
    assert parsed(text, Limits(document_nodes=11))
    assert "more than 10 nodes" in refusal(text, Limits(document_nodes=10))


def test_a_merge_bomb_is_counted_too() -> None:
    keys = ", ".join(f"k{i}: 1" for i in range(1000))
    text = "a: &x {" + keys + "}\n" + "".join(f"b{i}: {{<<: *x}}\n" for i in range(3000))
    assert "more than 2000000 nodes" in refusal(text)


def test_numbers_are_finite_and_integers_exact() -> None:
    found = parsed("a: 123456789012345678901234567890\nb: -0.0\n")
    assert isinstance(found, dict)
    assert found["a"] == 123456789012345678901234567890
    assert math.copysign(1, float(str(found["b"]))) == -1


def test_a_document_of_comments_is_null() -> None:
    assert parsed("# nothing\n") is None
    assert parsed("") is None


def test_a_version_directive_is_taken() -> None:
    assert parsed("%YAML 1.2\n---\na: no\n") == {"a": "no"}
