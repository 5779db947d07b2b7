"""The schema of a function in a vendor's dialect: what is sent, what was lost, and the way back."""

from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, cast

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.dialects.change import Change
from pyfunctools.dialects.rewrites import Loss, rewritten
from pyfunctools.dialects.table import Profile, dialect_of


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

    @property
    def schema(self) -> dict[str, Any]:
        """The schema to send, as a fresh plain dict."""
        return cast("dict[str, Any]", deepcopy(self._schema))

    def apply(self, arguments: JsonValue) -> JsonValue:
        """Return arguments in the shape of this schema; `restore` is the way back."""
        return self._change.apply(arguments)

    def restore(self, arguments: JsonValue) -> JsonValue:
        """Return what was written by this schema as arguments of the function.

        What has not the shape that the schema asks for is left as it is, for the check to refuse.
        """
        return self._change.restore(arguments)


def render(
    schema: JsonSchema, dialect: str, *, strict: bool = False, inline: bool | None = None
) -> Rendering:
    """Return the schema of a function's arguments in a vendor's dialect.

    With `strict` it is one that the vendor can enforce, where the vendor has such a mode and the
    schema can be said in it; where it cannot, `Rendering.strict` is false and the losses that are
    `refused` say why. `inline` puts definitions in the place of references (`True`) or keeps them
    (`False`); by default the dialect decides.

    Raises:
        DefinitionError: there is no such dialect.
    """
    row = dialect_of(dialect)
    refused: tuple[Loss, ...] = ()
    if strict and row.strict is not None:
        rendering = _render(schema, row.strict, inline)
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
        _change=Change() if change.keeps() else change,
    )
