"""Fixed values: arguments that are the program's, in no schema of a model or a person.

`with_fixed` removes their properties from a record and keeps the values in its settings; the
wrapper `execution.wrappers.part` adds them after the arguments were checked.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

from pyfunctools._lazy import Lazy
from pyfunctools.errors import DefinitionError, wrong_type
from pyfunctools.record.contract import Contract
from pyfunctools.record.function import Function, settings_of
from pyfunctools.record.settings import NO_SETTINGS, FixedView
from pyfunctools.schema.ground.path import ROOT, Keys, parse_path
from pyfunctools.schema.separation.separate import ProgramPart

Fixed: TypeAlias = Mapping[str, Any] | Callable[[Function, Any], Mapping[str, Any]]
"""Fixed values by path, or a callable that returns them for a `Function` and the context.

Each value may be a function of the context. To find the paths, the callable is also called with the
context `None`.
"""


def with_fixed(function: Function, fixed: Fixed) -> Function:
    """Return the function with values that are the program's; none of them is in its schemas.

    The schemas are made when first needed. A function without any of the properties keeps its own.
    """
    known, bare = settings_of(function) or NO_SETTINGS, _bare(function)
    values = (*known.fixed, fixed)
    view = Lazy(partial(_view, function, bare, values))
    settings = replace(known, fixed=values, bare=bare, view=view)
    return replace(function, _settings=settings, _contract=Lazy(lambda: view.value.shown))


def _bare(function: Function) -> Lazy[Contract]:
    """Return the contract without fixed values: a later one of a property takes its place."""
    known = settings_of(function)
    return (known and known.bare) or function._contract  # pyright: ignore[reportPrivateUsage]


def _view(function: Function, bare: Lazy[Contract], fixed: Iterable[Fixed]) -> FixedView:
    contract = bare.value
    written = {keys: (each, at) for each in fixed for keys, at in _places(function, each).items()}
    part = ProgramPart(contract.parameters, written, contract.validator)
    places = {keys: written[keys] for keys in part.places}
    if not places:
        return FixedView(places={}, part=part, shown=contract, whole=contract)
    shown = contract.with_parameters(part.rest)
    whole = contract.with_parameters(contract.parameters, places)
    return FixedView(places=places, part=part, shown=shown, whole=whole)


def check_fixed(functions: Iterable[Function], fixed: Fixed) -> None:
    """Refuse fixed values for a property that no function has.

    Raises:
        DefinitionError: no function has a property at a path, a path is not that of a named
            property, or `fixed` is a callable that raises or returns no mapping.
    """
    if not callable(fixed) and not isinstance(fixed, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        remedy = 'Write `{"$input.tenant": value}`.'
        raise wrong_type("fixed", "a mapping by path, or a function", fixed, remedy)
    wanted: dict[Keys, str] = {}
    known: set[Keys] = set()
    for function in functions:
        places, contract = _places(function, fixed), _bare(function).value
        wanted |= places
        known.update(ProgramPart(contract.parameters, places, contract.validator).places)
        if known.issuperset(wanted) and not callable(fixed):
            return
    for path in (path for keys, path in wanted.items() if keys not in known):
        reason = f"No function has a property at {path!r}."
        raise DefinitionError("fixed", reason, "Look at `function.parameters`, and write its path.")


def _places(function: Function, fixed: Fixed) -> dict[Keys, str]:
    """Return the keys of a function's fixed values, and each path as written."""
    found: dict[Keys, str] = {}
    for path in _by_path(function, fixed):
        is_path = isinstance(path, str) and path.startswith(ROOT)  # pyright: ignore
        keys = parse_path(path) if is_path else (path,)  # a bare name is one at the top
        if not path or not keys or not all(isinstance(key, str) for key in keys):
            raise DefinitionError(
                "fixed",
                f"{path!r} is not the path of a named property.",
                'Write `{"$input.header.x-tenant": value}`, any other name in brackets and quotes: '
                '`$input["a b"]`; in a list fix the whole list.',
            )
        found[keys] = path
    return found


def _by_path(function: Function, fixed: Fixed) -> Mapping[str, Any]:
    if not callable(fixed):
        return fixed
    try:
        return dict(fixed(function, None))
    except Exception as error:  # a caller's code may raise anything
        raise DefinitionError(
            "fixed",
            f"For {function.name} without a context it gave {type(error).__name__}, not a mapping.",
            "Return a mapping by path for every function; a value that depends on the context is a "
            'function of it: `lambda function, _: {"$input.tenant": lambda context: context.id}`.',
        ) from error
