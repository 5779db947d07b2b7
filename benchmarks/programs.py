"""What a program costs: `python benchmarks/programs.py`.

A call from a program beside the same call of the controller, in processor time of this process and
in time on the clock; and how large a program is that waits for a person.
"""

import time
from statistics import median
from typing import Any

from pyfunctools import Controller, Human, ProgramLimits, function

CALLS = 200
ROUNDS = 7


class Desk:
    @function
    def add(self, a: int, b: int) -> int:
        """Add."""
        return a + b

    @function
    def sign(self, text: str, pin: Human[str]) -> str:
        """Sign."""
        return text


PROGRAMS = {
    "one call": 'await sign(text="a")',
    "a loop of ten": 'for n in range(10):\n    print(n, await sign(text=f"page {n}"))',
    "twenty at once": """
import asyncio

async def one(number):
    try:
        return await sign(text=f"page {number}")
    except RuntimeError as error:
        return str(error)

pages = [{"number": n, "title": f"page {n}", "words": ["tea", "cup"] * 3} for n in range(20)]
done = await asyncio.gather(*[one(page["number"]) for page in pages if page["words"]])
print(len(done), "done")
{page["title"]: text for page, text in zip(pages, done)}
""",
}


def timed(work: Any) -> tuple[float, float]:
    """Return the processor and clock time of some work, in microseconds a call."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    spent = time.process_time() - processor, time.perf_counter() - clock
    return spent[0] * 1e6 / CALLS, spent[1] * 1e6 / CALLS


def show(*rows: tuple[object, ...]) -> None:
    for number, row in enumerate(rows):
        print(f"| {' | '.join(map(str, row))} |")
        if not number:
            print("|---" * len(row) + "|")
    print()


def main() -> None:
    desk = Controller.from_object(Desk())
    programs = desk.programs(limits=ProgramLimits(calls=CALLS))
    code = {"code": f"for n in range({CALLS}): await add(a=n, b=1)"}

    def plain() -> None:
        for n in range(CALLS):
            desk.call("add", {"a": n, "b": 1})

    def program() -> None:
        assert programs.call("run_program", code).ok

    plain(), program()
    rounds = [(timed(plain), timed(program)) for _ in range(ROUNDS)]
    rows = [
        (name, *(round(median(each[place][kind] for each in rounds)) for kind in (0, 1)))
        for place, name in enumerate(("controller.call", "from a program"))
    ]
    show(("a call", "processor us", "clock us"), *rows)
    sizes = []
    for name, text in PROGRAMS.items():
        waiting = programs.call("run_program", {"code": text}).waiting
        assert waiting is not None
        sizes.append((name, len(text), len(waiting.pending), len(waiting.ticket or "")))
    show(("a program that waits", "characters", "calls that wait", "ticket"), *sizes)


if __name__ == "__main__":
    main()
