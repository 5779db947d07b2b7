"""Issues for the errors of pydantic and of user-written validators."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, get_args

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import visible
from pyfunctools.schema.ground.path import Keys, Path, value_at
from pyfunctools.schema.result import Failure, Issue

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails, ValidationError


def failure_at(arguments: JsonObject, places: Iterable[Keys], expected: str) -> Failure:
    """Return a failure with an issue at each place, where `expected` describes a valid value."""
    issues = tuple(_issue_at(keys, _at(arguments, keys), expected) for keys in places)
    return Failure(value=arguments, issues=issues)


def failure_of(error: Exception, arguments: JsonObject) -> Failure:
    """Return the failure for pydantic's error, or for arguments that are not JSON.

    Raises:
        Exception: the error itself, if a validator raised anything but a `ValueError`.
    """
    from pydantic_core import ValidationError, to_json

    if isinstance(error, ValidationError):
        return Failure(value=arguments, issues=issues_of(error, arguments))
    try:
        to_json(arguments)
    except Exception as reason:  # not JSON, too deep or too large
        text = f"{type(reason).__name__}: {reason}"
        return Failure(value=arguments, issues=(_issue_at((), arguments, text),))
    raise error


def lifted(failure: Failure, step: str, arguments: JsonObject) -> Failure:
    """Return the failure with `step` removed from the beginning of its paths."""
    return Failure(value=arguments, issues=tuple(_lifted(each, step) for each in failure.issues))


def _lifted(issue: Issue, step: str) -> Issue:
    keys = issue.path.keys[1:] if issue.path.keys[:1] == (step,) else issue.path.keys
    path = Path.of(keys)
    return replace(issue, path=path, message=issue.message.replace(issue.path, path, 1))


def issues_of(error: "ValidationError", value: JsonValue) -> tuple[Issue, ...]:
    """Return the issues for pydantic's error about `value`.

    If a user-written validator raised, only its errors are used: the schema has been checked
    before, so the other errors are about other branches of a union.
    """
    details = error.errors(include_url=False, include_input=False)
    users = [each for each in details if each["type"] not in _built_in()]
    return tuple(_issue(each, value) for each in users or details)


@lru_cache(maxsize=1)
def _built_in() -> frozenset[str]:
    from pydantic_core.core_schema import ErrorType

    return frozenset[str](get_args(ErrorType)) - {"value_error", "assertion_error"}


def _issue(detail: "ErrorDetails", value: JsonValue) -> Issue:
    keys = tuple(_steps(detail["loc"], value, detail["type"] == "missing"))
    context = detail.get("ctx", {})
    raised = context.get("error")
    message = str(raised) if isinstance(raised, Exception) else detail["msg"]
    if detail["type"] == "bytes_invalid_encoding":
        # pydantic quotes the first invalid character, which may be from a person's file.
        message = f"text in {context.get('encoding', 'base64')}"
    return _issue_at(keys, _at(value, keys), _OFFSETS.get(detail["type"], message))


def _issue_at(keys: Keys, value: JsonValue, message: str) -> Issue:
    path = Path.of(keys)
    expected = " ".join(visible(message).split()) or "another value"
    return Issue(path=path, expected=expected, value=value, message=f"{path}: {expected}")


_OFFSETS = {
    "timezone_aware": "a time with an offset from UTC, such as 2025-01-31T09:30:00Z",
    "timezone_naive": "a time without an offset from UTC, such as 2025-01-31T09:30:00",
}
"""Messages with an example, in place of messages of pydantic without one."""


def _steps(location: Sequence[str | int], value: JsonValue, missing: bool) -> Iterator[str | int]:
    """Yield the steps through the value, without pydantic's names for branches of unions."""
    for index, step in enumerate(location):
        if below := value_at(value, (step,)):
            value = below[0]
        elif not (missing and index == len(location) - 1):
            continue
        yield step


def _at(value: JsonValue, keys: Keys) -> JsonValue:
    found = value_at(value, keys)
    return found[0] if found else None
