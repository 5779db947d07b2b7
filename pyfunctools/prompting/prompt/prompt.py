"""`Prompt`: functions for a model that has no function calling of its own."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from json import dumps
from typing import Any, cast

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools._text import record_repr
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.prompting.prompt.definitions import Gathered
from pyfunctools.prompting.prompt.response_schema import response_schema
from pyfunctools.prompting.prompt.signature import signature, type_of
from pyfunctools.record.function import Function
from pyfunctools.schema.ground.preview import escape_invisible, preview_scalar
from pyfunctools.schema.ground.references import reference_to


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Prompt:
    """What a model is told about functions, and the JSON Schema of its answer.

    `system` is text for the system prompt. `response_schema` is for a server that can hold a model
    to a schema (`response_format`, `format`, a grammar); one that cannot does without it.
    """

    system: str
    response_schema: Mapping[str, Any]

    def __repr__(self) -> str:
        return record_repr(self, "system", "response_schema")


def prompt_of(
    functions: Iterable[Function], *, compact: bool = False, must_call: bool = False
) -> Prompt:
    """Return the prompt for these functions, or for those of a controller.

    A call is `{"functionCall": {"name": ..., "args": {...}}}`, which `parse_calls` reads; unless
    the model `must_call`, `{"answer": "..."}` is an answer in words. Each function is shown with
    its name, description and the model's part of its parameters as JSON Schema, one a line;
    `compact` shows it as a signature with a shortened description instead, in far fewer tokens, and
    leaves out what a signature cannot say.

    `response_schema` takes every right answer, and some that are not: it says only what servers can
    hold a model to (no `not`, `if`, `uniqueItems`, rare formats; `oneOf` is `anyOf`), for some drop
    a whole schema over one keyword they do not know. To check the arguments says the rest.

    In a property's name or an allowed value, where nothing can be left out, characters that a
    person would not see stand in `system` as JSON escapes, and in `response_schema` as they are.

    Raises:
        DefinitionError: two functions have one name, one is no `Function`, or there is none and
            the model `must_call`.
        SchemaError: a schema is not one.
    """
    gathered = Gathered()
    listed: dict[str, _Shown] = {}
    for function in map(_function, _several(functions)):
        if function.name in listed:
            raise DefinitionError(function.name, "Two functions have this name.", "Rename one.")
        side = function.llm
        listed[function.name] = _Shown(function.name, function.description, gathered.add(side))
    if must_call and not listed:
        raise DefinitionError("prompt_of", "There is no function to call.", "Give at least one.")
    system = _system(
        list(listed.values()), gathered.definitions, compact=compact, must_call=must_call
    )
    calls = {each.name: each.parameters for each in listed.values()}
    schema = response_schema(calls, gathered.definitions, must_call=must_call)
    return Prompt(system=system, response_schema=schema)


def _several(given: object) -> Iterable[object]:
    if isinstance(given, Iterable):
        return cast("Iterable[object]", given)
    raise wrong_type("prompt_of", "functions", given, "Write a controller, or `[function]`.")


def _function(given: object) -> Function:
    if isinstance(given, Function):
        return given
    remedy = "Make one with `function_of`, or give a controller."
    raise wrong_type(preview_scalar(given), "a `Function`", given, remedy)


@dataclass(frozen=True, slots=True)
class _Shown:
    name: str
    description: str
    parameters: JsonSchema


_CALL = """\
You can call functions. To call one, answer with one JSON object and nothing else:
{"functionCall": {"name": "<name>", "args": {<arguments>}}}"""
_MUST_CALL = "Always call one."
_ANSWER = 'To answer in words instead: {"answer": "<text>"}'
_ONLY_ANSWER = 'Answer with one JSON object and nothing else: {"answer": "<text>"}'
_CARE = "Take the arguments from what you were told: never make up a value."
_LISTED = "The functions, one a line; the arguments must fit the JSON Schema in parameters:"
_DEFINED = "What the references ($ref) in them mean:"
_SIGNED = "The functions and their arguments, where ? marks what may be left out:"
_TYPES = "The types named there:"


def _system(
    functions: Sequence[_Shown], definitions: JsonObject, *, compact: bool, must_call: bool
) -> str:
    if not functions:
        return _ONLY_ANSWER
    parts = [_CALL, _MUST_CALL if must_call else _ANSWER, _CARE, ""]
    parts.append(_SIGNED if compact else _LISTED)
    for each in functions:
        described = {"description": each.description} if each.description else {}
        parts.append(
            signature(each.name, each.description, each.parameters)
            if compact
            else _line({"name": each.name, **described, "parameters": each.parameters})
        )
    if definitions:
        parts += ["", _TYPES if compact else _DEFINED]
    for name, inner in definitions.items():
        schema = inner if isinstance(inner, dict | bool) else True
        parts.append(
            f"{name} = {type_of(schema)}" if compact else f"{reference_to(name)}: {_line(schema)}"
        )
    return "\n".join(parts)


def _line(value: JsonValue) -> str:
    return escape_invisible(dumps(value, ensure_ascii=False))
