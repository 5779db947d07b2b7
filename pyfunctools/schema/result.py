"""What the engine answers: `Success` or `Failure`, with the issues and the repairs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, NoReturn, TypeAlias, TypeVar

from pyfunctools._text import record_repr
from pyfunctools.errors import ArgumentsError
from pyfunctools.schema.ground.path import Path

T_co = TypeVar("T_co", covariant=True)

Side: TypeAlias = Literal["whole", "llm", "human"]
"""Whose part of the arguments: the model's, the human's, or both together."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Issue:
    """One complaint about a value.

    `path` says where, `expected` what would be right, in one line a model can act on, `value` what
    was there (`None` where nothing was), `message` the whole complaint as a sentence, and `side`
    whose it is. The `repr` of a person's leaves out where it is: the keys of a map are theirs too.
    """

    path: Path
    expected: str
    value: Any
    message: str
    side: Side = "whole"

    def __repr__(self) -> str:
        if self.side == "human":
            return record_repr(self, "expected", "side")
        return record_repr(self, "path", "expected", "value", "message", "side")

    @property
    def pointer(self) -> str:
        """The place as a JSON Pointer (RFC 6901)."""
        return self.path.pointer


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Repair:
    """One change that `parse` or `coerce` made: where, of which kind, from what, to what.

    For a repair of text `before` and `after` are the pieces of text; a piece that was put in has an
    empty `before`.
    """

    path: Path
    kind: str
    before: Any
    after: Any

    def __repr__(self) -> str:
        return record_repr(self, "path", "kind", "before", "after")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Success(Generic[T_co]):
    """The value, and what was repaired to get it. Truthy, so that `if result:` narrows."""

    value: T_co
    repairs: tuple[Repair, ...] = ()

    if TYPE_CHECKING:  # so is every object without a word of it, and it costs no call

        def __bool__(self) -> Literal[True]: ...

    def __repr__(self) -> str:
        return record_repr(self, "value", "repairs")

    def unwrap(self) -> T_co:
        """Return the value."""
        return self.value


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Failure:
    """Everything that is wrong with `value`, the value as received. Falsy."""

    value: Any
    issues: tuple[Issue, ...]
    repairs: tuple[Repair, ...] = ()

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return record_repr(self, "value", "issues", "repairs")

    def feedback(self) -> str:
        """Return the text for the model: the value it sent with a comment on each wrong line."""
        from pyfunctools.schema.feedback.feedback import feedback

        return feedback(self.value, self.issues)

    def to_person(self, texts: Mapping[str, str] | None = None) -> str:
        """Return the text for the person who gave the value: a plain sentence for each issue.

        `Card number: This must be a whole number.`, each on a line. `texts` are your own words for
        the keys of `schema.feedback.plain_words.TEXTS`, such as those of another language.
        """
        from pyfunctools.schema.feedback.plain_words import TEXTS, to_person

        return to_person(self.issues, {**TEXTS, **(texts or {})})

    def unwrap(self) -> NoReturn:
        """Raise this failure as an exception, for those who want one.

        Raises:
            ArgumentsError: always; its `failure` is this one.
        """
        raise ArgumentsError(self)


Result: TypeAlias = Success[T_co] | Failure
