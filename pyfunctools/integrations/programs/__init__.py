"""Programs that a model wrote: `run_program`, whose calls are the calls of a controller.

programs = shop.programs()
outcome = programs.call("run_program", {"code": "await refund(order=7)"})
outcome = programs.resume(outcome.waiting.ticket, {outcome.waiting.pending[0].call_id: True})

Here is what the model sees; `program_run` runs a program, and keeps it in a ticket while it waits
for a person; `sandbox` is the one file that knows Monty.
"""

import builtins
from dataclasses import replace
from typing import Final

from pyfunctools.controller import Controller
from pyfunctools.controller.searchable import CALL, FIND, RunnableFunction, finder
from pyfunctools.errors import DefinitionError, MissingExtraError, wrong_type
from pyfunctools.execution.runner import Run
from pyfunctools.limits import DEFAULT_LIMITS, ProgramLimits
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Outcome
from pyfunctools.signatures import signatures_of, spelled_names

try:
    from pyfunctools.integrations.programs.program_run import ProgramFunctions, ProgramRun
except ImportError as error:
    raise MissingExtraError("programs", f"{error.name} is not installed.", "programs") from error

__all__ = ["entries_of"]

RUN: Final = "run_program"
MANY: Final = 40
"""With more functions the model finds them first."""
_FOUND: Final = 5
_TAKEN: Final = frozenset({*dir(builtins), "asyncio"})


def entries_of(controller: Controller, limits: ProgramLimits | None) -> list[RunnableFunction]:
    """Return `run_program`, and `find_functions` where there are many, each with its runner."""
    if limits is not None and not isinstance(limits, ProgramLimits):  # pyright: ignore[reportUnnecessaryIsInstance]
        remedy = "Write `limits=ProgramLimits(calls=50)`."
        raise wrong_type("programs(limits)", "a `ProgramLimits`", limits, remedy)
    runner = ProgramRunner(controller, limits or ProgramLimits())
    function = Function.from_schema(
        name=RUN, description=runner.description, parameters=_PARAMETERS, handler=_never
    )
    shown = replace(function, _is_whole=True)  # a model needs all of the description
    return [(shown, runner), *([runner.find] if runner.find else [])]


class ProgramRunner:
    """Runs programs whose calls are those of a controller."""

    limits = DEFAULT_LIMITS
    preview = None

    def __init__(self, controller: Controller, limits: ProgramLimits) -> None:
        self._controller = controller.select()  # to be closed by itself
        self._limits = limits
        names = [each.name for each in controller.functions]
        self.find: RunnableFunction | None = None
        if len(names) <= MANY:
            self.spelled = spelled_names(names, _TAKEN)
            self._functions = ProgramFunctions(controller, self.spelled, limits)
            return
        self.spelled = spelled_names(names, _TAKEN | {FIND, CALL})
        self.find = finder(controller.search, controller.functions, _FOUND, spelled=self.spelled)
        inner = controller.searchable()
        inner._entries[FIND] = self.find  # pyright: ignore[reportPrivateUsage] - other spellings
        names = {**self.spelled, FIND: FIND, CALL: CALL}
        self._functions = ProgramFunctions(inner, names, limits)

    def __reduce__(self) -> tuple[object, ...]:
        return ProgramRunner, (self._controller, self._limits)

    @property
    def description(self) -> str:
        """What the model reads."""
        if self.find is not None:
            return f"{_ABOUT}\n{_FIND_FIRST}"
        said = [f"`{now}` is the function {n}." for now, n in self.spelled.items() if now != n]
        stubs = signatures_of(self._controller.functions, spelled=self.spelled, outputs=True)
        return "\n".join([_ABOUT, *said, "", stubs])

    async def run(self, run: Run) -> Outcome:
        """Run a program, or continue it where it waited."""
        return await ProgramRun(self._functions, run).outcome()

    def may_ask(self, function: Function) -> bool:
        """Return True: a call of the program may wait for a person."""
        return True

    def close(self) -> None:
        """Close what runs the functions."""
        self._controller.select().close()  # a view: the controller itself may be entered again

    async def aclose(self) -> None:
        """Close what runs the functions."""
        await self._controller.select().aclose()


def _never(**_: object) -> None:
    reason = "It was taken out of the controller that runs it."
    raise DefinitionError(RUN, reason, "Write `controller.programs()` as the last step.")


_ABOUT: Final = """\
Run a program in Python that calls functions; you get what it prints and its last value.
Call a function with `await name(argument=value)`, several at once with `await \
asyncio.gather(...)` (no create_task, no return_exceptions). What a call returns is JSON: dict, \
list, str, int, float, bool or None. A call that fails raises RuntimeError, whose text says what \
to do. There are no files, no network, no sleep, no inheritance; of modules asyncio, json, re, \
math, datetime, decimal and a few more."""
_FIND_FIRST: Final = f"""\
Find functions with `{FIND}` first: it returns their signatures. In a program call them by name, \
or `await {CALL}(name=..., arguments={{...}})`, and `await {FIND}(query=...)`."""
_PARAMETERS: Final = {
    "type": "object",
    "properties": {"code": {"type": "string", "description": "The program."}},
    "required": ["code"],
    "additionalProperties": False,
}
