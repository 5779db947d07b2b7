"""What is said of a function beside its schemas: of which kind each of it is."""

from collections.abc import Iterable, Mapping
from typing import cast

from pyfunctools.errors import DefinitionError

_TEXTS = frozenset({"name", "description", "title", "display_text"})
_FLAGS = frozenset(
    {
        "concurrent",
        "confirm",
        "deprecated",
        "destructive",
        "idempotent",
        "read_only",
        "strict",
    }
)
_UNSAID = frozenset(
    {"description", "destructive", "display_text", "idempotent", "name", "read_only", "title"}
)
"""What may be `None`: nobody said."""


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
        elif name not in _TEXTS and name not in _FLAGS:
            known = ", ".join(sorted({"tags", *_TEXTS, *_FLAGS}))
            raise TypeError(f"{where}: there is no setting {name!r}. The settings are {known}.")
        elif not (value is None and name in _UNSAID):
            kind, word = (str, "text") if name in _TEXTS else (bool, "`True` or `False`")
            if not isinstance(value, kind):
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
