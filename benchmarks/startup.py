"""What starting costs, beside pydantic in the same run: `python benchmarks/startup.py`.

Each line is the processor time of a fresh interpreter, less that of an empty one: the median over
the rounds, in each of which every program runs once.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile

from rounds import rounds

ROUNDS = rounds(11)

CLASS = """
from dataclasses import dataclass
from datetime import date
from typing import Literal

@dataclass
class Item:
    name: str
    count: int = 1

class Shop:
    {mark}
    def buy(self, items: list[Item], note: str | None = None) -> str:
        '''Buy something.'''
        return ""

    {mark}
    def book(self, day: date, kind: Literal["tea", "coffee"] = "tea") -> int:
        '''Book a table.'''
        return 1

    {mark}
    def find(self, text: str, limit: int = 10, tags: dict[str, str] | None = None) -> list[Item]:
        '''Find something.'''
        return []
"""

PROGRAMS = {
    "empty": "",
    "import pydantic": "import pydantic",
    "import and decorate": """
from pyfunctools import Controller, function

class Shop:
    @function
    def buy(self, item: str, note: str | None = None) -> str:
        '''Buy something.'''
        return ""

    @function(tags=["search"])
    def find(self, text: str, limit: int = 10, tags: dict[str, str] | None = None) -> list[str]:
        '''Find something.'''
        return []
""",
    "pydantic and its schemas": CLASS.format(mark="")
    + """
from pydantic import TypeAdapter
TypeAdapter(list[Item]).json_schema()
TypeAdapter(str | None).json_schema()
TypeAdapter(date).json_schema()
TypeAdapter(Literal["tea", "coffee"]).json_schema()
TypeAdapter(str).json_schema()
TypeAdapter(int).json_schema()
TypeAdapter(dict[str, str] | None).json_schema()
TypeAdapter(list[Item]).json_schema()
TypeAdapter(str).json_schema()
TypeAdapter(int).json_schema()
""",
    "first from_object": (
        "from pyfunctools import Controller, function\n"
        + CLASS.format(mark="@function")
        + "\nController.from_object(Shop())\n"
    ),
}

RATIOS = [
    ("import and decorate", "import pydantic", 0.5),
    ("first from_object", "pydantic and its schemas", 1.3),
]


def environment(cache: str) -> dict[str, str]:
    """Return an environment in which bytecode is kept, as it is beside an installed package."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": cache}


def cpu(program: str, env: dict[str, str]) -> float:
    """Run a program in a fresh interpreter, and give its processor time in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], check=True, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def measured() -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    with tempfile.TemporaryDirectory() as cache:
        env = environment(cache)
        for program in PROGRAMS.values():
            cpu(program, env)  # fills the caches of bytecode and files
        for _ in range(ROUNDS):
            for name, program in PROGRAMS.items():
                times[name].append(cpu(program, env))
    return times


def main() -> None:
    times = measured()
    empty = statistics.median(times["empty"])
    cost = {name: statistics.median(taken) - empty for name, taken in times.items()}
    print("| program | ms |\n|---|---|")
    for name, taken in cost.items():
        print(f"| {name} | {taken:.0f} |")
    print("\n| ratio | measured | to hold |\n|---|---|---|")
    for one, other, bound in RATIOS:
        print(f"| {one} / {other} | {cost[one] / cost[other]:.2f} | {bound} |")


if __name__ == "__main__":
    main()
