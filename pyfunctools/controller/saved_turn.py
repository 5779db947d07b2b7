"""The parts of a saved turn as JSON; see `Turn.save`."""

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from json import dumps
from typing import Any, Final, cast

from pyfunctools._json import JsonObject
from pyfunctools.errors import DefinitionError
from pyfunctools.record.file import File
from pyfunctools.record.outcome import Outcome, Waiting
from pyfunctools.record.question import Question
from pyfunctools.schema import Issue, Path

_BYTES: Final = "$bytes"


def canonical_json(saved: Mapping[str, Any]) -> bytes:
    """Return the bytes of a saved turn that are signed.

    Raises:
        DefinitionError: it is not JSON.
    """
    try:
        return dumps(saved, sort_keys=True).encode()
    except (TypeError, ValueError, RecursionError) as error:
        reason = f"This is not JSON: {error}."
        raise DefinitionError("Turn.save", reason, "Go on with the `Turn` itself.") from None


def pack(value: object) -> object:
    """Return a value as JSON; bytes (such as Bedrock's encrypted reasoning) become an object."""
    if isinstance(value, bytes):
        return {_BYTES: b64encode(value).decode()}
    if isinstance(value, list | tuple):
        return [pack(each) for each in cast("Sequence[object]", value)]
    if isinstance(value, dict):
        named = cast("dict[str, object]", value)
        escape = "$" if _is_tag(named) else ""
        return {f"{escape}{key}": pack(each) for key, each in named.items()}
    return value


def unpack(value: Any) -> Any:
    """Return the value that `pack` packed."""
    if isinstance(value, list):
        return [unpack(each) for each in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    named = cast("dict[str, Any]", value)
    if not _is_tag(named):
        return {key: unpack(each) for key, each in named.items()}
    ((tag, inner),) = named.items()
    return b64decode(inner) if tag == _BYTES else {tag[1:]: unpack(inner)}


def _is_tag(value: Mapping[str, object]) -> bool:
    """Return whether an object stands for bytes, or looks like one that does."""
    names = [str(key) for key in value]
    return len(names) == 1 and names[0].startswith("$") and names[0].lstrip("$") == "bytes"


def outcome_to_json(outcome: Outcome) -> JsonObject:
    """Return an outcome as JSON, without its value, exception, repairs and response."""
    files = [
        {"content": str(file), "filename": file.filename, "content_type": file.content_type}
        for file in outcome.content
    ]
    issues = [
        {
            "keys": list(each.path.keys),
            "expected": each.expected,
            "message": each.message,
            "side": each.side,
        }
        for each in outcome.issues
    ]
    waiting = None if outcome.waiting is None else asdict(outcome.waiting)
    return {
        "text": outcome.text,
        "reason": outcome.reason,
        "function": outcome.function,
        "content": files,
        "issues": issues,
        "waiting": waiting,
    }


def _waiting(saved: Mapping[str, Any]) -> Waiting:
    questions = tuple(Question(**each) for each in saved["questions"])
    return replace(Waiting(**saved), questions=questions)


def outcome_from_json(saved: Mapping[str, Any]) -> Outcome:
    """Return the outcome that `outcome_to_json` saved."""
    waiting = saved["waiting"]
    return Outcome(
        text=saved["text"],
        reason=saved["reason"],
        function=saved["function"],
        content=tuple(
            File(b64decode(each["content"]), each["filename"], each["content_type"])
            for each in saved["content"]
        ),
        issues=tuple(
            Issue(
                path=Path.of(each["keys"]),
                expected=each["expected"],
                value=None,
                message=each["message"],
                side=each["side"],
            )
            for each in saved["issues"]
        ),
        waiting=None if waiting is None else _waiting(waiting),
    )
