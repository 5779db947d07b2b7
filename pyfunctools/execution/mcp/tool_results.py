"""The result of a remote tool, or its error, as an outcome.

A server may send anything: a result keeps its text whatever else is wrong with it.
"""

from base64 import b64decode
from collections.abc import Mapping
from json import dumps
from typing import Final, cast
from urllib.parse import unquote

from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT

from pyfunctools._json import JsonObject, JsonValue, items_of, members_of
from pyfunctools._text import shortened, visible
from pyfunctools.errors import DocumentError
from pyfunctools.execution.runner import Run
from pyfunctools.record.file import File
from pyfunctools.record.function import Function
from pyfunctools.record.origin import RemoteTool
from pyfunctools.record.outcome import Outcome, Reason
from pyfunctools.schema import Failure, Validator
from pyfunctools.schema.ground.json_values import deeper_than
from pyfunctools.schema.parsing.strict import parse_strict
from pyfunctools.schema.validation.validator import validate_output

DEPTH: Final = 128
"""The deepest nesting of a result that is read."""

MESSAGE_LIMIT: Final = 2_000
"""Characters of a server's message in an outcome or an error."""

_REASONS: Final[Mapping[int, Reason]] = {
    CONNECTION_CLOSED: "transport",
    REQUEST_TIMEOUT: "deadline",
}


class RespondedError(MCPError):
    """An error that came as a response; the SDK raises the same codes for errors of its own."""


def remote_tool_of(function: Function) -> RemoteTool:
    """Return the tool of a remote function."""
    assert isinstance(function.origin, RemoteTool)  # noqa: S101 - its runner has only remote tools
    return function.origin


def outcome_of_result(
    run: Run, result: JsonObject, validator: Validator | None, limit: int
) -> Outcome:
    """Return the outcome of a result; one of more than `limit` characters of JSON is an error.

    What an error says may be withheld from the model, and is the value then.
    """
    if deeper_than(result, DEPTH) or len(dumps(result)) > limit:
        text = f"The tool ran, but its result is larger than {limit:,} bytes or "
        text += f"nested more than {DEPTH} deep."
        return Outcome(text=text, reason="output")
    blocks = items_of(result.get("content"))
    parts = [_text_or_file(each) for each in blocks if isinstance(each, dict)]
    files = tuple(each for each in parts if isinstance(each, File))
    texts = [each for each in parts if not isinstance(each, File)]
    text = "\n".join(texts)
    if result.get("isError") is True:
        if run.withholds:
            return Outcome(text=_WITHHELD, value=text, reason="raised", content=files)
        said = visible(text) or "The tool failed, and did not say why."
        return Outcome(text=said, reason="raised", content=files)
    value = _value(run.function, result, text, has_output=validator is not None)
    if not texts and not (files and value is None):
        text = value if isinstance(value, str) else dumps(value, ensure_ascii=False)
    verdict = None if validator is None else validate_output(validator, value)
    reason: Reason | None = None
    if isinstance(verdict, Failure):
        wrong = " ".join(issue.message for issue in verdict.issues[:3])
        text = f"The tool ran, but its result does not match its output schema. {wrong}\n{text}"
        reason = "output"
    return Outcome(text=visible(text), value=value, reason=reason, content=files)


def _value(function: Function, result: JsonObject, text: str, *, has_output: bool) -> JsonValue:
    """Return the structured content of a result, or else its text: older servers send only that."""
    if "structuredContent" not in result:
        read = parse_strict(text, DEPTH) if has_output else None
        return (text if has_output else text or None) if read is None else read[0]
    value = result["structuredContent"]
    is_wrapped = has_output and remote_tool_of(function).wraps
    return members_of(value).get("result", value) if is_wrapped else value


def _text_or_file(block: JsonObject) -> str | File:
    """Return a block of a result as text or a file; for other blocks, text with type and name."""
    kind, resource = block.get("type"), block.get("resource")
    held = resource if isinstance(resource, dict) else block
    if isinstance(text := held.get("text"), str):
        return text
    data = held.get("data", held.get("blob"))
    if not isinstance(data, str):
        words = (kind, block.get("name"), block.get("uri"))
        return f"[{' '.join(str(each) for each in words if each)}]"
    try:
        content = b64decode(data, validate=True)
    except ValueError:
        return f"[{kind} that is not base64]"
    uri, media = held.get("uri"), held.get("mimeType")
    name = uri.rpartition("/")[2].removeprefix("attachment:") if isinstance(uri, str) else ""
    return File(content, unquote(name) or None, media if isinstance(media, str) else None)


_WITHHELD: Final = (
    "The tool failed. What the server said is withheld, since a person takes part in this call."
)


def failed_outcome(run: Run, error: Exception, *, sent: bool = True) -> Outcome:
    """Return the outcome of a call without a result; what the server said may be its value."""
    message = visible(str(first_error(error))) or type(error).__name__
    reason: Reason = "transport"
    is_unsure = sent and not run.function.read_only
    if isinstance(error, DocumentError):
        message, reason, is_unsure = error.reason, "unknown", False
    elif isinstance(error, MCPError):
        message = visible(error.message)
        reason = _REASONS.get(error.code, "raised")
        # Over HTTP the SDK also makes a response with such a code, for an abandoned request.
        is_unsure = is_unsure and reason != "raised"
        reason = "raised" if isinstance(error, RespondedError) else reason
    said = shortened(message, MESSAGE_LIMIT)
    is_withheld = run.withholds and reason != "unknown"
    if reason in ("transport", "deadline"):
        said_so = "" if is_withheld else f": {said.rstrip('.')}"
        text = f"The server did not answer{said_so}."
    else:
        text = _WITHHELD if is_withheld else said
        text += "." if is_unsure and text and text[-1] not in ".!?" else ""
    text += " It may have carried out the call." if is_unsure else ""
    text += "" if sent else " Nothing has run."
    return Outcome(text=text, value=said if is_withheld else None, reason=reason)


def first_error(error: BaseException) -> BaseException:
    """Return the first error in a group, or the error itself."""
    while isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        error = group.exceptions[0]
    return error
