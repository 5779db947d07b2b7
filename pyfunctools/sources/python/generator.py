"""JSON Schema of type hints: pydantic's, said as a model should read it.

Imports pydantic at once, so whoever needs this file imports it when it is needed.
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from inspect import cleandoc
from itertools import islice
from typing import Literal, TypeAlias, cast

from pydantic import BaseModel, ConfigDict
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.fields import FieldInfo
from pydantic.json_schema import (
    GenerateJsonSchema,
    JsonSchemaMode,
    JsonSchemaValue,
    JsonSchemaWarningKind,
)
from pydantic_core import core_schema

from pyfunctools._json import JsonValue
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.sources.python.aliases import SET, UNLISTED
from pyfunctools.sources.python.core import NAMES_KEY, CoreSchema, fields_in, key_of
from pyfunctools.sources.python.docstrings import class_docs
from pyfunctools.sources.python.hint_scope import Namespace

_HERE = __name__.rpartition(".")[0]

_Inner: TypeAlias = (
    core_schema.CoreSchema
    | core_schema.ModelField
    | core_schema.DataclassField
    | core_schema.TypedDictField
    | core_schema.ComputedField
)


class Generator(GenerateJsonSchema):
    """pydantic's own generator, without the titles it makes up, and with the classes' docstrings.

    A branch of a union that has no schema is refused rather than left out. `names` is what texts in
    hints are read with. `base64` says that bytes outside of models are base64 even where pydantic
    does not tell, which before 2.14 it does of no configuration that stands in no class.
    """

    def __init__(
        self,
        names: Namespace,
        *,
        base64: bool,
        by_alias: bool,
        ref_template: str,
        **later: Literal["any_of", "primitive_type_array"],
    ) -> None:
        super().__init__(by_alias=by_alias, ref_template=ref_template, **later)
        self._names = names
        self._base64 = base64
        self._models = 0
        self._enums: dict[tuple[object, object], type] = {}

    def generate(
        self, schema: core_schema.CoreSchema, mode: JsonSchemaMode = "validation"
    ) -> JsonSchemaValue:
        """Return the schema; what pydantic says of enumerations is put right in the end."""
        result = super().generate(schema, mode)
        for _, inner in subschemas(result):
            if isinstance(inner, dict) and "enum" in inner:
                enum = self._enums.get((inner.get("title"), inner.get("description")))
                if enum is not None:
                    _named(self._described(inner, enum), enum)
        return result

    def emit_warning(self, kind: JsonSchemaWarningKind, detail: str) -> None:
        """Refuse what loses a branch; a default that is no JSON is simply not shown."""
        if kind == "skipped-choice":
            raise PydanticInvalidForJsonSchema(detail)

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Leave out a default that JSON cannot say: infinity, or not a number."""
        result = super().default_schema(schema)
        try:
            json_of(result.get("default"))
        except ValueError:
            del result["default"]
        return result

    def field_title_should_be_set(self, schema: _Inner) -> bool:
        """Return False: a field's name is its key already."""
        return False

    def get_title_from_name(self, name: str) -> str:
        """Return the name as it is, for the items of a tuple, which have no keys."""
        return name

    def generate_inner(self, schema: _Inner) -> JsonSchemaValue:
        """Mark what pydantic keeps secret as the human's, unless a field says otherwise."""
        result = super().generate_inner(schema)
        is_field = schema["type"] == "default" or schema["type"].endswith("-field")
        if not is_field and result.get("format") == "password" and result.get("writeOnly") is True:
            result["x-human"] = True
        return result

    def set_schema(self, schema: core_schema.SetSchema) -> JsonSchemaValue:
        """Note that an array is a set; see `only_sets`."""
        return self._noted_set(super().set_schema(schema))

    def frozenset_schema(self, schema: core_schema.FrozenSetSchema) -> JsonSchemaValue:
        """Note that an array is a set, as above."""
        return self._noted_set(super().frozenset_schema(schema))

    def _noted_set(self, result: JsonSchemaValue) -> JsonSchemaValue:
        return {**result, SET: True} if self.mode == "validation" else result

    def bytes_schema(self, schema: core_schema.BytesSchema) -> JsonSchemaValue:
        """Return how bytes are written, and that they are the model's, being no file."""
        result = super().bytes_schema(schema)
        result["x-human"] = False
        if result.pop("format", None) == "base64url" or (self._base64 and not self._models):
            # RFC 4648, sections 4 and 5: both alphabets are read, the second is written.
            result["contentEncoding"] = "base64" if self.mode == "validation" else "base64url"
            if isinstance(least := result.get("minLength"), int):
                result["minLength"] = (least * 4 + 2) // 3
            if isinstance(most := result.get("maxLength"), int):
                result["maxLength"] = (most + 2) // 3 * 4
        return result

    def model_fields_schema(self, schema: core_schema.ModelFieldsSchema) -> JsonSchemaValue:
        """Note the names that a model is read from and that are not listed."""
        return _noted(super().model_fields_schema(schema), schema)

    def dataclass_args_schema(self, schema: core_schema.DataclassArgsSchema) -> JsonSchemaValue:
        """Note the names that a dataclass is read from and that are not listed."""
        return _noted(super().dataclass_args_schema(schema), schema)

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """Describe a model and its fields by its docstrings."""
        self._models += 1
        try:
            return self._described(super().model_schema(schema), schema["cls"])
        finally:
            self._models -= 1

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        """Describe a dataclass and its fields by its docstrings."""
        return self._described(super().dataclass_schema(schema), schema["cls"])

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        """Describe a `TypedDict` and its keys by its docstrings."""
        noted = _noted(super().typed_dict_schema(schema), schema)
        return self._described(noted, schema.get("cls"))

    def enum_schema(self, schema: core_schema.EnumSchema) -> JsonSchemaValue:
        """Remember an enumeration, whose name and docstring pydantic writes later."""
        result = super().enum_schema(schema)
        self._enums[(result.get("title"), result.get("description"))] = schema["cls"]
        return result

    def named_tuple_schema(self, schema: "core_schema.NamedTupleSchema") -> JsonSchemaValue:
        """Describe a named tuple and its items, and name them."""
        return self._described(super().named_tuple_schema(schema), schema["cls"])

    def call_schema(self, schema: core_schema.CallSchema) -> JsonSchemaValue:
        """Describe a named tuple, which is a call to pydantic before 2.13; refuse other calls."""
        if not isinstance(schema["function"], type):
            return self.handle_invalid_for_json_schema(schema, "a function, which is no type")
        return self._described(super().call_schema(schema), schema["function"])

    def is_subclass_schema(self, schema: core_schema.IsSubclassSchema) -> JsonSchemaValue:
        """Refuse classes themselves: JSON has none."""
        return self.handle_invalid_for_json_schema(schema, f"{schema['cls']} itself")

    def _described(self, schema: JsonSchemaValue, cls: object) -> JsonSchemaValue:
        if not isinstance(cls, type):
            return schema
        place = "model_config" if BaseModel in cls.__mro__ else "__pydantic_config__"
        config = cast("ConfigDict", getattr(cls, place, ConfigDict()))
        if schema.get("title") == cls.__name__ and config.get("title") is None:
            del schema["title"]
        if cls.__module__.startswith(_HERE):  # the arguments of a callable, not a user's class
            return schema
        docs = class_docs(cls, self._names)
        if schema.get("description") == cleandoc(cls.__doc__ or ""):
            del schema["description"]
        if docs.text:
            schema.setdefault("description", docs.text)
        for name, place in _places(schema, cls):
            if said := docs.attributes.get(name):
                place.setdefault("description", said)
        return schema


def _named(schema: JsonSchemaValue, enum: type) -> None:
    """Write the names of the numbers of an enumeration; coercion takes the names too."""
    members = {name: each.value for name, each in cast("type[Enum]", enum).__members__.items()}
    values = list(members.values())
    if values != schema["enum"] or not all(type(value) is int for value in values):
        return
    schema["x-enum-varnames"] = list(members)
    told = ", ".join(f"{value} = {name}" for name, value in islice(members.items(), _NAMES))
    said = (schema.get("description"), told + (", …" if len(members) > _NAMES else "") + ".")
    schema["description"] = "\n\n".join(filter(None, said))


_NAMES = 64
"""How many members of an enumeration are told."""


def _noted(result: JsonSchemaValue, schema: CoreSchema) -> JsonSchemaValue:
    """Note beside the properties of a class what it is read from under other names."""
    metadata = cast("Mapping[str, object]", schema.get("metadata") or {})
    listed: Mapping[str, object] = result.get("properties", {})
    others = {**cast("Mapping[str, str | None]", metadata.get(NAMES_KEY) or {})}
    for name, field in fields_in(schema):
        key = key_of(name, field)
        if key not in listed:  # left out of the schema, and read all the same
            others |= dict.fromkeys((key, name))
    others = {name: key for name, key in others.items() if name not in listed}
    return {**result, UNLISTED: others} if others else result


_LARGE = 1 << 64
"""Past this is asked whether Python writes an integer at all: not one of over 4,300 digits."""


def json_of(value: object) -> JsonValue:
    """Return a copy of a value, as it is when it is written as JSON and read again.

    Raises:
        Exception: JSON has no form for it.
    """
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return cast("str | None", value)
    if kind is int and -_LARGE < cast("int", value) < _LARGE:
        return cast("int", value)
    if kind is list:
        return [json_of(each) for each in cast("list[object]", value)]
    if kind is dict and all(type(key) is str for key in cast("dict[object, object]", value)):
        return {key: json_of(each) for key, each in cast("dict[str, object]", value).items()}
    # What is rare: a fraction, a large number, a tuple, a kind of text, a key that is no text.
    from json import dumps, loads

    return cast("JsonValue", loads(dumps(value, allow_nan=False)))


def _places(schema: JsonSchemaValue, cls: type) -> Iterator[tuple[str, JsonSchemaValue]]:
    """Yield the schema of each field of a class, by the field's name."""
    properties: dict[str, JsonSchemaValue] = schema.get("properties", {})
    fields: Mapping[str, FieldInfo] = getattr(cls, "__pydantic_fields__", {})
    aliases = {
        alias: name
        for name, field in fields.items()
        for alias in (field.alias, field.validation_alias, field.serialization_alias)
        if isinstance(alias, str)
    }
    for key, place in properties.items():
        yield aliases.get(key, key), place
    items: list[JsonSchemaValue] = schema.get("prefixItems", [])
    for name, place in zip(getattr(cls, "_fields", ()), items, strict=False):
        place.setdefault("title", name)
        yield name, place
