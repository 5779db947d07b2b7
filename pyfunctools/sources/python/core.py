"""pydantic's own description of hints (its core schema), and which names it reads fields from.

pydantic fills a field from more names than its JSON Schema lists: beside the alias the field's own
name (`validate_by_name`), every choice of `AliasChoices`, the head of an `AliasPath`, and a field
that the schema leaves out altogether. Such a name belongs to the field's owner. `Reader.read` notes
at each class which names those are; where one of them is a declared name of another field, or the
declared name itself is not read, the class is changed so that pydantic reads exactly what is
declared.

Example: `token: str = Field(validation_alias=AliasPath("meta", "token"))` beside `meta: dict` is
declared as `token`, but pydantic would read it from `meta`. After `read` it is read from `token`.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias, cast

from pydantic.json_schema import SkipJsonSchema

from pyfunctools.sources.python.markers import HUMAN_KEY, ContextPart, Inject, mark_in, remedy_of

CoreSchema: TypeAlias = Mapping[str, object]
"""pydantic's own description of a hint, of which only a few keys are looked at."""

NAMES_KEY = "pyfunctools_names"
"""Where `Reader` notes, in the metadata of a class's fields, which names are read beside the
declared ones: each with the declared name of the field, or none where it must not be given."""

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
    """A hint that pydantic takes and that would not do what it says: why, and what to write."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.remedy = remedy


class _Around(NamedTuple):
    """A class around its fields: its configuration, and whether it builds itself."""

    config: CoreSchema
    cls: object
    custom: bool
    clashes: list[str]


class ReadClass(NamedTuple):
    """A class: its declared names, and all that it is read from, with the declared name of each."""

    declared: frozenset[str]
    names: Mapping[str, str | None]


class Reader:
    """Reads a core schema once; `changed` says that pydantic has to be given the result."""

    def __init__(self) -> None:
        self.changed = False
        self.marked = False
        """Whether anything in it is marked."""
        self.unreadable: str | None = None
        """Why a class cannot be read by its declared names only, where that is so."""
        self.classes: list[ReadClass] = []
        """The classes that are read from more names than they declare."""

    def read(self, node: CoreSchema, around: _Around | None = None, field: str = "") -> CoreSchema:
        """Return a core schema with the names of each class noted, the same where there are none.

        Raises:
            MisuseError: a default is a mark, or a part of it is marked as the program's.
        """
        kind = node.get("type")
        if kind == "default" and (mark := mark_in(node.get("default"))):
            reason = f"the default of `{field}` is `{mark}`, a mark, which marks nothing there."
            raise MisuseError(reason, remedy_of(mark))
        node = self._marked(node)
        if kind == "function-plain":
            # The hint that a `PlainValidator` replaces is read for its marks alone.
            aside = Reader()
            for inner in replaced_in(node):
                aside.read(inner)
            self.marked = self.marked or aside.marked
        if kind in ("model", "dataclass", "typed-dict") or around is None:
            config = cast("CoreSchema", node.get("config") or {})
            around = _Around(config, node.get("cls"), node.get("custom_init") is True, [])
        found: dict[str, object] = {}
        for key in INNER:
            if key in node:
                inner = node[key]
                read = self._inner(inner, around, field)
                if read is not inner:
                    found[key] = read
        node = {**node, **found} if found else node
        node = self._fields(node, around) if kind in _FIELDS else node
        if around.clashes and "config" in node:
            only = {"validate_by_alias": True, "validate_by_name": False}
            node = {**node, "config": {**around.config, **only}}
        return node

    def _inner(self, inner: object, around: _Around, field: str) -> object:
        if isinstance(inner, dict):
            held = cast("dict[object, object]", inner)
            if isinstance(held.get("type"), str):
                own = held.get("name", field)
                return self.read(cast("CoreSchema", held), around, str(own))
            own = held["name"] if isinstance(held.get("name"), str) else None
            read = {k: self._inner(each, around, str(own or k)) for k, each in held.items()}
            return read if any(read[key] is not held[key] for key in held) else held
        if isinstance(inner, list | tuple):
            listed = cast("list[object] | tuple[object, ...]", inner)
            items = [self._inner(each, around, field) for each in listed]
            same = all(new is old for new, old in zip(items, listed, strict=True))
            return listed if same else type(listed)(items)
        return inner

    def _marked(self, node: CoreSchema) -> CoreSchema:
        metadata = node.get("metadata")
        if not isinstance(metadata, dict) or HUMAN_KEY not in metadata:
            self.marked = self.marked or is_secret(node)
            return node
        if isinstance(metadata[HUMAN_KEY], ContextPart | Inject):
            reason = "something inside is marked as the program's, which only a parameter can be."
            raise MisuseError(reason, "Make it a parameter of its own.")
        self.marked = True
        held = cast("dict[str, object]", metadata)
        if not any(map(_skips, held.values())):
            return node
        # Hidden from the schema and marked: it is hidden from the model, and the human's.
        kept = {key: _unskipped(value) for key, value in held.items()}
        return {**node, "metadata": kept}

    def _fields(self, node: CoreSchema, around: _Around) -> CoreSchema:
        fields = dict(fields_in(node))
        declared = {name: key_of(name, field) for name, field in fields.items()}
        by_name = around.config.get("validate_by_name") is True
        reads = {name: _heads(name, field, by_name) for name, field in fields.items()}
        taken = set(declared.values())
        others: dict[str, str | None] = {}
        if around.config.get("extra_fields_behavior", node.get("extra_behavior")) == "allow":
            others |= {name: declared.get(field) for name, field in _written(node, fields)}
        for name, heads in reads.items():
            others |= dict.fromkeys(heads - {declared[name]}, declared[name])
        if others:
            self.classes.append(ReadClass(frozenset(taken), dict(others)))
        others = {name: key for name, key in others.items() if name not in taken}
        clashes = any(taken.intersection(heads) - {declared[n]} for n, heads in reads.items())
        if clashes or any(_is_path(field) for field in fields.values()):
            around.clashes.append("names")
            node = self._changed(node, declared, around)
        if not others:
            return node
        metadata = cast("dict[str, object]", node.get("metadata") or {})
        return {**node, "metadata": {**metadata, NAMES_KEY: others}}

    def _changed(
        self, node: CoreSchema, declared: Mapping[str, str], around: _Around
    ) -> CoreSchema:
        """Return the fields of a class, each with its declared name as the only one."""
        if around.custom:
            named = getattr(around.cls, "__qualname__", "the class")
            self.unreadable = f"`{named}` has an `__init__` of its own"
            return node
        self.changed = True
        only = {
            name: {**field, "validation_alias": declared[name]} for name, field in fields_in(node)
        }
        fields = list(only.values()) if isinstance(node["fields"], list) else only
        return {**node, "fields": fields}


def fields_in(node: CoreSchema) -> Iterator[tuple[str, CoreSchema]]:
    """Return the fields of a class, each with its own name."""
    fields = node.get("fields")
    if isinstance(fields, dict):
        yield from cast("dict[str, CoreSchema]", fields).items()
    elif isinstance(fields, list):
        for field in cast("list[CoreSchema]", fields):
            if isinstance(field, dict):
                yield str(field.get("name")), field


def key_of(name: str, field: CoreSchema) -> str:
    """Return the declared name of a field: its alias, the first choice that is no path, or its own.

    It is what pydantic's JSON Schema lists.
    """
    alias = field.get("validation_alias", name)
    if isinstance(alias, str):
        return alias
    single = (path[0] for path in _paths(alias) if len(path) == 1)
    return str(next(single, name))


def replaced_in(node: CoreSchema) -> Iterator[CoreSchema]:
    """Yield the hint that a `PlainValidator` replaces: pydantic keeps it to write values."""
    written = node.get("serialization")
    if isinstance(written, dict):
        held = cast("CoreSchema", written).get("schema")
        if isinstance(held, dict):
            yield cast("CoreSchema", held)


def is_secret(node: CoreSchema) -> bool:
    """Return whether a core schema is that of a type whose values are the human's."""
    function = node.get("function")
    if not isinstance(function, dict):
        return False
    called = cast("CoreSchema", function).get("function")
    made = called if isinstance(called, type) else getattr(called, "__self__", None)
    return isinstance(made, type) and issubclass(made, _secrets())


def _secrets() -> tuple[type, ...]:
    import sys

    from pydantic import SecretBytes, SecretStr

    uploads = sys.modules.get("starlette.datastructures")  # who hints one has imported it
    return (SecretStr, SecretBytes, *((uploads.UploadFile,) if uploads else ()))


def _paths(alias: object) -> list[list[object]]:
    """Return the choices of an alias, each a path; that of an `AliasPath` stands alone."""
    listed = cast("list[object]", alias)
    if all(isinstance(each, list) for each in listed):
        return cast("list[list[object]]", listed)
    return [listed]


def _is_path(field: CoreSchema) -> bool:
    """Return whether a field is read by paths only, so that its declared name is not read."""
    alias = field.get("validation_alias")
    return isinstance(alias, list) and all(len(path) > 1 for path in _paths(cast("object", alias)))


def _heads(name: str, field: CoreSchema, by_name: bool) -> set[str]:
    """Return the names in an object that pydantic reads a field from."""
    alias = field.get("validation_alias", name)
    heads = {alias} if isinstance(alias, str) else {str(path[0]) for path in _paths(alias)}
    return heads | {name} if by_name else heads


def _written(node: CoreSchema, fields: Mapping[str, CoreSchema]) -> Iterator[tuple[str, str]]:
    """Return the names that a class is written with, and whose: none of them may be an extra's."""
    for name, field in fields.items():
        yield name, name
        if isinstance(alias := field.get("serialization_alias"), str):
            yield alias, name
    for field in cast("list[CoreSchema]", node.get("computed_fields") or []):
        yield str(field["property_name"]), ""
        if isinstance(alias := field.get("alias"), str):
            yield alias, ""


def _skips(held: object) -> bool:
    listed = cast("list[object]", held) if isinstance(held, list) else []
    return any(map(_is_skip, listed))


def _unskipped(held: object) -> object:
    if not _skips(held):
        return held
    listed = cast("list[object]", held)
    return [each for each in listed if not _is_skip(each)]


def _is_skip(hook: object) -> bool:
    return isinstance(getattr(hook, "__self__", None), cast("type", SkipJsonSchema))


_FIELDS = frozenset({"model-fields", "typed-dict", "dataclass-args"})
