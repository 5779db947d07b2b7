"""Forms and addresses that an MCP server sends to a person, as questions, and the answers.

A call that waits for answers continues with a state, which is plain JSON in the ticket:

    {"state": the server's state, "requests": {key: a form or an address, as it was sent}}

`"again": true` is added if the call has to be made again, without the answers. What a state asks is
a function whose parameters are all a person's: its questions, their answers and their mistakes are
those of any other function.
"""

from collections.abc import Awaitable, Callable, Mapping
from itertools import chain
from typing import TypeAlias, cast

from pyfunctools._json import JsonObject, JsonSchema, JsonValue, items_of, members_of
from pyfunctools._lazy import Lazy
from pyfunctools._text import shortened, visible
from pyfunctools.errors import DefinitionError
from pyfunctools.execution.mcp.tool_results import MESSAGE_LIMIT, remote_tool_of
from pyfunctools.execution.person.questions import persons_values, questions_for
from pyfunctools.execution.steps import Answered
from pyfunctools.record.contract import Contract
from pyfunctools.record.function import Function, with_contract
from pyfunctools.record.outcome import Outcome, ServerWords, Waiting
from pyfunctools.record.question import Question
from pyfunctools.schema import Issue, Path

AskHere: TypeAlias = Callable[[Waiting], Awaitable[Answered | Outcome | None]]
"""`ServerDialog.ask`, run where the call was made: on its loop, or in a thread with its context."""


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
    try:
        forms = [_Form(function, state, key) for key in _requests(state)]
    except DefinitionError:
        text = "The server asks a person with a form that cannot be read."
        return Outcome(text=text, reason="declined")
    questions = tuple(each for form in forms for each in form.questions(values))
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
            given = responses_of(function, answer)
            if given is not None:
                responses |= given
                continue
            values = answer.values
            question = waiting_outcome(function, one, values)
    return responses


def is_declined(state: JsonObject, responses: Mapping[str, JsonObject]) -> bool:
    """Return whether a person declined to open an address that a refused call needs."""
    return {"action": "decline"} in responses.values() and bool(state.get("again"))


def continuation_of(state: JsonObject, responses: Mapping[str, JsonObject]) -> JsonObject:
    """Return the parameters that continue a call: the server's state, and the answers."""
    if state.get("again"):
        return {}
    more: JsonObject = {} if state.get("state") is None else {"requestState": state["state"]}
    return {**more, "inputResponses": {**responses}} if responses else more


def responses_of(function: Function, answered: Answered) -> dict[str, JsonObject] | None:
    """Return a person's answers as the server takes them, by the keys of its questions.

    The result is `None` if an answer is invalid.
    """
    responses: dict[str, JsonObject] = {}
    state = members_of(answered.state)
    for key in _requests(state):
        content: JsonObject | None = None
        if answered.accepted:
            form = _Form(function, state, key)
            content, issues = form.read(answered.values)
            if issues:
                return None
            if form.is_yes_or_no:
                content = {} if content[key] is True else None
        shown = {} if _requests(state)[key].get("mode") == "url" else {"content": content}
        responses[key] = {"action": "decline"} if content is None else {"action": "accept", **shown}
    return responses


class _Form:
    """One form or address, as a function whose parameters are all a person's.

    An address is a question for yes or no, and so is an empty form beside other questions. Names
    that several forms have stand under the keys of the forms.
    """

    def __init__(self, function: Function, state: JsonObject, key: str) -> None:
        requests = _requests(state)
        params = requests[key]
        schema, message = _schema(params), _message(params)
        is_url, fields = params.get("mode") == "url", _fields(params)
        self.is_yes_or_no = is_url or (len(requests) > 1 and not fields)
        others = (_fields(each) for other, each in requests.items() if other != key)
        self._outer = "" if fields.keys().isdisjoint(chain.from_iterable(others)) else key
        if self.is_yes_or_no:
            address = f" Open {visible(str(params.get('url')))}, and say when it is done."
            label = f"{message}{address if is_url else ''}" or key
            schema = {**_OBJECT, "properties": {key: {"type": "boolean", "title": label}}}
        elif self._outer:
            schema = {**_OBJECT, "properties": {key: {**schema, "title": message}}}
        schema = schema if schema is _schema(params) else {**schema, "required": [key]}
        whole = Contract.from_schemas(function.name, schema, None, _is_theirs, lenient=True)
        self._function = with_contract(function, Lazy.of(whole))

    def questions(self, values: Mapping[str, object]) -> tuple[Question, ...]:
        """Return the questions, with what is wrong with the values."""
        issues = self.read(values)[1] if values else ()
        return questions_for(self._function, {}, self._given(values), issues)

    def read(self, values: Mapping[str, object]) -> tuple[JsonObject, tuple[Issue, ...]]:
        """Return the values as the server takes them, and the issues with them."""
        value = persons_values(self._function, {}, self._given(values))[1]
        checked = self._function.validate(value)
        inner = members_of(value)
        inner = members_of(inner.get(self._outer)) if self._outer else inner
        return inner, () if checked else checked.issues

    def _given(self, values: Mapping[str, object]) -> dict[str, object]:
        """Return the values for this form, by the paths of its questions."""
        asked = {each.path for each in questions_for(self._function, {})}
        by_path = {
            name if name.startswith("$input") else f"$input.{name}": value
            for name, value in values.items()
            if value is not None
        }
        return {path: value for path, value in by_path.items() if path in asked}


def _is_theirs(path: Path, schema: JsonSchema) -> bool:
    return bool(path.keys)


_OBJECT: JsonObject = {"type": "object"}


def _requests(state: JsonObject) -> dict[str, JsonObject]:
    return _objects_in(state.get("requests"))


def _objects_in(value: JsonValue) -> dict[str, JsonObject]:
    """Return the members of an object that are objects."""
    return {name: each for name, each in members_of(value).items() if isinstance(each, dict)}


def _schema(params: JsonObject) -> JsonObject:
    return members_of(params.get("requestedSchema"))


def _fields(params: JsonObject) -> dict[str, JsonObject]:
    return _objects_in(_schema(params).get("properties"))


def _message(params: JsonObject) -> str:
    return shortened(visible(str(params.get("message") or "")), MESSAGE_LIMIT)
