"""Random programs of a model: loops, branches, gather, helpers, caught exceptions, nested data.

Each call of theirs has a `key`, which is unique in a run. What a person answers is a function of
the key, so that a program has one right result.
"""

import asyncio
import random
from base64 import b85decode, urlsafe_b64decode
from collections.abc import Iterator
from hashlib import sha256
from json import loads
from lzma import decompress
from pathlib import Path
from typing import Any
from zlib import crc32

from pydantic import SecretStr

from pyfunctools import Approval, Controller, Human, SqliteStore, Tickets, function
from pyfunctools.integrations.programs.program_run import _SMALL

KEY = bytes(range(32))
SECRET = "s3cr3t-0f-"
NOTE = "personal-w0rd-"


class Desk:
    """Functions with every kind of person's part; each run of one is a line in a file."""

    def __init__(self, log: Path) -> None:
        self._log = log

    def did(self, *what: object) -> None:
        with self._log.open("a") as file:
            file.write(" ".join(map(str, what)) + "\n")

    @function(read_only=True)
    def look(self, key: str, size: int) -> dict[str, Any]:
        """Look something up."""
        self.did("look", key)
        return {"key": key, "size": size, "parts": [{"n": n, "odd": n % 2} for n in range(size)]}

    @function
    def sign(self, key: str, size: int, pin: Human[SecretStr]) -> int:
        """Sign."""
        assert pin.get_secret_value() == secret_of(key)
        self.did("sign", key)
        return size + 1

    @function
    def note(self, key: str, word: Human[str], tags: list[str] | None = None) -> list[str]:
        """Note."""
        assert word == word_of(key)
        self.did("note", key)
        return [*(tags or []), key]

    @function(confirm=True)
    def erase(self, key: str, size: int = 1) -> str:
        """Erase."""
        self.did("erase", key)
        if size == 3:
            raise ValueError("there is no third")
        return f"erased {key}"

    @function(confirm=True)
    def move(self, key: str, size: int, pin: Human[str]) -> dict[str, int]:
        """Move."""
        assert pin == secret_of(key)
        self.did("move", key)
        return {"moved": size}


def secret_of(key: str) -> str:
    return SECRET + sha256(key.encode()).hexdigest()[:8]


def word_of(key: str) -> str:
    return NOTE + sha256(key.encode()).hexdigest()[:8]


def answer_to(name: str, key: str) -> Any:
    """Return what the person says to a call: values, an approval, or no."""
    if crc32(key.encode()) % 5 == 0:
        return False
    if name == "erase":
        return True
    return {"word": word_of(key)} if name == "note" else {"pin": secret_of(key)}


def programs_over(log: Path, tickets: Tickets) -> Controller:
    return Controller.from_object(Desk(log)).configured(tickets=tickets).programs()


def in_ticket(ticket: str) -> Iterator[str]:
    """Yield what a ticket holds, in all its layers."""
    payload = ticket.partition(".")[0]
    said = urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode()
    yield from (ticket, said)
    yield decompress(b85decode(loads(said)["state"]["program"]), **_SMALL).decode("latin-1")


class Writer:
    """Writes one random program."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._key = 0
        self._loops: list[str] = []

    def program(self) -> str:
        lines = ["import asyncio", "found = []", "total = 0"]
        for number in range(self._random.randint(0, 2)):
            lines += [f"async def helper{number}(at):", "    global total, found"]
            lines += [*self._block(2, 1, "at"), "    return at"]
            self._helpers = number + 1
        lines += self._lines(self._random.randint(2, 5), depth=0)
        return "\n".join([*lines, '{"total": total, "found": found}'])

    _helpers = 0

    def _block(self, count: int, depth: int, loop: str = "") -> list[str]:
        self._loops += [loop] if loop else []
        found = [f"    {line}" for line in self._lines(count, depth)]
        del self._loops[len(self._loops) - bool(loop) :]
        return found

    def _lines(self, count: int, depth: int) -> list[str]:
        return [line for _ in range(count) for line in self._statement(depth)]

    def _call(self) -> str:
        self._key += 1
        loops = "".join(f"-{{{each}}}" for each in self._loops)
        key = f'f"k{self._key}{loops}"'
        size = self._random.choice(["1", "2", "3", "'2'", "len(found) % 4"])
        name = self._random.choice(["look", "sign", "note", "erase", "move"])
        if name == "note":
            return f"note(key={key}{self._random.choice(['', ', tags=[str(total)]'])})"
        return f"{name}(key={key}, size={size})"

    def _statement(self, depth: int) -> list[str]:
        kinds = ["call", "call", "caught", "gather", "print", "sum"]
        kinds += ["loop", "branch", "many", "helper"] if depth < 2 else []
        kind = self._random.choice(kinds)
        if kind == "call":
            return ["try:", f"    found.append(await {self._call()})", *_CAUGHT]
        if kind == "caught":
            calls = [f"    await {self._call()}", f"    await {self._call()}"]
            return ["try:", *calls, *_CAUGHT, "else:", "    total += 10"]
        if kind == "gather":
            calls = ", ".join(self._call() for _ in range(self._random.randint(2, 4)))
            return ["try:", f"    found.extend(await asyncio.gather({calls}))", *_CAUGHT]
        if kind == "many":
            self._loops.append("j")
            call = self._call()
            self._loops.pop()
            each = f"[{call} for j in range({self._random.randint(1, 3)})]"
            return ["try:", f"    found += await asyncio.gather(*{each})", *_CAUGHT]
        if kind == "print":
            return [f'print("step", {self._random.randint(0, 9)}, total, len(found))']
        if kind == "sum":
            return ["total += sum(1 for each in found if isinstance(each, dict))"]
        if kind == "helper" and self._helpers:
            name = f"helper{self._random.randrange(self._helpers)}"
            self._key += 1
            starts = ", ".join(f'"h{self._key}{c}"' for c in "ab")
            loops = "".join(f"-{{{each}}}" for each in self._loops)
            return [
                "try:",
                f"    found += await asyncio.gather(*[{name}(a + f'{loops}') for a in ({starts})])",
                *_CAUGHT,
            ]
        if kind == "branch":
            test = self._random.choice(["total % 2", "len(found) > 2", "found"])
            body, other = self._block(1, depth + 1), self._block(1, depth + 1)
            return [f"if {test}:", *body, "else:", *other]
        self._key += 1
        name = f"i{self._key}"
        loop = f"for {name} in range({self._random.randint(1, 3)}):"
        return [loop, *self._block(self._random.randint(1, 2), depth + 1, name)]


_CAUGHT = ["except RuntimeError as error:", "    found.append(str(error)[:40])", "    total += 1"]


def controller_of(folder: Path, log: str) -> Controller:
    tickets = Tickets(KEY, store=SqliteStore(folder / "used.sqlite", timeout=60))
    return programs_over(folder / log, tickets)


def resumed(folder: str, ticket: str, answers: dict[str, Any], awaits: bool) -> Any:
    """Resume a program, and return the next ticket and pending calls, or what came of it."""
    programs = controller_of(Path(folder), "later")
    given = {
        key: Approval(**each) if isinstance(each, dict) and "human" in each else each
        for key, each in answers.items()
    }
    if awaits:
        outcome = asyncio.run(programs.aresume(ticket, given))
    else:
        outcome = programs.resume(ticket, given)
    return outcome
