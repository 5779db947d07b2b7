"""What pydantic, or a validator of the user's, refuses: as issues like any other."""

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


def refusal(keys: Keys, value: JsonValue, said: str) -> Issue:
    """Return the issue of a value that somebody refused, in that somebody's words."""
    path = Path.of(keys)
    said = " ".join(visible(said).split()) or "another value"
    return Issue(path=path, expected=said, value=value, message=f"{path}: {said}")


def refused(arguments: JsonObject, places: Iterable[Keys], said: str) -> Failure:
    """Return the failure of arguments in which something else is expected at these places."""
    issues = tuple(refusal(keys, _at(arguments, keys), said) for keys in places)
    return Failure(value=arguments, issues=issues)


def raised(error: Exception, arguments: JsonObject) -> Failure:
    """Return the failure behind what pydantic raised, or why the arguments are not JSON.

    Raises:
        Exception: a fault of a validator, which refuses a value with a `ValueError`.
    """
    import json

    from pydantic_core import ValidationError

    if isinstance(error, ValidationError):
        return Failure(value=arguments, issues=issues_of(error, arguments))
    try:
        json.dumps(arguments)
    except Exception as reason:  # somebody else's object, or one too deep or too large
        said = f"{type(reason).__name__}: {reason}"
        return Failure(value=arguments, issues=(refusal((), arguments, said),))
    raise error


def without(failure: Failure, step: str, arguments: JsonObject) -> Failure:
    """Return the failure as one about keys of `arguments`, not of what stands under `step`."""
    return Failure(value=arguments, issues=tuple(_lifted(each, step) for each in failure.issues))


def _lifted(issue: Issue, step: str) -> Issue:
    keys = issue.path.keys[1:] if issue.path.keys[:1] == (step,) else issue.path.keys
    path = Path.of(keys)
    return replace(issue, path=path, message=issue.message.replace(issue.path, path, 1))


def issues_of(error: "ValidationError", value: JsonValue) -> tuple[Issue, ...]:
    """Return the issues behind pydantic's error about `value`.

    Where a validator of the user's spoke, only what such validators said: the schema has been
    checked before, so the rest is about branches of unions the value was not meant for. Of the
    input, the context and the links nothing is told.
    """
    details = error.errors(include_url=False, include_input=False)
    spoken = [each for each in details if each["type"] not in _built_in()]
    return tuple(_issue(each, value) for each in spoken or details)


@lru_cache(maxsize=1)
def _built_in() -> frozenset[str]:
    from pydantic_core.core_schema import ErrorType

    return frozenset[str](get_args(ErrorType)) - {"value_error", "assertion_error"}


def _issue(detail: "ErrorDetails", value: JsonValue) -> Issue:
    keys = tuple(_steps(detail["loc"], value, detail["type"] == "missing"))
    context = detail.get("ctx", {})
    said = context.get("error")
    message = str(said) if isinstance(said, Exception) else detail["msg"]
    if detail["type"] == "bytes_invalid_encoding":
        # pydantic tells the first wrong character, of what may be a person's file.
        message = f"text in {context.get('encoding', 'base64')}"
    elif detail["type"] in _OFFSETS:
        message = _OFFSETS[detail["type"]]
    return refusal(keys, _at(value, keys), message)


_OFFSETS = {
    "timezone_aware": "a time with an offset from UTC, such as 2025-01-31T09:30:00Z",
    "timezone_naive": "a time without an offset from UTC, such as 2025-01-31T09:30:00",
}
"""What pydantic's words leave open: how a right value looks."""


def _steps(location: Sequence[str | int], value: JsonValue, missing: bool) -> Iterator[str | int]:
    """Yield the steps that lead through the value; pydantic names branches of unions among them."""
    for index, step in enumerate(location):
        if below := value_at(value, (step,)):
            value = below[0]
        elif not (missing and index == len(location) - 1):
            continue
        yield step


def _at(value: JsonValue, keys: Keys) -> JsonValue:
    found = value_at(value, keys)
    return found[0] if found else None
