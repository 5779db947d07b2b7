"""`Issue`: one mistake in a value."""

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from pyfunctools._text import quantity, record_repr
from pyfunctools.schema.ground.json_values import ABSENT, DEPTH, Given, preview_scalar
from pyfunctools.schema.ground.path import Keys, Path

Side: TypeAlias = Literal["whole", "llm", "human"]
"""The part of the arguments: the model's part, the human's part, or the whole."""

MOST_ISSUES: Final = 1_000
"""The most issues of one value that are listed."""
_MAX_MESSAGE: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Issue:
    """One mistake in a value.

    `path` is its place and `value` the invalid value, `None` if it is missing; `expected` describes
    a valid one in a line that a model can act on. `message` states it in a sentence. `side`
    is the part of the arguments that it is about. A message has at most 1,000 characters. The
    `repr` of an issue about the human's part has no path, value or message: the keys in them may be
    private too.
    """

    path: Path
    expected: str
    value: Any
    message: str
    side: Side = "whole"

    def __post_init__(self) -> None:
        if len(self.message) > _MAX_MESSAGE:  # a path may have a huge key
            half = _MAX_MESSAGE // 2
            cut = f"{self.message[: half - 1]}\u2026{self.message[-half:]}"
            object.__setattr__(self, "message", cut)

    def __repr__(self) -> str:
        if self.side == "human":
            return record_repr(self, "expected", "side")
        return record_repr(self, "path", "expected", "value", "message", "side")

    @property
    def pointer(self) -> str:
        """The path as a JSON Pointer (RFC 6901)."""
        return self.path.pointer


def side_issue(
    side: Side, keys: Keys, expected: str, value: Given = ABSENT, *, rule: str = "", got: str = ""
) -> Issue:
    """Return the issue of a value: `$input.n is 0: expected at least 1.`

    `rule` is the broken rule, if `expected` says more, and `got` describes the value, if it has to
    be described otherwise. An issue of the human's side has no value.
    """
    path = Path.of(keys)
    if side == "human" or value is ABSENT:
        value = None
    elif isinstance(value, dict):
        got = f"an object with {quantity(len(value), 'property')}"
    elif isinstance(value, list | tuple):
        got = f"an array of {quantity(len(value), 'item')}"
    else:
        got = preview_scalar(value)
    message = f"{path}{got and f' is {got}'}: expected {rule or expected}"
    message += "" if message.endswith("?") else "."
    return Issue(path=path, expected=expected, value=value, message=message, side=side)


def depth_issue(side: Side) -> Issue:
    """Return the issue of a value that is nested deeper than arguments may be."""
    return side_issue(side, (), f"at most {DEPTH} levels of nesting")
