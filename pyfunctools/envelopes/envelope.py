"""`Envelope`: how one vendor wraps functions, a model's turn, and the results of its calls.

An envelope reads objects of the vendor's SDK, or the same as plain data, and imports no SDK.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.record.file import File


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """A call in a model's turn.

    `arguments` are JSON text or a value, as the vendor sends them. `id` is `None` only if the
    vendor needs no id in the result; otherwise `Envelope.read_turn` replaces missing and repeated
    ids. `closed` is false if the turn was cut inside this call. `custom` is true for a call of a
    tool that has one text instead of arguments.
    """

    id: str | None
    name: str
    arguments: str | JsonValue
    namespace: str | None = None
    caller: JsonValue = None
    closed: bool = True
    custom: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTurn:
    """A model's turn.

    `messages` are to be appended to the conversation, with all blocks unchanged, also reasoning,
    signatures and unknown blocks. `cut` is true if the turn is incomplete (by a token limit, for
    example), `waits` if the vendor expects another request although nothing was called.
    """

    messages: tuple[JsonObject, ...]
    text: str
    calls: tuple[ModelCall, ...]
    cut: bool
    waits: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """The result of one call: a text for the model, and files.

    `value` is the value of a success as JSON, in a tuple, `None` if it cannot be written as JSON.
    """

    id: str
    name: str
    text: str
    is_error: bool
    content: tuple[File, ...] = ()
    value: tuple[JsonValue] | None = None
    call: ModelCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """The change that one event of a stream makes: a piece of text, or a `call` so far."""

    text: str = ""
    call: ModelCall | None = None

    @property
    def arguments(self) -> JsonValue:
        """The arguments of `call` received so far, for display only, never to be run.

        A string may still grow, and members and items may follow; other values are final.
        """
        arguments = None if self.call is None else self.call.arguments
        return _received(arguments) if isinstance(arguments, str) else arguments


class StreamReader(Protocol):
    """Reads a turn event by event."""

    def feed(self, event: object) -> Delta:
        """Return the change that an event of the vendor's stream makes, empty for other events."""
        ...

    @property
    def response(self) -> JsonObject:
        """The turn so far as a response of the vendor; it counts as cut until the last event."""
        ...


class ResultWriter(Protocol):
    """Writes the results of a turn's calls."""

    def results(self, results: Sequence[CallResult]) -> tuple[JsonObject, ...]:
        """Return the messages with the results of all calls of a turn."""
        ...


class Envelope(ResultWriter, Protocol):
    """How one vendor wraps functions, turns and results."""

    name: str

    def tool(
        self, name: str, description: str, schema: dict[str, Any], *, strict: bool | None
    ) -> dict[str, Any]:
        """Return a function as an item of the vendor's list of tools.

        `strict=None` leaves it to the vendor.
        """
        ...

    def request(self, tools: list[dict[str, Any]]) -> dict[str, Any]:
        """Return keyword arguments with the list, `{}` if the vendor accepts it as `tools=`."""
        ...

    def is_response(self, value: object) -> bool:
        """Return whether this is a response of the vendor, from its SDK or as plain data."""
        ...

    def read_turn(self, response: object) -> ModelTurn:
        """Return the turn of a response; if it has several alternatives, the first one."""
        ...

    def stream_reader(self) -> StreamReader:
        """Return a reader of one stream."""
        ...


_LAST_NUMBER: Final = re.compile(r"(?<=[:,\[])\s*-?\d[\d.eE+-]*$")
"""A number at the end of the text: another digit may follow."""


def named_tool(name: str, description: str) -> dict[str, Any]:
    """Return the name of a tool, and its description if there is one."""
    return {"name": name, "description": description} if description else {"name": name}


def _received(text: str) -> JsonValue:
    from pydantic_core import from_json  # slow to import

    try:
        value = from_json(
            _LAST_NUMBER.sub("", text), allow_partial="trailing-strings", allow_inf_nan=False
        )
    except ValueError:
        return None
    return cast("JsonValue", value)
