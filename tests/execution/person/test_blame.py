"""Who has to correct refused arguments, and what the model reads of them."""

from typing import Annotated, Any

import pytest
from pydantic import AfterValidator

from pyfunctools import Controller, Function
from pyfunctools import human as of_person
from pyfunctools.execution.person.blame import (
    blamed,
    locations_of_person,
    of_model,
    whole_refused,
)
from pyfunctools.route import Route
from pyfunctools.schema import Failure, Issue, Path

from ..conftest import operation

SECRET = "SECRET-7f3a"
WHOLE = {"id": "1", "query": {"q": SECRET}, "body": {"a": "b", "secret": SECRET}}


def issue(*keys: str) -> Issue:
    path = Path.of(keys)
    return Issue(path=path, expected="another", value=SECRET, message=f"{path} is wrong.")


def test_the_models_part_has_no_values_of_the_person() -> None:
    assert SECRET not in repr(of_model(operation(human=True), WHOLE))
    assert of_model(operation(), WHOLE) is WHOLE


def test_the_locations_of_a_person_are_those_of_their_parameters() -> None:
    for human, places in ((True, {"query", "header"}), (False, set[str]())):
        function = operation(human=human)
        assert isinstance(function.origin, Route)
        assert locations_of_person(function, function.origin) == places


@pytest.mark.parametrize(
    ("human", "value", "issues", "sides", "values"),
    [
        (True, WHOLE, [issue("id"), issue("query", "q")], ["whole", "human"], ["1", None]),
        (True, WHOLE, [issue("body")], ["whole"], [{"a": "b"}]),
        (True, WHOLE, [issue("query", "q")], ["human"], [None]),
        (True, ["a"], [issue("id")], ["whole"], [SECRET]),
        (False, WHOLE, [issue("id")], ["whole"], ["1"]),
    ],
)
def test_an_issue_with_the_persons_values_is_theirs_and_shows_none(
    human: bool, value: Any, issues: list[Issue], sides: list[str], values: list[Any]
) -> None:
    outcome = whole_refused(operation(human=human), Failure(value=value, issues=tuple(issues)))
    assert outcome.reason == "arguments"
    assert [(each.side, each.value) for each in outcome.issues] == list(
        zip(sides, values, strict=True)
    )
    assert "query" not in outcome.text or not human
    is_persons = set(sides) == {"human"}
    assert outcome.text.startswith("The values that a person gave are not accepted.") is is_persons


TEXT = {"type": "string"}
BOTH = {"type": "object", "properties": {"a": TEXT, "b": {**TEXT, "x-human": True}}}
MIXED = Function.from_schema(
    name="f",
    parameters={
        "type": "object",
        "properties": {"one": BOTH, "many": {"type": "array", "items": BOTH}},
    },
)


@pytest.mark.parametrize(
    ("human", "sides"),
    [
        (["x"], {"human"}),
        ({"one": ["x"]}, {"human"}),
        ({"many": {"x": 1}}, {"human"}),
        ({"one": {"b": 7}}, {"human"}),
        ({"many": [{"b": "x"}] * 2}, {"human"}),
        ({"many": [{"b": 7}] * 2}, {"human"}),
        ({"many": [{"b": "x"}] * 2, "one": ["x"]}, {"human"}),
    ],
)
def test_a_failed_merge_is_the_persons_mistake_if_their_own_part_is_wrong(
    human: Any, sides: set[str]
) -> None:
    merged = MIXED.merge(llm={"one": {"a": "x"}, "many": [{"a": "x"}]}, human=human)
    assert isinstance(merged, Failure)
    assert {issue.side for issue in blamed(MIXED, merged, human).issues} == sides


def test_a_model_is_told_in_whole_sentences_that_a_value_is_not_its_to_correct() -> None:
    def refused(_: str) -> str:
        raise ValueError(SECRET)

    def pay(amount: int, pin: Annotated[str, AfterValidator(refused), of_person()]) -> None: ...

    outcome = Controller.from_functions([pay]).call("pay", {"amount": 1}, human={"pin": "1234"})
    told = "The values that a person gave are not accepted. They are not yours to correct."
    assert (outcome.text, outcome.reason) == (f"{told} Nothing has run.", "needs_human")
