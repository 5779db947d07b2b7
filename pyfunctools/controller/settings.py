"""`Settings`: the arguments of `Controller.configured`, applied to each function."""

from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Self

from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.execution.configured import Configured, Fixed, check_fixed, fixed_view
from pyfunctools.execution.local import LocalRunner
from pyfunctools.execution.person.approval import PendingCall
from pyfunctools.execution.runner import Runner
from pyfunctools.record.function import Function
from pyfunctools.schema.feedback.plain_words import check_texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings for all functions of a controller; `None` changes nothing."""

    confirm: bool | str | Callable[[PendingCall], bool] | None
    fixed: Fixed | None
    texts: Mapping[str, str] | None
    executor: Executor | None
    _runners: dict[int, LocalRunner] = field(default_factory=dict[int, LocalRunner])

    @classmethod
    def of(
        cls,
        entries: Collection[tuple[Function, Runner]],
        *,
        confirm: bool | str | Callable[[PendingCall], bool] | None,
        fixed: Fixed | None,
        texts: Mapping[str, str] | None,
        executor: Executor | None,
    ) -> Self:
        """Check the settings.

        Raises:
            DefinitionError: as `Controller.configured`.
        """
        is_word = confirm is None or isinstance(confirm, bool) or confirm == "destructive"
        if not is_word and not callable(confirm):
            reason = f"{confirm!r} is not a rule for calls."
            remedy = 'Write `True`, "destructive", or a function of the `PendingCall`.'
            raise DefinitionError("confirm", reason, remedy)
        if texts is not None:
            check_texts(texts)
        if fixed is not None:
            check_fixed([function for function, _ in entries], fixed)
        if executor is not None and not isinstance(executor, Executor):  # pyright: ignore[reportUnnecessaryIsInstance]
            remedy = "Write `concurrent.futures.ProcessPoolExecutor()`, say."
            raise wrong_type("executor", "a `concurrent.futures.Executor`", executor, remedy)
        if executor is not None and not any(_runs_here(runner) for _, runner in entries):
            reason = "No function of this controller runs in this process."
            raise DefinitionError("executor", reason, "Leave it out.")
        return cls(confirm=confirm, fixed=fixed, texts=texts, executor=executor)

    def entry(self, function: Function, runner: Runner) -> tuple[Function, Runner]:
        """Return a function and its runner with these settings."""
        is_asked = self.confirm is True or (
            self.confirm == "destructive" and function.destructive is True
        )
        if is_asked and not function.confirm:
            function = replace(function, confirm=True)
        if self.executor is not None:
            runner = self._on(self.executor, runner)
        asks = (self.confirm,) if callable(self.confirm) else ()
        if not asks and self.fixed is None and self.texts is None:
            return function, runner
        known = runner if isinstance(runner, Configured) else Configured(inner=runner)
        if self.fixed is not None:
            function, view = fixed_view(function, self.fixed)
            known = replace(known, inner=runner, view=view)
        confirm, texts = (*known.confirm, *asks), {**known.texts, **(self.texts or {})}
        return function, replace(known, confirm=confirm, texts=texts)

    def _on(self, executor: Executor, runner: Runner) -> Runner:
        """Return a runner that runs functions of this process on an executor."""
        if isinstance(runner, Configured):
            return replace(runner, inner=self._on(executor, runner.inner))
        if not isinstance(runner, LocalRunner):
            return runner
        if id(runner) not in self._runners:  # functions that shared a runner still do
            self._runners[id(runner)] = LocalRunner(executor, limits=runner.limits)
        return self._runners[id(runner)]


def _runs_here(runner: Runner) -> bool:
    return isinstance(runner.bare if isinstance(runner, Configured) else runner, LocalRunner)
