"""The schema of a function in a vendor's dialect: what is sent, what was lost, and the way back."""

from copy import deepcopy
from dataclasses import dataclass, field, replace
from json import dumps
from typing import Any, cast

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools.dialects.change import KEY, SAME, VALUE, Change, doubled_key
from pyfunctools.dialects.loss import Loss
from pyfunctools.dialects.rewrites import rewritten
from pyfunctools.dialects.table import Profile, dialect_of
from pyfunctools.schema.ground.path import Keys, Path, value_at
from pyfunctools.schema.result import Failure, Issue, Success
from pyfunctools.schema.validation.validator import Validator


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """A schema as one vendor takes it.

    `strict` says that it is one which the vendor can enforce. `apply` gives arguments the shape
    that the schema here has, and `restore` turns what a model wrote by it into arguments again.
    """

    losses: tuple[Loss, ...]
    strict: bool
    _schema: JsonSchema = field(repr=False)
    _change: Change = field(repr=False, compare=False)
    _bounded: Lazy[JsonSchema] = field(repr=False, compare=False)

    @property
    def schema(self) -> dict[str, Any]:
        """The schema to send, as a fresh plain dict."""
        return cast("dict[str, Any]", deepcopy(self._schema))

    @property
    def reshapes(self) -> bool:
        """Whether some arguments have another shape here than those of the function."""
        return self._change is not SAME

    def apply(self, arguments: Any) -> Any:
        """Return arguments in the shape of this schema; `restore` is the way back."""
        return self._change.apply(arguments)

    def restore(self, arguments: Any) -> Any:
        """Return what was written by this schema as arguments of the function.

        What has not the shape that the schema asks for is left as it is, for the check to refuse.
        """
        return self._change.restore(arguments)

    def reworded(self, failure: Failure) -> Failure:
        """Return what is wrong with arguments of the function in the names and the shape here.

        Where a schema of this shape, with every bound, finds mistakes at a place, it is those.
        """
        value = self.apply(failure.value)
        result = Validator(self._bounded.value).validate(value)
        seen = [] if isinstance(result, Success) else list(result.issues)
        own = {self._change.located(each.path.keys, failure.value)[0] for each in failure.issues}
        issues: list[Issue] = []
        for issue in failure.issues:
            place, change = self._change.located(issue.path.keys, failure.value)
            key = doubled_key(*value_at(value, place) or (None,)) if change.pairs else None
            if key is not None:
                issues.append(_doubled(key, issue, Path.of(place)))
            exact = self._same(issue, place, failure.value)
            near = [each for each in seen if each.path.keys in exact] or [
                each for each in seen if _meet(each.path.keys, place) and each.path.keys not in own
            ]
            if key is None and not near:
                near = [self._told(issue, Path.of(place), value)]
            issues += [each for each in near if each not in issues]
        return replace(failure, value=value, issues=tuple(issues))

    def _same(self, issue: Issue, place: Keys, value: JsonValue) -> tuple[Keys, ...]:
        """Return the places of an issue: of a member of a map, value and key of its pair."""
        if issue.path.keys and place[-1:] == (VALUE,):
            _, holder = self._change.located(issue.path.keys[:-1], value)
            if holder.pairs:
                return place, (*place[:-1], KEY)
        return (place,)

    def _told(self, issue: Issue, path: Path, value: JsonValue) -> Issue:
        """Return an issue of which the schema here knows nothing, at its place and by its names."""
        expected, message = issue.expected, issue.message.replace(str(issue.path), str(path))
        for old, new in self._change.renamed():
            quoted, other = dumps(old, ensure_ascii=False), dumps(new, ensure_ascii=False)
            expected, message = expected.replace(quoted, other), message.replace(quoted, other)
        (shown,) = value_at(value, path.keys) or (issue.value,)
        return replace(issue, path=path, expected=expected, message=message, value=shown)


def _doubled(key: str, issue: Issue, path: Path) -> Issue:
    message = f"{path} has the key {dumps(key, ensure_ascii=False)} more than once."
    return replace(issue, path=path, expected="each key once", message=message)


def _meet(one: Keys, other: Keys) -> bool:
    """Return whether one place is the other, or inside of it."""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def render(
    schema: JsonSchema, dialect: str, *, strict: bool = False, inline: bool | None = None
) -> Rendering:
    """Return the schema of a function's arguments in a vendor's dialect.

    With `strict` it is one that the vendor can enforce, where the vendor has such a mode and the
    schema can be said in it; where it cannot, `Rendering.strict` is false and the losses that are
    `refused` say why. `inline` puts definitions in the place of references (`True`) or keeps them
    (`False`); by default the dialect decides, and one that is referred to once is put in its place.

    Raises:
        DefinitionError: there is no such dialect.
    """
    row = dialect_of(dialect)
    refused: tuple[Loss, ...] = ()
    if strict and row.strict is not None:
        rendering = _render(schema, row.strict, inline)
        if inline is None and any(loss.keyword == "levels" for loss in rendering.losses):
            rendering = _render(schema, row.strict, inline=False)
        refused = tuple(loss for loss in rendering.losses if loss.how == "refused")
        if not refused:
            return rendering
    rendering = _render(schema, row.profile, inline)
    return replace(rendering, losses=(*refused, *rendering.losses), strict=False)


def _render(schema: JsonSchema, profile: Profile, inline: bool | None) -> Rendering:
    made, change, losses = rewritten(schema, profile, inline)
    return Rendering(
        losses=tuple(dict.fromkeys(losses)),
        strict=profile.closed,
        _schema=made,
        _change=SAME if change.keeps() else change,
        _bounded=Lazy(lambda: rewritten(schema, profile.with_bounds(), inline)[0]),
    )
