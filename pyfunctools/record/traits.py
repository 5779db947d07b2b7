"""`Traits`: the list of what can be said of a function beside its name and its schemas."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict, cast

from pyfunctools.errors import DefinitionError


class Traits(TypedDict, total=False):
    """The traits of a function, each a field of `Function`, and `None` where nobody said.

    `display_text` is what a user is shown while it runs, `confirm` asks a person before each call,
    `concurrent` says whether it may run beside others and `strict` whether it is rendered strictly.
    """

    title: str | None
    tags: Sequence[str]
    deprecated: bool
    display_text: str | None
    read_only: bool | None
    destructive: bool | None
    idempotent: bool | None
    confirm: bool
    concurrent: bool
    strict: bool


_KINDS: Mapping[str, object] = {
    "name": str | None,
    "description": str | None,
    **Traits.__annotations__,
}


def checked_traits(where: str, given: Mapping[str, object]) -> dict[str, object]:
    """Return what was said of a function, its tags as a tuple; a single text is one tag.

    `where` is what the error calls the thing that was told so.

    Raises:
        TypeError: there is no such setting, as of any function.
        DefinitionError: one is none of what it may be.
    """
    found = dict(given)
    for name, value in given.items():
        if name == "tags":
            found[name] = _tags(where, value)
        elif name not in _KINDS:
            known = ", ".join(sorted(_KINDS))
            raise TypeError(f"{where}: there is no setting {name!r}. The settings are {known}.")
        elif not isinstance(value, kind := cast("type", _KINDS[name])):
            word = "text" if isinstance("", kind) else "`True` or `False`"
            raise _unfit(where, name, value, f"Write {word}.")
    return found


def _tags(where: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    several = cast("Iterable[object]", value) if isinstance(value, Iterable) else (value,)
    tags = tuple(several)
    if not all(isinstance(tag, str) for tag in tags):
        raise _unfit(where, "tags", tags, 'Write `tags=["..."]`.')
    return cast("tuple[str, ...]", tags)


def _unfit(where: str, name: str, value: object, remedy: str) -> DefinitionError:
    return DefinitionError(f"{where}({name})", f"{value!r} is none of what it may be.", remedy)
