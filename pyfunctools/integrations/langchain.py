"""A controller as tools of LangChain, and the middleware that reads broken arguments.

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
from pyfunctools.controller.tools import Tools
from pyfunctools.controller.turns import PersonsAnswer, values_and_approval
from pyfunctools.envelopes.attachments import IMAGES, base64_of, media_type_of
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.execution.person.approval import Approval, Approve
from pyfunctools.execution.steps import finish
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

    What reaches parameters hinted `Context` is `context`, or what it returns of the call's
    `RunnableConfig` where it is a function; without one the context of the run. `dialect` says by
    which vendor's rules the schemas are written.

    A call that lacks a person's part or approval is an interrupt: its value has the fields of
    `Outcome.waiting`. It goes on with `resume`, or with
    `Command(resume={"human": values, "approve": True})`, and with the interrupt's `"ticket"` in it
    only if the function is what it was. The value of an outcome is the artifact of its message as
    plain JSON, but where a person took part.

    Raises:
        DefinitionError: `controller` is none, or as `Controller.tools`.
    """
    made = _rendered("tools", controller, dialect)
    return [ControllerTool.of(each, controller, made, context) for each in controller]


def resume(interrupts: Iterable[Interrupt], answers: Mapping[str, PersonsAnswer]) -> Command[Any]:
    """Return the command that goes on with the calls which a person has answered.

    `answers` has for the id of a call the person's values, `True` or `False` where it is to be
    approved, or an `Approval`. What LangGraph keeps of it is in its checkpoints: use an encrypted
    serializer where that must not be readable.

    Raises:
        DefinitionError: no interrupt is of a call of an id.
    """
    held: dict[str, tuple[str, str | None]] = {}
    for each in interrupts:
        asked = _object(each.value)
        if "call_id" in asked:
            held[asked["call_id"]] = (each.id, asked.get("ticket"))
    if strange := [call_id for call_id in answers if call_id not in held]:
        known = ", ".join(map(repr, held)) or "none: nothing waits"
        raise DefinitionError(
            "resume(answers)",
            f"No call {strange[0]!r} of these interrupts waits for a person.",
            f"The ids are {known}.",
        )
    said: dict[str, Any] = {}
    for call_id, answer in answers.items():
        human, approve = values_and_approval(answer)
        if isinstance(approve, Approval):
            approve = asdict(approve)
        interrupt_id, ticket = held[call_id]
        said[interrupt_id] = {"human": human, "approve": approve, "ticket": ticket}
    return Command(resume=said)


class _Said(NamedTuple):
    """What a tool tells LangChain: what the model reads, and what the program may."""

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
        # Not as keywords: a model's argument may be called as one of LangChain's own is.
        return (tool_input, tool_call_id), {}

    def _run(self, *given: Any, config: RunnableConfig) -> tuple[str | list[Any], object]:
        arguments, call_id = given
        return _told(finish(self._said(arguments, call_id, config, awaits=False)))

    async def _arun(self, *given: Any, config: RunnableConfig) -> tuple[str | list[Any], object]:
        arguments, call_id = given
        return _told(await self._said(arguments, call_id, config, awaits=True))

    async def _said(
        self, arguments: Any, call_id: str | None, config: RunnableConfig, *, awaits: bool
    ) -> _Said:
        """Return the content of a call's message; that of the first time where the node ran before.

        LangGraph runs a node from its start again after an interrupt, with all the calls of it.
        """
        done = _DONE.setdefault(self._controller, {})
        place = _place(config, call_id)
        if place is not None and place in done:
            return done[place]
        call = self._tools.call_of(self.name, arguments, call_id)
        said = self._said_of(await self._outcome(call, config, awaits=awaits))
        if place is not None:
            done[place] = said
            for oldest in list(islice(done, max(len(done) - _KEPT, 0))):
                done.pop(oldest, None)
        return said

    async def _outcome(self, call: Call, config: RunnableConfig, *, awaits: bool) -> Outcome:
        """Return the outcome of a call, for which the graph is interrupted while it waits."""
        runtime = _runtime()
        context = self._context
        if context is None:
            context = None if runtime is None else runtime.context
        elif callable(context):
            context = context(config)
        controller = self._controller
        if awaits:
            outcome = await controller.acall(call, context=context)
        else:
            outcome = controller.call(call, context=context)
        while outcome.waiting is not None and runtime is not None:
            call_id = call.id or outcome.waiting.call_id
            asked = {**asdict(outcome.waiting), "call_id": call_id, "text": outcome.text}
            answer = _answered(interrupt(asked))
            while answer is None:
                answer = _answered(interrupt({**asked, "text": _UNREADABLE}))
            human, approve, ticket = answer
            if ticket is None and awaits:
                outcome = await controller.acall(
                    call, human=human, approve=approve, context=context
                )
            elif ticket is None:
                outcome = controller.call(call, human=human, approve=approve, context=context)
            elif awaits:
                outcome = await controller.aresume(ticket, human, approve=approve, context=context)
            else:
                outcome = controller.resume(ticket, human, approve=approve, context=context)
        return outcome

    def _said_of(self, outcome: Outcome) -> _Said:
        if outcome.waiting is not None:  # outside of a graph: the program goes on with the ticket
            return _Said(outcome.text, asdict(outcome.waiting))
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
        return _Said(content, artifact, outcome.is_error)


class RepairMiddleware(AgentMiddleware[Any, Any, Any]):
    """Reads arguments that are no JSON, which LangChain drops without a word.

    What can be read becomes an ordinary call. What cannot is a call, too, whose answer says what is
    wrong with it: the model is asked again.
    """

    def __init__(self, controller: Controller, *, dialect: str = "openai") -> None:
        """Read the calls of a controller's functions.

        Raises:
            DefinitionError: `controller` is none, or as `Controller.tools`.
        """
        super().__init__()
        self._made = _rendered("RepairMiddleware", controller, dialect)
        self._controller = controller

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ModelResponse[Any]:
        """Return the model's response with its broken calls read."""
        return self._repaired(request, handler(request))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Return the model's response with its broken calls read."""
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
                self._read(message, others)
                if isinstance(message, AIMessage) and message.invalid_tool_calls
                else [message]
            )
        ]
        return response

    def _read(self, message: AIMessage, others: set[str]) -> list[BaseMessage]:
        """Return a message whose broken calls are calls, and answers to those that stay wrong."""
        calls, left, answers = list(message.tool_calls), list[Any](), list[BaseMessage]()
        for place, bad in enumerate(message.invalid_tool_calls):
            name, text = bad.get("name") or "", bad.get("args") or ""
            if name in others:
                left.append(bad)
                continue
            call_id = bad.get("id") or f"call_{place}_of_{message.id}"
            call = self._made.call_of(name, text, call_id)
            if call.result:
                shaped = self._made.renderings[call.name].apply(call.arguments)
                calls.append(tool_call(name=call.name, args=shaped, id=call_id))
                continue
            calls.append(tool_call(name=name, args={"INVALID_JSON": text}, id=call_id))
            told = self._controller.call(call).text  # a failure: nothing can run
            answers.append(
                ToolMessage(content=told, name=name, tool_call_id=call_id, status="error")
            )
        changed = {"tool_calls": calls, "invalid_tool_calls": left}
        return [message.model_copy(update=changed), *answers]


def _rendered(where: str, controller: Controller, dialect: str) -> Tools:
    if not isinstance(controller, Controller):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise wrong_type(where, "a `Controller`", controller, f"Write `{where}(controller)`.")
    # Never strict: LangChain tells the vendor so of all tools, or of none.
    return controller.tools(dialect, strict=False)


def _told(said: _Said) -> tuple[str | list[Any], object]:
    """Return content and artifact of a tool's message.

    Raises:
        ToolException: the call failed: so it becomes a message that says so.
    """
    if said.is_error:
        raise ToolException(said.content)
    return said.content, said.artifact


def _runtime() -> Any:
    """Return the runtime of the graph that runs, `None` outside of one."""
    try:
        return get_runtime()
    except (KeyError, RuntimeError):
        return None


_Place = tuple[str, str, str]
_DONE: WeakKeyDictionary[Controller, dict[_Place, _Said]] = WeakKeyDictionary()
"""What came of the latest calls, by their place in a thread."""

_KEPT = 1000


def _place(config: RunnableConfig, call_id: str | None) -> _Place | None:
    """Return a call's key: its thread, the step of its node, and its id."""
    known = config.get("configurable") or {}
    thread, step = known.get("thread_id"), known.get("checkpoint_ns")
    return None if thread is None or not step or not call_id else (str(thread), step, call_id)


def _answered(answer: object) -> tuple[JsonObject | None, Approve, str | None] | None:
    """Return a person's values, approval and ticket; `None` where the answer has another form."""
    if isinstance(answer, bool):
        return None, answer, None
    given = _object(answer)
    human, approve, ticket = given.get("human"), given.get("approve"), given.get("ticket")
    if edit := _object(approve):
        approve = Approval(arguments=edit.get("arguments"), human=edit.get("human"))
    fits = (
        given.keys() <= {"human", "approve", "ticket"}
        and isinstance(human, dict | None)
        and isinstance(approve, bool | Approval | None)
        and isinstance(ticket, str | None)
        and (human is not None or approve is not None)
    )
    return (cast("JsonObject | None", human), approve, ticket) if fits else None


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


_UNREADABLE = 'The answer must be {"human": values, "approve": true or false}. Nothing has run yet.'
