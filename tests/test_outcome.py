"""`Outcome`: text for the model, value for the program."""

import copy
import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from pyfunctools import Outcome


def test_an_outcome_needs_only_a_text() -> None:
    outcome = Outcome(text="done")
    assert (outcome.value, outcome.is_error, outcome.failure) == (None, False, None)
    assert (outcome.status, dict(outcome.headers), outcome.sent) == (None, {}, None)
    assert (outcome.repairs, outcome.needs_human, outcome.ticket) == ((), None, None)
    assert outcome.needs_approval is False


def test_an_outcome_is_frozen_and_survives_copies() -> None:
    outcome = Outcome(text="done", value={"a": 1}, status=200, headers={"x": "y"})
    with pytest.raises(FrozenInstanceError):
        outcome.text = "else"  # type: ignore[misc]
    assert copy.deepcopy(outcome) == outcome
    assert pickle.loads(pickle.dumps(outcome)) == outcome
    assert replace(outcome, text="else").value == {"a": 1}


def test_the_repr_tells_what_there_is_and_no_value_header_or_ticket() -> None:
    marker = "SECRET-7f3a"
    outcome = Outcome(
        text="401 Unauthorized",
        value={"token": marker},
        is_error=True,
        headers={"set-cookie": marker, "date": "today"},
        ticket=marker,
        sent="yes",
    )
    assert repr(outcome) == (
        "Outcome(text='401 Unauthorized', value=<dict>, is_error=True, "
        "headers=['date', 'set-cookie'], sent='yes', ticket=<str>)"
    )
    assert repr(Outcome(text="")) == "Outcome(text='')"
