"""Tickets: a call that waits for a person, as a text that can be kept until they answer."""

import os
import re
import time
import weakref
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from hmac import compare_digest
from hmac import digest as hmac_digest
from inspect import iscoroutinefunction
from json import dumps, loads
from math import ceil, inf
from secrets import token_bytes, token_urlsafe
from typing import Literal, NamedTuple, Protocol, TypeAlias

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.execution.person.stores import MemoryStore, SqliteStore, TicketStore
from pyfunctools.record.function import Function
from pyfunctools.record.origin import origin_text
from pyfunctools.record.outcome import Outcome, Reason
from pyfunctools.schema import Issue, Path
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.walk import map_subschemas
from pyfunctools.schema.vocabulary import REMARKS

LONGEST = 4 << 20
"""Characters of the longest ticket that is given out or read."""

SHORTEST_KEY = 32
"""Bytes of the shortest key that signs (RFC 2104, section 3: as many as the digest has)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """What a ticket says: which function it is for, the model's arguments, and until when.

    `call` is the id of the call. `audience` is a digest of whom it is for, and `filled` are the
    declared places in which the person had given something by then; what they gave is not in it.
    """

    id: str
    function: str
    digest: str
    call: str
    audience: str | None
    expires: int
    arguments: JsonObject
    filled: tuple[Keys, ...]
    state: JsonValue = None
    text: str = field(repr=False)


Refusal: TypeAlias = Literal["none", "foreign", "audience", "expired", "used", "gone", "changed"]
"""Why a ticket is refused."""


class Signer(NamedTuple):
    """The key that signs, and the store that remembers."""

    key: bytes
    store: TicketStore


class Listener(Protocol):
    """What is told of the ends of calls that went on from tickets."""

    def hear(self, ticket: str, outcome: Outcome) -> None:
        """Hear what came of the ticket of this id."""
        ...


class _OfThisProcess:
    """A random key, a memory of used tickets, and who listens: of this process alone.

    A fork makes another key and memory, and so does a copy in another process: none of them may run
    what one of the others has run already.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.listeners: weakref.WeakSet[Listener] = weakref.WeakSet()
        self._clock = clock
        self._made: dict[int, Signer] = {}
        _OWN.add(self)

    @property
    def signer(self) -> Signer:
        made = self._made.get(os.getpid())
        if made is None:
            store = MemoryStore()
            store.follow(self._clock)
            # One of several threads that come here at once is the first.
            made = self._made.setdefault(os.getpid(), Signer(token_bytes(SHORTEST_KEY), store))
        return made

    def forget(self) -> None:
        self._made.clear()

    def __reduce__(self) -> tuple[object, ...]:
        return (_OfThisProcess, (self._clock,))


_OWN: weakref.WeakSet[_OfThisProcess] = weakref.WeakSet()


def _forget() -> None:
    for each in _OWN:
        each.forget()


if hasattr(os, "register_at_fork"):  # where processes fork, numbers of processes come back
    os.register_at_fork(after_in_child=_forget)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tickets:
    """How a controller writes its tickets, and which it takes back.

    Without a `key` they are signed with a random one of this process: they end with it, and
    processes forked from it make others. A `key` of your own (at least 32 bytes, secret;
    `secrets.token_bytes(32)` makes one) makes tickets that are taken back wherever it is known.
    Then a `store` has to remember which were used, the same for all of them: `SqliteStore(path)`,
    or `MemoryStore()` where there is one process only, or whatever has its `claim`.

    `lifetime` is a time, or seconds, rounded up to whole ones. `clock` returns seconds since 1970;
    `MemoryStore` and `SqliteStore` go by it too.

    A ticket is signed and not encrypted: whoever holds it can read the model's arguments in it.
    Nothing of a person's, of the context or of a connection is in it.

    Raises:
        DefinitionError: the key is too short or has no store, the lifetime is none, or the store
            cannot claim.
    """

    key: bytes | None = field(default=None, kw_only=False, repr=False)
    store: TicketStore | None = None
    lifetime: timedelta | float = 900
    clock: Callable[[], float] = field(default=time.time, repr=False)
    _own: _OfThisProcess = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.key is not None and (
            not isinstance(self.key, bytes) or len(self.key) < SHORTEST_KEY  # pyright: ignore
        ):
            raise DefinitionError(
                "Tickets(key)",
                f"This must be at least {SHORTEST_KEY} bytes.",
                "Make one with `secrets.token_bytes(32)`, and keep it with your other secrets.",
            )
        if not _lasts(self.lifetime):
            raise DefinitionError(
                "Tickets(lifetime)",
                "This must be above zero.",
                "Write seconds, or a `timedelta`.",
            )
        if not callable(self.clock):
            raise wrong_type("Tickets(clock)", "a function", self.clock, "Write `time.time`, say.")
        _check_store(self.key, self.store)
        if isinstance(self.store, MemoryStore | SqliteStore):
            self.store.follow(self.clock)
        object.__setattr__(self, "_own", _OfThisProcess(self.clock))

    def listen(self, listener: Listener) -> None:
        """Tell a listener of every call that comes to an end by a ticket, for as long as it is."""
        self._own.listeners.add(listener)

    def ended(self, text: object, outcome: Outcome) -> None:
        """Tell what came of a call that went on from a ticket, if that is its end."""
        taken = outcome.waiting is None and not (outcome.reason or "").startswith("ticket_")
        if not taken or not self._own.listeners:
            return
        ticket = self.read(text)
        if isinstance(ticket, Ticket):
            for each in list(self._own.listeners):
                each.hear(ticket.id, outcome)

    def issue(
        self,
        function: Function,
        arguments: JsonValue,
        *,
        call: str = "",
        audience: str | None = None,
        filled: Sequence[Keys] = (),
        after: Ticket | None = None,
        state: JsonValue = None,
    ) -> str | None:
        """Return a ticket for a call of the function with what the model gave of its arguments.

        `None` where they are not JSON, or too large for a ticket. With `after` it goes on from that
        ticket: one use and one end for both.
        """
        if after is not None:
            filled = tuple(dict.fromkeys((*after.filled, *filled)))
        said = {
            "v": _VERSION,
            "id": token_urlsafe(16) if after is None else after.id,
            "f": function.name,
            "d": digest_of(function),
            "c": call,
            "u": self._digest(audience),
            "x": int(self.clock()) + self._seconds if after is None else after.expires,
            "a": arguments,
            "p": [list(keys) for keys in filled],
            **({} if state is None else {"s": state}),
        }
        try:
            text = dumps(said, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
            payload = _coded(text.encode())
        except (TypeError, ValueError, RecursionError):
            return None
        ticket = f"{payload}.{self._signature(payload)}"
        return ticket if len(ticket) <= LONGEST else None

    def read(self, text: object) -> Ticket | Refusal:
        """Return what a ticket says, or why it is not taken: its form, its signature, its end."""
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
            call=said["c"],
            audience=said["u"],
            expires=said["x"],
            arguments=said["a"],
            filled=tuple(tuple(keys) for keys in said["p"]),
            state=said.get("s"),
            text=text,
        )
        return "expired" if self.has_expired(ticket) else ticket

    def is_for(self, ticket: Ticket, audience: str | None) -> bool:
        """Return whether the ticket was given out for this audience, or for none where it is."""
        return ticket.audience == self._digest(audience)

    def has_expired(self, ticket: Ticket) -> bool:
        """Return whether the ticket's time is over."""
        return self.clock() >= ticket.expires

    def claim(self, ticket: Ticket) -> bool | Awaitable[bool]:
        """Use up a ticket; return whether it had not been used up before.

        Raises:
            Exception: whatever the store raises.
        """
        return self._signer.store.claim(ticket.id, ticket.expires)

    def withdraw(self, ticket: str) -> bool | Awaitable[bool]:
        """Use up a ticket that nobody is to go on with; return whether it could still be used.

        Where the store's `claim` is asynchronous the answer has to be awaited.

        Raises:
            Exception: whatever the store raises; the ticket is as it was.
        """
        read = self.read(ticket)
        if isinstance(read, Ticket):
            return self.claim(read)
        return _nothing() if iscoroutinefunction(self._signer.store.claim) else False

    def signature(self, data: bytes) -> str:
        """Return the signature of what goes with tickets and is none, such as a saved turn."""
        return self._signed(b"pyfunctools turn\n" + data)

    @property
    def waits(self) -> bool:
        """Whether a claim may have to wait for another process, in this thread."""
        return isinstance(self.store, SqliteStore)

    @property
    def _signer(self) -> Signer:
        if self.key is not None and self.store is not None:
            return Signer(self.key, self.store)
        own = self._own.signer
        return own if self.store is None else Signer(own.key, self.store)

    @property
    def _seconds(self) -> int:
        lifetime = self.lifetime
        return ceil(lifetime.total_seconds() if isinstance(lifetime, timedelta) else lifetime)

    def _signature(self, payload: str) -> str:
        # What else the application signs with its key is no ticket.
        return self._signed(b"pyfunctools ticket\n" + payload.encode())

    def _digest(self, audience: str | None) -> str | None:
        # Keyed: who it is for is often an address, and whoever holds a ticket could try them all.
        if audience is None:
            return None
        return self._signed(b"pyfunctools audience\n" + audience.encode("utf-8", "surrogatepass"))

    def _signed(self, data: bytes) -> str:
        return _coded(hmac_digest(self._signer.key, data, "sha256"))


async def _nothing() -> bool:
    return False


def _check_store(key: bytes | None, store: object) -> None:
    """Refuse what cannot claim, and a key of one's own without something that does.

    Raises:
        DefinitionError: it is so.
    """
    if store is not None and not callable(getattr(store, "claim", None)):
        raise wrong_type(
            "Tickets(store)",
            "a store of tickets",
            store,
            "Write `SqliteStore(path)`, or an object with `claim(ticket_id, expires)`.",
        )
    if key is not None and store is None:
        raise DefinitionError(
            "Tickets(store)",
            "With a key of your own a ticket is taken wherever the key is known, so what remembers "
            "the used ones has to be known there too.",
            "Write `store=SqliteStore(path)`, `store=MemoryStore()` where there is one process "
            "only, or leave out the key.",
        )


def _lasts(lifetime: object) -> bool:
    seconds = lifetime.total_seconds() if isinstance(lifetime, timedelta) else lifetime
    return isinstance(seconds, int | float) and 0 < seconds < inf


def digest_of(function: Function) -> str:
    """Return a digest of what a ticket must not outlive: where a function lives, what it takes,
    and which of that is a person's. What is only told of it may change."""
    separated = function.separated
    sides = () if separated is None else (separated.llm, separated.human or {})
    schemas = [_untold(each) for each in (function.parameters, *sides)]
    said = [function.name, origin_text(function.origin), *schemas]
    return _coded(sha256(dumps(said, sort_keys=True).encode()).digest()[:16])


def _untold(schema: JsonSchema) -> JsonValue:
    """Return a copy of a schema without what only tells of it."""
    return map_subschemas(
        schema, lambda own: {k: value for k, value in own.items() if k not in _TOLD}
    )


_TOLD = REMARKS | {"description", "x-human-ask", "x-human-widget"}
"""Keywords that tell of a schema, and change nothing of what it takes."""


def ticket_refused(reason: Refusal, name: str | None = None) -> Outcome:
    """Return the outcome for a ticket that is not taken."""
    word, expected, said = _REFUSALS[reason]
    text = f"{said} Nothing has run."
    path = Path.of((), "$ticket")
    issue = Issue(path=path, expected=expected, value=None, message=text, side="human")
    return Outcome(text=text, reason=word, issues=(issue,), function=name)


_REFUSALS: dict[Refusal, tuple[Reason, str, str]] = {
    "none": ("ticket_foreign", "a ticket", "This is no ticket."),
    "foreign": (
        "ticket_foreign",
        "a ticket as it was given out",
        "This ticket was changed, or somebody else gave it out.",
    ),
    "audience": (
        "ticket_foreign",
        "a ticket that was given out for this audience",
        "This ticket was given out for somebody else.",
    ),
    "expired": (
        "ticket_expired",
        "a ticket whose time is not over",
        "This ticket has expired.",
    ),
    "used": (
        "ticket_used",
        "a ticket that was not used yet",
        "This ticket was used already, or withdrawn.",
    ),
    "gone": (
        "ticket_gone",
        "a ticket for a function that is there",
        "The function of this ticket is not there.",
    ),
    "changed": (
        "ticket_changed",
        "a ticket for the function as it is now",
        "This ticket is for another function, or for this one as it was before a change.",
    ),
}

_VERSION = 3
_FORM = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}")


def _coded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
