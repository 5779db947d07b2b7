"""What an MCP server asks a person, forms and addresses, as questions, and the answers.

A call that waits for answers continues with a state, which is plain JSON in the ticket:

    {"state": the server's state, "requests": {key: a form or an address, as it was sent}}

`"again": true` is added if the call has to be made again, without the answers. What a state asks is
a function whose parameters are all a person's: its questions, their answers and their mistakes are
those of any other function, in the order and by the names of the form.

Until 2025-11-25 a server asks in a separate request (`elicitation/create`), which does not name the
call. So a call for which somebody can answer runs alone. Calls for which nobody can answer run at
the same time; their questions are cancelled.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final, TypeAlias, cast

from mcp.shared.exceptions import MCPError
from mcp_types import URL_ELICITATION_REQUIRED, ElicitRequestParams, ElicitResult

from pyfunctools._json import JsonObject, JsonValue, items_of, members_of
from pyfunctools._lazy import Lazy
from pyfunctools._text import shortened, visible
from pyfunctools.errors import DefinitionError
from pyfunctools.execution.mcp.tool_results import MESSAGE_LIMIT, remote_tool_of
from pyfunctools.execution.person.answers import path_of
from pyfunctools.execution.person.questions import persons_values, questions_for
from pyfunctools.execution.steps import Answered
from pyfunctools.record.contract import Contract
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Outcome, Question, Reason, ServerWords, Waiting
from pyfunctools.schema import Issue, Path
from pyfunctools.schema.ground.path import parse_path

AskHere: TypeAlias = Callable[[Waiting], Awaitable[Answered | Outcome | None]]
"""`ServerDialog.ask`, run where the call was made: on its loop, or in a thread with its context."""


def state_of_result(result: JsonObject) -> JsonObject | Outcome:
    """Return the state of a call whose result has questions, which nobody may be able to answer."""
    requests: dict[str, JsonObject] = {}
    for key, request in members_of(result.get("inputRequests")).items():
        method, params = members_of(request).get("method"), members_of(request).get("params")
        if method != "elicitation/create" or not isinstance(params, dict):
            name = shortened(visible(str(method)), 100)
            text = f"The server asks for {name}, which nobody here can give. Nothing more has run."
            return Outcome(text=text, reason="declined")
        requests[key] = params
    return {"state": result.get("requestState"), "requests": requests}


def state_of_refusal(error: Exception) -> JsonObject | None:
    """Return the state of a call that is refused until a person has opened addresses, or `None`.

    So does a server of 2025-11-25. The call is made again afterwards.
    """
    if not isinstance(error, MCPError) or error.code != URL_ELICITATION_REQUIRED:
        return None
    listed = members_of(cast("JsonValue", error.data)).get("elicitations")
    forms = [members_of(each) for each in items_of(listed)]
    urls = [each for each in forms if isinstance(each.get("url"), str)]
    requests = {f"url{n or ''}": {**each, "mode": "url"} for n, each in enumerate(urls)}
    return {"state": None, "requests": requests, "again": True} if requests else None


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
        function=function.name,
        approval=not questions,
        questions=questions,
        server=ServerWords(name=remote_tool_of(function).server, message=messages),
        _state=state,
    )
    wanted = "answer the server" if questions else "approve this call"
    text = f"A person has to {wanted} first."
    reason: Reason = "needs_human" if questions else "needs_approval"
    return Outcome(text=text, reason=reason, waiting=waiting)


async def answers_to(
    function: Function, state: JsonObject, ask: AskHere | None, values: Mapping[str, object]
) -> dict[str, JsonObject] | Outcome:
    """Ask a person each question of a state by itself, and return the server's answers by key.

    After an invalid answer, as `values` are, the person is asked again; without one the call waits.
    """
    responses: dict[str, JsonObject] = {}
    for key, params in _requests(state).items():
        one: JsonObject = {**state, "requests": {key: params}}
        while key not in responses:
            question = waiting_outcome(function, one, values)
            if question.waiting is None:  # the form cannot be read
                return question
            answer = None if ask is None else await ask(question.waiting)
            if isinstance(answer, Outcome):
                return answer
            if answer is None:
                return waiting_outcome(function, state, values)
            if given := responses_of(function, answer):
                responses |= given
            else:
                values = answer.values
    return responses


def continuation_of(
    state: JsonObject, responses: Mapping[str, JsonObject] | Outcome
) -> JsonObject | Outcome:
    """Return the parameters that continue a call: the server's state, and the answers."""
    if isinstance(responses, Outcome):
        return responses
    if state.get("again"):
        # A person declined to open an address that a refused call needs.
        is_declined = {"action": "decline"} in responses.values()
        return Outcome(text=_DECLINED, reason="declined") if is_declined else {}
    more: JsonObject = {} if state.get("state") is None else {"requestState": state["state"]}
    return {**more, "inputResponses": {**responses}} if responses else more


_DECLINED: Final = "The person declined the server's question. Nothing more has run."


def responses_of(function: Function, answered: Answered) -> dict[str, JsonObject] | None:
    """Return a person's answers as the server takes them, by key, `None` if one is invalid."""
    responses: dict[str, JsonObject] = {}
    state = members_of(answered.state)
    for key, params in _requests(state).items():
        content: JsonObject | None = None
        if answered.accepted:
            form = _Form(function, state, key)
            content, issues = form.read(answered.values)
            if issues:
                return None
            if form.is_yes_or_no:
                content = {} if content[key] is True else None
        shown = {} if params.get("mode") == "url" else {"content": content}
        responses[key] = {"action": "decline"} if content is None else {"action": "accept", **shown}
    return responses


class _Form:
    """One form or address, as a function whose parameters are all a person's.

    An address is a question for yes or no, and so is an empty form beside other questions. Names
    that several forms have stand under the keys of the forms. A field that is named by a path, as a
    server of ours names it, is asked by that path.
    """

    def __init__(self, function: Function, state: JsonObject, key: str) -> None:
        requests = _requests(state)
        params = requests[key]
        schema, message, fields = _schema(params), _message(params), _fields(params)
        is_url = params.get("mode") == "url"
        self.is_yes_or_no = is_url or (len(requests) > 1 and not fields)
        others = (_fields(each) for other, each in requests.items() if other != key)
        self._outer = () if fields.keys().isdisjoint(chain.from_iterable(others)) else (key,)
        if self.is_yes_or_no:
            address = f" Open {visible(str(params.get('url')))}, and say when it is done."
            label = f"{message}{address if is_url else ''}" or key
            fields = {key: {"type": "boolean", "title": label}}
            schema = {"properties": {**fields}, "required": [key]}
        elif self._outer:
            schema = {"properties": {key: {**schema, "title": message}}, "required": [key]}
        whole = Contract.from_schemas(
            function.name, schema, None, lambda path, _: bool(path.keys), lenient=True
        )
        self._function = replace(function, _contract=Lazy.of(whole))
        paths = {name: str(Path.of((*self._outer, name))) for name in fields}
        self._shown = {path: path if self._outer else path_of(name) for name, path in paths.items()}

    def questions(self, values: Mapping[str, object]) -> Iterator[Question]:
        """Yield the questions in the order of the form, with what is wrong with the values."""
        issues = self.read(values)[1] if values else ()
        asked = questions_for(self._function, {}, self._given(values), issues, asks_all=True)
        order = {path: n for n, path in enumerate(self._shown)}
        for each in sorted(asked, key=lambda each: order.get(each.path, len(order))):
            yield replace(each, path=self._shown.get(each.path, each.path))

    def read(self, values: Mapping[str, object]) -> tuple[JsonObject, tuple[Issue, ...]]:
        """Return the values as the server takes them, and the issues with them."""
        value = persons_values(self._function, {}, self._given(values), asks_all=True)[1]
        checked = self._function.validate(value)
        inner = members_of(value)
        for key in self._outer:
            inner = members_of(inner.get(key))
        return inner, () if checked else checked.issues

    def _given(self, values: Mapping[str, object]) -> dict[str, object]:
        """Return the values for this form, by the paths of its fields; their names do too."""
        given = {path_of(name): value for name, value in values.items() if value is not None}
        paths = {shown: path for path, shown in self._shown.items()}
        fields, size = {parse_path(path) for path in self._shown}, len(self._outer) + 1
        return {
            paths.get(name, name): value
            for name, value in given.items()
            if name in paths or (parse_path(name) or ())[:size] in fields  # inside a field
        }


def _requests(state: JsonObject) -> dict[str, JsonObject]:
    return _objects_in(state.get("requests"))


def _objects_in(value: JsonValue) -> dict[str, JsonObject]:
    return {name: each for name, each in members_of(value).items() if isinstance(each, dict)}


def _schema(params: JsonObject) -> JsonObject:
    return members_of(params.get("requestedSchema"))


def _fields(params: JsonObject) -> dict[str, JsonObject]:
    return _objects_in(_schema(params).get("properties"))


def _message(params: JsonObject) -> str:
    return shortened(visible(str(params.get("message") or "")), MESSAGE_LIMIT)


@dataclass(eq=False, slots=True)
class RunningCall:
    """A call that a server carries out; it `is_alone` if no other can be asked about.

    `ask` is `None` if nobody can answer.
    """

    function: Function
    ask: AskHere | None
    is_alone: bool = True
    _no_answer: Outcome | None = field(default=None, init=False)
    _error: Exception | None = field(default=None, init=False)
    _clock: asyncio.Timeout = field(init=False)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    _answer: "asyncio.Future[JsonObject | None] | None" = field(default=None, init=False)

    @asynccontextmanager
    async def deadline(self, seconds: float) -> AsyncGenerator[None]:
        """Limit the time of a block; the time in which a person answers does not count."""
        try:
            async with asyncio.timeout(seconds) as self._clock:
                yield
        finally:
            if self._answer is not None:
                self._answer.cancel()

    def start_deadline_again(self, seconds: float) -> None:
        """Start the time of `deadline` again, unless it is over, or a person is asked."""
        if self._clock.when() is not None:
            with suppress(RuntimeError):  # it is over
                self._clock.reschedule(asyncio.get_running_loop().time() + seconds)

    async def answer(self, params: JsonObject) -> ElicitResult:
        """Return the answer to a server's question; the deadline moves by the time it takes."""
        async with self._lock:  # a person is asked one question at a time
            loop, end = asyncio.get_running_loop(), self._clock.when()
            asked_at = loop.time()
            self._clock.reschedule(None)
            answer = self._answer = asyncio.ensure_future(self._ask(params))
            try:
                await asyncio.wait([answer])
            finally:
                answer.cancel()
                with suppress(RuntimeError):  # the call is over
                    self._clock.reschedule(end and end + loop.time() - asked_at)
        given = None if answer.cancelled() else answer.result()  # cancelled: the call is over
        return ElicitResult.model_validate(given or {"action": "cancel"})

    async def _ask(self, params: JsonObject) -> JsonObject | None:
        key = "url" if params.get("mode") == "url" else "form"
        state: JsonObject = {"state": None, "requests": {key: params}}
        try:
            answers = await answers_to(self.function, state, self.ask, {})
        except Exception as error:  # a mistake of the program, which `with_reason` raises
            self._error = error
            return None
        if isinstance(answers, Outcome):
            self._no_answer = _no_answer(answers)
            return None
        return next(iter(answers.values()))

    def with_reason(self, outcome: Outcome) -> Outcome:
        """Return the outcome; if the call failed for lack of an answer, its text has this reason.

        Raises:
            PyfunctoolsError: the person could not be asked, by a mistake of the program.
        """
        if self._error is not None:
            raise self._error
        if self._no_answer is None or not outcome.is_error:
            return outcome
        cause = self._no_answer if self.is_alone else outcome
        text = f"{outcome.text}\n{self._no_answer.text}"
        return replace(outcome, text=text, reason=cause.reason, exception=cause.exception)


def _no_answer(found: Outcome) -> Outcome:
    questions = () if found.waiting is None else found.waiting.questions
    wrong = [f"{each.label}: {each.problem}" for each in questions if each.problem]
    why = f"their answer was not valid ({', '.join(wrong)})" if wrong else "nobody was there"
    said = f"{why}. {found.text}"
    if found.exception is not None:
        said = f"they could not be asked ({type(found.exception).__name__})."
    text = f"In the middle of this call the server asked a person, and {said} The call cannot go "
    text += "on later: it has to be made again when somebody can answer."
    return replace(found, text=text, reason=found.reason if found.waiting is None else "declined")


class QuestionsInCalls:
    """The calls that an older server carries out, and the answers to its questions."""

    def __init__(self) -> None:
        self._gate = asyncio.Lock()
        self._running = set[RunningCall]()
        self._is_idle = asyncio.Event()
        self._is_idle.set()

    @asynccontextmanager
    async def during(self, call: RunningCall) -> AsyncGenerator[None]:
        """Run a block as a call: alone if somebody can answer, else with others without answers."""
        async with AsyncExitStack() as gate:
            await gate.enter_async_context(self._gate)
            if call.ask is not None:
                await self._is_idle.wait()
            self._running.add(call)
            self._is_idle.clear()
            if call.ask is None:
                await gate.aclose()
            try:
                yield
            finally:
                self._running.discard(call)
                if not self._running:
                    self._is_idle.set()

    async def answer(self, context: object, params: ElicitRequestParams) -> ElicitResult:
        """Return the answer to a question of the server: the SDK's `elicitation_callback`."""
        del context
        question: JsonObject = params.model_dump(by_alias=True, mode="json", exclude_none=True)
        answer, running = ElicitResult(action="cancel"), list(self._running)
        for call in running:  # only one if somebody can answer
            call.is_alone = len(running) == 1
            answer = await call.answer(question)
        return answer
