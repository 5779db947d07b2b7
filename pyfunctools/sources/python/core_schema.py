"""pydantic's core schema of hints: the names that each field is read from, and the human marks.

A field has one declared name, its key in the JSON Schema. pydantic also reads unlisted names: the
name of a field beside its alias (`validate_by_name`), every choice of `AliasChoices`, the head of
an `AliasPath`, and the names of fields that the schema hides. If a person gives a field, only a
person may use its unlisted names. If one is the declared name of another field, a mark cannot hold;
and if the declared name itself is not read, nobody can give the field: both are errors.

Example: `token: str = Field(validation_alias=AliasPath("meta", "token"))` beside `meta: dict` is
declared as `token`, but pydantic reads it from `meta` only.

`lost_marks` walks the core schema of the hints beside their JSON Schema. A part that is marked in
the core schema has to be marked in the JSON Schema too, or be inside a marked part. Example: in
`Annotated[Human[str], WithJsonSchema({"type": "string"})]` only the core schema has the mark: the
model could set the value.
"""

import sys
from collections.abc import Collection, Iterator, Mapping
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from pydantic import SecretBytes, SecretStr, TypeAdapter
from pydantic.json_schema import SkipJsonSchema
from pydantic.types import EncodedBytes
from pydantic_core import core_schema

from pyfunctools.errors import DefinitionError
from pyfunctools.record.file import File
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.separation.predicates import is_human_by_default
from pyfunctools.sources.python.markers import (
    FOREIGN_REMEDY,
    HUMAN_KEY,
    ContextPart,
    HumanPart,
    Inject,
    foreign_class,
    mark_in,
    remedy_of,
)
from pyfunctools.sources.python.unlisted_names import OF_VALUES, under

if TYPE_CHECKING:  # loaded when a mark may be lost
    from pyfunctools.schema.outline.outline import Place

CoreSchema: TypeAlias = Mapping[str, object]
"""pydantic's description of a hint; only a few of its keys are used."""

_INNER = (
    *("schema", "choices", "items_schema", "keys_schema", "values_schema", "lax_schema"),
    *("strict_schema", "json_schema", "python_schema", "json_schema_input_schema", "steps"),
    *("fields", "arguments_schema", "var_args_schema", "var_kwargs_schema", "extras_schema"),
    "definitions",
)
"""Keys that hold core schemas: one, a list (of fields, too), or a mapping by name."""
_LISTED = frozenset({"fields", "arguments_schema"})
_BELOW = frozenset(_INNER) - {"fields"}
_NOTHING: CoreSchema = {}

KNOWN = "pyfunctools_schema"
"""The key in the metadata of a field that has neither marks nor other names: its JSON Schema."""


class CoreReader:
    """Facts about a core schema.

    `marked`: the parts that a person gives; `marked_in`: the fields of the whole that they are in,
    empty for those of a shared definition. `unread`: a field that is not read by its declared
    name. `shared`: a field that is also read by the declared name of another one. `unreadable`: a
    field with an enumeration or a literal of which JSON can have no value. `classes`: those
    that are read from more names than they declare. `is_plain`: writing the JSON Schema cannot
    fail, nor lose a mark of a whole field.

    Raises:
        DefinitionError: a default is a mark, or an inner part is marked as injected.
    """

    def __init__(self, core: CoreSchema) -> None:
        self.marked: list[CoreSchema] = []
        self.marked_in: set[str] = set()
        self.is_plain = True
        self.unread: str | None = None
        self.shared: str | None = None
        self.unreadable: str | None = None
        self.classes: list[ClassNames] = []
        stack: list[tuple[CoreSchema, CoreSchema, str | None, str]] = [(core, core, None, "")]
        while stack:
            node, cls, top, field = stack.pop()
            kind = node["type"]
            cls = node if kind in _CLASSES else cls
            if "function" in node and not is_pydantics(cls):
                _read_text(node)
            known = len(self.marked)
            self._read(node, field)
            if len(self.marked) > known:
                self.marked_in.add(top or "")
            fields = fields_in(node)
            if kind in _FIELDS:
                names = ClassNames.of(node, fields, cls)
                self.unread, self.shared = names.unread or self.unread, names.shared or self.shared
                if names.others:
                    self.classes.append(names)
            for name, each in fields.items():
                if KNOWN in cast("CoreSchema", each.get("metadata", _NOTHING)):
                    continue
                below = each if "type" in each else each["schema"]
                stack.append((cast("CoreSchema", below), cls, name if top is None else top, name))
            if not _BELOW.isdisjoint(node):
                for inner in _inner(node, _LISTED if kind != "call" else ()):
                    is_shared = kind == "definitions" and inner is not node["schema"]
                    stack.append((inner, cls, "" if is_shared else top, field))

    def _read(self, node: CoreSchema, field: str) -> None:
        kind, metadata = node["type"], cast("CoreSchema", node.get("metadata") or _NOTHING)
        self.is_plain = self.is_plain and _is_plain(node, metadata)
        if kind in ("enum", "literal") and _is_unreadable(node):
            self.unreadable = field
        if kind == "default" and (written := mark_in(node.get("default"))):
            word = written.word
            reason = f"the default of `{field}` is `{word}`, a mark, which has no effect there."
            raise DefinitionError(field, reason, remedy_of(written))
        mark = metadata.get(HUMAN_KEY)
        if isinstance(mark, ContextPart | Inject):
            reason = "an inner part is marked as injected, which only a parameter can be."
            raise DefinitionError(field, reason, "Make it a parameter of its own.")
        if mark is not None or ("function" in node and is_secret_type(node)):
            self.marked.append(node)
            self.is_plain = self.is_plain and mark is not None
        if kind == "function-plain":  # from the hint that it replaces, only marks are used
            for inner in replaced_in(node):
                self.marked += CoreReader(inner).marked
        if kind in _CLASSES and (name := foreign_class(node.get("cls"))):
            reason = f"an inner part is `{name}`, which only its own library fills in."
            remedy = f"Make it a parameter of its own. {FOREIGN_REMEDY}"
            raise DefinitionError(field, reason, remedy)


class ClassNames(NamedTuple):
    """The names that the fields of a class are read from.

    `declared`: the declared name of each field. `others`: the names that are read beside these,
    each with the declared name of its field, or `None` if no value is accepted. `unread` and
    `shared` are as those of `CoreReader`.
    """

    declared: Mapping[str, str]
    others: Mapping[str, str | None]
    unread: str | None
    shared: str | None

    @classmethod
    def of(
        cls, node: CoreSchema, fields: Mapping[str, CoreSchema], owner: CoreSchema
    ) -> "ClassNames":
        """Return the names of the `fields` in `node`; `owner` is the core schema of the class."""
        declared = {name: declared_name(name, field) for name, field in fields.items()}
        others, listed = dict[str, str | None](), {*declared.values()}
        config = cast("CoreSchema", owner.get("config") or _NOTHING)
        if config.get("extra_fields_behavior", node.get("extra_behavior")) == "allow":
            # An extra value must not have a name of the serialized form.
            for name, each in fields.items():
                alias = str(each.get("serialization_alias") or name)
                others |= dict.fromkeys((name, alias), declared[name])
            for each in cast("list[CoreSchema]", node.get("computed_fields") or []):
                name = str(each["property_name"])
                others |= dict.fromkeys((name, str(each.get("alias") or name)))
        unread = shared = None
        for name in (name for name, field in fields.items() if "validation_alias" in field):
            own, alias = declared[name], fields[name]["validation_alias"]
            read = {alias} if isinstance(alias, str) else {str(each[0]) for each in _paths(alias)}
            if config.get("validate_by_name") is True:
                read.add(name)
            unread = unread if own in read else name
            shared = shared if read.isdisjoint(listed - {own}) else name
            others |= dict.fromkeys(read - {own}, own)
        return cls(declared, others, unread, shared)


def read_core(hint: object) -> tuple[CoreReader, CoreSchema]:
    """Return the core schema of a hint, with its reader.

    Raises:
        Exception: whatever pydantic, or a class in the hint, raises; a `DefinitionError`.
    """
    core = cast("CoreSchema", TypeAdapter[object](cast("type", hint)).core_schema)
    return CoreReader(core), core


def fields_in(node: CoreSchema) -> Mapping[str, CoreSchema]:
    """Return the fields of a class or a named tuple by their names, `{}` for other core schemas."""
    fields = node.get("fields") or node.get("arguments_schema")
    if not fields:
        return {}
    if isinstance(fields, dict):  # of a call, the schema of its arguments
        return cast("Mapping[str, CoreSchema]", fields if node["type"] != "call" else {})
    listed = cast("list[CoreSchema]", fields)
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
    written = cast("CoreSchema", node.get("serialization") or _NOTHING)
    if "schema" in written:
        yield cast("CoreSchema", written["schema"])


def _is_unreadable(node: CoreSchema) -> bool:
    """Return whether pydantic reads no value of an enumeration or a literal from JSON."""
    members = cast("list[Enum]", node.get("members", ()))
    values = [each.value for each in members] or cast("list[object]", node.get("expected", ()))
    is_json = any(isinstance(each, str | int | float | list | dict | None) for each in values)
    bases = cast("tuple[type, ...]", getattr(node.get("cls"), "__mro__", ()))
    return not is_json and not any("_missing_" in vars(each) for each in bases if each is not Enum)


def is_secret_type(node: CoreSchema) -> bool:
    """Return whether a core schema is of a secret or an upload, which only a person gives."""
    return is_generic_secret(node) or is_upload(node) or _makes(node, SecretStr, SecretBytes, File)


def is_pydantics(cls: CoreSchema) -> bool:
    """Return whether a class has a core schema, and a configuration, of its own."""
    return hasattr(cls.get("cls"), "__pydantic_core_schema__")


def _read_text(node: CoreSchema) -> None:
    """Make a type that has text as `bytes` read and write it as it is; `bytes` are base64.

    So do `Base64Bytes`, which decode it, and `SecretBytes`, which a person types.
    """
    inner, called = cast("CoreSchema", node.get("schema") or _NOTHING), _called(node)
    owner = getattr(called, "__self__", called)
    if inner.get("type") != "bytes":
        return
    changed, text = cast("dict[str, Any]", node), cast("Any", {**inner, "type": "str"})
    if owner is SecretBytes:
        changed["schema"] = core_schema.with_info_after_validator_function(_typed, text)
    elif isinstance(owner, EncodedBytes):
        changed["schema"] = core_schema.no_info_after_validator_function(str.encode, text)
        write = partial(_written, owner)
        changed["serialization"] = core_schema.plain_serializer_function_ser_schema(write)


def _typed(text: str, info: Any) -> bytes:
    """Return the bytes of a text that a person typed, or of a file among those of the call."""
    file = (cast("dict[str, object] | None", info.context) or {}).get(text)
    return file.content if isinstance(file, File) else text.encode()


def _written(encoded: EncodedBytes, value: bytes) -> str:
    return encoded.encode(value).decode()


def is_upload(node: CoreSchema) -> bool:
    """Return whether a core schema is of Starlette's `UploadFile`."""
    uploads = sys.modules.get("starlette.datastructures")  # imported by code that hints an upload
    return uploads is not None and _makes(node, uploads.UploadFile)


def _makes(node: CoreSchema, *kinds: type) -> bool:
    called = _called(node)
    made = called if isinstance(called, type) else getattr(called, "__self__", None)
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
    is_choices = all(isinstance(each, list) for each in listed)
    return cast("list[list[object]]", listed) if is_choices else [listed]


def unskipped(node: CoreSchema) -> CoreSchema:
    """Return a core schema with a human mark, without `SkipJsonSchema`: it would hide the mark."""
    metadata = cast("dict[str, object]", node["metadata"])
    skip, kept = cast("type", SkipJsonSchema), dict(metadata)
    for key, hooks in metadata.items():
        if isinstance(hooks, list):
            hooks = cast("list[object]", hooks)
            kept[key] = [e for e in hooks if not isinstance(getattr(e, "__self__", None), skip)]
    return {**node, "metadata": kept}


_CLASSES = frozenset({"model", "dataclass", "typed-dict"})
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


def _is_plain(node: CoreSchema, metadata: CoreSchema) -> bool:
    """Return whether nothing of the user's takes part in writing the JSON Schema of a node."""
    if node["type"] not in _PLAIN_KINDS or "serialization" in node or node.get("computed_fields"):
        return False
    config = getattr(node.get("cls"), "model_config", None)
    if isinstance(config, dict) and "json_schema_extra" in config:
        return False
    return all(_is_plain_hook(metadata, key) for key, held in metadata.items() if held)


def _is_plain_hook(metadata: CoreSchema, key: str) -> bool:
    held = cast("Any", metadata[key])
    if key == "pydantic_js_functions":
        return all(str(getattr(each, "__module__", "")).startswith("pydantic.") for each in held)
    if key == "pydantic_js_updates":
        return all(isinstance(each, str | bool) for each in held.values())
    mark = metadata.get(HUMAN_KEY)  # alone, it is written as it is
    is_alone = isinstance(mark, HumanPart) and mark.is_only_hook(held)
    return is_alone or not key.startswith("pydantic_js")


class LostMark(NamedTuple):
    """A mark that is lost: the steps to it, such as `card.pin`, and its place in the JSON Schema.

    A mark of a secret type (`is_secret`) is no mark of this library.
    """

    path: str
    is_secret: bool
    place: "Place"


LOST_REMEDY = (
    'Put the mark last (`Annotated[..., human()]`), or let the hook write `"x-human": true`.'
)


def lost_marks(
    core: CoreSchema, place: "Place", fields: Collection[str] = ("",)
) -> Iterator[LostMark]:
    """Yield the marks of a core schema that its JSON Schema, at a place of an outline, lacks.

    `fields` are those with marks (`CoreReader.marked_in`).
    """
    definitions: dict[str, CoreSchema] = {}
    queue: list[tuple[tuple[str, ...], CoreSchema, Place]] = [((), core, place)]
    seen: set[tuple[int, Place]] = set()
    for path, part, place in queue:  # grows while it is read
        if len(part) == 1 or (id(part), place) in seen:  # one with its type alone has no mark
            continue
        seen.add((id(part), place))
        name = Path.of(path[-1:])
        rules = [each.rules for each in {*place.roots, *place.possible.parts}]
        if any(is_human_by_default(name, each) for each in rules):
            continue
        metadata = cast("CoreSchema", part.get("metadata") or {})
        is_models = any(each.get("x-human") is False for each in rules)
        if HUMAN_KEY in metadata or (is_secret_type(part) and not is_models):
            yield LostMark(".".join(path), HUMAN_KEY not in metadata, place)
            continue
        for step, inner, at in _parts(part, place, definitions):
            if path or not step or "" in fields or step[0] in fields:
                queue.append(((*path, *step), inner, at))


def _parts(
    core: CoreSchema, place: "Place", definitions: dict[str, CoreSchema]
) -> "Iterator[tuple[tuple[str, ...], CoreSchema, Place]]":
    """Yield the core schemas directly below one, after the steps to it, with its place."""
    kind, whole = core["type"], place.possible
    if kind == "definitions":
        for each in cast("list[CoreSchema]", core["definitions"]):
            definitions[str(each["ref"])] = each
        yield (), cast("CoreSchema", core["schema"]), place
    elif kind == "definition-ref":
        if (target := definitions.get(str(core["schema_ref"]))) is not None:
            yield (), target, place
    elif kind == "dict":
        for key, keywords in (("values_schema", OF_VALUES), ("keys_schema", ("propertyNames",))):
            if key in core:
                yield (), cast("CoreSchema", core[key]), under(whole, *keywords)
    elif fields := fields_in(core):
        for number, (name, field) in enumerate(fields.items()):  # a named tuple is an array
            at = whole.inside(declared_name(name, field) if kind in _FIELDS else number)
            yield (name,), cast("CoreSchema", field["schema"]), at
    elif kind in _WITH_ITEMS:
        for number, inner in enumerate(_inner(core)):
            yield (str(number),), inner, whole.inside(number)
    else:
        at = under(whole, "contentSchema") if kind == "json" else place
        aside = _NOT_JSON if kind in ("json-or-python", "lax-or-strict") else ()
        replaced = replaced_in(core) if kind == "function-plain" else _inner(core, aside)
        yield from (((), inner, at) for inner in replaced)


_WITH_ITEMS = {"arguments", "frozenset", "generator", "list", "named-tuple", "set", "tuple"}


def _inner(core: CoreSchema, aside: Collection[str] = ()) -> list[CoreSchema]:
    """Return the core schemas directly below one."""
    stack = [core[key] for key in reversed(_INNER) if key in core and key not in aside]
    found: list[CoreSchema] = []
    while stack:
        held = stack.pop()
        if isinstance(held, dict) and isinstance(cast("CoreSchema", held).get("type"), str):
            found.append(cast("CoreSchema", held))
        elif isinstance(held, dict):
            stack += reversed([*cast("dict[str, object]", held).values()])
        elif isinstance(held, list | tuple):
            stack += reversed([*cast("list[object]", held)])
    return found


_NOT_JSON = ("python_schema", "strict_schema")
