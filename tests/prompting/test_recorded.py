"""What 24 real models wrote: nothing in a call that did not stand there."""

import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pyfunctools import Function, parse_calls
from pyfunctools.prompting.calls.expressions import number_of
from pyfunctools.prompting.calls.literals import unescaped

WORDS = {True: ("true", "yes", "on"), False: ("false", "no", "off"), None: ("null", "none")}
NUMBER = re.compile(r"[+-]?(?:[0-9][0-9_]*)?\.?[0-9][0-9_]*\.?(?:[eE][+-]?[0-9]+)?")


class Said:
    """One output as a set of what it says, whatever the spelling."""

    def __init__(self, raw: Any) -> None:
        text = raw if isinstance(raw, str) else " ".join(each_text(raw))
        once = unescaped(text)
        self.words = [bare(spelling) for spelling in (text, once, unescaped(once))]
        self.numbers = {value for token in NUMBER.findall(text) for value in values_of(token)}

    def has(self, value: Any) -> bool:
        """Say whether a scalar stands there, up to its case, space, escapes and number format."""
        if value is None or isinstance(value, bool):
            return any(word in text for word in WORDS[value] for text in self.words)
        if isinstance(value, int | float):
            return float(value) in self.numbers
        return any(bare(value) in text for text in self.words)


def bare(text: str) -> str:
    return re.sub(r"[\s\\]", "", text).casefold()


def values_of(token: str) -> list[float]:
    try:
        value = float(token.replace("_", ""))
    except ValueError:
        return []
    return [value, abs(value)]


def each_text(raw: Any) -> Iterator[str]:
    if isinstance(raw, dict):
        for key, value in raw.items():
            yield key
            yield from each_text(value)
    elif isinstance(raw, list):
        for item in raw:
            yield from each_text(item)
    else:
        yield str(raw)


def scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from scalars(inner)
    elif isinstance(value, list):
        for item in value:
            yield from scalars(item)
    else:
        yield value


def invented(raw: Any, functions: list[Function]) -> list[Any]:
    """Give what the calls in an output hold that does not stand in it.

    What arithmetic of literals says stands there as that arithmetic.
    """
    said = Said(raw)
    wrong: list[Any] = []
    for call in parse_calls(raw, functions):
        computed = [
            number_of(each.before)
            for each in call.repairs
            if each.kind == "number" and isinstance(each.before, str) and said.has(each.before)
        ]
        wrong += (
            value
            for value in scalars(call.arguments)
            if not said.has(value) and value not in computed
        )
    return wrong


def recorded(shared: Path) -> Iterator[tuple[str, Any, list[Function]]]:
    spec = importlib.util.spec_from_file_location("replay", shared / "bfcl" / "replay.py")
    assert spec is not None
    assert spec.loader is not None
    replay = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(replay)
    functions: dict[str, list[Function]] = {}
    for case in map(json.loads, (shared / "bfcl" / "cases.jsonl").read_text().splitlines()):
        functions[case["id"]] = [
            Function.from_schema(
                name=re.sub(r"[^A-Za-z0-9_-]", "_", each["name"]),
                parameters=replay.json_schema(each["parameters"]),
            )
            for each in case["functions"]
        ]
    for path in sorted((shared / "bfcl" / "outputs").glob("*.jsonl")):
        for line in map(json.loads, path.read_text().splitlines()):
            yield f"{path.stem} {line['id']}", line["raw"], functions[line["id"]]


@pytest.mark.slow
def test_every_scalar_of_a_recorded_call_stands_in_what_was_written(shared: Path) -> None:
    wrong = {}
    count = 0
    for name, raw, functions in recorded(shared):
        count += 1
        if found := invented(raw, functions):
            wrong[name] = (raw, found)
    assert wrong == {}
    assert count == 24_000


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("get_weather(city='Paris')", "London"),
        ("get_weather(city='Paris')", "Paris, France"),
        ("get_weather(city='Paris', days=3)", 30),
        ("get_weather(city='Paris', days=31)", 3),
        ("get_weather(city='Paris', days=-3)", 4.0),
        ("get_weather(city='Paris')", True),
        ("get_weather(city='Paris')", None),
        ([{"get_weather": '{"city": "Paris"}'}], "Rome"),
        ("get_weather(days=1e3)", 1),
    ],
)
def test_an_invention_would_be_seen(raw: Any, value: object) -> None:
    assert not Said(raw).has(value)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("f(a='PARIS')", "Paris"),
        ("f(a='it\\'s')", "it's"),
        ('[{"f": "{\\"a\\": \\"caf\\\\u00e9\\"}"}]', "café"),
        ("f(a='x\\ny')", "x\ny"),
        ("f(a=1_000)", 1000),
        ("f(a=-2.50)", -2.5),
        ("f(a=1e3)", 1000.0),
        ("f(a=True)", True),
        ("f(a='yes')", True),
        ("f(a=None)", None),
        ([{"f": '{"a": 3}'}], 3),
    ],
)
def test_another_spelling_is_none(raw: Any, value: object) -> None:
    assert Said(raw).has(value)
