"""The schema of a function in a vendor's dialect, its losses, and the conversion of values."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from json import dumps
from operator import eq
from typing import Any, cast

from pyfunctools._json import JsonSchema, JsonValue, json_copy
from pyfunctools._lazy import Lazy
from pyfunctools.dialects.change import SAME, VALUE, Change, repeated_key
from pyfunctools.dialects.partial import PartialArguments
from pyfunctools.dialects.rewrites import rewritten
from pyfunctools.dialects.subschema import Loss
from pyfunctools.dialects.table import Profile, dialect_of
from pyfunctools.schema.checker import complete
from pyfunctools.schema.coercion.coerce import coerced
from pyfunctools.schema.ground.path import Path, value_at
from pyfunctools.schema.parsing.parse import parse_at
from pyfunctools.schema.result import Failure, Issue, Repair, Success
from pyfunctools.schema.validation.validator import Validator


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """A schema in the form that one vendor accepts.

    `strict` is true if the vendor can enforce the schema while a model writes. `apply` converts
    arguments of the function into the shape of this schema; `restore` converts them back.
    """

    losses: tuple[Loss, ...]
    strict: bool
    _schema: JsonSchema = field(repr=False)
    _change: Change = field(repr=False, compare=False)
    _validator: Lazy[Validator] = field(repr=False, compare=False)
    """Validates arguments in the shape of this schema, with every bound."""

    @property
    def schema(self) -> dict[str, Any]:
        """The schema to send, as a fresh plain dict."""
        return cast("dict[str, Any]", json_copy(self._schema))

    @property
    def reshapes(self) -> bool:
        """Whether some arguments have another shape in this schema than in the function's."""
        return self._change is not SAME

    def apply(self, arguments: Any) -> Any:
        """Return arguments of the function in the shape of this schema."""
        return self._change.apply(arguments)

    def restore(self, arguments: Any) -> Any:
        """Return arguments in the shape of this schema as arguments of the function.

        A part that does not have this shape stays unchanged; validation reports it.
        """
        return self._change.restore(arguments)

    def partial(self) -> PartialArguments:
        """Return a reader of arguments that are still being written, as `restore` returns them."""
        return PartialArguments(self._change)

    def reworded(self, failure: Failure) -> Failure:
        """Return a failure of the function's arguments in the names and the shape of this schema.

        The arguments are validated in this shape as well, with every bound. Issues found this way
        replace a given issue at the same path.
        """
        value = self.apply(failure.value)
        result = self._validator.value.validate(value)
        found = () if result else result.issues
        own = {self._change.located(each.path.keys, failure.value)[0] for each in failure.issues}
        issues: list[Issue] = []
        for issue in failure.issues:
            place, change = self._change.located(issue.path.keys, failure.value)
            key = repeated_key(*value_at(value, place) or (None,)) if change.pairs else None
            if key is not None:
                path, name = Path.of(place), dumps(key, ensure_ascii=False)
                message = f"{path} has the key {name} more than once."
                issues.append(replace(issue, path=path, expected="each key once", message=message))
            pair = place[:-1] if place[-1:] == (VALUE,) else place
            around = [each for each in found if all(map(eq, each.path.keys, pair))]
            near = [each for each in around if each.path.keys == pair]
            near = near or [each for each in around if each.path.keys not in own - {place}]
            if key is None and not near:
                near = [self._moved(issue, Path.of(place), value)]
            issues += [each for each in near if each not in issues]
        return replace(failure, value=value, issues=tuple(issues))

    def checked(
        self,
        arguments: str | bytes | JsonValue,
        check: Callable[[JsonValue], Success[JsonValue] | Failure],
        *,
        allow_truncated: bool,
    ) -> Success[JsonValue] | Failure:
        """Return arguments that a model wrote for this rendering, restored and checked.

        If they are invalid, they are coerced by this schema, and checked again. A failure has the
        value and the paths of this schema.
        """
        value, repairs = cast("JsonValue", arguments), tuple[Repair, ...]()
        if isinstance(arguments, str | bytes):
            text = arguments if arguments.strip() else "{}"
            read = parse_at(text, lambda: self._validator.value.outline.place)
            if not (read := complete(read, allow_truncated)):
                return read
            value, repairs = read.value, read.repairs
        first = check(self.restore(value))
        result: Success[JsonValue] | Failure = first
        if not first:
            meant = coerced(self._validator.value.outline, value)
            again = check(self.restore(meant.value)) if meant.repairs else first
            result = again or self.reworded(first)
            repairs = (*repairs, *meant.repairs) if again else repairs
        return replace(result, repairs=(*repairs, *result.repairs)) if repairs else result

    def _moved(self, issue: Issue, path: Path, value: JsonValue) -> Issue:
        """Return an issue of the function's schema with the path and the names of this schema."""
        expected, message = issue.expected, issue.message.replace(str(issue.path), str(path))
        for old, new in self._change.renamed():
            quoted, other = dumps(old, ensure_ascii=False), dumps(new, ensure_ascii=False)
            expected, message = expected.replace(quoted, other), message.replace(quoted, other)
        (inner,) = value_at(value, path.keys) or (issue.value,)
        return replace(issue, path=path, expected=expected, message=message, value=inner)


def render(
    schema: JsonSchema, dialect: str, *, strict: bool = False, inline: bool | None = None
) -> Rendering:
    """Return the schema of a function's arguments in a vendor's dialect.

    With `strict`, the schema is one that the vendor can enforce, if the vendor has a strict mode
    that can express it. If not, `Rendering.strict` is false, and the losses that are `refused` are
    the reason. `inline` replaces references by their definitions (`True`) or keeps them (`False`).
    By default the dialect decides, and a definition that is used once is inlined.

    Raises:
        DefinitionError: the dialect is unknown.
    """
    row = dialect_of(dialect)
    refused: tuple[Loss, ...] = ()
    if strict and row.strict is not None:
        rendering = replace(_render(schema, row.strict, inline), strict=True)
        if inline is None and any(loss.keyword == "levels" for loss in rendering.losses):
            rendering = replace(_render(schema, row.strict, inline=False), strict=True)
        refused = tuple(loss for loss in rendering.losses if loss.how == "refused")
        if not refused:
            return rendering
    rendering = _render(schema, row.profile, inline)
    return replace(rendering, losses=(*refused, *rendering.losses)) if refused else rendering


def _render(schema: JsonSchema, profile: Profile, inline: bool | None) -> Rendering:
    made, change, losses = rewritten(schema, profile, inline)
    return Rendering(
        losses=tuple(dict.fromkeys(losses)),
        strict=False,
        _schema=made,
        _change=SAME if change.keeps_values() else change,
        _validator=Lazy(lambda: Validator(rewritten(schema, profile.with_bounds(), inline)[0])),
    )
