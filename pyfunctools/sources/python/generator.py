"""JSON Schema of type hints: pydantic's generator, with descriptions that help a model.

This module imports pydantic, so other modules import it only when it is needed.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import Enum, Flag
from functools import partial
from inspect import cleandoc
from itertools import islice
from typing import Any, TypeAlias, cast

from pydantic import BaseModel, ConfigDict
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.fields import FieldInfo
from pydantic.json_schema import (
    GenerateJsonSchema,
    JsonRef,
    JsonSchemaMode,
    JsonSchemaValue,
    JsonSchemaWarningKind,
)
from pydantic_core import core_schema, from_json

from pyfunctools._json import JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools.schema.separation.predicates import ITEM_NAME, sounds_secret
from pyfunctools.schema.vocabulary import VALUE_LISTS
from pyfunctools.sources.python.core_schema import (
    KNOWN,
    ClassNames,
    CoreSchema,
    fields_in,
    is_generic_secret,
    is_pydantics,
    unskipped,
)
from pyfunctools.sources.python.docstrings import class_docs
from pyfunctools.sources.python.hint_scope import Namespace
from pyfunctools.sources.python.markers import HUMAN_KEY, SECRET
from pyfunctools.sources.python.unlisted_names import UNLISTED

_HERE = __name__.rpartition(".")[0]

_Inner: TypeAlias = (
    core_schema.CoreSchema
    | core_schema.ModelField
    | core_schema.DataclassField
    | core_schema.TypedDictField
    | core_schema.ComputedField
)

_DESCRIBED = ("model", "dataclass", "typed-dict", "named-tuple")
"""Kinds of core schemas of classes with docstrings."""


class Generator(GenerateJsonSchema):
    """pydantic's generator, without generated titles, and with the docstrings of classes.

    A branch of a union without a schema is an error. `names` is the namespace of the hints.
    `has_unlisted` tells whether `UNLISTED` was written.
    """

    def __init__(self, names: Namespace) -> None:
        super().__init__(by_alias=True, ref_template="#/$defs/{model}")
        self._names = names
        self._classes: list[CoreSchema] = []
        self.has_unlisted = False

    def generate(
        self, schema: core_schema.CoreSchema, mode: JsonSchemaMode = "validation"
    ) -> JsonSchemaValue:
        """Return the JSON Schema, as JSON.

        Raises:
            Exception: whatever pydantic raises, or a class added a value that is not JSON.
        """
        return cast("JsonSchemaValue", as_json(super().generate(schema, mode)))

    def emit_warning(self, kind: JsonSchemaWarningKind, detail: str) -> None:
        """Refuse a lost branch of a union; ignore all other warnings."""
        if kind == "skipped-choice":
            raise PydanticInvalidForJsonSchema(detail)

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Leave out a default that is not JSON; an output may be null if that is its default."""
        result = super().default_schema(schema)
        try:
            as_json(result.get("default"))
        except ValueError:  # such as infinity
            del result["default"]
        if self.mode == "serialization" and result.get("default", ...) is None:
            inner = {key: value for key, value in result.items() if key != "default"}
            branches = inner["anyOf"] if inner.keys() == {"anyOf"} else [inner]
            if {} not in branches and {"type": "null"} not in branches:
                result = {"anyOf": [*branches, {"type": "null"}], "default": None}
        return result

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        """Write the values of an integer enumeration as text, where they are the keys of a map."""
        result = super().dict_schema(schema)
        names: JsonSchemaValue = result.get("propertyNames", {})
        enum = self._target(names)
        if enum.get("type") == "integer" and "enum" in enum:
            values = [str(each) for each in enum["enum"]]
            beside = {key: each for key, each in names.items() if key != "$ref"}
            result["propertyNames"] = {**enum, **beside, "type": "string", "enum": values}
        return result

    def _target(self, schema: JsonSchemaValue) -> JsonSchemaValue:
        """Return the definition that a JSON Schema refers to, or the schema itself."""
        reference = cast("JsonRef | None", schema.get("$ref"))
        return (self.get_schema_from_definitions(reference) if reference else None) or schema

    def tagged_union_schema(self, schema: core_schema.TaggedUnionSchema) -> JsonSchemaValue:
        """Write `anyOf` if a function of the user's picks the branch: several may fit."""
        result = super().tagged_union_schema(schema)
        if callable(schema["discriminator"]) and "oneOf" in result:
            result["anyOf"] = result.pop("oneOf")
        return result

    def field_title_should_be_set(self, schema: _Inner) -> bool:
        """Return False: the key of a field is its name already."""
        return False

    def get_title_from_name(self, name: str) -> str:
        """Return the name unchanged, for the items of a tuple, which have no keys."""
        return name

    def generate_inner(self, schema: _Inner) -> JsonSchemaValue:
        """Mark secret types as human, and add the unlisted names of a class."""
        metadata = cast("CoreSchema", schema.get("metadata", {}))
        if KNOWN in metadata:
            return dict(cast("Lazy[JsonSchemaValue]", metadata[KNOWN]).value)
        if HUMAN_KEY in metadata:
            schema = cast("_Inner", unskipped(cast("CoreSchema", schema)))
        result, kind = super().generate_inner(schema), schema["type"]
        is_field = kind == "default" or kind.endswith("-field")
        if not is_field and result.get("format") == "password" and result.get("writeOnly") is True:
            result["x-human"] = True
            if kind == "lax-or-strict" and not (self._classes and is_pydantics(self._classes[-1])):
                result.pop("contentEncoding", None)  # `SecretBytes` are typed: see `CoreReader`
        elif "function" in schema and is_generic_secret(cast("CoreSchema", schema)):
            result = {**result, **SECRET}
        if kind == "enum":
            target = self._target(result)
            enum = cast("type[Enum]", cast("core_schema.EnumSchema", schema)["cls"])
            _with_member_names(self._described(target, enum), enum)
        if kind in ("model-fields", "dataclass-args"):
            return self._with_unlisted(result, cast("CoreSchema", schema), self._classes[-1])
        return result

    def bytes_schema(self, schema: core_schema.BytesSchema) -> JsonSchemaValue:
        """Add the encoding of bytes; the model gives them, since they are not a file."""
        result = super().bytes_schema(schema)
        result["x-human"] = False
        if result.pop("format", None) == "base64url":
            # RFC 4648, sections 4 and 5: both alphabets are read, the second one is written.
            result["contentEncoding"] = "base64" if self.mode == "validation" else "base64url"
            if isinstance(least := result.get("minLength"), int):
                result["minLength"] = (least * 4 + 2) // 3
            if isinstance(most := result.get("maxLength"), int):
                result["maxLength"] = (most + 2) // 3 * 4
        return result

    def build_schema_type_to_method(self) -> dict[Any, Callable[[Any], JsonSchemaValue]]:
        """Describe classes and their fields by their docstrings."""
        methods: dict[Any, Callable[[Any], JsonSchemaValue]] = super().build_schema_type_to_method()
        described = {kind: partial(self._class_schema, methods[kind]) for kind in _DESCRIBED}
        return {**methods, **described}

    def _class_schema(
        self, write: Callable[[CoreSchema], JsonSchemaValue], schema: CoreSchema
    ) -> JsonSchemaValue:
        self._classes.append(schema)
        try:
            result = write(schema)
        finally:
            self._classes.pop()
        if schema["type"] == "typed-dict":
            result = self._with_unlisted(result, schema, schema)
        return self._described(result, schema.get("cls"))

    def call_schema(self, schema: core_schema.CallSchema) -> JsonSchemaValue:
        """Describe a named tuple (pydantic before 2.13 has it as a call); refuse other calls."""
        if not isinstance(schema["function"], type):
            return self.handle_invalid_for_json_schema(schema, "a function, which is not a type")
        return self._described(super().call_schema(schema), schema["function"])

    def is_subclass_schema(self, schema: core_schema.IsSubclassSchema) -> JsonSchemaValue:
        """Refuse classes themselves, which are not JSON."""
        return self.handle_invalid_for_json_schema(schema, f"{schema['cls']} itself")

    def _with_unlisted(
        self, result: JsonSchemaValue, node: CoreSchema, cls: CoreSchema
    ) -> JsonSchemaValue:
        """Return the JSON Schema of a class with `UNLISTED`: the names that only pydantic reads."""
        if self.mode == "serialization":
            return result
        listed: Mapping[str, object] = result.get("properties", {})
        declared, others, *_ = ClassNames.of(node, fields_in(node), cls)
        names = {name: key for name, key in others.items() if name not in declared.values()}
        for name, key in declared.items():
            if key not in listed:  # hidden from the schema, but pydantic reads it
                names |= dict.fromkeys((key, name))
        names = {name: key for name, key in names.items() if name not in listed}
        self.has_unlisted = self.has_unlisted or bool(names)
        return {**result, UNLISTED: names} if names else result

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
        for name, field in _field_schemas(schema, cls):
            if text := docs.attributes.get(name):
                field.setdefault("description", text)
            if "prefixItems" in schema:  # an item has no name: it says its own, and no other's
                field["description"] = ": ".join(filter(None, (name, field.get("description"))))
        return schema


def _with_member_names(schema: JsonSchemaValue, enum: type[Enum]) -> None:
    """Add the member names of an enumeration of integers; coercion accepts the names too."""
    members = {name: each.value for name, each in enum.__members__.items()}
    values = list(members.values())
    named = ", ".join(f"{value} = {name}" for name, value in islice(members.items(), _MAX_MEMBERS))
    named += ", …." if len(members) > _MAX_MEMBERS else "."
    if issubclass(enum, Flag) and not VALUE_LISTS.isdisjoint(schema):
        for keyword in VALUE_LISTS:
            schema.pop(keyword, None)
        bits = 0
        for value in values:
            bits |= value
        schema |= {"minimum": 0, "maximum": bits}
        _add_line(schema, f"The sum of any of {named}")
        return
    is_known = "x-enum-varnames" in schema
    if is_known or values != schema.get("enum") or not all(type(each) is int for each in values):
        return
    schema["x-enum-varnames"] = list(members)
    _add_line(schema, named)


def _add_line(schema: JsonSchemaValue, line: str) -> None:
    schema["description"] = "\n\n".join(filter(None, (schema.get("description"), line)))


_MAX_MEMBERS = 64
"""The most members of an enumeration that a description names."""


def as_json(value: object) -> JsonValue:
    """Return a copy of a value as JSON: tuples become lists, keys become text.

    Raises:
        Exception: the value cannot be written as JSON.
    """
    from json import dumps

    return from_json(dumps(value, allow_nan=False), cache_strings="all")


def _field_schemas(schema: JsonSchemaValue, cls: type) -> Iterator[tuple[str, JsonSchemaValue]]:
    """Yield the schema of each field of a class, by the field's name."""
    properties: dict[str, JsonSchemaValue] = schema.get("properties", {})
    fields: Mapping[str, FieldInfo] = getattr(cls, "__pydantic_fields__", {})
    aliases = {
        alias: name
        for name, field in fields.items()
        for alias in (field.alias, field.validation_alias, field.serialization_alias)
        if isinstance(alias, str)
    }
    for key, field in properties.items():
        yield aliases.get(key, key), field
    items: list[JsonSchemaValue] = schema.get("prefixItems", [])
    for name, item in zip(getattr(cls, "_fields", ()), items, strict=False):
        item.setdefault("title", name)
        if sounds_secret(name):
            item[ITEM_NAME] = name
        yield name, item
