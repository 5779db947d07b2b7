"""What a person is asked for one call, as data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal[
    "text",
    "number",
    "integer",
    "boolean",
    "choice",
    "choices",
    "date",
    "time",
    "datetime",
    "file",
    "json",
]
"""How an answer is given. Of `options` a `choice` is one, `choices` are some; `json` is JSON, or
for a list of texts or numbers one on each line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One thing to ask a person for one call; it goes through JSON: `Question(**asdict(question))`.

    `path` says where the answer stands in the arguments, such as `$input.card.number`: values for
    `call` and `resume` may be a mapping of these. `label` can be read alone; `help` says more.
    `options` are the values to choose from, `default` is what stands where nothing is given, and
    `problem` what was wrong with the last answer. What is `secret` is typed without echo. `schema`
    is the JSON Schema of the answer, with its definitions.

    Where the answer decides what else is asked (how many, or which of several kinds of thing) the
    next questions have the rest: answer it again with them.
    """

    path: str
    label: str
    kind: Kind
    help: str = ""
    required: bool = True
    options: tuple[Any, ...] = ()
    default: Any = None
    secret: bool = False
    problem: str | None = None
    schema: Mapping[str, Any] | bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", tuple(self.options))  # a list, from JSON
