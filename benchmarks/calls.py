"""What finding calls costs, beside json-repair: `python benchmarks/calls.py FOLDER`.

FOLDER holds the recorded outputs: `cases.jsonl`, with the functions of each case, and `outputs/`,
with what each model wrote. Both sides read the same texts in the same run, turn by turn, and the
processor time of each round is compared; json-repair only reads JSON, `parse_calls` also finds the
function and checks the arguments. `fresh` builds the functions anew for each output.
"""

import json
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import json_repair
from rounds import rounds

from pyfunctools import Function, parse_calls
from pyfunctools.schema import parse

ROUNDS = rounds(5)
TYPES = {"dict": "object", "float": "number", "tuple": "array"}
JSONLIKE = re.compile(r"""\s*[\[{]\s*["'\[{]""")
HOSTILE = (
    "'",
    "{",
    "[",
    '{"a":',
    "\\",
    "```json\n",
    "<tool_call>",
    "<f><a>",
    "f(",
    "f(a=[",
    "['f', ",
    '{"name": "f", "arguments": {}}',
)


def schema_of(node: Any) -> Any:
    """Return a schema in Python's words as one of JSON."""
    if isinstance(node, list):
        return [schema_of(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = ("properties", "items", "enum", "required", "type")
    found = {key: schema_of(value) for key, value in node.items() if key in kept}
    if isinstance(node.get("properties"), dict):
        found["properties"] = {key: schema_of(sub) for key, sub in node["properties"].items()}
    kind = node.get("type")
    if isinstance(kind, str):
        found["type"] = TYPES.get(kind, kind)
    if kind == "any":
        del found["type"]
    return found


def functions_of(case: dict[str, Any]) -> list[Function]:
    return [
        Function.from_schema(
            name=re.sub(r"[^A-Za-z0-9_-]", "_", each["name"]),
            parameters=schema_of(each["parameters"]),
        )
        for each in case["functions"]
    ]


def texts_of(raw: Any) -> list[str]:
    """Return the texts in one output: itself, or the arguments of its calls."""
    if isinstance(raw, str):
        return [raw]
    return [text for item in raw for text in ([item] if isinstance(item, str) else item.values())]


def seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def recorded(folder: Path) -> None:
    cases = {case["id"]: case for case in map(json.loads, (folder / "cases.jsonl").open())}
    functions = {name: functions_of(case) for name, case in cases.items()}
    lines = [json.loads(line) for path in (folder / "outputs").iterdir() for line in path.open()]
    texts = [text for line in lines for text in texts_of(line["raw"])]
    every = lines[:: max(len(lines) // 2_000, 1)]

    def ours() -> None:
        for line in lines:
            parse_calls(line["raw"], functions[line["id"]])

    def theirs() -> None:
        for text in texts:
            json_repair.loads(text)

    def fresh() -> None:
        for line in every:
            parse_calls(line["raw"], functions_of(cases[line["id"]]))

    def built() -> None:
        for line in every:
            functions_of(cases[line["id"]])

    first = seconds(ours)
    rounds = [(seconds(ours), seconds(theirs)) for _ in range(ROUNDS)]
    mine = statistics.median(one for one, _ in rounds) / len(lines) * 1e6
    other = statistics.median(one for _, one in rounds) / len(lines) * 1e6
    ratio = statistics.median(one / two for one, two in rounds)
    both, alone = (seconds(work) / len(every) * 1e6 for work in (fresh, built))
    print(f"{len(lines)} outputs\n\n| | us an output |\n|---|---|")
    print(f"| parse_calls | {mine:.0f} |\n| json_repair.loads | {other:.0f} |")
    print(f"| parse_calls, the first time | {first / len(lines) * 1e6:.0f} |")
    print(f"| building its functions | {alone:.0f} |")
    print(f"| building its functions, and parse_calls | {both:.0f} |\n\nratio {ratio:.2f}")


def kind_of(text: str) -> str:
    """Return whether a text is JSON, sets out to be, or is something else that may hold some."""
    try:
        json.loads(text)
    except ValueError:
        return "JSON with something wrong" if JSONLIKE.match(text) else "prose, tags, Python"
    return "strict JSON"


def read(folder: Path) -> None:
    """Print what reading each different text as JSON gives, beside json-repair."""
    lines = [json.loads(line) for path in (folder / "outputs").iterdir() for line in path.open()]
    counts: dict[str, Counter[str]] = {}
    for text in {text for line in lines for text in texts_of(line["raw"])}:
        ours, theirs = parse(text), json_repair.loads(text)
        given = theirs != "" or not text.strip(' "')
        if ours and given:
            found = "the same" if ours.value == theirs else "another value"
        else:
            found = "only ours" if ours else "only json-repair's" if given else "neither"
        counts.setdefault(kind_of(text), Counter())[found] += 1
    columns = ("the same", "another value", "only ours", "only json-repair's", "neither")
    print(f"\n| a value is read by | {' | '.join(columns)} |\n|---{'|---' * len(columns)}|")
    for kind, found in sorted(counts.items()):
        print(f"| {kind} | {' | '.join(str(found[column]) for column in columns)} |")


def hostile() -> None:
    """Print how time grows where the text doubles: about 2 is linear."""
    names = {"type": "object", "properties": {"a": {"type": "array"}}}
    functions = [Function.from_schema(name="f", parameters=names)]
    print("\n| a megabyte of | s | of half of it |\n|---|---|---|")
    for piece in HOSTILE:
        texts = [piece * (size // len(piece)) for size in (1 << 19, 1 << 20)]
        half, whole = (seconds(lambda text=text: parse_calls(text, functions)) for text in texts)
        print(f"| `{piece!r}` | {whole:.2f} | {whole / max(half, 1e-3):.1f} |")


if __name__ == "__main__":
    recorded(Path(sys.argv[1]))
    read(Path(sys.argv[1]))
    hostile()
