"""`FunctionFinder`: finds the functions of a controller by name, or by what they do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial, wraps
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pyfunctools._lazy import Lazy
from pyfunctools.errors import DefinitionError

# Everything else is imported by the first search, as in `controller`.
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyfunctools.controller.searchable import Behind
    from pyfunctools.controller.tool_list import Report
    from pyfunctools.execution.runner import Runner
    from pyfunctools.note import Note
    from pyfunctools.record.function import Function, Skipped
    from pyfunctools.search import OtherRanker, SearchIndex

T = TypeVar("T")

_VALUES: Final = frozenset({"human", "options", "settings"})
"""Parameters with values of a person or credentials, which no frame around a method may hold."""


def says_its_form(cls: type[T]) -> type[T]:
    """Return a class whose public methods say in a `TypeError` how they are called."""
    for name, member in list(vars(cls).items()):
        method: object = getattr(member, "__func__", member)
        if name.startswith("_") or not isinstance(method, FunctionType):
            continue
        code = method.__code__
        if _VALUES.isdisjoint(code.co_varnames) and not code.co_flags & _COROUTINE:
            explained = _explained(method)
            setattr(cls, name, classmethod(explained) if method is not member else explained)
    return cls


def _explained(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def called(*args: Any, **options: Any) -> Any:
        try:
            return method(*args, **options)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise  # by the method itself
            reason = str(error).replace(method.__qualname__, method.__name__).rstrip(".?")
            raise TypeError(f"{reason}. {_remedy(method, options)}") from None

    return called


def _remedy(method: Callable[..., Any], options: Iterable[str]) -> str:
    from inspect import Parameter, signature  # an import of the package does without these

    from pyfunctools.schema.ground.did_you_mean import meant_option

    given = [each for each in signature(method).parameters.values() if each.name not in _OWN]
    names = [each.name for each in given]
    for option in options:
        if option not in names and (meant := meant_option(option, names)):
            return meant
    by_name = (Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD)
    form = ", ".join(f"{each.name}=..." if each.kind in by_name else each.name for each in given)
    return f"Write `{method.__name__}({form})`."


_COROUTINE: Final = 0x80
"""`inspect.CO_COROUTINE`."""

_OWN: Final = frozenset({"self", "cls"})


@says_its_form
class FunctionFinder:
    """Finds functions by name, or by what they do."""

    functions: tuple[Function, ...]
    skipped: tuple[Skipped, ...]
    _entries: dict[str, tuple[Function, Runner]]
    _index: Lazy[SearchIndex]
    _other_names: Lazy[Mapping[str, str]]
    _behind: Behind | None = None
    _is_closed: bool = False

    def search(
        self, query: str, *, limit: int = 8, rank: OtherRanker | None = None
    ) -> tuple[Function, ...]:
        """Return the functions that fit a query, the best first; fewer than `limit` if fewer fit.

        The search is lexical: BM25 over names, paths, descriptions, tags and parameters. The index
        is built by the first search. `rank`, a function of the query and the functions that returns
        functions, is another ranker; the two orders are fused.

        Raises:
            DefinitionError: the query, the limit or the ranker is invalid.
        """
        return self._index.value.search(query, limit, rank)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Where the functions run otherwise than `configured` says; see also `Function.notes`."""
        from pyfunctools.controller.views import notes_of

        return notes_of(self.functions)

    def __getstate__(self) -> dict[str, object]:
        if self._behind is not None:
            remedy = "Pickle the controller, and write `controller.searchable()` where it arrives."
            raise DefinitionError("searchable", "This controller cannot be pickled.", remedy)
        made = ("functions", "_index", "_other_names")
        return {name: value for name, value in vars(self).items() if name not in made}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        self._set_functions()

    def signatures(self, names: Iterable[str] | None = None) -> str:
        """Return functions as typed Python stubs: the model's side, a line each.

        `names` chooses functions. A name that Python does not allow is written with `_`, and can be
        called so. Types come first, each once.

        Raises:
            UnknownFunctionError: there is no function of a name.
        """
        from pyfunctools.controller.searchable import spellings_of
        from pyfunctools.signatures import signatures_of

        chosen = self.functions
        if names is not None:
            chosen = [self._entry(name)[0] for name in listed(names)]
        return signatures_of(chosen, spelled=spellings_of(self.functions))

    def report(self) -> Report:
        """Return a report: the functions, the skipped ones by reason, and the size for a model."""
        from pyfunctools.controller.tool_list import report_of

        return report_of(self.functions, self.skipped)

    def _entry(self, name: str) -> tuple[Function, Runner]:
        try:
            return self._entries[name]
        except (KeyError, TypeError):  # a name that a model wrote may be anything, also a list
            pass
        if self._behind is not None:
            return self._behind.entry(name)
        if isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            others = self._other_names.value
            if found := others.get(name) or others.get(name.replace(".", "_")):
                return self._entries[found]
        from pyfunctools.controller.searchable import unknown_name

        raise unknown_name(name, self._entries, self._index)

    def _check_views(self) -> None:
        """Refuse views of a searchable controller."""
        if self._behind is not None:
            reason = "A searchable controller has no views: what is behind it would be lost."
            remedy = "Select, configure and combine first: `controller.select(...).searchable()`."
            raise DefinitionError("searchable", reason, remedy)

    def _set_functions(self) -> None:
        self.functions = tuple(function for function, _ in self._entries.values())
        self._index = Lazy(partial(_index_of, self.functions))
        self._other_names = Lazy(partial(_other_names_of, self.functions))


def listed(names: Iterable[str]) -> Iterable[str]:
    """Return names; a single text becomes a list of one."""
    return (names,) if isinstance(names, str) else names


def _index_of(functions: Sequence[Function]) -> SearchIndex:
    from pyfunctools.search import SearchIndex

    return SearchIndex(functions)


def _other_names_of(functions: Sequence[Function]) -> Mapping[str, str]:
    from pyfunctools.controller.searchable import other_names

    return other_names(functions)
