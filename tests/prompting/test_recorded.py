"""The outputs of 24 real models: every value of a call is in the text."""

import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pyfunctools import Function, parse_calls
from pyfunctools.prompting.calls.check import number_of
from pyfunctools.prompting.calls.literals import unescaped

WORDS = {True: ("true", "yes", "on"), False: ("false", "no", "off"), None: ("null", "none")}
NUMBER = re.compile(r"[+-]?(?:[0-9][0-9_]*)?\.?[0-9][0-9_]*\.?(?:[eE][+-]?[0-9]+)?")


class Said:
    """The words and numbers of one output, in any spelling."""

    def __init__(self, raw: Any) -> None:
        text = raw if isinstance(raw, str) else " ".join(each_text(raw))
        once = unescaped(text)
        self.words = [bare(spelling) for spelling in (text, once, unescaped(once))]
        self.numbers = {value for token in NUMBER.findall(text) for value in values_of(token)}

    def has(self, value: Any) -> bool:
        """Return whether the output has a scalar, whatever its case, space, escapes or format."""
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
    """Return the values in the calls of an output that are not in its text.

    Results of arithmetic count as written.
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
def test_every_scalar_of_a_recorded_call_is_in_its_text(shared: Path) -> None:
    wrong = {}
    count = 0
    for name, raw, functions in recorded(shared):
        count += 1
        if found := invented(raw, functions):
            wrong[name] = (raw, found)
    assert wrong == {}
    assert count == 24_000


@pytest.mark.parametrize(
    ("raw", "right", "invented"),
    [
        ("f(a='PARIS', b=31)", ["Paris", 31.0], ["London", "Paris, France", 3, -31, True, None]),
        ("f(a='it\\'s', b='x\\ny')", ["it's", "x\ny"], ["its"]),
        ('[{"f": "{\\"a\\": \\"caf\\\\u00e9\\", \\"b\\": 3}"}]', ["café", 3], ["cafe", 30]),
        ("f(a=1_000, b=-2.50, c=1e3)", [1000, -2.5, 1000.0], [1, -2]),
        ("f(a=True, b='yes', c=None)", [True, None], [0]),
        ("f(a=-3)", [-3, 3], [4.0]),
    ],
)
def test_an_invented_value_is_told_from_another_spelling(
    raw: Any, right: list[Any], invented: list[Any]
) -> None:
    written = Said(raw)
    assert [value for value in right if not written.has(value)] == []
    assert [value for value in invented if written.has(value)] == []
