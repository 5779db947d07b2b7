"""A program that waits for people, as a text in the state of its ticket.

It holds the dump of the sandbox, what was printed, and the calls: those that ran in brief, those
that wait with the model's arguments, and nothing of a person's.
"""

from base64 import b85decode, b85encode
from dataclasses import dataclass, replace
from json import dumps, loads
from lzma import FILTER_LZMA2, FORMAT_RAW, compress, decompress
from typing import Any, Final, NamedTuple, cast

from pyfunctools._json import JsonObject
from pyfunctools._text import shortened
from pyfunctools.execution.person.tickets import Ticket
from pyfunctools.integrations.programs.sandbox import VERSION
from pyfunctools.record.outcome import InnerCall, Outcome

_SMALL: Final[Any] = {
    "format": FORMAT_RAW,
    "filters": [{"id": FILTER_LZMA2, "preset": 6, "dict_size": 1 << 20}],
}
_LONGEST: Final = 100
"""The most characters of the text of a call that ran."""


@dataclass(slots=True)
class ProgramCall:
    """A call that a program waits for, under Monty's `number`.

    `result` is what the program gets: whether it is right, and the value or the text of an error.
    `ticket` is what it continues with if it waits for a person.
    """

    number: int
    id: str
    function: str
    arguments: JsonObject | None = None
    outcome: Outcome | None = None
    result: tuple[bool, Any] | None = None
    ticket: Ticket | None = None

    @property
    def made(self) -> InnerCall:
        """The call as it is told."""
        return InnerCall(
            call_id=self.id,
            function=self.function,
            arguments=self.arguments,
            outcome=cast("Outcome", self.outcome),
        )


class SuspendedProgram(NamedTuple):
    """A program where it waits, after `spent` seconds and `made` calls; `calls` have not ended."""

    code: str
    printed: str
    spent: float
    made: int
    ended: list[InnerCall]
    calls: list[ProgramCall]
    dump: bytes

    def text(self) -> str:
        """Return the program as a text."""
        ended, calls = [*map(_brief, self.ended)], [*map(_saved, self.calls)]
        said = [VERSION, *self[:4], ended, calls]
        head = dumps(said, separators=(",", ":")).encode()
        return b85encode(compress(head + b"\n" + self.dump, **_SMALL)).decode()


def loaded(text: str, outer: Ticket) -> SuspendedProgram | None:
    """Return the program that `SuspendedProgram.text` wrote, `None` if another Monty dumped it."""
    head, _, dump = decompress(b85decode(text), **_SMALL).partition(b"\n")
    version, code, printed, spent, made, ended, calls = loads(head)
    if version != VERSION:
        return None
    told = [InnerCall(**each, outcome=Outcome(**outcome)) for each, outcome in ended]
    waiting = [_loaded_call(outer, *each) for each in calls]
    return SuspendedProgram(code, printed, spent, made, told, waiting, dump)


def _brief(call: InnerCall) -> tuple[dict[str, Any], dict[str, Any]]:
    outcome = call.outcome
    text = shortened(outcome.text, _LONGEST)
    told = {"text": text, "reason": outcome.reason, "function": outcome.function}
    return {"call_id": call.call_id, "function": call.function, "arguments": None}, told


def _saved(call: ProgramCall) -> list[Any]:
    kept = call.ticket and {name: getattr(call.ticket, name) for name in _KEPT}
    told = None if kept else _brief(call.made)[1]
    return [call.number, call.id, call.function, call.result, told, kept]


_KEPT: Final = ("function", "digest", "arguments", "filled", "state")
"""The contents of a waiting call's ticket that are its own; the rest is the program's."""


def _loaded_call(
    outer: Ticket, number: int, call_id: str, function: str, result: Any, told: Any, kept: Any
) -> ProgramCall:
    call = ProgramCall(number, call_id, function)
    if kept is None:
        call.result, call.outcome = tuple(result), Outcome(**told)
        return call
    filled = tuple(tuple(keys) for keys in kept.pop("filled"))
    call.ticket = replace(outer, call=call_id, filled=filled, **kept)
    call.arguments = call.ticket.arguments
    return call
