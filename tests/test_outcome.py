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


def test_an_outcome_is_frozen_and_survives_copies() -> None:
    outcome = Outcome(text="done", value={"a": 1}, status=200, headers={"x": "y"})
    with pytest.raises(FrozenInstanceError):
        outcome.text = "else"  # type: ignore[misc]
    assert copy.deepcopy(outcome) == outcome
    assert pickle.loads(pickle.dumps(outcome)) == outcome
    assert replace(outcome, text="else").value == {"a": 1}
