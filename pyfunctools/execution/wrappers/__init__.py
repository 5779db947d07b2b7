"""What runs around a function: wrappers of one protocol, `run(Run) -> Outcome`.

A wrapper gets a `Run`, may change it, passes it to the next one, and may change the outcome that
comes back. The order, from the caller to the function:

    ticketed      what came of a resumed call is recorded for its ticket
    hooks         the program's own code runs before the call, and after it with its outcome
    withholding   what a person or the program gave is masked in the outcome
    values        a person's values are asked for and merged with the model's part
    fixing        the program's values are added, and the whole is validated
    approving     a person sees the whole arguments and approves, edits or declines
    dialog        a remote server asks a person in the middle of the call

A new wrapper is a function here and a row in `_WRAPPERS`. A row returns the wrapper, or `inner`
itself if the call does not need it; a call that needs none is not wrapped.
"""

from collections.abc import Callable
from typing import TypeAlias

from pyfunctools.execution.runner import PersonsPart, Runs
from pyfunctools.execution.wrappers.consent import approving, dialog_with_server
from pyfunctools.execution.wrappers.hooks import hooked, ticketed, withholding
from pyfunctools.execution.wrappers.part import fixing, with_values

Wrap: TypeAlias = Callable[[Runs, PersonsPart], Runs]

_WRAPPERS: tuple[Wrap, ...] = (
    dialog_with_server,
    approving,
    fixing,
    with_values,
    withholding,
    hooked,
    ticketed,
)
"""The innermost first."""


def wrapped(run: Runs, person: PersonsPart) -> Runs:
    """Return the `run` of a runner with all wrappers that a call needs."""
    for wrap in _WRAPPERS:
        run = wrap(run, person)
    return run
