"""The state of a retry: its count, its text for the model, and its end."""

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass

import pytest

from pyfunctools import (
    Attempts,
    Controller,
    DefinitionError,
    Failure,
    Function,
    Issue,
    Outcome,
    Path,
    Retry,
    Success,
)
from pyfunctools._json import JsonValue

SCHEMA = {
    "type": "object",
    "properties": {
        "count": {"type": "integer", "minimum": 1},
        "name": {"type": "string"},
        "pin": {"type": "string", "x-human": True},
    },
    "required": ["count", "name"],
}


def refuse(count: int, name: str, pin: str = "") -> str:
    if name == "again":
        raise Retry("Use another name.")
    return f"{count} of {name}"


FUNCTION = Function.from_schema(name="buy", parameters=SCHEMA, handler=refuse)


@dataclass
class Call:
    result: Success[JsonValue] | Failure


def test_before_the_first_attempt() -> None:
    attempts = Attempts(FUNCTION)
    assert (attempts.count, attempts.text, attempts.issues, attempts.best) == (0, "", (), None)
    assert not attempts.done
    assert not attempts.succeeded


def test_a_valid_attempt_is_the_last() -> None:
    attempts = Attempts(FUNCTION).after('{"count": "2", "name": "tea"}')
    assert attempts.succeeded
    assert attempts.done
    assert not attempts.given_up
    assert attempts.best == {"count": 2, "name": "tea"}
    assert attempts.text == ""


def test_a_wrong_attempt_has_the_text_to_send_next() -> None:
    attempts = Attempts(FUNCTION).after('{"count": 0, "name": "tea"}')
    failure = FUNCTION.check('{"count": 0, "name": "tea"}')
    assert not failure
    assert attempts.text == failure.feedback()
    assert attempts.issues == failure.issues
    assert attempts.repeated == ()
    assert not attempts.done


def test_only_a_repeated_mistake_is_marked() -> None:
    attempts = Attempts(FUNCTION).after('{"count": 0, "name": "tea"}')
    attempts = attempts.after('{"count": -1, "name": true}')
    assert [issue.path for issue in attempts.repeated] == ["$input.count"]
    assert '"count": -1, // ❌ AGAIN, expected integer, at least 1' in attempts.text
    assert '"name": true // ❌ expected string' in attempts.text
    assert "Mistakes marked AGAIN were described before" in attempts.text


@pytest.mark.parametrize(
    ("texts", "again"),
    [
        (['{"count": 0, "name": "a"}', '{"count": 1}', '{"count": 0, "name": "a"}'], "AGAIN"),
        (['{"count": 1}'] * 2, '"name": undefined // ❌ AGAIN, missing: expected string'),
        (["{'a': @}"] * 2, "- AGAIN: "),
    ],
    ids=["made anew after it was corrected", "a missing property", "a mistake without a line"],
)
def test_every_repeated_mistake_is_marked(texts: list[str], again: str) -> None:
    attempts = Attempts(FUNCTION, limit=5)
    for text in texts:
        assert attempts.repeated == ()
        attempts = attempts.after(text)
    assert len(attempts.repeated) == 1
    assert again in attempts.text


def test_the_third_failure_gives_up_with_the_best_value() -> None:
    attempts = Attempts(FUNCTION)
    for text in ('{"count": 0}', '{"count": 0, "name": "tea"}', '{"count": 0, "nme": "tea"}'):
        assert not attempts.done
        attempts = attempts.after(text)
    assert attempts.given_up
    assert attempts.done
    assert attempts.best == {"count": 0, "name": "tea"}
    assert attempts.closest is not None
    assert len(attempts.closest.issues) == 1
    assert attempts.text.startswith("The function buy was tried 3 times")


@pytest.mark.parametrize(
    ("texts", "best"),
    [
        (["{}", "I cannot"], {}),
        (["I cannot"], "I cannot"),
        (['{"count": 1}', '{"count": 2}'], {"count": 2}),
    ],
    ids=["never one that cannot be parsed", "unless there is no other", "the later of two"],
)
def test_the_best_attempt_is_the_closest(texts: list[str], best: object) -> None:
    attempts = Attempts(FUNCTION)
    for text in texts:
        attempts = attempts.after(text)
    assert attempts.best == best


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_the_limit_is_the_number_of_tries(limit: int) -> None:
    attempts = Attempts(FUNCTION, limit=limit)
    for _ in range(limit):
        assert not attempts.given_up
        attempts = attempts.after("{}")
    assert attempts.given_up
    assert attempts.after('{"count": 1, "name": "a"}').succeeded


def test_a_wrong_function_and_a_limit_below_one_are_refused() -> None:
    with pytest.raises(DefinitionError, match="Write 1 or more"):
        Attempts(FUNCTION, limit=0)
    with pytest.raises(DefinitionError, match="`Function`"):
        Attempts("buy")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "tried",
    [
        '{"count": 0, "name": "a"}',
        b'{"count": 0, "name": "a"}',
        {"count": 0, "name": "a"},
        FUNCTION.check('{"count": 0, "name": "a"}'),
        Call(FUNCTION.check('{"count": 0, "name": "a"}')),
        Controller.from_functions([FUNCTION]).call("buy", '{"count": 0, "name": "a"}'),
    ],
    ids=["text", "bytes", "value", "result", "call", "outcome"],
)
def test_an_attempt_may_be_given_as_arguments_or_as_a_result(tried: str) -> None:
    attempts = Attempts(FUNCTION).after(tried)
    assert [issue.path for issue in attempts.issues] == ["$input.count"]
    assert "expected integer, at least 1" in attempts.text
    again = attempts.after(tried)
    assert [issue.path for issue in again.repeated] == ["$input.count"]
    assert "AGAIN" in again.text
    if not isinstance(tried, Outcome):  # which holds no arguments
        assert again.best == {"count": 0, "name": "a"}


def test_a_call_that_ran_and_failed_has_the_text_of_its_outcome() -> None:
    controller = Controller.from_functions([FUNCTION])
    attempts = Attempts(FUNCTION).after(controller.call("buy", {"count": 1, "name": "again"}))
    assert not attempts.succeeded
    assert attempts.issues == ()
    assert "Use another name." in attempts.text
    attempts = attempts.after(controller.call("buy", {"count": 1, "name": "tea"}))
    assert attempts.succeeded
    assert isinstance(attempts.result, Outcome)
    assert attempts.result.text == "1 of tea"


def test_a_mistake_of_a_person_ends_the_attempts() -> None:
    issue = Issue(path=Path.of(("pin",)), expected="string", value=None, message="", side="human")
    attempts = Attempts(FUNCTION).after(Failure(value={"count": 1}, issues=(issue,)))
    assert attempts.given_up
    assert (
        attempts.text
        == "The values that a person gave are not accepted. They are not yours to correct."
    )


def test_it_is_frozen_and_can_be_copied_and_pickled() -> None:
    attempts = Attempts(Function.from_schema(name="buy", parameters=SCHEMA)).after("{}")
    with pytest.raises(FrozenInstanceError):
        attempts.count = 2  # type: ignore[misc]
    for other in (copy.deepcopy(attempts), pickle.loads(pickle.dumps(attempts))):
        assert other == attempts
        assert other.after("{}").repeated == attempts.after("{}").repeated
