"""`Call`: one call that a model wrote."""

from dataclasses import dataclass
from typing import Any

from pyfunctools._text import record_repr
from pyfunctools.schema.result import Failure, Repair, Success


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Call:
    """One call that a model wrote.

    `name` is that of the function, or as written where there is no such function. `arguments` are
    read and coerced, as far as they could be where `result` is a `Failure`; `repairs` are those of
    the result. `span` is where the call begins and ends in the text (of bytes: in the text they
    say), `None` where it came as an object. `id`, `namespace` and `caller` are the vendor's, where
    it gives them; a result is sent back under this id.
    """

    id: str | None = None
    name: str
    arguments: Any
    result: Success[Any] | Failure
    repairs: tuple[Repair, ...] = ()
    span: tuple[int, int] | None = None
    namespace: str | None = None
    caller: Any = None

    def __repr__(self) -> str:
        return record_repr(self, "id", "name", "arguments", "result", "span")
