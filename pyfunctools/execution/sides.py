"""Whose an argument is, where a call is refused after the model's and the person's were merged."""

from dataclasses import replace

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.outcome import Outcome
from pyfunctools.record import Function
from pyfunctools.route import Route
from pyfunctools.schema import Failure, Issue
from pyfunctools.schema.path import at


def of_model(function: Function, arguments: JsonObject) -> JsonValue:
    """Give the model's part of the whole arguments."""
    separated = function.separated
    return arguments if separated is None else separated.split(arguments)[0]


def locations_of_person(function: Function, route: Route) -> frozenset[str]:
    """Give where in a request a person's parameters may stand: `path`, `query`, and so on."""
    human = None if function.separated is None else function.separated.human
    theirs = at(human, ("properties",))
    if theirs is None or not isinstance(theirs[0], dict):
        return frozenset()
    return frozenset(p.location for p in route.parameters if p.argument[0] in theirs[0])


def blamed(function: Function, failure: Failure, human: JsonValue) -> Failure:
    """Give the failure of a merge with the person blamed where their own part is wrong already.

    The model's is known to be right by itself; what does not go together there is not its fault.
    """
    if all(issue.side == "human" for issue in failure.issues):
        return failure
    theirs = function.validate(human, "human")
    if theirs:
        return failure
    wrong = {issue.path.keys for issue in theirs.issues}
    left = (
        issue
        for issue in failure.issues
        if issue.side != "human" and not any(issue.path.keys[: len(keys)] == keys for keys in wrong)
    )
    return replace(failure, issues=(*left, *theirs.issues))


def refused(function: Function, failure: Failure) -> Outcome:
    """Give the outcome for arguments that no request can be made of.

    What a person gave is in neither its text nor its issues. Issues with that have the side
    `human`; if there are no others the model is told that the fault is not its own.
    """
    if not isinstance(failure.value, dict):
        return _outcome(function, failure, failure)
    shown = of_model(function, failure.value)
    issues = tuple(_sided(function, issue, failure.value, shown) for issue in failure.issues)
    models = tuple(issue for issue in issues if issue.side != "human")
    whole = Failure(value=shown, issues=issues)
    return _outcome(function, whole, replace(whole, issues=models) if models else None)


def _sided(function: Function, issue: Issue, whole: JsonValue, shown: JsonValue) -> Issue:
    keys, separated = issue.path.keys, function.separated
    # pydantic tells of each branch of a union, also of the person's parts of those not meant.
    if separated is not None and separated.owner(keys) == "human":
        return replace(issue, value=None, side="human")
    given, left = at(whole, keys), at(shown, keys)
    # In an array the model's part has null where an item is the person's.
    if given is not None and (left is None or (left == (None,) and given != (None,))):
        return replace(issue, value=None, side="human")
    return issue if left is None else replace(issue, value=left[0])


def _outcome(function: Function, failure: Failure, told: Failure | None) -> Outcome:
    return Outcome(
        text=NOT_YOURS if told is None else told.feedback(),
        reason="arguments",
        issues=failure.issues,
        repairs=failure.repairs,
        function=function.name,
    )


NOT_YOURS = "What the person gave is not accepted. Nothing has run; this is not yours to correct."
