"""Measure how well and how fast functions are found: `python benchmarks/search.py`.

The requests, the measure and the rankers of others lie in `SHARED/search`. fastmcp, tantivy and
bm25s are measured where they are installed; `--only` chooses. `--scale` measures time and memory
over many functions, a process each, and `--tokens` a document whose functions a model searches.
"""

import argparse
import gc
import json
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PEERS = {"pyfunctools": "pyfunctools", "fastmcp": "fastmcp", "tantivy": "tantivy", "bm25s": "bm25s"}
SIZES = (1_000, 10_000, 100_000)
TASKS = 25


def main() -> None:
    options = arguments()
    sys.path.insert(0, str(options.shared / "search"))
    os.environ.setdefault("CORPUS", str(options.shared / "corpus"))
    if options.size:
        print(json.dumps(scaled(options.size)))
        return
    if not options.scale and not options.tokens:
        print_quality(options.only)
    if options.scale:
        print_scale(options.shared)
    if options.tokens:
        print_tokens(options.tokens)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--only", nargs="*", default=list(PEERS))
    parser.add_argument("--scale", action="store_true")
    parser.add_argument("--size", type=int)
    parser.add_argument("--tokens", type=Path)
    return parser.parse_args()


def print_quality(names: list[str]) -> None:
    """Print the share of functions found within the first 1, 5 and 10, for each ranker."""
    import adapter
    import measure

    data = measure.corpora("dev")
    corpora = [name for name, _, _ in data]
    print("| ranker | @1 | @5 | @10 | ms a query |", *(f"{each} |" for each in corpora))
    print("|---|" + "---|" * (4 + len(corpora)))
    for name in names:
        if find_spec(PEERS[name]) is None:
            print(f"{name} is not installed", file=sys.stderr)
            continue
        make = adapter.make if name == "pyfunctools" else measure.maker(name)
        try:
            mean, rows = measure.evaluate(make, data=data)
        except ImportError as error:  # a part of the peer is missing
            print(f"{name}: {error}", file=sys.stderr)
            continue
        shares = [f"{100 * mean[key]:.1f}" for key in ("r1", "r5", "r10")]
        each = [f"{100 * row['r5']:.1f}" for row in rows.values()]
        print(f"| {name} |", " | ".join([*shares, f"{mean['ms']:.2f}", *each]), "|", flush=True)


def print_scale(shared: Path) -> None:
    """Print the time and the memory of the index and of queries, for each number of functions."""
    print("| functions | index s | median ms | p95 ms | index MB |")
    print("|---|---|---|---|---|")
    for size in SIZES:
        command = [sys.executable, __file__, "--shared", str(shared), "--size", str(size)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        row = json.loads(done.stdout)
        cells = (f"{row[key]:.2f}" for key in ("index", "median", "p95", "memory"))
        print(f"| {size:,} |", " | ".join(cells), "|", flush=True)


def scaled(size: int) -> dict[str, float]:
    """Return the figures of one number of functions, in processor time."""
    import adapter
    import measure

    adapter.document = lambda _: None
    rank = adapter.make(measure.synth(size))
    queries = [each["query"] for _, _, known in measure.corpora("dev") for each in known[:15]]
    gc.collect()
    before, began = resident(), time.process_time()
    rank("warm up", 10)
    index, memory = time.process_time() - began, resident() - before
    times: list[float] = []
    for query in queries:
        began = time.process_time()
        rank(query, 10)
        times.append(1000 * (time.process_time() - began))
    times.sort()
    middle, late = times[len(times) // 2], times[int(len(times) * 0.95)]
    return {"index": index, "median": middle, "p95": late, "memory": memory}


def resident() -> float:
    """Return the memory of this process in megabytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def print_tokens(path: Path) -> None:
    """Print the tokens of tasks of a model that searches, beside the whole list."""
    import bpe_openai
    import measure

    from pyfunctools import Controller

    encoding = bpe_openai.get_encoding("o200k_base")

    def tokens(value: Any) -> int:
        text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
        return len(encoding.encode(text))

    began = time.process_time()
    controller = Controller.from_openapi(json.loads(path.read_bytes()), server="https://a.example")
    opened, began = time.process_time() - began, time.process_time()
    controller.search("warm up")
    print(f"The index takes {(time.process_time() - began) / opened:.2f} of opening the document")
    whole = sum(
        tokens({"name": each.name, "description": each.description, "parameters": each.llm})
        for each in controller
    )
    two = controller.searchable()
    shown = tokens([*two.tools("openai")])
    ((_, _, queries),) = measure.corpora("dev", ["github"])
    asked = [each["query"] for each in queries[:: len(queries) // TASKS][:TASKS]]
    results = [tokens(two.call("find_functions", {"query": each}).text) for each in asked]
    call = tokens({"name": controller.functions[0].name, "arguments": {"owner": "a", "repo": "b"}})
    results.sort()
    middle = results[len(results) // 2]
    print("| part | tokens |")
    print("|---|---|")
    print(f"| the whole list | {whole:,} |")
    print(f"| the two functions | {shown} |")
    print(f"| five results (median of {len(results)}) | {middle} |")
    print(f"| five results (mean) | {sum(results) / len(results):.0f} |")
    print(f"| a whole task (list, results, call) | {shown + middle + call} |")


if __name__ == "__main__":
    main()
