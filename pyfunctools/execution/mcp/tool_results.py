"""The result of a remote tool, or what stands in for it, as an outcome.

A server may say anything: a result keeps its text whatever else is wrong with it.
"""

from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Mapping
from json import dumps
from typing import Final, cast
from urllib.parse import unquote

from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, INVALID_PARAMS, METHOD_NOT_FOUND, REQUEST_TIMEOUT

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import shortened, visible
from pyfunctools.errors import DocumentError
from pyfunctools.record.file import File
from pyfunctools.record.function import Function
from pyfunctools.record.origin import RemoteTool
from pyfunctools.record.outcome import Outcome, Reason
from pyfunctools.schema import Validator
from pyfunctools.schema.ground.json_values import deeper_than
from pyfunctools.schema.parsing.strict import parse_strict

DEPTH: Final = 128
"""Nesting of a result."""

LONGEST: Final = 2_000
"""Characters of a server's words about a failure that are told."""

_REASONS: Final[Mapping[int, Reason]] = {
    CONNECTION_CLOSED: "transport",
    INVALID_PARAMS: "arguments",
    METHOD_NOT_FOUND: "unknown",
    REQUEST_TIMEOUT: "deadline",
}


def origin_of(function: Function) -> RemoteTool:
    """Return the tool that a remote function stands for."""
    assert isinstance(function.origin, RemoteTool)  # noqa: S101 - the runner of no other kind
    return function.origin


def outcome_of(
    function: Function, result: JsonObject, promised: Validator | None, most: int
) -> Outcome:
    """Return the outcome of a result that has at most so many characters.

    `promised` judges the value by what the tool says that it returns.
    """
    if deeper_than(result, DEPTH) or len(dumps(result)) > most:
        text = f"The tool ran, but its result is larger than {most:,} bytes or "
        text += f"nested more than {DEPTH} deep."
        return Outcome(text=text, reason="output", function=function.name)
    content = result.get("content")
    blocks = content if isinstance(content, list) else []
    told = [_told(each) for each in blocks if isinstance(each, dict)]
    files = tuple(each for each in told if isinstance(each, File))
    texts = [each for each in told if not isinstance(each, File)]
    text = "\n".join(texts)
    if result.get("isError") is True:
        return Outcome(
            text=visible(text) or "The tool failed, and did not say why.",
            reason="raised",
            content=files,
            function=function.name,
        )
    value = _value(function, result, text, has_output=promised is not None)
    if not texts and not (files and value is None):
        text = value if isinstance(value, str) else dumps(value, ensure_ascii=False)
    checked = None if promised is None else promised.validate(value)
    reason: Reason | None = None
    if checked is not None and not checked:
        wrong = " ".join(issue.message for issue in checked.issues[:3])
        text = f"The tool ran, but returned what it does not promise. {wrong}\n{text}"
        reason = "output"
    return Outcome(
        text=visible(text), value=value, reason=reason, content=files, function=function.name
    )


def _value(function: Function, result: JsonObject, text: str, *, has_output: bool) -> JsonValue:
    """Return the value of a result: its structured content, or else its text.

    Older servers write the JSON they promise into the text alone.
    """
    value = result.get("structuredContent")
    if not has_output:
        return value if "structuredContent" in result else text or None
    if origin_of(function).wraps and isinstance(value, dict) and "result" in value:
        return value["result"]
    if "structuredContent" in result:
        return value
    read = parse_strict(text, DEPTH)
    return text if read is None else read[0]


def _told(block: JsonObject) -> str | File:
    """Return a block of a result: its text, a file, or what it is."""
    kind, resource = block.get("type"), block.get("resource")
    held = resource if isinstance(resource, dict) else block
    if isinstance(text := held.get("text"), str):
        return text
    data = held.get("data", held.get("blob"))
    if not isinstance(data, str):
        said = (kind, block.get("name"), block.get("uri"))
        return f"[{' '.join(str(each) for each in said if each)}]"
    try:
        content = b64decode(data, validate=True)
    except (Base64Error, ValueError):
        return f"[{kind} that is no base64]"
    uri, media = held.get("uri"), held.get("mimeType")
    named = uri.rpartition("/")[2].removeprefix("attachment:") if isinstance(uri, str) else ""
    return File(content, unquote(named) or None, media if isinstance(media, str) else None)


def failed(function: Function, error: Exception, *, sent: bool = True) -> Outcome:
    """Return the outcome of a call that has no result."""
    reason: Reason = "transport"
    said = visible(str(first(error))) or type(error).__name__
    if isinstance(error, DocumentError):
        said, reason = error.reason, "unknown"
    elif isinstance(error, MCPError):
        reason = _REASONS.get(error.code, "raised")
        said = visible(error.message)
    text = shortened(said, LONGEST)
    if reason in ("transport", "deadline"):
        text = f"There is no answer of the server: {text.rstrip('.')}."
        unsure = sent and not function.read_only
        text += " It may have carried out the call." if unsure else ""
    return Outcome(
        text=text if sent else f"{text} Nothing has run.", reason=reason, function=function.name
    )


def first(error: BaseException) -> BaseException:
    """Return the first error in a group."""
    while isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        error = group.exceptions[0]
    return error
