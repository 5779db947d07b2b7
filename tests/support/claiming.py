"""The work of another process on a store, in a module that a spawned process can import."""

from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier

from pyfunctools import SqliteStore

LATER = 4_000_000_000


def claim_all(path: str, ids: list[str], ready: Barrier, results: "Queue[list[str]]") -> None:
    """Claim every id when all processes have started, and send back the ids that were granted."""
    store = SqliteStore(path, timeout=60)
    ready.wait()
    results.put([each for each in ids if store.claim(each, LATER)])
