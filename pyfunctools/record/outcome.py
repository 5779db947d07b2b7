"""What came of a call."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias, cast, get_args

from pyfunctools._json import JsonValue
from pyfunctools._text import short_repr
from pyfunctools.errors import CallError, DefinitionError
from pyfunctools.record.file import File
from pyfunctools.record.question import Question
from pyfunctools.schema import Issue, Repair
from pyfunctools.schema.ground.json_values import is_json_value

Sent: TypeAlias = Literal["no", "yes", "unknown"]
"""Whether a request reached the other side: `unknown` when the connection broke after sending."""

Reason: TypeAlias = Literal[
    "arguments",  # the arguments are wrong; `issues` says where
    "unknown",  # there is no such function
    "needs_human",  # a person has to give their part; see `waiting`
    "needs_approval",  # a person has to approve the call; see `waiting`
    "declined",  # a person was asked for their part and gave none
    "denied",  # a person was asked to approve the call and did not
    "ticket_used",
    "ticket_expired",
    "ticket_changed",  # the function is not what it was when the ticket was issued
    "ticket_foreign",  # not a ticket, or not one for this controller
    "ticket_gone",  # the function of the ticket does not exist any more
    "raised",  # the function, or something else of the application's, raised an exception
    "output",  # what came back is not what was declared
    "status",  # the server answered with a status other than 2xx
    "transport",  # there is no complete answer
    "deadline",  # there is no complete answer within the time
    "cancelled",  # the call was cancelled after it had started
]
"""Why a call did not succeed, as one word to branch on."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Response:
    """The HTTP side of an outcome.

    `status` is `None` where no answer came. Names in `headers` are in lower case. `retry_after` is
    in seconds. `sent` says whether the request reached the server.
    """

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    retry_after: float | None = None
    sent: Sent = "no"

    def __repr__(self) -> str:
        # The names of the headers only: a value may be a credential.
        told = [f"status={self.status}", f"headers={short_repr(sorted(self.headers))}"]
        if self.retry_after is not None:
            told.append(f"retry_after={self.retry_after:g}")
        return f"Response({', '.join(told)}, sent={self.sent!r})"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Waiting:
    """A call that waits for a person. Nothing of it has run.

    `arguments` are the model's part. `questions` are what to ask the person for this call, with
    what was wrong with their last answers; `call` and `resume` take the answers by their `path`.
    `approval` is whether the call has to be approved too. `ticket` is what
    `Controller.resume` takes; it is `None` where the model's part is too large for one.
    """

    call_id: str
    function: str
    arguments: Any
    approval: bool
    ticket: str | None
    questions: tuple[Question, ...] = ()
    _state: Any = field(default=None, compare=False)

    def __repr__(self) -> str:
        values = ["values"] if self.questions else []
        wanted = " and ".join([*values, "an approval"] if self.approval else values)
        return f"<Waiting {self.function!r} (call {short_repr(self.call_id, 80)}): {wanted}>"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Outcome:
    """What came of a call: `text` for the model, `value` for the program.

    A method may return one of its own: to tell the two apart, to show files (`content`) to a model
    that can see, or, with `reason="raised"`, to say that it failed.

    `reason` is `None` after success, else one word; see `Reason`. `issues` are what is wrong with
    the arguments or with what came back. `exception` is what the application's own code raised.
    `response` is there where an HTTP request was made or refused, `waiting` where a person has to
    do something first: such a call is neither `ok` nor an error.

    The `repr` is bounded, and shows no value, no header, no ticket and no exception.

    Raises:
        DefinitionError: the `reason` is not one of those words, or `content` holds no `File`s.
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
    _json: tuple[JsonValue] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.reason is not None and self.reason not in _REASONS:
            listed = ", ".join(_REASONS)
            raise DefinitionError(
                "Outcome(reason)", f"{self.reason!r} is not a reason.", f"Write one of: {listed}."
            )
        for name, kind in (("issues", Issue), ("repairs", Repair), ("content", File)):
            given: object = getattr(self, name)
            if given != () or not isinstance(given, tuple):
                object.__setattr__(self, name, _all(name, given, kind))

    @property
    def ok(self) -> bool:
        """True if the function ran and did not fail."""
        return self.reason is None

    @property
    def is_error(self) -> bool:
        """True if the call failed; one that waits for a person has not."""
        return self.reason is not None and self.reason not in _WAITS

    def unwrap(self) -> object:
        """Return the value.

        Raises:
            CallError: the call failed, or waits for a person; the error holds this outcome.
        """
        if self.reason is None:
            return self.value
        raise CallError(self) from self.exception

    def __repr__(self) -> str:
        told = {"text": short_repr(self.text)}
        for each in fields(self):
            held: object = getattr(self, each.name)
            if each.name == "text" or not each.repr or held is None or held == ():
                continue
            told[each.name] = (
                f"<{type(held).__name__}>" if each.name == "value" else short_repr(held)
            )
        return f"Outcome({', '.join(f'{name}={said}' for name, said in told.items())})"


def json_of(outcome: Outcome) -> tuple[JsonValue] | None:
    """Return the value as JSON, whole, with secrets left out as they are of the text.

    It may be shown to a model. `None` where the value has no form in JSON.
    """
    if outcome._json is not None:  # pyright: ignore[reportPrivateUsage]
        return outcome._json  # pyright: ignore[reportPrivateUsage]
    value = cast("JsonValue", outcome.value)
    return (value,) if is_json_value(value) else None


def state_of(waiting: Waiting) -> JsonValue:
    """Return with what a call goes on that a remote server has asked a person in."""
    return cast("JsonValue", waiting._state)  # pyright: ignore[reportPrivateUsage]


_REASONS: tuple[str, ...] = get_args(Reason)
_WAITS = ("needs_human", "needs_approval")


def _all(name: str, given: object, kind: type) -> tuple[object, ...]:
    listed = tuple(given) if isinstance(given, tuple | list) else (given,)  # pyright: ignore
    for each in listed:  # pyright: ignore[reportUnknownVariableType]
        if not isinstance(each, kind):
            raise DefinitionError(
                f"Outcome({name})",
                f"It holds {type(each).__name__}, not `{kind.__name__}`.",  # pyright: ignore
                f"Write a tuple of `{kind.__name__}`s.",
            )
    return listed  # pyright: ignore[reportUnknownVariableType]
