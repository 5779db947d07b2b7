"""`Settings`: what the program set for one function; they go with the record."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pyfunctools._lazy import Lazy
from pyfunctools.errors import DefinitionError
from pyfunctools.record.contract import Contract
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.separation.separate import ProgramPart

if TYPE_CHECKING:
    from concurrent.futures import Executor


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FixedView:
    """The places of fixed values, and the contracts without them (`shown`) and with them (`whole`).

    `places` maps the keys of each to the mapping or callable that has it, and its path as written;
    `part` separates them from the rest, and joins their values to it.
    """

    places: Mapping[Keys, tuple[Any, str]]
    part: ProgramPart
    shown: Contract
    whole: Contract


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Settings:
    """The settings of one function, by `Controller.configured` or by its source.

    Each of `confirm` returns whether a person has to approve a pending call. `texts` are the
    program's own texts for a person. `on_call` are hooks, the outermost last. `executor` also gets
    the calls of a function with a person's part if it is in this process, or with
    `executor_values`. `bare` is the contract before anything was `fixed`.
    """

    fixed: tuple[Any, ...] = ()
    confirm: tuple[Callable[[Any], object], ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    on_call: tuple[Callable[[Any], Any], ...] = ()
    executor: "Executor | None" = None
    executor_values: bool | None = None
    bare: Lazy[Contract] | None = None
    view: Lazy[FixedView] | None = None

    def joined(self, more: "Settings") -> "Settings":
        """Return these settings with `more` of them, which come later; `fixed` stays as it is."""
        values = self.executor_values if more.executor_values is None else more.executor_values
        return replace(
            self,
            confirm=(*self.confirm, *more.confirm),
            texts={**self.texts, **more.texts},
            on_call=(*self.on_call, *more.on_call),
            executor=self.executor if more.executor is None else more.executor,
            executor_values=values,
        )

    def __repr__(self) -> str:
        return "Settings(...)"  # the fixed values may be secrets

    def __reduce__(self) -> tuple[object, ...]:
        remedy = "Write a function at the top of a module, or configure after pickling."
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        for name in ("confirm", "fixed", "on_call", "executor"):
            check_picklable(f"configured({name})", values[name], remedy)
        return (partial(Settings, **values), ())


def check_picklable(where: str, value: object, remedy: str) -> None:
    """Refuse a setting that cannot be pickled.

    Raises:
        DefinitionError: it cannot be pickled.
    """
    from pickle import dumps

    try:
        dumps(value)
    except Exception as error:  # pickling may raise anything
        reason = f"This setting of a function cannot be pickled: {error}."
        raise DefinitionError(where, reason, remedy) from error


NO_SETTINGS = Settings()
