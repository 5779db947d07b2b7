"""A controller as a toolset of Pydantic AI.

agent = Agent(model, toolsets=[toolset(shop)], output_type=[str, DeferredToolRequests])
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from pyfunctools._json import JsonValue
from pyfunctools.controller import Controller
from pyfunctools.controller.tools import Tools
from pyfunctools.controller.turns import (
    PersonsAnswer,
    answers_by_call,
    unshown,
    values_and_approval,
)
from pyfunctools.envelopes.envelope import media_type_of
from pyfunctools.errors import Retry, missing_extra
from pyfunctools.integrations.frameworks import (
    calls_inside,
    check_controller,
    context_for,
    what_is_asked,
    withdraw,
)
from pyfunctools.record.call import Call
from pyfunctools.record.function import runs_beside
from pyfunctools.record.outcome import Outcome, still_waits
from pyfunctools.schema import Repair, Success

try:
    from pydantic_ai import RunContext
    from pydantic_ai.exceptions import ApprovalRequired, ModelRetry, ToolFailed
    from pydantic_ai.messages import BinaryContent
    from pydantic_ai.tools import (
        DeferredToolRequests,
        DeferredToolResults,
        ToolApproved,
        ToolDefinition,
        ToolDenied,
    )
    from pydantic_ai.toolsets import AbstractToolset
    from pydantic_ai.toolsets.abstract import ToolsetTool
except ImportError as error:
    raise missing_extra(__name__, "Pydantic AI", "pydantic_ai", "pydantic-ai", error) from error


def toolset(
    controller: Controller,
    *,
    context: object = None,
    dialect: str = "openai",
    retries: int = 3,
    id: str | None = None,  # noqa: A002 - the framework's word
) -> "ControllerToolset":
    """Return the functions of a controller as a toolset for an agent.

    Parameters hinted `Context` get `context`; if that is a function, its result for the framework's
    `RunContext`; and by default the run's `deps`. `dialect` names the vendor for which the schemas
    are written; the framework adapts them further. After `retries` wrong calls of one function in a
    row the framework ends the run.

    Raises:
        DefinitionError: `controller` is not a `Controller`, or as `Controller.tools`.
    """
    check_controller("toolset", controller)
    return ControllerToolset(controller, controller.tools(dialect), context, retries, id)


class ControllerToolset(AbstractToolset[Any]):
    """The functions of a controller, for an agent.

    A call that lacks a person's values or approval becomes one of the framework's deferred
    `approvals`, with the fields of `Outcome.waiting` as its metadata. `results` converts a person's
    answers for the next run.
    """

    def __init__(
        self, controller: Controller, tools: Tools, context: object, retries: int, name: str | None
    ) -> None:
        self._controller = controller
        self._tools = tools
        self._context = context
        self._retries = retries
        self._id = name

    @property
    def id(self) -> str | None:
        """The toolset's name in an agent."""
        return self._id

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        """Return a tool for each function."""
        del ctx
        renderings = self._tools.renderings
        return {
            each.name: ToolsetTool(
                toolset=self,
                tool_def=ToolDefinition(
                    name=each.name,
                    description=each.description or None,
                    parameters_json_schema=renderings[each.name].schema,
                    strict=renderings[each.name].strict,
                    sequential=not runs_beside(each),
                ),
                max_retries=self._retries,
                args_validator=_ArgumentsValidator(self._tools, self._controller, each.name),
            )
            for each in self._controller
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        """Run a function on checked arguments.

        Raises:
            ModelRetry: the function raised `Retry`, or the arguments are invalid.
            ToolFailed: the call failed.
            ApprovalRequired: a person has to give values or approve first. Nothing has run.
        """
        steps, call_id = self._outcome(name, tool_args, ctx), ctx.tool_call_id
        asked = cast("dict[str, Any]", ctx.tool_call_metadata or {}).get("asked")
        del tool, ctx  # which has the person's answers: no traceback with locals may show them
        outcome = await steps
        if outcome.waiting is not None:
            raise ApprovalRequired(metadata=what_is_asked(outcome.waiting, outcome.text, call_id))
        is_good = still_waits(outcome) and outcome.reason != "ticket_foreign"  # the ticket
        if asked and is_good:
            raise ApprovalRequired(metadata={**asked, "text": outcome.text})
        if outcome.reason == "arguments" or isinstance(outcome.exception, Retry):
            raise ModelRetry(outcome.text)
        if outcome.is_error:
            raise ToolFailed(outcome.text)
        files = [
            BinaryContent(data=each.content, media_type=media_type_of(each))
            for each in outcome.content
        ]
        return [outcome.text, *files] if files else outcome.text

    def results(
        self, requests: DeferredToolRequests, answers: Mapping[str, PersonsAnswer]
    ) -> DeferredToolResults:
        """Return the `DeferredToolResults` of the calls that a person has answered.

        `answers` maps the id of a call, also of one inside a program, to the person's values, to
        `True` or `False` for an approval, or to an `Approval`; other calls stay waiting. The
        requests may have been stored as JSON by another process. A ticket in their metadata ensures
        that no call runs twice; that of a declined call is withdrawn.

        Raises:
            DefinitionError: no call with the id of an answer waits.
            Exception: whatever the store of tickets raises; then nothing is decided.
        """
        asked_for = [each for each in requests.approvals if each.tool_name in self._controller]
        ids = [each.tool_call_id for each in asked_for]
        waiting = {call_id: requests.metadata.get(call_id, {}) for call_id in ids}
        answers = unshown(answers)  # in a traceback with locals
        inside = {call_id: calls_inside(each) for call_id, each in waiting.items()}
        answers = answers_by_call("results", answers, inside, "these requests")
        made = DeferredToolResults()
        for call_id, asked in waiting.items():
            answer = answers.get(call_id)
            ticket = asked.get("ticket")
            denied = ToolDenied(withdraw(self._controller, ticket)) if answer is False else None
            made.approvals[call_id] = denied or ToolApproved()
            made.metadata[call_id] = {"ticket": ticket, "answer": answer, "asked": dict(asked)}
        return made

    async def _outcome(self, name: str, args: dict[str, Any], ctx: RunContext[Any]) -> Outcome:
        given = unshown(ctx.tool_call_metadata if ctx.tool_call_approved else None)
        metadata = cast("dict[str, Any]", given if isinstance(given, dict) else {})
        answer = unshown(metadata.get("answer", True if ctx.tool_call_approved else None))
        human, approve = values_and_approval(answer)
        context, call_id = context_for(self._context, ctx, ctx.deps), ctx.tool_call_id
        del ctx
        if ticket := metadata.get("ticket"):
            return await self._controller.aresume(ticket, human, approve=approve, context=context)
        arguments = cast("JsonValue", dict(args))
        result = Success(value=arguments, repairs=getattr(args, "repairs", ()))
        call = Call(id=call_id, name=name, arguments=arguments, result=result)
        return await self._controller.acall(call, human=human, approve=approve, context=context)


class _ArgumentsValidator(NamedTuple):
    """Checks the arguments of one function, in place of a pydantic validator."""

    tools: Tools
    controller: Controller
    name: str

    def validate_python(self, input: Any, **_: Any) -> "_Arguments":  # noqa: A002
        call = self.tools.call_of(self.name, input)
        if not call.result:
            raise ModelRetry(self.controller.call(call).text)  # a failure: nothing can run
        return _Arguments(cast("dict[str, Any]", call.arguments), call.repairs)

    def validate_json(self, input: str | bytes | bytearray, **_: Any) -> "_Arguments":  # noqa: A002
        return self.validate_python(input if isinstance(input, str) else bytes(input).decode())


class _Arguments(dict[str, Any]):
    """Checked arguments on their way through the framework, with their repairs."""

    def __init__(self, arguments: dict[str, Any], repairs: tuple[Repair, ...]) -> None:
        super().__init__(arguments)
        self.repairs = repairs
