"""`Question`: a question to a person, as data."""

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
    "login",
]
"""How a question is answered. A `choice` is one of the `options`, `choices` are several; `json` is
JSON, or for a list of texts or numbers one item on each line. For a `login` the person opens the
address in `help`; the answer is the address that they are sent back to, or `True` if `label` has a
code to enter there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question to a person for one call; rebuilt from JSON by `Question(**asdict(question))`.

    `path` is the place of the answer in the arguments, such as `$input.card.number`: the `human`
    values of `call` and `resume` may be a mapping of these paths. `label` can be read alone, `help`
    adds details. `options` are the values to choose from, `default` is used if there is no answer,
    `problem` is the error of the last answer. A `secret` is typed without echo. `schema` is the
    JSON Schema of the answer, with its definitions.

    An answer may lead to further questions (a number of items, one of several kinds). These come in
    the next round: answer this question again together with them.
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
