"""The tools of an MCP server as functions.

The list is untrusted: names that vendors refuse are changed, hidden characters are removed, and a
tool with an unusable schema (an unknown dialect, a reference to the network, a mistake) is skipped,
with the reason.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Final

from pyfunctools._json import JsonObject, JsonSchema, JsonValue, members_of, text_of
from pyfunctools._lazy import Lazy
from pyfunctools._text import shortened, visible
from pyfunctools.errors import DefinitionError, PyfunctoolsError
from pyfunctools.record.contract import Contract
from pyfunctools.record.function import Function, Reading, Skipped, with_notes
from pyfunctools.record.origin import WRAPPED, RemoteTool, digest_of_tool
from pyfunctools.schema.ground.references import resolve
from pyfunctools.schema.ground.walk import map_subschemas, subschemas
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.normalization.oddities import MAY_ADD_PROPERTIES
from pyfunctools.schema.outline.outline import Outline
from pyfunctools.schema.separation.predicates import IsHuman, is_human_by_default
from pyfunctools.sources.directions import directed, overlapping
from pyfunctools.sources.hidden import hidden_fault, notes_on_hidden, without_hidden

_DIALECTS: Final = re.compile(
    r"https?://json-schema\.org/(?:draft/20(?:19-09|20-12)|draft-0[4-7])/(?:hyper-)?schema#?"
)
"""The known dialects of JSON Schema: draft 4 to 2020-12."""


def read_tools(
    tools: Iterable[JsonValue],
    *,
    server: str,
    is_human: IsHuman | None = is_human_by_default,
    fault: Callable[[JsonObject], str | None] = lambda _: None,
) -> Reading:
    """Return the functions of a list of tools, in its order.

    `server` is the server's name; `fault` returns why a tool must be skipped, or `None`.
    """
    functions: dict[str, Function] = {}
    skipped: list[Skipped] = []
    seen = {""}
    for index, tool in enumerate(map(members_of, tools)):
        name = text_of(tool.get("name"))
        where = f"{server}/{shortened(visible(name), 200)}" if name else server
        if name in seen:
            reason = "An earlier tool has the same name." if name else "A tool has no name."
        elif members_of(tool.get("execution")).get("taskSupport") == "required":
            reason = "It can only be run as a task, and calls are no tasks."
        else:
            reason = fault(tool)
        seen.add(name)
        try:
            if reason is None:
                function = function_of_tool(tool, _name_of(name, functions), server, is_human)
                functions[function.name] = function
        except (PyfunctoolsError, RecursionError) as error:
            reason = visible(str(error)) or "Its schema is nested too deeply."
        if reason is not None:
            skipped.append(Skipped(where=where, reason=reason, pointer=f"/tools/{index}"))
    return Reading(functions=tuple(functions.values()), skipped=tuple(skipped))


def function_of_tool(
    tool: JsonObject, name: str, server: str, is_human: IsHuman | None = is_human_by_default
) -> Function:
    """Return the function of one tool, under a name that vendors accept.

    Raises:
        PyfunctoolsError: its schemas cannot be read.
    """
    written = _schema(tool, "inputSchema") or {}
    output, wraps = _unwrapped(_schema(tool, "outputSchema"))
    parameters = normalize(written)
    root = Outline(parameters).root
    overlaps = [*overlapping(root, written, "/parameters")]
    parameters = _open(members_of(directed(root, None)))
    hints = members_of(tool.get("annotations"))
    contract = Contract.from_schemas(name, parameters, output, is_human, lenient=True)
    function = Function(
        name=name,
        description=visible(text_of(tool.get("description"))),
        title=visible(text_of(tool.get("title")) or text_of(hints.get("title"))) or None,
        read_only=_flag(hints.get("readOnlyHint")),
        destructive=_flag(hints.get("destructiveHint")),
        idempotent=_flag(hints.get("idempotentHint")),
        origin=RemoteTool(
            server=server,
            name=str(tool["name"]),
            digest=digest_of_tool(tool),
            wraps=wraps,
            extras={word: held[word] for held in (tool, hints) for word in _EXTRAS if word in held},
        ),
        _contract=Lazy.of(contract),
    )
    hidden = notes_on_hidden(members_of(tool.get("inputSchema")), "/parameters")
    return with_notes(function, (*overlaps, *hidden))


def _schema(tool: JsonObject, word: str) -> JsonSchema | None:
    schema = tool.get(word)
    if schema is None:
        return None
    if not isinstance(schema, dict):
        raise DefinitionError(word, f"This must be an object, not `{type(schema).__name__}`.")
    dialect = schema.get("$schema")
    if dialect is not None and not (isinstance(dialect, str) and _DIALECTS.fullmatch(dialect)):
        reason = f"{shortened(repr(dialect), 200)} is an unknown dialect."
        raise DefinitionError(f"{word}/$schema", reason)
    for _, inner in subschemas(schema):
        if isinstance(inner, dict) and (fault := hidden_fault(inner)) is not None:
            raise DefinitionError(word, fault)
    return map_subschemas(schema, without_hidden)


def _open(parameters: JsonSchema) -> JsonSchema:
    """Return parameters that take any properties if they declare none, as the protocol says."""
    named = resolve(parameters, parameters)
    schema = named if isinstance(named, dict) else parameters
    is_open = "properties" not in schema and MAY_ADD_PROPERTIES.isdisjoint(schema)
    return {**parameters, "additionalProperties": True} if is_open else parameters


def _unwrapped(schema: JsonSchema | None) -> tuple[JsonSchema | None, bool]:
    """Return the output schema of a tool, and whether fastmcp wrapped it for older clients."""
    if schema is None or schema.get(WRAPPED) is not True:
        return schema, False
    inner = members_of(schema.get("properties")).get("result")
    if not isinstance(inner, dict):
        return schema, False
    beside = {word: schema[word] for word in ("$defs", "$schema") if word in schema}
    return {**inner, **beside}, True


def _name_of(name: str, taken: Mapping[str, object]) -> str:
    """Return an unused name that vendors accept: if possible, the name of the tool."""
    made = re.sub(r"[^A-Za-z0-9_-]", "_", name)
    made = made if made[:1].isalpha() or made[:1] == "_" else f"_{made}"
    if len(made) <= _MAX_NAME and made not in taken:
        return made
    tail = f"_{sha256(name.encode(errors='surrogatepass')).hexdigest()[:8]}"
    return made[: _MAX_NAME - len(tail)] + tail


_MAX_NAME: Final = 64
_EXTRAS: Final = ("icons", "_meta", "openWorldHint")


def _flag(value: JsonValue) -> bool | None:
    return value if isinstance(value, bool) else None
