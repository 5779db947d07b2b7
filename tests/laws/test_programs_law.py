"""A program that waits ends as it would have without waiting.

Random programs run once with a person who answers at once, and once with one who answers later:
each time some of the calls that stand still, in any order, in another controller or process. The
result, the text, the calls and what was done are the same, and nothing of the person's is in any
ticket, saved turn, text or log. `PYFUNCTOOLS_PROGRAMS` sets how many go through other processes.
"""

import json
import logging
import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

import pytest
from random_programs import NOTE, SECRET, Writer, answer_to, controller_of, in_ticket, resumed

from pyfunctools import Outcome, PendingCall, Waiting

pytest.importorskip("pydantic_monty")

PROGRAMS = int(os.environ.get("PYFUNCTOOLS_PROGRAMS", "30"))


def at_once(pending: PendingCall) -> Any:
    """Return the person's answer as a callable gives it."""
    return answer_to(pending.function.name, pending.arguments["key"])


def approved(pending: PendingCall) -> Any:
    return answer_to(pending.function.name, pending.arguments["key"]) is not False


def answers_to(waiting: Waiting, chance: Random) -> dict[str, Any]:
    """Return the answers to some of the calls, at least one, in any order."""
    pending = list(waiting.pending)
    chance.shuffle(pending)
    made: dict[str, Any] = {}
    for each in pending[: chance.randint(1, len(pending))]:
        answer = answer_to(each.function, each.arguments["key"])
        if isinstance(answer, dict) and each.approval:
            answer = {"human": answer}  # an approval with values
        made[each.call_id] = answer
    return made


def told(outcome: Outcome) -> Any:
    calls = [(each.call_id.partition(".")[2], each.function) for each in outcome.calls]
    return [outcome.text, outcome.reason, outcome.value, calls]


def check_hidden(*texts: str) -> None:
    for text in texts:
        assert SECRET not in text
        assert NOTE not in text


def check(seed: int, folder: Path, resume: Any, caplog: pytest.LogCaptureFixture) -> int:
    """Check one program; return how often it waited."""
    code, chance = Writer(seed).program(), Random(seed)
    arguments = {"code": code}
    options: Any = {"human": at_once, "approve": approved}
    wanted = controller_of(folder, "now").call("run_program", arguments, **options)
    assert wanted.reason in (None, "raised"), wanted.text
    outcome = controller_of(folder, "later").call("run_program", arguments)
    waits = 0
    while outcome.waiting is not None:
        waits += 1
        ticket = str(outcome.waiting.ticket)
        check_hidden(*in_ticket(ticket), repr(outcome), outcome.text)
        assert len(ticket) <= 10_000 or len(code) > 2_000
        answers = answers_to(outcome.waiting, chance)
        outcome = resume(str(folder), ticket, answers, chance.random() < 0.5)
        assert {
            each.call_id for each in (outcome.waiting.pending if outcome.waiting else ())
        }.isdisjoint(answers)
    assert told(outcome) == told(wanted), code
    did = [
        Counter((folder / log).read_text().splitlines() if (folder / log).exists() else [])
        for log in ("now", "later")
    ]
    assert did[0] == did[1], code
    assert max(did[1].values(), default=1) == 1, code
    check_hidden(outcome.text, repr(outcome), caplog.text, json.dumps(outcome.value))
    return waits


@pytest.mark.parametrize("seed", range(5))
def test_a_program_that_waits_ends_as_one_that_does_not(
    seed: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    check(seed, tmp_path, resumed, caplog)


@pytest.mark.slow
def test_so_does_one_that_goes_on_in_other_processes(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    waits = 0
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:

        def elsewhere(*arguments: Any) -> Any:
            return pool.submit(resumed, *arguments).result()

        for seed in range(1000, 1000 + PROGRAMS):
            folder = tmp_path / str(seed)
            folder.mkdir()
            waits += check(seed, folder, elsewhere, caplog)
    assert waits > PROGRAMS
