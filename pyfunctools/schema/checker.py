"""The check of the arguments that a model wrote: parsed, coerced and validated."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._text import shortened, visible
from pyfunctools.schema.coercion.coerce import coerced
from pyfunctools.schema.ground.call_keys import ANY_NAME_KEYS, ID_KEYS
from pyfunctools.schema.ground.issue import side_issue
from pyfunctools.schema.ground.json_values import is_json_value
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.parsing.parse import recovered
from pyfunctools.schema.parsing.strict import Strict, has_whole_float, read_strictly
from pyfunctools.schema.result import Failure, Repair, Success
from pyfunctools.schema.validation.validator import Validator

if TYPE_CHECKING:  # imported by the first text that is not valid as it is
    from pyfunctools.schema.outline.outline import Place
    from pyfunctools.schema.separation.separate import Separated

SchemaValidator: TypeAlias = "Validator | Separated"
"""Validates arguments by a whole schema, or by the model's side of one."""


_INNER: Final = frozenset({"function", "functionCall", "function_call", "toolUse", "tool_use"})
_CALL_KEYS: Final = frozenset({*ANY_NAME_KEYS, *ID_KEYS, "index", "type"})
"""The keys of a call beside its arguments."""
_MARKS: Final = _INNER.union(ANY_NAME_KEYS)


@dataclass(frozen=True, slots=True, eq=False)
class Checker:
    """Parses, coerces and validates the arguments that a model wrote.

    The items of an array are the values of the properties `names`, in this order. Thread-safe; can
    be copied and pickled. The schema must not change.
    """

    validator: SchemaValidator
    names: tuple[str, ...] = ()

    def check(
        self,
        arguments: str | bytes | JsonValue,
        *,
        allow_truncated: bool = False,
        name: str | None = None,
    ) -> Success[JsonValue] | Failure:
        """Return the arguments, or all their issues; see `Function.check`.

        Null and blank text count as `{}`. A whole call of the function of this name, as
        `{"name": "f", "arguments": {...}}`, counts as its arguments; one of another function is
        told that it is one.
        """
        result = self._checked(arguments, allow_truncated)
        value: JsonValue = result.value
        if name is None or not isinstance(value, dict) or _MARKS.isdisjoint(value):
            return result
        found = _whole_call(value)
        parts = self.place().possible.parts
        if found is None or any(key in part.declared for part in parts for key in value):
            return result
        written, inner = found
        if not _is_name_of(written, name):
            return result or _of_another(result, name, written)
        repair = Repair(path=Path.of(()), kind="unwrapped", before=value, after=inner)
        result = self._checked(inner, allow_truncated)
        return replace(result, repairs=(repair, *result.repairs))

    def _checked(
        self, arguments: str | bytes | JsonValue, allow_truncated: bool
    ) -> Success[JsonValue] | Failure:
        if not isinstance(arguments, (str, bytes)):
            return self._check_value(arguments, ())
        read = read_strictly(arguments)
        if isinstance(read, Failure):
            return read
        if read is not None and isinstance(read.value, dict):
            result = self._check_value(read.value, (), read)
            if result or not (read.fractions and self._may_be_texts(read.value, result)):
                return result
        if not arguments.strip():
            return self._check_value({}, ())
        result = complete(recovered(arguments, read, self.place), allow_truncated)
        return self._check_value(result.value, result.repairs) if result else result

    def _may_be_texts(self, value: JsonValue, failure: Failure) -> bool:
        """Return whether a number may be meant as a string, and has to be parsed again as one."""
        # A float where a string is wanted is the value of an issue, or in it.
        has_floats = any(isinstance(issue.value, float | dict | list) for issue in failure.issues)
        return has_floats and self.place().misplaced_floats(value)[1]

    def coerce(self, value: JsonValue) -> Success[JsonValue]:
        """Return the value in the spelling that the schema wants; see `schema.coerce`."""
        return coerced(self.validator.outline, value)

    def _check_value(
        self, value: JsonValue, repairs: tuple[Repair, ...], read: Strict | None = None
    ) -> Success[JsonValue] | Failure:
        """Check a value, which is known to be JSON if it was `read` strictly."""
        if value is None or (isinstance(value, str) and not value.strip()):
            value = {}
        if isinstance(value, list) and 0 < len(self.names) >= len(value):
            value = dict(zip(self.names, value, strict=False))
        validator = self.validator
        is_json = read is not None or is_json_value(value)
        floats = not is_json or (read.whole if read else has_whole_float(value))
        # A float such as `42.0` may have to become an `int`, although the value is valid.
        is_plain = is_json and not (floats and self.place().misplaced_floats(value)[0])
        if is_plain and validator.accepts(value):
            return Success(value=value, repairs=repairs)
        coercion = coerced(validator.outline, value, floats=floats)
        result: Success[JsonValue] | Failure
        if is_plain and coercion.value is value:
            result = Failure(value=value, issues=validator.issues(value, "llm"))
        else:
            result = validator.validate(coercion.value, "llm")
        return replace(result, repairs=(*repairs, *coercion.repairs))

    def place(self) -> "Place":
        """Return the place of the arguments in the schema."""
        return self.validator.outline.place


def _whole_call(value: JsonObject) -> tuple[str, JsonValue] | None:
    """Return the name and the arguments in a whole call, `None` if the value is none."""
    if len(value.keys() - _CALL_KEYS) > 1:
        return None
    from pyfunctools.schema.coercion.repairing import WRAPPERS  # few values need it

    inner = [each for key in _INNER if isinstance(each := value.get(key), dict)]
    if len(inner) == 1 and value.keys() <= _CALL_KEYS | _INNER:
        value = inner[0]
    names = (value.get(key) for key in ANY_NAME_KEYS)
    written = next((name for name in names if isinstance(name, str)), None)
    keys = value.keys() - _CALL_KEYS
    if written is None or len(keys) != 1 or keys.isdisjoint(WRAPPERS):
        return None
    return written, value[keys.pop()]


def _is_name_of(written: str, name: str) -> bool:
    from pyfunctools.schema.ground.did_you_mean import letters_of

    last = letters_of(written.rpartition(".")[2])
    return bool(last) and letters_of(name).endswith(last)


def _of_another(failure: Failure, name: str, written: str) -> Failure:
    """Return the failure of a whole call of another function in the place of the arguments."""
    named = shortened(visible(written), 64)
    expected = f'the arguments of "{name}", not a call of "{named}": call "{named}" itself'
    return replace(failure, issues=(side_issue("llm", (), expected, failure.value),))


def complete(
    result: Success[JsonValue] | Failure, allow_truncated: bool
) -> Success[JsonValue] | Failure:
    """Return the result of reading a text; a failure if the text ended inside a scalar."""
    cut = [repair for repair in result.repairs if repair.kind == "truncated"]
    if allow_truncated or not cut:
        return result
    return truncated_failure(result.value, cut, result.repairs)


def truncated_failure(
    value: JsonValue, cut: Sequence[Repair], repairs: tuple[Repair, ...]
) -> Failure:
    """Return the failure of a value whose text ended inside the scalars that `cut` repairs."""
    expected = "the whole value: the text ended inside it"
    issues = (side_issue("whole", each.path.keys, expected, each.after) for each in cut)
    return Failure(value=value, issues=tuple(issues), repairs=repairs)
