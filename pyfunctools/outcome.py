"""What came of a call."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Literal, TypeAlias

from pyfunctools._json import JsonSchema
from pyfunctools._text import brief
from pyfunctools.schema import Failure, Repair

Sent: TypeAlias = Literal["no", "yes", "unknown"]
"""Whether a request reached the other side: `unknown` when the connection broke after sending."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Outcome:
    """What came of a call: `text` for the model, `value` for the program.

    A method may return one of its own to tell the two apart.

    `failure` is there where the arguments were refused; `status`, `headers`, `retry_after` (in
    seconds) and `sent` where an HTTP request was made or tried.

    Where a call waits for a person nothing has run, and `value` is the model's part: `needs_human`
    is the schema of what they still have to give, or to give again; `needs_approval` says that they
    have to approve it. `ticket` is what `Controller.resume` goes on with when they have; there is
    none where the model's part is too large for one.

    The `repr` tells what there is, cut where it is long, and of `value`, `headers` and `ticket` no
    more than that: they may hold what is no reader's of a log.
    """

    text: str
    value: object = None
    is_error: bool = False
    failure: Failure | None = None
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    retry_after: float | None = None
    sent: Sent | None = None
    function: str | None = None
    repairs: tuple[Repair, ...] = ()
    needs_human: JsonSchema | None = None
    needs_approval: bool = False
    ticket: str | None = None

    def __repr__(self) -> str:
        told: dict[str, object] = {}
        for each in fields(self):
            held: object = getattr(self, each.name)
            if each.name in ("value", "ticket") and held is not None:
                told[each.name] = f"<{type(held).__name__}>"
            elif each.name == "headers" and held:
                told[each.name] = sorted(self.headers)
            elif each.name == "text" or held not in (None, False, (), {}):
                told[each.name] = brief(held)
        return f"Outcome({', '.join(f'{name}={said}' for name, said in told.items())})"
