"""Programs that a model wrote: `run_program`, whose calls are the calls of a controller.

Here is what the model sees; `program_run` runs a program, and keeps it in a ticket while it waits
for a person; `sandbox` is the one file that knows Monty.
"""

from dataclasses import replace
from typing import Final

from pyfunctools.controller import Controller
from pyfunctools.controller.searchable import CALL, FIND, RunnableFunction
from pyfunctools.errors import DefinitionError, missing_extra, wrong_type
from pyfunctools.limits import ProgramLimits
from pyfunctools.record.function import Function
from pyfunctools.record.param import Param
from pyfunctools.signatures import signatures_of

try:
    from pyfunctools.integrations.programs.program_run import ProgramRunner
except ImportError as error:
    raise missing_extra("programs", "Monty", "pydantic_monty", "programs", error) from error

__all__ = ["entries_of"]

RUN: Final = "run_program"


def entries_of(controller: Controller, limits: ProgramLimits | None) -> list[RunnableFunction]:
    """Return `run_program`, and `find_functions` where there are many, each with its runner."""
    if limits is not None and not isinstance(limits, ProgramLimits):  # pyright: ignore[reportUnnecessaryIsInstance]
        remedy = "Write `limits=ProgramLimits(calls=50)`."
        raise wrong_type("programs(limits)", "a `ProgramLimits`", limits, remedy)
    runner = ProgramRunner(controller, limits or ProgramLimits())
    if runner.find is not None:
        said = f"{_ABOUT}\n{_FIND_FIRST}"
    else:
        other = [f"`{now}` is the function {n}." for now, n in runner.names.items() if now != n]
        stubs = signatures_of(controller.functions, spelled=runner.names, outputs=True)
        said = "\n".join([_ABOUT, *other, "", stubs])
    params = [Param("code", "string", "The program.")]
    function = Function.from_schema(name=RUN, description=said, parameters=params, handler=_never)
    shown = replace(function, _is_whole=True)  # a model needs all of the description
    return [(shown, runner), *([runner.find] if runner.find else [])]


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
