"""`Prompt`: functions for a model without function calling, and the JSON Schema of its answer."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, count
from json import dumps
from typing import Any

from pyfunctools._json import JsonObject, JsonSchema, JsonValue, members_of
from pyfunctools._text import record_repr
from pyfunctools.dialects.rewrites import rewritten
from pyfunctools.dialects.simplify import simplified
from pyfunctools.dialects.table import GRAMMAR, NUMBERS
from pyfunctools.errors import DefinitionError
from pyfunctools.prompting.calls.names import functions_in
from pyfunctools.record.function import Function
from pyfunctools.schema.ground.json_values import escape_invisible
from pyfunctools.schema.ground.references import (
    defined_name,
    prune,
    reachable_definitions,
    reference_to,
)
from pyfunctools.schema.ground.walk import map_subschemas
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


def prompt_of(functions: Iterable[Function], *, compact: bool = False) -> Prompt:
    """Return the prompt for functions, or for the functions of a controller.

    A call is `{"functionCall": {"name": ..., "args": {...}}}`, which `parse_calls` reads; an answer
    in words is `{"answer": "..."}`. Each function has one line with its name, its description and
    the model's part of its parameters as JSON Schema. With `compact` the line is a typed Python
    stub, as in `Controller.signatures`: far fewer tokens, but without descriptions of parameters,
    and keywords that Python's types cannot express.

    `response_schema` accepts every valid answer, and some invalid ones. It has only the keywords
    that servers can enforce (no `not`, `if`, `uniqueItems`, rare formats; `oneOf` is `anyOf`),
    because some servers ignore a whole schema for one unknown keyword. The check of the arguments
    enforces the rest.

    Invisible characters in the name of a property or in an allowed value are JSON escapes in
    `system`; `response_schema` has them unchanged.

    Raises:
        DefinitionError: two functions have one name, or an item is not a `Function`.
        SchemaError: a schema is invalid.
    """
    shared = SharedDefinitions()
    listed: dict[str, Function] = {}
    parameters: dict[str, JsonSchema] = {}
    for function in functions_in(functions, "prompt_of"):
        if function.name in listed:
            raise DefinitionError(function.name, "Two functions have this name.", "Rename one.")
        listed[function.name] = function
        parameters[function.name] = shared.add(function.llm)
    if compact:
        spelled = {name: name for name in listed}
        lines = [_STUBS, signatures_of([*listed.values()], spelled=spelled, brief=True)]
    else:
        lines = [*_lines(listed, parameters, shared.definitions)]
    schema = response_schema(parameters, shared.definitions)
    system = "\n".join((_CALL, _ANSWER, _CARE, "", *lines)) if parameters else _ONLY_ANSWER
    return Prompt(system=system, response_schema=schema)


_CALL = """\
You can call functions. To call one, answer with one JSON object and nothing else:
{"functionCall": {"name": "<name>", "args": {<arguments>}}}"""
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


_UNSAFE = re.compile(r"\W+", re.ASCII)


class SharedDefinitions:
    """The definitions of all schemas that were added.

    Two definitions with one name that are equal, with all that they refer to, become one; if they
    differ, they get different names. Every name consists of ASCII letters, digits and `_`.
    """

    def __init__(self) -> None:
        self.definitions: dict[str, JsonValue] = {}
        self._names: dict[str, str] = {}

    def add(self, schema: JsonSchema) -> JsonSchema:
        """Return a copy of a schema for a model, with references to the shared definitions."""
        whole = simplified(schema)
        own = members_of(whole.pop("$defs", {}))
        names = {name: self._name_of(name, own) for name in own}
        for name, inner in own.items():
            shared = _with_names(inner, names) if isinstance(inner, dict) else inner
            self.definitions.setdefault(names[name], shared)
        return _with_names(whole, names) if names else whole

    def _name_of(self, name: str, own: JsonObject) -> str:
        reached = {name, *reachable_definitions(members_of(own[name]), own)}
        key = dumps([name, {each: own[each] for each in sorted(reached)}])
        if key not in self._names:
            base = _UNSAFE.sub("_", name).strip("_") or "definition"
            names = chain((base,), (f"{base}_{number}" for number in count(2)))
            taken = set(self._names.values())
            self._names[key] = next(each for each in names if each not in taken)
        return self._names[key]


def _with_names(schema: JsonSchema, names: Mapping[str, str]) -> dict[str, JsonValue]:
    """Return a schema whose references have the new names."""

    def node(given: JsonSchema) -> dict[str, JsonValue]:
        reference = given.get("$ref")
        name = defined_name(reference) if isinstance(reference, str) else None
        return {**given, **({} if name is None else {"$ref": reference_to(names.get(name, name))})}

    return map_subschemas(schema, node)


_EXACT = 2**53
"""The largest integer that is exact in JSON (RFC 8259, section 6); larger bounds are left out."""


def response_schema(calls: Mapping[str, JsonSchema], definitions: JsonObject) -> JsonSchema:
    """Return the schema of an answer: one call with its parameters, or words.

    It accepts every valid answer. Keywords that no server enforces are left out, with everything
    inside `not` and `if`, so it may accept invalid answers too.
    """
    branches: list[JsonValue] = [
        _object({"name": {"const": name}, "args": parameters}) for name, parameters in calls.items()
    ]
    schema = _object({"answer": {"type": "string"}})
    if branches:
        call = branches[0] if len(branches) == 1 else {"anyOf": branches}
        schema = {"type": "object", "anyOf": [_object({"functionCall": call}), schema]}
    made, _, _ = rewritten({**schema, "$defs": definitions}, GRAMMAR, inline=False)
    return prune(map_subschemas(made, _bare))


def _bare(node: JsonSchema) -> dict[str, JsonValue]:
    """Return a schema without its description and bounds that are not exact."""
    return {
        keyword: value
        for keyword, value in node.items()
        if keyword != "description"
        and not (keyword in NUMBERS and isinstance(value, int | float) and abs(value) > _EXACT)
    }


def _object(properties: JsonObject) -> JsonSchema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
