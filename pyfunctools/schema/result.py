"""The results of the engine: `Success` or `Failure`, with repairs and issues."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, NoReturn, TypeAlias, TypeVar

from pyfunctools._text import record_repr
from pyfunctools.errors import ArgumentsError
from pyfunctools.schema.ground.issue import Issue
from pyfunctools.schema.ground.path import Path

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Repair:
    """One change that `parse` or `coerce` made.

    For a repair of text, `before` and `after` are the pieces of text; `before` is empty if
    something was inserted.
    """

    path: Path
    kind: str
    before: Any
    after: Any

    def __repr__(self) -> str:
        return record_repr(self, "path", "kind", "before", "after")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Success(Generic[T_co]):
    """The value, and the repairs that led to it. Truthy: `if result:` narrows its type."""

    value: T_co
    repairs: tuple[Repair, ...] = ()

    if TYPE_CHECKING:  # objects are truthy anyway; a method at run time would cost a call

        def __bool__(self) -> Literal[True]: ...

    def __repr__(self) -> str:
        return record_repr(self, "value", "repairs")

    def unwrap(self) -> T_co:
        """Return the value."""
        return self.value


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Failure:
    """All issues of `value`, the value as received. Falsy."""

    value: Any
    issues: tuple[Issue, ...]
    repairs: tuple[Repair, ...] = ()

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return record_repr(self, "value", "issues", "repairs")

    def feedback(self) -> str:
        """Return the text for the model: the value that it sent, with a comment on each mistake."""
        from pyfunctools.schema.feedback.feedback import feedback

        return feedback(self.value, self.issues)

    def to_person(self, texts: Mapping[str, str] | None = None) -> str:
        """Return the text for the person who gave the value: a plain sentence for each issue.

        `Card number: This must be a whole number.`, each on a line. `texts` replaces some of
        `schema.feedback.plain_words.TEXTS`, for example by those of another language.
        """
        from pyfunctools.schema.feedback.plain_words import TEXTS, to_person

        return to_person(self.issues, {**TEXTS, **(texts or {})})

    def unwrap(self) -> NoReturn:
        """Raise this failure as an exception.

        Raises:
            ArgumentsError: always; its `failure` is this object.
        """
        raise ArgumentsError(self)


Result: TypeAlias = Success[T_co] | Failure
