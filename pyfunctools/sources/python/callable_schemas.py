"""What a callable takes and what comes back: the schemas, objects out of JSON, and JSON again."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from types import GenericAlias, UnionType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast, get_args

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools._text import shortened
from pyfunctools.errors import DefinitionError
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.ground.references import resolve
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.sources.python.aliases import UNLISTED, Renamed, has_unlisted, only_sets, told
from pyfunctools.sources.python.callable_signature import EMPTY, Input, Signature
from pyfunctools.sources.python.docstrings import Docs, doc_of
from pyfunctools.sources.python.hint_scope import Namespace, shown

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from pyfunctools.schema.result import Failure
    from pyfunctools.sources.python.core import CoreSchema
    from pyfunctools.sources.python.hints import HintReader

Objects: TypeAlias = dict[str, object]
"""Arguments as the objects the hints name, by the parameter's name."""

_REMEDY = (
    "Write a hint that JSON has a form for (a dataclass, a TypedDict, a pydantic model, ...), or "
    "let the program give it: `Context[...]`, `Annotated[..., Inject(...)]`."
)


class ArgumentsReader(NamedTuple):
    """The reader of the arguments of one callable.

    `keys` are the parameters' names in JSON. `plain` has, by that name, the parameter's own and the
    types of what is handed over just as it comes; `filled` says that pydantic has a default to fill
    in. `others` is the name of `**kwargs`, `taken` what none of it may be called. `unlisted` is the
    schema where pydantic reads names that are not listed in it. With `sets` every array of
    `uniqueItems` in the schema is a set.
    """

    reading: "HintReader"
    keys: Mapping[str, str]
    required: frozenset[str]
    filled: bool
    plain: Mapping[str, tuple[str, frozenset[type]]]
    others: str | None
    taken: frozenset[str]
    unlisted: JsonSchema | None
    renames: bool
    sets: bool = True

    def read(self, arguments: JsonObject) -> "Objects | Failure":
        """Return the objects, or what the hints or a validator of the user's refuse of `arguments`.

        What is handed over is never the caller's own list or object.
        """
        if not self.required <= arguments.keys():
            absent = [(key,) for key in sorted(self.required - arguments.keys())]
            return _refused(arguments, absent, "a value, for it is required")
        if self.unlisted is not None:
            declared = Renamed(self.unlisted, arguments, renames=self.renames)
            if declared.refused:
                said = "nothing by this name, which the schema does not have"
                return _refused(arguments, declared.refused, said)
            arguments = cast("JsonObject", declared.value)
        if self.others is not None:
            return self._open(arguments, self.others)
        if self.filled:
            return self._built(arguments)
        objects: Objects = {}
        for key, value in arguments.items():
            name, types = self.plain.get(key, _NOT_PLAIN)
            if type(value) not in types:
                return self._built(arguments)
            objects[name] = value
        return objects

    def _open(self, arguments: JsonObject, others: str) -> "Objects | Failure":
        known = {key for name, key in self.keys.items() if name != others}
        rest = {key: value for key, value in arguments.items() if key not in known}
        if not self.taken.isdisjoint(rest):
            unwanted = [(key,) for key in sorted(self.taken & rest.keys())]
            said = "nothing by this name, which is not the caller's"
            return _refused(arguments, unwanted, said)
        given = {key: value for key, value in arguments.items() if key in known}
        objects = self._built({**given, self.keys[others]: rest})
        if isinstance(objects, dict):
            return objects
        from pyfunctools.sources.python.argument_errors import without

        return without(objects, self.keys[others], arguments)

    def _built(self, arguments: JsonObject) -> "Objects | Failure":
        import json

        try:
            return self.reading.read(json.dumps(arguments))
        except Exception as error:  # a validator of the user's may raise anything
            from pyfunctools.sources.python.argument_errors import raised

            return raised(error, arguments)


def _refused(arguments: JsonObject, places: Iterable[Keys], said: str) -> "Failure":
    from pyfunctools.sources.python.argument_errors import refused

    return refused(arguments, places, said)


_NOT_PLAIN: tuple[str, frozenset[type]] = ("", frozenset())


def arguments_of(
    signature: Signature, docs: Docs, *, renames: bool = True
) -> tuple[JsonSchema, ArgumentsReader]:
    """Return the schema of what a callable takes, one closed object, and what reads it.

    A name that pydantic reads and the schema does not list is renamed to the declared one, or with
    `renames` off, where nobody knows whose the field is, refused.

    Raises:
        DefinitionError: a parameter has a hint that pydantic has no schema for, or a mark in it
            would have no effect.
    """
    from pyfunctools.sources.python.hints import (
        fields_of,
        has_default,
        plain_of,
        reading_of,
        schema_of,
    )

    hints = {each.name: each.hint for each in signature.inputs}
    try:
        reading = reading_of(hints, signature.names)
        made = schema_of(reading, signature.names)
    except Exception as error:  # pydantic and the hints' classes may raise anything
        raise _culprit(signature, error) from error
    _check_marks(signature, reading, made)
    fields = fields_of(reading)
    keys = _keys_of(signature, fields)
    arguments = ArgumentsReader(
        reading=reading,
        keys=keys,
        required=frozenset(keys[each.name] for each in signature.inputs if each.required),
        filled=has_default(fields),
        plain=plain_of(fields),
        others=next((each.name for each in signature.inputs if each.kind == "others"), None),
        taken=signature.taken | (keys.keys() - set(keys.values())),
        unlisted=None,
        renames=renames,
    )
    schema = _schema(signature, docs, made, arguments)
    arguments = arguments._replace(sets=only_sets(schema))
    if has_unlisted(schema):
        return told(schema), arguments._replace(unlisted=schema)
    return schema, arguments


def _keys_of(signature: Signature, fields: "Mapping[str, CoreSchema]") -> Mapping[str, str]:
    """Return the parameters' names in JSON, each of another name.

    Raises:
        DefinitionError: two of them have one name.
    """
    from pyfunctools.sources.python.core import key_of

    keys: dict[str, str] = {}
    for name, field in fields.items():
        key = key_of(name, field)
        first = next((other for other, known in keys.items() if known == key), None)
        if first is not None:
            raise DefinitionError(
                f"{signature.where}({name})",
                f"It is called {key!r} in JSON, and so is `{first}`.",
                "Give one of them another alias.",
            )
        keys[name] = key
    return keys


def _check_marks(signature: Signature, reading: "HintReader", made: JsonObject) -> None:
    """Refuse what is marked in the hints and not in the schema: it would be the model's."""
    if not reading.marked:
        return
    from pyfunctools.sources.python.vanished import vanished

    place = next(vanished(reading.core, made), None)
    if place is not None:
        raise DefinitionError(
            f"{signature.where}({place})",
            "It is marked as the human's, and a later annotation or a hook for the JSON Schema "
            "takes the mark away: the model would give it.",
            'Put the mark last (`Annotated[..., human()]`), or let the hook write `"x-human": '
            "true`.",
        )


def _schema(
    signature: Signature, docs: Docs, made: JsonObject, arguments: ArgumentsReader
) -> JsonSchema:
    places = cast("Mapping[str, JsonSchema]", made.get("properties", {}))
    properties: dict[str, JsonSchema] = {}
    additional: JsonValue = False
    for each in signature.inputs:
        key = arguments.keys[each.name]
        if each.kind == "others":
            additional = places[key].get("additionalProperties", True)
        elif key in places:  # else its hint hides it, and its default stands
            properties[key] = _property(each, places[key], made, docs, signature)
    unlisted = {**cast("JsonObject", made.get(UNLISTED) or {})}
    if arguments.others is not None:  # else nothing of another name is taken
        unlisted |= {name: key for name, key in arguments.keys.items() if name not in properties}
        unlisted.pop(arguments.keys[arguments.others], None)
        unlisted.pop(arguments.others, None)
    schema: dict[str, JsonValue] = {
        "type": "object",
        "properties": properties,
        "required": [key for key in properties if key in arguments.required],
        "additionalProperties": additional,
        **({UNLISTED: unlisted} if unlisted and arguments.others is not None else {}),
    }
    if "$defs" in made:
        schema["$defs"] = made["$defs"]
    return schema


def _property(
    each: Input, place: JsonSchema, made: JsonObject, docs: Docs, signature: Signature
) -> JsonSchema:
    from pyfunctools.sources.python.hints import json_default

    schema = dict(place)
    said = doc_of(each.hint) or docs.parameters.get(each.name)
    if said and "description" not in schema:
        schema["description"] = said
    if each.default is EMPTY and not _is_secret(place):
        return schema
    schema.pop("default", None)
    if not _is_secret(place) and (each.default is not None or _takes_null(place, made)):
        # What is no JSON of its hint makes the parameter optional, and nothing is said of it.
        with suppress(Exception):
            schema["default"] = json_default(each.hint, each.default, signature.names)
    return schema


def _is_secret(place: JsonSchema) -> bool:
    """Return whether pydantic keeps what stands here secret, so that no default is shown."""
    inner = (schema for _, schema in subschemas(place))
    return any(isinstance(schema, dict) and schema.get("writeOnly") is True for schema in inner)


def _takes_null(place: JsonSchema | bool, made: JsonObject) -> bool:
    schema = resolve(made, place)
    if not isinstance(schema, dict):
        return schema is True
    branches = schema.get("anyOf") or schema.get("oneOf")
    if branches:
        return any(_takes_null(each, made) for each in cast("list[JsonSchema]", branches))
    return schema.get("type", "null") == "null" and "enum" not in schema


def _culprit(signature: Signature, error: Exception) -> DefinitionError:
    """Return the error that names the parameter whose hint cannot be used."""
    from pyfunctools.sources.python.core import MisuseError
    from pyfunctools.sources.python.hints import reading_of, schema_of

    for each in signature.inputs:
        where = f"{signature.where}({each.name})"
        try:
            schema_of(reading_of({each.name: each.hint}, signature.names), {})
        except Exception as reason:  # as above
            if isinstance(reason, MisuseError):
                said = f"In `{shown(each.hint)}` {reason.reason}"
                return DefinitionError(where, said, reason.remedy)
            return no_schema(where, each.hint, reason)
    return DefinitionError(signature.where, f"Its hints have no JSON Schema: {error}", _REMEDY)


def no_schema(
    where: str, hint: object, reason: Exception, remedy: str = _REMEDY
) -> DefinitionError:
    """Return the error of a hint that pydantic has no schema for."""
    first, _, rest = str(reason).partition("\n")
    said = first.partition(". ")[0].rstrip(".")
    if said.endswith(":"):  # the cause stands below, at the end of it
        said = shortened(" ".join((said, *rest.split())), 300)
    if "regex" in said:
        remedy = "Write a pattern without look-around and references back, which Rust's has not."
    return DefinitionError(where, f"The hint `{shown(hint)}` has no JSON Schema: {said}.", remedy)


_OUTPUT_REMEDY = (
    "Write a hint that JSON has a form for (a dataclass, a TypedDict, a pydantic model, ...), or "
    "return an `Outcome`: its `text` for the model, its `value` for the program."
)


def output_of(
    signature: Signature, docs: Docs
) -> "tuple[JsonSchema | None, TypeAdapter[tuple[object]] | None]":
    """Return the schema of the output and its adapter, `None` for both where nobody says it.

    Raises:
        DefinitionError: pydantic has no schema for the hint.
    """
    if signature.output is EMPTY:
        return None, None
    try:
        shared = _is_built_in(signature.output)
        made = _made_once(signature.output) if shared else _made(signature.output, signature.names)
        schema, adapter = made
    except Exception as error:  # pydantic and the hint's classes may raise anything
        where = f"{signature.where} -> return"
        raise no_schema(where, signature.output, error, _OUTPUT_REMEDY) from error
    if docs.returns and "description" not in schema:
        schema = {**schema, "description": docs.returns}
    return schema or None, adapter


def dumped(value: object, adapter: "TypeAdapter[tuple[object]] | None") -> JsonValue:
    """Return a value that came back as JSON, by pydantic's rules.

    What is not what its hint promised is written as what it is, so that it shows.

    Raises:
        Exception: whatever the value's own serialisation raises.
    """
    adapter = adapter or _made_once(object)[1]
    written = adapter.dump_python((value,), mode="json", by_alias=True, warnings=False)
    return cast("list[JsonValue]", written)[0]


def _made(hint: object, names: Namespace) -> "tuple[JsonSchema, TypeAdapter[tuple[object]]]":
    from pyfunctools.sources.python.hints import output_adapter, output_schema

    adapter = output_adapter(hint, names)
    return output_schema(adapter, hint, names), adapter


@lru_cache(maxsize=256)
def _made_once(hint: object) -> "tuple[JsonSchema, TypeAdapter[tuple[object]]]":
    return _made(hint, {})


def _is_built_in(hint: object) -> bool:
    """Return whether a hint is made of Python's own types only, so that all may share its
    adapter.
    """
    if isinstance(hint, GenericAlias | UnionType):
        return all(map(_is_built_in, get_args(hint)))
    return isinstance(hint, type) and hint.__module__ == "builtins"
