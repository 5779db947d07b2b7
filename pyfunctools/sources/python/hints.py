"""Type hints through pydantic: what reads JSON into the objects they name, and writes it.

Imports pydantic at once, so whoever needs this file imports it when it is needed.
"""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from types import GenericAlias, NoneType, UnionType
from typing import (
    Annotated,
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
from pydantic.fields import FieldInfo
from pydantic.types import EncodedBytes
from pydantic_core import SchemaValidator, core_schema
from typing_extensions import TypedDict

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.sources.python.core import CoreSchema, MisuseError, Reader, key_of
from pyfunctools.sources.python.generator import Generator, json_of
from pyfunctools.sources.python.hint_scope import Namespace, keys_of

Adapter = TypeAdapter[dict[str, object]]
"""What reads and writes the values of several hints at once, by name."""

_BASE64 = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")
_TEXT = ConfigDict()


def adapter_of(hints: Mapping[str, object], names: Namespace) -> Adapter:
    """Return the adapter of these hints, each of which may be absent from the value.

    `names` is what the texts in the hints of the classes among them mean. `bytes` are base64, but
    where a type decodes them itself.

    Raises:
        Exception: whatever pydantic, or a class among the hints, raises.
    """
    create = cast("Callable[..., type[dict[str, object]]]", TypedDict)
    rewriter = Rewriter(names)
    rewritten = {name: rewriter.hint(hint) for name, hint in hints.items()}
    fields = create("Arguments", rewritten, total=False)
    config = _TEXT if any(map(_decodes, hints.values())) else _BASE64
    setattr(fields, "__pydantic_config__", config)  # noqa: B010 - it is no attribute to a checker
    adapter = TypeAdapter(fields)
    if not adapter.pydantic_complete:
        adapter.rebuild(raise_errors=True, _types_namespace=rewriter.known)
    return adapter


def output_adapter(hint: object, names: Namespace) -> TypeAdapter[tuple[object]]:
    """Return the adapter of a one-item tuple of what comes back.

    Raises:
        Exception: whatever pydantic, or a class in the hint, raises.
    """
    # A class takes no configuration but its own, so the hint stands inside a tuple.
    config = _TEXT if _decodes(hint) else _BASE64
    rewriter = Rewriter(names)
    inside = cast("type[tuple[object]]", GenericAlias(tuple, (rewriter.hint(hint),)))
    adapter = TypeAdapter(inside, config=config)
    if not adapter.pydantic_complete:
        adapter.rebuild(raise_errors=True, _types_namespace=rewriter.known)
    return adapter


class HintReader(NamedTuple):
    """The reader of the values of several hints at once: pydantic, from declared names only.

    `core` is pydantic's own description of them, `read` gives the values out of JSON text.
    """

    core: CoreSchema
    read: Callable[[str], Any]
    marked: bool


def reading_of(hints: Mapping[str, object], names: Namespace) -> HintReader:
    """Return the reader of these hints: that of `adapter_of`, from declared names only.

    Raises:
        Exception: whatever pydantic, or a class among the hints, raises; a `MisuseError` for a mark
            that would mark nothing, and for names that cannot be told apart.
    """
    adapter, reader = adapter_of(hints, names), Reader()
    core = reader.read(cast("CoreSchema", adapter.core_schema))
    changed = _only_declared(core) if reader.changed else None
    cause = _OWN_VALIDATORS if reader.changed and changed is None else reader.unreadable
    if cause is not None and reader.marked:  # else all of it is the model's, whatever is read
        reason = "a field is read under another field's name, or by an `AliasPath` alone"
        raise MisuseError(f"{reason}, and {cause}.", "Give the field a plain alias of its own.")
    validator = adapter.validator if changed is None else changed
    # What a schema lists is the alias, also where the configuration of a class turns it off.
    read = cast(
        "Callable[[str], dict[str, object]]", partial(validator.validate_json, by_alias=True)
    )
    return HintReader(core, read, reader.marked)


def _only_declared(core: CoreSchema) -> SchemaValidator | None:
    """Return the validator of a core schema that differs from that of its classes.

    `None` before pydantic 2.13, where each class is validated by its own.
    """
    build = cast("Callable[..., SchemaValidator]", SchemaValidator)
    try:
        return build(core, None, _use_prebuilt=False)
    except TypeError:
        return None


_OWN_VALIDATORS = "only from pydantic 2.13 on a class can be read otherwise"


def schema_of(reading: HintReader, names: Namespace) -> JsonObject:
    """Return the JSON Schema of what is read, with the names noted that it does not list.

    Raises:
        Exception: whatever pydantic, or a class among the hints, raises.
    """
    generator = Generator(names, base64=False, by_alias=True, ref_template="#/$defs/{model}")
    core = cast("core_schema.CoreSchema", reading.core)
    return cast("JsonObject", json_of(generator.generate(core, "validation")))


def output_schema(
    adapter: TypeAdapter[tuple[object]], hint: object, names: Namespace
) -> JsonSchema:
    """Return the JSON Schema of what the adapter of one hint writes.

    Raises:
        Exception: whatever pydantic, or a class in the hint, raises.
    """
    generator = partial(Generator, names, base64=not _decodes(hint))
    kind = cast("type[Generator]", generator)
    found = adapter.json_schema(by_alias=True, mode="serialization", schema_generator=kind)
    made = cast("JsonObject", json_of(found))
    schema = cast("list[JsonSchema]", made["prefixItems"])[0]
    return {**schema, "$defs": made["$defs"]} if "$defs" in made else schema


def fields_of(reading: HintReader) -> Mapping[str, CoreSchema]:
    """Return pydantic's own description of each hint that is read, by its name."""
    core = reading.core
    if core["type"] == "definitions":
        core = cast("CoreSchema", core["schema"])
    return cast("Mapping[str, CoreSchema]", core["fields"])


def has_default(fields: Mapping[str, CoreSchema]) -> bool:
    """Return whether pydantic has a default to fill in."""
    return any(cast("CoreSchema", each["schema"])["type"] == "default" for each in fields.values())


def plain_of(fields: Mapping[str, CoreSchema]) -> Mapping[str, tuple[str, frozenset[type]]]:
    """Return, by name in JSON, each field whose values need no pydantic: its name, their types."""
    return {
        key_of(name, field): (name, types)
        for name, field in fields.items()
        if (types := _plain_types(cast("CoreSchema", field["schema"])))
    }


def _plain_types(schema: CoreSchema) -> frozenset[type]:
    types = frozenset[type]()
    if schema["type"] == "nullable" and schema.keys() <= {"type", "schema", "metadata"}:
        schema, types = cast("CoreSchema", schema["schema"]), frozenset({NoneType})
    plain = _PLAIN.get(str(schema["type"])) if schema.keys() <= {"type", "metadata"} else None
    return frozenset() if plain is None else types | {plain}


_PLAIN: Mapping[str, type] = {
    "bool": bool,
    "float": float,
    "int": int,
    "none": NoneType,
    "str": str,
}


def json_default(hint: object, default: object, names: Namespace) -> JsonValue:
    """Return a default as JSON.

    That `None` fits is the caller's to know.

    Raises:
        Exception: it does not fit its hint, or JSON has no form for it.
    """
    scalar = isinstance(hint, type) and hint in _PLAIN.values() and type(default) is hint
    if default is None or scalar:
        return json_of(default)
    if get_origin(hint) is Annotated:  # aliases and the like mean nothing outside of an object
        bare, *marks = get_args(hint)
        kept = [mark for mark in marks if not isinstance(mark, FieldInfo)]
        hint = Annotated[(bare, *kept)] if kept else bare
    adapter = output_adapter(hint, names)
    value = adapter.dump_python((default,), mode="json", by_alias=True, warnings="error")[0]
    return json_of(value)


def _decodes(hint: object) -> bool:
    """Return whether bytes in a hint are read from text by a rule of their own (`Base64Bytes`)."""
    return isinstance(hint, EncodedBytes) or any(map(_decodes, get_args(hint)))


class Rewriter:
    """A rewriter of hints: each `typing.TypedDict` becomes one of `typing_extensions`.

    Before Python 3.12 pydantic takes no other; from then on nothing is rewritten. `names` is what
    texts in hints are read with; `known` adds the classes made, as one may name itself in its
    hints.
    """

    def __init__(self, names: Namespace) -> None:
        self.known: dict[str, object] = dict(names)
        self._names = names
        self._made: dict[type, object] = {}

    def hint(self, hint: object) -> object:
        """Return one hint, rewritten.

        Raises:
            Exception: whatever evaluating the hints of a `TypedDict` raises.
        """
        if sys.version_info >= (3, 12):
            return hint
        if isinstance(hint, type) and is_typeddict(hint):
            return self._class(hint)
        origin, inner = get_origin(hint), get_args(hint)
        if origin in (None, Literal, Callable):
            return hint
        seen = inner[:1] if origin is Annotated else inner
        rewritten = tuple(map(self.hint, seen))
        if all(new is old for new, old in zip(rewritten, seen, strict=True)):
            return hint
        return _of(origin, (*rewritten, *inner[len(seen) :]))

    def _class(self, cls: type) -> object:
        if cls in self._made:
            return self._made[cls]
        name = f"{cls.__name__}_{len(self._made)}"
        self._made[cls] = ForwardRef(name)
        hints = {
            key: _of(Required if required else NotRequired, (self.hint(hint),))
            for key, (hint, required) in keys_of(cls, self._names).items()
        }
        made = cast("Callable[..., type]", TypedDict)(cls.__name__, hints)
        for attribute in ("__module__", "__qualname__", "__doc__", "__pydantic_config__"):
            if hasattr(cls, attribute):
                setattr(made, attribute, getattr(cls, attribute))
        self._made[cls] = self.known[name] = made
        return made


def _of(origin: object, inner: tuple[object, ...]) -> object:
    if origin is Annotated:
        return Annotated[inner]
    if origin is Union or origin is UnionType:
        return Union[inner]  # noqa: UP007 - made at run time
    if origin is Required:
        return Required[inner[0]]
    if origin is NotRequired:
        return NotRequired[inner[0]]
    return GenericAlias(cast("type", origin), inner)
