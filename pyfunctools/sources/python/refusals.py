"""What pydantic, or a validator of the user's, refuses: as issues like any other."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, cast, get_args

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import visible
from pyfunctools.schema import Issue, Path
from pyfunctools.schema.path import Keys

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails, ValidationError


def refusal(keys: Keys, value: JsonValue, said: str) -> Issue:
    """Give the issue of a value that somebody refused, in that somebody's words."""
    path = Path.of(keys)
    said = " ".join(visible(said).split()) or "another value"
    return Issue(path=path, expected=said, value=value, message=f"{path}: {said}")


def issues_of(error: "ValidationError", value: JsonValue) -> tuple[Issue, ...]:
    """Give the issues behind pydantic's error about `value`.

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
    said = detail.get("ctx", {}).get("error")
    message = str(said) if isinstance(said, Exception) else detail["msg"]
    return refusal(keys, _at(value, keys), message)


def _steps(location: Sequence[str | int], value: JsonValue, missing: bool) -> Iterator[str | int]:
    """Give the steps that lead through the value; pydantic names branches of unions among them."""
    for index, step in enumerate(location):
        try:
            value = _below(value, step)
        except LookupError:
            if not (missing and index == len(location) - 1):
                continue
        yield step


def _at(value: JsonValue, keys: Keys) -> JsonValue:
    try:
        for step in keys:
            value = _below(value, step)
    except LookupError:
        return None
    return value


def _below(value: JsonValue, step: str | int) -> JsonValue:
    if isinstance(value, dict) and isinstance(step, str):
        return cast("JsonObject", value)[step]
    if isinstance(value, list) and isinstance(step, int):
        return cast("Sequence[JsonValue]", value)[step]
    raise LookupError(step)
