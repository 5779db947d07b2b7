"""Who takes a value of a union, before a rewrite and after it."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools.dialects.change import Accepts, Guess
from pyfunctools.schema.ground.references import prune
from pyfunctools.schema.outline.outline import Outline, Part
from pyfunctools.schema.outline.unions import union_of
from pyfunctools.schema.validation.validator import Validator

T = TypeVar("T")


class Later(Generic[T]):
    """A question of a value that is made when it is first asked: by then all is written."""

    def __init__(self, make: Callable[[], Callable[[JsonValue], T]]) -> None:
        self._asked = Lazy(make)

    def __call__(self, value: JsonValue) -> T:
        return self._asked.value(value)


def judge(schema: JsonSchema, definitions: JsonObject) -> Accepts:
    """Return what says whether a value fits a schema with these definitions."""
    return Validator(_whole(schema, definitions)).is_valid


def guess(branches: Sequence[JsonValue], definitions: JsonObject) -> Guess:
    """Return what says which of the branches of a union a value was meant for."""
    union = union_of(_union(branches, definitions), "anyOf")

    def index(value: JsonValue) -> int | None:
        meant = union.intended_branch(value)
        return None if meant is None else union.branches.index(meant)

    return index


def may_be_array(branches: Sequence[JsonValue], definitions: JsonObject) -> bool:
    """Return whether an array may fit one of the branches of a union."""
    return any("array" in each.types for each in _union(branches, definitions).branches("anyOf"))


def _union(branches: Sequence[JsonValue], definitions: JsonObject) -> Part:
    return Outline(_whole({"anyOf": list(branches)}, definitions)).root


def _whole(schema: JsonSchema, definitions: JsonObject) -> JsonSchema:
    return prune({**schema, "$defs": definitions}) if definitions else schema
