"""A controller as tools of LangChain, and middleware that repairs broken arguments.

agent = create_agent(
    model, tools(shop), middleware=[RepairMiddleware(shop)], checkpointer=checkpointer
)
result = agent.invoke({"messages": [...]}, config)
if "__interrupt__" in result:
    agent.invoke(resume(result["__interrupt__"], {call_id: {"pin": "4711"}}), config)
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import asdict
from itertools import islice
from typing import Any, Literal, NamedTuple, cast
from weakref import WeakKeyDictionary

from pyfunctools._json import JsonObject
from pyfunctools.controller import Controller
from pyfunctools.controller.calling import CallOptions
from pyfunctools.controller.tools import Tools
from pyfunctools.controller.turns import PersonsAnswer, values_and_approval
from pyfunctools.envelopes.attachments import IMAGES, base64_of, media_type_of
from pyfunctools.errors import DefinitionError
from pyfunctools.execution.person.approval import Approval, Approve
from pyfunctools.execution.steps import finish
from pyfunctools.integrations.frameworks import check_answers, check_controller, context_for
from pyfunctools.record.call import Call
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Outcome

try:
    from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
    from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
    from langchain_core.messages.tool import tool_call
    from langchain_core.runnables import RunnableConfig
    from langchain_core.tools import BaseTool, ToolException
    from langgraph.runtime import get_runtime
    from langgraph.types import Command, Interrupt, interrupt
    from pydantic import PrivateAttr
    from pydantic_core import to_jsonable_python
except ImportError as error:
    raise DefinitionError(
        "pyfunctools.integrations.langchain",
        f"LangChain is not installed, or another version than this is for: {error}.",
        "Install it: `pip install 'pyfunctools[langchain]'`.",
    ) from error


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

    `answers` maps the id of a call to the person's values, to `True` or `False` for an approval, or
    to an `Approval`. LangGraph stores them in its checkpoints: use an encrypted serializer if they
    must not be readable.

    Raises:
        DefinitionError: no interrupt belongs to a call with the id of an answer.
    """
    waiting: dict[str, tuple[str, str | None]] = {}
    for each in interrupts:
        asked = _object(each.value)
        if "call_id" in asked:
            waiting[asked["call_id"]] = (each.id, asked.get("ticket"))
    check_answers("resume", answers, list(waiting), "these interrupts")
    replies: dict[str, Any] = {}
    for call_id, answer in answers.items():
        human, approve = values_and_approval(answer)
        if isinstance(approve, Approval):
            approve = asdict(approve)
        interrupt_id, ticket = waiting[call_id]
        replies[interrupt_id] = {"human": human, "approve": approve, "ticket": ticket}
    return Command(resume=replies)


class _Result(NamedTuple):
    """A tool's result: content for the model, and an artifact for the program."""

    content: str | list[Any]
    artifact: object = None
    is_error: bool = False


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
        tool = cls(
            name=function.name,
            description=function.description,
            args_schema=made.renderings[function.name].schema,
        )
        tool._controller = controller
        tool._tools = made
        tool._context = context
        return tool

    def _to_args_and_kwargs(
        self, tool_input: Any, tool_call_id: str | None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        # Not as keywords: an argument may have the name of one of LangChain's parameters.
        return (tool_input, tool_call_id), {}

    def _run(self, *given: Any, config: RunnableConfig) -> tuple[str | list[Any], object]:
        arguments, call_id = given
        return _unpacked(finish(self._result(arguments, call_id, config, awaits=False)))

    async def _arun(self, *given: Any, config: RunnableConfig) -> tuple[str | list[Any], object]:
        arguments, call_id = given
        return _unpacked(await self._result(arguments, call_id, config, awaits=True))

    async def _result(
        self, arguments: Any, call_id: str | None, config: RunnableConfig, *, awaits: bool
    ) -> _Result:
        """Return a call's result; if the node has run before, the earlier result.

        After an interrupt LangGraph runs a node, with all its calls, again from the start.
        """
        done = _DONE.setdefault(self._controller, {})
        place = _place(config, call_id)
        if place is not None and place in done:
            return done[place]
        call = self._tools.call_of(self.name, arguments, call_id)
        result = self._result_of(await self._outcome(call, config, awaits=awaits))
        if place is not None:
            done[place] = result
            for oldest in list(islice(done, max(len(done) - _KEPT, 0))):
                done.pop(oldest, None)
        return result

    async def _outcome(self, call: Call, config: RunnableConfig, *, awaits: bool) -> Outcome:
        """Return the outcome of a call; while it waits for a person the graph is interrupted."""
        runtime = _runtime()
        default = None if runtime is None else runtime.context
        context = context_for(self._context, config, default)
        controller = self._controller

        async def run(human: Any, approve: Approve, ticket: str | None) -> Outcome:
            options: CallOptions = {"human": human, "approve": approve, "context": context}
            if awaits:
                if ticket is None:
                    return await controller.acall(call, **options)
                return await controller.aresume(ticket, **options)
            if ticket is None:
                return controller.call(call, **options)
            return controller.resume(ticket, **options)

        outcome = await run(None, None, None)
        while outcome.waiting is not None and runtime is not None:
            call_id = call.id or outcome.waiting.call_id
            asked = {**asdict(outcome.waiting), "call_id": call_id, "text": outcome.text}
            answer = _answered(interrupt(asked))
            while answer is None:
                answer = _answered(interrupt({**asked, "text": _UNREADABLE}))
            outcome = await run(*answer)
        return outcome

    def _result_of(self, outcome: Outcome) -> _Result:
        if outcome.waiting is not None:  # outside a graph: the program continues with the ticket
            return _Result(outcome.text, asdict(outcome.waiting))
        artifact = None
        if outcome.ok and self._controller[self.name].separated is None:
            artifact = to_jsonable_python(outcome.value, serialize_unknown=True)
        blocks = [
            {
                "type": "image" if media_type_of(each) in IMAGES else "file",
                "base64": base64_of(each),
                "mime_type": media_type_of(each),
            }
            for each in outcome.content
        ]
        content = [{"type": "text", "text": outcome.text}, *blocks] if blocks else outcome.text
        return _Result(content, artifact, outcome.is_error)


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
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
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
        response.result = [
            made
            for message in response.result
            for made in (
                self._repaired_message(message, others)
                if isinstance(message, AIMessage) and message.invalid_tool_calls
                else [message]
            )
        ]
        return response

    def _repaired_message(self, message: AIMessage, others: set[str]) -> list[BaseMessage]:
        """Return a message with all its calls, and an answer to each that is still invalid."""
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


def _unpacked(result: _Result) -> tuple[str | list[Any], object]:
    """Return the content and the artifact of a tool's message.

    Raises:
        ToolException: the call failed; LangChain makes an error message from it.
    """
    if result.is_error:
        raise ToolException(result.content)
    return result.content, result.artifact


def _runtime() -> Any:
    """Return the runtime of the current graph, `None` outside one."""
    try:
        return get_runtime()
    except (KeyError, RuntimeError):
        return None


_Place = tuple[str, str, str]
_DONE: WeakKeyDictionary[Controller, dict[_Place, _Result]] = WeakKeyDictionary()
"""The results of the latest calls, by thread, step and id."""

_KEPT = 1000


def _place(config: RunnableConfig, call_id: str | None) -> _Place | None:
    """Return the thread, the step and the id of a call, `None` outside a thread."""
    known = config.get("configurable") or {}
    thread, step = known.get("thread_id"), known.get("checkpoint_ns")
    return None if thread is None or not step or not call_id else (str(thread), step, call_id)


def _answered(answer: object) -> tuple[JsonObject | None, Approve, str | None] | None:
    """Return a person's values, approval and ticket, `None` if the answer is malformed."""
    if isinstance(answer, bool):
        return None, answer, None
    given = _object(answer)
    human, approve, ticket = given.get("human"), given.get("approve"), given.get("ticket")
    if edit := _object(approve):
        approve = Approval(arguments=edit.get("arguments"), human=edit.get("human"))
    is_valid = (
        given.keys() <= {"human", "approve", "ticket"}
        and isinstance(human, dict | None)
        and isinstance(approve, bool | Approval | None)
        and isinstance(ticket, str | None)
        and (human is not None or approve is not None)
    )
    return (cast("JsonObject | None", human), approve, ticket) if is_valid else None


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


_UNREADABLE = 'The answer must be {"human": values, "approve": true or false}. Nothing has run yet.'
