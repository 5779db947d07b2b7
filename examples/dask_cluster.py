"""A method that needs a whole processor, on the workers of a Dask cluster."""

from __future__ import annotations

import dask.config
from distributed import Client, LocalCluster

from pyfunctools import Controller, Human, function


class Numbers:
    """Work for a processor."""

    @function(concurrent=True)
    def primes(self, most: int) -> int:
        """Count the prime numbers up to a number."""
        return sum(all(n % d for d in range(2, int(n**0.5) + 1)) for n in range(2, most + 1))

    @function
    def unlock(self, name: str, code: Human[str]) -> str:
        """Unlock a door."""
        return f"{name} is open"


if __name__ == "__main__":
    # Without this Dask runs a call again whose worker has died in the middle of it.
    dask.config.set({"distributed.scheduler.allowed-failures": 0})
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0")
    with cluster, Client(cluster) as client:
        executor = client.get_executor()  # pyright: ignore[reportUnknownMemberType]
        numbers = Controller.from_object(Numbers()).configured(executor=executor)
        print(*(note.text for note in numbers.notes))  # what a person gives stays here

        calls = [("primes", {"most": 20_000 + n}) for n in range(8)]
        for outcome in numbers.map(calls, concurrency=4):
            print(outcome.text, "primes")
        print(numbers.call("unlock", {"name": "The cellar"}, human={"code": "4711"}).text)
