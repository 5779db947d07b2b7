"""The `repr` of a record, at a prompt or in a log: what it is, and never too long."""

from collections.abc import Callable

import pytest

from pyfunctools import (
    Attempts,
    Controller,
    Function,
    Issue,
    Outcome,
    Path,
    Repair,
    Success,
    prompt_of,
)
from pyfunctools import function_of as made

LONG = "x" * 100_000
BOUND = 4_000


def book(day: str, guests: int = 2) -> str:
    """Book a table."""
    return f"{day}, {guests}"


BOOK = made(book)
TABLES = Controller.from_functions([BOOK])
DOCUMENT = Controller.from_openapi(
    {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1", "description": LONG},
        "paths": {"/a": {"get": {"description": LONG, "tags": [LONG], "responses": {}}}},
    }
)


@pytest.mark.parametrize(
    "record",
    [
        lambda: BOOK.check({"day": LONG, LONG: 1}),
        lambda: BOOK.check({"day": LONG}),
        lambda: BOOK.check([LONG] * 100),
        lambda: Attempts(BOOK).after({"day": LONG, "guests": LONG}),
        lambda: TABLES.call("book", {"day": LONG, "guests": LONG}),
        lambda: TABLES.call("book", {"day": LONG}),
        lambda: TABLES.parse_calls({"name": "book", "arguments": {"guests": LONG}})[0],
        lambda: Issue(path=Path.of((LONG,)), expected=LONG, value=LONG, message=LONG),
        lambda: Repair(path=Path.of(()), kind="number", before=LONG, after=LONG),
        lambda: prompt_of([BOOK, *(made_of(n) for n in range(100))]),
        lambda: Controller.from_functions(map(made_of, range(100))).report(),
        lambda: DOCUMENT["a_get"],
        lambda: DOCUMENT["a_get"].origin,
    ],
)
def test_every_repr_is_short(record: Callable[[], object]) -> None:
    assert 20 < len(repr(record())) < BOUND


def made_of(number: int) -> Function:
    return Function.from_schema(name=f"f{number}", description=LONG[:500], parameters={})


def test_the_repr_of_a_short_record_is_complete() -> None:
    assert repr(Success(value={"a": 1})) == "Success(value={'a': 1}, repairs=())"
    assert repr(Repair(path=Path.of(("a",)), kind="number", before="1", after=1)) == (
        "Repair(path='$input.a', kind='number', before='1', after=1)"
    )
    assert repr(BOOK.check({"day": 1, "guests": "x"})) == (
        "Failure(value={'day': '1', 'guests': 'x'}, issues=(Issue(path='$input.guests', "
        "expected='integer', value='x', message='$input.guests is \"x\": expected integer.', "
        "side='llm'),), repairs=(Repair(path='$input.day', kind='string', before=1, after='1'),))"
    )
    assert repr(Outcome(text="done")) == "Outcome(text='done')"


def test_the_repr_of_a_function_has_its_settings_and_its_origin() -> None:
    assert repr(BOOK) == "Function(name='book', description='Book a table.', origin=<book>)"
    quiet = Function.from_schema(name="f", parameters={}, concurrent=False, read_only=False)
    assert repr(quiet) == "Function(name='f', read_only=False, concurrent=False)"
    assert repr(DOCUMENT["a_get"]).endswith("origin=<GET /a>)")
    assert repr(DOCUMENT["a_get"].origin) == "Route(method='GET', path='/a', ...)"


def test_the_reprs_of_a_retry_and_a_report_are_one_line() -> None:
    attempts = Attempts(BOOK).after({"day": "today"})
    assert repr(attempts) == (
        "<Attempts 'book': 1 of 3 tried, result=Success(value={'day': 'today'}, repairs=())>"
    )
    assert repr(TABLES.report()).startswith("<Report: 1 function, 0 skipped; ")
