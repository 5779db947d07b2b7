"""`Sandbox`: one program in Monty, which stops where it waits for calls.

Monty runs in a process of its own. It knows nothing of controllers, and has no files, no network,
no environment and no classes of this process; what a program may do is call names.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from time import perf_counter
from typing import Any, Final, NamedTuple

from pydantic_monty import (
    FunctionSnapshot,
    FutureSnapshot,
    Monty,
    MontyComplete,
    MontyCrashedError,
    MontyError,
    MontyRuntimeError,
    MontySession,
    MontySyntaxError,
    MontyTypingError,
    __version__,
)

from pyfunctools.errors import DefinitionError
from pyfunctools.limits import ProgramLimits
from pyfunctools.record.outcome import Reason
from pyfunctools.schema.ground.did_you_mean import near_names

VERSION: Final = str(__version__)
"""The version of Monty: another one may not read what this one has dumped."""

WORKERS: Final = 64
"""The most programs that run in this process at once; more wait for their turn."""
_PATIENCE: Final = 30.0
"""Seconds for which a program waits for its turn, and more than its limit for a sign of life."""
WORD: Final = re.compile(r"[A-Za-z_]\w*")
_FOUND: Final = re.compile(r"main\.py:(\d+):\d+: (error|warning)\[([\w-]+)\] (.*)")
_NAME: Final = re.compile(r"Name `(\w+)` used when not defined")
_FENCE: Final = re.compile(r"\s*```\w*[ \t]*\n(.*?)\n?```\s*", re.DOTALL)
"""The fence that a model may write around a program."""


class ProgramError(Exception):
    """A program was not run, or was stopped. Never leaves these files."""

    def __init__(self, text: str, reason: Reason = "raised") -> None:
        super().__init__(text)
        self.text = text
        self.reason: Reason = reason


class AskedCall(NamedTuple):
    """A call that the program waits for, under Monty's number."""

    number: int
    name: str
    arguments: dict[str, Any]


class ProgramEnd(NamedTuple):
    """The value of the program's last expression; `left` are calls that it did not wait for."""

    value: Any
    left: tuple[str, ...]


class Sandbox:
    """One program. `names` are those that it may call.

    Its methods block this thread; they may be called from several, one after the other. `printed`
    is what the program printed, `made` counts its calls, and `spent` the seconds after its first
    stop.

    Raises:
        ProgramError: the program is wrong, raised an exception, or went beyond a limit.
    """

    def __init__(self, names: Collection[str], limits: ProgramLimits) -> None:
        self.printed = ""
        self.made = 0
        self.spent = 0.0
        self._names = names
        self._limits = limits
        self._is_long = False
        self._session: MontySession | None = None
        self._at: FutureSnapshot | None = None

    def start(self, code: str, stubs: str) -> list[AskedCall] | ProgramEnd:
        """Check the types of a program and run it to the first calls, or to its end."""
        code = found.group(1) if (found := _FENCE.fullmatch(code)) else code
        self._session = self._opened(stubs)
        try:
            if "asyncio" in code and "import asyncio" not in code:  # models forget it
                self._session.feed_start("import asyncio")
            try:  # what cannot be imported is found at its first stop
                return self._advanced(self._session.feed_start(code, print_callback=self._hear))
            except MontyTypingError as error:
                if wrong := _mistakes(error.display(), code, self._names):
                    raise ProgramError(wrong, "arguments") from None
                at = self._session.feed_start(code, print_callback=self._hear, skip_type_check=True)
            return self._advanced(at)
        except MontySyntaxError as error:
            raise ProgramError(f"{_NOT_RUN}\n{error.display()}", "arguments") from None
        except MontyError as error:
            raise self._stopped(error) from None

    def load(self, dump: bytes) -> bool:
        """Continue a program where it was dumped; return whether Monty could read it."""
        self._session = self._opened(None)
        try:
            at = self._session.load_snapshot(dump, print_callback=self._hear)
        except MontyError:
            return False
        self._at = at if isinstance(at, FutureSnapshot) else None
        return self._at is not None

    def resume(self, results: Mapping[int, tuple[bool, Any]]) -> list[AskedCall] | ProgramEnd:
        """Run on with the results of the calls: a value, or the text of an error."""
        assert self._at is not None  # noqa: S101 - it has stopped
        given: dict[int, Any] = {
            number: {"return_value": value}
            if is_right
            else {"exc_type": "RuntimeError", "message": value}
            for number, (is_right, value) in results.items()
        }
        started = perf_counter()
        try:
            reached = self._advanced(self._at.resume(given))
        except MontyError as error:
            raise self._stopped(error) from None
        finally:
            self.spent += perf_counter() - started
        if self.spent > self._limits.seconds:
            raise _beyond("seconds", self._limits.seconds)
        return reached

    def dump(self) -> bytes:
        """Return the program where it stopped."""
        assert self._at is not None  # noqa: S101 - it has stopped
        return self._at.dump()

    def close(self) -> None:
        """End the program, and return its process to the pool."""
        if self._session is not None:
            self._session.__exit__(None, None, None)

    def _opened(self, stubs: str | None) -> MontySession:
        limits = self._limits
        session = _pool(os.getpid(), limits.seconds + _PATIENCE).checkout(
            type_check=stubs is not None,
            type_check_stubs=stubs,
            type_check_format="concise",
            limits={
                "max_feed_duration_secs": limits.seconds,
                "max_memory": limits.memory,
                "max_recursion_depth": limits.depth,
                "max_suspensions": 10 * limits.calls + 1000,
            },
        )
        try:
            return session.__enter__()
        except TimeoutError:
            text = f"{WORKERS} programs run already. Nothing has run; try again later."
            raise ProgramError(text, "deadline") from None

    def _advanced(self, at: Any) -> list[AskedCall] | ProgramEnd:
        """Return the next calls that the program waits for, or its end."""
        asked: list[AskedCall] = []
        while not isinstance(at, MontyComplete):
            if isinstance(at, FutureSnapshot):
                self._at = at
                return asked
            if not isinstance(at, FunctionSnapshot):  # a name that is no variable of the program
                is_known = at.object_id is None and at.variable_name in self._names
                at = at.resume(value=_named(at.variable_name)) if is_known else at.resume()
            elif at.is_os_function:
                at = at.resume_not_handled()
            elif at.object_id is not None or at.function_name not in self._names:
                text = f"name {at.function_name!r} is not defined"
                at = at.resume({"exc_type": "NameError", "message": text})
            elif at.args:
                text = f"{at.function_name}() takes its arguments by name: write name=value"
                at = at.resume({"exc_type": "TypeError", "message": text})
            else:
                self.made += 1
                if self.made > self._limits.calls:
                    raise _beyond("calls", self._limits.calls)
                asked.append(AskedCall(at.call_id, at.function_name, at.kwargs))
                at = at.resume({"future": ...})
        return ProgramEnd(at.output, tuple(each.name for each in asked))

    def _hear(self, _: str, text: str) -> None:
        self.printed += text
        if len(self.printed) > self._limits.output:
            self.printed = self.printed[: self._limits.output]
            self._is_long = True
            raise ValueError("output")  # Monty stops the program

    def _stopped(self, error: MontyError) -> ProgramError:
        """Return what to tell of an exception that the program did not catch."""
        limits, raised = self._limits, error.exception()
        if self._is_long:
            return _beyond("output", limits.output)
        if not isinstance(error, MontyRuntimeError):
            is_late = isinstance(error, MontyCrashedError) and error.timed_out
            return (
                _beyond("seconds", limits.seconds) if is_late else ProgramError(f"{_LOST} {error}")
            )
        if isinstance(raised, TimeoutError) and not error.traceback():  # not the program's own
            return _beyond("seconds", limits.seconds)
        if isinstance(raised, MemoryError):
            return _beyond("memory", limits.memory)
        if isinstance(raised, RecursionError):
            return _beyond("depth", limits.depth)
        return ProgramError(f"The program has failed.\n{error.display()[-_LONGEST:]}")


def _beyond(name: str, limit: float) -> ProgramError:
    text = f"The program was stopped at its limit {name}={limit}."
    return ProgramError(text, "deadline" if name == "seconds" else "raised")


def _mistakes(found: str, code: str, names: Iterable[str]) -> str:
    """Return the feedback for what a type checker found, empty if only warnings are left."""
    lines, told = code.splitlines(), list[str]()
    for number, kind, rule, text in _FOUND.findall(found):
        line = lines[int(number) - 1].strip() if int(number) <= len(lines) else ""
        if rule == "unused-awaitable":
            told.append(f"line {number}: `{line}`: This call is not awaited: write `await`.")
        elif kind == "error":
            unknown = _NAME.fullmatch(text)
            near = near_names(unknown.group(1), names) if unknown else ()
            offer = f" Did you mean {' or '.join(f'`{each}`' for each in near)}?" if near else ""
            told.append(f"line {number}: `{line}`: {text}.{offer}")
    return "\n".join([_NOT_RUN, *told[:_MOST]]) if told else ""


def _named(name: str) -> Callable[[], None]:
    """Return a function with this name: all that Monty takes of it."""

    def called() -> None: ...

    called.__name__ = name
    return called


_FIRST: Final = dict[str, int]()


@lru_cache
def _pool(process: int, seconds: float) -> Monty:
    """Return the pool of this process.

    Raises:
        DefinitionError: this process was forked from one that had a pool: Monty would wait forever.
    """
    if _FIRST.setdefault("process", process) != process:
        reason = "This process was forked from one that had run a program."
        remedy = "Run the first program after the fork, or start the process by `spawn`."
        raise DefinitionError("programs", reason, remedy)
    pool = Monty(
        binary_path=_binary(),
        max_processes=WORKERS,
        checkout_timeout=_PATIENCE,
        request_timeout=seconds,
    )
    return pool.__enter__()


def _binary() -> Path | None:
    """Return Monty's program as its package lists it, `None` to let Monty look for it.

    Monty does not find it in an environment that is built on another one.
    """
    with suppress(PackageNotFoundError):
        listed = [Path(str(each.locate())) for each in files("pydantic-monty-runtime") or ()]
        return next((each for each in listed if each.stem == "monty" and each.is_file()), None)
    return None


_NOT_RUN: Final = "The program was not run, since it has a mistake:"
_LOST: Final = "The sandbox of the program was lost."
_MOST: Final = 16
_LONGEST: Final = 4000
