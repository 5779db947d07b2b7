"""`Traits`: the settings of a function beside its name and its schemas."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict, cast

from pyfunctools.errors import DefinitionError, wrong_type


class Traits(TypedDict, total=False):
    """The settings of a function, each a field of `Function`; `None` means unknown.

    `display_text` is shown to a person while the function runs. With `confirm` a person approves
    each call. With `concurrent` it may run beside other calls (by default, if it is `read_only`).
    With `strict` it is rendered strictly.
    """

    title: str | None
    tags: Sequence[str]
    deprecated: bool
    display_text: str | None
    read_only: bool | None
    destructive: bool | None
    idempotent: bool | None
    confirm: bool
    concurrent: bool | None
    strict: bool


_KINDS: Mapping[str, object] = {
    "name": str | None,
    "description": str | None,
    **Traits.__annotations__,
}


def checked_traits(where: str, given: Mapping[str, object]) -> dict[str, object]:
    """Return settings with `tags` as a tuple (a single text is one tag); `where` is for errors.

    Raises:
        TypeError: a setting is unknown.
        DefinitionError: a setting is of the wrong type.
    """
    found = dict(given)
    for name, value in given.items():
        if name == "tags":
            found[name] = _tags(where, value)
        elif name not in _KINDS:
            from pyfunctools.schema.ground.did_you_mean import meant_option  # for errors alone

            known = f"The settings are {', '.join(sorted(_KINDS))}."
            remedy = meant_option(name, _KINDS) or known
            raise TypeError(f"{where}: unknown setting {name!r}. {remedy}")
        elif not isinstance(value, kind := cast("type", _KINDS[name])):
            word = "text" if isinstance("", kind) else "`True` or `False`"
            raise wrong_type(f"{where}({name})", word, value, f"Write {word}.")
    return found


def _tags(where: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    several = cast("Iterable[object]", value) if isinstance(value, Iterable) else (value,)
    tags = tuple(several)
    if not all(isinstance(tag, str) for tag in tags):
        reason = f"This must be a list of text, not {tags!r}."
        raise DefinitionError(f"{where}(tags)", reason, 'Write `tags=["..."]`.')
    return cast("tuple[str, ...]", tags)
