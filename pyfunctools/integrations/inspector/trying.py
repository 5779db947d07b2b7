"""`Trials`: calls that a person checks, runs, approves or denies on the page."""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from hashlib import sha256
from time import monotonic
from typing import Any, TypeAlias

from starlette.datastructures import UploadFile
from starlette.requests import Request

from pyfunctools import Controller, File, Outcome, PendingCall, Question, Waiting
from pyfunctools.controller.calling import ResumeOptions
from pyfunctools.controller.turns import unshown
from pyfunctools.execution.steps import awaited
from pyfunctools.integrations.inspector.page_guard import audience_of

FieldValues: TypeAlias = dict[str, object]
"""A person's values by `Question.path`."""
SentFields: TypeAlias = dict[str, list[object]]
"""What a form sent, by the names of its fields; no `repr` shows it."""
ListWaiting: TypeAlias = Callable[[str | None], Any]
"""Returns the waiting calls of a person, or an awaitable of them."""

_LARGEST = 32 << 20
"""The most bytes of a file in a form."""
_FIELDS = 10_000
"""The most fields of a form."""
_LIFETIME = 900.0
_MOST = 500


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HeldCall:
    """A call that a person has begun: what the model wrote, the values, and its ticket if it waits.

    Between two requests only those values are kept that no page shows. The values for a program are
    answers to its calls, by their ids.
    """

    key: str
    audience: str | None
    function: str
    text: str = ""
    values: FieldValues = field(default_factory=dict[str, object])
    waiting: Waiting | None = None
    done: bool = False
    until: float = field(default_factory=lambda: monotonic() + _LIFETIME)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Trial:
    """What came of one button.

    `pending` is the whole call as a person approves it, `look` how it looked before it ran. After a
    check there is none, and the outcome only tells what is missing.
    """

    call: HeldCall
    outcome: Outcome
    pending: PendingCall | None
    look: Outcome | None = None

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions of the call, with the problems of the answers."""
        waits = self.outcome.waiting or (self.look and self.look.waiting)
        return waits.questions if waits else ()

    @property
    def values(self) -> FieldValues:
        """What the form shows or keeps: after a run no secret and no file."""
        hidden = {} if self.outcome.waiting else kept(self.questions, self.call.values)
        return {path: each for path, each in self.call.values.items() if path not in hidden}

    @property
    def secrets(self) -> list[object]:
        """What no answer may show."""
        values = self.call.values
        return [values[each.path] for each in self.questions if each.secret and each.path in values]


class Trials:
    """The calls of one page, by a key that its forms send back. They end with the process."""

    def __init__(
        self, controller: Controller, context: object, waiting: ListWaiting | None
    ) -> None:
        self._running = controller.configured(confirm="destructive")
        self._looking = controller.configured(confirm=True)
        self._context = context
        self._listed = waiting
        self._held: OrderedDict[str, HeldCall] = OrderedDict()

    def held(self, key: str, request: Request) -> HeldCall | None:
        """Return a call that this person has begun here."""
        now = monotonic()
        while self._held and next(iter(self._held.values())).until < now:
            self._held.popitem(last=False)
        found = self._held.get(key_at(key, self._held))
        return found if found is not None and found.audience == audience_of(request) else None

    def begun(
        self, request: Request, function: str, text: str, values: FieldValues, key: str
    ) -> HeldCall:
        """Return the call of a form, which goes on if it waits and the model's text is the same."""
        before = self.held(key, request)
        if before is None or before.function != function:
            audience = audience_of(request)
            return HeldCall(key="", audience=audience, function=function, text=text, values=values)
        if before.text != text:
            before = replace(before, text=text, waiting=None, done=False)
        return replace(before, values=unshown({**before.values, **values}))

    def answered(self, request: Request, waits: Waiting, values: FieldValues) -> HeldCall:
        """Return a waiting call with a person's values."""
        key, name, audience = key_of(waits), waits.function, audience_of(request)
        before = self.held(key, request) or HeldCall(key=key, audience=audience, function=name)
        return replace(before, values=unshown({**before.values, **values}), waiting=waits)

    async def waiting(self, request: Request, *, done: bool = False) -> dict[str, Waiting]:
        """Return a person's waiting calls by key: the application's, and those begun here."""
        found = () if self._listed is None else self._listed(audience_of(request))
        waits: Any = await awaited(found, "")
        listed = {key_of(each): each for each in waits}
        begun = [each for key in [*self._held] if (each := self.held(key, request))]
        listed |= {each.key: each.waiting for each in begun if each.waiting}
        over = {each.key for each in begun if each.done and not done}
        return {key: each for key, each in listed.items() if key not in over}

    async def check(self, request: Request, call: HeldCall) -> Trial:
        """Return how a call looks to a person; nothing runs."""
        if call.done:
            call = replace(call, waiting=None, done=False)
        seen, outcome = await self._seen(request, call)
        waits = outcome.waiting
        if waits is not None:
            call = replace(call, key=call.key or key_of(waits))
            self._hold(call, kept(waits.questions, call.values))
        return Trial(call=call, outcome=outcome, pending=seen)

    async def run(self, request: Request, call: HeldCall, decision: bool | None = None) -> Trial:
        """Run a call, or leave it waiting; one that waits goes on with the values and decision.

        A second click on a call that ended is told its answer.
        """
        seen, look = None, None
        if call.waiting is None or not call.waiting.pending:
            seen, look = await self._seen(request, call)
        outcome = look if look and look.waiting is None else None  # refused, or told again
        outcome = outcome or await self._go(self._running, request, call, decision)
        if call.waiting is None:
            self._held.pop(call.key, None)
        else:
            self._hold(replace(call, done=True), {})
        waits = outcome.waiting
        if waits is not None:
            call = replace(call, key=key_of(waits), waiting=waits, done=False)
            is_new = waits.pending or waits.server
            self._hold(call, {} if is_new else kept(waits.questions, call.values))
        elif call.waiting is None:
            call = replace(call, key="")
        return Trial(call=call, outcome=outcome, pending=seen, look=look or outcome)

    async def _seen(self, request: Request, call: HeldCall) -> tuple[PendingCall | None, Outcome]:
        """Return a call as a person approves it, and its outcome without an approval."""
        seen: list[PendingCall] = []
        outcome = await self._go(self._looking, request, call, seen.append)
        return (seen[0] if seen else None), outcome

    async def _go(
        self, controller: Controller, request: Request, call: HeldCall, approve: Any
    ) -> Outcome:
        """Call a function, or resume it if it waits."""
        context = self._context
        if callable(context):
            context = await awaited(context(request), "")
        options = ResumeOptions(context=context, approve=approve, audience=call.audience)
        if call.waiting is not None:
            return await controller.aresume(call.waiting.ticket, call.values or None, **options)
        human = call.values or None
        return await controller.acall(call.function, call.text, human=human, **options)

    def _hold(self, call: HeldCall, values: FieldValues) -> None:
        self._held[call.key] = replace(call, values=values, until=monotonic() + _LIFETIME)
        self._held.move_to_end(call.key)
        while len(self._held) > _MOST:
            self._held.popitem(last=False)


def key_of(waits: Waiting) -> str:
    """Return the key of a waiting call: its id, which may wait again, and what a form shows."""
    return f"{waits.call_id} {sha256(f'{waits.ticket}'.encode()).hexdigest()}"


def key_at(key: str, keys: Iterable[str]) -> str:
    """Return the key of a form; if it does not say what it showed, the latest with its id."""
    return next((each for each in reversed([*keys]) if key and each.startswith(key)), "")


async def fields_of(request: Request) -> SentFields:
    """Return what a person gave in each field of a form, without the fields left empty.

    In a multipart form a browser writes a quote in a name as `%22` (HTML, section 4.10.22.8).
    """
    most = {"max_files": _FIELDS, "max_fields": _FIELDS, "max_part_size": _LARGEST}
    async with request.form(**most) as form:
        read = {
            name.replace("%22", '"'): [await _value(each) for each in form.getlist(name)]
            for name in form
        }
    filled = {name: [each for each in items if each is not None] for name, items in read.items()}
    return unshown({name: items for name, items in filled.items() if items})


def text_in(fields: SentFields, name: str) -> str:
    """Return the text of a field, empty if there is none."""
    return str(fields.get(name, [""])[-1])


def values_in(fields: SentFields, prefix: str = "") -> FieldValues:
    """Return the answers in the fields of a call, by `Question.path`."""
    own = {
        name.removeprefix(prefix): given if len(given) > 1 else given[0]
        for name, given in fields.items()
        if name.startswith(f"{prefix}$input")
    }
    return unshown(own)


def kept(questions: Iterable[Question], values: FieldValues) -> FieldValues:
    """Return the values that no page shows, so that they are kept here: secrets and files."""
    hidden = {each.path for each in questions if each.secret or each.kind == "file"}
    return {path: value for path, value in values.items() if path in hidden}


async def _value(given: UploadFile | str) -> object:
    if isinstance(given, str):
        return given if given.strip() else None
    content = await given.read()
    if not given.filename and not content:
        return None
    return File(content, given.filename or None, given.content_type or None)
