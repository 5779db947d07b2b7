"""MCP: functions as tools and outcomes as results, in the two revisions that clients use.

Source: the specification of 2025-11-25 and of 2026-07-28, and mcp-types 2.3.0, read on 2026-11-22.
Until 2025-11-25 `outputSchema` and `structuredContent` have to be objects, and a client rejects the
whole list if one `outputSchema` is not. So in that revision any other output is wrapped: it becomes
the property `result` of an object. An output that may be null is wrapped in both revisions, since
the SDK omits a null. The schema of a wrapped output has `x-fastmcp-wrap-result`, by which clients
of fastmcp unwrap it.

Many clients do not read `$defs`. So references are replaced by their definitions unless that makes
the schema more than half as long again (`_LONGER`). Of 1,710 functions of real documents 444 have
definitions; in 438 of them references are replaced, and these become a little shorter in total.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from json import JSONEncoder
from typing import Final
from urllib.parse import quote

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.dialects.rendering import Rendering, render
from pyfunctools.envelopes.envelope import (
    CallResult,
    Data,
    Envelope,
    ModelCall,
    ModelTurn,
    base64_of,
    media_type_of,
)
from pyfunctools.envelopes.plain import as_dict, member, plain_data
from pyfunctools.record.file import File
from pyfunctools.record.function import Function
from pyfunctools.record.origin import WRAPPED, RemoteTool
from pyfunctools.record.outcome import Outcome, outcome_json
from pyfunctools.schema import Validator
from pyfunctools.schema.ground.references import find_target
from pyfunctools.schema.outline.outline import Outline
from pyfunctools.schema.validation.validator import validate_output

MODERN: Final = "2026-07-28"
"""The first revision that allows any output."""

_LONGER: Final = 1.5
"""The factor by which a schema may grow when references are replaced."""

_compact: Final = JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutput:
    """The declared output of a tool; if it `wraps`, the value is the property `result`."""

    schema: Data
    wraps: bool
    validator: Validator


def tool_of(function: Function, output: ToolOutput | None, *, inline: bool | None = None) -> Data:
    """Return a function as an item of `tools/list`."""
    schema = _shorter(lambda inlined: function.render("mcp", inline=inlined), inline)
    tool = MCP().tool(function.name, function.description, schema, strict=None)
    declared = {} if output is None else {"outputSchema": output.schema}
    return {**tool, **declared, **traits_of(function)}


def traits_of(function: Function) -> Data:
    """Return the title and the annotations of a function for `tools/list`."""
    traits: Data = {"title": function.title} if function.title else {}
    hints = {
        "readOnlyHint": function.read_only,
        "destructiveHint": function.destructive,
        "idempotentHint": function.idempotent,
    }
    known = {name: hint for name, hint in hints.items() if hint is not None}
    if isinstance(function.origin, RemoteTool):
        known |= {name: hint for name, hint in function.origin.extras.items() if "Hint" in name}
        traits |= {name: held for name, held in function.origin.extras.items() if name not in known}
    return {**traits, "annotations": known} if known else traits


def output_of(function: Function, *, modern: bool, inline: bool | None = None) -> ToolOutput | None:
    """Return the declared output of a function's tool in a revision, `None` without output."""
    whole = function.output
    if whole is None:
        return None
    schema = _shorter(lambda inlined: render(whole, "mcp", inline=inlined), inline)
    may_be_null = bool(Validator(schema, formats=False).validate(None))
    wraps = may_be_null or not (modern or _is_object(schema))
    if wraps:
        definitions = {"$defs": schema.pop("$defs")} if "$defs" in schema else {}
        schema = {
            "type": "object",
            "properties": {"result": schema},
            "required": ["result"],
            **definitions,
            WRAPPED: True,
        }
    elif _is_object(schema):
        schema = _object(schema)
    return ToolOutput(schema=schema, wraps=wraps, validator=Validator(schema, formats=False))


def result_of(outcome: Outcome, output: ToolOutput | None, *, modern: bool) -> Data:
    """Return an outcome as a result of `tools/call`.

    A success that does not match the declared output becomes an error with the text, since a client
    would discard it; so does the answer of a ticket that was used before, which has no value.
    """
    text, is_error, structured = outcome.text, not outcome.ok, None
    if not is_error:
        structured = _structured(outcome, output, modern=modern)
        if output is not None and (problem := _mismatch(output, structured)):
            problem = _REPLAYED if outcome.replayed else f"{_MISMATCH} {problem}"
            text, is_error, structured = f"{problem}\n{text}", True, None
    result = _result(text, outcome.content, structured, is_error=is_error)
    return {**result, "resultType": "complete"} if modern else result


_REPLAYED = "This call was carried out before, and is not carried out again. Its answer was:"


def _result(
    text: str, files: Iterable[File], structured: tuple[JsonValue] | None, *, is_error: bool
) -> Data:
    content = [{"type": "text", "text": text}, *map(_block, files)]
    value = {} if structured is None else {"structuredContent": structured[0]}
    return {"content": content, "isError": is_error, **value}


class MCP(Envelope):
    """The envelope of `tools/list` and `tools/call`, for an application that is the server.

    A model's turn is one call: the `params` of `tools/call`, or the whole request, whose id is in
    the response. Tools declare no output, so that results are valid in every revision.
    """

    name = "mcp"

    def tool(self, name: str, description: str, schema: Data, *, strict: bool | None) -> Data:
        """Return a function as an item of `tools/list`; MCP has no `strict`."""
        whole = {
            "additionalProperties": True,
            **_object(schema),
        }  # without it some clients allow no others
        tool: Data = {"name": name, "inputSchema": whole}
        return {**tool, "description": description} if description else tool

    def is_response(self, value: object) -> bool:
        """Return whether this is a request of `tools/call`, or the `params` of one."""
        if member(value, "method") is not None:
            return member(value, "method") == "tools/call"
        params = plain_data(value)
        arguments = params.get("arguments")
        named = isinstance(params.get("name"), str) and isinstance(arguments, dict | None)
        return named and params.keys() <= _PARAMS

    def read_turn(self, response: object) -> ModelTurn:
        """Return the one call; the request's id, for the response, is its `caller`."""
        bare = member(response, "method") is None
        params = plain_data(response if bare else member(response, "params"))
        name, given = params.get("name"), member(response, "id")
        known = given if isinstance(given, str | int) and not isinstance(given, bool) else None
        call = ModelCall(
            id=None if known is None else str(known),
            name=name if isinstance(name, str) else "",
            arguments=params.get("arguments"),
            caller=None if known is None else {"jsonrpc": "2.0", "id": known},
        )
        return ModelTurn(messages=(), text="", calls=(call,), cut=False, ended="calls")

    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        """Return the result of each `tools/call`, in a response if the call was a whole request."""
        return tuple(_response(each) for each in results)


_PARAMS: Final = frozenset({"name", "arguments", "_meta", "task", "inputResponses", "requestState"})
"""The members of `params` of `tools/call`."""


def _response(result: CallResult) -> JsonObject:
    value = result.value if result.value and isinstance(result.value[0], dict) else None
    written = _result(result.text, result.content, value, is_error=result.is_error)
    caller = as_dict(result.call.caller)
    return {**caller, "result": written} if caller else written


_MISMATCH: Final = "The function ran, but its result does not match its output schema."


def _structured(
    outcome: Outcome, output: ToolOutput | None, *, modern: bool
) -> tuple[JsonValue] | None:
    known = outcome_json(outcome)
    if known is None:
        return None
    if output is not None:
        return ({"result": known[0]},) if output.wraps else known
    # No output is declared: only a value that the text does not contain and the revision allows.
    fits = isinstance(known[0], dict) or (modern and not isinstance(known[0], str | None))
    return known if fits else None


def _mismatch(output: ToolOutput, structured: tuple[JsonValue] | None) -> str | None:
    if structured is None:
        return "It cannot be written as JSON."
    checked = validate_output(output.validator, structured[0])
    return None if checked else " ".join(issue.message for issue in checked.issues[:3])


def _block(file: File) -> Data:
    kind, data = media_type_of(file), base64_of(file)
    family = kind.partition("/")[0]
    if family in ("image", "audio"):
        return {"type": family, "data": data, "mimeType": kind}
    uri = f"attachment:{quote(file.filename or 'unnamed')}"
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "blob": data}}


def _shorter(make: Callable[[bool], Rendering], inline: bool | None) -> Data:
    """Return a schema with or without references, by `inline`, or else by its length."""
    if inline is not None:
        return make(inline).schema
    kept = make(False).schema
    if "$defs" not in kept:
        return kept
    inlined = make(True).schema
    return inlined if len(_compact(inlined)) <= _LONGER * len(_compact(kept)) else kept


def _object(schema: Data) -> Data:
    """Return a schema of objects with `"type": "object"` at its root, where clients expect it."""
    reference = schema.get("$ref")
    if isinstance(reference, str):
        others = {name: each for name, each in schema.items() if name != "$ref"}
        target = find_target(schema, reference)
        if isinstance(target, dict) and not target.keys() & others.keys() - {"description"}:
            return _object({**target, **others})
    return {"type": "object", **schema}


def _is_object(schema: JsonSchema) -> bool:
    """Return whether a schema is known to allow only objects."""
    return Outline(schema).root.types == frozenset(("object",))
