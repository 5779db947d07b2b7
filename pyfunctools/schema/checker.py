"""What a model wrote -> the arguments it meant, or everything that is wrong with them."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from pyfunctools._json import JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools.schema.coercion.coerce import coerced, is_exact
from pyfunctools.schema.ground.json_values import is_json_value
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.schema.parsing.parse import parse_at, read_strictly
from pyfunctools.schema.parsing.strict import Strict
from pyfunctools.schema.result import Failure, Issue, Repair, Success
from pyfunctools.schema.separation.separate import Separated
from pyfunctools.schema.validation.validator import Validator
from pyfunctools.schema.vocabulary import UNIONS

if TYPE_CHECKING:  # the outline is loaded by the first text that is not right as it is
    from pyfunctools.schema.outline.outline import Place


Judge: TypeAlias = Validator | Separated
"""What says whether arguments are right: a whole schema, or the model's side of one."""


class Checker:
    """Reads, coerces and judges what a model wrote, by the schema that its judge knows.

    A list of arguments has the properties in the order of `names`. With `sets` arrays of
    `uniqueItems` are sets; see `coerced`. Safe to share between threads, and can be copied and
    pickled. The schema must not change.
    """

    __slots__ = ("_has_unions", "_judge", "_names", "_sets")

    def __init__(self, judge: Judge, *, names: Iterable[str] = (), sets: bool = False) -> None:
        self._judge = judge
        self._names = tuple(names)
        self._sets = sets
        self._has_unions = Lazy(self._with_unions)

    def __reduce__(self) -> tuple[object, ...]:
        return (partial(Checker, names=self._names, sets=self._sets), (self._judge,))

    def check(
        self, arguments: str | bytes | JsonValue, *, allow_truncated: bool = False
    ) -> Success[JsonValue] | Failure:
        """Return the arguments, or every issue they have; see `Function.check`.

        Null and blank text are `{}`.
        """
        if not isinstance(arguments, str | bytes):
            return self._judged(arguments, ())
        read = read_strictly(arguments)
        if isinstance(read, Failure):
            return self._asked(read)
        if read is not None and isinstance(read.value, dict):
            verdict = self._strict(read)
            if verdict is not None:
                return verdict
        if not arguments.strip():
            return self._judged({}, ())
        return self._recovered(arguments, allow_truncated)

    def coerce(self, value: JsonValue) -> Success[JsonValue]:
        """Return the value in the spelling that the schema wants; see `schema.coerce`."""
        return coerced(self._judge.outline, value, sets=self._sets)

    def _strict(self, read: Strict) -> Success[JsonValue] | Failure | None:
        """Return what comes of strict JSON; `None` where a text is wanted as it was written."""
        value = read.value
        # What is right needs no repair, but for `42.0`, which coercion makes an `int`.
        is_whole = read.whole and self.place().has_float_for_integer(value)
        if not is_whole and self._judge.accepts(value):
            return Success(value=value)
        from pyfunctools.schema.coercion.match import TextWantedError  # like all that repairs

        # Without unions each such float fails its own test, so coercion meets it on its way.
        is_met = read.fractions and not is_whole and not self._has_unions.value
        if read.fractions and not is_met and self.place().has_float_for_string(value):
            return None
        try:
            return self._coerced(value, (), refused=not is_whole, written=is_met)
        except TextWantedError:
            return None

    def _recovered(self, text: str | bytes, allow_truncated: bool) -> Success[JsonValue] | Failure:
        read = parse_at(text, self.place)
        if not read:
            return self._asked(read)
        cut = [repair for repair in read.repairs if repair.kind == "truncated"]
        if cut and not allow_truncated:
            return self._asked(truncated(read.value, cut, read.repairs))
        return self._judged(read.value, read.repairs)

    def _judged(
        self, value: JsonValue, repairs: tuple[Repair, ...]
    ) -> Success[JsonValue] | Failure:
        """Return what comes of a value; a list is taken by the names, and nothing as `{}`."""
        if value is None or (isinstance(value, str) and not value.strip()):
            value = {}
        if isinstance(value, list) and 0 < len(self._names) >= len(value):
            value = dict(zip(self._names, value, strict=False))
        exact = is_json_value(value) and is_exact(self._judge.outline, value)
        if exact and self._judge.accepts(value):
            return Success(value=value, repairs=repairs)
        result = self._coerced(value, repairs, refused=exact)
        return result or self._asked(result)

    def _coerced(
        self,
        value: JsonValue,
        repairs: tuple[Repair, ...],
        *,
        refused: bool = False,
        written: bool = False,
    ) -> Success[JsonValue] | Failure:
        """Return the coerced value, or what is wrong with it.

        With `refused` the value is JSON that is not right as it is, and no whole number stands in
        it as a float where an integer may be wanted.

        Raises:
            TextWantedError: with `refused` and `written`; see `coercion.coerce.coerced`.
        """
        tests = self._judge.test_of if refused else None
        made = coerced(self._judge.outline, value, tests, sets=self._sets, written=written)
        if refused and made.value is value:
            return Failure(value=value, issues=self._judge.issues(value, "llm"), repairs=repairs)
        repairs = (*repairs, *made.repairs)
        judged = self._judge.validate(made.value, "llm")
        if judged:
            return Success(value=judged.value, repairs=repairs)
        return Failure(value=judged.value, issues=judged.issues, repairs=repairs)

    def _asked(self, failure: Failure) -> Failure:
        """Return the failure of arguments that are no object, with what the object is to hold."""
        from pyfunctools.schema.outline.expected import object_line

        wanted = object_line(self._judge.outline)
        if wanted is None or isinstance(failure.value, dict):
            return failure
        issues = tuple(
            replace(issue, expected=wanted, message=f"{issue.message} Send {wanted}.")
            if not issue.path.keys and issue.expected.partition(" ")[0] == "object"
            else issue
            for issue in failure.issues
        )
        return replace(failure, issues=issues)

    def _with_unions(self) -> bool:
        parts = subschemas(self._judge.outline.schema)
        return any(
            isinstance(part, dict) and not part.keys().isdisjoint(UNIONS) for _, part in parts
        )

    def place(self, *keys: str) -> "Place":
        """Return the place at these names in a value."""
        place = self._judge.outline.place
        for key in keys:
            place = place.inside(key)
        return place


def truncated(value: JsonValue, cut: Sequence[Repair], repairs: tuple[Repair, ...]) -> Failure:
    """Return the failure of a value whose text ended inside a scalar: `cut` are those repairs."""
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
