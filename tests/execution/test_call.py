"""The way of a call up to where it may run."""

import pytest

from pyfunctools import Function, Outcome, PendingCall, Repair
from pyfunctools.execution.call import ReadyCall, prepare
from pyfunctools.schema import Path

PARAMETERS = {
    "type": "object",
    "properties": {
        "amount": {"type": "number"},
        "pin": {"type": "string", "x-human": True},
    },
    "required": ["amount", "pin"],
}


def pay(*, confirm: bool = False) -> Function:
    return Function.from_schema(name="pay", parameters=PARAMETERS, confirm=confirm)


def test_a_right_call_is_ready_with_the_whole_of_its_arguments() -> None:
    ready = prepare(pay(), '{"amount": "2"}', {"pin": "1"}, None)
    assert isinstance(ready, ReadyCall)
    assert ready.arguments == {"amount": 2.0, "pin": "1"}
    mended = Repair(path=Path.of([]), kind="x", before=1, after=2)
    outcome = ready.finished(Outcome(text="done", repairs=(mended,)))
    assert outcome.function == "pay"
    assert [str(repair.path) for repair in outcome.repairs] == ["$input.amount", "$input"]


@pytest.mark.parametrize(
    ("arguments", "human", "is_error", "said"),
    [
        ("{", {"pin": "1"}, True, "amount"),
        ({"amount": "x"}, {"pin": "1"}, True, "number"),
        ({"amount": 1, "pin": "0"}, {"pin": "1"}, True, "pin"),
        ({"amount": 1}, None, False, "A person has to add their part"),
        ({"amount": 1}, {}, True, "not yours to correct"),
        ({"amount": 1}, {"pin": 7}, True, "not yours to correct"),
        ({"amount": 1}, {"amount": 2, "pin": "1"}, True, "not yours to correct"),
    ],
)
def test_a_call_that_may_not_run_says_why(
    arguments: object, human: dict[str, object] | None, is_error: bool, said: str
) -> None:
    outcome = prepare(pay(), arguments, human, None)  # type: ignore[arg-type]
    assert isinstance(outcome, Outcome)
    assert outcome.is_error is is_error
    assert said in outcome.text
    assert outcome.function == "pay"
    assert (outcome.needs_human is not None) is (human is None)


@pytest.mark.parametrize(("answer", "runs"), [(True, True), (False, False), (None, False)])
def test_a_function_that_asks_first_is_ready_only_when_approved(
    answer: bool | None, runs: bool
) -> None:
    asked: list[PendingCall] = []

    def approve(call: PendingCall) -> bool:
        asked.append(call)
        return answer is True

    ready = prepare(
        pay(confirm=True), {"amount": 1}, {"pin": "1"}, None if answer is None else approve
    )
    assert isinstance(ready, ReadyCall) is runs
    assert [call.arguments for call in asked] == [{"amount": 1, "pin": "1"}] * (answer is not None)
