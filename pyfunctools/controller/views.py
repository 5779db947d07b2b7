"""The views of a controller: `select` by tag, name, path or method, `configured`, `replaced`."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, TypeAlias, cast

from pyfunctools._text import shortened, visible
from pyfunctools.controller.call_errors import listed
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.execution.local import LocalRunner
from pyfunctools.execution.person.approval import PendingCall
from pyfunctools.execution.person.tickets import Tickets
from pyfunctools.execution.runner import Runner, executor_of
from pyfunctools.execution.wrappers.hooks import Hook, check_hook
from pyfunctools.note import Note
from pyfunctools.record.fixed import Fixed, check_fixed, with_fixed
from pyfunctools.record.function import Function, settings_of, with_handler, with_settings
from pyfunctools.record.origin import RemoteTool
from pyfunctools.record.settings import NO_SETTINGS, Settings
from pyfunctools.route import Route
from pyfunctools.schema.feedback.plain_words import check_texts
from pyfunctools.schema.ground.did_you_mean import near_names

Confirm: TypeAlias = bool | str | Callable[[PendingCall], bool] | None
FunctionEntry: TypeAlias = tuple[Function, Runner]

_PATTERNS = ("names", "paths")
_LISTED = 8


def selected_names(
    functions: Sequence[Function],
    asked: Mapping[str, Iterable[str] | None],
    where: Callable[[Function], bool] | None,
    *,
    allow_empty: bool,
) -> list[str]:
    """Return the names of the functions that meet all conditions; see `Controller.select`."""
    wanted = {
        key: frozenset(listed("select", key, given))
        for key, given in asked.items()
        if given is not None
    }
    if "methods" in wanted:
        wanted["methods"] = frozenset(each.upper() for each in wanted["methods"])
    known = {each.name: _facts(each) for each in functions}
    for key, texts in wanted.items() if not allow_empty else ():
        there = {text for facts in known.values() for text in facts[key] if text}
        if key != "methods" or (there and texts.isdisjoint(there)):
            _check_known(key, texts, there)
    return [
        each.name
        for each in functions
        if all(
            any(_matches(key, text, texts) for text in known[each.name][key])
            for key, texts in wanted.items()
        )
        and (where is None or _applies(where, each))
    ]


def _facts(function: Function) -> Mapping[str, Collection[str]]:
    """Return what each condition looks at; a function of no document has no path and no method."""
    origin = function.origin
    path, method = (origin.path, origin.method) if isinstance(origin, Route) else ("", "")
    of_route = {"paths": (path,), "methods": (method.upper(),)}
    return {"tags": function.tags, "names": (function.name,), **of_route}


def _matches(key: str, text: str, wanted: Collection[str]) -> bool:
    if key not in _PATTERNS:
        return text in wanted
    return any(fnmatchcase(text, pattern) for pattern in wanted)


def _check_known(key: str, asked: Iterable[str], known: set[str]) -> None:
    """Raise an error for the first text, in alphabetical order, that matches no function."""
    for pattern in sorted(asked):
        if pattern in known or any(_matches(key, each, (pattern,)) for each in known):
            continue
        close = " or ".join(repr(each) for each in near_names(pattern, sorted(known)))
        listed = ", ".join(repr(each) for each in sorted(known)[:_LISTED])
        there = f"There are {listed}{', …' if len(known) > _LISTED else ''}."
        there = there if known else f"No function has {key}."
        there += f" Did you mean {close}?" if close else ""
        asked_for = repr(shortened(visible(pattern), 100))
        reason = f"{asked_for} matches no function. {there}".rstrip()
        remedy = "If no function has to match, write `allow_empty=True`."
        raise DefinitionError(f"select({key})", reason, remedy)


def _applies(predicate: Callable[[Function], object], function: Function) -> bool:
    try:
        return bool(predicate(function))
    except Exception as error:  # a caller's code may raise anything
        reason = f"The predicate raised {type(error).__name__} for {function.name}: {error}."
        remedy = "Write a predicate of a `Function`."
        raise DefinitionError("select(where)", reason, remedy) from error


def with_handlers(
    entries: Mapping[str, FunctionEntry], handlers: object, entry: Callable[[str], FunctionEntry]
) -> Iterator[FunctionEntry]:
    """Return the entries, with the handlers that `handlers` has for names that `entry` finds."""
    if not isinstance(handlers, Mapping):
        remedy = 'Write `controller.replaced({"refund": lambda **arguments: "refunded"})`.'
        raise wrong_type("replaced", "a mapping of names", handlers, remedy)
    named = cast("Mapping[str, object]", handlers)
    given = {entry(name)[0].name: handler for name, handler in named.items()}
    return (
        (with_handler(function, _callable_of(given[name])), LocalRunner(limits=runner.limits))
        if name in given
        else (function, runner)
        for name, (function, runner) in entries.items()
    )


def _callable_of(handler: Any) -> Callable[..., object]:
    """Return a handler as a callable: one that returns the value, or raises the exception."""
    return handler if callable(handler) and not _is_error(handler) else partial(_given, handler)


def _given(handler: object, *arguments: object, **named: object) -> object:
    del arguments, named  # in a traceback with locals
    if _is_error(handler):
        raise cast("BaseException", handler)
    return handler


def _is_error(handler: object) -> bool:
    return issubclass(handler if isinstance(handler, type) else type(handler), BaseException)


def check_tickets(given: object) -> None:
    """Check the type of a `tickets` argument."""
    if not isinstance(given, Tickets | None):
        remedy = "Write `tickets=Tickets()`, or `Tickets(key, store=...)`."
        raise wrong_type("tickets", "a `Tickets`", given, remedy)


def configured_entries(
    entries: Collection[FunctionEntry],
    confirm: Confirm,
    fixed: Fixed | None,
    texts: Mapping[str, str] | None,
    on_call: Hook | None,
    executor: Executor | None,
    executor_values: bool | None,
) -> Iterator[FunctionEntry]:
    """Yield the functions with these settings, each with its runner; `None` changes nothing."""
    is_word = confirm is None or isinstance(confirm, bool) or confirm == "destructive"
    if not is_word and not callable(confirm):
        reason = f"{confirm!r} is not a rule for calls."
        remedy = 'Write `True`, "destructive", or a function of the `PendingCall`.'
        raise DefinitionError("confirm", reason, remedy)
    if texts is not None:
        check_texts(texts)
    if on_call is not None:
        check_hook(on_call)
    if fixed is not None:
        check_fixed([function for function, _ in entries], fixed)
    if executor is not None:
        if not isinstance(executor, Executor):  # pyright: ignore[reportUnnecessaryIsInstance]
            remedy = "Write `concurrent.futures.ProcessPoolExecutor()`, for example."
            raise wrong_type("executor", "a `concurrent.futures.Executor`", executor, remedy)
        if not any(isinstance(runner, LocalRunner) for _, runner in entries):
            reason = "No function of this controller runs in this process."
            raise DefinitionError("executor", reason, "Leave it out.")
    settings = Settings(
        confirm=(confirm,) if callable(confirm) else (),
        texts=texts or {},
        on_call=() if on_call is None else (on_call,),
        executor=executor,
        executor_values=executor_values,
    )
    return (
        (_configured(function, runner, confirm, fixed, settings), runner)
        for function, runner in entries
    )


def notes_of(functions: Iterable[Function]) -> tuple[Note, ...]:
    """Return a note if functions run in this process although they have an executor."""
    settings = ((each, settings_of(each)) for each in functions)
    names = [each.name for each, own in settings if own and own.executor and not executor_of(each)]
    if not names:
        return ()
    text = f"Run in this process, since a person gives a part: {', '.join(names)}. "
    remedy = "Write `configured(executor_values=True)` to send it to the executor."
    return (Note(text=text + remedy),)


def _configured(
    function: Function, runner: Runner, confirm: Confirm, fixed: Fixed | None, settings: Settings
) -> Function:
    # In MCP a tool without hints is destructive.
    is_unknown = function.destructive is None and function.read_only is not True
    is_remote = isinstance(function.origin, RemoteTool)
    is_destructive = function.destructive is True or (is_unknown and is_remote)
    if confirm is True or (confirm == "destructive" and is_destructive):
        function = function if function.confirm else replace(function, confirm=True)
    if fixed is not None:
        function = with_fixed(function, fixed)
    own = settings if isinstance(runner, LocalRunner) else replace(settings, executor=None)
    return function if own == NO_SETTINGS else with_settings(function, own)
