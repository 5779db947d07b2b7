"""Type hints through pydantic: what reads JSON into the objects they name, and writes it.

Imports pydantic at once, so whoever needs this file imports it when it is needed.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import GenericAlias, NoneType
from typing import Annotated, TypeAlias, cast, get_args, get_origin

from pydantic import ConfigDict, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaMode
from pydantic.types import EncodedBytes
from typing_extensions import TypedDict

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.sources.python.generator import Generator, json_of
from pyfunctools.sources.python.names import Names
from pyfunctools.sources.python.typed_dicts import Rewriter

Adapter = TypeAdapter[dict[str, object]]
"""What reads and writes the values of several hints at once, by name."""

_BASE64 = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")
_TEXT = ConfigDict()


def adapter_of(hints: Mapping[str, object], names: Names) -> Adapter:
    """Give the adapter of these hints, each of which may be absent from the value.

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


def output_adapter(hint: object, names: Names) -> TypeAdapter[tuple[object]]:
    """Give the adapter of a one-item tuple of what comes back.

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


def schema_of(adapter: Adapter, names: Names) -> JsonObject:
    """Give the JSON Schema of what an adapter of several hints reads.

    Raises:
        Exception: whatever pydantic, or a class among the hints, raises.
    """
    generator = partial(Generator, names, base64=False)
    return _generated(adapter, "validation", generator)


def output_schema(adapter: TypeAdapter[tuple[object]], hint: object, names: Names) -> JsonSchema:
    """Give the JSON Schema of what the adapter of one hint writes.

    Raises:
        Exception: whatever pydantic, or a class in the hint, raises.
    """
    generator = partial(Generator, names, base64=not _decodes(hint))
    made = _generated(adapter, "serialization", generator)
    schema = cast("list[JsonSchema]", made["prefixItems"])[0]
    return {**schema, "$defs": made["$defs"]} if "$defs" in made else schema


def _generated(
    adapter: Adapter | TypeAdapter[tuple[object]],
    mode: JsonSchemaMode,
    generator: Callable[..., Generator],
) -> JsonObject:
    kind = cast("type[Generator]", generator)
    made = adapter.json_schema(by_alias=True, mode=mode, schema_generator=kind)
    return cast("JsonObject", json_of(made))


CoreSchema: TypeAlias = Mapping[str, object]
"""pydantic's own description of a hint, of which only a few keys are looked at."""


def fields_of(adapter: Adapter) -> Mapping[str, CoreSchema]:
    """Give pydantic's own description of each field of an adapter, by the field's name."""
    schema = cast("CoreSchema", adapter.core_schema)
    if schema["type"] == "definitions":
        schema = cast("CoreSchema", schema["schema"])
    return cast("Mapping[str, CoreSchema]", schema["fields"])


def key_of(name: str, field: CoreSchema) -> str:
    """Give the name of a field in JSON: its alias, where it has one."""
    alias = field.get("validation_alias", name)
    while isinstance(alias, list):  # the first of several, and the first step of a path
        alias = cast("list[object]", alias)[0]
    return str(alias)


def has_default(fields: Mapping[str, CoreSchema]) -> bool:
    """Say whether pydantic has a default to fill in."""
    return any(cast("CoreSchema", each["schema"])["type"] == "default" for each in fields.values())


def plain_of(fields: Mapping[str, CoreSchema]) -> Mapping[str, tuple[str, frozenset[type]]]:
    """Give, by name in JSON, each field whose values need no pydantic: its name, their types."""
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


def json_default(hint: object, default: object, names: Names) -> JsonValue:
    """Give a default as JSON.

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
    """Say whether bytes in a hint are read from text by a rule of their own (`Base64Bytes`)."""
    return isinstance(hint, EncodedBytes) or any(map(_decodes, get_args(hint)))
