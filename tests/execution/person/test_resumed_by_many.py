"""Many tickets resumed by many threads of several processes: each runs once, killed or not."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pyfunctools import Controller, Human, SqliteStore, Tickets, function

KEY = bytes(range(32))
TICKETS = int(os.environ.get("PYFUNCTOOLS_TICKETS", "200"))

RESUMER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_resumed_by_many import controller_of
folder = Path(sys.argv[2])
controller = controller_of(folder)
tickets = (folder / "tickets").read_text().split()
print("ready", flush=True)
sys.stdin.readline()
with ThreadPoolExecutor(50) as threads:
    reasons = list(threads.map(lambda t: controller.resume(t, {"pin": "4711"}).reason, tickets))
assert set(reasons) <= {None, "ticket_used", "raised"}, set(reasons)
print(reasons.count(None))
"""


class Log:
    """A log of what ran: one line for each, appended at once."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "ran"

    @function
    def pay(self, number: int, pin: Human[str]) -> str:
        """Pay."""
        with self._file.open("a") as file:
            file.write(f"{number}\n")
        return "paid"


def controller_of(folder: Path) -> Controller:
    tickets = Tickets(KEY, store=SqliteStore(folder / "used.sqlite", timeout=60))
    return Controller.from_object(Log(folder)).configured(tickets=tickets)


def started(folder: Path) -> Any:
    command = [sys.executable, "-c", RESUMER, str(Path(__file__).parent), str(folder)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def issued(folder: Path) -> Controller:
    controller = controller_of(folder)
    waiting = [controller.call("pay", {"number": n}).waiting for n in range(TICKETS)]
    (folder / "tickets").write_text("\n".join(each.ticket or "" for each in waiting if each))
    return controller


def ran(folder: Path) -> list[int]:
    log = folder / "ran"
    return sorted(int(line) for line in log.read_text().split()) if log.exists() else []


@pytest.mark.slow
def test_two_processes_of_fifty_threads_run_each_ticket_once(tmp_path: Path) -> None:
    issued(tmp_path)
    processes = [started(tmp_path) for _ in range(2)]
    counts = [int(each.communicate("go\n", timeout=300)[0]) for each in processes]
    assert sum(counts) == TICKETS
    assert ran(tmp_path) == list(range(TICKETS))


@pytest.mark.slow
def test_a_process_that_is_killed_in_the_middle_runs_nothing_twice(tmp_path: Path) -> None:
    controller = issued(tmp_path)
    killed = started(tmp_path)
    killed.stdin.write("go\n")
    killed.stdin.flush()
    while len(ran(tmp_path)) < TICKETS // 10:
        assert killed.poll() is None
    killed.send_signal(signal.SIGKILL)
    killed.stdin.close()
    killed.stdout.close()
    killed.wait(60)
    before = ran(tmp_path)
    assert len(before) < TICKETS
    tickets = (tmp_path / "tickets").read_text().split()
    done = sum(controller.resume(each, {"pin": "4711"}).ok for each in tickets)
    after = ran(tmp_path)
    assert len(after) == len(set(after)) == len(before) + done
    # What was claimed and had not begun when it was killed stays used up.
    assert TICKETS - len(after) <= 50
