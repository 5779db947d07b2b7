"""Tickets: a waiting call as a signed text, which can be stored until the person answers."""

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
"""Characters of the longest ticket that is issued or read."""

SHORTEST_KEY = 32
"""Bytes of the shortest signing key (RFC 2104, section 3: as many as the digest has)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """The contents of a ticket: the function, the model's arguments, and the expiry.

    `call` is the id of the call, and `audience` a digest of the audience. `filled` are the paths of
    the person's values so far; the values themselves are not in the ticket. `state` is the state of
    an MCP server's call, and `text` the whole ticket.
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
"""The reason why a ticket is refused; "none" means that the text is not a ticket."""


class Signer(NamedTuple):
    """A signing key, and a store of used tickets."""

    key: bytes
    store: TicketStore


class Listener(Protocol):
    """An object that is notified when a resumed call has ended."""

    def hear(self, ticket: str, outcome: Outcome) -> None:
        """Handle the outcome of the ticket with this id."""
        ...


class _OfThisProcess:
    """A random key, a store of used tickets, and listeners, which only this process has.

    A forked process and a copy in another process get new ones, so that two processes never run the
    call of one ticket.
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
            # `setdefault`: of several threads here at the same time the first one wins.
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


if hasattr(os, "register_at_fork"):  # a forked process may get the id of an earlier one
    os.register_at_fork(after_in_child=_forget)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tickets:
    """How a controller signs its tickets, and which tickets it accepts.

    Without a `key` tickets are signed with a random key of this process: they are invalid in any
    other process, also a forked one. With your own `key` (secret, at least 32 bytes;
    `secrets.token_bytes(32)` makes one) tickets are valid in every process with that key. Then a
    `store`, shared by all of them, has to remember the used tickets: `SqliteStore(path)`,
    `MemoryStore()` for a single process, or an object with `claim` as in `TicketStore`.

    `lifetime` is a `timedelta`, or seconds, rounded up to whole ones. `clock` returns seconds since
    1970; `MemoryStore` and `SqliteStore` use it too.

    A ticket is signed but not encrypted: whoever has it can read the model's arguments in it. It
    contains no value of the person, no context and no setting of the connection.

    Raises:
        DefinitionError: the key is too short or has no store, the lifetime is not positive, or the
            store has no `claim`.
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
        if not _is_lifetime(self.lifetime):
            raise DefinitionError(
                "Tickets(lifetime)",
                "This must be above zero.",
                "Write seconds, or a `timedelta`.",
            )
        if not callable(self.clock):
            raise wrong_type(
                "Tickets(clock)", "a function", self.clock, "Write `time.time`, for example."
            )
        _check_store(self.key, self.store)
        if isinstance(self.store, MemoryStore | SqliteStore):
            self.store.follow(self.clock)
        object.__setattr__(self, "_own", _OfThisProcess(self.clock))

    def listen(self, listener: Listener) -> None:
        """Notify a listener of the end of every resumed call, while the listener exists."""
        self._own.listeners.add(listener)

    def ended(self, text: object, outcome: Outcome) -> None:
        """Notify the listeners of a resumed call's outcome, unless it waits or is refused."""
        has_ended = outcome.waiting is None and not (outcome.reason or "").startswith("ticket_")
        if not has_ended or not self._own.listeners:
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
        """Return a ticket for a call of the function with the model's arguments.

        It is `None` if the arguments are not JSON, or too large for a ticket. With `after` it
        replaces that ticket: only one of the two can be used, and both expire at the same time.
        """
        if after is not None:
            filled = tuple(dict.fromkeys((*after.filled, *filled)))
        contents = {
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
            text = dumps(contents, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
            payload = _encoded(text.encode())
        except (TypeError, ValueError, RecursionError):
            return None
        ticket = f"{payload}.{self._signature(payload)}"
        return ticket if len(ticket) <= LONGEST else None

    def read(self, text: object) -> Ticket | Refusal:
        """Return the contents of a ticket, or the refusal of its form, signature or expiry."""
        if not isinstance(text, str) or len(text) > LONGEST or not _FORM.fullmatch(text):
            return "none"
        payload, _, signature = text.partition(".")
        if not compare_digest(self._signature(payload), signature):
            return "foreign"
        contents = loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        if contents["v"] != _VERSION:
            return "foreign"
        ticket = Ticket(
            id=contents["id"],
            function=contents["f"],
            digest=contents["d"],
            call=contents["c"],
            audience=contents["u"],
            expires=contents["x"],
            arguments=contents["a"],
            filled=tuple(tuple(keys) for keys in contents["p"]),
            state=contents.get("s"),
            text=text,
        )
        return "expired" if self.has_expired(ticket) else ticket

    def is_for(self, ticket: Ticket, audience: str | None) -> bool:
        """Return whether the ticket was issued for this audience; `None` means no audience."""
        return ticket.audience == self._digest(audience)

    def has_expired(self, ticket: Ticket) -> bool:
        """Return whether the ticket has expired."""
        return self.clock() >= ticket.expires

    def claim(self, ticket: Ticket) -> bool | Awaitable[bool]:
        """Use up a ticket; return whether this is its first use.

        Raises:
            Exception: whatever the store raises.
        """
        return self._signer.store.claim(ticket.id, ticket.expires)

    def withdraw(self, ticket: str) -> bool | Awaitable[bool]:
        """Make a ticket unusable; return whether it could still be used.

        If the store's `claim` is asynchronous, so is this.

        Raises:
            Exception: whatever the store raises; then the ticket stays valid.
        """
        read = self.read(ticket)
        if isinstance(read, Ticket):
            return self.claim(read)
        return _false() if iscoroutinefunction(self._signer.store.claim) else False

    def signature(self, data: bytes) -> str:
        """Return the signature of other data, such as a saved turn."""
        return self._signed(b"pyfunctools turn\n" + data)

    @property
    def waits(self) -> bool:
        """Whether a claim may block this thread."""
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
        # With the prefix, other data that the application signs with its key is not a ticket.
        return self._signed(b"pyfunctools ticket\n" + payload.encode())

    def _digest(self, audience: str | None) -> str | None:
        # Keyed: an audience is often an e-mail address, which could be guessed from a plain digest.
        if audience is None:
            return None
        return self._signed(b"pyfunctools audience\n" + audience.encode("utf-8", "surrogatepass"))

    def _signed(self, data: bytes) -> str:
        return _encoded(hmac_digest(self._signer.key, data, "sha256"))


async def _false() -> bool:
    return False


def _check_store(key: bytes | None, store: object) -> None:
    """Check a store, and that a key has a store.

    Raises:
        DefinitionError: the store has no `claim`, or a key has no store.
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
            "With your own key a ticket is valid in every process with that key, so all of them "
            "have to share a store of the used tickets.",
            "Write `store=SqliteStore(path)`, `store=MemoryStore()` if there is only one "
            "process, or leave out the key.",
        )


def _is_lifetime(lifetime: object) -> bool:
    seconds = lifetime.total_seconds() if isinstance(lifetime, timedelta) else lifetime
    return isinstance(seconds, int | float) and 0 < seconds < inf


def digest_of(function: Function) -> str:
    """Return a digest of a function; when it changes, the function's tickets become invalid.

    It covers the name, the origin and the parameters of both sides, but no descriptions.
    """
    separated = function.separated
    sides = () if separated is None else (separated.llm, separated.human or {})
    schemas = [_without_descriptions(each) for each in (function.parameters, *sides)]
    parts = [function.name, origin_text(function.origin), *schemas]
    return _encoded(sha256(dumps(parts, sort_keys=True).encode()).digest()[:16])


def _without_descriptions(schema: JsonSchema) -> JsonValue:
    return map_subschemas(schema, lambda own: {key: own[key] for key in own.keys() - _DESCRIPTIVE})


_DESCRIPTIVE = REMARKS | {"description", "x-human-ask", "x-human-widget"}
"""Keywords that describe a schema, and do not change which values are valid."""


def ticket_refused(reason: Refusal, name: str | None = None) -> Outcome:
    """Return the outcome for a refused ticket."""
    word, expected, sentence = _REFUSALS[reason]
    text = f"{sentence} Nothing has run."
    path = Path.of((), "$ticket")
    issue = Issue(path=path, expected=expected, value=None, message=text, side="human")
    return Outcome(text=text, reason=word, issues=(issue,), function=name)


_REFUSALS: dict[Refusal, tuple[Reason, str, str]] = {
    "none": ("ticket_foreign", "a ticket", "This is not a ticket."),
    "foreign": (
        "ticket_foreign",
        "a ticket as it was issued",
        "This ticket was changed, or issued by somebody else.",
    ),
    "audience": (
        "ticket_foreign",
        "a ticket that was issued for this audience",
        "This ticket was issued for somebody else.",
    ),
    "expired": (
        "ticket_expired",
        "a ticket that has not expired",
        "This ticket has expired.",
    ),
    "used": (
        "ticket_used",
        "a ticket that was not used yet",
        "This ticket was used already, or withdrawn.",
    ),
    "gone": (
        "ticket_gone",
        "a ticket for a function that exists",
        "The function of this ticket does not exist.",
    ),
    "changed": (
        "ticket_changed",
        "a ticket for the function as it is now",
        "This ticket is for another function, or for this one as it was before a change.",
    ),
}

_VERSION = 3
_FORM = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}")


def _encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
