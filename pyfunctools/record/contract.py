"""`Contract`: the schemas of a function and what checks against them, compiled when asked for."""

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
from pyfunctools.record.handler import Declared
from pyfunctools.record.param import Param, parameters_of
from pyfunctools.record.renderings import Renderings, checked
from pyfunctools.schema.checker import Checker
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.ground.references import prune, resolve
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.schema.normalization.check_input import check_schema
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.normalization.oddities import MAY_ADD_PROPERTIES, faults_of
from pyfunctools.schema.outline.outline import Part
from pyfunctools.schema.parsing.parse import parse
from pyfunctools.schema.result import Failure, Side, Success
from pyfunctools.schema.separation.predicates import IsHuman, any_of, is_secret_of_human, is_upload
from pyfunctools.schema.separation.separate import Separated, separate_normalized
from pyfunctools.schema.validation.validator import Validator
from pyfunctools.schema.vocabulary import ONE_SCHEMA, SCHEMA_MAP, TESTED_ONLY, UNIONS, judging

if TYPE_CHECKING:
    from pyfunctools.dialects.rendering import Rendering

Notes = Callable[[], Iterable[Note]]
"""What says, when it is asked, what was odd in schemas as they were written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonsPart:
    """What is known of a function's human side beside its schema.

    `is_any` or `is_all` of it is secret; `defaults` are what stands in the schema for secrets that
    were not given. `names` are those that the schema declares, which are no values of a person's.
    With `takes_files` a file is wanted somewhere. `validator` is that of their schema.
    """

    is_any: bool
    is_all: bool
    defaults: tuple[JsonValue, ...] = field(repr=False)
    names: frozenset[str]
    takes_files: bool
    validator: Validator = field(repr=False)
    _division: Separated = field(repr=False)

    def __reduce__(self) -> tuple[object, ...]:
        return (PersonsPart.of, (self._division.shared("whole"),))

    @classmethod
    def of(cls, human: JsonSchema) -> "PersonsPart":
        """Return the facts about the human's side of a function, read from its schema."""
        validator = Validator(human)
        division = separate_normalized(human, is_secret_of_human, validator)
        parts = [(keys, part) for keys, part in subschemas(human) if isinstance(part, dict)]
        return cls(
            is_any=division.has_human,
            is_all=division.owner(()) == "human",
            defaults=tuple(_defaults(division.shared("human"))),
            names=frozenset(str(k[-1]) for k, _ in parts if len(k) > 1 and k[-2] == "properties"),
            takes_files=any(is_upload(part) for _, part in parts),
            validator=validator,
            _division=division,
        )

    def split(self, human: JsonValue) -> JsonValue:
        """Return the secrets in a value of the human's part."""
        return self._division.part(human, "human")


class Remake:
    """What makes a contract anew, with its predicate; a copy from a pickle has neither."""

    __slots__ = ("is_human", "of")

    def __init__(
        self, of: "Callable[..., Contract] | None" = None, is_human: IsHuman | None = None
    ) -> None:
        self.of = of
        self.is_human = is_human

    def __reduce__(self) -> tuple[object, ...]:
        return (Remake, ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """The schemas of a function, `parameters` and `output`, both normalized, and their checks.

    Made when first read: `separated`, the model's and the human's side, `None` where nothing is the
    human's; `checker`, which reads what a model wrote; `notes`, what was odd in the schemas as they
    were written; `person`, what is known of the human's side. `first` are the inputs that
    stand before the others in a list of arguments.
    """

    parameters: JsonSchema
    output: JsonSchema | None
    separated: Lazy[Separated | None]
    first: Sequence[str] = field(default=(), compare=False)
    validator: Validator = field(compare=False)
    output_validator: Validator | None = field(compare=False)
    checker: Lazy[Checker] = field(compare=False, repr=False)
    notes: Lazy[tuple[Note, ...]] = field(compare=False, repr=False)
    person: Lazy[PersonsPart] = field(compare=False, repr=False)
    renderings: Renderings = field(compare=False, repr=False, default_factory=Renderings)
    _remake: "Remake" = field(compare=False, repr=False)

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

        `is_human` decides what `separated` keeps from the model, and `None` keeps nothing. `notes`
        says what was odd in them, when somebody asks. With `sets` every array of `uniqueItems` is a
        set of the program's, and what the model repeats in it is left out as a repair. With
        `hinted` the two are pydantic's, of type hints: a time needs no offset from UTC, and what
        pydantic has written is not judged by `format` again.
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
            person=Lazy(partial(_person, separated)),
            _remake=Remake(
                partial(cls.of, output=output, notes=notes, first=first, sets=sets, hinted=hinted),
                is_human,
            ),
        )

    @classmethod
    def written(
        cls,
        name: str,
        parameters: JsonSchema | Sequence[Param],
        output: JsonSchema | None,
        is_human: IsHuman | None,
        *,
        sound: bool = True,
    ) -> "Contract":
        """Return the contract of a written function, `name`: normalized, closed and compiled.

        Without `sound` what is odd in the schemas, and can be compiled, is in the notes: somebody
        else wrote them.

        Raises:
            DefinitionError: the parameters are not those of an object, a schema does not compile,
                or, with `sound`, one of the two has a mistake (`faults_of`).
        """
        given = parameters if isinstance(parameters, Mapping) else parameters_of(parameters, name)
        whole = _read(name, "/parameters", given, partial(_closed, name), sound)
        result = None if output is None else _read(name, "/output", output, normalize, sound)
        contract = cls.of(whole, result, is_human, partial(notes_on, given, output))
        with _blamed(name, "/parameters"):
            contract.validator.compile()
        if contract.output_validator is not None:
            with _blamed(name, "/output"):
                contract.output_validator.compile()
        return contract

    def remade(self, parameters: JsonSchema, fixed: Container[Keys] = ()) -> "Contract":
        """Return the contract of other parameters, in which `fixed` places are not the model's.

        Raises:
            DefinitionError: this is a copy from a pickle, which has no predicate of its own.
        """
        if self._remake.of is None:
            raise DefinitionError(
                "configured(fixed)",
                "The functions were pickled.",
                "Configure them before, or make the controller anew.",
            )
        known, places = self._remake.is_human, fixed

        def is_fixed(path: Path, _: JsonSchema) -> bool:
            return path.keys in places

        is_human = any_of(*(() if known is None else (known,)), is_fixed) if fixed else known
        return self._remake.of(parameters, is_human=is_human)

    @property
    def llm(self) -> JsonSchema:
        """The parameters as a model has them: its side, or all where nothing is the human's."""
        separated = self.separated.value
        return self.parameters if separated is None else separated.shared("llm")

    def positional(self) -> tuple[JsonSchema | bool, ...]:
        """Return the schema of each input in order, complete with the `$defs` it reaches."""
        properties = _properties(self.parameters)
        definitions = self.parameters.get("$defs")
        return tuple(
            json_copy(prune({**inner, "$defs": definitions}) if definitions is not None else inner)
            for inner in (properties[name] for name in _in_order(properties, self.first))
            if isinstance(inner, dict)
        )

    def declared(self) -> Declared:
        """Return the properties that the parameters declare, those of branches too."""
        place = self.validator.outline.place
        closed = self.parameters.get("additionalProperties") is False
        return Declared(
            names=tuple(
                dict.fromkeys(name for part in place.possible.parts for name in part.declared)
            ),
            required=_required(place.parts),
            closed=closed and "patternProperties" not in self.parameters,
        )

    def parse(self, text: str | bytes) -> Success[JsonValue] | Failure:
        """Read what a model wrote."""
        return parse(text, self.llm)

    def coerce(self, value: JsonValue) -> Success[JsonValue]:
        """Return the value with wrong spellings put right, by the model's side of the schema."""
        return self.checker.value.coerce(value)

    def validate(self, value: JsonValue, side: Side = "whole") -> Success[JsonValue] | Failure:
        """Return whether a value is right, with every issue, for one side or for the whole."""
        if side not in _SIDES:
            remedy = 'Write "whole", "llm" or "human".'
            raise DefinitionError("validate(side)", f"{side!r} is no side.", remedy)
        separated = self.separated.value
        if side == "whole" or (separated is None and side == "llm"):
            return self.validator.validate(value)
        separated = separated or separate_normalized(self.parameters, None, self.validator)
        return separated.validate(value, side)

    def merge(self, llm: JsonValue, human: JsonValue) -> Success[JsonValue] | Failure:
        """Join the model's and the human's part, `None` where there is none; check the whole."""
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
        """Return the arguments a model may write, read, coerced and checked; see
        `Function.check`.
        """
        checker = self.checker.value
        if rendering is None or not rendering.reshapes:
            return checker.check(arguments, allow_truncated=allow_truncated)
        return checked(arguments, rendering, checker.check, allow_truncated=allow_truncated)


def notes_on(parameters: JsonSchema, output: JsonSchema | None) -> Iterator[Note]:
    """Yield what is odd in schemas as written, at pointers below `/parameters` and `/output`."""
    from pyfunctools.schema.normalization.oddities import notes_of

    yield from notes_of(parameters, "/parameters")
    if output is not None:
        yield from notes_of(output, "/output")


def _lost(separated: Separated | None) -> Iterator[Note]:
    """Yield a note on each place that the model lost, since one alternative in it is a person's."""
    for path in () if separated is None else separated.lost:
        yield Note(
            text=f"`{path}` is the person's as a whole: one alternative in it is, or a part that "
            "cannot be split off. `is_human=` decides otherwise."
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
    judge = separated or whole
    schema = whole.schema if separated is None else separated.shared("llm")
    parameters = schema if isinstance(schema, dict) else {}
    names = _in_order(_properties(parameters), first)
    return Checker(judge, names=names, sets=sets)


def _required(parts: Iterable[Part], depth: int = 8) -> frozenset[str]:
    """Return the names that every object has that fits these parts, by all branches of a union."""
    found: set[str] = set()
    for part in parts:
        found.update(part.required)
        for keyword in UNIONS if depth else ():
            each = [_required(branch.parts, depth - 1) for branch in part.branches(keyword)]
            found |= each[0].intersection(*each[1:]) if each else frozenset[str]()
    return frozenset(found)


def _in_order(names: Mapping[str, object], first: Sequence[str]) -> list[str]:
    """Return the names of properties in the order that a list of arguments has."""
    leading = [name for name in first if name in names]
    return [*leading, *(name for name in names if name not in leading)]


def _person(sides: Lazy[Separated | None]) -> PersonsPart:
    separated = sides.value
    return PersonsPart.of({} if separated is None else separated.shared("human"))


def _defaults(schema: JsonSchema) -> Iterator[JsonValue]:
    return (
        inner["default"]
        for _, inner in subschemas(schema)
        if isinstance(inner, dict) and "default" in inner
    )


_SIDES = ("whole", "llm", "human")


def _properties(schema: JsonSchema) -> JsonObject:
    return members_of(schema.get("properties"))


@contextmanager
def _blamed(name: str, pointer: str) -> Generator[None]:
    """Turn what is no schema into a mistake of the function that has it."""
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
    sound: bool,
) -> JsonSchema:
    """Return a schema that somebody wrote, `normalized`; `sound` if there is no mistake in it.

    Raises:
        DefinitionError: there is; all of them are told, up to a few.
    """
    with _blamed(name, pointer):
        check_schema(written)
        faults = faults_of(written, closed=pointer == "/parameters") if sound else ()
        told = list(islice(faults, _TOLD + 1))
        if not told:
            return normalized(written)
    lines = [f"{wrong} (at {pointer}{at}). {remedy}" for at, wrong, remedy in told[:_TOLD]]
    more = ["There are more."] if len(told) > _TOLD else []
    raise DefinitionError(name, " ".join([*lines, *more]))


_TOLD = 8
"""Mistakes of one schema that are told at once."""


def _closed(name: str, parameters: JsonSchema) -> JsonSchema:
    if parameters and all(map(_is_object, parameters.values())) and _HOLDERS.isdisjoint(parameters):
        raise DefinitionError(
            name,
            "The parameters are properties alone, and no schema of an object.",
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


def _is_object(value: JsonValue) -> bool:
    return isinstance(value, Mapping)


_HOLDERS = SCHEMA_MAP | (ONE_SCHEMA & judging("object")) | TESTED_ONLY
"""Keywords that hold an object, of those that a schema of an object may have alone."""
