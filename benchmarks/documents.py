"""What reading a document costs, beside `json.loads` of it: `python benchmarks/documents.py FILE`.

The median of the rounds, each of which does everything once.
"""

import gc
import json
import statistics
import sys
import time
from pathlib import Path

from pyfunctools import Controller

ROUNDS = 7


def main() -> None:
    text = Path(sys.argv[1]).read_text()
    times: dict[str, list[float]] = {"json.loads": [], "open and list": [], "build all schemas": []}
    functions = skipped = 0
    for _ in range(ROUNDS):
        gc.collect()  # so that nobody pays for what an earlier round left
        begun = time.perf_counter()
        document = json.loads(text)
        times["json.loads"].append(time.perf_counter() - begun)
        del document
        gc.collect()
        begun = time.perf_counter()
        controller = Controller.from_openapi(text)
        assert all(each.name for each in controller)
        opened = time.perf_counter()
        assert all(each.parameters for each in controller)
        times["open and list"].append(opened - begun)
        times["build all schemas"].append(time.perf_counter() - opened)
        functions, skipped = len(controller), len(controller.skipped)
        del controller
    base = statistics.median(times["json.loads"])
    print(f"{functions} functions, {skipped} skipped\n")
    print("| | ms | of `json.loads` |\n|---|---|---|")
    for name, taken in times.items():
        median = statistics.median(taken)
        print(f"| {name} | {1000 * median:.0f} | {median / base:.2f} |")


if __name__ == "__main__":
    main()
