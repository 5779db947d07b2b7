"""pydantic's core schema of hints, and the names that pydantic reads each field from.

A field has one declared name, its key in the JSON Schema. pydantic also reads unlisted names: the
name of a field beside its alias (`validate_by_name`), every choice of `AliasChoices`, the head of
an `AliasPath`, and the names of fields that the schema hides. If a person gives a field, only a
person may use its unlisted names. `CoreReader.read` stores them in the metadata of each class
(`UNLISTED`). If one is the declared name of another field, a mark cannot hold; and if the declared
name itself is not read, nobody can give the field: both are errors.

Example: `token: str = Field(validation_alias=AliasPath("meta", "token"))` beside `meta: dict` is
declared as `token`, but pydantic reads it from `meta` only.
"""

import sys
from collections.abc import Iterator, Mapping
from typing import TypeAlias, cast

from pydantic import SecretBytes, SecretStr, TypeAdapter
from pydantic.json_schema import SkipJsonSchema

from pyfunctools.record.file import File
from pyfunctools.sources.python.markers import (
    FOREIGN_REMEDY,
    HUMAN_KEY,
    ContextPart,
    Inject,
    foreign_class,
    mark_in,
    remedy_of,
)
from pyfunctools.sources.python.unlisted_names import UNLISTED, ReadClass

CoreSchema: TypeAlias = Mapping[str, object]
"""pydantic's description of a hint; only a few of its keys are used."""

INNER = (
    "schema",
    "choices",
    "items_schema",
    "keys_schema",
    "values_schema",
    "lax_schema",
    "strict_schema",
    "json_schema",
    "python_schema",
    "json_schema_input_schema",
    "steps",
    "fields",
    "arguments_schema",
    "var_args_schema",
    "var_kwargs_schema",
    "extras_schema",
    "definitions",
)
"""Keys that hold core schemas: one, a list (of fields, too), or a mapping by name."""


class MisuseError(Exception):
    """A hint that pydantic accepts but that would have no effect, with the remedy."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.remedy = remedy


class CoreReader:
    """A reader of core schemas, which collects facts about them.

    `is_marked`: a person gives some part. `unread`: a field that is not read by its declared name.
    `shared`: a field that is also read by the declared name of another one. `classes`: the classes
    that are read from more names than they declare. `is_plain`: writing the JSON Schema cannot
    fail.
    """

    def __init__(self) -> None:
        self.is_marked = False
        self.is_plain = True
        self.unread: str | None = None
        self.shared: str | None = None
        self.classes: list[ReadClass] = []

    def read(self, node: CoreSchema, cls: CoreSchema | None = None, field: str = "") -> CoreSchema:
        """Return a core schema with the unlisted names of each class, unchanged without such names.

        `cls` is the core schema of the class around it, `field` the name of the field it is in.

        Raises:
            MisuseError: a default is a mark, or an inner part is marked as injected.
        """
        kind = node.get("type")
        if kind == "default" and (mark := mark_in(node.get("default"))):
            reason = f"the default of `{field}` is `{mark}`, a mark, which has no effect there."
            raise MisuseError(reason, remedy_of(mark))
        self.is_plain = self.is_plain and _is_plain(node)
        node = self._with_mark(node)
        if kind == "function-plain":  # from the hint that it replaces, only marks are used
            replaced = CoreReader()
            for inner in replaced_in(node):
                replaced.read(inner)
            self.is_marked = self.is_marked or replaced.is_marked
        if kind in ("model", "dataclass", "typed-dict"):
            if name := foreign_class(node.get("cls")):
                reason = f"an inner part is `{name}`, which only its own library fills in."
                raise MisuseError(reason, f"Make it a parameter of its own. {FOREIGN_REMEDY}")
            cls = node
        elif cls is None:
            cls = node
        found: dict[str, object] = {}
        for key in INNER:
            if key in node and (read := self._inner(node[key], cls, field)) is not node[key]:
                found[key] = read
        node = {**node, **found} if found else node
        return self._with_names(node, cls) if kind in _FIELDS else node

    def _inner(self, inner: object, cls: CoreSchema, field: str) -> object:
        if isinstance(inner, dict):
            held = cast("dict[str, object]", inner)
            name = str(held["name"]) if isinstance(held.get("name"), str) else ""
            if isinstance(held.get("type"), str):
                return self.read(held, cls, name or field)
            read = {key: self._inner(each, cls, name or key) for key, each in held.items()}
            return read if any(read[key] is not held[key] for key in held) else held
        if isinstance(inner, list | tuple):
            listed = cast("list[object] | tuple[object, ...]", inner)
            items = [self._inner(each, cls, field) for each in listed]
            same = all(new is old for new, old in zip(items, listed, strict=True))
            return listed if same else type(listed)(items)
        return inner

    def _with_mark(self, node: CoreSchema) -> CoreSchema:
        """Return a core schema, without `SkipJsonSchema` if it has a human mark."""
        metadata = cast("Mapping[str, object]", node.get("metadata") or {})
        mark = metadata.get(HUMAN_KEY)
        if mark is None:
            self.is_marked = self.is_marked or is_secret_type(node)
            return node
        if isinstance(mark, ContextPart | Inject):
            reason = "an inner part is marked as injected, which only a parameter can be."
            raise MisuseError(reason, "Make it a parameter of its own.")
        self.is_marked = True
        return {**node, "metadata": {key: _unskipped(each) for key, each in metadata.items()}}

    def _with_names(self, node: CoreSchema, cls: CoreSchema) -> CoreSchema:
        fields = fields_in(node)
        config = cast("CoreSchema", cls.get("config") or {})
        by_name = config.get("validate_by_name") is True
        declared = {name: declared_name(name, field) for name, field in fields.items()}
        others: dict[str, str | None] = {}
        if config.get("extra_fields_behavior", node.get("extra_behavior")) == "allow":
            others |= {name: declared.get(field) for name, field in _written(node, fields)}
        for name, field in fields.items():
            heads, own = _heads(name, field), declared[name]
            heads |= {name} if by_name else set()
            others |= dict.fromkeys(heads - {own}, own)
            if own not in heads:
                self.unread = name
            if not heads.isdisjoint(set(declared.values()) - {own}):
                self.shared = name
        if others:
            self.classes.append(ReadClass(frozenset(declared.values()), others))
        others = {name: key for name, key in others.items() if name not in declared.values()}
        if not others:
            return node
        metadata = cast("dict[str, object]", node.get("metadata") or {})
        return {**node, "metadata": {**metadata, UNLISTED: others}}


def read_core(hint: object) -> tuple[CoreReader, CoreSchema]:
    """Return the core schema of a hint as it is read, with its reader.

    Raises:
        Exception: whatever pydantic, or a class in the hint, raises; a `MisuseError`.
    """
    reader = CoreReader()
    adapter = TypeAdapter[object](cast("type", hint))
    return reader, reader.read(cast("CoreSchema", adapter.core_schema))


def fields_in(node: CoreSchema) -> Mapping[str, CoreSchema]:
    """Return the fields of a class by their names, `{}` for other core schemas."""
    fields = node.get("fields")
    if isinstance(fields, dict):
        return cast("Mapping[str, CoreSchema]", fields)
    listed = cast("list[CoreSchema]", fields or [])
    return {str(field["name"]): field for field in listed if isinstance(field, dict)}


def declared_name(name: str, field: CoreSchema) -> str:
    """Return the name of a field in pydantic's JSON Schema.

    It is the alias, the first choice that is not a path, or else the name of the field.
    """
    alias = field.get("validation_alias", name)
    if isinstance(alias, str):
        return alias
    return str(next((path[0] for path in _paths(alias) if len(path) == 1), name))


def replaced_in(node: CoreSchema) -> Iterator[CoreSchema]:
    """Yield the core schema that a `PlainValidator` replaces; pydantic keeps it for output."""
    written = node.get("serialization")
    if isinstance(written, dict):
        held = cast("CoreSchema", written).get("schema")
        if isinstance(held, dict):
            yield cast("CoreSchema", held)


def is_secret_type(node: CoreSchema) -> bool:
    """Return whether a core schema is of a secret or an upload, which only a person gives."""
    called = _called(node)
    if called is None or is_generic_secret(node):
        return called is not None
    made = called if isinstance(called, type) else getattr(called, "__self__", None)
    uploads = sys.modules.get("starlette.datastructures")  # imported by code that hints an upload
    kinds = (SecretStr, SecretBytes, File, *((uploads.UploadFile,) if uploads else ()))
    return isinstance(made, type) and issubclass(made, kinds)


def is_generic_secret(node: CoreSchema) -> bool:
    """Return whether a core schema is of `pydantic.Secret[T]`; only its functions tell."""
    called = _called(node)
    is_pydantics = getattr(called, "__module__", None) == "pydantic.types"
    return is_pydantics and getattr(called, "__qualname__", "").startswith("Secret.__get_")


def _called(node: CoreSchema) -> object:
    function = node.get("function")
    return cast("CoreSchema", function).get("function") if isinstance(function, dict) else None


def _paths(alias: object) -> list[list[object]]:
    """Return the choices of an alias, each a path; an `AliasPath` is the only choice."""
    listed = cast("list[object]", alias)
    if all(isinstance(each, list) for each in listed):
        return cast("list[list[object]]", listed)
    return [listed]


def _heads(name: str, field: CoreSchema) -> set[str]:
    """Return the keys of an object that pydantic reads a field from by alias."""
    alias = field.get("validation_alias", name)
    return {alias} if isinstance(alias, str) else {str(path[0]) for path in _paths(alias)}


def _written(node: CoreSchema, fields: Mapping[str, CoreSchema]) -> Iterator[tuple[str, str]]:
    """Yield the names in the serialized form of a class, each with its field.

    An extra value must not have one of these names. The field of a computed name is empty.
    """
    for name, field in fields.items():
        yield name, name
        if isinstance(alias := field.get("serialization_alias"), str):
            yield alias, name
    for field in cast("list[CoreSchema]", node.get("computed_fields") or []):
        yield str(field["property_name"]), ""
        if isinstance(alias := field.get("alias"), str):
            yield alias, ""


def _unskipped(hooks: object) -> object:
    """Return the hooks of a core schema without `SkipJsonSchema`."""
    if not isinstance(hooks, list):
        return hooks
    skip = cast("type", SkipJsonSchema)
    listed = cast("list[object]", hooks)
    return [each for each in listed if not isinstance(getattr(each, "__self__", None), skip)]


_FIELDS = frozenset({"model-fields", "typed-dict", "dataclass-args"})

_PLAIN_KINDS = frozenset(
    {
        *("any", "bool", "bytes", "dataclass", "dataclass-args", "dataclass-field", "date"),
        *("datetime", "decimal", "default", "definition-ref", "definitions", "dict", "enum"),
        *("float", "frozenset", "function-after", "function-before", "function-wrap", "int"),
        *("list", "literal", "model", "model-field", "model-fields", "none", "nullable", "set"),
        *("str", "tagged-union", "time", "timedelta", "tuple", "typed-dict", "typed-dict-field"),
        *("union", "url", "uuid"),
    }
)
"""Kinds of core schemas whose JSON Schema pydantic can always write."""


def _is_plain(node: CoreSchema) -> bool:
    """Return whether nothing of the user's takes part in writing the JSON Schema of a node."""
    if node["type"] not in _PLAIN_KINDS or "serialization" in node or node.get("computed_fields"):
        return False
    config = getattr(node.get("cls"), "model_config", None)
    if isinstance(config, dict) and "json_schema_extra" in config:
        return False
    for key, held in cast("Mapping[str, object]", node.get("metadata") or {}).items():
        if key == "pydantic_js_functions":
            functions = cast("list[object]", held)
            modules = (str(getattr(each, "__module__", "")) for each in functions)
            if not all(module.startswith("pydantic.") for module in modules):
                return False
        elif key == "pydantic_js_updates":
            updates = cast("Mapping[str, object]", held)
            if not all(isinstance(each, str | bool) for each in updates.values()):
                return False
        elif key.startswith("pydantic_js") and held:
            return False
    return True
