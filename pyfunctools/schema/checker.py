"""What a model wrote -> the arguments it meant, or everything that is wrong with them."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.schema.coerce import Coercer, is_exact
from pyfunctools.schema.parse import parse_at, read_strictly
from pyfunctools.schema.result import Failure, Issue, Repair, Side, Success
from pyfunctools.schema.shape import UNIONS
from pyfunctools.schema.strict import Strict
from pyfunctools.schema.walk import subschemas

if TYPE_CHECKING:
    from pyfunctools.schema.fraction import Fractions
    from pyfunctools.schema.issues import Survey


class Judge(Protocol):
    """What says whether arguments are right; see `Validator`."""

    def accepts(self, value: JsonValue) -> bool:
        """Say whether a value that was read from strict JSON is right."""
        ...

    def survey(self, value: JsonValue, side: Side) -> "Survey":
        """Give every issue of such a value, if it is not right."""
        ...

    def validate(self, value: JsonValue, side: Side) -> Success[JsonValue] | Failure:
        """Give any value itself, or every issue it has."""
        ...


class Checker:
    """Reads, coerces and judges what a model wrote, by one schema; what is learned of it is kept.

    Safe to share between threads, and can be copied and pickled. The schema must not change.
    """

    __slots__ = ("_coercer", "_judge", "_known_fractions", "_plain", "schema")

    def __init__(self, schema: JsonSchema, judge: Judge) -> None:
        self.schema = schema
        self._judge = judge
        self._coercer = Coercer(schema)
        self._known_fractions: Fractions | None = None
        self._plain = not any(
            isinstance(inner, dict) and any(keyword in inner for keyword in UNIONS)
            for _, inner in subschemas(schema)
        )

    def __reduce__(self) -> tuple[object, ...]:
        return (Checker, (self.schema, self._judge))

    def check(
        self,
        arguments: str | bytes | JsonValue,
        by_name: Callable[[JsonValue], JsonValue],
        *,
        allow_truncated: bool = False,
    ) -> Success[JsonValue] | Failure:
        """Give the arguments, or every issue they have; see `Function.check`.

        `by_name` gives a list of arguments by their names, and any other value as it is.
        """
        if isinstance(arguments, str | bytes):
            read = read_strictly(arguments)
            if isinstance(read, Failure):
                return read
            if read is not None and isinstance(read.value, dict):
                verdict = self._strict(read)
                if verdict is not None:
                    return verdict
            return self._recovered(arguments, by_name, allow_truncated)
        if isinstance(arguments, dict):
            judged = self._judge.validate(arguments, "llm")
            if not judged:
                return self._coerced(arguments, (), judged.issues)
            if is_exact(arguments, self.schema):
                return judged
        return self._coerced(by_name(arguments), ())

    def _strict(self, read: Strict) -> Success[JsonValue] | Failure | None:
        """Give what comes of strict JSON; `None` where a text is wanted as it was written."""
        value = read.value
        is_right = self._judge.accepts(value)
        # What is right needs no repair, but for `42.0`, which coercion makes an `int`.
        is_whole = read.whole and self._fractions().has_whole(value)
        if is_right and not is_whole:
            return Success(value=value)
        survey = None if is_right else self._judge.survey(value, "llm")
        if read.fractions and self._may_be_textual(survey) and self._fractions().has_textual(value):
            return None
        if survey is None:
            return self._coerced(value, ())
        if is_whole or not survey.settled or self._coercer.helps(survey.suspects):
            return self._coerced(value, (), survey.issues)
        return Failure(value=value, issues=survey.issues)

    def _recovered(
        self,
        text: str | bytes,
        by_name: Callable[[JsonValue], JsonValue],
        allow_truncated: bool,
    ) -> Success[JsonValue] | Failure:
        read = parse_at(text, self.schema, (self.schema,), known=self._fractions)
        if not read:
            return read
        cut = [repair for repair in read.repairs if repair.kind == "truncated"]
        if cut and not allow_truncated:
            return truncated(read.value, cut, read.repairs)
        return self._coerced(by_name(read.value), read.repairs)

    def _coerced(
        self, value: JsonValue, repairs: tuple[Repair, ...], known: tuple[Issue, ...] = ()
    ) -> Success[JsonValue] | Failure:
        """Coerce a value and judge it, where its issues are not `known` and still the same."""
        coerced = self._coercer.coerce(value)
        repairs = (*repairs, *coerced.repairs)
        if known and coerced.value is value:
            return Failure(value=value, issues=known, repairs=repairs)
        judged = self._judge.validate(coerced.value, "llm")
        if judged:
            return Success(value=judged.value, repairs=repairs)
        return Failure(value=judged.value, issues=judged.issues, repairs=repairs)

    def _may_be_textual(self, survey: "Survey | None") -> bool:
        """Say whether a float may stand where only a string is wanted.

        Where no union leaves a choice it is a suspect then.
        """
        if survey is None or not survey.settled or not self._plain:
            return True
        return any(isinstance(value, float) for _, value, _ in survey.suspects)

    def _fractions(self) -> "Fractions":
        if self._known_fractions is None:
            from pyfunctools.schema.fraction import Fractions

            self._known_fractions = Fractions(self.schema)
        return self._known_fractions


def truncated(value: JsonValue, cut: Sequence[Repair], repairs: tuple[Repair, ...]) -> Failure:
    """Give the failure of a value whose text ended inside a scalar: `cut` are those repairs."""
    return Failure(
        value=value,
        issues=tuple(
            Issue(
                path=repair.path,
                expected="the whole value: the text ended inside it",
                value=repair.after,
                message=f"{repair.path} may be cut off: the text ended right after it.",
            )
            for repair in cut
        ),
        repairs=repairs,
    )
