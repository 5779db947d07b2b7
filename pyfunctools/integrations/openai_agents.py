"""A controller as tools of the OpenAI Agents SDK.

agent = Agent(name="...", tools=tools(shop))
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, Final

from pyfunctools.controller import Controller
from pyfunctools.controller.calling import CallOptions, called_function, look_at
from pyfunctools.controller.turns import (
    PersonsAnswer,
    answers_by_call,
    unshown,
    values_and_approval,
)
from pyfunctools.envelopes.envelope import IMAGES, data_url, media_type_of
from pyfunctools.errors import missing_extra, wrong_type
from pyfunctools.execution.person.approval import Ask
from pyfunctools.execution.steps import finish
from pyfunctools.integrations.frameworks import check_controller, context_for, withdraw
from pyfunctools.record.call import Call
from pyfunctools.record.function import Function, settings_of
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
    package = "The OpenAI Agents SDK"
    raise missing_extra(__name__, package, "agents", "openai-agents", error) from error


def tools(
    controller: Controller,
    *,
    human: Ask | None = None,
    context: object = None,
    dialect: str = "openai-responses",
) -> "ControllerTools":
    """Return the functions of a controller as the tools of an agent.

    A call that lacks a person's values or approval interrupts the run; `ControllerTools.answered`
    continues it. With `human`, a callable as in `Controller.call`, the person gives values during
    the run, and only approvals interrupt it. Parameters hinted `Context` get `context`; if that is
    a function, its result for the framework's `RunContextWrapper`; and by default the context of
    the run. `dialect` names the vendor for which the schemas are written.

    Raises:
        DefinitionError: `controller` is not a `Controller`, `human` is not a function, or as
            `Controller.tools`.
    """
    check_controller("tools", controller)
    if human is not None and not callable(human):
        remedy = "Pass values when a call waits: `with tools.answered(state, {id: values})`."
        raise wrong_type("tools(human)", "a function of a pending call", human, remedy)
    return ControllerTools(controller, human=human, context=context, dialect=dialect)


class ControllerTools(list[Tool]):
    """The functions of a controller as a list of tools, with a person's answers to their calls."""

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

        A call with invalid arguments is not among them: `answered` approves it, since it cannot run
        and the model has to get the error.
        """
        found: dict[str, Waiting] = {}
        for call_id, item in self._interruptions(state).items():
            context = None if callable(self._context) else self._context
            waiting = finish(self._waiting(self._call(item), context, awaits=False))
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
        """Approve or reject the calls that a person has answered, for a run inside this block.

        `answers` maps the id of a call to the person's values, to `True` or `False` for an
        approval, or to an `Approval`. The state stores the decisions; the values exist only in this
        block, and are used for one call. Other calls stay waiting.

        The state cannot store tickets. Keep those of `waiting` beside it, by id, and pass them as
        `tickets`: then no call runs twice, no declined one runs later, and none of a changed
        function.

        Raises:
            DefinitionError: no call with the id of an answer interrupted the run.
            CallError: a person's values are invalid; its `outcome` waits, and has the issues.
                Nothing was decided.
        """
        items = self._interruptions(state)
        answers = unshown(answers)  # in a traceback with locals
        answers = answers_by_call("answered", answers, dict.fromkeys(items, ()), "this state")
        stored = tickets or {}
        said = [each for each in answers if answers[each] is not None]
        given: dict[str, tuple[PersonsAnswer, str | None]] = unshown(
            {each: (answers[each], stored.get(each)) for each in said}
        )
        for call_id in given:
            self._check(self._call(items[call_id]), answers, call_id)
        for call_id, item in items.items():
            if answers.get(call_id) is False:
                declined = withdraw(self._controller, stored.get(call_id))
                state.reject(item, rejection_message=declined)
            elif call_id in given or not self._call(item).result:
                state.approve(item)
        token = _ANSWERS.set(given)
        try:
            yield
        finally:
            _ANSWERS.reset(token)

    def _tool(self, function: Function) -> FunctionTool:
        rendering = self._tools.renderings[function.name]
        behind = self._controller._behind  # pyright: ignore[reportPrivateUsage]
        called = [function]
        if behind is not None and function is behind.call:
            called = list(behind.whole.functions)
        asks = any(map(self._may_interrupt, called))
        return FunctionTool(
            name=function.name,
            description=function.description,
            params_json_schema=rendering.schema,
            strict_json_schema=rendering.strict,
            on_invoke_tool=partial(self._invoke, function.name),
            needs_approval=partial(self._needs_approval, function.name) if asks else False,
        )

    async def _needs_approval(
        self, name: str, ctx: RunContextWrapper[Any], arguments: dict[str, Any], call_id: str
    ) -> bool:
        call, context = self._tools.call_of(name, arguments, call_id), self._context_of(ctx)
        return await self._waiting(call, context, awaits=True) is not None

    def _context_of(self, ctx: RunContextWrapper[Any]) -> object:
        return context_for(self._context, ctx, ctx.context)

    def _may_interrupt(self, function: Function) -> bool:
        is_asked_before = self._ask is None and function.separated is not None
        return _may_want_approval(function) or is_asked_before

    async def _waiting(self, call: Call, context: object, *, awaits: bool) -> Waiting | None:
        """Return what a call waits for before it runs, if that interrupts the run."""
        function = called_function(self._controller, call)
        if function is None or not self._may_interrupt(function):
            return None
        options = CallOptions(context=context)
        waiting = (await look_at(self._controller, call, options, awaits=awaits)).waiting
        is_asked_then = self._ask is not None and waiting is not None and not waiting.approval
        return None if is_asked_then else waiting

    async def _invoke(self, name: str, ctx: ToolContext[Any], text: str) -> Any:
        call = self._tools.call_of(name, text, ctx.tool_call_id)
        answer, ticket = _ANSWERS.get({}).pop(ctx.tool_call_id, (None, None))
        human, approve = values_and_approval(answer)
        if approve is None:  # a rule may want an approval that the framework has not asked for
            approve = ctx.is_tool_approved(name, ctx.tool_call_id)
        human = self._ask if human is None else human
        options = CallOptions(human=human, approve=approve, context=self._context_of(ctx))
        if ticket is not None:
            return _content(await self._controller.aresume(ticket, **options))
        return _content(await self._controller.acall(call, **options))

    def _check(self, call: Call, answers: Mapping[str, PersonsAnswer], call_id: str) -> None:
        """Check a person's values."""
        human = values_and_approval(answers[call_id])[0]
        if call.result and human is not None and not callable(human):
            # `approve=False`: the values are checked, but nothing runs.
            outcome = self._controller.call(call, human=human, approve=False)
            del human  # a traceback with locals must not show them
            if outcome.waiting is not None:
                outcome.unwrap()

    def _call(self, item: ToolApprovalItem) -> Call:
        raw = item.raw_item
        text = raw.get("arguments") if isinstance(raw, dict) else getattr(raw, "arguments", None)
        return self._tools.call_of(item.name or "", text or "", item.call_id)

    def _interruptions(self, state: RunState[Any, Any]) -> dict[str, ToolApprovalItem]:
        own = (each for each in state.get_interruptions() if each.name in self._controller)
        return {each.call_id: each for each in own if each.call_id}


def _may_want_approval(function: Function) -> bool:
    settings = settings_of(function)
    return function.confirm or bool(settings and settings.confirm)


def _content(outcome: Outcome) -> Any:
    parts: list[Any] = [ToolOutputText(text=outcome.text)]
    for each in outcome.content:
        is_image, url = media_type_of(each) in IMAGES, data_url(each)
        file = ToolOutputFileContent(file_data=url, filename=each.filename)
        parts.append(ToolOutputImage(image_url=url) if is_image else file)
    return parts if outcome.content else outcome.text


_ANSWERS: Final[ContextVar[dict[str, tuple[PersonsAnswer, str | None]]]] = ContextVar("answers")
