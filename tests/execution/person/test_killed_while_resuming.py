"""Kills at random moments of `resume`: each call runs once, and no text says what is not known.

`PYFUNCTOOLS_KILLS` sets how many processes are killed.
"""

import json
import os
import random
import signal
import threading
import time
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from ran_log import controller_in

from pyfunctools import Controller, MemoryStore, Outcome, SqliteStore

KILLS = int(os.environ.get("PYFUNCTOOLS_KILLS", "20"))
EACH = 8
"""Tickets that a process resumes, until it is killed."""


def controller_of(folder: Path) -> Controller:
    return controller_in(folder, SqliteStore(folder / "used.sqlite", timeout=60))


def resume_all(folder: Path, tickets: list[str], begins: Any) -> None:
    """Resume tickets one after another, and write down what is told."""
    controller = controller_of(folder)
    begins.set()
    for ticket in tickets:
        outcome = controller.resume(ticket, {"pin": "4711-x"})
        assert outcome.ok
        with (folder / "told").open("a") as file:
            file.write(json.dumps([ticket, outcome.text]) + "\n")


def lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


def check(number: int, outcomes: list[Outcome], count: int, *, first: str | None) -> None:
    """Check what two later resumes say of a call that ran `count` times, as the log knows."""
    assert count <= 1, number
    answer = f"paid {number} with ***"
    assert [each.text for each in outcomes[1:]] == [outcomes[0].text] * (len(outcomes) - 1)
    assert first is None or first == outcomes[0].text
    for each in outcomes:
        assert "Nothing has run" not in each.text
        if each.reason == "ticket_used":
            assert "not known" in each.text
        else:
            assert (each.reason, each.text, count) == (None, answer, 1)


@pytest.mark.slow
def test_a_process_that_is_killed_at_any_moment_leaves_one_true_answer(tmp_path: Path) -> None:
    controller, numbers = controller_of(tmp_path), iter(range(10**9))
    chance, context = random.Random(0), get_context("fork")
    unknown = 0
    for _ in range(KILLS):
        mine = [next(numbers) for _ in range(EACH)]
        waiting = [controller.call("pay", {"number": n}).waiting for n in mine]
        tickets = [each.ticket or "" for each in waiting if each is not None]
        begins = context.Event()
        process = context.Process(target=resume_all, args=(tmp_path, tickets, begins))
        process.start()
        assert begins.wait(60)
        time.sleep(chance.uniform(0, 0.01))  # the moment of the kill, not a wait for anything
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join(60)
        told = dict(map(json.loads, lines(tmp_path / "told")))
        done = lines(tmp_path / "ran")
        for n, ticket in zip(mine, tickets, strict=True):
            again = [controller.resume(ticket, {"pin": "4711-x"}) for _ in range(3)]
            unknown += again[0].reason == "ticket_used"
            new = again[0].ok and not again[0].replayed
            count = done.count(str(n)) + new
            told_first = told.get(ticket, "").replace("4711-x", "***") or None
            check(n, again[1:] if new else again, count, first=told_first)
    print(f"{KILLS} kills, {unknown} calls of which it is not known whether they ran")


@pytest.mark.slow
def test_threads_that_resume_at_once_hear_one_true_answer(tmp_path: Path) -> None:
    controller = controller_in(tmp_path, MemoryStore())
    for number in range(KILLS):
        ticket = controller.call("pay", {"number": number}).waiting.ticket
        start, told = threading.Barrier(4), list[Outcome]()

        def resume(ticket: Any = ticket, start: Any = start, told: Any = told) -> None:
            start.wait()
            told.append(controller.resume(ticket, {"pin": "4711-x"}))

        threads = [threading.Thread(target=resume) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert sum(each.ok and not each.replayed for each in told) == 1
        others = [each for each in told if each.replayed or not each.ok]
        for each in others:
            assert each.reason in (None, "ticket_used")
            assert "Nothing has run" not in each.text
        again = [controller.resume(ticket, {"pin": "4711-x"}) for _ in range(2)]
        check(number, again, lines(tmp_path / "ran").count(str(number)), first=None)
