"""What checking arguments costs, beside `json.loads` of it: `python benchmarks/engine.py`.

Each figure is the ratio to `json.loads` in the same run, the best of the rounds on both sides.
"""

import json
import time
from collections.abc import Callable

from pyfunctools import Controller, Function, function
from pyfunctools._json import JsonObject
from pyfunctools.schema import Validator, parse

ROUNDS = 9
SIZES = (1, 5, 50, 500)

SCHEMA: JsonObject = {
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


class Adder:
    @function
    def add(self, a: int, b: int = 2) -> int:
        """Add two numbers."""
        return a + b


def arguments(count: int) -> dict[str, object]:
    items = [
        {"sku": f"sku-{n}", "quantity": n + 1, "price": 1.5 * n + 0.25, "tags": ["x", "y"]}
        for n in range(count)
    ]
    return {"items": items, "note": "hello there", "kind": "a"}


def seconds(work: Callable[[], object], times: int) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        for _ in range(times):
            work()
        best = min(best, (time.perf_counter() - begun) / times)
    return best


def main() -> None:
    checked = Function.from_schema(name="f", parameters=SCHEMA)
    validator = Validator(SCHEMA)
    print(
        "| text | validate | parse | check, right | check, three mistakes |\n|---|---|---|---|---|"
    )
    for count in SIZES:
        value = arguments(count)
        text = json.dumps(value)
        wrong = json.loads(text) | {"x": 1}
        wrong["items"][0]["quantity"] = 0
        del wrong["items"][-1]["sku"]
        bad = json.dumps(wrong)
        times = max(2, 1000 // count)
        base = seconds(lambda text=text: json.loads(text), times)
        ratios = [
            seconds(lambda value=value: validator.validate(value), times) / base,
            seconds(lambda text=text: parse(text), times) / base,
            seconds(lambda text=text: checked.check(text), times) / base,
            seconds(lambda bad=bad: checked.check(bad), max(2, times // 10)) / base,
        ]
        print(f"| {len(text)} B | " + " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |")
    adder = Controller.from_object(Adder())
    call = seconds(lambda: adder.call("add", '{"a": 1, "b": 5}'), 1000)
    print(f"\nA call of a method of two numbers, from text to outcome: {call * 1e6:.0f} us")


if __name__ == "__main__":
    main()
