"""This tree beside others, in one run: `python benchmarks/beside.py [NAME=TREE ...]`.

    git worktree add ../before 0ff2b5d
    python benchmarks/beside.py before=../before --corpus ../shared/corpus

Each piece of work runs in a process of its own for each tree, in turn and several times over, and
is measured there in time of the processor. The table has the median of this tree and, for each of
the others, how many times as long it took; `-` is work that a tree cannot do. A row in `kB` is
memory. Documents are measured as multiples of `json.loads` of the same text, peers as multiples of
our own time.
"""

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

HERE = Path(__file__).resolve().parents[1]
ROUNDS = int(os.environ.get("BENCHMARK_ROUNDS", "5"))
Work = Callable[[], object]
FENCED = {"items": [{"sku": f"a{n}", "quantity": n, "tags": ["x", "y"]} for n in range(110)]}


def timed(work: Work, least: float = 0.2) -> float:
    """Return microseconds a run, the best of five series that take `least` seconds together."""
    work()
    begun, count = time.process_time(), 0
    while time.process_time() - begun < least / 5:
        work()
        count += 1
    series = []
    for _ in range(5):
        begun = time.process_time()
        for _ in range(count):
            work()
        series.append((time.process_time() - begun) / count)
    return 1e6 * min(series)


def ten_fields() -> Any:
    """Return a function with ten parameters and a docstring."""

    def book(
        guest: str,
        nights: int,
        rate: float,
        breakfast: bool,
        room: Literal["single", "double"],
        extras: list[str] = [],  # noqa: B006 - as people write it
        note: str | None = None,
        floor: int = 1,
        language: str = "en",
        discount: float = 0.0,
    ) -> str:
        """Book a room.

        Args:
            guest: Who comes.
            nights: For how long.
            rate: The price of a night.
            breakfast: Whether breakfast is wanted.
            room: The kind of room.
        """
        return f"{guest} {nights}"

    return book


RIGHT = json.dumps(
    {"guest": "Ada", "nights": 2, "rate": 80.5, "breakfast": True, "room": "single", "floor": 3}
)
WRONG = json.dumps(
    {"guest": "Ada", "nights": "two", "rate": 80.5, "breakfast": True, "room": "suite", "flor": 3}
)


def calling() -> dict[str, Callable[[], float]]:
    """Return the work of calls: name to a function that measures it."""
    from pyfunctools import Controller, Function, function, human, parse_calls
    from pyfunctools.schema import parse

    class Shop:
        @function
        def add(self, a: int, b: int) -> int:
            """Add."""
            return a + b

        @function
        def pay(self, amount: int, pin: Annotated[str, human("Your PIN")]) -> str:
            """Pay."""
            return f"{amount}"

    shop = Controller.from_object(Shop())
    ten = Controller.from_functions([ten_fields()])
    item = {"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}}
    item |= {"required": ["id", "name"], "additionalProperties": False}
    rows = {"type": "object", "properties": {"rows": {"type": "array", "items": item}}}
    many = Function.from_schema(name="many", description="", parameters=rows)
    values: list[dict[str, Any]] = [{"id": n, "name": f"n{n}"} for n in range(300)]
    values[7]["id"], values[99]["name"], values[200]["extra"] = "x", 5, 1
    text = json.dumps({"rows": values})
    fenced = f"```json\n{json.dumps(FENCED)}\n```"
    one = '{"name": "add", "arguments": {"a": 1, "b": 2}}'
    texts = {
        "bare": one,
        "fence": f"```json\n{one}\n```",
        "tag": f"<tool_call>\n{one}\n</tool_call>",
        "prose": f"I will add them now.\n\n{one}\n\nThat is all.",
    }

    def ticket() -> None:
        outcome: Any = shop.call("pay", {"amount": 1})
        shop.resume(outcome.waiting.ticket, {"pin": "1234"})

    def hundred() -> float:
        controller = Controller.from_functions([numbered(n) for n in range(100)])
        return timed(controller.tools)

    return {
        "small call, us": lambda: timed(lambda: shop.call("add", '{"a": 1, "b": 2}')),
        "call of 10 fields, us": lambda: timed(lambda: ten.call("book", RIGHT)),
        "3 mistakes with feedback, us": lambda: timed(lambda: ten.call("book", WRONG).text),
        "check and feedback, 300 items, us": lambda: timed(
            lambda: many.check(text).feedback()  # type: ignore[union-attr]
        ),
        "right JSON in a fence, 5 kB, us": lambda: timed(lambda: parse(fenced)),
        **{
            f"parse_calls of one right call, {name}, us": lambda text=text: timed(
                lambda: parse_calls(text, shop.functions)
            )
            for name, text in texts.items()
        },
        "call with a person's part, us": lambda: timed(
            lambda: shop.call("pay", {"amount": 1}, human={"pin": "1234"})
        ),
        "ticket, issue and resume, us": lambda: timed(ticket),
        "tools() of 100 functions again, us": hundred,
    }


def numbered(number: int) -> Any:
    """Return a function with a name of its own."""
    made = ten_fields()
    made.__name__ = made.__qualname__ = f"book_{number}"
    return made


def making() -> dict[str, Callable[[], float]]:
    """Return the work of making functions of methods."""
    from pyfunctools import Controller

    def built(read: bool, kept: int = 1) -> list[Any]:
        made = [Controller.from_functions([numbered(n)]) for n in range(kept)]
        if read:
            for controller in made:
                _ = [each.parameters for each in controller.functions]
        return made

    def memory(called: bool) -> float:
        functions = [numbered(n) for n in range(1000)]
        Controller.from_functions(functions[:1]).call("book_0", RIGHT)
        gc.collect()
        tracemalloc.start()
        controller = Controller.from_functions(functions)
        _ = [each.parameters for each in controller.functions]
        if called:
            for each in controller.functions:
                controller.call(each.name, RIGHT)
        gc.collect()
        return tracemalloc.get_traced_memory()[0] / 1e6

    def unknown() -> float:
        document: dict[str, Any] = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}}
        document["paths"] = {
            f"/area{n % 50}/things{n}": {"get": {"summary": f"Change thing {n}."}}
            for n in range(10_000)
        }
        controller = Controller.from_openapi(document, server="http://127.0.0.1:1")
        return timed(lambda: controller.call("area7_thing707_get", {}))

    return {
        "function of a method, listed, us": lambda: timed(lambda: built(False)),
        "function of a method, with schema, us": lambda: timed(lambda: built(True)),
        "memory a function, built, kB": lambda: memory(False),
        "memory a function, called, kB": lambda: memory(True),
        "unknown name among 10,000, us": unknown,
    }


def reading(corpus: Path) -> dict[str, Callable[[], float]]:
    """Return the work of documents above 1 MB: multiples of `json.loads`."""
    from pyfunctools import Controller

    def measured(path: Path, schemas: bool) -> float:
        text = path.read_text()
        ratios = []
        for _ in range(3):
            gc.collect()
            begun = time.process_time()
            json.loads(text)
            loaded = time.process_time()
            controller = Controller.from_openapi(text)
            _ = [(each.name, each.description) for each in controller.functions]
            opened = time.process_time()
            kept = [(f.parameters, f.output) for f in controller.functions] if schemas else ()
            ended = time.process_time()
            work = ended - opened if schemas else opened - loaded
            ratios.append(work / (loaded - begun))
            del kept, controller
        return statistics.median(ratios)

    found = sorted(
        path for path in corpus.rglob("*.json") if 1_000_000 < path.stat().st_size < 30_000_000
    )
    return {
        f"{path.stem[:40]}, {what}, of json.loads": lambda path=path, schemas=schemas: measured(
            path, schemas
        )
        for path in found
        if path.name != "manifest.json"
        for what, schemas in (("open and list", False), ("all schemas", True))
    }


def peers() -> dict[str, Callable[[], float]]:
    """Return what other libraries take for the same functions, in microseconds."""

    def fastmcp() -> float:
        from fastmcp.tools import Tool

        return timed(lambda: Tool.from_function(ten_fields()))

    def pydantic_ai() -> float:
        from pydantic_ai import Tool

        return timed(lambda: Tool(ten_fields()))

    return {"fastmcp, function of 10 fields, us": fastmcp, "pydantic-ai, same, us": pydantic_ai}


def work(corpus: Path | None) -> dict[str, Callable[[], float]]:
    return {**calling(), **making(), **(reading(corpus) if corpus else {}), **peers()}


def measured_in(tree: Path, name: str, corpus: Path | None) -> float | None:
    """Return the figure of one piece of work with the package of `tree`."""
    command = [sys.executable, __file__, "--one", name]
    command += ["--corpus", str(corpus)] if corpus else []
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return float(done.stdout) if done.returncode == 0 else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", nargs="*", help="NAME=TREE, a checkout to compare with")
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--only", default="", help="a part of the names of what is measured")
    given = parser.parse_args()
    if given.one:
        print(work(given.corpus)[given.one]())
        return
    trees = {"this": HERE, **{n: Path(p).resolve() for n, p in (t.split("=") for t in given.trees)}}
    names = list(trees)
    print(f"| work | {' | '.join(['this', *(f'{n} / this' for n in names[1:])])} |")
    print("|---" * (len(names) + 1) + "|")
    for name in work(given.corpus):
        if given.only not in name:
            continue
        rounds = [
            {tree: measured_in(path, name, given.corpus) for tree, path in trees.items()}
            for _ in range(ROUNDS)
        ]
        print(f"| {name} | {' | '.join(figures(names, rounds))} |", flush=True)


def told(figure: float) -> str:
    """Return a figure with three digits, or all of those before the point."""
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.3g}"


def figures(names: list[str], rounds: list[dict[str, float | None]]) -> list[str]:
    """Return the cells of a row: our median, and the median ratio of each other tree."""
    ours = [each["this"] for each in rounds]
    known = [value for value in ours if value is not None]
    cells = [told(statistics.median(known)) if known else "-"]
    for name in names[1:]:
        ratios = [
            each[name] / each["this"]  # type: ignore[operator]
            for each in rounds
            if each[name] is not None and each["this"] is not None
        ]
        cells.append(f"{statistics.median(ratios):.2f}" if ratios else "-")
    return cells


if __name__ == "__main__":
    main()
