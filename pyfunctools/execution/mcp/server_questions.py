"""Forms and addresses that an MCP server sends to a person, as questions, and the answers.

A call that waits for answers continues with a state, which is plain JSON in the ticket:

    {"state": the server's state, "requests": {key: a form or an address, as it was sent}}

`"again": true` is added if the call has to be made again, without the answers.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final, cast

from pydantic_core import to_jsonable_python

from pyfunctools._json import JsonObject, JsonValue, items_of, members_of
from pyfunctools._text import shortened, visible
from pyfunctools.execution.mcp.tool_results import MESSAGE_LIMIT
from pyfunctools.execution.steps import Answered
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Outcome, Waiting
from pyfunctools.record.question import Kind, Question
from pyfunctools.schema import Validator, coerce

_KINDS: Final[Mapping[str, Kind]] = {
    "boolean": "boolean",
    "date": "date",
    "date-time": "datetime",
    "integer": "integer",
    "number": "number",
}


def state_of_result(result: JsonObject) -> JsonObject | str:
    """Return the state of a call whose result has questions, or why nobody can answer them."""
    requests: dict[str, JsonObject] = {}
    for key, request in members_of(result.get("inputRequests")).items():
        method, params = members_of(request).get("method"), members_of(request).get("params")
        if method != "elicitation/create" or not isinstance(params, dict):
            name = shortened(visible(str(method)), 100)
            return f"The server asks for {name}, which nobody here can give. Nothing has run."
        requests[key] = params
    return {"state": result.get("requestState"), "requests": requests}


def state_of_refusal(data: object) -> JsonObject | None:
    """Return the state of a call that is refused until a person has opened addresses, or `None`.

    `data` belongs to the error of a server of 2025-11-25. The call is made again afterwards.
    """
    listed = members_of(cast("JsonValue", data)).get("elicitations")
    forms = [members_of(each) for each in items_of(listed)]
    urls = [each for each in forms if isinstance(each.get("url"), str)]
    requests = {f"url{n or ''}": {**each, "mode": "url"} for n, each in enumerate(urls)}
    return {"state": None, "requests": requests, "again": True} if requests else None


def state_of_question(params: JsonObject) -> JsonObject:
    """Return the state for one question that an older server asks in the middle of a call."""
    key = "url" if params.get("mode") == "url" else "form"
    return {"state": None, "requests": {key: params}}


def waiting_outcome(function: Function, state: JsonObject, values: Mapping[str, object]) -> Outcome:
    """Return the outcome of a call that waits for answers; `values` are earlier, invalid ones."""
    questions = tuple(_questions(state))
    if values:
        problems = _problems(state, values)
        questions = tuple(replace(each, problem=problems.get(each.path)) for each in questions)
    waiting = Waiting(
        call_id="",
        function=function.name,
        arguments={},
        approval=not questions,
        ticket=None,
        questions=questions,
        _state=state,
    )
    messages = " ".join(_message(params) for params in _requests(state).values())
    quoted = f" The server says: {messages}" if messages else ""
    if questions:
        text = f"A person has to answer the server first.{quoted}"
        return Outcome(text=text, reason="needs_human", waiting=waiting)
    text = f"A person has to approve this call first.{quoted}"
    return Outcome(text=text, reason="needs_approval", waiting=waiting)


def has_wrong_answers(answered: Answered) -> bool:
    """Return whether the answers are invalid for the server's forms."""
    return bool(answered.accepted) and bool(_problems(_state(answered), answered.values))


def is_declined(answered: Answered) -> bool:
    """Return whether a person declined to open an address that a refused call needs."""
    refused = {"action": "decline"} in _responses(answered).values()
    return refused and bool(_state(answered).get("again"))


def continuation_of(answered: Answered) -> JsonObject:
    """Return the parameters that continue a call: the server's state, and the answers."""
    state, responses = _state(answered), _responses(answered)
    if state.get("again"):
        return {}
    more: JsonObject = {} if state.get("state") is None else {"requestState": state["state"]}
    return {**more, "inputResponses": {**responses}} if responses else more


def response_to(answered: Answered) -> JsonObject:
    """Return the answer to the only question of a state."""
    (response,) = _responses(answered).values()
    return response


def _responses(answered: Answered) -> dict[str, JsonObject]:
    responses: dict[str, JsonObject] = {}
    for key, params in _requests(_state(answered)).items():
        if not answered.accepted:
            responses[key] = {"action": "decline"}
        elif params.get("mode") == "url":
            value = _value(answered.values, _path(key))
            responses[key] = {"action": "accept" if value is True else "decline"}
        else:
            responses[key] = {"action": "accept", "content": _content(params, answered.values)}
    return responses


def _state(answered: Answered) -> JsonObject:
    return members_of(answered.state)


def _requests(state: JsonObject) -> dict[str, JsonObject]:
    return _objects_in(state.get("requests"))


def _objects_in(value: JsonValue) -> dict[str, JsonObject]:
    """Return the members of an object that are objects."""
    return {name: each for name, each in members_of(value).items() if isinstance(each, dict)}


def _questions(state: JsonObject) -> Iterator[Question]:
    for key, params in _requests(state).items():
        if params.get("mode") == "url":
            address = visible(str(params.get("url")))
            label = f"{_message(params)} Open {address}, and say when it is done."
            yield Question(path=_path(key), label=label, kind="boolean")
            continue
        required = _schema(params).get("required")
        for name, field in _fields(params).items():
            yield _question(name, field, isinstance(required, list) and name in required)


def _question(name: str, field: JsonObject, is_required: bool) -> Question:
    items = field.get("items")
    inner = items if isinstance(items, dict) else field
    options = _options(inner)
    kind: Kind = "text"
    for keyword in ("type", "format"):
        kind = _KINDS.get(str(field.get(keyword))) or kind
    if options:
        kind = "choices" if inner is items else "choice"
    title = field.get("title")
    return Question(
        path=_path(name),
        label=visible(title) if isinstance(title, str) else visible(name),
        help=visible(str(field.get("description") or "")),
        kind=kind,
        required=is_required,
        options=tuple(options),
        default=field.get("default"),
        schema=field,
    )


def _options(field: JsonObject) -> list[JsonValue]:
    values = field.get("enum")
    if isinstance(values, list):
        return values
    branches = field.get("oneOf") or field.get("anyOf")
    listed = items_of(branches)
    return [each["const"] for each in listed if isinstance(each, dict) and "const" in each]


def _problems(state: JsonObject, values: Mapping[str, object]) -> dict[str, str]:
    """Return the problem with each invalid value, by the path of its question."""
    found: dict[str, str] = {}
    for params in _requests(state).values():
        if params.get("mode") != "url":
            verdict = Validator(_schema(params)).validate(_content(params, values))
            for issue in () if verdict else verdict.issues:
                name = str(issue.path.keys[0]) if issue.path.keys else ""
                found.setdefault(_path(name), issue.expected)
    return found


def _content(params: JsonObject, values: Mapping[str, object]) -> JsonObject:
    """Return the answers to a form, coerced to its schema."""
    given = {name: _value(values, _path(name)) for name in _fields(params)}
    present = {name: value for name, value in given.items() if value is not None}
    return cast("JsonObject", coerce(_schema(params), present).value)


def _value(values: Mapping[str, object], path: str) -> JsonValue:
    """Return a value by the path of its question, or by its name alone."""
    value = values.get(path, values.get(path.removeprefix("$input.")))
    return cast("JsonValue", to_jsonable_python(value))


def _schema(params: JsonObject) -> JsonObject:
    return members_of(params.get("requestedSchema"))


def _fields(params: JsonObject) -> dict[str, JsonObject]:
    return _objects_in(_schema(params).get("properties"))


def _path(name: str) -> str:
    return name if name.startswith("$input") else f"$input.{name}"


def _message(params: JsonObject) -> str:
    return shortened(visible(str(params.get("message") or "")), MESSAGE_LIMIT)
