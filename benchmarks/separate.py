"""What separating costs, beside building: `python benchmarks/separate.py FILE`.

For all functions of a document together, the medians of the rounds. `build` opens the document and
makes every function's schemas; `separate` takes them apart by the default predicate; `one by one`
by one that is asked about every place of every function; `every third text` by one that says yes
to every third of the texts, so that nearly every function has parts of both.
"""

import gc
import statistics
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path as File

from rounds import rounds

from pyfunctools import Controller
from pyfunctools._json import JsonSchema
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.separation.predicates import is_human_by_default
from pyfunctools.schema.separation.separate import separate_normalized

ROUNDS = rounds(5)
BOUND = 3.0
"""How many times the building all of the separating may take."""


def by_default_one_by_one(path: Path, schema: JsonSchema) -> bool:
    """Answer as the default predicate does, and be asked about every place."""
    return is_human_by_default(path, schema)


def every_third_text() -> Callable[[object, JsonSchema], bool]:
    """Return a predicate that counts the texts it is asked about."""
    numbers = count()
    return lambda _, schema: schema.get("type") == "string" and next(numbers) % 3 == 0


def main() -> None:
    text = File(sys.argv[1]).read_text()
    times: dict[str, list[float]] = {
        "build": [],
        "separate": [],
        "one by one": [],
        "every third text": [],
    }
    functions = parted = 0
    for _ in range(ROUNDS):
        gc.collect()  # so that nobody pays for what an earlier round left
        begun = time.perf_counter()
        controller = Controller.from_openapi(text)
        schemas = [each.parameters for each in controller]
        times["build"].append(time.perf_counter() - begun)
        gc.collect()
        begun = time.perf_counter()
        parted = sum(each.separated is not None for each in controller)
        times["separate"].append(time.perf_counter() - begun)
        gc.collect()
        begun = time.perf_counter()
        for schema in schemas:
            separate_normalized(schema, by_default_one_by_one)
        times["one by one"].append(time.perf_counter() - begun)
        gc.collect()
        begun = time.perf_counter()
        for schema in schemas:
            separate_normalized(schema, every_third_text())
        times["every third text"].append(time.perf_counter() - begun)
        functions = len(controller)
        del controller, schemas
    base = statistics.median(times["build"])
    print(f"{functions} functions, {parted} with a part of the human's\n")
    print("| | ms | of building | to hold |\n|---|---|---|---|")
    for name, taken in times.items():
        median = statistics.median(taken)
        bound = "" if name == "build" else f"{BOUND:g}"
        print(f"| {name} | {1000 * median:.0f} | {median / base:.2f} | {bound} |")


if __name__ == "__main__":
    main()
