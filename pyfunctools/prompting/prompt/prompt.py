"""`Prompt`: functions for a model without function calling."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from json import dumps
from typing import Any, cast

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools._text import record_repr
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.prompting.prompt.definitions import SharedDefinitions
from pyfunctools.prompting.prompt.response_schema import response_schema
from pyfunctools.record.function import Function
from pyfunctools.schema.ground.preview import escape_invisible, preview_scalar
from pyfunctools.schema.ground.references import reference_to
from pyfunctools.signatures import signatures_of


@dataclass(frozen=True, kw_only=True, repr=False)  # no slots: a subclass has attributes
class Prompt:
    """A description of functions for a model, and the JSON Schema of its answer.

    `system` is text for the system prompt. `response_schema` is for a server that can enforce a
    schema (`response_format`, `format`, a grammar); for any other, leave it out.
    """

    system: str
    response_schema: Mapping[str, Any]

    def __repr__(self) -> str:
        return record_repr(self, "system", "response_schema")


def prompt_of(
    functions: Iterable[Function], *, compact: bool = False, must_call: bool = False
) -> Prompt:
    """Return the prompt for functions, or for the functions of a controller.

    A call is `{"functionCall": {"name": ..., "args": {...}}}`, which `parse_calls` reads. Unless
    the model `must_call`, it may answer in words: `{"answer": "..."}`. Each function has one line
    with its name, its description and the model's part of its parameters as JSON Schema. With
    `compact` the line is a typed Python stub, as in `Controller.signatures`: far fewer tokens, but
    without descriptions of parameters, and keywords that Python's types cannot express.

    `response_schema` accepts every valid answer, and some invalid ones. It has only the keywords
    that servers can enforce (no `not`, `if`, `uniqueItems`, rare formats; `oneOf` is `anyOf`),
    because some servers ignore a whole schema for one unknown keyword. The check of the arguments
    enforces the rest.

    Invisible characters in the name of a property or in an allowed value are JSON escapes in
    `system`; `response_schema` has them unchanged.

    Raises:
        DefinitionError: two functions have one name, an item is not a `Function`, or there is no
            function and the model `must_call`.
        SchemaError: a schema is invalid.
    """
    shared = SharedDefinitions()
    listed: dict[str, Function] = {}
    parameters: dict[str, JsonSchema] = {}
    for function in _functions(functions):
        if function.name in listed:
            raise DefinitionError(function.name, "Two functions have this name.", "Rename one.")
        listed[function.name] = function
        parameters[function.name] = shared.add(function.llm)
    if must_call and not parameters:
        raise DefinitionError("prompt_of", "There is no function to call.", "Give at least one.")
    if compact:
        spelled = {name: name for name in listed}
        lines = [_STUBS, signatures_of([*listed.values()], spelled=spelled, brief=True)]
    else:
        lines = [*_lines(listed, parameters, shared.definitions)]
    schema = response_schema(parameters, shared.definitions, must_call=must_call)
    head = (_CALL, _MUST_CALL if must_call else _ANSWER, _CARE, "")
    system = "\n".join((*head, *lines)) if parameters else _ONLY_ANSWER
    return Prompt(system=system, response_schema=schema)


def _functions(given: object) -> Iterator[Function]:
    if not isinstance(given, Iterable):
        raise wrong_type("prompt_of", "functions", given, "Write a controller, or `[function]`.")
    for each in cast("Iterable[object]", given):
        if not isinstance(each, Function):
            remedy = "Make one with `function_of`, or give a controller."
            raise wrong_type(preview_scalar(each), "a `Function`", each, remedy)
        yield each


_CALL = """\
You can call functions. To call one, answer with one JSON object and nothing else:
{"functionCall": {"name": "<name>", "args": {<arguments>}}}"""
_MUST_CALL = "Always call one."
_ANSWER = 'To answer in words instead: {"answer": "<text>"}'
_ONLY_ANSWER = 'Answer with one JSON object and nothing else: {"answer": "<text>"}'
_CARE = "Take the arguments from what you were told: never make up a value."
_LISTED = "The functions, one a line; the arguments must fit the JSON Schema in parameters:"
_DEFINED = "The definitions that they refer to ($ref):"
_STUBS = "The functions and their arguments, in Python's types; = ... marks an optional one:"


def _lines(
    functions: Mapping[str, Function],
    parameters: Mapping[str, JsonSchema],
    definitions: JsonObject,
) -> Iterator[str]:
    yield _LISTED
    for name, schema in parameters.items():
        text = functions[name].description
        yield _line({"name": name, **({"description": text} if text else {}), "parameters": schema})
    if definitions:
        yield from ("", _DEFINED)
    for name, inner in definitions.items():
        yield f"{reference_to(name)}: {_line(inner if isinstance(inner, dict | bool) else True)}"


def _line(value: JsonValue) -> str:
    return escape_invisible(dumps(value, ensure_ascii=False))
