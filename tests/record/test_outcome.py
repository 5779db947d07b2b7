"""`Outcome`: text for the model, value for the program, one word to branch on."""

import copy
import pickle
from dataclasses import FrozenInstanceError, replace
from typing import Any, get_args

import pytest

from pyfunctools import (
    CallError,
    DefinitionError,
    File,
    Issue,
    Outcome,
    Path,
    PyfunctoolsError,
    Response,
    Waiting,
)
from pyfunctools.record.outcome import Reason

ISSUE = Issue(path=Path.of(()), expected="integer", value="x", message="wrong")
MARKER = "SECRET-7f3a"


def waiting(ticket: str | None = "t", questions: Any = ()) -> Waiting:
    return Waiting(
        call_id="c1", function="f", arguments={}, approval=True, ticket=ticket, questions=questions
    )


def test_an_outcome_needs_only_a_text() -> None:
    outcome = Outcome(text="done")
    assert (outcome.value, outcome.reason, outcome.function) == (None, None, None)
    assert (outcome.issues, outcome.repairs, outcome.content) == ((), (), ())
    assert (outcome.exception, outcome.response, outcome.waiting) == (None, None, None)
    assert (outcome.ok, outcome.is_error) == (True, False)


@pytest.mark.parametrize("reason", get_args(Reason))
def test_every_reason_but_waiting_is_an_error(reason: Reason) -> None:
    outcome = Outcome(text="no", reason=reason)
    assert outcome.ok is False
    assert outcome.is_error is (reason not in ("needs_human", "needs_approval"))


@pytest.mark.parametrize("reason", ["", "error", "needs-human", True, 1, ["raised"]])
def test_an_unknown_reason_is_an_error_that_lists_the_reasons(reason: Any) -> None:
    with pytest.raises(DefinitionError, match="ticket_foreign"):
        Outcome(text="no", reason=reason)


def test_a_single_file_or_a_list_becomes_a_tuple() -> None:
    file = File(b"1")
    assert Outcome(text="", content=file).content == (file,)  # type: ignore[arg-type]
    assert Outcome(text="", content=[file]).content == (file,)  # type: ignore[arg-type]
    assert Outcome(text="", issues=[]).issues == ()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong", [{"content": ["a.png"]}, {"content": None}, {"issues": ["x"]}, {"repairs": [ISSUE]}]
)
def test_a_value_of_another_type_is_an_error(wrong: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError, match=next(iter(wrong))):
        Outcome(text="", **wrong)


def test_unwrap_returns_the_value_or_raises_with_the_outcome_and_its_cause() -> None:
    assert Outcome(text="1", value=1).unwrap() == 1
    cause = KeyError("x")
    failed = Outcome(text="KeyError: x", function="f", reason="raised", exception=cause)
    with pytest.raises(CallError) as caught:
        failed.unwrap()
    assert isinstance(caught.value, PyfunctoolsError)
    assert caught.value.outcome is failed
    assert caught.value.__cause__ is cause
    assert str(caught.value) == "f: KeyError: x (raised)"
    with pytest.raises(CallError, match="needs_approval"):
        Outcome(text="A person has to", reason="needs_approval", waiting=waiting()).unwrap()


def test_an_outcome_is_frozen_and_survives_copies() -> None:
    response = Response(status=200, headers={"x": "y"}, sent="yes")
    outcome = Outcome(text="done", value={"a": 1}, response=response, waiting=waiting())
    with pytest.raises(FrozenInstanceError):
        outcome.text = "else"  # type: ignore[misc]
    assert copy.deepcopy(outcome) == outcome
    assert pickle.loads(pickle.dumps(outcome)) == outcome
    assert replace(outcome, text="else").value == {"a": 1}
    error = pickle.loads(pickle.dumps(CallError(outcome)))
    assert error.outcome == outcome


def test_the_repr_shows_no_value_header_ticket_or_exception() -> None:
    outcome = Outcome(
        text="401 Unauthorized",
        value={"token": MARKER},
        reason="status",
        exception=ValueError(MARKER),
        response=Response(
            status=401, headers={"set-cookie": MARKER, "date": "today"}, retry_after=2, sent="yes"
        ),
        waiting=waiting(MARKER, {"default": MARKER}),
    )
    assert repr(outcome) == (
        "Outcome(text='401 Unauthorized', value=<dict>, reason='status', "
        "response=Response(status=401, headers=['date', 'set-cookie'], retry_after=2, sent='yes'), "
        "waiting=<Waiting 'f' (call 'c1'): values and an approval>)"
    )
    assert repr(Outcome(text="")) == "Outcome(text='')"
