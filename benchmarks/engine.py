"""What checking arguments costs beside `json.loads` of it: `python benchmarks/engine.py`.

Each figure is a ratio to `json.loads` of the very text that is checked, in the same run and in time
of the processor: both are timed in turn, and the median of the rounds is told. Below that stands
the time that hostile text takes, at three sizes.
"""

import json
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

from rounds import rounds

from pyfunctools import Controller, Function, function
from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.schema import Validator, parse

ROUNDS = rounds(21)
SIZES = (1, 5, 50, 500)
NODES = 60

ORDER: JsonObject = {
    "type": "object",
    "properties": {
        "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
        "note": {"type": ["string", "null"]},
        "kind": {"enum": ["a", "b"]},
    },
    "required": ["items"],
    "additionalProperties": False,
    "$defs": {
        "Item": {
            "type": "object",
            "properties": {
                "sku": {"type": "string"},
                "quantity": {"type": "integer", "minimum": 1},
                "price": {"type": "number"},
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["sku", "quantity"],
            "additionalProperties": False,
        }
    },
}


def shape(kind: str, **properties: JsonValue) -> JsonObject:
    return {
        "type": "object",
        "properties": {"type": {"const": kind}, **properties},
        "required": ["type", *properties],
        "additionalProperties": False,
    }


LENGTH: JsonObject = {"type": "number", "minimum": 0}
SHAPE: JsonObject = {"$ref": "#/$defs/Shape"}
SHAPES: JsonObject = {
    "type": "object",
    "properties": {"shape": SHAPE},
    "required": ["shape"],
    "additionalProperties": False,
    "$defs": {
        "Shape": {
            "oneOf": [{"$ref": f"#/$defs/{name}"} for name in ("Circle", "Box", "Pair")],
            "discriminator": {"propertyName": "type"},
        },
        "Circle": shape("circle", radius=LENGTH),
        "Box": shape("box", width=LENGTH, height=LENGTH),
        "Pair": shape("pair", left=SHAPE, right=SHAPE),
    },
}


class Adder:
    @function
    def add(self, a: int, b: int = 2) -> int:
        """Add two numbers."""
        return a + b


def order(count: int) -> JsonObject:
    items: list[JsonValue] = [
        {"sku": f"sku-{n}", "quantity": n + 1, "price": 1.5 * n + 0.25, "tags": ["x", "y"]}
        for n in range(count)
    ]
    return {"items": items, "note": "hello there", "kind": "a"}


def spoilt(count: int) -> dict[str, Any]:
    """Return an order with three mistakes: a bound, a missing and an unknown property."""
    value = json.loads(json.dumps(order(count))) | {"x": 1}
    value["items"][0]["quantity"] = 0
    del value["items"][-1]["sku"]
    return value


def misspelt(count: int) -> dict[str, Any]:
    """Return an order with three mistakes that look as if they could be repaired."""
    value = json.loads(json.dumps(order(count))) | {"kind": "c"}
    value["items"][0]["quantity"] = "two"
    value["items"][-1]["sku"] = True
    return value


def tree(wrong: bool = False) -> JsonObject:
    """Return a balanced tree of shapes, three of its leaves wrong if it is to be."""
    level: list[dict[str, Any]] = [
        {"type": "circle", "radius": n} if n % 2 else {"type": "box", "width": n, "height": 2}
        for n in range(NODES // 2)
    ]
    if wrong:
        level[3]["radius"] = -1
        del level[16]["height"]
        level[-1]["color"] = "red"
    while len(level) > 1:
        pairs: list[dict[str, Any]] = [
            {"type": "pair", "left": left, "right": right}
            for left, right in zip(level[::2], level[1::2], strict=False)
        ]
        level = pairs + level[len(level) // 2 * 2 :]
    return {"shape": level[0]}


def chain(wrong: bool = False) -> JsonObject:
    """Return shapes of which each holds the next."""
    inner: JsonObject = {"type": "circle", "radius": -1 if wrong else 1}
    for n in range(NODES // 2 - 1):
        leaf: JsonObject = {"type": "circle", "radius": -1 if wrong and n % 14 == 7 else n}
        inner = {"type": "pair", "left": leaf, "right": inner}
    return {"shape": inner}


HOSTILE = {
    "unclosed quotes": ('{"a": "', '"b\': "'),
    "curly and straight quotes": ('{"a": \u201c', "\u201db\u2018\"', "),
    "unclosed brackets": ('{"a": ', "[{"),
    "unclosed keys": ("", '{"a":'),
    "backslashes": ('{"a": "', "\\"),
    "fences": ("", "```json\n{"),
    "tags": ("", "<tool_call>{"),
    "commas and colons": ("{", ",:"),
    "comments": ("{", "/* // "),
    "all at once": ("", '```{"\\[\\"'),
}
"""How a hostile text begins, and what it goes on with."""


def hostile(begin: str, more: str, size: int) -> str:
    return begin + more * ((size - len(begin.encode())) // len(more.encode()))


CASES: list[tuple[str, JsonObject, JsonObject, JsonObject]] = [
    *((f"order of {n}", ORDER, order(n), spoilt(n)) for n in SIZES),
    *((f"order of {n}, misspelt", ORDER, order(n), misspelt(n)) for n in (1, 500)),
    (f"tree of {NODES} tagged shapes", SHAPES, tree(), tree(wrong=True)),
    (f"chain of {NODES} tagged shapes", SHAPES, chain(), chain(wrong=True)),
]


def ratio(work: Callable[[], object], base: Callable[[], object], times: int) -> float:
    """Return how long one takes beside the other: the median of rounds in which both are timed."""
    rounds = [seconds(work, times) / seconds(base, times) for _ in range(ROUNDS)]
    return median(rounds)


def seconds(work: Callable[[], object], times: int) -> float:
    begun = time.thread_time()
    for _ in range(times):
        work()
    return (time.thread_time() - begun) / times


def ratios(schema: JsonObject, right: JsonObject, wrong: JsonObject) -> list[float]:
    checked, validator = Function.from_schema(name="f", parameters=schema), Validator(schema)
    text, bad = json.dumps(right), json.dumps(wrong)
    result = checked.check(bad)
    if result or len(result.issues) != 3 or not checked.check(text):
        raise AssertionError(result)
    times = max(2, 50_000 // len(text))
    base = partial(json.loads, text)
    return [
        ratio(partial(validator.validate, right), base, times),
        ratio(partial(parse, text), base, times),
        ratio(partial(checked.check, text), base, times),
        ratio(partial(checked.check, bad), partial(json.loads, bad), times),
    ]


def main() -> None:
    print("| text | validate | parse | check, right | check, three mistakes |")
    print("|---|---|---|---|---|")
    for name, schema, right, wrong in CASES:
        figures = " | ".join(f"{each:.2f}" for each in ratios(schema, right, wrong))
        print(f"| {name}, {len(json.dumps(right))} B | {figures} |")
    print("\n| hostile text through `parse` | 0.25 MB | 0.5 MB | 1 MB |\n|---|---|---|---|")
    for name, (begin, more) in HOSTILE.items():
        texts = [hostile(begin, more, size) for size in (1 << 18, 1 << 19, 1 << 20)]
        figures = " | ".join(f"{seconds(partial(parse, text), 1):.2f} s" for text in texts)
        print(f"| {name} | {figures} |")
    adder = Controller.from_object(Adder())
    adder.call("add", '{"a": 1, "b": 5}')
    call = min(seconds(lambda: adder.call("add", '{"a": 1, "b": 5}'), 500) for _ in range(ROUNDS))
    print(f"\nA call of a method of two numbers, from text to outcome: {call * 1e6:.0f} us")


if __name__ == "__main__":
    main()
