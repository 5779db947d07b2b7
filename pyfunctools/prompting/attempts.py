"""`Attempts`: the state of a retry as data, with the text to send to the model next."""

from dataclasses import dataclass, field, replace
from typing import Any, cast

from pyfunctools._json import JsonValue
from pyfunctools._text import short_repr
from pyfunctools.errors import check_count, wrong_type
from pyfunctools.record.call import Call
from pyfunctools.record.function import Function
from pyfunctools.record.outcome import Outcome
from pyfunctools.schema import Failure, Issue, Success
from pyfunctools.schema.feedback.feedback import AGAIN, NOT_YOURS, feedback, one_line


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Attempts:
    """The attempts of a model to make one call, and the text to send to it next.

    No model is called. `after` returns the state after one more attempt, as a new object:

        attempts = Attempts(function)
        text = first_answer
        while not (attempts := attempts.after(text)).done:
            text = ask_model(attempts.text)

    `limit` is the maximum number of attempts, `count` the number so far, `result` the result of the
    last one. `repeated` are its issues that earlier feedback already contained; `told` are all
    issues so far. `closest` is the best failed attempt: one that could be parsed, with the fewest
    issues.

    Raises:
        DefinitionError: `limit` is less than 1, or `function` is not a `Function`.
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
            remedy = "Write `controller[name]`, or `function_of(...)`."
            raise wrong_type("Attempts", "a `Function`", self.function, remedy)
        check_count("Attempts(limit)", self.limit)

    def __repr__(self) -> str:
        state = f"{self.count} of {self.limit} tried, result={short_repr(self.result)}"
        return f"<Attempts {self.function.name!r}: {state}>"

    def after(
        self, tried: str | bytes | JsonValue | Success[Any] | Failure | Outcome | Call
    ) -> "Attempts":
        """Return the state after one more attempt.

        `tried` are arguments for the function to check, as text or as a value; or the result of
        `Function.check` or `Controller.call`, or a call of `parse_calls`.
        """
        given: Any = getattr(tried, "result", tried)
        if not isinstance(given, Success | Failure | Outcome):
            given = self.function.check(given)
        result = cast("Success[Any] | Failure | Outcome", given)
        issues = () if isinstance(result, Success) else result.issues
        keys = {(str(issue.path), issue.expected) for issue in issues}
        failures = [each for each in (result, self.closest) if isinstance(each, Failure)]
        return replace(
            self,
            count=self.count + 1,
            result=result,
            repeated=tuple(i for i in issues if (str(i.path), i.expected) in self.told),
            closest=min(failures, key=_distance) if isinstance(result, Failure) else None,
            told=self.told | keys,
        )

    @property
    def issues(self) -> tuple[Issue, ...]:
        """The issues with the arguments of the last attempt."""
        return () if self.result is None or isinstance(self.result, Success) else self.result.issues

    @property
    def succeeded(self) -> bool:
        """Whether the last attempt succeeded."""
        if isinstance(self.result, Outcome):
            return not self.result.is_error
        return isinstance(self.result, Success)

    @property
    def given_up(self) -> bool:
        """Whether to stop without success: no attempt is left, or only a person can correct it."""
        if self.count == 0 or self.succeeded:
            return False
        return self.count >= self.limit or self._is_persons

    @property
    def done(self) -> bool:
        """Whether to stop, with success or without."""
        return self.succeeded or self.given_up

    @property
    def best(self) -> Any:
        """The arguments of the last attempt if they are valid, else the arguments of `closest`."""
        if isinstance(self.result, Success):
            return self.result.value
        return None if self.closest is None else self.closest.value

    @property
    def text(self) -> str:
        """The text to send to the model next; empty before the first attempt and after success.

        It marks repeated mistakes. After the last attempt it tells the model to stop.
        """
        if self.count == 0 or self.succeeded:
            return ""
        if self._is_persons:
            return NOT_YOURS
        if self.given_up:
            times = "once" if self.count == 1 else f"{self.count} times"
            return (
                f"The function {self.function.name} was tried {times}, and its call is still "
                "wrong. Do not call it again: continue without it, or say what you need to know."
            )
        if isinstance(self.result, Failure):
            repeated = {(issue.path, issue.expected) for issue in self.repeated}
            return feedback(self.result.value, self.result.issues, repeated=repeated)
        text = self.result.text if isinstance(self.result, Outcome) else ""
        again = (
            f"{AGAIN}: {one_line(str(issue.path))} expected {one_line(issue.expected)}"
            for issue in self.repeated
            if issue.side != "human"
        )
        return "\n".join((text, *again))

    @property
    def _is_persons(self) -> bool:
        return bool(self.issues) and all(issue.side == "human" for issue in self.issues)


def _distance(failure: Failure) -> tuple[bool, int]:
    """Return how far a failure is from success."""
    # Text that could not be parsed has one issue, however many mistakes are in it.
    return isinstance(failure.value, str), len(failure.issues)
