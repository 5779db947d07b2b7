"""`Outcome`: the result of a call; `Question`: a question to a person, as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeAlias, cast, get_args

from pyfunctools._json import JsonValue
from pyfunctools._text import quantity, short_repr
from pyfunctools.errors import CallError, DefinitionError
from pyfunctools.record.file import File
from pyfunctools.schema import Failure, Issue, Repair
from pyfunctools.schema.ground.json_values import is_json_value

Sent: TypeAlias = Literal["no", "yes", "unknown"]
"""Whether a request reached the server; `unknown` if the connection broke after sending."""

Reason: TypeAlias = Literal[
    "arguments",  # the arguments are invalid; see `issues`
    "unknown",  # the function does not exist
    "needs_human",  # a person has to give values; see `waiting`
    "needs_approval",  # a person has to approve the call; see `waiting`
    "declined",  # a person was asked for values and gave no values
    "denied",  # a person was asked for approval and refused
    "ticket_used",
    "ticket_expired",
    "ticket_changed",  # the function has changed since the ticket was issued
    "ticket_foreign",  # not a ticket, or a ticket of another controller
    "ticket_gone",  # the function of the ticket does not exist any more
    "raised",  # the function, or other code of the application, raised an exception
    "output",  # the output does not fit its schema
    "status",  # the response has a status other than 2xx
    "transport",  # there is no complete response
    "deadline",  # there is no complete response in time
    "cancelled",  # the call was cancelled after it had started
]
"""Why a call did not succeed, as one word."""


Kind: TypeAlias = Literal[
    "text",
    "number",
    "integer",
    "boolean",
    "choice",
    "choices",
    "date",
    "time",
    "datetime",
    "file",
    "json",
    "login",
]
"""How a question is answered. A `choice` is one of the `options`, `choices` are several; `json` is
JSON, or for a list of texts or numbers one item on each line. For a `login` the person opens the
address in `help`; the answer is the address that they are sent back to, or `True` if `label` has a
code to enter there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question to a person for one call; rebuilt from JSON by `Question(**asdict(question))`.

    `path` is the place of the answer in the arguments, such as `$input.card.number`: the `human`
    values of `call` and `resume` may be a mapping of these paths. `label` can be read alone, `help`
    adds details. `options` are the values to choose from, `default` is used if there is no answer,
    `problem` is the error of the last answer. A `secret` is typed without echo. `schema` is the
    JSON Schema of the answer, with its definitions.

    An answer may lead to further questions (a number of items, one of several kinds). These come in
    the next round: answer this question again together with them.
    """

    path: str
    label: str
    kind: Kind
    help: str = ""
    required: bool = True
    options: tuple[Any, ...] = ()
    default: Any = None
    secret: bool = False
    problem: str | None = None
    schema: Mapping[str, Any] | bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", tuple(self.options))  # a list, from JSON


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Response:
    """The HTTP response of a call.

    `status` is `None` if there was no response. Names in `headers` are in lower case. `retry_after`
    is in seconds. `sent` tells whether the request reached the server.
    """

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    retry_after: float | None = None
    sent: Sent = "no"

    def __repr__(self) -> str:
        # Only the names of the headers: a value may be a credential.
        parts = [f"status={self.status}", f"headers={short_repr(sorted(self.headers))}"]
        if self.retry_after is not None:
            parts.append(f"retry_after={self.retry_after:g}")
        return f"Response({', '.join(parts)}, sent={self.sent!r})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The HTTP request of a call as it will be sent, with `***` for each secret.

    `content` is the body as text; of a body that is not text, its size. The `repr` shows only the
    method: the rest may hold a person's values.
    """

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False, default_factory=dict[str, str])
    content: str | None = field(repr=False, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerWords:
    """A remote server's name, and its words to a person: as it sent them, not to be trusted."""

    name: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Waiting:
    """A call that waits for a person; it has not run yet.

    `arguments` are the model's part. `questions` are for the person, each with the error of its
    last answer; `call` and `resume` accept the answers by `path`. `approval` is true if the call
    has to be approved, or, with `server`, if the person has to agree to what the server says.
    `request` is the HTTP request of a call that only has to be approved.
    `ticket` is the argument of `Controller.resume`, or `None` if the model's part is too large for
    a ticket, or a person's edit moved a value of theirs into it. `pending` are the waiting calls
    inside a program.
    """

    call_id: str = ""
    function: str
    arguments: Any = field(default_factory=dict[str, Any])
    approval: bool = False
    ticket: str | None = None
    questions: tuple[Question, ...] = ()
    server: ServerWords | None = None
    request: Request | None = None
    pending: tuple["Waiting", ...] = ()
    _state: Any = field(default=None, compare=False)

    def __repr__(self) -> str:
        if self.pending:
            return f"<Waiting {self.function!r}: {', '.join(map(repr, self.pending))}>"
        values = ["values"] if self.questions else []
        wanted = " and ".join([*values, "an approval"] if self.approval else values)
        return f"<Waiting {self.function!r} (call {short_repr(self.call_id, 80)}): {wanted}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class InnerCall:
    """A call inside a program, with its outcome.

    Of a call that ran before the program waited, `arguments` and the outcome's value are `None`,
    and its text is shortened: a ticket does not hold them.
    """

    call_id: str
    function: str
    arguments: Any = field(repr=False)
    outcome: "Outcome"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Outcome:
    """The result of a call: `text` for the model, `value` for the program.

    A method may return an `Outcome`: for a `text` that differs from the `value`, to show files
    (`content`) to a model with vision, or to report an error, with `reason="raised"`.

    `reason` is `None` after success, else one word; see `Reason`. `issues` are about the arguments
    or the output. `exception` is the exception that the application's code raised. `response` is
    set after an HTTP request, `waiting` if a person has to act first: then the call is neither `ok`
    nor an error. `calls` are the calls that a program made, in order. `replayed` is true for the
    earlier outcome of a ticket that is resumed again.

    The `repr` has a maximum length, and shows no value, header, ticket or exception.

    Raises:
        DefinitionError: the `reason` is unknown, or an item of `issues`, `repairs` or `content` is
            not an `Issue`, a `Repair` or a `File`.
    """

    text: str
    value: object = None
    reason: Reason | None = None
    issues: tuple[Issue, ...] = ()
    repairs: tuple[Repair, ...] = ()
    function: str | None = None
    content: tuple[File, ...] = ()
    exception: BaseException | None = field(default=None, compare=False, repr=False)
    response: Response | None = None
    waiting: Waiting | None = None
    calls: tuple[InnerCall, ...] = ()
    replayed: bool = False
    _json: tuple[JsonValue, object] | None = field(default=None, compare=False, repr=False)
    _still_waits: bool = field(default=False, compare=False, repr=False)
    _is_withheld: bool = field(default=False, compare=False, repr=False)
    _is_end: bool = field(default=False, compare=False, repr=False)
    _is_ours: bool = field(default=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.reason is not None and self.reason not in _REASONS:
            listed = ", ".join(_REASONS)
            raise DefinitionError(
                "Outcome(reason)", f"{self.reason!r} is not a reason.", f"Write one of: {listed}."
            )
        if (self.issues, self.repairs, self.content) == _NOTHING:
            return
        for name, kind in (("issues", Issue), ("repairs", Repair), ("content", File)):
            given: Any = getattr(self, name)
            items = tuple(given) if isinstance(given, tuple | list) else (given,)  # pyright: ignore
            if not all(isinstance(each, kind) for each in items):  # pyright: ignore
                reason = f"It must hold nothing but `{kind.__name__}`s."
                raise DefinitionError(f"Outcome({name})", reason, "Write a tuple of them.")
            object.__setattr__(self, name, items)

    @property
    def ok(self) -> bool:
        """Whether the function ran and did not fail."""
        return self.reason is None

    @property
    def is_error(self) -> bool:
        """Whether the call failed; a call that waits for a person has not failed."""
        return self.reason is not None and self.reason not in _WAITS

    def unwrap(self) -> object:
        """Return the value.

        Raises:
            CallError: the call failed, or waits for a person; the error has this outcome. In a call
                with a person's part it has no cause: a log of `exception` would show the values.
        """
        if self.reason is None:
            return self.value
        raise CallError(self) from None if self._is_withheld else self.exception

    def __getstate__(self) -> list[object]:
        values = ((each.name, getattr(self, each.name)) for each in fields(self))
        return [picklable(each) if name == "exception" else each for name, each in values]

    def __repr__(self) -> str:
        texts = {"text": short_repr(self.text)}
        for each in fields(self):
            value: object = getattr(self, each.name)
            if each.repr and each.name != "text" and not _is_empty(value):
                shows = each.name != "value"
                texts[each.name] = short_repr(value) if shows else f"<{type(value).__name__}>"
        return f"Outcome({', '.join(f'{name}={text}' for name, text in texts.items())})"


def picklable(error: BaseException | None) -> BaseException | None:
    """Return an exception that another process can read; one that cannot is a `RuntimeError`."""
    from pickle import dumps, loads  # most programs need neither

    try:
        loads(dumps(error))  # noqa: S301 - our own bytes
    except Exception:  # its class may raise anything
        try:
            return RuntimeError(f"{type(error).__name__}: {error}")
        except Exception:  # its text too
            return RuntimeError(type(error).__name__)
    return error


def outcome_json(outcome: Outcome) -> tuple[JsonValue] | None:
    """Return the value as JSON in a tuple, without secrets, as a model may see it.

    `None` if the value has no JSON form. What is kept is of one value, which a hook may replace.
    """
    kept, value = outcome._json, cast("JsonValue", outcome.value)  # pyright: ignore[reportPrivateUsage]
    if kept and (kept[1] is value or (type(value) in (int, float) and kept[1] == value)):
        return kept[:1]  # a number that was pickled is another object
    return (value,) if is_json_value(value) else None


def still_waits(outcome: Outcome) -> bool:
    """Return whether a resumed call was refused before its ticket was used, and goes on waiting."""
    return outcome._still_waits  # pyright: ignore[reportPrivateUsage]


def is_ours(outcome: Outcome) -> bool:
    """Return whether the text of an outcome has only words of ours, and no value."""
    return outcome._is_ours  # pyright: ignore[reportPrivateUsage]


def waiting_as_before(outcome: Outcome, before: Waiting | None) -> Outcome:
    """Return the outcome of a resumed call that waits again, if it was refused before its run."""
    if outcome.waiting is None and still_waits(outcome) and before is not None and before.ticket:
        return replace(outcome, waiting=before)
    return outcome


def end_of_stream(function: str, count: int) -> Outcome:
    """Return the outcome of a call whose `count` items have all been passed on."""
    text = f"The stream has ended after {quantity(count, 'item')}."
    return Outcome(text=text, function=function, _is_end=True)


def is_end_of_stream(outcome: Outcome) -> bool:
    """Return whether all that came of a call are the items that were passed on."""
    return outcome._is_end  # pyright: ignore[reportPrivateUsage]


def waiting_state(waiting: Waiting) -> JsonValue:
    """Return the state of a call during which a remote server asked a person."""
    return cast("JsonValue", waiting._state)  # pyright: ignore[reportPrivateUsage]


def waiting_from_json(saved: Mapping[str, Any]) -> Waiting:
    """Return the waiting call that `asdict` wrote.

    Raises:
        KeyError, TypeError: it is none.
    """
    server, request = saved["server"], saved["request"]
    texts = (saved["call_id"], saved["function"], saved["ticket"] or "")
    if not all(isinstance(each, str) for each in texts):
        raise TypeError
    return replace(
        Waiting(**saved),
        questions=tuple(Question(**each) for each in saved["questions"]),
        server=server and ServerWords(**server),
        request=request and Request(**request),
        pending=tuple(map(waiting_from_json, saved["pending"])),
    )


def _is_empty(value: object) -> bool:
    # `==` of a value may return anything: for a NumPy array, an array.
    return value is None or value is False or (isinstance(value, tuple) and not value)


_NOTHING: tuple[object, ...] = ((), (), ())
_REASONS: tuple[str, ...] = get_args(Reason)
_WAITS = ("needs_human", "needs_approval")


def arguments_refused(name: str, failure: Failure) -> Outcome:
    """Return the outcome for invalid arguments."""
    return Outcome(
        text=failure.feedback(),
        reason="arguments",
        issues=failure.issues,
        repairs=failure.repairs,
        function=name,
    )
