"""Applies the arguments of `Controller.configured` to functions."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import replace
from typing import TypeAlias

from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.execution.local import LocalRunner, executor_of
from pyfunctools.execution.person.approval import PendingCall
from pyfunctools.execution.runner import Runner
from pyfunctools.execution.wrappers.hooks import Hook, check_hook
from pyfunctools.note import Note
from pyfunctools.record.fixed import (
    Fixed,
    GivenSettings,
    check_fixed,
    configured,
    with_fixed,
)
from pyfunctools.record.function import Function, settings_of
from pyfunctools.record.origin import RemoteTool
from pyfunctools.schema.feedback.plain_words import check_texts

Confirm: TypeAlias = bool | str | Callable[[PendingCall], bool] | None
FunctionEntry: TypeAlias = tuple[Function, Runner]


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
    _check_confirm(confirm)
    if texts is not None:
        check_texts(texts)
    if on_call is not None:
        check_hook(on_call)
    if fixed is not None:
        check_fixed([function for function, _ in entries], fixed)
    if executor is not None:
        _check_executor(entries, executor)
    settings: GivenSettings = {
        "texts": texts,
        "on_call": on_call,
        "executor": executor,
        "executor_values": executor_values,
    }
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


def _check_confirm(confirm: Confirm) -> None:
    is_word = confirm is None or isinstance(confirm, bool) or confirm == "destructive"
    if not is_word and not callable(confirm):
        reason = f"{confirm!r} is not a rule for calls."
        remedy = 'Write `True`, "destructive", or a function of the `PendingCall`.'
        raise DefinitionError("confirm", reason, remedy)


def _configured(
    function: Function,
    runner: Runner,
    confirm: Confirm,
    fixed: Fixed | None,
    settings: GivenSettings,
) -> Function:
    waits = confirm is True or (confirm == "destructive" and _is_destructive(function))
    if waits and not function.confirm:
        function = replace(function, confirm=True)
    if fixed is not None:
        function = with_fixed(function, fixed)
    rule = confirm if callable(confirm) else None
    executor = settings["executor"] if isinstance(runner, LocalRunner) else None
    own: GivenSettings = {**settings, "executor": executor}
    if rule is None and all(each is None for each in own.values()):
        return function
    return configured(function, confirm=rule, **own)


def _is_destructive(function: Function) -> bool:
    """Return whether a function is known to be destructive, or is a remote tool of unknown effects.

    In MCP a tool without hints is destructive.
    """
    is_unknown = function.destructive is None and function.read_only is not True
    return function.destructive is True or (is_unknown and isinstance(function.origin, RemoteTool))


def _check_executor(entries: Collection[FunctionEntry], executor: object) -> None:
    if not isinstance(executor, Executor):
        remedy = "Write `concurrent.futures.ProcessPoolExecutor()`, for example."
        raise wrong_type("executor", "a `concurrent.futures.Executor`", executor, remedy)
    if not any(isinstance(runner, LocalRunner) for _, runner in entries):
        reason = "No function of this controller runs in this process."
        raise DefinitionError("executor", reason, "Leave it out.")
