"""Many calls at once, of which many fail and many are cancelled: none is lost, none made twice."""

from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_nothing_is_lost_or_made_twice_and_memory_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    found = import_module("load").load(calls=2400, cancellations=400, rounds=3)
    assert found["memory last"] - found["memory first"] < 16
    assert found["memory after cancelling"] - found["memory first"] < 16
