"""Documents with something wrong in them: whatever it is, only our errors come of it.

There are 5,000 mutants in CI, and 1,000 at a desk.
"""

import csv
import json
import resource
import sys
import time
from pathlib import Path
from random import Random

import pytest
from clock import at_most
from laws import IS_WHOLE
from mutants import NEW, OLD, mutate
from watched import watched

from pyfunctools._json import JsonObject
from pyfunctools.errors import PyfunctoolsError
from pyfunctools.record.function import contract_of
from pyfunctools.sources.openapi.load import load
from pyfunctools.sources.openapi.reader import read_document

COUNT = 5_000 if IS_WHOLE else 1_000
SEEDS = range(5)
SECONDS = 2
MEBIBYTES = 512
LARGEST = 60_000
"""Bytes of a real document that is mutated."""


def use(source: object) -> float:
    """Read a document and use all that comes of it; give the seconds."""
    began = time.thread_time()
    try:
        reading = read_document(source)  # type: ignore[arg-type]
    except PyfunctoolsError as error:
        str(error)
        return time.thread_time() - began
    for function in reading.functions:
        try:
            _ = function.parameters, function.output, function.separated
            function.check("{}")
            contract_of(function).validator.compile()
        except PyfunctoolsError as error:
            str(error)
    str(reading.skipped)
    return time.thread_time() - began


def fuzz(documents: list[str], count: int, seed: int) -> None:
    chance = Random(seed)
    with watched() as events:
        for _ in range(count):
            mutant = json.loads(chance.choice(documents))
            for _ in range(chance.choice([1, 1, 2, 3, 8])):
                mutate(mutant, chance)
            before = json.dumps(mutant)
            source = mutant if chance.random() < 0.5 else before
            modules = len(sys.modules)
            events.clear()
            if use(source) >= SECONDS:  # it may have collected the garbage of earlier tests
                with at_most(SECONDS):
                    use(source)
            # What is loaded when it is first needed is read from a file, and run.
            assert not events or len(sys.modules) > modules, (events, before)
            assert json.dumps(mutant) == before


def memory() -> int:
    """The most memory this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_a_mutant_gives_only_our_errors(seed: int) -> None:
    before = memory()
    fuzz([json.dumps(NEW), json.dumps(OLD)], COUNT // len(SEEDS) // 2, seed)
    assert memory() < before + MEBIBYTES


@pytest.fixture(scope="module")
def real(shared: Path) -> list[str]:
    """Real documents that are small: their operations are built for every mutant."""
    corpus = shared / "corpus"
    with (corpus / "manifest.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if int(row["bytes"]) < LARGEST]
    files = [corpus / row["file"] for row in rows if row["version"][0] in "23"]
    return [json.dumps(load(file).root) for file in files]


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_a_mutant_of_a_real_document_gives_only_our_errors(real: list[str], seed: int) -> None:
    before = memory()
    assert len(real) > 100
    fuzz(real, COUNT // len(SEEDS) // 2, seed)
    assert memory() < before + MEBIBYTES


@pytest.mark.parametrize(("document", "count"), [(NEW, 3), (OLD, 2)])
def test_the_documents_that_are_mutated_are_read_whole(document: JsonObject, count: int) -> None:
    reading = read_document(document)
    assert len(reading.functions) == count
    assert all(each.parameters for each in reading.functions)
    odd = {note.text.partition(":")[0] for each in reading.functions for note in each.notes}
    assert odd <= {"`oneOf` is read as `anyOf`"}
