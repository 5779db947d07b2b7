"""Type hints through pydantic: JSON Schema, validation of JSON, and serialization.

This module imports pydantic, so other modules import it only when it is needed. Its functions raise
whatever pydantic, or a class among the hints, raises.
"""

import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from types import GenericAlias, NoneType, UnionType
from typing import (
    Any,
    ForwardRef,
    Literal,
    NamedTuple,
    NotRequired,
    Required,
    Union,
    cast,
    get_args,
    get_origin,
    is_typeddict,
)

from pydantic import ConfigDict, TypeAdapter
from pydantic_core import SchemaSerializer, SchemaValidator, core_schema
from typing_extensions import TypedDict

from pyfunctools._json import JsonObject, JsonSchema
from pyfunctools._lazy import Lazy
from pyfunctools.errors import DefinitionError
from pyfunctools.sources.python.core_schema import KNOWN, CoreReader, CoreSchema
from pyfunctools.sources.python.generator import Generator
from pyfunctools.sources.python.hint_scope import Namespace, keys_of
from pyfunctools.sources.python.type_arguments import subscripted, with_inner

_BASE64 = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")


class HintReading(NamedTuple):
    """Several hints as the fields of one object, as pydantic reads them.

    `core` is pydantic's core schema of this object, `fields` are its fields. `is_plain`: writing
    the JSON Schema cannot fail, nor lose a mark. `marked_in` are the fields that a person gives a
    part of (`CoreReader.marked_in`). `read` parses and validates JSON text.
    """

    core: CoreSchema
    fields: Mapping[str, CoreSchema]
    is_plain: bool
    marked_in: Collection[str]
    read: Callable[..., dict[str, object]]


def read_hints(hints: Mapping[str, object], names: Namespace) -> HintReading:
    """Return the fields of one object for hints by name, all of them optional.

    `names` is the namespace for the hints of classes among them. `bytes` are base64. A mark without
    effect, and names that pydantic cannot tell apart, are a `DefinitionError`.
    """
    basic = {n: _basic_field(hint, spelled(hint)) for n, hint in hints.items() if _is_basic(hint)}
    rest = {name: hint for name, hint in hints.items() if name not in basic}
    whole = _core_of(rest, names) if rest else _NO_FIELDS
    root = {**cast("CoreSchema", whole["schema"] if "definitions" in whole else whole)}
    read = {**cast("Mapping[str, CoreSchema]", root["fields"]), **basic}
    fields = root["fields"] = {name: read[name] for name in hints}
    core = {**whole, "schema": root} if "definitions" in whole else root
    reader = CoreReader(core)
    # Without a mark the model may set every field.
    if (field := reader.unread or (reader.shared if reader.marked else None)) is not None:
        clash = f"`{field}` is read by an `AliasPath` alone, or under another field's name."
        raise DefinitionError(field, clash, "Give the field a plain alias of its own.")
    if (field := reader.unreadable) is not None:
        reason = f"pydantic reads no value of `{field}` from JSON."
        remedy = "Write a `StrEnum` or an `IntEnum`: a `Literal` takes no member of a plain `Enum`."
        raise DefinitionError(field, reason, remedy)
    of_fields = {id(each["schema"]) for each in fields.values()} if reader.marked else ()
    validator = SchemaValidator(cast("core_schema.CoreSchema", core))
    return HintReading(
        core=core,
        fields=fields,
        is_plain=reader.is_plain and all(id(each) in of_fields for each in reader.marked),
        marked_in=frozenset(reader.marked_in),
        # Aliases are read, as the schema lists them, whatever the configuration of a class.
        read=partial(validator.validate_json, by_alias=True),
    )


def _core_of(hints: Mapping[str, object], names: Namespace) -> CoreSchema:
    """Return the core schema of an object with fields for these hints."""
    rewriter = TypedDictRewriter(names)
    rewritten = {name: rewriter.hint(hint) for name, hint in hints.items()}
    adapter = TypeAdapter(_arguments(rewritten))
    if not adapter.pydantic_complete:
        adapter.rebuild(raise_errors=True, _types_namespace=rewriter.known)
    core = cast("CoreSchema", adapter.core_schema)
    root = cast("dict[str, object]", core["schema"] if "definitions" in core else core)
    # Of the class only the configuration is needed from here on; the class itself takes 5 kB.
    root["cls"] = _NO_ARGUMENTS
    root.pop("ref", None)  # nothing refers to it
    return core


def _arguments(hints: Mapping[str, object]) -> type[object]:
    """Return a class with fields for these hints, in which `bytes` are base64."""
    fields = cast("Callable[..., type[object]]", TypedDict)("Arguments", hints, total=False)
    setattr(fields, "__pydantic_config__", _BASE64)  # noqa: B010 - unknown to a type checker
    return fields


_NO_ARGUMENTS = _arguments({})
_NO_FIELDS: CoreSchema = core_schema.typed_dict_schema({}, cls=_NO_ARGUMENTS)


def spelled(hint: object) -> tuple[object, ...]:
    """Return a hint as a key: `int | str` and `str | int` are equal, but their schemas are not."""
    return (hint, type(hint), *map(spelled, get_args(hint)))


def _is_basic(hint: object) -> bool:
    """Return whether a hint is made of Python's own types alone, without a mark or a name."""
    origin = get_origin(hint)
    if origin is Literal:
        return all(type(each) in _BASIC for each in get_args(hint))
    if origin is None:
        return any(hint is each for each in _BASIC)
    return origin in _BASIC_ORIGINS and all(map(_is_basic, get_args(hint)))


_BASIC = (str, int, float, bool, NoneType, Any)
_BASIC_ORIGINS = (list, dict, Union, UnionType)


@lru_cache(maxsize=256)
def _basic_field(hint: object, spelled: object) -> CoreSchema:
    """Return the field of a basic hint, with its JSON Schema: all objects with one share it."""
    inner = TypeAdapter[object](cast("type", hint)).core_schema
    known = Lazy(lambda: Generator({}).generate(inner))
    return core_schema.typed_dict_field(inner, required=False, metadata={KNOWN: known})


def input_schema(core: CoreSchema, names: Namespace) -> tuple[JsonObject, bool]:
    """Return the JSON Schema of an object as it is read, and whether it has `UNLISTED` names."""
    generator = Generator(names)
    return generator.generate(cast("core_schema.CoreSchema", core)), generator.has_unlisted


def output_core(hint: object, names: Namespace) -> tuple[CoreSchema, bool]:
    """Return the core schema of an object with an output, and whether its schema is plain.

    The output is the only item of a tuple: there, the settings of a `Field` have no effect on it.
    """
    core, is_plain = _core_of({"output": GenericAlias(tuple, (hint,))}, names), False
    with suppress(DefinitionError):  # a mark has no meaning in an output
        is_plain = CoreReader(core).is_plain
    return core, is_plain


def output_schema(core: CoreSchema, names: Namespace) -> JsonSchema:
    """Return the JSON Schema of an output as it is written."""
    whole = Generator(names).generate(cast("core_schema.CoreSchema", core), "serialization")
    schema = cast("list[JsonSchema]", whole["properties"]["output"]["prefixItems"])[0]
    return {**schema, "$defs": whole["$defs"]} if "$defs" in whole else schema


def output_serializer(core: CoreSchema) -> SchemaSerializer:
    """Return the serializer of an object with an output: `{"output": (value,)}`."""
    root = cast("core_schema.TypedDictSchema", core["schema"] if "definitions" in core else core)
    return SchemaSerializer(cast("core_schema.CoreSchema", core), root.get("config"))


def plain_types(schema: CoreSchema) -> frozenset[type]:
    """Return the types of the values of a core schema, if they need no pydantic: `int`, ..."""
    if schema["type"] == "nullable" and schema.keys() <= {"type", "schema", "metadata"}:
        inner = plain_types(cast("CoreSchema", schema["schema"]))
        return inner | {NoneType} if inner else inner
    is_plain = schema.keys() <= {"type", "metadata"}
    return _PLAIN.get(schema["type"], _NOT_PLAIN) if is_plain else _NOT_PLAIN


_NOT_PLAIN = frozenset[type]()
_PLAIN: Mapping[object, frozenset[type]] = {
    kind.__name__: frozenset({kind}) for kind in (bool, float, int, str)
}


class TypedDictRewriter:
    """A rewriter of `typing.TypedDict` classes in hints to classes of `typing_extensions`.

    Before Python 3.12 pydantic accepts only these; later versions need no rewriting. `names` is the
    namespace of the hints; `known` also has the new classes, since a class may refer to itself.
    """

    def __init__(self, names: Namespace) -> None:
        self.known: dict[str, object] = dict(names)
        self._names = names
        self._rewritten: dict[type, object] = {}

    def hint(self, hint: object) -> object:
        """Return one rewritten hint."""
        if sys.version_info >= (3, 12):
            return hint
        if isinstance(hint, type) and is_typeddict(hint):
            return self._class(hint)
        return with_inner(hint, self.hint)

    def _class(self, cls: type) -> object:
        if cls in self._rewritten:
            return self._rewritten[cls]
        name = f"{cls.__name__}_{len(self._rewritten)}"
        self._rewritten[cls] = ForwardRef(name)
        hints = {
            key: subscripted(Required if required else NotRequired, (self.hint(hint),))
            for key, (hint, required) in keys_of(cls, self._names).items()
        }
        created = cast("Callable[..., type]", TypedDict)(cls.__name__, hints)
        for attribute in ("__module__", "__qualname__", "__doc__", "__pydantic_config__"):
            if hasattr(cls, attribute):
                setattr(created, attribute, getattr(cls, attribute))
        self._rewritten[cls] = self.known[name] = created
        return created
