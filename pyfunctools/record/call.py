"""`Call`: one call that a model wrote."""

from dataclasses import dataclass, field
from typing import Any

from pyfunctools._text import record_repr
from pyfunctools.schema.result import Failure, Repair, Success


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Call:
    """One call that a model wrote.

    `name` is the name of the function, or the name that the model wrote if the function is unknown.
    `arguments` are parsed and coerced, as far as possible if `result` is a `Failure`; `repairs` are
    the repairs of `result`. `span` is the start and the end of the call in the text (bytes are
    decoded first), `None` if the call came as an object. `id`, `namespace` and `caller` come from
    the vendor, if it sends them; the result is sent back with this id.
    """

    id: str | None = None
    name: str
    arguments: Any
    result: Success[Any] | Failure
    repairs: tuple[Repair, ...] = ()
    span: tuple[int, int] | None = None
    namespace: str | None = None
    caller: Any = None
    _mark: object = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        return record_repr(self, "id", "name", "arguments", "result", "span")


def mark_of(call: Call) -> object:
    """Return the `Contract.mark` by which the call's arguments were checked, `None` if unknown."""
    is_checked = call.result and call.arguments is call.result.value
    return call._mark if is_checked else None  # pyright: ignore[reportPrivateUsage]
