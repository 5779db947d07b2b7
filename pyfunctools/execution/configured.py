"""A function as the program configures it: fixed values, approvals, and texts for a person.

A fixed value belongs to the program: it is in no schema that a model or a person sees, and is added
after their arguments were checked. So `fixed_view` removes its property from the function, and the
runner adds the value, checks the whole arguments, and passes them on.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools.errors import DefinitionError, PyfunctoolsError, wrong_type
from pyfunctools.execution.person.answers import plain_json
from pyfunctools.execution.person.blame import whole_refused
from pyfunctools.execution.person.masking import UnshownArguments
from pyfunctools.execution.person.private_values import PrivateValues
from pyfunctools.execution.runner import Run
from pyfunctools.execution.trace import log_raised
from pyfunctools.limits import Limits
from pyfunctools.record.contract import Contract
from pyfunctools.record.function import Function, contract_of, with_contract
from pyfunctools.record.outcome import Outcome
from pyfunctools.schema import Failure, Issue, Path
from pyfunctools.schema.ground.path import Keys, parse_path, value_at
from pyfunctools.schema.outline.outline import Outline
from pyfunctools.schema.separation.removal import has_property, without_properties
from pyfunctools.schema.separation.side_values import side_issue

if TYPE_CHECKING:
    from pyfunctools.execution.person.approval import PendingCall
    from pyfunctools.execution.runner import Runner

Fixed: TypeAlias = Mapping[str, Any] | Callable[[Function, Any], Mapping[str, Any]]
"""Fixed values by path, or a callable that returns them for a `Function` and the context.

Each value may be a function of the context. To find the paths, the callable is also called with the
context `None`.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedView:
    """A function with fixed values: their `places`, and its contract without and with them.

    `places` maps the keys of each fixed property to its path as written. `shown` is the contract
    for a model and a person, `whole` the one for the runner.
    """

    fixed: Fixed
    places: Mapping[Keys, str]
    shown: Contract
    whole: Contract

    async def values(self, function: Function, run: Run) -> dict[Keys, JsonValue]:
        """Return the fixed values of one run.

        Raises:
            Exception: whatever the program's functions raise.
        """
        fixed, context, resolve = self.fixed, run.context, run.resolve
        given = await resolve(fixed(function, context), "fixed") if callable(fixed) else fixed
        by_path = cast("Mapping[str, object]", given)
        values: dict[Keys, JsonValue] = {}
        for keys, path in self.places.items():
            value = by_path[path]
            value = await resolve(value(context), "fixed") if callable(value) else value
            values[keys] = plain_json(value)
        return values


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured:
    """A runner with the program's settings for one function.

    Each of `confirm` returns whether a person has to approve a pending call. `texts` are the
    program's own texts for a person.
    """

    inner: "Runner"
    confirm: "tuple[Callable[[PendingCall], bool], ...]" = ()
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    view: Lazy[FixedView] | None = None

    @property
    def limits(self) -> Limits:
        """The limits of the inner runner."""
        return self.inner.limits

    @property
    def bare(self) -> "Runner":
        """The innermost runner, which runs the function."""
        inner = self.inner
        return inner.bare if isinstance(inner, Configured) else inner

    def close(self) -> None:
        """Close the inner runner."""
        self.inner.close()

    async def aclose(self) -> None:
        """Close the inner runner, on an event loop."""
        await self.inner.aclose()

    async def run(self, run: Run) -> Outcome:
        """Run the function with its fixed values, which are masked in the outcome."""
        view = None if self.view is None else self.view.value
        if view is None or not view.places:
            return await self.inner.run(run)
        run.check_context()
        completed = await self._completed(run, view)
        if isinstance(completed, Outcome):
            return completed
        whole, fixed = completed
        private = PrivateValues(whole.function, run.arguments, (fixed,))

        async def begin(bound: Mapping[str, object]) -> Outcome | None:
            private.add_bound(bound)
            return None if run.begin is None else await run.begin(bound)

        outcome = await self.inner.run(whole._replace(begin=begin))
        if outcome.reason == "arguments":
            outcome = _wrong_fixed(run.function, view, outcome.issues) or outcome
        return private.masked(outcome)

    async def _completed(self, run: Run, view: FixedView) -> tuple[Run, JsonObject] | Outcome:
        """Return the run with the whole arguments, and the fixed values; or a refusal."""
        function, arguments = run.function, run.arguments
        whole_function = with_contract(function, Lazy.of(view.whole))
        taken = tuple(_taken(function, keys) for keys in view.places if value_at(arguments, keys))
        if taken:
            return whole_refused(function, Failure(value=arguments, issues=taken))
        try:
            values = await view.values(whole_function, run)
        except PyfunctoolsError:
            raise
        except Exception as error:  # it is the program's code, and may raise anything
            return _not_made(function, error, type(error).__name__)
        whole, fixed = arguments, cast("JsonObject", {})
        for keys, value in values.items():
            if _has_room(view.whole.validator.outline, whole, keys, values):
                whole, fixed = _with(whole, keys, value), _with(fixed, keys, value)
        checked = view.whole.validator.validate(whole)
        if not checked:
            failure = Failure(value=arguments, issues=checked.issues)
            wrong = _wrong_fixed(function, view, checked.issues)
            return wrong or whole_refused(function, failure)
        return run._replace(function=whole_function, arguments=UnshownArguments(whole)), fixed


def _wrong_fixed(function: Function, view: FixedView, issues: Iterable[Issue]) -> Outcome | None:
    """Return the outcome if issues concern fixed values, which the program has to correct."""
    wrong = {
        str(Path.of(one.path.keys)): one.expected
        for one in issues
        if any(one.path.keys[: len(keys)] == keys for keys in view.places)
    }
    if not wrong:
        return None
    listed = "; ".join(f"`{path}`: expected {expected}" for path, expected in wrong.items())
    reason = f"A fixed value of {function.name} is not right: {listed}."
    return _not_made(function, DefinitionError("fixed", reason), "it is not right")


def _not_made(function: Function, error: Exception, reason: str) -> Outcome:
    log_raised(function.name, "`fixed`", error)
    text = f"A value that the application gives could not be made ({reason}). Nothing has run."
    return Outcome(text=text, reason="raised", exception=error, function=function.name)


def _taken(function: Function, keys: Keys) -> Issue:
    """Return the issue for an argument in the place of a fixed value."""
    separated = function.separated
    is_humans = separated is not None and separated.owner(keys) == "human"
    return side_issue(
        "human" if is_humans else "llm", keys, "no value, since the application sets it"
    )


def _has_room(
    outline: Outline, whole: JsonValue, keys: Keys, values: Mapping[Keys, JsonValue]
) -> bool:
    """True if the objects around a place exist, or can be made from fixed values alone."""
    place = outline.place
    for depth, key in enumerate(keys[:-1], 1):
        place = place.inside(key)
        found = value_at(whole, keys[:depth])
        if found is not None:
            if not isinstance(found[0], dict):
                return False
            continue
        needed = {name for part in place.possible.parts for name in part.required}
        if not needed <= {each[depth] for each in values if len(each) > depth}:
            return False
    return True


def _with(value: JsonValue, keys: Keys, inner: JsonValue) -> JsonObject:
    """Return a copy of an object with a value at the end of the keys."""
    members = value if isinstance(value, dict) else {}
    key = str(keys[0])
    return {**members, key: inner if len(keys) == 1 else _with(members.get(key), keys[1:], inner)}


def fixed_view(function: Function, fixed: Fixed) -> tuple[Function, Lazy[FixedView]]:
    """Return a function without its fixed properties, and the view that its runner needs.

    The schemas are made when first needed. A function without any of the properties is unchanged.
    """
    view = Lazy(partial(_view, function, fixed))
    return with_contract(function, Lazy(lambda: view.value.shown)), view


def _view(function: Function, fixed: Fixed) -> FixedView:
    contract, paths = contract_of(function), _places(function, fixed)
    schema = contract.parameters
    places = {keys: path for keys, path in paths.items() if has_property(schema, keys)}
    if not places:
        return FixedView(fixed=fixed, places={}, shown=contract, whole=contract)
    shown = contract.with_parameters(without_properties(schema, list(places)))
    whole = contract.with_parameters(schema, places)
    return FixedView(fixed=fixed, places=places, shown=shown, whole=whole)


def check_fixed(functions: Iterable[Function], fixed: Fixed) -> None:
    """Refuse fixed values for a property that no function has.

    Raises:
        DefinitionError: no function has a property at a path, a path is not that of a named
            property, or `fixed` is a callable that raises or returns no mapping.
    """
    if not callable(fixed) and not isinstance(fixed, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        remedy = 'Write `{"$input.tenant": value}`.'
        raise wrong_type("fixed", "a mapping by path, or a function", fixed, remedy)
    missing: dict[Keys, str] = {}
    known: set[Keys] = set()
    for function in functions:
        for keys, path in _places(function, fixed).items():
            if keys not in known and has_property(contract_of(function).parameters, keys):
                known.add(keys)
                missing.pop(keys, None)
            elif keys not in known:
                missing[keys] = path
        if not missing and not callable(fixed):
            return
    for path in missing.values():
        reason = f"No function has a property at {path!r}."
        raise DefinitionError("fixed", reason, "Look at `function.parameters`, and write its path.")


def _places(function: Function, fixed: Fixed) -> dict[Keys, str]:
    """Return the keys of a function's fixed values, and each path as written.

    Raises:
        DefinitionError: as `check_fixed`.
    """
    found: dict[Keys, str] = {}
    for path in _by_path(function, fixed):
        keys = parse_path(path) if isinstance(path, str) else None  # pyright: ignore[reportUnnecessaryIsInstance]
        if not keys or not all(isinstance(key, str) for key in keys):
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
        values = fixed(function, None)
        if isinstance(values, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            return values
        reason = f"It returned {type(values).__name__} for {function.name}, not a mapping."
    except Exception as error:  # a caller's code may raise anything
        reason = f"It raised {type(error).__name__} for {function.name} without a context."
    raise DefinitionError(
        "fixed",
        reason,
        "Return a mapping by path for every function; a value that depends on the context is a "
        'function of it: `lambda function, _: {"$input.tenant": lambda context: context.tenant}`.',
    )
