"""Tickets: a call that waits for a person, as a text that can be kept until they answer."""

import re
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from heapq import heappop, heappush
from hmac import compare_digest
from hmac import digest as hmac_digest
from json import dumps, loads
from math import ceil, inf
from secrets import token_urlsafe
from threading import Lock
from typing import Literal, Protocol, TypeAlias

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DefinitionError
from pyfunctools.origin import place
from pyfunctools.outcome import Outcome, Reason
from pyfunctools.record import Function
from pyfunctools.schema import Issue, Path

LONGEST = 4 << 20
"""Characters of the longest ticket that is given out or read."""

SHORTEST_KEY = 32
"""Bytes of the shortest key that signs (RFC 2104, section 3: as many as the digest has)."""


class TicketStore(Protocol):
    """What remembers the tickets that have been used: a table, or a key in a cache that expires."""

    def claim(self, ticket_id: str, expires: int, /) -> bool | Awaitable[bool]:
        """Say whether this is the first time that this id is claimed, and remember it.

        Of several that ask at once only one may hear yes. After `expires`, in seconds since 1970, a
        minute over, the id may be forgotten. Under `aresume` the answer may be awaited.
        """
        ...


class MemoryStore:
    """Remembers used tickets in this process, until they expire; for all its threads.

    It holds at most `limit` of them, and forgets none that could be used again.
    """

    def __init__(self, limit: int = 100_000, clock: Callable[[], float] = time.time) -> None:
        self._limit = limit
        self._clock = clock
        self._lock = Lock()
        self._used: set[str] = set()
        self._ends: list[tuple[int, str]] = []

    def __len__(self) -> int:
        return len(self._used)

    def claim(self, ticket_id: str, expires: int, /) -> bool:
        """Say whether this is the first time that this id is claimed, and remember it.

        Raises:
            DefinitionError: it holds as many as it may.
        """
        with self._lock:
            while self._ends and self._ends[0][0] + _GRACE < self._clock():
                self._used.remove(heappop(self._ends)[1])
            if ticket_id in self._used:
                return False
            if len(self._used) >= self._limit:
                raise DefinitionError(
                    "MemoryStore",
                    f"It remembers {self._limit} used tickets already.",
                    "Give `Tickets` a shorter lifetime, or a store that can hold more.",
                )
            self._used.add(ticket_id)
            heappush(self._ends, (expires, ticket_id))
            return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """What a ticket says: which function it is for, the model's arguments, and until when."""

    id: str
    function: str
    digest: str
    expires: int
    arguments: JsonObject
    text: str = field(repr=False)


Refusal: TypeAlias = Literal["none", "foreign", "expired", "used", "gone", "changed"]
"""Why a ticket is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tickets:
    """How a controller writes its tickets, and which it takes back.

    `key` signs them: at least 32 bytes, secret, the same wherever they are to be taken back
    (`secrets.token_bytes(32)` makes one). `store` remembers which were used; several processes
    need one that they share. `lifetime` is a time, or seconds, rounded up to whole ones.

    A ticket is signed and not encrypted: whoever holds it can read the model's arguments in it.
    Nothing of a person's, of the context or of a connection is in it.

    Raises:
        DefinitionError: the key is too short, the lifetime is none, or the store cannot claim.
    """

    key: bytes = field(kw_only=False, repr=False)
    store: TicketStore = field(default_factory=MemoryStore)
    lifetime: timedelta | float = 900
    clock: Callable[[], float] = field(default=time.time, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.key, bytes) or len(self.key) < SHORTEST_KEY:  # pyright: ignore
            raise DefinitionError(
                "Tickets(key)",
                f"This is no key of at least {SHORTEST_KEY} bytes.",
                "Make one with `secrets.token_bytes(32)`, and keep it with your other secrets.",
            )
        if not _lasts(self.lifetime):
            raise DefinitionError(
                "Tickets(lifetime)", "A ticket has to last.", "Give seconds, or a `timedelta`."
            )
        if not callable(getattr(self.store, "claim", None)):
            raise DefinitionError(
                "Tickets(store)",
                f"What is given there cannot claim a ticket: it is of type "
                f"{type(self.store).__name__}.",
                "Give an object with `claim(ticket_id, expires)`, or leave it out.",
            )

    def issue(self, function: Function, arguments: JsonValue) -> str | None:
        """Give a new ticket for a call of the function with what the model gave of its arguments.

        `None` where they are not JSON, or too large for a ticket.
        """
        said = {
            "v": _VERSION,
            "id": token_urlsafe(16),
            "f": function.name,
            "d": digest_of(function),
            "x": int(self.clock()) + self._seconds,
            "a": arguments,
        }
        try:
            text = dumps(said, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
            payload = _coded(text.encode())
        except (TypeError, ValueError, RecursionError):
            return None
        ticket = f"{payload}.{self._signature(payload)}"
        return ticket if len(ticket) <= LONGEST else None

    def read(self, text: object) -> Ticket | Refusal:
        """Give what a ticket says, or why it is not taken: its form, its signature, its end."""
        if not isinstance(text, str) or len(text) > LONGEST or not _FORM.fullmatch(text):
            return "none"
        payload, _, signature = text.partition(".")
        if not compare_digest(self._signature(payload), signature):
            return "foreign"
        said = loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        if said["v"] != _VERSION:
            return "foreign"
        ticket = Ticket(
            id=said["id"],
            function=said["f"],
            digest=said["d"],
            expires=said["x"],
            arguments=said["a"],
            text=text,
        )
        return "expired" if self.has_expired(ticket) else ticket

    def has_expired(self, ticket: Ticket) -> bool:
        """Say whether the ticket's time is over."""
        return self.clock() >= ticket.expires

    @property
    def _seconds(self) -> int:
        lifetime = self.lifetime
        return ceil(lifetime.total_seconds() if isinstance(lifetime, timedelta) else lifetime)

    def _signature(self, payload: str) -> str:
        # What else the application signs with its key is no ticket.
        return _coded(hmac_digest(self.key, b"pyfunctools ticket\n" + payload.encode(), "sha256"))


def _lasts(lifetime: object) -> bool:
    seconds = lifetime.total_seconds() if isinstance(lifetime, timedelta) else lifetime
    return isinstance(seconds, int | float) and 0 < seconds < inf


def digest_of(function: Function) -> str:
    """Give a digest of what a ticket must not outlive: where a function lives, what it takes,
    and which of that is a person's."""
    separated = function.separated
    sides = None if separated is None else [separated.llm, separated.human]
    said = [function.name, place(function.origin), function.parameters, sides]
    return _coded(sha256(dumps(said, sort_keys=True).encode()).digest()[:16])


def refusal(reason: Refusal, name: str | None = None) -> Outcome:
    """Give the outcome for a ticket that is not taken."""
    expected, said = _REFUSALS[reason]
    text = f"{said} Nothing has run."
    path = Path.of((), "$ticket")
    issue = Issue(path=path, expected=expected, value=None, message=text, side="human")
    return Outcome(text=text, reason=_REASONS[reason], issues=(issue,), function=name)


_REASONS: dict[Refusal, Reason] = {
    "none": "ticket_foreign",
    "foreign": "ticket_foreign",
    "expired": "ticket_expired",
    "used": "ticket_used",
    "gone": "ticket_gone",
    "changed": "ticket_changed",
}


_REFUSALS: dict[Refusal, tuple[str, str]] = {
    "none": ("a ticket", "This is no ticket."),
    "foreign": (
        "a ticket as it was given out",
        "This ticket was changed, or somebody else gave it out.",
    ),
    "expired": ("a ticket whose time is not over", "This ticket has expired."),
    "used": ("a ticket that was not used yet", "This ticket was used already."),
    "gone": ("a ticket for a function that is there", "The function of this ticket is not there."),
    "changed": (
        "a ticket for the function as it is now",
        "This ticket is for another function, or for this one as it was before a change.",
    ),
}

_VERSION = 1
_GRACE = 60
_FORM = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}")


def _coded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
