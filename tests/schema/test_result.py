import pickle
from copy import deepcopy

import pytest

from pyfunctools.errors import ArgumentsError, PyfunctoolsError
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.result import Failure, Issue, Repair, Success

ISSUE = Issue(
    path=Path.of(("items", 0, "a/b")),
    expected="integer",
    value="x",
    message='$input.items[0]["a/b"] must be an integer, not the string "x".',
)
FAILURE = Failure(value={"items": [{"a/b": "x"}]}, issues=(ISSUE,))


def test_success_is_truthy_and_failure_is_falsy():
    assert Success(value=None)
    assert Success(value=0)
    assert not FAILURE


def test_unwrap_returns_the_value_or_raises_the_failure():
    assert Success(value=[1]).unwrap() == [1]
    with pytest.raises(ArgumentsError) as caught:
        FAILURE.unwrap()
    assert caught.value.failure is FAILURE
    assert isinstance(caught.value, PyfunctoolsError)
    assert str(caught.value) == FAILURE.feedback()


def test_an_issue_has_its_place_as_a_path_and_as_a_pointer():
    assert ISSUE.path == '$input.items[0]["a/b"]'
    assert ISSUE.pointer == "/items/0/a~1b"
    assert ISSUE.side == "whole"


def test_results_are_frozen_and_compared_by_value():
    assert Success(value=1) == Success(value=1)
    assert deepcopy(FAILURE) == FAILURE
    with pytest.raises(AttributeError):
        FAILURE.value = 1  # pyright: ignore[reportAttributeAccessIssue]


def test_results_can_be_pickled():
    repair = Repair(path=Path.of(("a",)), kind="number", before="1", after=1)
    for result in (FAILURE, Success(value={"a": 1}, repairs=(repair,))):
        assert pickle.loads(pickle.dumps(result)) == result
