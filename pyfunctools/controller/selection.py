"""Selects functions of a controller by tag, name, path or method; replaces their handlers."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, cast

from pyfunctools._text import shortened, visible
from pyfunctools.errors import DefinitionError, UnknownFunctionError, wrong_type
from pyfunctools.execution.local import LocalRunner
from pyfunctools.execution.runner import Runner
from pyfunctools.record.function import Function, with_handler
from pyfunctools.route import Route
from pyfunctools.schema.ground.did_you_mean import near_names


def selected_names(
    functions: Sequence[Function],
    *,
    tags: Iterable[str] | None,
    names: Iterable[str] | None,
    paths: Iterable[str] | None,
    methods: Iterable[str] | None,
    where: Callable[[Function], bool] | None,
    allow_empty: bool,
) -> list[str]:
    """Return the names of the functions that meet all conditions; see `Controller.select`."""
    wanted_tags, verbs = _texts("tags", tags), {each.upper() for each in _texts("methods", methods)}
    name_patterns, path_patterns = _texts("names", names), _texts("paths", paths)
    if where is not None and not callable(where):
        raise DefinitionError(
            "select(where)", f"{where!r} is not a function.", "Write a predicate of a `Function`."
        )
    if not allow_empty:
        routes = [_route_of(each) for each in functions]
        _check_known("tags", wanted_tags, {tag for each in functions for tag in each.tags})
        _check_known("names", name_patterns, {each.name for each in functions})
        _check_known("paths", path_patterns, {path for _, path in routes if path})
        known = {method for method, _ in routes if method}
        if verbs and known and verbs.isdisjoint(known):
            _check_known("methods", verbs, known)

    def keep(function: Function) -> bool:
        method, path = _route_of(function)
        return (
            (tags is None or not wanted_tags.isdisjoint(function.tags))
            and (names is None or _matches(function.name, name_patterns))
            and (paths is None or _matches(path, path_patterns))
            and (methods is None or method in verbs)
            and (where is None or _applies("select(where)", where, function))
        )

    return [function.name for function in functions if keep(function)]


def _check_known(name: str, asked: Iterable[str], known: set[str]) -> None:
    """Raise an error for the first text, in alphabetical order, that matches no function."""
    for pattern in sorted(asked):
        if pattern in known or (name in _PATTERNS and any(_matches(e, (pattern,)) for e in known)):
            continue
        close = " or ".join(repr(each) for each in near_names(pattern, sorted(known)))
        listed = ", ".join(repr(each) for each in sorted(known)[:_LISTED])
        there = f"There are {listed}{', …' if len(known) > _LISTED else ''}." if known else ""
        there += f" Did you mean {close}?" if close else ""
        raise DefinitionError(
            f"select({name})",
            f"{shortened(visible(pattern), 100)!r} matches no function. {there}".rstrip(),
            "If no function has to match, write `allow_empty=True`.",
        )


_PATTERNS = ("names", "paths")
_LISTED = 8


def _applies(where: str, predicate: Callable[[Function], object], function: Function) -> bool:
    try:
        return bool(predicate(function))
    except Exception as error:  # a caller's code may raise anything
        reason = f"The predicate raised {type(error).__name__} for {function.name}: {error}."
        raise DefinitionError(where, reason, "Write a predicate of a `Function`.") from error


def with_handlers(
    entries: Mapping[str, tuple[Function, Runner]], handlers: object
) -> Iterator[tuple[Function, Runner]]:
    """Return the entries, with the handlers that `handlers` has for their names."""
    if not isinstance(handlers, Mapping):
        remedy = 'Write `controller.replaced({"refund": lambda **arguments: "refunded"})`.'
        raise wrong_type("replaced", "a mapping of names", handlers, remedy)
    given = cast("Mapping[object, object]", handlers)
    for name in given:
        if name not in entries:
            asked = visible(shortened(str(name), 64))
            raise UnknownFunctionError(asked, near_names(asked, entries), entries)
    return (
        (with_handler(function, _callable_of(given[name])), LocalRunner(limits=runner.limits))
        if name in given
        else (function, runner)
        for name, (function, runner) in entries.items()
    )


def _callable_of(handler: Any) -> Callable[..., object]:
    """Return a handler as a callable: one that returns the value, or raises the exception."""
    is_error = isinstance(handler, BaseException) or _is_error_class(handler)
    if callable(handler) and not is_error:
        return handler

    def called(*_: object, **__: object) -> object:
        if is_error:
            raise cast("BaseException", handler)
        return handler

    return called


def _is_error_class(handler: object) -> bool:
    return isinstance(handler, type) and issubclass(handler, BaseException)


def _texts(name: str, asked: Iterable[str] | None) -> frozenset[str]:
    """Return a condition as a set of texts; a single text becomes a set of one."""
    if isinstance(asked, str):
        return frozenset((asked,))
    listed: list[object] = list(asked) if isinstance(asked, Iterable) else [asked]
    if asked is not None and not all(isinstance(each, str) for each in listed):
        raise DefinitionError(
            f"select({name})", f"{asked!r} is not a list of texts.", f'Write `{name}=["..."]`.'
        )
    return frozenset(asked or ())


def _matches(text: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(text, pattern) for pattern in patterns)


def _route_of(function: Function) -> tuple[str, str]:
    origin = function.origin
    return (origin.method, origin.path) if isinstance(origin, Route) else ("", "")
