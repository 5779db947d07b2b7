"""The state of a retry, as data: what was tried, what is still wrong, and what to send next."""

from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast

from pyfunctools._json import JsonValue
from pyfunctools._text import short_repr
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Outcome
from pyfunctools.schema import Failure, Issue, Success
from pyfunctools.schema.feedback.feedback import AGAIN, NOT_YOURS, feedback
from pyfunctools.schema.feedback.lines import one_line


class Tried(Protocol):
    """A holder of the result of a try, such as a call that was found in a model's text."""

    @property
    def result(self) -> Success[Any] | Failure:
        """The arguments, or what is wrong with them."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Attempts:
    """How often a model has tried one call, and what to send it next.

    It asks no model; `after` gives the state after one more try and changes nothing:

        attempts = Attempts(function)
        text = first_answer
        while not (attempts := attempts.after(text)).done:
            text = ask_model(attempts.text)

    `limit` is how many tries there are. `result` is what came of the last, and `count` says how
    many there were. `repeated` are those of its issues that the model had been told of before and
    made again. `closest` is the failed try that came closest: one that could be read, with the
    fewest issues.

    Raises:
        DefinitionError: the `limit` is less than 1, or the `function` is none.
    """

    function: Function = field(kw_only=False)
    limit: int = 3
    count: int = 0
    result: Success[Any] | Failure | Outcome | None = None
    repeated: tuple[Issue, ...] = ()
    closest: Failure | None = None
    told: frozenset[tuple[str, str]] = field(default=frozenset(), repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.function, Function):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise wrong_type(
                "Attempts",
                "a `Function`",
                self.function,
                "Write `controller[name]`, or `function_of(...)`.",
            )
        if not isinstance(self.limit, int) or self.limit < 1:  # pyright: ignore
            raise DefinitionError(
                "Attempts(limit)",
                f"This must be an integer above 0, not {self.limit!r}.",
                "Write 1 or more.",
            )

    def __repr__(self) -> str:
        tried = f"{self.count} of {self.limit} tried, result={short_repr(self.result)}"
        return f"<Attempts {self.function.name!r}: {tried}>"

    def after(
        self, tried: "str | bytes | JsonValue | Success[Any] | Failure | Outcome | Tried"
    ) -> "Attempts":
        """Return the state after one more try.

        `tried` are the arguments, as the model's text or read already, which the function checks;
        or else what came of them: of `Function.check`, of `Controller.call`, or a call with its
        `result`.
        """
        result = self._result(tried)
        issues = () if isinstance(result, Success) else result.issues
        keys = {(str(issue.path), issue.expected) for issue in issues}
        return replace(
            self,
            count=self.count + 1,
            result=result,
            repeated=tuple(i for i in issues if (str(i.path), i.expected) in self.told),
            closest=_closer(result, self.closest) if isinstance(result, Failure) else None,
            told=self.told | keys,
        )

    @property
    def issues(self) -> tuple[Issue, ...]:
        """What was wrong with the arguments of the last try."""
        return () if self.result is None or isinstance(self.result, Success) else self.result.issues

    @property
    def succeeded(self) -> bool:
        """Whether the last try was right."""
        if isinstance(self.result, Outcome):
            return not self.result.is_error
        return isinstance(self.result, Success)

    @property
    def given_up(self) -> bool:
        """Whether to stop without success: no try is left, or what is wrong is not the model's."""
        if self.count == 0 or self.succeeded:
            return False
        return self.count >= self.limit or self._is_persons

    @property
    def done(self) -> bool:
        """Whether to stop, with success or without."""
        return self.succeeded or self.given_up

    @property
    def best(self) -> Any:
        """The arguments of the last try if they were right, else those that came closest."""
        if isinstance(self.result, Success):
            return self.result.value
        return None if self.closest is None else self.closest.value

    @property
    def text(self) -> str:
        """What to send to the model next; empty before the first try and after success.

        Mistakes that it was told of before are pointed out. After the last try it is told to stop.
        """
        if self.count == 0 or self.succeeded:
            return ""
        if self._is_persons:
            return NOT_YOURS
        if self.given_up:
            times = "once" if self.count == 1 else f"{self.count} times"
            return (
                f"The function {self.function.name} was tried {times} and is still not called "
                "rightly. Do not call it again: go on without it, or say what you need to know."
            )
        if isinstance(self.result, Failure):
            told = {(issue.path, issue.expected) for issue in self.repeated}
            return feedback(self.result.value, self.result.issues, repeated=told)
        said = self.result.text if isinstance(self.result, Outcome) else ""
        again = (_again(issue) for issue in self.repeated if issue.side != "human")
        return "\n".join((said, *again))

    @property
    def _is_persons(self) -> bool:
        return bool(self.issues) and all(issue.side == "human" for issue in self.issues)

    def _result(
        self, tried: "str | bytes | JsonValue | Success[Any] | Failure | Outcome | Tried"
    ) -> Success[Any] | Failure | Outcome:
        if isinstance(tried, Success | Failure | Outcome):
            return tried
        result = getattr(tried, "result", None)
        if isinstance(result, Success | Failure):
            return cast("Success[Any] | Failure", result)
        return self.function.check(cast("str | bytes | JsonValue", tried))


def _again(issue: Issue) -> str:
    return f"{AGAIN}: {one_line(str(issue.path))} expected {one_line(issue.expected)}"


def _closer(one: Failure, other: Failure | None) -> Failure:
    """Return the try that is nearer to being right; of two alike the first named."""
    return one if other is None or _distance(one) <= _distance(other) else other


def _distance(failure: Failure) -> tuple[bool, int]:
    # Text that could not be read has one issue, which says nothing of the others.
    return isinstance(failure.value, str), len(failure.issues)
