"""What a program sets for functions of its own accord: fixed values, who approves, its own words.

A fixed value is the third owner's: it is in no schema that a model or a person sees, and is put in
after theirs were checked. So the function that is shown lacks its place (`view_of`), and what runs
it puts the value there, checks the whole, and hands it on.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools.errors import DefinitionError, PyfunctoolsError, wrong_type
from pyfunctools.execution.person.answers import plain_json
from pyfunctools.execution.person.blame import refused
from pyfunctools.execution.person.held import Theirs
from pyfunctools.execution.person.masking import UnshownArguments
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
"""Values that are the program's, by path; or what gives them for a function and the context.

Each is a value, or a function of the context. What gives them is asked once with the context `None`
for which places they are.
"""


def places_of(function: Function, fixed: Fixed) -> dict[Keys, str]:
    """Return the places of a function that have fixed values, and how each is written.

    Raises:
        DefinitionError: one is no path of a named property, or what gives the values raises.
    """
    found: dict[Keys, str] = {}
    for path in _asked(function, fixed):
        keys = parse_path(path) if isinstance(path, str) else None  # pyright: ignore[reportUnnecessaryIsInstance]
        if not keys or not all(isinstance(key, str) for key in keys):
            raise DefinitionError(
                "fixed",
                f"{path!r} is no path of a named property.",
                'Write `{"$input.header.x-tenant": value}`, any other name in brackets and quotes: '
                '`$input["a b"]`; in a list fix the whole list.',
            )
        found[keys] = path
    return found


def _asked(function: Function, fixed: Fixed) -> Mapping[str, Any]:
    if not callable(fixed):
        return fixed
    try:
        values = fixed(function, None)
        if isinstance(values, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            return values
        reason = f"It gave {type(values).__name__} for {function.name}, and no mapping."
    except Exception as error:  # a caller's code may raise anything
        reason = f"It raised {type(error).__name__} for {function.name} without a context."
    raise DefinitionError(
        "fixed",
        reason,
        "Return a mapping by path for every function; what depends on the context is a function "
        'of it: `lambda function, _: {"$input.tenant": lambda context: context.tenant}`.',
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """A function taken apart: what a model and a person see, and the whole with the `places`.

    In the contract of the whole these are nobody's but the program's.
    """

    places: Mapping[Keys, str]
    shown: Contract
    whole: Contract


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured:
    """A runner with what the program has set for one function.

    `confirm` says of a pending call whether a person has to approve it, `texts` are the program's
    own words for a person, and `fixed` gives the values of the places of the `division`.
    """

    inner: "Runner"
    confirm: "tuple[Callable[[PendingCall], bool], ...]" = ()
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    fixed: Fixed | None = None
    division: Lazy[Division] | None = None

    @property
    def limits(self) -> Limits:
        """How much is read and told."""
        return self.inner.limits

    @property
    def bare(self) -> "Runner":
        """The runner that runs the function in the end."""
        inner = self.inner
        return inner.bare if isinstance(inner, Configured) else inner

    def close(self) -> None:
        """Close what the runner holds."""
        self.inner.close()

    async def aclose(self) -> None:
        """Close what the runner holds, on an event loop."""
        await self.inner.aclose()

    async def run(self, run: Run) -> Outcome:
        """Run the function on checked arguments and the fixed values, which its outcome does not
        tell.
        """
        if not self._places:
            return await self.inner.run(run)
        made = await self._made(run)
        if isinstance(made, Outcome):
            return made
        whole, fixed = made
        theirs = Theirs(whole.function, run.arguments, (fixed,))

        async def begun(held: Mapping[str, object]) -> Outcome | None:
            theirs.hold(held)
            return None if run.begin is None else await run.begin(held)

        outcome = await self.inner.run(whole._replace(begin=begun))
        if outcome.reason == "arguments":
            outcome = self._mistaken(run.function, outcome.issues) or outcome
        return theirs.masked(outcome)

    @property
    def _places(self) -> Mapping[Keys, str]:
        return {} if self.division is None else self.division.value.places

    async def _made(self, run: Run) -> tuple[Run, JsonObject] | Outcome:
        """Return the whole of a call and its fixed values, or the outcome that refuses it."""
        function, arguments = run.function, run.arguments
        contract = cast("Lazy[Division]", self.division).value.whole
        whole_of = with_contract(function, Lazy.of(contract))
        taken = tuple(_taken(function, keys) for keys in self._places if value_at(arguments, keys))
        if taken:
            return refused(function, Failure(value=arguments, issues=taken))
        try:
            values = await self._values(whole_of, run)
        except Exception as error:  # it is the program's code, and may raise anything
            if isinstance(error, PyfunctoolsError):
                raise
            return _unfixed(function, error, type(error).__name__)
        whole, fixed = arguments, cast("JsonObject", {})
        for keys, value in values.items():
            if _has_room(contract.validator.outline, whole, keys, values):
                whole, fixed = _put(whole, keys, value), _put(fixed, keys, value)
        verdict = contract.validator.validate(whole)
        if not verdict:
            theirs = Failure(value=arguments, issues=verdict.issues)
            return self._mistaken(function, verdict.issues) or refused(function, theirs)
        return run._replace(function=whole_of, arguments=UnshownArguments(whole)), fixed

    async def _values(self, function: Function, run: Run) -> dict[Keys, JsonValue]:
        fixed, context, settle = self.fixed, run.context, run.settle
        given = await settle(fixed(function, context), "fixed") if callable(fixed) else fixed
        held = cast("Mapping[str, object]", given)
        values: dict[Keys, JsonValue] = {}
        for keys, path in self._places.items():
            value = held[path]
            value = await settle(value(context), "fixed") if callable(value) else value
            values[keys] = plain_json(value)
        return values

    def _mistaken(self, function: Function, issues: Iterable[Issue]) -> Outcome | None:
        """Return the outcome of issues with fixed values, which are nobody else's to correct."""
        wrong = {
            str(Path.of(one.path.keys)): one.expected
            for one in issues
            if any(one.path.keys[: len(keys)] == keys for keys in self._places)
        }
        if not wrong:
            return None
        named = "; ".join(f"`{path}`: expected {expected}" for path, expected in wrong.items())
        reason = f"A fixed value of {function.name} is not right: {named}."
        return _unfixed(function, DefinitionError("fixed", reason), "it is not right")


def _unfixed(function: Function, error: Exception, said: str) -> Outcome:
    log_raised(function.name, "`fixed`", error)
    text = f"A value that the application gives could not be made ({said}). Nothing has run."
    return Outcome(text=text, reason="raised", exception=error, function=function.name)


def _taken(function: Function, keys: Keys) -> Issue:
    """Return the issue with a value where the program's stands, of whoever gave it."""
    separated = function.separated
    is_theirs = separated is not None and separated.owner(keys) == "human"
    return side_issue(
        "human" if is_theirs else "llm", keys, "no value, since this is not yours to give"
    )


def _has_room(
    outline: Outline, whole: JsonValue, keys: Keys, values: Mapping[Keys, JsonValue]
) -> bool:
    """True if the objects around a place are there, or may be made for what is fixed in them."""
    place = outline.place
    for depth, key in enumerate(keys[:-1], 1):
        place = place.inside(key)
        held = value_at(whole, keys[:depth])
        if held is not None:
            if not isinstance(held[0], dict):
                return False
            continue
        needed = {name for part in place.possible.parts for name in part.required}
        if not needed <= {each[depth] for each in values if len(each) > depth}:
            return False
    return True


def _put(value: JsonValue, keys: Keys, inner: JsonValue) -> JsonObject:
    held = value if isinstance(value, dict) else {}
    key = str(keys[0])
    return {**held, key: inner if len(keys) == 1 else _put(held.get(key), keys[1:], inner)}


def fixed_view(function: Function, fixed: Fixed) -> tuple[Function, Lazy[Division]]:
    """Return a function without the places of fixed values, and how it was taken apart.

    Its schemas are made when they are asked for. One that has none of the places stays as it is.
    """
    division = Lazy(partial(_division, function, fixed))
    return with_contract(function, Lazy(lambda: division.value.shown)), division


def _division(function: Function, fixed: Fixed) -> Division:
    contract, named = contract_of(function), places_of(function, fixed)
    schema = contract.parameters
    places = {keys: path for keys, path in named.items() if has_property(schema, keys)}
    if not places:
        return Division(places={}, shown=contract, whole=contract)
    shown = contract.remade(without_properties(schema, list(places)))
    return Division(places=places, shown=shown, whole=contract.remade(schema, places))


def check_fixed(functions: Iterable[Function], fixed: Fixed) -> None:
    """Refuse fixed values for a place that no function has.

    Raises:
        DefinitionError: as `places_of`, or it is so.
    """
    if not callable(fixed) and not isinstance(fixed, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        remedy = 'Write `{"$input.tenant": value}`.'
        raise wrong_type("fixed", "a mapping by path, or a function", fixed, remedy)
    missing: dict[Keys, str] = {}
    known: set[Keys] = set()
    for function in functions:
        for keys, path in places_of(function, fixed).items():
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
