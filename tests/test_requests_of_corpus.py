"""Random values for every function of the corpus are valid, and make a request.

With `PYFUNCTOOLS_EXAMPLES` all functions are tried, otherwise a few of each document.
"""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from laws import IS_WHOLE

from pyfunctools._json import JsonObject
from pyfunctools.execution.request.assembly import HttpRequest, build
from pyfunctools.record.function import Function
from pyfunctools.route import Route
from pyfunctools.sources.openapi.reader import read_document
from pyfunctools.testing.fitting import FittingValues

FEW = None if IS_WHOLE else 8
TRIES = 30
FULLNESS = (0.0, 0.5, 1.0)


def functions(shared: Path) -> Iterator[tuple[str, Function]]:
    corpus = shared / "corpus"
    with (corpus / "manifest.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["version"][0] in "23"]
    for row in rows:
        found = read_document(corpus / row["file"]).functions
        chosen = found if FEW is None else Random(row["file"]).sample(found, min(FEW, len(found)))
        yield from ((row["file"], function) for function in chosen)


def requests_of(function: Function) -> Iterator[HttpRequest]:
    """Return the requests of valid values: with no optional ones, with half, with all."""
    for fullness in FULLNESS:
        values = FittingValues(function.parameters, Random(f"{function.name} {fullness}"), fullness)
        for _ in range(TRIES):
            value = values.value()
            if function.validate(value) and (request := sent(function, value)) is not None:
                yield request
                break


def sent(function: Function, value: JsonObject) -> HttpRequest | None:
    assert isinstance(function.origin, Route)
    request = build(function.origin, value, base_url="https://h.example/base")
    return request if isinstance(request, HttpRequest) else None


@pytest.mark.slow
def test_valid_values_of_every_function_make_a_request_with_each_value_in_place(
    shared: Path,
) -> None:
    count: Counter[str] = Counter()
    missed: list[str] = []
    for file, function in functions(shared):
        count["functions"] += 1
        requests = list(requests_of(function))
        if len(requests) < len(FULLNESS):
            missed.append(f"{file} {function.name}: {len(requests)} requests")
        for request in requests:
            check_places(function, request)
    # A few schemas accept nothing: they require a property that they also exclude.
    assert len(missed) <= (0.02 if FEW else 0.005) * count["functions"], missed
    assert count["functions"] > (500 if FEW else 5_400)


def check_places(function: Function, request: HttpRequest) -> None:
    """Check that each value is in its own place."""
    route = function.origin
    assert isinstance(route, Route)
    parts = urlsplit(request.url)
    assert (parts.scheme, parts.netloc, parts.fragment) == ("https", "h.example", "")
    template = route.path.partition("?")[0].partition("#")[0].strip("/")
    if "{" not in template and ":" not in template:
        assert unquote(parts.path.rstrip("/")) == unquote(f"/base/{template}".rstrip("/"))
    assert not {".", ".."} & set(unquote(parts.path).split("/"))
    assert all(ord(" ") < ord(char) < 127 for char in request.url)
    query = [entry for entry in route.parameters if entry.location == "query"]
    if all(entry.style == "form" and entry.explode is False for entry in query):
        names = {entry.name for entry in query} | {name for name, _ in parse_qsl(route.path)}
        found = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
        if "?" not in route.path and not any(e.location == "querystring" for e in route.parameters):
            assert found <= names


@pytest.mark.parametrize("seed", range(3))
def test_the_random_values_vary(seed: int) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    values = FittingValues(schema, Random(seed))
    assert len({str(values.value()) for _ in range(20)}) > 10
