"""What an MCP server asks a person in a call: its forms and addresses as questions, and back.

A call that waits for the answers goes on with a state: what the server wants back, and what it has
asked, as it asked it. The state stands in our ticket, and is plain JSON.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final, cast

from pydantic_core import to_jsonable_python

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import shortened, visible
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
_LONGEST: Final = 2_000


def state_of_result(result: JsonObject) -> JsonObject | str:
    """Return the state of a call whose result asks for something, or why it cannot be given."""
    requests: JsonObject = {}
    asked = result.get("inputRequests")
    for key, request in (asked if isinstance(asked, dict) else {}).items():
        method = request.get("method") if isinstance(request, dict) else None
        params = request.get("params") if isinstance(request, dict) else None
        if method != "elicitation/create" or not isinstance(params, dict):
            said = shortened(visible(str(method)), 100)
            return f"The server asks for {said}, which nobody here can give. Nothing has run."
        requests[key] = params
    return {"state": result.get("requestState"), "requests": requests}


def state_of_refusal(data: object) -> JsonObject | None:
    """Return the state of a call that is refused until a person was at addresses, if it is so.

    So servers of 2025-11-25 refuse: the call goes on by being made again. `data` are the error's.
    """
    told = cast("JsonObject", data).get("elicitations") if isinstance(data, dict) else None
    asked = [each for each in (told if isinstance(told, list) else ()) if isinstance(each, dict)]
    urls = [each for each in asked if isinstance(each.get("url"), str)]
    requests = {f"url{n or ''}": {**each, "mode": "url"} for n, each in enumerate(urls)}
    return {"state": None, "requests": requests, "again": True} if requests else None


def state_of_question(params: JsonObject) -> JsonObject:
    """Return the state of a call in the middle of which an older server asks one thing."""
    key = "url" if params.get("mode") == "url" else "form"
    return {"state": None, "requests": {key: params}}


def waiting_of(function: Function, state: JsonObject, values: Mapping[str, object]) -> Outcome:
    """Return the outcome of a call that waits for answers; wrong `values` are told with them."""
    questions = tuple(each for _, each, _ in _questions(state))
    if values:
        wrong = _problems(state, values)
        questions = tuple(replace(each, problem=wrong.get(each.path)) for each in questions)
    waiting = Waiting(
        call_id="",
        function=function.name,
        arguments={},
        approval=not questions,
        ticket=None,
        questions=questions,
        _state=state,
    )
    messages = " ".join(_message(params) for params in _forms(state).values())
    said = f" The server says: {messages}" if messages else ""
    if questions:
        text = f"A person has to answer the server first.{said}"
        return Outcome(text=text, reason="needs_human", waiting=waiting)
    text = f"A person has to approve this call first.{said}"
    return Outcome(text=text, reason="needs_approval", waiting=waiting)


def is_wrong(answered: Answered) -> bool:
    """Return whether the answers are none that the server's forms take."""
    return bool(answered.accepted) and bool(_problems(_state(answered), answered.values))


def is_declined(answered: Answered) -> bool:
    """Return whether a person does not want what a refused call needs."""
    refused = {"action": "decline"} in _responses(answered).values()
    return refused and bool(_state(answered).get("again"))


def params_of(answered: Answered) -> JsonObject:
    """Return with what the call goes on: the state of the server, and the answers."""
    state, responses = _state(answered), _responses(answered)
    if state.get("again"):
        return {}
    more: JsonObject = {} if state.get("state") is None else {"requestState": state["state"]}
    return {**more, "inputResponses": {**responses}} if responses else more


def response_of(answered: Answered) -> JsonObject:
    """Return the answer to the one question of a state."""
    (response,) = _responses(answered).values()
    return response


def _responses(answered: Answered) -> dict[str, JsonObject]:
    responses: dict[str, JsonObject] = {}
    for key, params in _forms(_state(answered)).items():
        if not answered.accepted:
            responses[key] = {"action": "decline"}
        elif params.get("mode") == "url":
            value = _value(answered.values, _path(key))
            responses[key] = {"action": "accept" if value is True else "decline"}
        else:
            responses[key] = {"action": "accept", "content": _content(params, answered.values)}
    return responses


def _state(answered: Answered) -> JsonObject:
    return answered.state if isinstance(answered.state, dict) else {}


def _forms(state: JsonObject) -> dict[str, JsonObject]:
    requests = state.get("requests")
    forms = requests if isinstance(requests, dict) else {}
    return {key: params for key, params in forms.items() if isinstance(params, dict)}


def _questions(state: JsonObject) -> Iterator[tuple[str, Question, JsonValue]]:
    """Yield the questions of a state, each with the name of its answer in the form."""
    for key, params in _forms(state).items():
        if params.get("mode") == "url":
            address = visible(str(params.get("url")))
            label = f"{_message(params)} Open {address}, and say when it is done."
            yield key, Question(path=_path(key), label=label, kind="boolean"), True
            continue
        schema = _schema(params)
        required = schema.get("required")
        for name, field in _fields(schema).items():
            needed = isinstance(required, list) and name in required
            yield name, _question(name, field, needed=needed), field


def _question(name: str, field: JsonObject, *, needed: bool) -> Question:
    items = field.get("items")
    inner = items if isinstance(items, dict) else field
    options = _options(inner)
    kind: Kind = "text"
    for said in (field.get("type"), field.get("format")):
        kind = _KINDS.get(str(said)) or kind
    if options:
        kind = "choices" if inner is items else "choice"
    title = field.get("title")
    return Question(
        path=_path(name),
        label=visible(title) if isinstance(title, str) else visible(name),
        help=visible(str(field.get("description") or "")),
        kind=kind,
        required=needed,
        options=tuple(options),
        default=field.get("default"),
        schema=field,
    )


def _options(field: JsonObject) -> list[JsonValue]:
    listed = field.get("enum")
    if isinstance(listed, list):
        return listed
    branches = field.get("oneOf") or field.get("anyOf")
    each = branches if isinstance(branches, list) else []
    return [one["const"] for one in each if isinstance(one, dict) and "const" in one]


def _problems(state: JsonObject, values: Mapping[str, object]) -> dict[str, str]:
    """Return the mistakes in values, by the paths of the questions."""
    found: dict[str, str] = {}
    for params in _forms(state).values():
        if params.get("mode") != "url":
            checked = Validator(_schema(params)).validate(_content(params, values))
            for issue in () if checked else checked.issues:
                name = str(issue.path.keys[0]) if issue.path.keys else ""
                found.setdefault(_path(name), issue.expected)
    return found


def _content(params: JsonObject, values: Mapping[str, object]) -> JsonObject:
    """Return the answers to a form, as it wants them."""
    schema = _schema(params)
    given = {name: _value(values, _path(name)) for name in _fields(schema)}
    made = coerce(schema, {name: value for name, value in given.items() if value is not None})
    return cast("JsonObject", made.value)


def _value(values: Mapping[str, object], path: str) -> JsonValue:
    """Return a value by the path of its question, or by its name alone."""
    value = values.get(path, values.get(path.removeprefix("$input.")))
    return cast("JsonValue", to_jsonable_python(value))


def _schema(params: JsonObject) -> JsonObject:
    schema = params.get("requestedSchema")
    return schema if isinstance(schema, dict) else {}


def _fields(schema: JsonObject) -> dict[str, JsonObject]:
    properties = schema.get("properties")
    fields = properties if isinstance(properties, dict) else {}
    return {name: field for name, field in fields.items() if isinstance(field, dict)}


def _path(name: str) -> str:
    return name if name.startswith("$input") else f"$input.{name}"


def _message(params: JsonObject) -> str:
    return shortened(visible(str(params.get("message") or "")), _LONGEST)
