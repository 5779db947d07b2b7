"""`Tools`: a controller's functions as a vendor's list of tools, which runs the model's calls.

tools = shop.tools("openai")
response = client.chat.completions.create(model=..., messages=messages, tools=tools)
turn = tools.run(response)
messages += turn.messages
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import isawaitable
from typing import Any

from pyfunctools._json import JsonValue
from pyfunctools.controller.calling import Calling, text_limit
from pyfunctools.controller.tool_list import renderings_of, size_of, tool_items
from pyfunctools.controller.turns import TurnRunner
from pyfunctools.dialects.loss import Loss
from pyfunctools.dialects.rendering import Rendering
from pyfunctools.dialects.table import dialect_of
from pyfunctools.envelopes import ENVELOPES, ModelCall, ModelTurn, StreamReader, envelope_of
from pyfunctools.envelopes.blocks import MAX_CALLS, Ids
from pyfunctools.envelopes.mcp import traits_of
from pyfunctools.errors import DefinitionError
from pyfunctools.execution.truncation import truncated
from pyfunctools.prompting.calls.check import as_cut_off, check_call
from pyfunctools.prompting.calls.found import FoundCall
from pyfunctools.prompting.calls.names import FunctionNames
from pyfunctools.record.call import Call
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Outcome
from pyfunctools.schema import Failure, Issue, Path


class Tools(TurnRunner, list[Any]):
    """The functions of a controller as the list of tools that a vendor's API accepts.

    It is a plain list of plain dictionaries, to be sent unchanged or with other tools:
    `[*tools, {"type": "web_search"}]`. Its methods use the controller, not the items. A copy or a
    pickle has only the items. `dialect` is the argument of `Controller.tools`. `losses` maps a
    function's name to its losses: the parts that the vendor's schemas cannot express.
    """

    dialect: str
    losses: Mapping[str, tuple[Loss, ...]]

    def __init__(
        self,
        controller: Calling,
        dialect: str,
        *,
        strict: bool | None = None,
        inline: bool | None = None,
        budget: int | None = None,
    ) -> None:
        """Render the functions; see `Controller.tools`.

        Raises:
            DefinitionError: as `Controller.tools`.
        """
        row, functions = dialect_of(dialect), controller.functions
        envelope = self._vendor = envelope_of(row.envelope)
        TurnRunner.__init__(self, controller, dialect, envelope)
        self.dialect = dialect
        self._names = FunctionNames(functions)
        self._renderings = renderings_of(functions, row, strict=strict, inline=inline)

        def item(function: Function, description: str, schema: dict[str, Any]) -> dict[str, Any]:
            enforced = self._renderings[function.name].strict if row.strict is not None else None
            tool = envelope.tool(function.name, description, schema, strict=enforced)
            return {**tool, **traits_of(function)} if row.envelope == "mcp" else tool

        list[Any].__init__(self, tool_items(functions, self._renderings, item, budget))
        lost = {name: rendering.losses for name, rendering in self._renderings.items()}
        self.losses = {name: losses for name, losses in lost.items() if losses}

    def __reduce_ex__(self, protocol: object) -> tuple[object, ...]:
        return list, (list(self),)

    @property
    def bytes(self) -> int:
        """The size of the list as compact JSON in UTF-8."""
        return size_of(self)

    @property
    def renderings(self) -> Mapping[str, Rendering]:
        """The rendering of each function's arguments for the vendor, by the function's name."""
        return dict(self._renderings)

    @property
    def request(self) -> dict[str, Any]:
        """The keyword arguments for a vendor that does not accept the list as `tools=`."""
        return self._vendor.request(list(self))

    def calls(self, response: object) -> list[Call]:
        """Check and return the calls of a response, in their order; nothing is run.

        `response` is an object of the vendor's SDK, or the same as plain data. A call of an unknown
        function and a truncated call have a `Failure` as their result.

        Raises:
            DefinitionError: this is not a response of the vendor.
        """
        return self._calls(self._read_turn(response))

    def call_of(self, name: str, arguments: str | JsonValue, call_id: str | None = None) -> Call:
        """Check and return one call of a response that a framework has read; nothing is run.

        `arguments` are the model's text, or the value that the framework parsed.
        """
        return self._call(ModelCall(id=call_id, name=name, arguments=arguments), call_id or "")

    def reading(self) -> StreamReader:
        """Return a reader of one stream: pass each event to `feed`, then `response` to `run`."""
        return self._vendor.stream_reader()

    def _read_turn(self, response: object) -> ModelTurn:
        if self._vendor.is_response(response):
            return self._vendor.read_turn(response)
        others = [name for name, each in ENVELOPES.items() if each.is_response(response)]
        if others:
            reason = f"This is a response of {others[0]!r}, and the tools are for {self.dialect!r}."
            remedy = f"Write `controller.tools({others[0]!r})`."
        else:
            kind = type(response).__name__
            reason = f"The response must be that of {self.dialect!r}, not `{kind}`."
            remedy = _remedy_for(response)
        raise DefinitionError("tools.run(response)", reason, remedy)

    def _calls(self, model_turn: ModelTurn, ids: Sequence[str] | None = None) -> list[Call]:
        unique = Ids()
        given = [unique.of(each.id) for each in model_turn.calls] if ids is None else ids
        return [
            self._call(each, call_id) if place < MAX_CALLS else _surplus(each, call_id)
            for place, (each, call_id) in enumerate(zip(model_turn.calls, given, strict=True))
        ]

    def _call(self, written: ModelCall, call_id: str) -> Call:
        function = self._names.find(written.name)
        rendering = None if function is None else self._renderings[function.name]
        if function is not None and rendering is not None and rendering.reshapes:
            result = function.check(written.arguments, rendering=rendering)
            result = result if written.closed else as_cut_off(result)
        else:
            result = check_call(
                FoundCall(
                    name=written.name,
                    function=function,
                    arguments=written.arguments,
                    cut_off=not written.closed,
                ),
                self._names,
            )
        return Call(
            id=call_id,
            name=written.name if function is None else function.name,
            arguments=result.value,
            result=result,
            repairs=result.repairs,
            namespace=written.namespace,
            caller=written.caller,
        )

    def _reworded(self, call: Call, outcome: Outcome) -> Outcome:
        """Return an outcome with the names and shape of the arguments that the model saw.

        The issues from `check` have them already; later ones (from the merged value, or from a
        validator of the application) do not.
        """
        rendering = self._renderings.get(call.name)
        own = tuple(each for each in outcome.issues if each.side != "human")
        if outcome.reason != "arguments" or not own or not call.result:
            return outcome
        if rendering is None or not rendering.reshapes:
            return outcome
        failure = rendering.reworded(Failure(value=call.arguments, issues=own))
        limit = text_limit(self._controller, call.name)
        human = tuple(each for each in outcome.issues if each.side == "human")
        text = truncated(failure.feedback(), limit)
        return replace(outcome, text=text, issues=(*failure.issues, *human))


def _surplus(written: ModelCall, call_id: str) -> Call:
    issue = Issue(
        path=Path.of(()),
        expected=f"at most {MAX_CALLS} calls",
        value=None,
        message=f"There are more than {MAX_CALLS} calls; this one and all later ones are not run.",
    )
    failure = Failure(value={}, issues=(issue,))
    return Call(id=call_id, name=written.name, arguments={}, result=failure)


def _remedy_for(response: object) -> str:
    """Return the remedy for a value that is not a response."""
    if isawaitable(response):
        return "Await it first: `response = await client...`, then `await tools.arun(response)`."
    if hasattr(response, "__next__") or hasattr(response, "__anext__"):
        return "Feed a stream's events to `reading = tools.reading()`, and pass `reading.response`."
    return (
        "Pass the whole response: the object of the SDK, or its plain data; "
        "`controller.parse_calls` finds the calls in a text."
    )
