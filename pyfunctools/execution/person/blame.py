"""Refused arguments: who has to correct them, the model or the person, and what each may read."""

from dataclasses import replace

from pyfunctools._json import JsonValue, members_of
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Outcome, arguments_refused
from pyfunctools.route import Route
from pyfunctools.schema import Failure, Issue
from pyfunctools.schema.ground.issue import side_issue
from pyfunctools.schema.ground.path import value_at


def of_model(function: Function, arguments: JsonValue) -> JsonValue:
    """Return the model's part of the whole arguments."""
    separated = function.separated
    return arguments if separated is None else separated.split(arguments)[0]


def locations_of_person(function: Function, route: Route) -> frozenset[str]:
    """Return the locations of a person's parameters in a request: `path`, `query`, and so on."""
    separated = function.separated
    properties = members_of(separated and separated.shared("human").get("properties"))
    return frozenset(p.location for p in route.parameters if p.argument[0] in properties)


def blamed(function: Function, failure: Failure, human: JsonValue) -> Failure:
    """Return the failure of a merge, with the side `human` for each issue that the person causes.

    The model's part is known to be valid by itself. So if it lacks an object in which the person
    gave a value, the person's value is wrong: `{"card": {"pin": "1"}}` where the model gave no
    `card`. Other contradictions between the two parts are not attributed.
    """
    if all(issue.side == "human" for issue in failure.issues):
        return failure
    attributed = (_attributed(issue, failure.value, human) for issue in failure.issues)
    issues = tuple({(one.path, one.expected): one for one in attributed}.values())
    checked = function.validate(human, "human")
    if checked:
        return replace(failure, issues=issues)
    wrong = {issue.path.keys for issue in checked.issues}
    others = (
        issue
        for issue in issues
        if issue.side != "human" and not any(issue.path.keys[: len(keys)] == keys for keys in wrong)
    )
    return replace(failure, issues=(*others, *checked.issues))


def _attributed(wrong: Issue, llm: JsonValue, human: JsonValue) -> Issue:
    """Return the issue, on the person's side if it is in an object that only the person gave."""
    keys = wrong.path.keys
    for count in range(1, len(keys)):
        outer = keys[:count]
        if value_at(llm, outer) is None and value_at(human, outer) is not None:
            return side_issue("human", outer, "nothing, as the model gave nothing")
    return wrong


def whole_refused(function: Function, failure: Failure) -> Outcome:
    """Return the outcome for invalid arguments of the model and the person together.

    It has none of the person's values; issues with these have the side `human`.
    """
    whole: JsonValue = failure.value
    llm = of_model(function, whole)
    issues = tuple(_without_persons_value(function, each, whole, llm) for each in failure.issues)
    return arguments_refused(function.name, Failure(value=llm, issues=issues))


def _without_persons_value(
    function: Function, issue: Issue, whole: JsonValue, llm: JsonValue
) -> Issue:
    keys, separated = issue.path.keys, function.separated
    # pydantic reports each branch of a union, also the person's part of unintended branches.
    is_persons = separated is not None and separated.owner(keys) == "human"
    value, shown = value_at(whole, keys), value_at(llm, keys)
    # In an array of the model's part, null stands for an item that the person gives.
    is_missing = shown is None or (shown == (None,) and value != (None,))
    if is_persons or (value is not None and is_missing):
        return replace(issue, value=None, side="human")
    return issue if shown is None else replace(issue, value=shown[0])
