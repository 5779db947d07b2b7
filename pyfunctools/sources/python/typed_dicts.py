"""`typing.TypedDict`, which before Python 3.12 pydantic takes only from `typing_extensions`."""

import sys
from collections.abc import Callable, Mapping
from types import GenericAlias, UnionType
from typing import (
    Annotated,
    ForwardRef,
    Literal,
    NotRequired,
    Required,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from typing_extensions import TypedDict

from pyfunctools.sources.python.hint_scope import Names


def keys_of(cls: type, names: Names) -> Mapping[str, tuple[object, bool]]:
    """Return the hint of each key of a `TypedDict`, and whether the key is required.

    Raises:
        Exception: whatever evaluating the text of a hint raises, above all `NameError`.
    """
    required: frozenset[str] = getattr(cls, "__required_keys__", frozenset[str]())
    keys: dict[str, tuple[object, bool]] = {}
    for name, hint in get_type_hints(cls, localns=dict(names), include_extras=True).items():
        origin = get_origin(hint)
        bare = get_args(hint)[0] if origin in (Required, NotRequired) else hint
        keys[name] = bare, origin is Required or (name in required and origin is not NotRequired)
    return keys


class Rewriter:
    """A rewriter of hints: each `typing.TypedDict` becomes one of `typing_extensions`.

    `names` is what texts in hints are read with; `known` is that and what was made, for one that
    holds itself is named in its own hints. From Python 3.12 on nothing is rewritten.
    """

    def __init__(self, names: Names) -> None:
        self.known: dict[str, object] = dict(names)
        self._names = names
        self._made: dict[type, object] = {}

    def hint(self, hint: object) -> object:
        """Return one hint, rewritten.

        Raises:
            Exception: whatever evaluating the hints of a `TypedDict` raises.
        """
        if sys.version_info >= (3, 12):
            return hint
        if isinstance(hint, type) and is_typeddict(hint):
            return self._class(hint)
        origin, inner = get_origin(hint), get_args(hint)
        if origin in (None, Literal, Callable):
            return hint
        seen = inner[:1] if origin is Annotated else inner
        rewritten = tuple(map(self.hint, seen))
        if all(new is old for new, old in zip(rewritten, seen, strict=True)):
            return hint
        return _of(origin, (*rewritten, *inner[len(seen) :]))

    def _class(self, cls: type) -> object:
        if cls in self._made:
            return self._made[cls]
        name = f"{cls.__name__}_{len(self._made)}"
        self._made[cls] = ForwardRef(name)
        hints = {
            key: _of(Required if required else NotRequired, (self.hint(hint),))
            for key, (hint, required) in keys_of(cls, self._names).items()
        }
        made = cast("Callable[..., type]", TypedDict)(cls.__name__, hints)
        for attribute in ("__module__", "__qualname__", "__doc__", "__pydantic_config__"):
            if hasattr(cls, attribute):
                setattr(made, attribute, getattr(cls, attribute))
        self._made[cls] = self.known[name] = made
        return made


def _of(origin: object, inner: tuple[object, ...]) -> object:
    if origin is Annotated:
        return Annotated[inner]
    if origin is Union or origin is UnionType:
        return Union[inner]  # noqa: UP007 - made at run time
    if origin is Required:
        return Required[inner[0]]
    if origin is NotRequired:
        return NotRequired[inner[0]]
    return GenericAlias(cast("type", origin), inner)
