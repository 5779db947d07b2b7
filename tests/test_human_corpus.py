"""Every function of every real document is separated into two complete schemas."""

from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
from laws import IS_WHOLE
from referring import references

from pyfunctools import Controller, Function
from pyfunctools.errors import DocumentError
from pyfunctools.schema import Validator, separate
from pyfunctools.schema.separation.predicates import is_human_by_default

MOST = 60 if IS_WHOLE else 6
"""Functions of a document that are looked at: a few where a person waits for it."""


def every_third_text() -> Callable[[Any, Any], bool]:
    numbers = count()
    return lambda _, schema: schema.get("type") == "string" and next(numbers) % 3 == 0


def by_default() -> Callable[[Any, Any], bool]:
    return is_human_by_default


def functions(shared: Path) -> Iterator[Function]:
    for path in sorted((shared / "corpus").glob("v*/*")):
        try:
            controller = Controller.from_openapi(path)
        except DocumentError:  # it refers to another file
            continue
        yield from islice(controller, MOST)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [by_default, every_third_text], ids=lambda kind: kind.__name__)
def test_every_function_has_two_sides_that_compile_and_lack_no_definition(
    shared: Path, kind: Callable[[], Callable[[Any, Any], bool]]
) -> None:
    parted = 0
    for function in functions(shared):
        separated = separate(function.parameters, kind())
        parted += separated.human is not None
        for side in (separated.llm, separated.human):
            if side is None or side == function.parameters:
                continue
            definitions = side.get("$defs", {})
            assert isinstance(definitions, dict)
            assert references(side) == {f"#/$defs/{name}" for name in definitions}
            Validator(side).compile()
    assert parted >= (20 if kind is by_default else 200)
