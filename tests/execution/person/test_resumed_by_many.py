"""Many tickets resumed by many threads of several processes: each runs once, killed or not."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ran_log import controller_in, ran_in

from pyfunctools import Controller, SqliteStore

KEY = bytes(range(32))
TICKETS = int(os.environ.get("PYFUNCTOOLS_TICKETS", "200"))

RESUMER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
sys.path[:0] = sys.argv[1:3]
from test_resumed_by_many import controller_of
folder = Path(sys.argv[3])
controller = controller_of(folder)
tickets = (folder / "tickets").read_text().split()
print("ready", flush=True)
sys.stdin.readline()
with ThreadPoolExecutor(50) as threads:
    done = list(threads.map(lambda t: controller.resume(t, {"pin": "4711"}), tickets))
reasons = ["again" if each.replayed else each.reason for each in done]
assert set(reasons) <= {None, "again", "ticket_used", "raised"}, set(reasons)
print(reasons.count(None))
"""


def controller_of(folder: Path) -> Controller:
    return controller_in(folder, SqliteStore(folder / "used.sqlite", timeout=60))


def started(folder: Path) -> Any:
    here = Path(__file__).parent
    paths = [str(here), str(here.parents[1] / "support")]
    command = [sys.executable, "-c", RESUMER, *paths, str(folder)]
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


@pytest.mark.slow
def test_two_processes_of_fifty_threads_run_each_ticket_once(tmp_path: Path) -> None:
    issued(tmp_path)
    processes = [started(tmp_path) for _ in range(2)]
    counts = [int(each.communicate("go\n", timeout=300)[0]) for each in processes]
    assert sum(counts) == TICKETS
    assert ran_in(tmp_path) == list(range(TICKETS))


@pytest.mark.slow
def test_a_process_that_is_killed_in_the_middle_runs_nothing_twice(tmp_path: Path) -> None:
    controller = issued(tmp_path)
    killed = started(tmp_path)
    killed.stdin.write("go\n")
    killed.stdin.flush()
    while len(ran_in(tmp_path)) < TICKETS // 10:
        assert killed.poll() is None
    killed.send_signal(signal.SIGKILL)
    killed.stdin.close()
    killed.stdout.close()
    killed.wait(60)
    before = ran_in(tmp_path)
    assert len(before) < TICKETS
    tickets = (tmp_path / "tickets").read_text().split()
    resumed = [controller.resume(each, {"pin": "4711"}) for each in tickets]
    done = sum(each.ok and not each.replayed for each in resumed)
    after = ran_in(tmp_path)
    assert len(after) == len(set(after)) == len(before) + done
    # What was claimed and had not begun when it was killed stays used up.
    assert TICKETS - len(after) <= 50
