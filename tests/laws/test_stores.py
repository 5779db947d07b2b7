"""Stores: an id is claimed once, by many threads and processes, forks, and across a sweep."""

import multiprocessing
import os
import pickle
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dis import get_instructions
from functools import partial
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from claiming import claim_all
from forks import in_a_fork

from pyfunctools import DefinitionError, MemoryStore, SqliteStore, Tickets, TicketStoreError
from pyfunctools.execution.person import stores

IDS = [f"ticket-{n}" for n in range(200)]
LATER = 4_000_000_000
Store = MemoryStore | SqliteStore


class Clock:
    """A clock that is set by hand."""

    def __init__(self, now: float = 1_000_000) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def store_of(kind: str, folder: Path) -> Store:
    return MemoryStore() if kind == "memory" else SqliteStore(folder / "used.sqlite", timeout=60)


KINDS = pytest.mark.parametrize("kind", ["memory", "sqlite"])


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_eight_processes_claim_two_hundred_ids_once_each(tmp_path: Path, start: str) -> None:
    context = multiprocessing.get_context(start)
    ready, results = context.Barrier(8), context.Queue()
    path = str(tmp_path / "used.sqlite")
    processes = [
        context.Process(target=claim_all, args=(path, IDS, ready, results))  # type: ignore[attr-defined]
        for _ in range(8)
    ]
    for process in processes:
        process.start()
    claimed = [each for _ in processes for each in results.get(timeout=300)]
    for process in processes:
        process.join(timeout=300)
    assert sorted(claimed) == sorted(IDS)


@KINDS
def test_eight_threads_claim_two_hundred_ids_once_each(kind: str, tmp_path: Path) -> None:
    store, start, claimed = store_of(kind, tmp_path), threading.Barrier(8), list[str]()

    def claim() -> None:
        start.wait()
        claimed.extend(each for each in IDS if store.claim(each, LATER))

    threads = [threading.Thread(target=claim) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed) == sorted(IDS)


def test_a_store_that_is_opened_later_knows_a_claim(tmp_path: Path) -> None:
    assert store_of("sqlite", tmp_path).claim("one", LATER)
    assert not store_of("sqlite", tmp_path).claim("one", LATER)
    code = f"from pyfunctools import SqliteStore as S; print(S({str(tmp_path / 'used.sqlite')!r})"
    code += f".claim('one', {LATER}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@KINDS
def test_expired_claims_are_removed_by_the_clock_of_the_tickets(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, store = Clock(), store_of(kind, tmp_path)
    Tickets(b"k" * 32, store=store, clock=clock)
    monkeypatch.setattr(stores, "SWEEP", 10)  # expired claims removed with each claim
    for n in range(25):
        assert store.claim(f"old-{n}", 1_000_900)
    clock.now += 10_000
    for n, left in enumerate([16, 7, 3, 4]):
        assert store.claim(f"new-{n}", 1_010_900)
        assert count_of_claims(store) == left


def count_of_claims(store: Store) -> int:
    if isinstance(store, MemoryStore):
        return len(store)
    path = repr(store).partition("'")[2].rpartition("'")[0]
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT id FROM pyfunctools_tickets WHERE id <> ''").fetchall()
    connection.close()
    return len(rows)


@KINDS
@pytest.mark.parametrize("other", [-1e6, 0, 1e6, 1e9], ids="clock{:+.0f}".format)
def test_no_id_is_claimed_twice_by_processes_with_different_clocks(
    kind: str, other: float, tmp_path: Path
) -> None:
    one, two = Clock(2_000_000), Clock(2_000_000 + other)
    first = store_of(kind, tmp_path)
    second = first if kind == "memory" else store_of(kind, tmp_path)
    for store, clock in ((first, one), (second, two)):
        Tickets(b"k" * 32, store=store, clock=clock)
    assert first.claim("first", int(one.now) + 900)
    for n in range(20):
        second.claim(f"other-{n}", int(two.now) + 900)
        two.now += 2000
    assert not claims_again(first, "first", int(one.now) + 900)


def claims_again(store: Store, ticket: str, expires: int) -> bool:
    """Return whether a ticket can be used again; a store that cannot tell raises."""
    try:
        return store.claim(ticket, expires)
    except TicketStoreError as error:
        assert "a clock was ahead" in str(error)  # noqa: PT017
        return False


@KINDS
def test_a_clock_that_was_ahead_does_not_use_up_other_tickets(kind: str, tmp_path: Path) -> None:
    store, ahead = store_of(kind, tmp_path), Clock(time.time() + 864_000)
    Tickets(b"k" * 32, store=store, clock=ahead)
    for n in range(3):
        assert store.claim(f"ahead-{n}", int(ahead.now) + 900)
        ahead.now += 86_400
    assert store.claim("now", int(time.time()) + 900)
    assert not store.claim("now", int(time.time()) + 900)


@KINDS
def test_an_answer_is_kept_with_its_claim(kind: str, tmp_path: Path) -> None:
    clock, store = Clock(), store_of(kind, tmp_path)
    Tickets(b"k" * 32, store=store, clock=clock)
    store.record("never claimed", "x")
    assert store.answer("never claimed") is None
    assert store.claim("one", 1_000_900)
    assert store.answer("one") is None
    store.record("one", "paid")
    assert store.answer("one") == "paid"
    if kind == "sqlite":
        assert store_of(kind, tmp_path).answer("one") == "paid"
        assert pickle.loads(pickle.dumps(store)).answer("one") == "paid"
    clock.now += 10_000
    assert store.claim("two", 1_010_900)
    assert store.answer("one") is None


def test_a_memory_store_keeps_a_bounded_amount_of_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "_MOST_TEXT", 10)
    store = MemoryStore()
    for each in "abc":
        assert store.claim(each, LATER)
        store.record(each, "12345")
    assert [store.answer(each) for each in "abc"] == [None, "12345", "12345"]


def test_an_sqlite_store_works_in_a_fork_beside_its_parent(tmp_path: Path) -> None:
    store = store_of("sqlite", tmp_path)
    assert store.claim("parent", LATER)
    assert in_a_fork(lambda: [store.claim(each, LATER) for each in ("parent", "child")]) == [
        False,
        True,
    ]
    assert not store.claim("child", LATER)
    assert store.claim("later", LATER)


def test_a_memory_store_of_another_process_claims_nothing() -> None:
    store = MemoryStore()

    def claims() -> object:
        try:
            return store.claim("one", LATER)
        except TicketStoreError as error:
            return str(error)

    assert "SqliteStore(path)" in str(in_a_fork(claims))
    assert store.claim("one", LATER)


def test_a_full_store_refuses_new_claims() -> None:
    store = MemoryStore(limit=2)
    assert store.claim("a", LATER)
    assert store.claim("b", LATER)
    with pytest.raises(TicketStoreError, match="2 used tickets"):
        store.claim("c", LATER)
    assert not store.claim("a", LATER)


def lock(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    return connection


def test_a_locked_file_is_an_error_after_the_timeout(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "used.sqlite", timeout=0.05)
    holder = lock(tmp_path / "used.sqlite")
    with pytest.raises(TicketStoreError, match="locked"):
        store.claim("one", LATER)
    holder.close()
    assert store.claim("one", LATER)


def test_a_store_is_closed_after_the_claims_that_run(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "used.sqlite", timeout=60)
    holder = lock(tmp_path / "used.sqlite")
    with ThreadPoolExecutor(2) as threads:
        claimed = threads.submit(store.claim, "one", LATER)
        time.sleep(0.2)  # it waits for the file
        closed = threads.submit(store.close)
        time.sleep(0.2)
        holder.close()
        assert claimed.result()
        closed.result()
    assert not store.claim("one", LATER)


_FORKS = """
import os, sys, threading, time, warnings
from pyfunctools import SqliteStore
warnings.simplefilter("ignore", DeprecationWarning)  # 3.12 warns of forking beside threads
sys.setswitchinterval(1e-6)
kept = [SqliteStore(f"{sys.argv[1]}/{number}") for number in range(5)]

def fork():
    for number in range(20):
        if (child := os.fork()) == 0:
            os._exit(0)
        os.waitpid(child, 0)
        SqliteStore(f"{sys.argv[1]}/{threading.get_ident()}-{number}")

threads = [threading.Thread(target=fork) for _ in range(4)]
for each in threads:
    each.start()
for each in threads:
    each.join()
print([each.claim("one", 4_000_000_000) for each in kept])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on Windows")
def test_several_threads_fork_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _FORKS, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (ran.stdout, ran.stderr) == (f"{[True] * 5}\n", "")


def failed_after_writing(store: SqliteStore) -> None:
    """Let a claim of `one` fail when its row is written, and is read again."""

    def reads_no_claimant(action: int, _: object, column: object, *__: object) -> int:
        is_read = action == sqlite3.SQLITE_READ and column == "claimant"
        return sqlite3.SQLITE_DENY if is_read else sqlite3.SQLITE_OK

    store._connection.set_authorizer(reads_no_claimant)  # a new connection has none
    with pytest.raises(TicketStoreError):
        store.claim("one", LATER)


def test_a_claim_that_failed_after_it_was_written_is_claimed_by_the_next(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "t.db")
    failed_after_writing(store)
    other = SqliteStore(tmp_path / "t.db")
    assert [each.claim("one", LATER) for each in (other, store, store)] == [False, True, False]


def test_after_a_fork_no_process_goes_on_with_such_a_claim(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "t.db")
    failed_after_writing(store)
    assert in_a_fork(lambda: [store.claim("one", LATER)]) == [False]
    assert not store.claim("one", LATER)


@pytest.mark.parametrize("harm", ["gone", "emptied", "damaged", "read-only"])
def test_a_damaged_file_claims_nothing(harm: str, tmp_path: Path) -> None:
    path = tmp_path / "used.sqlite"
    store = SqliteStore(path)
    assert store.claim("one", LATER)
    if harm == "gone":
        path.unlink()
    elif harm == "emptied":
        path.write_bytes(b"")
    elif harm == "damaged":
        path.write_bytes(b"no database at all" * 1000)
    else:
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA writable_schema = on")
        connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON pyfunctools_tickets"
            " BEGIN SELECT RAISE(ABORT, 'no room'); END"
        )
        connection.commit()
        connection.close()
    if harm in ("emptied", "damaged"):  # the log beside the file has the claim, and mends the file
        assert not store.claim("one", LATER)
        store.close()
        assert not store.claim("one", LATER)
        return
    with pytest.raises(TicketStoreError, match="could not be written"):
        store.claim("two", LATER)


@pytest.mark.parametrize(
    "path", ["", ":memory:", b"x", None, 7, "no/such/folder/x.sqlite", "/", "tests/conftest.py"]
)
def test_a_path_that_is_no_database_is_refused(path: object) -> None:
    with pytest.raises(DefinitionError, match="SqliteStore"):
        SqliteStore(path)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["a b.db", "ü?x=1#y%20.db", "file:x", "-x"])
def test_any_file_name_can_be_used(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = SqliteStore(name)
    monkeypatch.chdir("/")
    assert store.claim("one", LATER)
    assert {each.removesuffix("-wal").removesuffix("-shm") for each in os.listdir(tmp_path)} == {
        name
    }


def interrupted(place: int, work: Callable[[], object]) -> bool:
    """Interrupt a function after a call in `_done`, the first by 0; return whether there is one."""
    code, calls = stores.SqlStore._done.__code__, count()  # pyright: ignore[reportPrivateUsage]
    names = {each.offset: each.opname for each in get_instructions(code)}
    last = ""

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal last
        if frame.f_code is not code:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            is_after, last = last.startswith("CALL"), names.get(frame.f_lasti, "")
            if is_after and next(calls) == place:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def test_an_interrupt_leaves_the_store_to_the_other_threads(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "used", timeout=0.5)
    place = 0
    while interrupted(place, partial(store.claim, f"interrupted {place}", LATER)):
        with ThreadPoolExecutor(1) as threads:
            assert threads.submit(store.claim, f"claimed {place}", LATER).result()
        place += 1
    assert place >= 2
