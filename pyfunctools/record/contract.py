"""`Contract`: the schemas of a function and their checks, compiled on first use."""

from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from pyfunctools._json import JsonObject, JsonSchema, JsonValue, json_copy, members_of
from pyfunctools._lazy import Lazy
from pyfunctools.errors import DefinitionError, SchemaError
from pyfunctools.note import Note
from pyfunctools.record.handler import DeclaredProperties
from pyfunctools.record.human_side import HumanSide
from pyfunctools.record.param import Param, parameters_of
from pyfunctools.record.renderings import Renderings, check_rendered
from pyfunctools.schema.checker import Checker
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.ground.references import prune, resolve
from pyfunctools.schema.normalization.check_input import check_schema
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.normalization.oddities import MAY_ADD_PROPERTIES, faults_of
from pyfunctools.schema.outline.outline import Part
from pyfunctools.schema.parsing.parse import parse
from pyfunctools.schema.result import Failure, Side, Success
from pyfunctools.schema.separation.predicates import IsHuman, any_of
from pyfunctools.schema.separation.separate import Separated, separate_normalized
from pyfunctools.schema.validation.validator import Validator
from pyfunctools.schema.vocabulary import ONE_SCHEMA, SCHEMA_MAP, TESTED_ONLY, UNIONS, judging

if TYPE_CHECKING:
    from pyfunctools.dialects.rendering import Rendering

Notes = Callable[[], Iterable[Note]]
"""A function that returns the notes on schemas as they were written."""


class Recipe:
    """The function and the predicate that made a contract; empty after unpickling."""

    __slots__ = ("is_human", "make")

    def __init__(
        self, make: "Callable[..., Contract] | None" = None, is_human: IsHuman | None = None
    ) -> None:
        self.make = make
        self.is_human = is_human

    def __reduce__(self) -> tuple[object, ...]:
        return (Recipe, ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """The normalized schemas of a function, `parameters` and `output`, and their checks.

    Made on first use: `separated`, the two sides of the parameters (`None` if there is no human
    side); `human_side`, facts about the human side; `checker`, which reads and checks the arguments
    of a model; `notes` on the schemas as they were written. `first` are the names that come first
    in a list of arguments.
    """

    parameters: JsonSchema
    output: JsonSchema | None
    separated: Lazy[Separated | None]
    first: Sequence[str] = field(default=(), compare=False)
    validator: Validator = field(compare=False)
    output_validator: Validator | None = field(compare=False)
    checker: Lazy[Checker] = field(compare=False, repr=False)
    notes: Lazy[tuple[Note, ...]] = field(compare=False, repr=False)
    human_side: Lazy[HumanSide] = field(compare=False, repr=False)
    renderings: Renderings = field(compare=False, repr=False, default_factory=Renderings)
    _recipe: Recipe = field(compare=False, repr=False)

    @classmethod
    def of(
        cls,
        parameters: JsonSchema,
        output: JsonSchema | None,
        is_human: IsHuman | None,
        notes: Notes = tuple,
        *,
        first: Sequence[str] = (),
        sets: bool = False,
        hinted: bool = False,
    ) -> "Contract":
        """Return the contract of normalized `parameters` and `output`.

        `is_human` decides which values are human; with `None`, no value is. With `sets`, the
        function receives each array with `uniqueItems` as a Python set, so repeated items are left
        out as a repair. With `hinted`, pydantic made the schemas from type hints: a time needs no
        offset from UTC, and `format` is not checked in the output.
        """
        validator = Validator(parameters, formats="local" if hinted else True)
        separated = Lazy(partial(_separated, validator, is_human))
        return cls(
            parameters=parameters,
            output=output,
            separated=separated,
            first=first,
            validator=validator,
            output_validator=None if output is None else Validator(output, formats=not hinted),
            checker=Lazy(partial(_checker, validator, separated, first, sets)),
            notes=Lazy(lambda: tuple(dict.fromkeys((*notes(), *_lost(separated.value))))),
            human_side=Lazy(partial(_human_side, separated)),
            _recipe=Recipe(
                partial(cls.of, output=output, notes=notes, first=first, sets=sets, hinted=hinted),
                is_human,
            ),
        )

    @classmethod
    def from_schemas(
        cls,
        name: str,
        parameters: JsonSchema | Sequence[Param],
        output: JsonSchema | None,
        is_human: IsHuman | None,
        *,
        lenient: bool = False,
    ) -> "Contract":
        """Return the contract of a function from schemas as written: normalized and compiled.

        `name` is the name of the function, for errors. A mistake in a schema is an error; with
        `lenient`, for schemas of others, it is only a note if the schema still compiles.

        Raises:
            DefinitionError: the parameters are no object schema, a schema does not compile, or,
                unless `lenient`, a schema has a mistake.
        """
        given = parameters if isinstance(parameters, Mapping) else parameters_of(parameters, name)
        whole = _read(name, "/parameters", given, partial(_closed, name), lenient)
        result = None if output is None else _read(name, "/output", output, normalize, lenient)
        contract = cls.of(whole, result, is_human, partial(schema_notes, given, output))
        with _as_definition_error(name, "/parameters"):
            contract.validator.compile()
        if contract.output_validator is not None:
            with _as_definition_error(name, "/output"):
                contract.output_validator.compile()
        return contract

    def with_parameters(self, parameters: JsonSchema, fixed: Container[Keys] = ()) -> "Contract":
        """Return the contract with other parameters, in which `fixed` places are human.

        Raises:
            DefinitionError: this contract is from a pickle, which has no predicate.
        """
        if self._recipe.make is None:
            raise DefinitionError(
                "configured(fixed)",
                "The functions were pickled.",
                "Configure them before pickling, or create the controller again.",
            )
        known = self._recipe.is_human

        def is_fixed(path: Path, _: JsonSchema) -> bool:
            return path.keys in fixed

        is_human = any_of(*(() if known is None else (known,)), is_fixed) if fixed else known
        return self._recipe.make(parameters, is_human=is_human)

    @property
    def llm(self) -> JsonSchema:
        """The model's side of the parameters, or all of them if there is no human side."""
        separated = self.separated.value
        return self.parameters if separated is None else separated.shared("llm")

    def positional(self) -> tuple[JsonSchema | bool, ...]:
        """Return the schema of each input in order, with the `$defs` that it uses."""
        properties = _properties(self.parameters)
        definitions = self.parameters.get("$defs")
        return tuple(
            json_copy(prune({**inner, "$defs": definitions}) if definitions is not None else inner)
            for inner in (properties[name] for name in _in_order(properties, self.first))
            if isinstance(inner, dict)
        )

    def declared(self) -> DeclaredProperties:
        """Return the properties that the parameters declare, also those in branches."""
        place = self.validator.outline.place
        closed = self.parameters.get("additionalProperties") is False
        return DeclaredProperties(
            names=tuple(
                dict.fromkeys(name for part in place.possible.parts for name in part.declared)
            ),
            required=_required(place.parts),
            closed=closed and "patternProperties" not in self.parameters,
        )

    def parse(self, text: str | bytes) -> Success[JsonValue] | Failure:
        """Parse the text of a model; see `Function.parse`."""
        return parse(text, self.llm)

    def coerce(self, value: JsonValue) -> Success[JsonValue]:
        """Return the value with wrong spellings corrected by the model's side of the schema."""
        return self.checker.value.coerce(value)

    def validate(self, value: JsonValue, side: Side = "whole") -> Success[JsonValue] | Failure:
        """Validate a value for one side, or as a whole; see `Function.validate`."""
        if side not in _SIDES:
            remedy = 'Write "whole", "llm" or "human".'
            raise DefinitionError("validate(side)", f"{side!r} is not a side.", remedy)
        separated = self.separated.value
        if side == "whole" or (separated is None and side == "llm"):
            return self.validator.validate(value)
        separated = separated or separate_normalized(self.parameters, None, self.validator)
        return separated.validate(value, side)

    def merge(self, llm: JsonValue, human: JsonValue) -> Success[JsonValue] | Failure:
        """Merge the model's and the human's part (`None` for no part), and validate the whole."""
        separated = self.separated.value
        if separated is None:
            return self.validator.validate({} if llm is None else llm)
        return separated.merge({} if llm is None else llm, {} if human is None else human)

    def check(
        self,
        arguments: str | bytes | JsonValue,
        *,
        rendering: "Rendering | None" = None,
        allow_truncated: bool = False,
    ) -> Success[JsonValue] | Failure:
        """Return the arguments of a model, parsed, coerced and validated; see `Function.check`."""
        checker = self.checker.value
        if rendering is None or not rendering.reshapes:
            return checker.check(arguments, allow_truncated=allow_truncated)
        return check_rendered(arguments, rendering, checker.check, allow_truncated=allow_truncated)


def schema_notes(parameters: JsonSchema, output: JsonSchema | None) -> Iterator[Note]:
    """Yield the notes on schemas as written, at pointers below `/parameters` and `/output`."""
    from pyfunctools.schema.normalization.oddities import notes_of

    yield from notes_of(parameters, "/parameters")
    if output is not None:
        yield from notes_of(output, "/output")


def _lost(separated: Separated | None) -> Iterator[Note]:
    """Yield a note for each place that is human as a whole because of a part of it."""
    for path in () if separated is None else separated.lost:
        yield Note(
            text=f"`{path}` is the person's as a whole: one of its alternatives is, or a part that "
            "cannot be split off. Pass `is_human=` to change this."
        )


def _separated(whole: Validator, is_human: IsHuman | None) -> Separated | None:
    if is_human is None or not isinstance(whole.schema, dict):
        return None
    separated = separate_normalized(whole.schema, is_human, whole)
    return separated if separated.has_human else None


def _checker(
    whole: Validator, sides: Lazy[Separated | None], first: Sequence[str], sets: bool
) -> Checker:
    separated = sides.value
    schema = whole.schema if separated is None else separated.shared("llm")
    names = _in_order(_properties(schema if isinstance(schema, dict) else {}), first)
    return Checker(separated or whole, names=names, sets=sets)


def _human_side(sides: Lazy[Separated | None]) -> HumanSide:
    separated = sides.value
    return HumanSide({} if separated is None else separated.shared("human"))


def _required(parts: Iterable[Part], depth: int = 8) -> frozenset[str]:
    """Return the names that every valid object has; of a union, those that all branches require."""
    found: set[str] = set()
    for part in parts:
        found.update(part.required)
        for keyword in UNIONS if depth else ():
            each = [_required(branch.parts, depth - 1) for branch in part.branches(keyword)]
            found |= each[0].intersection(*each[1:]) if each else frozenset[str]()
    return frozenset(found)


def _in_order(names: Mapping[str, object], first: Sequence[str]) -> list[str]:
    """Return the names of properties in the order of a list of arguments."""
    leading = [name for name in first if name in names]
    return [*leading, *(name for name in names if name not in leading)]


_SIDES = ("whole", "llm", "human")


def _properties(schema: JsonSchema) -> JsonObject:
    return members_of(schema.get("properties"))


@contextmanager
def _as_definition_error(name: str, pointer: str) -> Generator[None]:
    """Raise a `SchemaError` as a `DefinitionError` that names the function."""
    try:
        yield
    except SchemaError as error:
        at = f" (at {pointer}{error.pointer or ''})"
        raise DefinitionError(name, f"{error.reason[:1].upper()}{error.reason[1:]}{at}.") from error


def _read(
    name: str,
    pointer: str,
    written: JsonSchema,
    normalized: Callable[[JsonSchema], JsonSchema],
    lenient: bool,
) -> JsonSchema:
    """Check a schema as it was written, and return it `normalized`.

    Raises:
        DefinitionError: it is invalid, or has a mistake and `lenient` is false.
    """
    with _as_definition_error(name, pointer):
        check_schema(written)
        faults = faults_of(written, closed=pointer == "/parameters") if not lenient else ()
        found = list(islice(faults, _MAX_FAULTS + 1))
        if not found:
            return normalized(written)
    lines = [f"{wrong} (at {pointer}{at}). {remedy}" for at, wrong, remedy in found[:_MAX_FAULTS]]
    more = ["There are more."] if len(found) > _MAX_FAULTS else []
    raise DefinitionError(name, " ".join([*lines, *more]))


_MAX_FAULTS = 8
"""Mistakes that one error lists."""


def _closed(name: str, parameters: JsonSchema) -> JsonSchema:
    """Return parameters as a normalized object schema, closed if no keyword allows other names."""
    are_properties = parameters and all(isinstance(each, Mapping) for each in parameters.values())
    if are_properties and _OBJECT_VALUED.isdisjoint(parameters):
        raise DefinitionError(
            name,
            "The parameters are only properties, without the schema of an object around them.",
            'Write `{"type": "object", "properties": {...}, "required": [...]}`.',
        )
    whole = normalize(parameters)
    resolved = resolve(whole, whole)
    schema = resolved if isinstance(resolved, dict) else whole
    if schema.get("type", "object") != "object":
        raise DefinitionError(
            name,
            f"The parameters have the type {schema['type']!r}.",
            "A model gives arguments by name: wrap them in an object with a property for each.",
        )
    closed = {"additionalProperties": False} if MAY_ADD_PROPERTIES.isdisjoint(schema) else {}
    defined = {"$defs": whole["$defs"]} if "$defs" in whole else {}
    return prune({"type": "object", "properties": {}, **schema, **closed, **defined})


_OBJECT_VALUED = SCHEMA_MAP | (ONE_SCHEMA & judging("object")) | TESTED_ONLY
"""Keywords with objects as values: a schema with only one of them is no bare list of properties."""
