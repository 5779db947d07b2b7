from pyfunctools.execution.sides import of_model, refused
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


def test_the_model_is_told_of_its_own_faults_only() -> None:
    failure = Failure(value=WHOLE, issues=(issue("id"), issue("query", "q")))
    outcome = refused(operation(human=True), failure)
    assert outcome.failure is not None
    assert [one.side for one in outcome.failure.issues] == ["whole", "human"]
    assert outcome.failure.issues[1].value is None
    assert "query" not in outcome.text
    assert (outcome.is_error, outcome.sent) == (True, "no")


def test_what_holds_both_sides_is_shown_as_the_models_part() -> None:
    path = Path.of(("body",))
    both = Issue(path=path, expected="another", value=WHOLE["body"], message="wrong")
    outcome = refused(operation(human=True), Failure(value=WHOLE, issues=(both,)))
    assert outcome.failure is not None
    assert outcome.failure.issues[0].value == {"a": "b"}
    assert SECRET not in repr(outcome)


def test_where_all_faults_are_the_persons_the_model_is_told_so() -> None:
    outcome = refused(operation(human=True), Failure(value=WHOLE, issues=(issue("query", "q"),)))
    assert outcome.text == (
        "What the person gave is not accepted. Nothing has run; this is not yours to correct."
    )
    assert SECRET not in repr(outcome)


def test_arguments_that_are_no_object_have_no_sides() -> None:
    outcome = refused(operation(human=True), Failure(value=["a"], issues=(issue("id"),)))
    assert outcome.failure is not None
    assert outcome.failure.value == ["a"]


def test_without_a_person_every_fault_is_the_models() -> None:
    outcome = refused(operation(), Failure(value=WHOLE, issues=(issue("id"),)))
    assert outcome.failure is not None
    assert [one.value for one in outcome.failure.issues] == ["1"]
