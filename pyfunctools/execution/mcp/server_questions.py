"""Forms and addresses that an MCP server sends to a person, as questions, and the answers.

A call that waits for answers continues with a state, which is plain JSON in the ticket:

    {"state": the server's state, "requests": {key: a form or an address, as it was sent}}

`"again": true` is added if the call has to be made again, without the answers.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final, TypeAlias, cast

from pydantic_core import to_jsonable_python

from pyfunctools._json import JsonObject, JsonValue, items_of, members_of
from pyfunctools._text import shortened, visible
from pyfunctools.execution.mcp.tool_results import MESSAGE_LIMIT, remote_tool_of
from pyfunctools.execution.steps import Answered
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Outcome, ServerWords, Waiting
from pyfunctools.record.question import Kind, Question
from pyfunctools.schema import Path, Validator, coerce
from pyfunctools.schema.separation.predicates import is_secret_of_human
from pyfunctools.schema.separation.shown import without_values

AskHere: TypeAlias = Callable[[Waiting], Awaitable[Answered | Outcome | None]]
"""`ServerDialog.ask`, run where the call was made: on its loop, or in a thread with its context."""

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
            return f"The server asks for {name}, which nobody here can give. Nothing more has run."
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
    messages = " ".join(_message(params) for params in _requests(state).values())
    waiting = Waiting(
        call_id="",
        function=function.name,
        arguments={},
        approval=not questions,
        ticket=None,
        questions=questions,
        server=ServerWords(name=remote_tool_of(function).server, message=messages),
        _state=state,
    )
    quoted = f" The server says: {messages}" if messages else ""
    if questions:
        text = f"A person has to answer the server first.{quoted}"
        return Outcome(text=text, reason="needs_human", waiting=waiting)
    text = f"A person has to approve this call first.{quoted}"
    return Outcome(text=text, reason="needs_approval", waiting=waiting)


async def answers_to(
    function: Function, state: JsonObject, ask: AskHere | None, values: Mapping[str, object]
) -> dict[str, JsonObject] | Outcome:
    """Ask a person each question of a state by itself, and return the server's answers by key.

    After an invalid answer the person is asked again. Without an answer the outcome waits, or has
    the reason. `values` are earlier, invalid answers.
    """
    responses: dict[str, JsonObject] = {}
    for key, params in _requests(state).items():
        one: JsonObject = {**state, "requests": {key: params}}
        question = waiting_outcome(function, one, values)
        while key not in responses:
            assert question.waiting is not None  # noqa: S101 - as `waiting_outcome` returns it
            answer = None if ask is None else await ask(question.waiting)
            if isinstance(answer, Outcome):
                return answer
            if answer is None:
                return waiting_outcome(function, state, values)
            if not has_wrong_answers(answer):
                responses |= responses_of(answer)
                continue
            values = answer.values
            question = waiting_outcome(function, one, values)
    return responses


def has_wrong_answers(answered: Answered) -> bool:
    """Return whether the answers are invalid for the server's forms."""
    problems = _problems(members_of(answered.state), answered.values)
    return bool(answered.accepted) and bool(problems)


def is_declined(state: JsonObject, responses: Mapping[str, JsonObject]) -> bool:
    """Return whether a person declined to open an address that a refused call needs."""
    return {"action": "decline"} in responses.values() and bool(state.get("again"))


def continuation_of(state: JsonObject, responses: Mapping[str, JsonObject]) -> JsonObject:
    """Return the parameters that continue a call: the server's state, and the answers."""
    if state.get("again"):
        return {}
    more: JsonObject = {} if state.get("state") is None else {"requestState": state["state"]}
    return {**more, "inputResponses": {**responses}} if responses else more


def responses_of(answered: Answered) -> dict[str, JsonObject]:
    """Return a person's answers as the server takes them, by the keys of its questions."""
    responses: dict[str, JsonObject] = {}
    state = members_of(answered.state)
    for key, params in _requests(state).items():
        if not answered.accepted:
            responses[key] = {"action": "decline"}
        elif _is_yes_or_no(state, params):
            value = _value(answered.values, _path(key))
            content: JsonObject = {} if params.get("mode") == "url" else {"content": {}}
            action = "accept" if value is True else "decline"
            responses[key] = {"action": action, **(content if value is True else {})}
        else:
            filled = _content(state, key, params, answered.values)
            responses[key] = {"action": "accept", "content": filled}
    return responses


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
        elif _is_yes_or_no(state, params):
            yield Question(path=_path(key), label=_message(params) or key, kind="boolean")
        else:
            listed = _schema(params).get("required")
            required = listed if isinstance(listed, list) else []
            for name, field in _fields(params).items():
                yield _question(name, _path_of(state, key, name), field, name in required)


def _is_yes_or_no(state: JsonObject, params: JsonObject) -> bool:
    """True for an address, and for an empty form that comes together with other questions."""
    return params.get("mode") == "url" or (len(_requests(state)) > 1 and not _fields(params))


def _question(name: str, path: str, field: JsonObject, is_required: bool) -> Question:
    items = field.get("items")
    inner = items if isinstance(items, dict) else field
    options = _options(inner)
    kind: Kind = "text"
    for keyword in ("type", "format"):
        kind = _KINDS.get(str(field.get(keyword))) or kind
    if options:
        kind = "choices" if inner is items else "choice"
    title, is_secret = field.get("title"), is_secret_of_human(Path.of((name,)), field)
    shown = without_values(field) if is_secret else field
    return Question(
        path=path,
        label=visible(title) if isinstance(title, str) else visible(name),
        help=visible(str(field.get("description") or "")),
        kind=kind,
        required=is_required,
        options=tuple(options),
        default=shown.get("default"),
        secret=is_secret,
        schema=shown,
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
    for key, params in _requests(state).items():
        if _is_yes_or_no(state, params):
            if not isinstance(_value(values, _path(key)), bool):
                found[_path(key)] = "true or false"
        else:
            verdict = Validator(_schema(params)).validate(_content(state, key, params, values))
            for issue in () if verdict else verdict.issues:
                name = str(issue.path.keys[0]) if issue.path.keys else ""
                found.setdefault(_path_of(state, key, name), issue.expected)
    return found


def _content(
    state: JsonObject, key: str, params: JsonObject, values: Mapping[str, object]
) -> JsonObject:
    """Return the answers to a form, coerced to its schema."""
    given = {name: _value(values, _path_of(state, key, name)) for name in _fields(params)}
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


def _path_of(state: JsonObject, key: str, name: str) -> str:
    """Return the path of a field's question; a name in several forms is told apart by its form."""
    forms = [params for params in _requests(state).values() if name in _fields(params)]
    return _path(f"{key}.{name}" if len(forms) > 1 else name)


def _path(name: str) -> str:
    return name if name.startswith("$input") else f"$input.{name}"


def _message(params: JsonObject) -> str:
    return shortened(visible(str(params.get("message") or "")), MESSAGE_LIMIT)
