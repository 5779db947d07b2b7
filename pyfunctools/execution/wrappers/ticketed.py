"""A resumed call: its ticket is used up just before the function begins, and the answer kept."""

from pyfunctools.execution.runner import PersonsPart, Run, Runs, Wrapped
from pyfunctools.record.outcome import Outcome


def ticketed(inner: Runs, person: PersonsPart) -> Runs:
    """Wrap a call that has a ticket."""
    use = person.use
    if use is None:
        return inner

    async def run_once(run: Run) -> Outcome:
        outcome = await inner.run(run._replace(begin=use.claim))
        await use.record(outcome, person.private.text(outcome.text))
        return outcome

    return Wrapped(run_once)
