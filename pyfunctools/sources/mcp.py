"""The tools of an MCP server, as they stand in its list, as functions.

A list is somebody else's text: names that vendors refuse are changed, hidden characters left out,
and a tool whose schema cannot be trusted to mean something (an unknown dialect, a reference into
the network, a mistake) is skipped, with the reason, the others kept.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Final, cast

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools._text import shortened, visible
from pyfunctools.errors import DefinitionError, PyfunctoolsError
from pyfunctools.note import Note
from pyfunctools.record.contract import Contract
from pyfunctools.record.function import Function, Skipped, with_notes
from pyfunctools.record.origin import WRAPPED, RemoteTool, digest_of_tool
from pyfunctools.schema.ground.references import find_target
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.separation.predicates import IsHuman, is_human_by_default
from pyfunctools.sources.alternatives import loosened, overlapping

_DIALECTS: Final = re.compile(
    r"https?://json-schema\.org/(?:draft/20(?:19-09|20-12)|draft-0[4-7])/(?:hyper-)?schema#?"
)
"""The dialects of JSON Schema that are read: draft 4 to 2020-12."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTools:
    """What a list of tools became."""

    functions: tuple[Function, ...]
    skipped: tuple[Skipped, ...]


def read_tools(
    tools: Iterable[JsonValue],
    *,
    server: str,
    is_human: IsHuman | None = is_human_by_default,
    fault: Callable[[JsonObject], str | None] = lambda _: None,
) -> ReadTools:
    """Return the functions of a list of tools, in its order.

    `server` is its name, and `fault` returns why a tool must not be taken, if it must not.
    """
    functions: dict[str, Function] = {}
    skipped: list[Skipped] = []
    seen: set[str] = set()
    for place, tool in enumerate(tools):
        pointer = f"/tools/{place}"
        name = tool.get("name") if isinstance(tool, dict) else None
        if not isinstance(tool, dict) or not isinstance(name, str) or not name:
            skipped.append(Skipped(where=server, reason="A tool has no name.", pointer=pointer))
            continue
        where = f"{server}/{shortened(visible(name), 200)}"
        if name in seen:
            reason = "Another tool before it has its name."
            skipped.append(Skipped(where=where, reason=reason, pointer=pointer))
            continue
        seen.add(name)
        if (reason := fault(tool)) is not None:
            skipped.append(Skipped(where=where, reason=reason, pointer=pointer))
            continue
        try:
            function = function_of_tool(tool, _name_of(name, functions), server, is_human)
        except (PyfunctoolsError, RecursionError) as error:
            reason = visible(str(error)) or "Its schema is nested too deeply."
            skipped.append(Skipped(where=where, reason=reason, pointer=pointer))
        else:
            functions[function.name] = function
    return ReadTools(functions=tuple(functions.values()), skipped=tuple(skipped))


def function_of_tool(
    tool: JsonObject, name: str, server: str, is_human: IsHuman | None = is_human_by_default
) -> Function:
    """Return the function of one tool, under a name that vendors take.

    Raises:
        PyfunctoolsError: its schemas cannot be read.
    """
    given, promised = _schema(tool, "inputSchema"), _schema(tool, "outputSchema")
    output, wraps = _unwrapped(promised)
    annotations = tool.get("annotations")
    hints = annotations if isinstance(annotations, dict) else {}
    contract = Contract.from_schemas(name, _loose(given or {}), output, is_human, lenient=True)
    function = Function(
        name=name,
        description=_text(tool.get("description")) or "",
        title=_text(tool.get("title")) or _text(hints.get("title")),
        read_only=_flag(hints.get("readOnlyHint")),
        destructive=_flag(hints.get("destructiveHint")),
        idempotent=_flag(hints.get("idempotentHint")),
        origin=RemoteTool(
            server=server, name=str(tool["name"]), digest=digest_of_tool(tool), wraps=wraps
        ),
        _contract=Lazy.of(contract),
    )
    return with_notes(function, _notes(given or {}))


def reread(tool: JsonObject, known: Function, *, is_human: IsHuman | None) -> Function:
    """Return the function of a tool as it is now, where `known` is what it was.

    Raises:
        PyfunctoolsError: its schemas cannot be read.
    """
    server = known.origin.server if isinstance(known.origin, RemoteTool) else ""
    return function_of_tool(tool, known.name, server, is_human)


def _schema(tool: JsonObject, word: str) -> JsonSchema | None:
    """Return a schema of a tool, if it has one.

    Raises:
        PyfunctoolsError: it is none, or of an unknown dialect.
    """
    schema = tool.get(word)
    if schema is None:
        return None
    if not isinstance(schema, dict):
        raise DefinitionError(word, f"This must be an object, not `{type(schema).__name__}`.")
    dialect = schema.get("$schema")
    if dialect is not None and not (isinstance(dialect, str) and _DIALECTS.fullmatch(dialect)):
        said = shortened(repr(dialect), 200)
        raise DefinitionError(f"{word}/$schema", f"{said} is no dialect that is known here.")
    return schema


def _loose(given: JsonSchema) -> JsonSchema:
    whole = normalize(given)
    return loosened(whole, partial(_found, whole))


def _notes(given: JsonSchema) -> Iterator[Note]:
    for keys in overlapping(given, partial(_found, given)):
        text = "A `oneOf` is read as `anyOf`: nothing proves its branches apart."
        yield Note(text=text, pointer="/".join(("/parameters", *map(str, keys))))


def _found(root: JsonSchema, reference: str) -> JsonSchema | bool | None:
    target = find_target(root, reference)
    return cast("JsonSchema | bool", target) if isinstance(target, dict | bool) else None


def _unwrapped(promised: JsonSchema | None) -> tuple[JsonSchema | None, bool]:
    """Return the output schema of a tool, and whether it stood in an object of older clients."""
    if promised is None or promised.get(WRAPPED) is not True:
        return promised, False
    properties = promised.get("properties")
    inner = properties.get("result") if isinstance(properties, dict) else None
    if not isinstance(inner, dict):
        return promised, False
    beside = {word: promised[word] for word in ("$defs", "$schema") if word in promised}
    return {**inner, **beside}, True


def _name_of(name: str, taken: Mapping[str, object]) -> str:
    """Return a name that vendors take: the tool's own where it is one."""
    made = re.sub(r"[^A-Za-z0-9_-]", "_", name)
    made = made if made[:1].isalpha() or made[:1] == "_" else f"_{made}"
    if len(made) <= _LONGEST and made not in taken:
        return made
    tail = f"_{sha256(name.encode(errors='surrogatepass')).hexdigest()[:8]}"
    return made[: _LONGEST - len(tail)] + tail


_LONGEST: Final = 64


def _text(value: JsonValue) -> str | None:
    return visible(value) if isinstance(value, str) and value else None


def _flag(value: JsonValue) -> bool | None:
    return value if isinstance(value, bool) else None
