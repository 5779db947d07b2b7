"""Which of a controller's functions are meant: by tag, name, path, method, or a mistyped name."""

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import Literal

from pyfunctools._text import shortened, visible
from pyfunctools.errors import DefinitionError, UnknownFunctionError
from pyfunctools.record.function import Function
from pyfunctools.route import Route
from pyfunctools.schema.ground.did_you_mean import near_names


def wanted(
    *,
    tags: Iterable[str] | None,
    names: Iterable[str] | None,
    paths: Iterable[str] | None,
    methods: Iterable[str] | None,
    where: Callable[[Function], bool] | None,
) -> Callable[[Function], bool]:
    """Return what says whether a function is one for which everything that is asked holds.

    None asks for nothing. See `Controller.select` for what each of them asks.

    Raises:
        DefinitionError: one is neither texts nor a text, or `where` is no predicate.
    """
    asked_tags, verbs = _texts("tags", tags), {each.upper() for each in _texts("methods", methods)}
    name_patterns, path_patterns = _texts("names", names), _texts("paths", paths)
    if where is not None and not callable(where):
        raise DefinitionError(
            "select(where)", f"{where!r} says of no function.", "Give a predicate of a `Function`."
        )

    def keep(function: Function) -> bool:
        method, path = _route_of(function)
        return (
            (tags is None or not asked_tags.isdisjoint(function.tags))
            and (names is None or _matches(function.name, name_patterns))
            and (paths is None or _matches(path, path_patterns))
            and (methods is None or method in verbs)
            and (where is None or where(function))
        )

    return keep


def confirmed(
    confirm: Literal["destructive"] | Callable[[Function], bool] | None,
) -> Callable[[Function], bool]:
    """Return what says whether a person has to approve a function; see `Controller.configured`.

    Raises:
        DefinitionError: it is neither a word for it nor a predicate.
    """
    if callable(confirm):
        return confirm
    if confirm == "destructive":
        return lambda function: function.destructive is True
    if confirm is None:
        return lambda _: False
    raise DefinitionError(
        "confirm", f"{confirm!r} says of no function.", 'Write "destructive", or a predicate.'
    )


def unknown_name(name: object, known: Iterable[str]) -> UnknownFunctionError:
    """Return the error for a name that no function has, with the names close to it.

    What is no text is called by its type.
    """
    asked = shortened(name, 64) if isinstance(name, str) else f"<{type(name).__name__}>"
    return UnknownFunctionError(visible(asked), near_names(asked, known))


def _texts(name: str, asked: Iterable[str] | None) -> frozenset[str]:
    """Return what is asked for; a single text is one, and not its letters."""
    if isinstance(asked, str):
        return frozenset((asked,))
    listed: list[object] = list(asked) if isinstance(asked, Iterable) else [asked]
    if asked is not None and not all(isinstance(each, str) for each in listed):
        raise DefinitionError(
            f"select({name})", f"{asked!r} holds what is no text.", f'Write `{name}=["..."]`.'
        )
    return frozenset(asked or ())


def _matches(text: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(text, pattern) for pattern in patterns)


def _route_of(function: Function) -> tuple[str, str]:
    origin = function.origin
    return (origin.method, origin.path) if isinstance(origin, Route) else ("", "")
