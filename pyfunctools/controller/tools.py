"""`Tools`: a controller's functions as a vendor's list of tools, which runs the model's calls.

`ResponseFormat` asks the same vendor for an answer of a type instead.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.controller.call_errors import listed, says_its_form
from pyfunctools.controller.calling import Calling
from pyfunctools.controller.searchable import FIND, VendorSearch
from pyfunctools.controller.tool_list import renderings_of, size_of, tool_items, with_examples
from pyfunctools.controller.turns import TurnRunner
from pyfunctools.dialects.partial import PartialArguments
from pyfunctools.dialects.rendering import Rendering, render
from pyfunctools.dialects.subschema import Loss
from pyfunctools.dialects.table import dialect_of
from pyfunctools.envelopes.envelope import Envelope, ModelCall, ModelTurn, StreamReader
from pyfunctools.envelopes.mcp import traits_of
from pyfunctools.envelopes.plain import Ids
from pyfunctools.envelopes.vendors import ENVELOPES, envelope_of
from pyfunctools.errors import DefinitionError, UnknownFunctionError, wrong_type
from pyfunctools.execution.truncation import truncated
from pyfunctools.prompting.calls.calls import parse_calls
from pyfunctools.prompting.calls.check import as_cut_off, check_calls
from pyfunctools.prompting.calls.names import FunctionNames
from pyfunctools.record.call import Call
from pyfunctools.record.function import Function, handler_of
from pyfunctools.record.outcome import Outcome
from pyfunctools.schema import Failure, Issue, Path, Success, parse
from pyfunctools.schema.ground.did_you_mean import near_names
from pyfunctools.schema.ground.references import resolve
from pyfunctools.sources.python.reader import function_of


@says_its_form
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
        strict: bool | None = None,
        *,
        inline: bool | None = None,
        size: int | None = None,
        search: type[VendorSearch] | None = None,
        keep: Iterable[str] = (),
        cache: bool = False,
    ) -> None:
        """Render the functions; with `search` those not kept are deferred."""
        row, functions = dialect_of(dialect), controller.functions
        envelope = self._vendor = envelope_of(dialect)
        self._names, kept = FunctionNames(functions), frozenset(keep)
        if search is not None:
            envelope = self._vendor = cast(
                "Envelope", search(envelope, kept, self._definition, self._names.functions)
            )
            if not search.lists_all:
                functions = [each for each in functions if each.name in (*kept, FIND)]
        TurnRunner.__init__(self, controller, dialect, envelope)
        self.dialect = dialect
        self._renderings = renderings_of(functions, row, strict=strict, inline=inline)
        self._row, self._settings = row, {"strict": strict, "inline": inline}
        items = tool_items(functions, self._renderings, self._item, size)
        if row.examples is not None:
            items = with_examples(items, functions, self._renderings, row.examples, size)
        list[Any].__init__(self, envelope.listed(items, cache=cache))
        lost = {name: rendering.losses for name, rendering in self._renderings.items()}
        self.losses = {name: losses for name, losses in lost.items() if losses}

    def _rendering(self, function: Function) -> Rendering:
        """Return a function's rendering; that of a deferred one is made when it is needed."""
        made, name = self._renderings, function.name
        if name not in made:
            made[name] = function.render(self.dialect, **self._settings)
        return made[name]

    def _item(self, function: Function, description: str, schema: dict[str, Any]) -> dict[str, Any]:
        strict = None if self._row.strict is None else self._rendering(function).strict
        tool = self._vendor.tool(function.name, description, schema, strict=strict)
        return {**tool, **traits_of(function)} if self._row.envelope == "mcp" else tool

    def _definition(self, name: str) -> dict[str, Any]:
        function = self._names.functions[name]
        return self._item(function, function.description, self._rendering(function).schema)

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
        """What the vendor wants beside the list, as keyword arguments.

        For Bedrock they contain the list; for Gemini they are keys of `config`, with the list.
        """
        strict = all(each.strict for each in self._renderings.values())
        return self._vendor.request(list(self), strict=strict)

    def choice(self, which: str | Sequence[str]) -> dict[str, Any]:
        """Return the keyword arguments that tell the model to call `"any"` function, or `"none"`.

        Or one of these names. For Gemini they are keys of `config`; for Bedrock they replace
        `request`.

        Raises:
            DefinitionError: this is no choice, or the vendor has no word for it.
            UnknownFunctionError: a function does not exist.
        """
        names = tuple(listed("choice", "which", which))
        if len(names) == 1 and names[0] not in self._renderings:
            remedy = _NO_CHOICES.get(names[0].lower())
            if remedy is not None:
                raise DefinitionError("tools.choice", f"{names[0]!r} is no choice.", remedy)
        if not names:
            raise DefinitionError("tools.choice", "There is no name.", 'Write `choice("none")`.')
        is_word = names in (("any",), ("none",)) and names[0] not in self._renderings
        kind = names[0] if is_word else "one" if len(names) == 1 else "many"
        for name in () if is_word else names:
            if name not in self._renderings:
                raise UnknownFunctionError(
                    name, near_names(name, self._renderings), self._renderings
                )
        if kind not in self._row.choices:
            known = ", ".join(sorted(self._row.choices)) or "none at all"
            reason = f"{self.dialect!r} has no word for this choice; it has: {known}."
            raise DefinitionError("tools.choice", reason, "Select the functions to send instead.")
        return self._vendor.choice(names[0] if is_word else names, list(self))  # pyright: ignore[reportArgumentType]

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
        written = ModelCall(id=call_id, name=name, arguments=arguments)
        return check_calls([written], [call_id or ""], self._names, self._rendering)[0]

    def reading(self) -> StreamReader:
        """Return a reader of one stream: pass each event to `feed`, then `response` to `run`.

        Raises:
            DefinitionError: the calls are not streamed, as those of MCP.
        """
        if self._vendor.stream_reader is None:
            reason = f"The calls of {self.dialect!r} are not streamed."
            raise DefinitionError("tools.reading", reason, "Pass each request to `tools.run`.")
        reader = self._vendor.stream_reader()
        reader.partial = self._partial
        return reader

    def _partial(self, name: str) -> PartialArguments:
        function = self._names.find(name)
        return PartialArguments() if function is None else self._rendering(function).partial()

    def _read_turn(self, response: object) -> ModelTurn:
        if self._vendor.is_response(response):
            return self._mended(self._vendor.read_turn(response))
        others = [name for name, each in ENVELOPES.items() if each.is_response(response)]
        if others:
            reason = f"This is a response of {others[0]!r}, and the tools are for {self.dialect!r}."
            remedy = f"Write `controller.tools({others[0]!r})`."
        else:
            remedy, wanted = _remedy_for(response), f"a response of {self.dialect!r}"
            if not isinstance(response, Mapping):
                raise wrong_type("tools.run(response)", wanted, response, remedy)
            keys = [str(key)[:40] for key in cast("Mapping[object, object]", response)][:5]
            reason = f"This must be {wanted}, and its keys are {keys}."
        raise DefinitionError("tools.run(response)", reason, remedy)

    def _mended(self, turn: ModelTurn) -> ModelTurn:
        """Return a turn with the calls that the vendor could not read but we can."""
        if turn.ended != "malformed" or turn.calls:
            return turn
        found = parse_calls(turn.broken, self._controller.functions)
        calls = [ModelCall(id=None, name=each.name, arguments=each.arguments) for each in found]
        return replace(turn, calls=tuple(calls), in_words=True)

    def _calls(self, model_turn: ModelTurn, ids: Sequence[str] | None = None) -> list[Call]:
        unique = Ids()
        given = [unique.of(each.id) for each in model_turn.calls] if ids is None else ids
        return check_calls(model_turn.calls, given, self._names, self._rendering)

    def _reworded(self, call: Call, outcome: Outcome) -> Outcome:
        """Return an outcome with the names and shape of the arguments that the model saw.

        The issues from `check` have them already; later ones (from the merged value, or from a
        validator of the application) do not.
        """
        own = tuple(each for each in outcome.issues if each.side != "human")
        was_seen = outcome.function == call.name  # else a search found it, with its own names
        if outcome.reason != "arguments" or not (own and was_seen and call.result):
            return outcome
        rendering = self._rendering(self._names.functions[call.name])
        if not rendering.reshapes:
            return outcome
        failure = rendering.reworded(Failure(value=call.arguments, issues=own))
        _, runner = self._controller._entries[call.name]  # pyright: ignore[reportPrivateUsage]
        human = tuple(each for each in outcome.issues if each.side == "human")
        text = truncated(failure.feedback(), runner.limits.outcome)
        return replace(outcome, text=text, issues=(*failure.issues, *human))


def _remedy_for(response: object) -> str:
    """Return the remedy for a value that is not a response."""
    if hasattr(response, "__next__") or hasattr(response, "__anext__"):
        return "Feed a stream's events to `reading = tools.reading()`, and pass `reading.response`."
    return (
        "Pass the whole response: the object of the SDK, or its plain data; "
        "`controller.parse_calls` finds the calls in a text."
    )


_NO_CHOICES = {
    "auto": "A model may choose by itself where nothing is said: leave `choice` out.",
    "required": 'Write `choice("any")`.',
}
"""Vendors' words which are no choice here, and what to write instead."""

_NAME = "answer"
_VALUE = "value"
_A_TYPE = (
    "Pass a type, not its schema: a dataclass, a TypedDict, a pydantic model, `list[int]`, ..."
)


class ResponseFormat:
    """An answer of a type in one vendor's words.

    `request` are keyword arguments for the vendor's client (for Gemini, keys of `config`), and
    `read` reads a response.
    """

    def __init__(self, kind: Any, dialect: str) -> None:
        """Render the type; see `Controller.response_format`."""
        row = dialect_of(dialect)
        if row.answers == "none":
            reason = f"{dialect!r} takes no schema of its answer."
            raise DefinitionError("response_format", reason, "Ask for the answer as a call.")

        def answer(value: Any) -> Any:
            return value

        answer.__annotations__ = {_VALUE: kind}
        self._kind, self._dialect = kind, dialect
        self._vendor = envelope_of(dialect)
        try:
            self._whole = function_of(answer, is_human=None)
        except DefinitionError as error:
            raise DefinitionError("response_format", error.reason, _A_TYPE) from error
        schema, self._is_wrapped = _object_schema(self._whole.parameters)
        self._function = Function.from_schema(name=_NAME, parameters=schema, is_human=None)
        self._rendering = render(self._function.parameters, dialect, strict=True)
        refused = [loss for loss in self._rendering.losses if loss.how == "refused"]
        if refused and row.answers == "strict":
            places = ", ".join(f"{loss.path} ({loss.keyword})" for loss in refused[:3])
            reason = f"{dialect!r} enforces its answers, and cannot express {places}."
            raise DefinitionError("response_format", reason, "Give these places a narrower type.")

    def __reduce__(self) -> tuple[object, ...]:
        return ResponseFormat, (self._kind, self._dialect)

    @property
    def request(self) -> dict[str, Any]:
        """The keyword arguments that ask for the answer."""
        strict = self._rendering.strict
        return self._vendor.answer(_NAME, self._rendering.schema, strict=strict)

    def read(self, response: object) -> Success[Any] | Failure:
        """Return the answer as a value of the type, or what is wrong with it.

        `response` is an object of the vendor's SDK, or the same as plain data, or the text of the
        answer. `Failure.feedback()` is a message for the model.

        Raises:
            DefinitionError: this is neither a text nor a response of the vendor.
        """
        if isinstance(response, str):
            text, is_cut, ended = response, False, "stop"
        elif self._vendor.is_response(response):
            turn = self._vendor.read_turn(response)
            text, is_cut, ended = turn.text, turn.cut, turn.ended
        else:
            wanted = f"a response of {self._dialect!r}, whole, or its text"
            raise wrong_type("read(response)", wanted, response)
        if not text.strip() or ended in ("refusal", "filter"):
            message = f"The model gave no answer: its turn ended with {ended!r}."
            issue = Issue(path=Path.of(()), expected="an answer", value=text, message=message)
            return Failure(value=text, issues=(issue,))
        result = self._function.check(text, rendering=self._rendering)
        bare = parse(text) if self._is_wrapped and not result else None
        if bare and not isinstance(bare.value, dict):  # the value without its wrapper
            wrapped = self._function.check({_VALUE: bare.value}, rendering=self._rendering)
            result = wrapped or result
        result = as_cut_off(result) if is_cut else result
        if not result:
            return result
        given = result.value if self._is_wrapped else {_VALUE: result.value}
        handler = handler_of(self._whole)
        bound = handler.bind(given, None) if handler is not None else Success(value=lambda: given)
        return replace(result, value=bound.value()) if bound else bound


def _object_schema(parameters: Any) -> tuple[JsonSchema, bool]:
    """Return the schema of an answer, an object, and whether the value is its only property."""
    inner = parameters["properties"][_VALUE]
    target = resolve(parameters, inner)
    if not isinstance(target, dict) or target.get("type") != "object":
        return parameters, True
    defined = {"$defs": parameters["$defs"]} if "$defs" in parameters else {}
    return {**target, **defined}, False
