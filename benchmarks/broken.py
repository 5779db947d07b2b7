"""What is made of broken arguments, beside the peers: `python benchmarks/broken.py`.

Forty texts that a model may write for six functions, each with what a right reader does: call the
function with exactly these arguments, or refuse. To accept is right only where the text leaves no
doubt; to refuse is right where a value would have to be made up. Every library runs as its users
run it by default, in an environment of its own under `--peers`, which `--install` makes.

Two more tables set `parse` beside the package json-repair: on the vectors of `../shared`, and on
JSON from which one character was lost.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from readers import FUNCTIONS

from pyfunctools import function_of
from pyfunctools.schema import parse

HERE = Path(__file__).parent
PACKAGES = {
    "pydantic-ai": "pydantic-ai-slim",
    "fastmcp": "fastmcp",
    "openai-agents": "openai-agents",
    "langchain": "langchain-core",
    "json-repair": "json-repair",
}
REFUSE = object()
"""What a right reader does with a text that leaves a doubt."""


class Case(NamedTuple):
    """A text for a function, and the arguments it means, but for those that have a default."""

    function: str
    text: str
    right: Any


DAY = '"day": "2026-12-24"'
EVE = {"day": "2026-12-24"}
ONE = {"items": [{"sku": "a", "quantity": 1}]}
CARD = {"kind": "card", "number": "4111", "cvc": "123"}

SYNTAX = [
    Case("book", f"Sure!\n```json\n{{{DAY}}}\n```\nDone.", EVE),
    Case("book", f'{{{DAY}, "guests": 4,}}', {**EVE, "guests": 4}),
    Case("book", "{'day': '2026-12-24', 'window': True}", {**EVE, "window": True}),
    Case("book", f"{{{DAY}, // Christmas\n}}", EVE),
    Case("book", '{day: "2026-12-24", guests: 4}', {**EVE, "guests": 4}),
    Case("book", f'{{{DAY} "guests": 4}}', {**EVE, "guests": 4}),
    Case("book", f"{{{{{DAY}}}}}", EVE),
    Case("order", '{"items": [{"sku": "a", "quantity": 1}]', ONE),
    Case(
        "order", '{"items": [{"sku": "a", "quantity": 1}], "note": "a\nb"}', {**ONE, "note": "a\nb"}
    ),
    Case(
        "order",
        '{"items": [{"sku": "a", "quantity": 1}], "note": "say "hi" to us"}',
        {**ONE, "note": 'say "hi" to us'},
    ),
]
TYPES = [
    Case("book", f'{{{DAY}, "guests": "4"}}', {**EVE, "guests": 4}),
    Case("book", f'{{{DAY}, "guests": 4.0}}', {**EVE, "guests": 4}),
    Case("book", f'{{{DAY}, "window": "yes"}}', {**EVE, "window": True}),
    Case("book", f'{{{DAY}, "guests": null}}', EVE),
    Case(
        "order",
        '{"items": [{"sku": 17, "quantity": 1}]}',
        {"items": [{"sku": "17", "quantity": 1}]},
    ),
    Case("order", '{"items": "[{\\"sku\\": \\"a\\", \\"quantity\\": 1}]"}', ONE),
    Case("order", '{"items": {"sku": "a", "quantity": 1}}', ONE),
    Case("book", json.dumps(f"{{{DAY}}}"), EVE),
    Case("book", f'{{"arguments": {{{DAY}}}}}', EVE),
    Case("paint", '{"color": "Red"}', {"color": "red"}),
    Case("paint", '{"color": "red", "coats": "null"}', {"color": "red", "coats": None}),
    Case("find", '{"id": "007"}', {"id": "007"}),
    Case("stock", '{"counts": {"a": "1"}}', {"counts": {"a": 1}}),
    Case(
        "pay",
        '{"method": {"kind": "card", "number": "4111", "cvc": 123}, "amount": "9.5"}',
        {"method": CARD, "amount": 9.5},
    ),
]
DOUBTS = [
    Case("order", '{"items": [{"sku": "a", "quantity": 1}], "note": "hel', REFUSE),
    Case("book", f'{{{DAY}, "guests": 1', REFUSE),
    Case("book", f'{{{DAY}, "guests": 1e}}', REFUSE),
    Case("book", f'{{{DAY}, "guests": }}', REFUSE),
    Case("book", f'{{{DAY}, "guests": "007"}}', REFUSE),
    Case("book", f'{{{DAY}, "guests": "4 people"}}', REFUSE),
    Case("book", f'{{{DAY}, "guests": true}}', REFUSE),
    Case("book", f'{{{DAY}, "guests": 1, "guests": 2}}', REFUSE),
    Case("pay", f'{{"method": {json.dumps(CARD)}, "amount": NaN}}', REFUSE),
    Case("book", "I would book a table for you.", REFUSE),
]
MISTAKES = [
    Case("book", '{"day": "2026-02-30"}', REFUSE),
    Case("book", f'{{{DAY}, "guest": 4}}', REFUSE),
    Case("order", '{"items": [{"sku": "a", "quantity": 1, "size": "L"}]}', REFUSE),
    Case("paint", '{"color": "reddish"}', REFUSE),
    Case("pay", '{"method": {"kind": "card", "iban": "NO93"}, "amount": 1}', REFUSE),
    Case(
        "order", '{"items": [{"sku": "a", "quantity": 0}, {"quantity": "x"}], "note": {}}', REFUSE
    ),
]
CASES = [*SYNTAX, *TYPES, *DOUBTS, *MISTAKES]
DEFAULTS: dict[str, dict[str, Any]] = {
    "book": {"guests": 2, "window": False},
    "order": {"note": ""},
    "paint": {"coats": 1},
}
SHOWN = CASES[-1]
"""The text of which every library's answer is printed: four mistakes at once."""


def full(function: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with their defaults."""
    whole = {**DEFAULTS.get(function, {}), **arguments}
    items = whole.get("items")
    if isinstance(items, list):
        whole["items"] = [{"price": 0.0, **item} for item in items]
    return whole


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are the same: `1` is `1.0`, and `true` is not `1`."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def verdict(case: Case, result: dict[str, Any]) -> str:
    if "value" not in result:
        return "refused rightly" if case.right is REFUSE else "refused wrongly"
    if case.right is REFUSE:
        return "accepted wrongly"
    got = full(case.function, result["value"])
    return "accepted rightly" if same(got, full(case.function, case.right)) else "accepted wrongly"


VERDICTS = ("accepted rightly", "refused rightly", "accepted wrongly", "refused wrongly")


def document() -> dict[str, Any]:
    """Return the functions' parameters as the components of an OpenAPI document."""
    schemas: dict[str, Any] = {}
    for name, function in FUNCTIONS.items():
        text = json.dumps(function_of(function).parameters)
        parameters = json.loads(text.replace("#/$defs/", "#/components/schemas/"))
        schemas |= parameters.pop("$defs", {})
        schemas[name] = parameters
    info = {"title": "shop", "version": "1"}
    return {"openapi": "3.1.0", "info": info, "paths": {}, "components": {"schemas": schemas}}


class Peers:
    """The environments in which the peers run, one each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()

    def install(self) -> None:
        for name in PACKAGES.values():
            subprocess.run([sys.executable, "-m", "venv", self._folder / name], check=True)
            pip = [self._python(name), "-m", "pip", "install", "--quiet", "--upgrade"]
            subprocess.run([*pip, name, "pydantic"], check=True)
        (self._folder / "typia").mkdir(parents=True, exist_ok=True)
        npm = ["npm", "install", "--silent", "--prefix", self._folder / "typia", "@typia/utils@14"]
        subprocess.run(npm, check=True)

    def run(self, name: str, inputs: Sequence[Any]) -> dict[str, Any]:
        """Return the version and the results of one library."""
        command = [sys.executable, HERE / "readers.py", name]
        given: Any = inputs
        if name == "typia":
            command = ["node", HERE / "typia.mjs", self._folder / "typia"]
            given = {"document": document(), "inputs": inputs}
        elif name != "pyfunctools":
            command[0] = self._python(PACKAGES[name.partition(",")[0]])
        done = subprocess.run(
            command, input=json.dumps(given), capture_output=True, text=True, check=True
        )
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def _python(self, name: str) -> Path:
        return self._folder / name / "bin" / "python"


def print_calls(peers: Peers, *, told: bool) -> None:
    names = ["pyfunctools", "typia", *PACKAGES]
    names.remove("json-repair")
    inputs = [(case.function, case.text) for case in CASES]
    answers = {name: peers.run(name, inputs) for name in names}
    print(f"| {len(CASES)} texts | {' | '.join(VERDICTS)} | told, in the middle | told in all |")
    print("|---|---|---|---|---|---|---|")
    for name, answer in answers.items():
        verdicts = [verdict(*pair) for pair in zip(CASES, answer["results"], strict=True)]
        counts = [str(verdicts.count(each)) for each in VERDICTS]
        sizes = [len(each["told"]) for each in answer["results"] if "told" in each]
        row = [f"{name} {answer['version']}", *counts, f"{median(sizes):.0f}", f"{sum(sizes):,}"]
        print(f"| {' | '.join(row)} |")
    print(f"\nWhat the model is told of `{SHOWN.text}`:")
    for name, answer in answers.items():
        text = answer["results"][CASES.index(SHOWN)].get("told", "(accepted)")
        print(f"\n{name}, {len(text)} characters:\n\n{text}")
    if told:
        print_each(answers)


def print_each(answers: dict[str, dict[str, Any]]) -> None:
    for number, case in enumerate(CASES):
        print(f"\n{case.function} <- {case.text!r}")
        for name, answer in answers.items():
            result = answer["results"][number]
            print(f"  {name:14} {verdict(case, result):16} {json.dumps(result)[:120]}")


def shortened_by_one() -> Iterator[tuple[str, Any]]:
    """Return JSON from which one character of its structure was lost, and what it was."""
    value = {"id": 7, "name": "Ada", "tags": ["x", "y"], "at": {"lat": 1.5, "ok": True}}
    for text in (json.dumps(value), json.dumps(value, indent=2)):
        for index, character in enumerate(text):
            if character in '{}[],:"':
                yield text[:index] + text[index + 1 :], value


def vectors(folder: Path) -> Iterator[tuple[str, Any]]:
    for vector in json.loads((folder / "vectors" / "parse.json").read_text()):
        yield vector["text"], REFUSE if vector.get("issue") else vector["value"]


def ours(texts: Sequence[str]) -> list[dict[str, Any]]:
    return [{"value": read.value} if (read := parse(text)) else {"told": ""} for text in texts]


READ = ("right", "invents", "another value", "refused wrongly")


def reading(right: Any, result: dict[str, Any]) -> str:
    if "value" not in result:
        return "right" if right is REFUSE else "refused wrongly"
    if right is REFUSE:
        return "invents"
    return "right" if same(result["value"], right) else "another value"


def print_repairs(
    peers: Peers, title: str, cases: Sequence[tuple[str, Any]], *, told: bool
) -> None:
    texts = [text for text, _ in cases]
    answers = {"pyfunctools `parse`": ours(texts)}
    for name in ("json-repair", "json-repair, strict"):
        answer = peers.run(name, texts)
        answers[f"{name} {answer['version']}"] = answer["results"]
    print(f"\n| {title} | {' | '.join(READ)} |\n|---|---|---|---|---|")
    readings = {
        name: [reading(right, result) for (_, right), result in zip(cases, results, strict=True)]
        for name, results in answers.items()
    }
    for name, found in readings.items():
        print(f"| {name} | {' | '.join(str(found.count(each)) for each in READ)} |")
    for number, text in enumerate(texts) if told else ():
        if len({found[number] for found in readings.values()}) > 1:
            print(f"\n{text!r}")
            for name, found in readings.items():
                print(f"  {name:28} {found[number]:16} {json.dumps(answers[name][number])}")


def main() -> None:
    default = Path.home() / ".cache" / "pyfunctools-peers"
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--peers", type=Path, default=default, help="where the peers are")
    parser.add_argument("--install", action="store_true", help="install the peers there first")
    parser.add_argument("--told", action="store_true", help="print every single result")
    parser.add_argument("--shared", type=Path, default=HERE.parents[1] / "shared")
    options = parser.parse_args()
    peers = Peers(options.peers)
    if options.install:
        peers.install()
    print_calls(peers, told=options.told)
    for title, cases in (
        ("vectors of `parse`", list(vectors(options.shared))),
        ("one character lost", list(shortened_by_one())),
    ):
        print_repairs(peers, f"{len(cases)} {title}", cases, told=options.told)


if __name__ == "__main__":
    main()
