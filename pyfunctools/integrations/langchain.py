"""A controller as tools of LangChain, and middleware that repairs broken arguments.

agent = create_agent(model, tools(shop), middleware=[RepairMiddleware(shop)], checkpointer=...)
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import asdict, replace
from secrets import token_urlsafe
from threading import Lock
from typing import Any, Literal, NamedTuple, cast

from pyfunctools.controller import Controller
from pyfunctools.controller.calling import CallOptions, called_function
from pyfunctools.controller.tools import Tools
from pyfunctools.controller.turns import (
    PersonsAnswer,
    answers_by_call,
    unshown,
    values_and_approval,
)
from pyfunctools.envelopes.envelope import IMAGES, base64_of, media_type_of
from pyfunctools.envelopes.plain import as_dict
from pyfunctools.errors import missing_extra
from pyfunctools.execution.person.approval import Approval, Approve
from pyfunctools.execution.steps import finish
from pyfunctools.integrations.frameworks import (
    calls_inside,
    check_controller,
    context_for,
    what_is_asked,
)
from pyfunctools.record.call import Call
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Outcome, outcome_json, waiting_as_before

try:
    from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
    from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
    from langchain_core.messages.tool import tool_call
    from langchain_core.runnables import RunnableConfig
    from langchain_core.tools import BaseTool, ToolException
    from langgraph.errors import GraphInterrupt
    from langgraph.runtime import get_runtime
    from langgraph.types import Command, Interrupt, interrupt
    from pydantic import PrivateAttr
    from pydantic_core import to_jsonable_python
except ImportError as error:
    raise missing_extra(__name__, "LangChain", "langchain", "langchain", error) from error


def tools(
    controller: Controller, *, context: object = None, dialect: str = "openai"
) -> list[BaseTool]:
    """Return the functions of a controller as tools for an agent or a `ToolNode`.

    Parameters hinted `Context` get `context`; if that is a function, its result for the call's
    `RunnableConfig`; and by default the context of the run. `dialect` names the vendor for which
    the schemas are written.

    A call that lacks a person's values or approval interrupts the graph, with the fields of
    `Outcome.waiting` as the interrupt's value. Continue with `resume`, or with
    `Command(resume={"human": values, "approve": True})`; add the interrupt's `"ticket"`, so that a
    function that has changed is not called. An outcome's value is the artifact of its message as
    plain JSON, unless a person took part.

    Raises:
        DefinitionError: `controller` is not a `Controller`, or as `Controller.tools`.
    """
    made = _rendered("tools", controller, dialect)
    return [ControllerTool.of(each, controller, made, context) for each in controller]


def resume(interrupts: Iterable[Interrupt], answers: Mapping[str, PersonsAnswer]) -> Command[Any]:
    """Return the command that continues the calls which a person has answered.

    `answers` maps the id of a call, also of one inside a program, to the person's values, to `True`
    or `False` for an approval, or to an `Approval`. Values stay in this process, which has to run
    the command: LangGraph, its checkpoints and its callbacks (so traces too) get a handle for them,
    good until the call ends.

    Raises:
        DefinitionError: no interrupt belongs to a call with the id of an answer.
    """
    asked = [{**as_dict(each.value), "interrupt": each.id} for each in interrupts]
    waiting = {each["call_id"]: each for each in asked if "call_id" in each}
    replies: dict[str, Any] = {}
    answers = unshown(answers)  # in a traceback with locals
    inside = {call_id: calls_inside(each) for call_id, each in waiting.items()}
    made = answers_by_call("resume", answers, inside, "these interrupts")
    for call_id, answer in made.items():
        reply: dict[str, Any] = {"approve": answer}
        if not isinstance(answer, bool):
            reply = {"handle": token_urlsafe(16)}
            _GIVEN[reply["handle"]] = answer
            _forget_oldest(_GIVEN)
        of_call = {"ticket": waiting[call_id].get("ticket"), "call_id": call_id}
        replies[waiting[call_id]["interrupt"]] = {**reply, **of_call}
    return Command(resume=replies)


class ControllerTool(BaseTool):
    """One function of a controller."""

    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    handle_tool_error: Any = True
    _controller: Controller = PrivateAttr()
    _tools: Tools = PrivateAttr()
    _context: object = PrivateAttr()

    @classmethod
    def of(
        cls, function: Function, controller: Controller, made: Tools, context: object
    ) -> "ControllerTool":
        """Return the tool of a function."""
        schema = made.renderings[function.name].schema
        tool = cls(name=function.name, description=function.description, args_schema=schema)
        tool._controller, tool._tools, tool._context = controller, made, context
        return tool

    def _to_args_and_kwargs(
        self, tool_input: Any, tool_call_id: str | None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        # Not as keywords: an argument may have the name of one of LangChain's parameters.
        return (tool_input, tool_call_id), {}

    def _run(self, *given: Any, config: RunnableConfig) -> tuple[str | list[Any], object]:
        return self._message(finish(self._result(*given, config=config, awaits=False)))

    async def _arun(self, *given: Any, config: RunnableConfig) -> tuple[str | list[Any], object]:
        return self._message(await self._result(*given, config=config, awaits=True))

    async def _result(
        self, arguments: Any, call_id: str | None, config: RunnableConfig, *, awaits: bool
    ) -> Outcome:
        """Return a call's outcome; if the node has run before, the earlier one.

        After an interrupt LangGraph runs a node, with all its calls, again from the start. Calls
        that are still running then are awaited.
        """
        step, mine, name = _step_of(config), Future[Outcome](), self.name
        held = step.results.setdefault(call_id, mine) if call_id else mine
        if held is not mine:
            return await asyncio.shield(asyncio.wrap_future(held)) if awaits else held.result()
        call = self._tools.call_of(name, arguments, call_id)
        function = called_function(self._controller, call) or self._controller[name]
        try:
            outcome = await self._outcome(call, function, config, step, awaits=awaits)
            mine.set_result(replace(outcome, exception=None))
        except BaseException as error:  # who waits for the same call must hear of it
            may_repeat = isinstance(error, Exception) or function.read_only or function.idempotent
            if not may_repeat:  # cancelled: it may have run, and LangGraph tries again
                mine.set_result(Outcome(text=_CANCELLED, reason="cancelled"))
            elif call_id:  # nothing has run: the next time it may
                step.results.pop(call_id, None)
                mine.set_exception(error)
                if awaits and isinstance(error, Exception):
                    await step.others_ended()
            raise
        return mine.result()

    async def _outcome(
        self, call: Call, called: Function, config: RunnableConfig, step: "_Step", *, awaits: bool
    ) -> Outcome:
        """Return the outcome of a call; while it waits for a person the graph is interrupted.

        It has no value if a person gave any: the value may repeat them.
        """
        controller, runtime = self._controller, cast("Any", None)
        with suppress(KeyError, RuntimeError):  # outside a graph
            runtime = get_runtime()
        context = context_for(self._context, config, runtime and runtime.context)
        begin, go_on = controller.call, controller.resume
        if awaits:
            begin, go_on = controller.acall, controller.aresume

        async def run(answer: "_Answer | Outcome") -> Outcome:
            if isinstance(answer, Outcome):
                return answer
            human, approve, ticket, _ = answer
            options: CallOptions = {"human": human, "approve": approve, "context": context}
            made = begin(call, **options) if ticket is None else go_on(ticket, **options)
            return made if isinstance(made, Outcome) else await made

        call_id, answers = call.id or "", list[_Answer]()
        _, runner = controller._entry(called.name)  # pyright: ignore[reportPrivateUsage]
        if runtime is not None and call_id and runner.may_ask and runner.may_ask(called):
            answers = step.earlier_answers(call_id)
            outcome = await run(_latest(step.waits.get(call_id), answers))
        else:
            outcome = await run(_Answer())
        while outcome.waiting is not None and runtime is not None:
            asked = what_is_asked(outcome.waiting, outcome.text, call.id)
            call_id = str(asked["call_id"])
            step.waits[call_id] = (outcome, len(answers))
            answer = step.next_answer(call_id, asked)
            while answer is None:
                answer = step.next_answer(call_id, {**asked, "text": _UNREADABLE})
            answers.append(answer)
            outcome = waiting_as_before(await run(answer), outcome.waiting)
        step.waits.pop(call_id, None)
        for each in answers:  # LangGraph gives all answers again until the call has ended
            _GIVEN.pop(each.handle, None)
        gave = any(each.human is not None or isinstance(each.approve, Approval) for each in answers)
        return replace(outcome, value=None) if gave or called.separated is not None else outcome

    def _message(self, outcome: Outcome) -> tuple[str | list[Any], object]:
        """Return the content and the artifact of a message; an exception makes one of an error."""
        if outcome.waiting is not None:  # outside a graph: the program continues with the ticket
            return outcome.text, asdict(outcome.waiting)
        content: list[Any] = [{"type": "text", "text": outcome.text}]
        for each in outcome.content:
            media_type = media_type_of(each)
            kind = "image" if media_type in IMAGES else "file"
            content.append({"type": kind, "base64": base64_of(each), "mime_type": media_type})
        shown = content if outcome.content else outcome.text
        if outcome.is_error:
            raise ToolException(shown)
        known = outcome_json(outcome)  # without secrets
        return shown, to_jsonable_python(
            known[0] if known else outcome.value, serialize_unknown=True
        )


class RepairMiddleware(AgentMiddleware[Any, Any, Any]):
    """Repairs arguments that are invalid JSON, which LangChain drops silently.

    Repaired calls become ordinary ones. The other calls get an error as their answer, so that the
    model tries again.
    """

    def __init__(self, controller: Controller, *, dialect: str = "openai") -> None:
        """Repair the calls of a controller's functions.

        Raises:
            DefinitionError: `controller` is not a `Controller`, or as `Controller.tools`.
        """
        super().__init__()
        self._made = _rendered("RepairMiddleware", controller, dialect)
        self._controller = controller

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Return the model's response with its broken calls repaired."""
        return self._repaired(request, handler(request))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Return the model's response with its broken calls repaired."""
        return self._repaired(request, await handler(request))

    def _repaired(
        self, request: ModelRequest[Any], response: ModelResponse[Any]
    ) -> ModelResponse[Any]:
        others = {
            each.name
            for each in request.tools
            if isinstance(each, BaseTool) and each.name not in self._controller
        }
        given = response.result
        response.result = [made for each in given for made in self._mended(each, others)]
        return response

    def _mended(self, message: BaseMessage, others: set[str]) -> list[BaseMessage]:
        """Return a message with all its calls, and an answer to each that is still invalid."""
        if not isinstance(message, AIMessage) or not message.invalid_tool_calls:
            return [message]
        calls, left, answers = list(message.tool_calls), list[Any](), list[BaseMessage]()
        for place, bad in enumerate(message.invalid_tool_calls):
            name, text = bad.get("name") or "", bad.get("args") or ""
            if name in others:
                left.append(bad)
                continue
            call_id = bad.get("id") or f"call_{place}_of_{message.id}"
            call = self._made.call_of(name, text, call_id)
            if call.result:
                rendered = self._made.renderings[call.name].apply(call.arguments)
                calls.append(tool_call(name=call.name, args=rendered, id=call_id))
                continue
            calls.append(tool_call(name=name, args={"INVALID_JSON": text}, id=call_id))
            text = self._controller.call(call).text  # a failure: nothing can run
            answers.append(
                ToolMessage(content=text, name=name, tool_call_id=call_id, status="error")
            )
        changed = {"tool_calls": calls, "invalid_tool_calls": left}
        return [message.model_copy(update=changed), *answers]


def _rendered(where: str, controller: Controller, dialect: str) -> Tools:
    check_controller(where, controller)
    # Never strict: in LangChain either all tools are strict, or no tool is.
    return controller.tools(dialect, strict=False)


class _Answer(NamedTuple):
    """A person's answer, with the ticket of the call and the handle of the values."""

    human: Any = None
    approve: Approve = None
    ticket: str | None = None
    handle: str = ""


class _Step:
    """What is known of the calls of one step, which LangGraph runs again after an interrupt.

    Each is by the ids of the calls: the results, also of calls that still run; the outcomes that
    wait, each with the number of answers that the call has had; and the answers that were given to
    another call. `_asked` are the calls that have asked for an answer.
    """

    def __init__(self) -> None:
        self.results: dict[str, Future[Outcome]] = {}
        self.waits: dict[str, tuple[Outcome, int]] = {}
        self._aside: dict[str, list[object]] = {}
        self._asked: set[str] = set()
        self._taking = Lock()

    @property
    def running(self) -> "list[Future[Outcome]]":
        """The calls that have not ended."""
        return [each for each in list(self.results.values()) if not each.done()]

    async def others_ended(self) -> None:
        """Wait for the other calls, as LangGraph does where each is a task of its own.

        An event loop that ends with the interrupt would cancel them.
        """
        for _ in range(_TICKS):
            await asyncio.sleep(0)
            running = map(asyncio.wrap_future, self.running)
            await asyncio.gather(*map(asyncio.shield, running), return_exceptions=True)

    def next_answer(self, call_id: str, asked: dict[str, Any]) -> _Answer | None:
        """Return the next answer to a call; `None`: malformed, or maybe for another call.

        LangGraph has one list of answers for all calls of a node, and gives each to whoever asks
        next.
        """
        with self._taking:
            self._asked.add(call_id)
            is_alone = len(self._asked) == 1
            asked = asked if is_alone else {**asked, "text": f"{asked['text']} {_SEVERAL}"}
            answer = self._taken(call_id, asked)
        return _answered(answer) if is_alone or "call_id" in as_dict(answer) else None

    def earlier_answers(self, call_id: str) -> list[_Answer]:
        """Return the answers to a call that LangGraph has before the call runs."""
        found: list[_Answer | None] = []
        with self._taking, suppress(GraphInterrupt):  # there is no further one
            while True:
                found.append(_answered(self._taken(call_id, {})))
        return [each for each in found if each is not None]

    def _taken(self, call_id: str, asked: dict[str, Any]) -> object:
        """Return the next answer that is for a call, or for none by name; others are put aside."""
        while True:
            kept = self._aside.get(call_id)
            answer: object = kept.pop(0) if kept else interrupt(asked)
            belongs_to = as_dict(answer).get("call_id")
            if belongs_to in (None, call_id):
                return answer
            self._aside.setdefault(str(belongs_to), []).append(answer)


_STEPS: dict[tuple[str, str], _Step] = {}
"""The latest steps, by the thread and LangGraph's name of the step."""

_GIVEN: dict[str, PersonsAnswer] = {}
"""The latest answers of persons, by their handles."""

_KEPT = 1000
_TICKS = 20
"""Turns of the event loop in which the other calls of a message have begun."""


def _step_of(config: RunnableConfig) -> _Step:
    """Return what is known of the step of a call; outside a thread nothing is kept."""
    known = config.get("configurable") or {}
    thread, step = known.get("thread_id"), known.get("checkpoint_ns")
    if thread is None or not step:
        return _Step()
    _forget_oldest(_STEPS)
    return _STEPS.setdefault((str(thread), step), _Step())


def _forget_oldest(kept: dict[Any, Any]) -> None:
    for oldest in list(kept)[:-_KEPT]:
        step = kept.get(oldest)  # `None`: another thread was faster
        if not isinstance(step, _Step) or not step.running:
            kept.pop(oldest, None)


def _latest(held: tuple[Outcome, int] | None, answers: list[_Answer]) -> "_Answer | Outcome":
    """Return how a call goes on that may have run in part before it waited.

    Where a node runs again, such a call is not begun again: it continues with the latest answer, or
    waits as it did.
    """
    outcome, used = held or (None, 0)
    if not answers[used:]:
        return outcome or _Answer()
    waiting = None if outcome is None else outcome.waiting
    ticket = answers[-1].ticket or (waiting and waiting.ticket)
    if ticket is None:
        return Outcome(text=_BEGUN, reason="ticket_gone")
    return answers[-1]._replace(ticket=ticket)


def _answered(answer: object) -> _Answer | None:
    """Return a person's answer, `None` if it is malformed or its values are gone."""
    if isinstance(answer, bool):
        return _Answer(approve=answer)
    given = as_dict(answer)
    human, approve, ticket = unshown(given.get("human")), given.get("approve"), given.get("ticket")
    handle = str(given.get("handle", ""))
    if handle in _GIVEN:
        human, approve = values_and_approval(_GIVEN[handle])
    elif edit := as_dict(approve):
        approve = Approval(arguments=edit.get("arguments"), human=edit.get("human"))
    is_valid = (
        given.keys() <= {"human", "approve", "ticket", "handle", "call_id"}
        and (isinstance(human, dict | None) or handle in _GIVEN)
        and isinstance(approve, bool | Approval | None)
        and isinstance(ticket, str | None)
        and (human is not None or approve is not None)
    )
    return _Answer(human, approve, ticket, handle) if is_valid else None


_UNREADABLE = (
    'The answer must be {"human": values, "approve": true or false}, or made by `resume` in the '
    "process that runs the graph. Nothing has run yet."
)
_BEGUN = (
    "This call had begun, and cannot go on: its answer has no ticket. Whether all of it was "
    "carried out is not known."
)
_SEVERAL = "Several calls of this step wait: make the answer with `resume`."
_CANCELLED = "This call was cancelled after it had started; its effects are not known."
