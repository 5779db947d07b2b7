"""The outcome without what a person, or the program as a secret, gave in the call."""

from pyfunctools.execution.runner import PersonsPart, Run, Runs, Wrapped
from pyfunctools.execution.trace import MASKED
from pyfunctools.record.outcome import Outcome


def withholding(inner: Runs, person: PersonsPart) -> Runs:
    """Wrap a call in which a person or the program gives a value."""

    async def run_masked(run: Run) -> Outcome:
        token = MASKED.set(person.private.text)
        try:
            outcome = await inner.run(run.telling(person.private.masked))
        finally:
            MASKED.reset(token)
        return person.private.masked(outcome)

    return Wrapped(run_masked)
