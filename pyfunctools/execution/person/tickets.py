"""Tickets: a waiting call as a signed text, which can be stored until the person answers."""

import os
import re
import time
import weakref
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from hmac import compare_digest
from hmac import digest as hmac_digest
from inspect import isawaitable, iscoroutinefunction
from json import JSONEncoder, dumps, loads
from math import ceil, inf
from secrets import token_bytes, token_urlsafe
from typing import Literal, TypeAlias, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DefinitionError, PyfunctoolsError, TicketStoreError, wrong_type
from pyfunctools.execution.person.stores import MemoryStore, TicketStore, time_of
from pyfunctools.execution.steps import finish, nothing_ran, resolved
from pyfunctools.execution.trace import log_raised
from pyfunctools.execution.truncation import truncated
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.record.function import Function, contract_of
from pyfunctools.record.origin import origin_text
from pyfunctools.record.outcome import Outcome, Reason
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.walk import map_subschemas
from pyfunctools.schema.vocabulary import REMARKS

LONGEST = 4 << 20
"""Characters of the longest ticket that is issued or read."""

EXPECTED = 10_000
"""The most outcomes that are expected at the same time; with more, the oldest is forgotten."""

SHORTEST_KEY = 32
"""Bytes of the shortest signing key (RFC 2104, section 3: as many as the digest has)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """The contents of a ticket: the function, the model's arguments, and the expiry.

    `audience` is a digest of the audience. `filled` are the paths of the person's values so far;
    the values are not in it. `state` is what the wrappers of a call keep, `text` the whole ticket.
    """

    id: str
    function: str
    digest: str
    call: str
    audience: str | None
    expires: int
    arguments: JsonObject
    filled: tuple[Keys, ...]
    state: JsonObject = field(default_factory=dict[str, JsonValue])
    text: str = field(repr=False)


Refusal: TypeAlias = Literal[
    "none", "foreign", "audience", "expired", "unused", "used", "gone", "changed"
]
"""Why a ticket is refused: "none" is not a ticket, "unused" expired before anybody used it."""


class _OfThisProcess:
    """A random key, a store of used tickets, and expected outcomes, which only this process has.

    A fork and a copy elsewhere get new ones, so that two processes never run one ticket's call.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.expected: dict[str, Outcome | None] = {}  # by the ids of the tickets
        self._clock = clock
        self.renew()
        _OWN.add(self)

    def renew(self) -> None:
        self.key = token_bytes(SHORTEST_KEY)
        self.store = MemoryStore()
        self.store.follow(self._clock)

    def __reduce__(self) -> tuple[object, ...]:
        return (_OfThisProcess, (self._clock,))


_OWN: "weakref.WeakSet[_OfThisProcess]" = weakref.WeakSet()


def _renew() -> None:
    for each in _OWN:
        each.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tickets:
    """How a controller signs its tickets, and which tickets it accepts.

    Without a `key` tickets are signed with a random key of this process: they are invalid in any
    other process, also a forked one. With your own `key` (secret, at least 32 bytes;
    `secrets.token_bytes(32)` makes one) tickets are valid in every process with that key. Then a
    `store`, shared by all of them, has to remember the used tickets: `PostgresStore(dsn)`,
    `SqliteStore(path)` on one machine, `MemoryStore()` in one process, or an object with `claim` as
    in `TicketStore`.

    `lifetime` is in seconds, rounded up to whole ones. `clock` returns seconds since 1970; the
    stores use it too. A store that keeps answers (see `TicketStore`) remembers the text of each
    call's outcome, without the person's values: a second `resume` returns it, `replayed`.

    A ticket is signed but not encrypted: whoever has it can read the model's arguments in it, as a
    person edited them if the call waits again after an approval. It contains no value of the
    person's part, no context and no setting of the connection.

    Raises:
        DefinitionError: the key is too short or has no store, the lifetime is not positive, or the
            store has no `claim`.
    """

    key: bytes | None = field(default=None, kw_only=False, repr=False)
    store: TicketStore | None = None
    lifetime: float = 900
    clock: Callable[[], float] = field(default=time.time, repr=False)
    _own: _OfThisProcess = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        key = cast("object", self.key)
        if key is not None and not (isinstance(key, bytes) and len(key) >= SHORTEST_KEY):
            reason = f"This must be at least {SHORTEST_KEY} bytes."
            remedy = "Make one with `secrets.token_bytes(32)`, and keep it with your other secrets."
            raise DefinitionError("Tickets(key)", reason, remedy)
        if not (isinstance(self.lifetime, int | float) and 0 < self.lifetime < inf):  # pyright: ignore[reportUnnecessaryIsInstance]
            remedy = "Write seconds, such as `900`."
            raise DefinitionError("Tickets(lifetime)", "This must be above zero.", remedy)
        if self.store is not None and not callable(getattr(self.store, "claim", None)):
            remedy = "Write `SqliteStore(path)`, or an object with `claim(ticket_id, expires)`."
            raise wrong_type("Tickets(store)", "a store of tickets", self.store, remedy)
        if key is not None and self.store is None:
            raise DefinitionError(
                "Tickets(store)",
                "With your own key a ticket is valid in every process with that key, so all of "
                "them have to share a store of the used tickets.",
                "Write `store=SqliteStore(path)`, `store=MemoryStore()` if there is only one "
                "process, or leave out the key.",
            )
        if callable(follow := getattr(self.store, "follow", None)):
            follow(self.clock)
        object.__setattr__(self, "_own", _OfThisProcess(self.clock))

    def expect(self, ticket: Ticket) -> Outcome | None:
        """Return what came of a ticket's call in this process, once, or wait for it."""
        expected = self._own.expected
        if (ended := expected.get(ticket.id)) is not None:
            return expected.pop(ticket.id, ended)
        for oldest in list(expected)[: 1 - EXPECTED]:
            expected.pop(oldest, None)  # another thread may be faster
        return expected.setdefault(ticket.id)

    def issue(
        self,
        function: Function,
        arguments: JsonValue,
        *,
        call: str = "",
        audience: str | None = None,
        filled: Sequence[Keys] = (),
        after: Ticket | None = None,
        state: JsonObject | None = None,
    ) -> str | None:
        """Return a ticket for a call of the function with the model's arguments.

        It is `None` if the arguments are not JSON, or too large for a ticket. With `after` it
        replaces that ticket: only one of the two can be used, and both expire at the same time.
        """
        if after is None:
            expires = int(time_of(self.clock)) + ceil(self.lifetime)
        else:
            expires, filled = after.expires, tuple(dict.fromkeys((*after.filled, *filled)))
        contents = {
            "version": _VERSION,
            "id": token_urlsafe(16) if after is None else after.id,
            "function": function.name,
            "digest": digest_of(function),
            "call": call,
            "audience": self._digest(audience),
            "expires": expires,
            "arguments": arguments,
            "filled": filled,
            "state": state or {},
        }
        try:
            payload = _encoded(_COMPACT(contents).encode())
        except (TypeError, ValueError, RecursionError):
            return None
        ticket = f"{payload}.{self._signature(payload)}"
        return ticket if len(ticket) <= LONGEST else None

    def read(self, text: object, *, also_expired: bool = False) -> Ticket | Refusal:
        """Return the contents of a ticket, or the refusal of its form, signature or expiry."""
        if not isinstance(text, str) or len(text) > LONGEST or not _FORM.fullmatch(text):
            return "none"
        payload, _, signature = text.partition(".")
        if not compare_digest(self._signature(payload), signature):
            return "foreign"
        contents = loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        if contents.pop("version", None) != _VERSION:
            return "foreign"
        filled = tuple(tuple(keys) for keys in contents.pop("filled"))
        ticket = Ticket(**contents, filled=filled, text=text)
        return ticket if also_expired or not self.has_expired(ticket) else "expired"

    def is_for(self, ticket: Ticket, audience: str | None) -> bool:
        """Return whether the ticket was issued for this audience; `None` means no audience."""
        return ticket.audience == self._digest(audience)

    def has_expired(self, ticket: Ticket, seconds: float = 0) -> bool:
        """Return whether the ticket has expired, for at least so many seconds."""
        return time_of(self.clock) >= ticket.expires + seconds

    def withdraw(self, ticket: str) -> bool | Awaitable[bool]:
        """Make a ticket unusable; return whether it could still be used, awaitable if the store is.

        A later `resume` returns that it was withdrawn, if the store keeps answers.

        Raises:
            Exception: whatever the store's `claim` raises; then the ticket stays valid.
        """
        read, claim = self.read(ticket), self.store_in_use.claim
        claimed = claim(read.id, read.expires) if isinstance(read, Ticket) else False
        awaits = isawaitable(claimed) or iscoroutinefunction(claim)
        steps = self._withdrawn(read, claimed, awaits=awaits)
        return steps if awaits else finish(steps)

    async def _withdrawn(
        self, ticket: Ticket | Refusal, claim: bool | Awaitable[bool], *, awaits: bool
    ) -> bool:
        claimed = await claim if isawaitable(claim) else claim
        if claimed and isinstance(ticket, Ticket):
            text = f"This call was withdrawn. {nothing_ran(ticket.state)}."
            await self.record(ticket, Outcome(text=text, reason="declined"), text, awaits=awaits)
        return claimed

    async def record(self, ticket: Ticket, outcome: Outcome, text: str, *, awaits: bool) -> None:
        """Record the outcome of a ticket's call with this text; of one that waits, its next ticket.

        Whoever expects the outcome in this process gets it itself, before the store has the text. A
        store that fails is logged: the claim holds, and the outcome is returned.
        """
        if outcome.waiting is None and ticket.id in self._own.expected:
            self._own.expected[ticket.id] = outcome
        answer: dict[str, object] = {
            "text": truncated(text, DEFAULT_LIMITS.outcome),
            "reason": outcome.reason,
            "is_error": outcome.is_error,
        }
        if outcome.waiting is not None:
            answer["waiting"] = asdict(outcome.waiting)
        with suppress(PyfunctoolsError):
            await self.ask(ticket, "record", _AS_JSON(answer), awaits=awaits)

    async def ask(self, ticket: Ticket, name: str, *arguments: object, awaits: bool) -> object:
        """Return what a method of the store returns, `None` without it, an outcome if it raises.

        Raises:
            PyfunctoolsError: the store has to be awaited.
        """
        store = self.store_in_use
        if name != "claim" and not (
            callable(getattr(store, "record", None)) and callable(getattr(store, "answer", None))
        ):
            return None
        called: Callable[..., object] = getattr(store, name)
        try:
            if awaits and getattr(store, "blocks", False):
                from asyncio import to_thread  # which few programs need

                return await to_thread(called, ticket.id, *arguments)
            return await resolved(called(ticket.id, *arguments), "store", awaits=awaits)
        except Exception as error:  # the application's code may raise anything
            if isinstance(error, PyfunctoolsError) and not isinstance(error, TicketStoreError):
                raise
            log_raised(ticket.function, "`store`", error)
            text = _UNCLAIMED.format(type(error).__name__)
            return Outcome(text=text, reason="raised", exception=error, _still_waits=True)

    def signature(self, data: bytes) -> str:
        """Return the signature of other data, such as a saved turn."""
        return self._signed(b"pyfunctools turn\n" + data)

    @property
    def store_in_use(self) -> TicketStore:
        """The store of the used tickets."""
        return self._own.store if self.store is None else self.store

    def _signature(self, payload: str) -> str:
        # With the prefix, other data that the application signs with its key is not a ticket.
        return self._signed(b"pyfunctools ticket\n" + payload.encode())

    def _digest(self, audience: str | None) -> str | None:
        # Keyed: an audience is often an e-mail address, which could be guessed from a plain digest.
        name = None if audience is None else audience.encode("utf-8", "surrogatepass")
        return None if name is None else self._signed(b"pyfunctools audience\n" + name)

    def _signed(self, data: bytes) -> str:
        key = self._own.key if self.key is None else self.key
        return _encoded(hmac_digest(key, data, "sha256"))


def digest_of(function: Function) -> str:
    """Return a digest of a function; when it changes, the function's tickets become invalid.

    It covers the name, the origin and the parameters of both sides, but no descriptions.
    """
    contract, origin = contract_of(function), origin_text(function.origin)
    key = f"digest {function.name} {origin}"
    if key not in contract.kept:
        separated = contract.separated
        sides = () if separated is None else (separated.shared("llm"), separated.shared("human"))
        plain = [
            map_subschemas(each, lambda own: {k: own[k] for k in own.keys() - _DESCRIPTIVE})
            for each in (contract.parameters, *sides)
        ]
        schemas = sha256(dumps(plain, sort_keys=True).encode()).hexdigest()
        parts = dumps([function.name, origin, schemas]).encode()
        contract.kept[key] = _encoded(sha256(parts).digest()[:16])
    return contract.kept[key]


_DESCRIPTIVE = REMARKS | {"description", "x-human-ask", "x-human-widget"}
"""Keywords that describe a schema, and do not change which values are valid."""


def ticket_refused(
    reason: Refusal, name: str | None = None, ticket: Ticket | None = None
) -> Outcome:
    """Return the outcome for a refused ticket; only `unused` is known not to have run."""
    word, text = _REFUSALS[reason]
    text = text.format(nothing_ran(ticket.state if ticket else {}))
    return Outcome(text=text, reason=word, function=name, _still_waits=word == "ticket_foreign")


_UNCLAIMED = (
    "The check whether the ticket was used failed ({}). The call was not run now, and still waits: "
    "resume it again later."
)
_REFUSALS: dict[Refusal, tuple[Reason, str]] = {
    "none": (
        "ticket_foreign",
        "This is not a ticket: resume with the ticket of the waiting call. Nothing has run.",
    ),
    "foreign": (
        "ticket_foreign",
        "This ticket was changed, or issued by somebody else. It was not used. Resume with the "
        "ticket of the waiting call, unchanged, in the process or with the key that issued it.",
    ),
    "audience": (
        "ticket_foreign",
        "This ticket was issued for somebody else. It was not used. Only the person it was issued "
        "for can answer it.",
    ),
    "expired": (
        "ticket_expired",
        "This ticket has expired, and was not used now. Whether its call was carried out before is "
        "not known here: find that out before you call the function again.",
    ),
    "unused": ("ticket_expired", "This ticket has expired: make the call again. {}."),
    "used": (
        "ticket_used",
        "This call was started before, or withdrawn. Whether it was carried out is not known here: "
        "find that out before you call the function again.",
    ),
    "gone": (
        "ticket_gone",
        "The function of this ticket does not exist. The ticket was not used now. Call a function "
        "that exists.",
    ),
    "changed": (
        "ticket_changed",
        "This ticket is for another function, or for this one as it was before a change. It was "
        "not used now. Make a new call of the function as it is now.",
    ),
}

_COMPACT = JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_AS_JSON = JSONEncoder(ensure_ascii=False, default=str).encode
_VERSION = 6
_FORM = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}")


def _encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
