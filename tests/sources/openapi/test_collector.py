"""The garbage collector, asked to wait."""

import gc
from collections.abc import Iterator

import pytest

from pyfunctools.errors import DocumentError
from pyfunctools.sources.openapi.collector import waiting_collector
from pyfunctools.sources.openapi.reader import read


@pytest.fixture(autouse=True)
def switched_on() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_the_collector_waits_and_then_goes_on() -> None:
    with waiting_collector():
        assert not gc.isenabled()
        with waiting_collector():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    with waiting_collector():
        pass
    assert not gc.isenabled()


def test_the_collector_goes_on_whatever_happens() -> None:
    def none(_: object) -> str:
        assert not gc.isenabled()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), waiting_collector():
        none(None)
    assert gc.isenabled()
    document = {"openapi": "3.1.0", "paths": 7}
    with pytest.raises(DocumentError):
        read(document)  # type: ignore[arg-type]
    assert gc.isenabled()
