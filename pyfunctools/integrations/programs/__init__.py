"""Programs that a model wrote: `run_program`, whose calls are the calls of a controller.

programs = shop.programs()
outcome = programs.call("run_program", {"code": "await refund(order=7)"})
outcome = programs.resume(outcome.waiting.ticket, {outcome.waiting.pending[0].call_id: True})

`sandbox` is the one file that knows Monty; `program_run` runs one; `suspended` keeps it in a
ticket while it waits for a person; `program_function` is what the model sees.
"""

from pyfunctools.errors import MissingExtraError

try:
    import pydantic_monty
except ImportError as error:
    raise MissingExtraError("programs", f"{error.name} is not installed.", "programs") from error

del pydantic_monty

from pyfunctools.integrations.programs.program_function import entries_of  # noqa: E402 - after the check

__all__ = ["entries_of"]
