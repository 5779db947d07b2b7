"""The exceptions of pyfunctools.

```
PyfunctoolsError
├── DefinitionError        a class, function, schema or setting is wrong
│   └── MissingExtraError  a package of an extra is not installed (an ImportError too)
├── DocumentError          a document cannot be read
├── SchemaError            a JSON Schema is invalid
├── ArgumentsError         only from `Failure.unwrap()`: wrong arguments are values
├── CallError              only from `Outcome.unwrap()`: a failed call is a value
├── UnknownFunctionError   the controller has no function of this name (a KeyError too)
├── LifespanError          an application fails to start or to shut down
├── LoopError              `call` where only `acall` can work
├── WaitingError           from `Turn.messages` while a call waits for a person
├── TicketStoreError       a store cannot tell whether a ticket was used
└── Retry                  raised by a method, for the model to try again
```

Wrong arguments are a `Failure`, and a failed call is an `Outcome`; neither is an exception. Every
error has fields; its text is composed from them.
"""

import sys
from collections.abc import Collection, Sequence
from typing import Any, Final

MIXED: Final = (
    "The folder of the package pyfunctools-llm holds files of another package, whose name is "
    "pyfunctools. Run `pip uninstall -y pyfunctools pyfunctools-llm`, then install "
    "pyfunctools-llm again."
)
if not hasattr(sys.modules["pyfunctools"], "_HOMES"):  # its `__init__.py` replaced ours
    raise ImportError(MIXED)


_FEW: Final = 10
"""The most functions that the error for an unknown name lists."""


class PyfunctoolsError(Exception):
    """The base class of all exceptions of pyfunctools."""

    def __reduce__(self) -> tuple[object, ...]:  # an `__init__` may take other arguments
        return type(self).__new__, (type(self), *self.args), vars(self)


class DefinitionError(PyfunctoolsError):
    """A class, function, schema or setting is wrong.

    `where` names the place (`Shop.buy(items)`), `reason` the problem, and `remedy` what to write
    instead.
    """

    def __init__(self, where: str, reason: str, remedy: str | None = None) -> None:
        super().__init__(where, reason, remedy)
        self.where = where
        self.reason = reason
        self.remedy = remedy

    def __str__(self) -> str:
        return _sentence(self.where, self.reason, self.remedy)


class MissingExtraError(DefinitionError, ImportError):
    """A package of an extra is not installed; `extra` is its name, as in `pyfunctools-llm[mcp]`."""

    def __init__(self, where: str, reason: str, extra: str) -> None:
        super().__init__(where, reason, f"Run `pip install 'pyfunctools-llm[{extra}]'`.")
        self.extra = extra


def missing_extra(
    where: str, package: str, module: str, extra: str, error: ImportError
) -> MissingExtraError:
    """Return the error for a package of an extra whose `module` could not be imported.

    A module of this name that is there is another version, or a file of the program.
    """
    from importlib.util import find_spec

    try:
        found = find_spec(module)
    except (ImportError, ValueError):  # a module that is no file has no place
        found = None
    if found is None:
        return MissingExtraError(where, f"{package} is not installed.", extra)
    reason = f"{package} cannot be imported: {error}. The module `{module}` is {found.origin}."
    return MissingExtraError(where, f"{reason} If that file is yours, rename it.", extra)


def wrong_type(
    where: str, wanted: str, given: object, remedy: str | None = None
) -> DefinitionError:
    """Return the error for an argument of the wrong type; `wanted` is, say, "a `Limits`"."""
    remedy = "Await it first." if hasattr(given, "__await__") else remedy
    return DefinitionError(where, f"This must be {wanted}, not `{type(given).__name__}`.", remedy)


def check_count(where: str, count: object) -> None:
    """Refuse what is not a whole number above 0."""
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise DefinitionError(where, f"This cannot be {count!r}.", "Write 1 or more.")


class DocumentError(PyfunctoolsError):
    """A document cannot be read.

    `source` names the document, `reason` the problem, and `remedy` what to do. `pointer` is the
    JSON Pointer (RFC 6901) of the place, if it is known.
    """

    def __init__(
        self, source: str, reason: str, *, pointer: str | None = None, remedy: str | None = None
    ) -> None:
        super().__init__(source, reason, pointer, remedy)
        self.source = source
        self.reason = reason
        self.pointer = pointer
        self.remedy = remedy

    def __str__(self) -> str:
        at = f" (at {self.pointer})" if self.pointer is not None else ""
        return _sentence(self.source, self.reason + at, self.remedy)


class SchemaError(PyfunctoolsError):
    """A JSON Schema is invalid, or refers to a document that may not be fetched.

    `pointer` is the JSON Pointer of the place in the schema, if it is known.
    """

    def __init__(self, reason: str, pointer: str | None = None) -> None:
        super().__init__(reason, pointer)
        self.reason = reason
        self.pointer = pointer

    def __str__(self) -> str:
        return self.reason if self.pointer is None else f"{self.reason} (at {self.pointer or '/'})"


class ArgumentsError(PyfunctoolsError):
    """The exception of `Failure.unwrap()`; `failure` is the `Failure`."""

    def __init__(self, failure: Any) -> None:
        super().__init__(failure)
        self.failure = failure

    def __str__(self) -> str:
        return self.failure.feedback()


class CallError(PyfunctoolsError):
    """The exception of `Outcome.unwrap()`; `outcome` is the `Outcome`.

    If the application's own code raised an exception, it is the `__cause__`.
    """

    def __init__(self, outcome: Any) -> None:
        super().__init__(outcome)
        self.outcome = outcome

    def __str__(self) -> str:
        where = "" if self.outcome.function is None else f"{self.outcome.function}: "
        return f"{where}{self.outcome.text} ({self.outcome.reason})"


class UnknownFunctionError(PyfunctoolsError, KeyError):
    """The controller has no function of this name; `close` are similar names.

    `others` are the names besides, if there are at most ten functions in all.
    """

    def __init__(self, name: str, close: Sequence[str] = (), known: Collection[str] = ()) -> None:
        others = [each for each in known if each not in close] if len(known) <= _FEW else []
        super().__init__(name, tuple(close), tuple(others))
        self.name = name
        self.close = tuple(close)
        self.others = tuple(others)

    def __str__(self) -> str:
        hint = f" Did you mean {' or '.join(self.close)}?" if self.close else ""
        there = f" There {'are' if self.others[1:] else 'is'}{' also' if self.close else ''}: "
        rest = f"{there}{', '.join(self.others)}." if self.others else ""
        return f"There is no function {self.name!r}.{hint}{rest}"


class LifespanError(PyfunctoolsError):
    """An application in this process fails to start or to shut down.

    `application` is its name, and `phase` is `startup` or `shutdown`. If the application raised an
    exception, it is the `__cause__`.
    """

    def __init__(self, application: str, phase: str, reason: str) -> None:
        super().__init__(application, phase, reason)
        self.application = application
        self.phase = phase
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.application}: The {self.phase} of this application failed. {self.reason}"


class LoopError(PyfunctoolsError):
    """`call` was used in a running event loop, where only `await acall(...)` can work."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return (
            f"{self.name!r} would wait for the event loop that runs in this thread: "
            "write `await` and the asynchronous form, such as `controller.acall(...)` instead of "
            "`controller.call(...)`, or `tools.arun(...)` instead of `tools.run(...)`."
        )


class TicketStoreError(PyfunctoolsError):
    """A store cannot tell whether a ticket was used: it is full, locked, damaged or gone.

    `where` names the store, `reason` the problem, and `remedy` what to do. Nothing has run, and the
    ticket is unchanged.
    """

    def __init__(self, where: str, reason: str, remedy: str | None = None) -> None:
        super().__init__(where, reason, remedy)
        self.where = where
        self.reason = reason
        self.remedy = remedy

    def __str__(self) -> str:
        return _sentence(self.where, self.reason, self.remedy)


class WaitingError(PyfunctoolsError):
    """The messages of a turn are incomplete: some of its calls wait for a person.

    `calls` are the ids of these calls. A vendor accepts the results of a turn only all together.
    """

    def __init__(self, calls: Sequence[str]) -> None:
        super().__init__(tuple(calls))
        self.calls = tuple(calls)

    def __str__(self) -> str:
        waiting = ", ".join(map(repr, self.calls))
        return (
            f"Calls of this turn wait for a person: {waiting}. "
            "Go on with `tools.resume(turn, {call_id: values})`, and use its messages."
        )


class Retry(PyfunctoolsError):  # noqa: N818 - a request, not an error
    """Raised by a method so that the model reads `text` and calls again with other arguments."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return str(self.text)


def _sentence(where: str, reason: str, remedy: str | None) -> str:
    return f"{where}: {reason}" + (f" {remedy}" if remedy else "")
