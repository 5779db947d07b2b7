from typing import Any

import pytest

from pyfunctools import Function
from pyfunctools.execution.person.blame import (
    blamed,
    locations_of_person,
    of_model,
    whole_refused,
)
from pyfunctools.route import Route
from pyfunctools.schema import Failure, Issue, Path

from .conftest import operation

SECRET = "SECRET-7f3a"
WHOLE = {"id": "1", "query": {"q": SECRET}, "body": {"a": "b", "secret": SECRET}}


def issue(*keys: str) -> Issue:
    path = Path.of(keys)
    return Issue(path=path, expected="another", value=SECRET, message=f"{path} is wrong.")


def test_the_models_part_has_nothing_of_the_persons() -> None:
    assert SECRET not in repr(of_model(operation(human=True), WHOLE))
    assert of_model(operation(), WHOLE) is WHOLE


def test_a_person_has_places_where_the_schema_gives_them_some() -> None:
    for human, places in ((True, {"query", "header"}), (False, set[str]())):
        function = operation(human=human)
        assert isinstance(function.origin, Route)
        assert locations_of_person(function, function.origin) == places


def test_the_model_is_told_of_its_own_faults_only() -> None:
    failure = Failure(value=WHOLE, issues=(issue("id"), issue("query", "q")))
    outcome = whole_refused(operation(human=True), failure)
    assert outcome.issues
    assert [one.side for one in outcome.issues] == ["whole", "human"]
    assert outcome.issues[1].value is None
    assert "query" not in outcome.text
    assert outcome.reason == "arguments"


def test_what_holds_both_sides_is_shown_as_the_models_part() -> None:
    path = Path.of(("body",))
    both = Issue(path=path, expected="another", value=WHOLE["body"], message="wrong")
    outcome = whole_refused(operation(human=True), Failure(value=WHOLE, issues=(both,)))
    assert outcome.issues
    assert outcome.issues[0].value == {"a": "b"}
    assert SECRET not in repr(outcome)


def test_where_all_faults_are_the_persons_the_model_is_told_so() -> None:
    outcome = whole_refused(
        operation(human=True), Failure(value=WHOLE, issues=(issue("query", "q"),))
    )
    assert outcome.text == (
        "What the person gave is not accepted. Nothing has run; this is not yours to correct."
    )
    assert SECRET not in repr(outcome)


def test_arguments_that_are_no_object_have_no_sides() -> None:
    outcome = whole_refused(operation(human=True), Failure(value=["a"], issues=(issue("id"),)))
    assert [one.side for one in outcome.issues] == ["whole"]
    assert '"a"' in outcome.text


def test_without_a_person_every_fault_is_the_models() -> None:
    outcome = whole_refused(operation(), Failure(value=WHOLE, issues=(issue("id"),)))
    assert outcome.issues
    assert [one.value for one in outcome.issues] == ["1"]


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
def test_what_does_not_go_together_is_the_persons_where_their_own_part_is_wrong(
    human: Any, sides: set[str]
) -> None:
    merged = MIXED.merge(llm={"one": {"a": "x"}, "many": [{"a": "x"}]}, human=human)
    assert isinstance(merged, Failure)
    assert {issue.side for issue in blamed(MIXED, merged, human).issues} == sides
