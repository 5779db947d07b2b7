"""A controller as tools of the OpenAI Agents SDK.

shop = tools(Controller.from_object(Shop()))
agent = Agent(name="...", tools=shop)
result = await Runner.run(agent, "...")
if result.interruptions:
    state = result.to_state()
    with shop.answered(state, {call_id: {"pin": "4711"}}):
        result = await Runner.run(agent, state)
"""

from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from pyfunctools.controller import Controller
from pyfunctools.controller.turns import PersonsAnswer, values_and_approval
from pyfunctools.envelopes.attachments import IMAGES, data_url, media_type_of
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.execution.person.approval import Ask
from pyfunctools.record.call import Call
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Outcome, Waiting

try:
    from agents import (
        FunctionTool,
        RunContextWrapper,
        RunState,
        Tool,
        ToolOutputFileContent,
        ToolOutputImage,
        ToolOutputText,
    )
    from agents.items import ToolApprovalItem
    from agents.tool_context import ToolContext
except ImportError as error:
    raise DefinitionError(
        "pyfunctools.integrations.openai_agents",
        f"The OpenAI Agents SDK is not installed, or another version than this is for: {error}.",
        "Install it: `pip install 'pyfunctools[openai-agents]'`.",
    ) from error


def tools(
    controller: Controller,
    *,
    human: Ask | None = None,
    context: object = None,
    dialect: str = "openai-responses",
) -> "ControllerTools":
    """Return the functions of a controller as the tools of an agent.

    A call that lacks a person's part or approval interrupts the run; `ControllerTools.answered`
    goes on. With `human`, a callable as in `Controller.call`, the person's part is asked for while
    the run goes on, and only approvals interrupt it. What reaches parameters hinted `Context` is
    `context`, or what it returns of the framework's `RunContextWrapper` where it is a function;
    without one the context of the run. `dialect` says by which vendor's rules the schemas are
    written.

    Raises:
        DefinitionError: `controller` is none, `human` cannot be asked, or as `Controller.tools`.
    """
    if not isinstance(controller, Controller):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise wrong_type("tools", "a `Controller`", controller, "Write `tools(controller)`.")
    if human is not None and not callable(human):
        remedy = "Values are given when a call waits: `with tools.answered(state, {id: values})`."
        raise wrong_type("tools(human)", "a function of a pending call", human, remedy)
    return ControllerTools(controller, human=human, context=context, dialect=dialect)


class ControllerTools(list[Tool]):
    """The functions of a controller as a plain list of tools, and what a person answers to them."""

    def __init__(
        self, controller: Controller, *, human: Ask | None, context: object, dialect: str
    ) -> None:
        self._controller = controller
        self._ask = human
        self._context = context
        self._tools = controller.tools(dialect)
        super().__init__(self._tool(each) for each in controller)

    def waiting(self, state: RunState[Any, Any]) -> dict[str, Waiting]:
        """Return the `Waiting` of each call that interrupted a run, by its id.

        A call whose arguments are wrong is not among them: `answered` lets it through, since
        nothing of it runs and the model has to be told.
        """
        found: dict[str, Waiting] = {}
        for call_id, item in self._interruptions(state).items():
            call = self._call(item)
            waiting = self._controller.call(call).waiting if self._lacks_person(call) else None
            if waiting is not None:
                found[call_id] = waiting
        return found

    @contextmanager
    def answered(
        self,
        state: RunState[Any, Any],
        answers: Mapping[str, PersonsAnswer],
        tickets: Mapping[str, str | None] | None = None,
    ) -> Generator[None]:
        """Decide on the calls that a person has answered, for the run that starts inside.

        `answers` has for the id of a call the person's values, `True` or `False` where it is to be
        approved, or an `Approval`. The state keeps the decision; the values are in nothing but this
        block, and are good for one call. Other calls go on waiting.

        The state has no place for a ticket. Keep those of `waiting` beside it, by the ids, and give
        them as `tickets`: then no call runs twice, and none of a function that changed meanwhile.

        Raises:
            DefinitionError: no call of an id interrupted the run.
            CallError: a person's values are wrong; its `outcome` waits, and says what is wrong with
                them. Nothing was decided.
        """
        items = self._interruptions(state)
        if strange := [call_id for call_id in answers if call_id not in items]:
            known = ", ".join(map(repr, items)) or "none: nothing waits"
            raise DefinitionError(
                "answered(answers)",
                f"No call {strange[0]!r} of this state waits for a person.",
                f"The ids are {known}.",
            )
        kept = tickets or {}
        given: dict[str, tuple[PersonsAnswer, str | None]] = {
            each: (answer, kept.get(each)) for each, answer in answers.items() if answer is not None
        }
        for call_id, (answer, _) in given.items():
            self._check(self._call(items[call_id]), answer)
        for call_id, item in items.items():
            if answers.get(call_id) is False:
                state.reject(item, rejection_message=_DENIED)
            elif call_id in given or not self._call(item).result:
                state.approve(item)
        token = _ANSWERS.set(given)
        try:
            yield
        finally:
            _ANSWERS.reset(token)

    def _tool(self, function: Function) -> FunctionTool:
        rendering = self._tools.renderings[function.name]
        asks = function.confirm or (self._ask is None and function.separated is not None)
        return FunctionTool(
            name=function.name,
            description=function.description,
            params_json_schema=rendering.schema,
            strict_json_schema=rendering.strict,
            on_invoke_tool=self._invoked(function.name),
            needs_approval=self._asked(function.name) if asks else False,
        )

    def _asked(
        self, name: str
    ) -> Callable[[RunContextWrapper[Any], dict[str, Any], str], Awaitable[bool]]:
        async def needs_approval(
            ctx: RunContextWrapper[Any], arguments: dict[str, Any], call_id: str
        ) -> bool:
            del ctx
            return self._lacks_person(self._tools.call_of(name, arguments, call_id))

        return needs_approval

    def _lacks_person(self, call: Call) -> bool:
        """Return whether a call has to be approved, or cannot run without a person's part."""
        if not call.result:
            return False  # nothing of it runs: the model is told what is wrong
        function = self._controller[call.name]
        if function.confirm or function.separated is None or self._ask is not None:
            return function.confirm
        return not function.merge(llm=call.arguments)

    def _invoked(self, name: str) -> Callable[[ToolContext[Any], str], Awaitable[Any]]:
        async def on_invoke_tool(ctx: ToolContext[Any], text: str) -> Any:
            call = self._tools.call_of(name, text, ctx.tool_call_id)
            answer, ticket = _ANSWERS.get({}).pop(ctx.tool_call_id, (None, None))
            human, approve = values_and_approval(answer)
            if approve is None and self._controller[name].confirm:
                approve = True  # the framework lets only what was approved come here
            context = self._context
            if context is None:
                context = ctx.context
            elif callable(context):
                context = context(ctx)
            if human is None:
                human = self._ask
            controller = self._controller
            if ticket is None:
                outcome = await controller.acall(
                    call, human=human, approve=approve, context=context
                )
            else:
                outcome = await controller.aresume(ticket, human, approve=approve, context=context)
            return _told(outcome)

        return on_invoke_tool

    def _check(self, call: Call, answer: PersonsAnswer) -> None:
        """Refuse a person's values that cannot be right.

        Raises:
            CallError: they are wrong.
        """
        human = values_and_approval(answer)[0]
        if call.result and human is not None and not callable(human):
            # Not approved, so that nothing runs: what comes before that is what is wanted.
            outcome = self._controller.call(call, human=human, approve=False)
            if outcome.waiting is not None:
                outcome.unwrap()

    def _call(self, item: ToolApprovalItem) -> Call:
        raw = item.raw_item
        text = raw.get("arguments") if isinstance(raw, dict) else getattr(raw, "arguments", None)
        return self._tools.call_of(item.name or "", text or "", item.call_id)

    def _interruptions(self, state: RunState[Any, Any]) -> dict[str, ToolApprovalItem]:
        return {
            each.call_id: each
            for each in state.get_interruptions()
            if each.call_id and each.name in self._controller
        }


def _told(outcome: Outcome) -> Any:
    if not outcome.content:
        return outcome.text
    files = [
        ToolOutputImage(image_url=data_url(each))
        if media_type_of(each) in IMAGES
        else ToolOutputFileContent(file_data=data_url(each), filename=each.filename)
        for each in outcome.content
    ]
    return [ToolOutputText(text=outcome.text), *files]


_ANSWERS: Final[ContextVar[dict[str, tuple[PersonsAnswer, str | None]]]] = ContextVar("answers")
_DENIED = "A person has to approve this call and has not. Nothing has run."
