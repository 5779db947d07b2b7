"""`Issue`: one complaint about a value."""

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from pyfunctools._text import record_repr
from pyfunctools.schema.ground.path import Path

Side: TypeAlias = Literal["whole", "llm", "human"]
"""The part of the arguments: the model's part, the human's part, or the whole."""


_MAX_MESSAGE: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Issue:
    """One complaint about a value.

    `path` is its place and `value` the invalid value, `None` if it is missing; `expected` describes
    a valid one in a line that a model can act on. `message` is the complaint as a sentence. `side`
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
