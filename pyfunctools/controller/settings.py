"""Applies the arguments of `Controller.configured` to functions and their runners."""

from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import replace
from typing import TypeAlias

from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.execution.configured import Configured, Fixed, check_fixed, fixed_view
from pyfunctools.execution.local import LocalRunner
from pyfunctools.execution.person.approval import PendingCall
from pyfunctools.execution.runner import Runner
from pyfunctools.record.function import Function
from pyfunctools.schema.feedback.plain_words import check_texts

Confirm: TypeAlias = bool | str | Callable[[PendingCall], bool] | None
FunctionEntry: TypeAlias = tuple[Function, Runner]


def configured_entries(
    entries: Collection[FunctionEntry],
    *,
    confirm: Confirm,
    fixed: Fixed | None,
    texts: Mapping[str, str] | None,
    executor: Executor | None,
) -> Iterator[FunctionEntry]:
    """Return functions and runners with these settings; `None` changes nothing.

    Raises:
        DefinitionError: as `Controller.configured`.
    """
    _check_confirm(confirm)
    if texts is not None:
        check_texts(texts)
    if fixed is not None:
        check_fixed([function for function, _ in entries], fixed)
    if executor is not None:
        entries = _on_executor(entries, executor)
    return (_configured(*entry, confirm, fixed, texts) for entry in entries)


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
    texts: Mapping[str, str] | None,
) -> FunctionEntry:
    waits = confirm is True or (confirm == "destructive" and function.destructive is True)
    if waits and not function.confirm:
        function = replace(function, confirm=True)
    rules = (confirm,) if callable(confirm) else ()
    if not rules and fixed is None and texts is None:
        return function, runner
    known = runner if isinstance(runner, Configured) else Configured(inner=runner)
    if fixed is not None:
        function, view = fixed_view(function, fixed)
        known = replace(known, inner=runner, view=view)
    rules, texts = (*known.confirm, *rules), {**known.texts, **(texts or {})}
    return function, replace(known, confirm=rules, texts=texts)


def _on_executor(entries: Collection[FunctionEntry], executor: object) -> list[FunctionEntry]:
    """Return the entries, with functions of this process run by the executor."""
    if not isinstance(executor, Executor):
        remedy = "Write `concurrent.futures.ProcessPoolExecutor()`, for example."
        raise wrong_type("executor", "a `concurrent.futures.Executor`", executor, remedy)
    runners: dict[int, LocalRunner] = {}  # functions that shared a runner still do

    def moved(runner: Runner) -> Runner:
        if isinstance(runner, Configured):
            return replace(runner, inner=moved(runner.inner))
        if not isinstance(runner, LocalRunner):
            return runner
        return runners.setdefault(id(runner), LocalRunner(executor, limits=runner.limits))

    found = [(function, moved(runner)) for function, runner in entries]
    if not runners:
        reason = "No function of this controller runs in this process."
        raise DefinitionError("executor", reason, "Leave it out.")
    return found
