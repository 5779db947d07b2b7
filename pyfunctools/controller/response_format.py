"""`ResponseFormat`: asks a model for an answer of a type, and reads the answer."""

from dataclasses import replace
from typing import Any

from pyfunctools._json import JsonSchema
from pyfunctools.dialects.rendering import render
from pyfunctools.dialects.table import dialect_of
from pyfunctools.envelopes.vendors import envelope_of
from pyfunctools.errors import DefinitionError
from pyfunctools.prompting.calls.check import as_cut_off
from pyfunctools.record.function import Function, handler_of
from pyfunctools.schema import Failure, Issue, Path, Success, parse
from pyfunctools.schema.ground.references import resolve
from pyfunctools.sources.python.reader import function_of

_NAME = "answer"
_VALUE = "value"


class ResponseFormat:
    """An answer of a type in one vendor's words.

    `request` are keyword arguments for the vendor's client (for Gemini, keys of `config`), and
    `read` reads a response.
    """

    def __init__(self, kind: Any, dialect: str) -> None:
        """Render the type.

        Raises:
            DefinitionError: the dialect is unknown or takes no schema of an answer, or it has no
                schema for the type.
        """
        row = dialect_of(dialect)
        if row.answers == "none":
            reason = f"{dialect!r} takes no schema of its answer."
            raise DefinitionError("response_format", reason, "Ask for the answer as a call.")

        def answer(value: Any) -> Any:
            return value

        answer.__annotations__ = {_VALUE: kind}
        self._dialect = dialect
        self._vendor = envelope_of(dialect)
        self._whole = function_of(answer, is_human=None)
        schema, self._is_wrapped = _object_schema(self._whole.parameters)
        self._function = Function.from_schema(name=_NAME, parameters=schema, is_human=None)
        self._rendering = render(self._function.parameters, dialect, strict=True)
        refused = [loss for loss in self._rendering.losses if loss.how == "refused"]
        if refused and row.answers == "strict":
            places = ", ".join(f"{loss.path} ({loss.keyword})" for loss in refused[:3])
            reason = f"{dialect!r} enforces its answers, and cannot express {places}."
            raise DefinitionError("response_format", reason, "Give these places a narrower type.")

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
            reason = f"The response must be that of {self._dialect!r}."
            raise DefinitionError("read(response)", reason)
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
