"""Whose an argument is, where a call is refused after the model's and the person's were merged."""

from dataclasses import replace

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Outcome
from pyfunctools.route import Route
from pyfunctools.schema import Failure, Issue
from pyfunctools.schema.ground.path import Keys, value_at
from pyfunctools.schema.ground.references import resolve
from pyfunctools.schema.separation.side_values import is_too_deep, side_issue


def of_model(function: Function, arguments: JsonObject) -> JsonValue:
    """Return the model's part of the whole arguments."""
    separated = function.separated
    return arguments if separated is None else separated.split(arguments)[0]


def locations_of_person(function: Function, route: Route) -> frozenset[str]:
    """Return where in a request a person's parameters may stand: `path`, `query`, and so on."""
    human = None if function.separated is None else function.separated.human
    theirs = value_at(human, ("properties",))
    if theirs is None or not isinstance(theirs[0], dict):
        return frozenset()
    return frozenset(p.location for p in route.parameters if p.argument[0] in theirs[0])


def filled_in(function: Function, human: JsonValue) -> tuple[Keys, ...]:
    """Return the declared places in which a person gave something; no name there is theirs."""
    schema = None if function.separated is None else function.separated.human
    if schema is None or is_too_deep(human):
        return ()
    found: list[Keys] = []
    left: list[tuple[Keys, JsonSchema | bool, JsonValue]] = [((), schema, human)]
    for keys, outer, value in left:  # grows while it is read
        whole = resolve(schema, outer)
        declared = whole.get("properties") if isinstance(whole, dict) else None
        inner: list[tuple[Keys, JsonSchema | bool, JsonValue]] = []
        if isinstance(declared, dict) and isinstance(value, dict):
            inner = [
                ((*keys, name), below, value[name])
                for name, below in declared.items()
                if name in value and isinstance(below, dict | bool)
            ]
        left += inner
        if keys and not inner:
            found.append(keys)
    return tuple(found)


def blamed(function: Function, failure: Failure, human: JsonValue) -> Failure:
    """Return the failure of a merge with the person blamed where their own part is wrong already.

    The model's is known to be right by itself. So what is missing of it beside something of the
    person's is theirs too much; what does not go together otherwise is nobody's fault.
    """
    if all(issue.side == "human" for issue in failure.issues):
        return failure
    sided = (_of_person(issue, failure.value, human) for issue in failure.issues)
    issues = tuple({(one.path, one.expected): one for one in sided}.values())
    theirs = function.validate(human, "human")
    if theirs:
        return replace(failure, issues=issues)
    wrong = {issue.path.keys for issue in theirs.issues}
    left = (
        issue
        for issue in issues
        if issue.side != "human" and not any(issue.path.keys[: len(keys)] == keys for keys in wrong)
    )
    return replace(failure, issues=(*left, *theirs.issues))


def _of_person(wrong: Issue, llm: JsonValue, human: JsonValue) -> Issue:
    """Return the issue as the person's where they gave something for what the model left out."""
    keys = wrong.path.keys
    for count in range(1, len(keys)):
        outer = keys[:count]
        if value_at(llm, outer) is None and value_at(human, outer) is not None:
            return side_issue("human", outer, "nothing, as the model gave nothing")
    return wrong


def refused(function: Function, failure: Failure) -> Outcome:
    """Return the outcome for arguments that no request can be made of.

    What a person gave is in neither its text nor its issues. Issues with that have the side
    `human`; if there are no others the model is told that the fault is not its own.
    """
    given: JsonValue = failure.value
    if not isinstance(given, dict):
        return told(function, failure)
    shown = of_model(function, given)
    issues = tuple(_sided(function, issue, given, shown) for issue in failure.issues)
    models = tuple(issue for issue in issues if issue.side != "human")
    whole = Failure(value=shown, issues=issues)
    text = replace(whole, issues=models).feedback() if models else NOT_YOURS
    return _refusal(function, whole, text)


def _sided(function: Function, issue: Issue, whole: JsonValue, shown: JsonValue) -> Issue:
    keys, separated = issue.path.keys, function.separated
    # pydantic tells of each branch of a union, also of the person's parts of those not meant.
    if separated is not None and separated.owner(keys) == "human":
        return replace(issue, value=None, side="human")
    given, left = value_at(whole, keys), value_at(shown, keys)
    # In an array the model's part has null where an item is the person's.
    if given is not None and (left is None or (left == (None,) and given != (None,))):
        return replace(issue, value=None, side="human")
    return issue if left is None else replace(issue, value=left[0])


def told(function: Function, failure: Failure) -> Outcome:
    """Return the outcome for arguments that are refused, all of which a model may be told."""
    return _refusal(function, failure, failure.feedback())


def _refusal(function: Function, failure: Failure, text: str) -> Outcome:
    return Outcome(
        text=text,
        reason="arguments",
        issues=failure.issues,
        repairs=failure.repairs,
        function=function.name,
    )


NOT_YOURS = "What the person gave is not accepted. Nothing has run; this is not yours to correct."
