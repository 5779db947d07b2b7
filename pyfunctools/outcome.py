"""What came of a call."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pyfunctools._json import JsonSchema
from pyfunctools.schema import Failure, Repair

Sent: TypeAlias = Literal["no", "yes", "unknown"]
"""Whether a request reached the other side: `unknown` when the connection broke after sending."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a call: `text` for the model, `value` for the program.

    A method may return one of its own to tell the two apart.

    `failure` is there where the arguments were refused; `status`, `headers`, `retry_after` (in
    seconds) and `sent` where an HTTP request was made or tried; `needs_human` is the schema of what
    a person still has to give, and then nothing has run.
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
    ticket: str | None = None
