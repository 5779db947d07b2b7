"""`Function`: the one record that every source makes and everything after it works on."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypedDict, Unpack

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools._text import visible
from pyfunctools.errors import DefinitionError
from pyfunctools.handler import Handler, KeywordHandler
from pyfunctools.origin import Method, Origin, Route
from pyfunctools.param import Param, parameters_of
from pyfunctools.schema import (
    Failure,
    Issue,
    Repair,
    Separated,
    Side,
    Success,
    Validator,
    coerce,
    normalize,
    parse,
    separate,
)
from pyfunctools.schema.coerce import is_exact
from pyfunctools.schema.predicates import IsHuman, is_human_by_default
from pyfunctools.schema.references import prune, resolve

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", re.ASCII)
"""What a function may be called: the rule that every vendor's rule admits."""

GROUPS = ("query", "header", "cookie", "body")
"""The groups of an operation's parameters, in the order of `Function.positional`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """What could not become a function: where, why, and the JSON Pointer in a document."""

    where: str
    reason: str
    pointer: str | None = None


class Traits(TypedDict, total=False):
    """What can be said of a function beside its name, its description and its schemas.

    `display_text` is what a user is shown while it runs, `confirm` asks a person before each call,
    `concurrent` says whether it may run beside others and `strict` whether it is rendered strictly.
    """

    title: str | None
    tags: Sequence[str]
    deprecated: bool
    display_text: str | None
    read_only: bool | None
    destructive: bool | None
    idempotent: bool | None
    confirm: bool
    concurrent: bool
    strict: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Schemas:
    """The part of a function that is built when it is first asked for.

    `parameters` and `output` are normalized; `is_human` decides what `separated` keeps from the
    model, and `None` keeps nothing.
    """

    parameters: JsonSchema
    output: JsonSchema | None
    sides: Lazy[Separated | None]
    validator: Validator = field(compare=False)
    output_validator: Validator | None = field(compare=False)

    @classmethod
    def of(
        cls, parameters: JsonSchema, output: JsonSchema | None, is_human: IsHuman | None
    ) -> "Schemas":
        """Give the schemas of normalized `parameters` and `output`, separated."""
        return cls(
            parameters=parameters,
            output=output,
            sides=Lazy(partial(_separated, parameters, is_human)),
            validator=Validator(parameters),
            output_validator=None if output is None else Validator(output),
        )

    @property
    def separated(self) -> Separated | None:
        """The two sides, or `None` where nothing is the human's."""
        return self.sides.get()

    def check_output(self, value: JsonValue) -> Success[JsonValue] | Failure:
        """Say whether `value` is what the function promises to give."""
        if self.output_validator is None:
            return Success(value=value)
        return self.output_validator.validate(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One function a model may call, whatever it came from.

    Frozen, and equal to another that says the same; the schemas behind `parameters`, `output` and
    `separated` are built when first asked for, shared and read-only. The hints `read_only`,
    `destructive` and `idempotent` are `None` where nobody said. `notes` are oddities of the source
    that did not keep it from becoming a function.

    Raises:
        DefinitionError: the name is not a letter or `_` followed by up to 63 letters, digits, `_`
            or `-`.
    """

    name: str
    description: str = ""
    deprecated: bool = False
    tags: tuple[str, ...] = ()
    title: str | None = None
    display_text: str | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    confirm: bool = False
    concurrent: bool = True
    strict: bool = False
    notes: tuple[str, ...] = ()
    origin: Origin | None = None
    schemas: Lazy[Schemas] = field(repr=False)
    handler: Handler | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise DefinitionError(
                repr(self.name),
                "This is not a name a model's vendor accepts.",
                "Use a letter or `_`, then up to 63 letters, digits, `_` or `-`.",
            )
        object.__setattr__(self, "description", visible(self.description))

    def __hash__(self) -> int:
        return hash((self.name, self.description))

    @classmethod
    def from_schema(
        cls,
        *,
        name: str,
        description: str = "",
        parameters: JsonSchema | Sequence[Param],
        output: JsonSchema | None = None,
        handler: Callable[..., object] | None = None,
        is_human: IsHuman | None = is_human_by_default,
        **traits: Unpack[Traits],
    ) -> "Function":
        """Give a function from a written schema.

        `parameters` is a JSON Schema object in any draft's spelling, or a list of `Param`. The
        `handler` is called with the arguments by keyword, and with `context` if it names it; it may
        be asynchronous. Without one the function can be checked and shown but not called.

        Raises:
            DefinitionError: the name cannot be used, or the parameters are not those of an object.
            SchemaError: a schema is not one.
        """
        whole = _closed(name, parameters)
        result = normalize(output) if output is not None else None
        schemas = Schemas.of(whole, result, is_human)
        schemas.validator.compile()
        function = cls(
            name=name,
            description=description,
            origin=None if handler is None else _method(handler),
            schemas=Lazy.of(schemas),
            handler=None if handler is None else KeywordHandler(handler),
        )
        return replace(function, **{**traits, "tags": tuple(traits.get("tags", ()))})

    @property
    def parameters(self) -> JsonSchema:
        """The closed JSON Schema object of everything the function takes, in 2020-12."""
        return self.schemas.get().parameters

    @property
    def output(self) -> JsonSchema | None:
        """The JSON Schema of what comes back, or `None` where nobody said."""
        return self.schemas.get().output

    @property
    def separated(self) -> Separated | None:
        """The model's and the human's side, or `None` where nothing is the human's."""
        return self.schemas.get().separated

    @property
    def positional(self) -> tuple[JsonSchema | bool, ...]:
        """The schema of each input in the order a list of arguments has.

        For an operation the path parameters, then `query`, `header`, `cookie` and `body` where
        there are such; else the properties in their order. Each is complete, with the `$defs` it
        reaches.
        """
        properties = _properties(self.parameters)
        definitions = self.parameters.get("$defs")
        return tuple(
            prune({**inner, "$defs": definitions}) if definitions is not None else inner
            for inner in (properties[name] for name in self._order(properties))
            if isinstance(inner, dict)
        )

    def parse(self, text: str | bytes) -> Success[JsonValue] | Failure:
        """Read what a model wrote; see `pyfunctools.schema.parse`."""
        return parse(text, self._model_side())

    def coerce(self, value: JsonValue) -> Success[JsonValue]:
        """Give what the schema says a wrong spelling must have meant, losing nothing."""
        return coerce(self._model_side(), value)

    def validate(self, value: JsonValue, side: Side = "whole") -> Success[JsonValue] | Failure:
        """Say whether a value is right, with every issue, for one side or for the whole."""
        schemas = self.schemas.get()
        if side == "whole" or (schemas.separated is None and side == "llm"):
            return schemas.validator.validate(value)
        separated = schemas.separated or separate(schemas.parameters, None)
        return separated.validate(value, side)

    def merge(
        self, *, llm: JsonValue = None, human: JsonValue = None
    ) -> Success[JsonValue] | Failure:
        """Join the model's and the human's part, and check the whole; see `schema.merge`."""
        separated = self.separated
        if separated is None:
            return self.validate({} if llm is None else llm)
        return separated.merge({} if llm is None else llm, {} if human is None else human)

    def check(
        self, arguments: str | bytes | JsonValue, *, allow_truncated: bool = False
    ) -> Success[JsonValue] | Failure:
        """Give the arguments a model may write, read, coerced and checked.

        `arguments` is its text, or the value where somebody has read it. A list is taken as the
        inputs in the order of `positional`, without those that are the human's. Text that ends
        inside its last scalar is an issue unless `allow_truncated`: 1 may have been 1000.
        """
        if (right := self._right(arguments)) is not None:
            return right
        read = self._read(arguments, allow_truncated)
        if not read:
            return read
        coerced = coerce(self._model_side(), self._by_name(read.value))
        repairs = (*read.repairs, *coerced.repairs)
        checked = self.validate(coerced.value, "llm")
        if checked:
            return Success(value=checked.value, repairs=repairs)
        return Failure(value=checked.value, issues=checked.issues, repairs=repairs)

    def _right(self, arguments: str | bytes | JsonValue) -> Success[JsonValue] | None:
        """Give arguments that are right as they are written, as most are; saves to coerce them."""
        read = parse(arguments) if isinstance(arguments, str | bytes) else Success(value=arguments)
        if not read or read.repairs or not isinstance(read.value, dict):
            return None
        schemas = self.schemas.get()
        if schemas.separated is None:
            is_right = schemas.validator.is_valid(read.value)
        else:
            is_right = bool(schemas.separated.validate(read.value, "llm"))
        # What is right needs no repair, but for `42.0`, which coercion makes an `int`.
        return read if is_right and is_exact(read.value, self._model_side()) else None

    def _read(
        self, arguments: str | bytes | JsonValue, allow_truncated: bool
    ) -> Success[JsonValue] | Failure:
        if not isinstance(arguments, str | bytes):
            return Success(value=arguments)
        read = parse(arguments, self._model_side())
        if read and not allow_truncated:
            cut = [repair for repair in read.repairs if repair.kind == "truncated"]
            if cut:
                return _truncated(read.value, cut, read.repairs)
        return read

    def _by_name(self, value: JsonValue) -> JsonValue:
        order = self._order(_properties(self._model_side()))
        if not isinstance(value, list) or not order or len(value) > len(order):
            return value
        return dict(zip(order, value, strict=False))

    def _order(self, names: Iterable[str]) -> tuple[str, ...]:
        route = self.origin
        first = route.parameters if isinstance(route, Route) else ()
        path = [each.argument[0] for each in first if each.location == "path"]
        return tuple(
            sorted(names, key=lambda name: path.index(name) if name in path else len(path))
        )

    def _model_side(self) -> JsonSchema:
        schemas = self.schemas.get()
        return schemas.parameters if schemas.separated is None else schemas.separated.llm


def _separated(parameters: JsonSchema, is_human: IsHuman | None) -> Separated | None:
    if is_human is None:
        return None
    separated = separate(parameters, is_human)
    return None if separated.human is None else separated


def _properties(schema: JsonSchema) -> JsonObject:
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def _closed(name: str, parameters: JsonSchema | Sequence[Param]) -> JsonSchema:
    if not isinstance(parameters, Mapping):
        return normalize(parameters_of(parameters, name))
    whole = normalize(parameters)
    resolved = resolve(whole, whole)
    schema = resolved if isinstance(resolved, dict) else whole
    if schema.get("type", "object") != "object":
        raise DefinitionError(
            name,
            f"The parameters have the type {schema['type']!r}.",
            "A model gives arguments by name: wrap them in an object with a property for each.",
        )
    closed = {"additionalProperties": False} if _OPEN.isdisjoint(schema) else {}
    defined = {"$defs": whole["$defs"]} if "$defs" in whole else {}
    return prune({"type": "object", "properties": {}, **schema, **closed, **defined})


_OPEN = frozenset(
    {
        "$ref",
        "additionalProperties",
        "allOf",
        "anyOf",
        "else",
        "if",
        "oneOf",
        "patternProperties",
        "then",
        "unevaluatedProperties",
    }
)
"""Keywords beside which an object is left as it is written: they may allow what it lacks."""


def _method(called: Callable[..., object]) -> Method:
    name = getattr(called, "__qualname__", type(called).__qualname__)
    return Method(qualname=name, is_async=KeywordHandler(called).is_async)


def _truncated(value: JsonValue, cut: Sequence[Repair], repairs: tuple[Repair, ...]) -> Failure:
    return Failure(
        value=value,
        issues=tuple(
            Issue(
                path=repair.path,
                expected="the whole value: the text ended inside it",
                value=repair.after,
                message=f"{repair.path} may be cut off: the text ended right after it.",
            )
            for repair in cut
        ),
        repairs=repairs,
    )
