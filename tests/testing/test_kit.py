"""The testing kit: scripts, strategies and the fuzzer; what mistakes in arguments become."""

import csv
import importlib
import json
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import IS_WHOLE, law
from pydantic import BaseModel, Field
from spoiling import SLIPS, Mistake, mistakes, possible_mistakes

from pyfunctools import (
    Context,
    Controller,
    DefinitionError,
    DocumentError,
    Function,
    Human,
    Outcome,
    Retry,
)
from pyfunctools import function as marked
from pyfunctools.sources.openapi.reader import read_document
from pyfunctools.testing import ScriptedModel, ScriptedPerson, arguments, fuzz
from pyfunctools.testing.strategies import fitting


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Item(BaseModel):
    sku: str = Field(pattern=r"^[A-Z]{3}-\d{4}$")
    count: int = Field(ge=1)
    colours: set[Colour] = set()
    parts: list["Item"] = []


class Shop:
    """A shop with one good method, and some that are not."""

    @marked
    def order(self, items: list[Item], pin: Human[str], express_way: bool = False) -> str:
        """Order."""
        return f"{len(items)} {bool(pin)} {express_way}"

    @marked
    def average(self, numbers: list[float]) -> float:
        """Fail on an empty list."""
        return sum(numbers) / len(numbers)

    @marked
    async def promise(self, how: Literal["right", "wrong"]) -> int:
        """Return what was not promised."""
        return 1 if how == "right" else "one"  # type: ignore[return-value]

    @marked(confirm=True)
    def again(self, word: Annotated[str, Field(min_length=2)], who: Context[str | None]) -> str:
        """Want something else, which is no fault."""
        raise Retry(f"Not {word}, {who}.")


SHOP = Controller.from_object(Shop())
ORDER = SHOP["order"]
SPELLING = (
    "Python's words and quotes",
    "trailing comma",
    "keys without quotes",
    "in a fence",
    "with words before",
    "with a comment",
)


@law(50, most=500)
@given(data=st.data())
@pytest.mark.parametrize("side", ["llm", "human", "whole"])
def test_arguments_are_valid(side: Any, data: st.DataObject) -> None:
    assert ORDER.validate(data.draw(arguments(ORDER, side)), side=side)


def test_the_edges_are_among_the_arguments() -> None:
    drawn: list[Any] = []

    @settings(max_examples=200, database=None, derandomize=True)
    @given(value=arguments(SHOP["average"]))
    def draw(value: Any) -> None:
        drawn.append(value)

    draw()
    numbers = [number for value in drawn for number in value["numbers"]]
    assert {"numbers": []} in drawn
    assert min(numbers) < 0
    assert 0 in map(round, numbers)


def test_a_function_without_valid_arguments_is_an_error() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string", "minLength": 3, "maxLength": 2}},
        "required": ["a"],
    }
    never = Function.from_schema(name="never", parameters=schema, handler=lambda a: a)
    (finding,) = fuzz(Controller.from_functions([never]))
    assert (finding.arguments, finding.outcome) == (None, None)
    assert "No valid arguments were found in 50 tries ($input.a:" in finding.text


@pytest.mark.slow
def test_valid_arguments_are_found_for_98_of_100_functions_of_the_corpus(shared: Path) -> None:
    tried, without = 0, list[str]()
    for function in list(corpus(shared))[:: 1 if IS_WHOLE else 8]:
        tried += 1
        try:
            fitting(function, "llm", Random(function.name))
        except DefinitionError as error:
            without.append(f"{error.where}: {error.reason}")
    assert tried > 600
    assert len(without) <= 0.02 * tried, without


def corpus(shared: Path) -> Iterator[Function]:
    with (shared / "corpus" / "manifest.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            try:
                yield from read_document(shared / "corpus" / row["file"]).functions
            except DocumentError:
                continue


@law(200)
@given(mistake=mistakes(ORDER))
def test_a_mistake_is_repaired_or_refused(mistake: Mistake) -> None:
    assert ORDER.validate(mistake.arguments, side="llm")
    checked = ORDER.check(mistake.text)
    if mistake.kind in SPELLING:
        assert checked.value == mistake.arguments, mistake
    if checked:
        assert ORDER.validate(checked.value, side="llm")
    else:
        assert checked.feedback()


def test_every_kind_of_mistake_is_made() -> None:
    value: Any = {
        "items": [{"sku": "ABC-1234", "count": 1, "colours": ["red"]}],
        "expressWay": False,
        "note_text": "hello",
    }
    made = {each.kind: each.text for each in possible_mistakes(Random(1), value)}
    assert made.keys() == SLIPS.keys()
    assert all(text != json.dumps(value) for text in made.values())


def test_fuzz_finds_exceptions_and_invalid_return_values() -> None:
    found = {each.function: each for each in fuzz(SHOP, context="Ada")}
    assert found.keys() == {"average", "promise"}
    assert found["average"].arguments == {"numbers": []}
    assert found["average"].text.startswith("ZeroDivisionError")
    assert found["promise"].arguments == {"how": "wrong"}
    assert isinstance(found["promise"].outcome, Outcome)


def test_fuzz_leaves_out_remote_functions_unless_replaced() -> None:
    document = {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/a/{id}": {"get": {"operationId": "get", "responses": {}}}},
    }
    api = Controller.from_openapi(document, server="http://127.0.0.1:9")
    (name,) = (each.name for each in api)
    assert fuzz(api) == ()
    (finding,) = fuzz(api.replaced({name: KeyError("gone")}))
    assert finding.text == "KeyError: 'gone'"


DIALECTS = ["openai", "deepseek", "openai-responses", "anthropic", "gemini", "bedrock"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_scripted_model_and_person_play_a_whole_loop(dialect: str) -> None:
    item = {"sku": "ABC-1234", "count": 2}
    calls: Any = [("order", f"{{'items': [{item}],"), ("average", {"numbers": [1, 3]}), "So."]
    model = ScriptedModel(calls, ("again", {"word": "tea"}), "Done.", dialect=dialect)
    person = ScriptedPerson(values={"order": {"pin": "4711"}}, approves={"again": False})
    tools = SHOP.tools(dialect)
    messages: list[Any] = []
    texts: list[str] = []
    while True:
        turn = tools.run(model(messages, tools), human=person.give, approve=person.approve)
        messages += turn.messages
        texts += [outcome.text for outcome in turn.outcomes]
        if turn.done:
            break
    assert texts[1:] == ["2.0", "The person declined this call. Nothing has run."]
    assert texts[0] == "1 True False"
    assert [pending.function.name for pending in person.asked] == ["order", "again"]
    assert model.was_sent("express_way")
    assert not model.was_sent("4711")
    with pytest.raises(AssertionError, match="The script has 3 turns"):
        model(messages)


def test_nobody_answers_as_a_dialect_without_models() -> None:
    with pytest.raises(DefinitionError, match="No model responds in 'mcp'"):
        ScriptedModel("Done.", dialect="mcp")


def test_without_hypothesis_a_script_still_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "pyfunctools.testing.strategies")
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    kit = importlib.import_module("pyfunctools.testing")
    monkeypatch.delitem(vars(kit), "fuzz", raising=False)  # which another test has used
    assert kit.ScriptedModel("Done.")()
    with pytest.raises(DefinitionError, match=r"pip install 'pyfunctools-llm\[testing\]'"):
        kit.fuzz(SHOP)
