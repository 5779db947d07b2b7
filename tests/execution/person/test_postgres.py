"""`PostgresStore`: a ticket runs once on many machines, and a second resume hears the truth."""

import base64
import os
import pickle
import random
import signal
import subprocess
import sys
import time
import urllib.parse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from postgres import Server, postgres_server
from ran_log import controller_in

from pyfunctools import Controller, PostgresStore, TicketStoreError

psycopg = pytest.importorskip("psycopg")
pytestmark = pytest.mark.slow
TICKETS = int(os.environ.get("PYFUNCTOOLS_TICKETS", "300"))
PIN = "4711-CANARY-öß"

RESUMER = """
import random, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
sys.path[:0] = sys.argv[1:3]
from test_postgres import PIN, controller_of
folder, dsn = Path(sys.argv[3]), sys.argv[4]
controller = controller_of(folder, dsn)
tickets = (folder / "tickets").read_text().split()
random.shuffle(tickets)

def resumed(ticket):
    outcome = controller.resume(ticket, {"pin": PIN})
    while outcome.reason == "raised":  # the server is away: the ticket stays good
        outcome = controller.resume(ticket, {"pin": PIN})
    return f"{'again' if outcome.replayed else outcome.reason or 'ran'}"

with ThreadPoolExecutor(4) as threads:
    for said in threads.map(resumed, tickets):
        print(said, flush=True)
"""


def controller_of(folder: Path, dsn: str) -> Controller:
    return controller_in(folder, PostgresStore(dsn, timeout=20))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with postgres_server() as running:
        yield running


def test_an_id_is_claimed_once_and_its_answer_is_kept(server: Server) -> None:
    store, expires = PostgresStore(server.dsn), int(time.time()) + 900
    assert [store.claim("one", expires), store.claim("one", expires)] == [True, False]
    assert store.answer("one") is None
    store.record("one", "an answer\0")
    store.record("two", "of an id that nobody claimed")
    assert store.answer("one") == "an answer\N{REPLACEMENT CHARACTER}"
    assert store.answer("two") is None
    assert server.dsn not in repr(store)
    other = pickle.loads(pickle.dumps(store))
    assert not other.claim("one", expires)
    store.close()
    other.close()


def test_the_options_of_the_dsn_are_kept(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with psycopg.connect(server.dsn, autocommit=True) as session:
        session.execute("CREATE SCHEMA app; CREATE SCHEMA other")
        claims = [
            "SELECT id FROM app.pyfunctools_tickets",
            "SELECT id FROM other.pyfunctools_tickets",
        ]
        expires = int(time.time()) + 900
        assert PostgresStore(f"{server.dsn} options='-c search_path=app'").claim("mine", expires)
        monkeypatch.setenv("PGOPTIONS", "-c search_path=other")
        assert PostgresStore(server.dsn).claim("mine", expires)
        assert [session.execute(each).fetchall() for each in claims] == [[("mine",)]] * 2


def test_no_statement_is_prepared_which_behind_a_pool_may_be_anothers(server: Server) -> None:
    store, expires = PostgresStore(server.dsn), int(time.time()) + 900
    assert all(store.claim(f"claim {number}", expires) for number in range(10))
    prepared = "SELECT count(*) FROM pg_prepared_statements"
    assert store._execute(prepared).fetchone() == (0,)  # pyright: ignore[reportPrivateUsage]
    store.close()


def test_a_server_that_is_away_leaves_the_ticket_good(server: Server, tmp_path: Path) -> None:
    controller = controller_of(tmp_path, server.dsn)
    ticket = controller.call("pay", {"number": 1}).waiting.ticket
    server.stop("immediate")
    try:
        refused = controller.resume(ticket, {"pin": PIN})
        assert (refused.reason, "still waits" in refused.text) == ("raised", True)
        with pytest.raises(TicketStoreError, match=r"PostgresStore.*OperationalError"):
            PostgresStore(server.dsn, timeout=1).claim("x", int(time.time()))
    finally:
        server.start()
    assert controller.resume(ticket, {"pin": PIN}).ok
    again = controller.resume(ticket, {"pin": PIN})
    assert (again.replayed, again.text) == (True, "paid 1 with ***")


def test_a_table_that_is_gone_has_lost_the_claims(server: Server) -> None:
    store, expires = PostgresStore(server.dsn), int(time.time()) + 900
    assert store.claim("dropped", expires)
    with psycopg.connect(server.dsn, autocommit=True) as session:
        session.execute("DROP TABLE pyfunctools_tickets")
    for _ in range(2):
        with pytest.raises(TicketStoreError, match="UndefinedTable"):
            store.claim("dropped", expires)
    store.close()
    assert PostgresStore(server.dsn).claim("another", expires)


def test_old_claims_are_forgotten_and_their_tickets_refused(server: Server) -> None:
    store, expires = PostgresStore(server.dsn), int(time.time()) - 7200
    assert store.claim("old", expires + 7200)
    assert store.claim("older", expires)
    assert store.claim("next", expires + 7200)
    with pytest.raises(TicketStoreError, match="cannot tell"):
        store.claim("older", expires)
    store.close()


def test_four_processes_of_four_threads_killed_and_the_server_restarted(
    server: Server, tmp_path: Path
) -> None:
    issuer = controller_of(tmp_path, server.dsn)
    waiting = [issuer.call("pay", {"number": n}).waiting for n in range(TICKETS)]
    (tmp_path / "tickets").write_text("\n".join(each.ticket for each in waiting))
    chance = random.Random(7)

    def started() -> "subprocess.Popen[str]":
        paths = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "support")]
        command = [sys.executable, "-c", RESUMER, *paths, str(tmp_path), server.dsn]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def read(process: Any, lines: int) -> list[str]:
        return [line.strip() for line in (process.stdout.readline() for _ in range(lines)) if line]

    processes = [started() for _ in range(4)]
    heard: Counter[str] = Counter()
    for place in range(3):  # killed in the middle, each replaced by another
        heard.update(read(processes[place], chance.randrange(1, TICKETS // 4)))
        processes[place].send_signal(signal.SIGKILL)
        processes[place].communicate()
        processes[place] = started()
        if place == 1:
            server.stop("immediate")
            server.start()
    for process in processes:
        said, _ = process.communicate(timeout=300)
        assert process.returncode == 0
        heard.update(said.split())
    ran = [int(line) for line in (tmp_path / "ran").read_text().split()]
    assert len(ran) == len(set(ran))
    assert set(heard) <= {"ran", "again", "ticket_used"}, heard
    final = [issuer.resume(each.ticket, {"pin": PIN}) for each in waiting]
    for number, outcome in enumerate(final):
        if outcome.replayed:  # the same answer, without the value
            assert outcome.text == f"paid {number} with ***"
            assert number in ran
        else:  # claimed by a process that was killed: nobody says that nothing has run
            assert outcome.reason == "ticket_used"
            assert "not known" in outcome.text
    assert sum(not each.replayed for each in final) <= 3 * 4
    dumped = server.dump()
    for form in (PIN, base64.b64encode(PIN.encode()).decode(), PIN.encode().hex()):
        assert form not in dumped
    assert urllib.parse.quote(PIN) not in dumped
    assert "CANARY" not in dumped
