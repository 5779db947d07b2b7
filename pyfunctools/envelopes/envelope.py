"""How one vendor wraps functions, a model's turn, and the results of its calls.

Everything here is plain data. An envelope reads objects of the vendor's SDK, or the same as plain
data, and imports no SDK.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.record.file import File


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenCall:
    """A call as it stands in a model's turn.

    `arguments` are JSON text or the value, as the vendor gives them. `id` is `None` only where the
    vendor wants none back: `Envelope.spoken` makes those that are missing or there twice. `closed`
    is false where the turn was cut and this call stands at the cut. `custom` says that it calls a
    tool which takes one text instead of arguments.
    """

    id: str | None
    name: str
    arguments: str | JsonValue
    namespace: str | None = None
    caller: JsonValue = None
    closed: bool = True
    custom: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A model's turn.

    `messages` are what to append for it: its blocks untouched, thoughts and signatures and those
    that nobody here knows among them. `text` is what it says in words. `cut` says that the vendor
    ended it in the middle, `waits` that the vendor expects to be asked again though nothing was
    called.
    """

    messages: tuple[JsonObject, ...]
    text: str
    calls: tuple[SpokenCall, ...]
    cut: bool
    waits: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """What came of one call: a text for the model, and files beside it.

    `value` is the value of a success as JSON, `None` where it has no such form.
    """

    id: str
    name: str
    text: str
    is_error: bool
    content: tuple[File, ...] = ()
    value: tuple[JsonValue] | None = None
    call: SpokenCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """What one event adds to a turn: a piece of its text, or to `call`, as far as that has come."""

    text: str = ""
    call: SpokenCall | None = None

    @property
    def arguments(self) -> JsonValue:
        """The arguments of `call` as far as they are certain: to be shown, never to be run.

        A text may still grow, and members and items may follow; no other value changes any more.
        """
        written = None if self.call is None else self.call.arguments
        return _certain(written) if isinstance(written, str) else written


class StreamReading(Protocol):
    """A turn that is read event by event."""

    def feed(self, event: object) -> Delta:
        """Return what an event of the vendor's stream adds; other events add nothing."""
        ...

    @property
    def response(self) -> JsonObject:
        """The turn so far as a response of the vendor; it is cut until the last event."""
        ...


class Answering(Protocol):
    """How the results of a turn are sent back."""

    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        """Return the messages that answer all calls of a turn."""
        ...


class Envelope(Answering, Protocol):
    """How one vendor wraps functions, turns and results."""

    name: str

    def tool(
        self, name: str, description: str, schema: dict[str, Any], *, strict: bool | None
    ) -> dict[str, Any]:
        """Return a function as an item of the vendor's list of tools.

        `strict` is said where it is a `bool`; `None` leaves it to the vendor.
        """
        ...

    def request(self, tools: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the keywords that hold the list where the vendor does not take it as it is."""
        ...

    def is_response(self, value: object) -> bool:
        """Return whether this is a response of the vendor, from its SDK or as plain data."""
        ...

    def spoken(self, response: object) -> Spoken:
        """Return the turn that a response holds; of several alternatives the first."""
        ...

    def reading(self) -> StreamReading:
        """Return a reading of one stream."""
        ...


_LAST_NUMBER: Final = re.compile(r"(?<=[:,\[])\s*-?\d[\d.eE+-]*$")
"""A number that the text ends in: another digit may follow."""


def _certain(text: str) -> JsonValue:
    from pydantic_core import from_json  # half of what `import pyfunctools` may cost

    try:
        value = from_json(
            _LAST_NUMBER.sub("", text), allow_partial="trailing-strings", allow_inf_nan=False
        )
    except ValueError:
        return None
    return cast("JsonValue", value)
