"""For every profile: an applied value is valid and restored, or a loss explains why not."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import ASKED, law
from random_hints import called
from random_schemas import Schemas
from renderings import PROFILES, check_round_trip

from pyfunctools import Controller, DocumentError, Function, SchemaError, function_of
from pyfunctools.schema import normalize

MODES = pytest.mark.parametrize(("name", "strict"), PROFILES.values(), ids=list(PROFILES))
SEEDS = given(seed=st.integers(0, 2**32))
OTHER_NAMES = {"c": "c d", "x_2": "u" * 66, "b": "b.é"}
"""Names that some vendors refuse, as replacements."""


def random_schema(seed: int) -> dict[str, Any]:
    written = Schemas(Random(seed), marks=False).root()
    if seed % 2:
        text = json.dumps(written)
        for name, other in OTHER_NAMES.items():
            text = text.replace(json.dumps(name), json.dumps(other))
        written = json.loads(text)
    definitions = written.pop("$defs", {})
    properties = {"given": written, "other": {"type": "integer"}}
    whole = {"type": "object", "properties": properties, "additionalProperties": False}
    return dict(normalize({**whole, "$defs": definitions}))


@MODES
@law(12, most=400)  # of each dialect
@SEEDS
def test_values_of_random_schemas_make_the_round_trip(name: str, strict: bool, seed: int) -> None:
    try:
        schema = random_schema(seed)
    except SchemaError:  # a circle of bare references
        return
    check_round_trip(schema, name, strict, seed)


@MODES
@law(8, most=400)  # of each dialect
@SEEDS
def test_values_of_random_hints_make_the_round_trip(name: str, strict: bool, seed: int) -> None:
    check_round_trip(dict(function_of(called(Random(seed))).llm), name, strict, seed)


MOST = None if int(ASKED or 0) >= 20_000 else 8
"""Functions of each document: all of them take ten minutes."""


def functions(shared: Path) -> Iterator[Function]:
    for path in sorted((shared / "corpus").glob("v*/*")):
        try:
            controller = Controller.from_openapi(path)
        except DocumentError:  # one that refers to another file
            continue
        yield from islice(controller, MOST)


@pytest.mark.slow
def test_values_of_real_documents_make_the_round_trip(shared: Path) -> None:
    count = 0
    for seed, function in enumerate(functions(shared)):
        for name, strict in PROFILES.values():
            count += check_round_trip(function.llm, name, strict, seed)
    assert count > 10_000


@pytest.mark.slow
def test_strict_and_inlined_renderings_compile_to_a_grammar(shared: Path) -> None:
    """`llguidance` refuses keywords that it cannot enforce; strict schemas should have none."""
    llguidance = pytest.importorskip("llguidance")
    made, refused = 0, dict[str, str]()
    for function in functions(shared):
        for profile, (name, strict) in PROFILES.items():
            rendering = function.render(name, strict=strict)
            if rendering.strict or profile == "inlined":
                made += 1
                grammar = llguidance.LLMatcher.grammar_from_json_schema(
                    json.dumps(rendering.schema)
                )
                if said := llguidance.LLMatcher.validate_grammar(grammar):
                    refused[f"{name} {function.name}"] = said
    assert made > 1_000
    assert len(refused) <= made / 100, refused
