"""Everything pyfunctools raises.

```
PyfunctoolsError
├── DefinitionError        a class, function or schema that cannot become a function
├── DocumentError          a document that cannot be read
├── SchemaError            a JSON Schema that is not one
├── ArgumentsError         only from `Failure.unwrap()`: bad arguments are values
├── CallError              only from `Outcome.unwrap()`: a call that failed is a value
├── UnknownFunctionError   a name the controller does not have (a KeyError too)
├── LifespanError          an application that does not start, or does not end well
├── LoopError              `call` where only `acall` can work
├── WaitingError           from `Turn.messages` while a call waits for a person
├── TicketStoreError       raised by a store that cannot say whether a ticket was used
└── Retry                  raised by a method, for the model to try again
```

Arguments that are wrong are a `Failure`, and a call that failed is an `Outcome`; neither is here.
Every error has fields; its text is composed from them.
"""

from collections.abc import Sequence
from typing import Protocol


class PyfunctoolsError(Exception):
    """The base of everything pyfunctools raises."""


class DefinitionError(PyfunctoolsError):
    """A class, function or schema cannot become a function.

    `where` names the place (`Shop.buy(items)`), `reason` says what is wrong with it and `remedy`
    what to write instead.
    """

    def __init__(self, where: str, reason: str, remedy: str | None = None) -> None:
        super().__init__(where, reason, remedy)
        self.where = where
        self.reason = reason
        self.remedy = remedy

    def __str__(self) -> str:
        return _sentence(self.where, self.reason, self.remedy)


def wrong_type(
    where: str, wanted: str, given: object, remedy: str | None = None
) -> DefinitionError:
    """Return the error for an argument of the wrong type: `wanted` is "a `Limits`", say."""
    return DefinitionError(where, f"This must be {wanted}, not `{type(given).__name__}`.", remedy)


class DocumentError(PyfunctoolsError):
    """A document cannot be read.

    `source` names the document, `reason` says what is wrong, `pointer` is the JSON Pointer
    (RFC 6901) of the place where there is one, and `remedy` says what to do.
    """

    def __init__(
        self, source: str, reason: str, *, pointer: str | None = None, remedy: str | None = None
    ) -> None:
        super().__init__(source, reason, pointer, remedy)
        self.source = source
        self.reason = reason
        self.pointer = pointer
        self.remedy = remedy

    def __reduce__(self) -> tuple[object, ...]:
        return (_document_error, (self.source, self.reason, self.pointer, self.remedy))

    def __str__(self) -> str:
        at = f" (at {self.pointer})" if self.pointer is not None else ""
        return _sentence(self.source, self.reason + at, self.remedy)


class SchemaError(PyfunctoolsError):
    """A JSON Schema is not one, or needs what may not be fetched.

    `pointer` is the JSON Pointer of the place in the schema where there is one.
    """

    def __init__(self, reason: str, pointer: str | None = None) -> None:
        super().__init__(reason, pointer)
        self.reason = reason
        self.pointer = pointer

    def __str__(self) -> str:
        return self.reason if self.pointer is None else f"{self.reason} (at {self.pointer or '/'})"


class ArgumentsError(PyfunctoolsError):
    """What `Failure.unwrap()` raises, for those who want an exception; `failure` is the value."""

    def __init__(self, failure: "FailureLike") -> None:
        super().__init__(failure)
        self.failure = failure

    def __str__(self) -> str:
        return self.failure.feedback()


class CallError(PyfunctoolsError):
    """What `Outcome.unwrap()` raises, for those who want an exception; `outcome` is the value.

    Its `__cause__` is the exception that the application's own code raised, where there is one.
    """

    def __init__(self, outcome: "OutcomeLike") -> None:
        super().__init__(outcome)
        self.outcome = outcome

    def __str__(self) -> str:
        where = "" if self.outcome.function is None else f"{self.outcome.function}: "
        return f"{where}{self.outcome.text} ({self.outcome.reason})"


class UnknownFunctionError(PyfunctoolsError, KeyError):
    """A name the controller does not have; `close` are the names that resemble it."""

    def __init__(self, name: str, close: Sequence[str] = ()) -> None:
        super().__init__(name, tuple(close))
        self.name = name
        self.close = tuple(close)

    def __str__(self) -> str:
        hint = f" Did you mean {' or '.join(self.close)}?" if self.close else ""
        return f"There is no function {self.name!r}.{hint}"


class LifespanError(PyfunctoolsError):
    """An application that runs in this process does not start, or does not end well.

    `application` is its name, `phase` is `startup` or `shutdown`, and `reason` says what happened;
    the exception of the application itself is the `__cause__`, where it raised one.
    """

    def __init__(self, application: str, phase: str, reason: str) -> None:
        super().__init__(application, phase, reason)
        self.application = application
        self.phase = phase
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.application}: The {self.phase} of this application failed. {self.reason}"


class LoopError(PyfunctoolsError):
    """`call` was used from a running event loop for what only `await acall(...)` can do."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return (
            f"{self.name!r} is asynchronous and this thread runs an event loop: "
            "write `await` and the asynchronous form, such as `controller.acall(...)` instead of "
            "`controller.call(...)`, or `tools.arun(...)` instead of `tools.run(...)`."
        )


class TicketStoreError(PyfunctoolsError):
    """A store cannot say whether a ticket was used: it is full, locked, damaged or gone.

    `where` names the store, `reason` says what is wrong with it and `remedy` what to do. Nothing
    has run, and the ticket is as it was.
    """

    def __init__(self, where: str, reason: str, remedy: str | None = None) -> None:
        super().__init__(where, reason, remedy)
        self.where = where
        self.reason = reason
        self.remedy = remedy

    def __str__(self) -> str:
        return _sentence(self.where, self.reason, self.remedy)


class WaitingError(PyfunctoolsError):
    """The messages of a turn were asked for while some of its calls wait for a person.

    `calls` are the ids of these calls. A vendor wants the results of all calls of a turn together.
    """

    def __init__(self, calls: Sequence[str]) -> None:
        super().__init__(tuple(calls))
        self.calls = tuple(calls)

    def __str__(self) -> str:
        waiting = ", ".join(self.calls)
        return (
            f"Calls of this turn wait for a person: {waiting}. "
            "Go on with `tools.resume(turn, {call_id: values})`, and take the messages of that."
        )


class Retry(PyfunctoolsError):  # noqa: N818 - it asks for something, it is not a fault
    """Raised by a method to tell the model what to do differently; `text` is what it reads."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return str(self.text)


class FailureLike(Protocol):
    """What an `ArgumentsError` carries: a `pyfunctools.schema.Failure`."""

    @property
    def issues(self) -> Sequence[object]:
        """Every complaint."""
        ...

    def feedback(self) -> str:
        """Return the text for the model."""
        ...


class OutcomeLike(Protocol):
    """What a `CallError` holds: a `pyfunctools.Outcome`."""

    @property
    def text(self) -> str:
        """The text for the model."""
        ...

    @property
    def reason(self) -> str | None:
        """Why the call did not succeed, in one word."""
        ...

    @property
    def function(self) -> str | None:
        """The name of the function."""
        ...


def _sentence(where: str, reason: str, remedy: str | None) -> str:
    return f"{where}: {reason}" + (f" {remedy}" if remedy else "")


def _document_error(
    source: str, reason: str, pointer: str | None, remedy: str | None
) -> DocumentError:
    return DocumentError(source, reason, pointer=pointer, remedy=remedy)
