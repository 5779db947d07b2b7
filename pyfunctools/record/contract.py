"""`Contract`: the schemas of a function and their checks, compiled on first use."""

from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import islice
from json import dumps
from typing import TYPE_CHECKING

from pyfunctools._json import JsonObject, JsonSchema, JsonValue, json_copy, members_of
from pyfunctools.errors import DefinitionError, SchemaError
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.note import Note
from pyfunctools.schema.checker import Checker
from pyfunctools.schema.ground.path import Keys, Path
from pyfunctools.schema.ground.references import prune, resolve
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.schema.normalization.check_input import check_schema
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.separation.graph import Graph
from pyfunctools.schema.separation.predicates import (
    IsHuman,
    any_of,
    is_secret,
    is_secret_of_human,
    is_upload,
    output_shown,
)
from pyfunctools.schema.validation.validator import Validator
from pyfunctools.schema.vocabulary import MAY_ADD_PROPERTIES, OBJECT_VALUED

if TYPE_CHECKING:  # loaded for what few functions have, or when it is written by hand
    from pyfunctools.dialects.rendering import Rendering
    from pyfunctools.record.param import Param
    from pyfunctools.schema.separation.separate import Separated

Notes = Callable[[JsonSchema], Iterable[Note]]
"""A function of the model's side that returns the notes on schemas as they were written."""

Examples = Callable[[], Iterable[JsonValue]]
"""A function that returns examples of all arguments as they were written."""


class HumanSide:
    """Facts about the schema of a function's human side.

    `secrets` separates the secrets, its human's side, from other values. `secret_defaults` are the
    defaults of secrets, `has_defaults` is true if anything has one.
    `property_names` are the names of all declared properties. `takes_files` is true if a value may
    be a file.
    """

    def __init__(self, schema: JsonSchema) -> None:
        self.validator = Validator(schema)
        self.secrets = _separate(Graph(schema, is_secret_of_human), self.validator)
        self.secret_defaults = tuple(
            inner["default"]
            for _, inner in subschemas(self.secrets.shared("human"))
            if isinstance(inner, dict) and "default" in inner
        )
        parts = [(keys, part) for keys, part in subschemas(schema) if isinstance(part, dict)]
        self.has_defaults = any(part.get("default") is not None for _, part in parts)
        self.property_names = frozenset(
            str(keys[-1]) for keys, _ in parts if len(keys) > 1 and keys[-2] == "properties"
        )
        self.takes_files = any(is_upload(part) for _, part in parts)

    def has_secret(self, human: JsonValue) -> bool:
        """Return whether a value of the human's side has a secret in it."""
        return self.secrets.has_human and self.secrets.part(human, "human") not in (None, {}, [])


class Contract:
    """The normalized schemas of a function, `parameters` and `output`, and what is made of them.

    The `output` is as others may see it (`predicates.output_shown`). `first` are the names that
    come first in a list of arguments. `mark` tells arguments that this contract has checked from
    others. `items` is the schema of each item of a response that is a sequence. `kept` are texts
    that others make of the schemas, each once.

    `is_human` decides which values are human; with `None`, no value is. With `hinted`, pydantic
    made the schemas from type hints: `format` is checked as pydantic reads it, and not in the
    output.
    """

    def __init__(
        self,
        parameters: JsonSchema,
        output: JsonSchema | None,
        is_human: IsHuman | None,
        notes: Notes = lambda _: (),
        *,
        examples: Examples = tuple,
        first: Sequence[str] = (),
        hinted: bool = False,
        items: JsonSchema | None = None,
    ) -> None:
        self.parameters = parameters
        self.output = output
        self.items = items
        self.first = first
        self.validator = Validator(parameters, formats="hinted" if hinted else True)
        self.output_validator = None if output is None else Validator(output, formats=not hinted)
        self.renderings: dict[tuple[str, bool, bool | None], Rendering] = {}
        self.mark = object()
        self.kept: dict[str, str] = {}
        self._given = is_human, notes, examples

    def __getstate__(self) -> dict[str, object]:
        """Return what is not `_given`: all that is made of it is made now."""
        for name, each in vars(Contract).items():
            if isinstance(each, cached_property):
                getattr(self, name)
        return {name: value for name, value in vars(self).items() if name != "_given"}

    @cached_property
    def separated(self) -> "Separated | None":
        """The two sides of the parameters, `None` if there is no human side."""
        is_human, _, _ = self._given
        graph = None if is_human is None else Graph(self.parameters, is_human)
        if graph is None or not graph.nodes:  # as for most functions
            return None
        separated = _separate(graph, self.validator)
        return separated if separated.has_human else None

    @property
    def sides(self) -> "Separated":
        """The two sides of the parameters, in any case."""
        return self.separated or _separate(Graph(self.parameters, any_of()), self.validator)

    @cached_property
    def checker(self) -> Checker:
        """Reads and checks the arguments of a model."""
        names = _in_order(_properties(self.llm), self.first)
        return Checker(self.separated or self.validator, tuple(names))

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """The notes on the schemas as they were written."""
        _, notes, _ = self._given
        lost = () if self.separated is None else self.separated.lost
        ours = (Note(text=_LOST.format(path)) for path in lost)
        return tuple(dict.fromkeys((*notes(self.llm), *ours)))

    @cached_property
    def human_side(self) -> HumanSide:
        """Facts about the human side."""
        return HumanSide({} if self.separated is None else self.separated.shared("human"))

    @cached_property
    def secrets(self) -> "Separated":
        """The separation of all that is secret."""
        return _separate(Graph(self.parameters, is_secret), self.validator)

    @cached_property
    def examples(self) -> tuple[JsonValue, ...]:
        """The first short examples that are valid for the model's side, cut down to it."""
        _, _, written = self._given
        separated = self.separated
        parts = (each if separated is None else separated.part(each, "llm") for each in written())
        short = (each for each in parts if each and len(dumps(each)) <= _LONGEST_EXAMPLE)
        valid = filter((separated or self.validator).accepts, short)
        return tuple(islice(valid, _MOST_EXAMPLES))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Contract):
            return NotImplemented
        names = ("parameters", "output", "items", "separated")
        return all(getattr(self, name) == getattr(other, name) for name in names)

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    @classmethod
    def from_schemas(
        cls,
        name: str,
        parameters: "JsonSchema | Sequence[Param]",
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
        from pyfunctools.record.param import parameters_of

        given = parameters if isinstance(parameters, Mapping) else parameters_of(parameters, name)
        whole = _read(name, "/parameters", given, partial(_closed, name), lenient)
        result = None if output is None else _read(name, "/output", output, _shown, lenient)
        contract = cls(whole, result, is_human, lambda _: schema_notes(given, output))
        with _as_definition_error(name, "/parameters"):
            contract.validator.compile()
        if contract.output_validator is not None:
            with _as_definition_error(name, "/output"):
                contract.output_validator.compile()
        return contract

    def with_parameters(self, parameters: JsonSchema, fixed: Container[Keys] = ()) -> "Contract":
        """Return the contract with other parameters, in which `fixed` places are human."""
        is_human = None if self.separated is None else self.separated.is_human

        def is_fixed(path: Path, _: JsonSchema) -> bool:
            return path.keys in fixed

        return Contract(
            parameters,
            self.output,
            any_of(*filter(None, (is_human,)), is_fixed) if fixed else is_human,
            lambda _: self.notes,
            examples=lambda: self.examples,
            first=self.first,
            hinted=self.validator.formats == "hinted",
            items=self.items,
        )

    @property
    def llm(self) -> JsonSchema:
        """The model's side of the parameters, or all of them if there is no human side."""
        return self.parameters if self.separated is None else self.separated.shared("llm")

    @property
    def item_validator(self) -> Validator | None:
        """What checks each item of a generator: the output is the list of them."""
        output, schema = self.output or {}, self.items
        if schema is None and isinstance(items := output.get("items"), dict):
            schema = {**items, "$defs": output["$defs"]} if "$defs" in output else items
        formats = self.validator.formats != "hinted"
        return None if schema is None else Validator(schema, formats=formats)

    def positional(self) -> tuple[JsonSchema | bool, ...]:
        """Return the schema of each input in order, with the `$defs` that it uses."""
        properties = _properties(self.parameters)
        definitions = self.parameters.get("$defs")
        return tuple(
            json_copy(prune({**inner, "$defs": definitions}) if definitions is not None else inner)
            for inner in (properties[name] for name in _in_order(properties, self.first))
            if isinstance(inner, dict)
        )

    def declared(self) -> tuple[list[str], set[str], bool]:
        """Return the names of the properties, of those required, and whether there are no others.

        Those in branches count too.
        """
        parts = self.validator.outline.place.possible.parts
        names = dict.fromkeys(name for part in parts for name in part.declared)
        required = {name for part in parts for name in part.required}
        closed = self.parameters.get("additionalProperties") is False
        return [*names], required, closed and "patternProperties" not in self.parameters

    def rendering(self, dialect: str, *, strict: bool, inline: bool | None) -> "Rendering":
        """Return a rendering of the model's side; the last ones are cached (`Limits.cache`)."""
        key = (str(dialect), strict, inline)
        if (found := self.renderings.get(key)) is None:
            from pyfunctools.dialects.rendering import render

            if len(self.renderings) >= DEFAULT_LIMITS.cache:
                oldest, *_ = self.renderings
                self.renderings.pop(oldest, None)
            found = self.renderings[key] = render(self.llm, dialect, strict=strict, inline=inline)
        return found


def schema_notes(parameters: JsonSchema, output: JsonSchema | None) -> Iterator[Note]:
    """Yield the notes on schemas as written, at pointers below `/parameters` and `/output`."""
    from pyfunctools.schema.normalization.oddities import notes_of

    yield from notes_of(parameters, "/parameters")
    if output is not None:
        yield from notes_of(output, "/output")


def _separate(graph: Graph, whole: Validator) -> "Separated":
    from pyfunctools.schema.separation.separate import separated_by

    return separated_by(graph, whole)


_LOST = (
    "`{}` is the person's as a whole: one of its alternatives is, or a part that cannot be split "
    "off. Pass `is_human=` to change this."
)


_LONGEST_EXAMPLE = 4_000
"""Characters of JSON: a model reads examples with each request."""
_MOST_EXAMPLES = 3


def _in_order(names: Mapping[str, object], first: Sequence[str]) -> list[str]:
    leading = [name for name in first if name in names]
    return [*leading, *(name for name in names if name not in leading)]


def _properties(schema: JsonSchema) -> JsonObject:
    return members_of(schema.get("properties"))


@contextmanager
def _as_definition_error(name: str, pointer: str) -> Generator[None]:
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
    """Check a schema as it was written, and return it `normalized`."""
    from pyfunctools.schema.normalization.oddities import faults_of

    with _as_definition_error(name, pointer):
        check_schema(written)
        faults = faults_of(written, closed=pointer == "/parameters") if not lenient else ()
        found = list(islice(faults, _MAX_FAULTS + 1))
        if not found:
            return normalized(written)
    shown = found[:_MAX_FAULTS]
    lines = [f"{each.wrong} (at {pointer}{each.pointer}). {each.remedy}" for each in shown]
    more = ["There are more."] if len(found) > _MAX_FAULTS else []
    raise DefinitionError(name, " ".join([*lines, *more]))


_MAX_FAULTS = 8
"""Mistakes that one error lists."""


def _shown(output: JsonSchema) -> JsonSchema:
    return output_shown(normalize(output))


def _closed(name: str, parameters: JsonSchema) -> JsonSchema:
    """Return parameters as a normalized object schema, closed if no keyword allows other names."""
    are_properties = parameters and all(isinstance(each, Mapping) for each in parameters.values())
    if are_properties and OBJECT_VALUED.isdisjoint(parameters):
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
