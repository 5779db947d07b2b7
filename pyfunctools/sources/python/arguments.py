"""What a callable takes: its schema, and the objects that its hints name out of JSON."""

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools._text import shortened
from pyfunctools.errors import DefinitionError
from pyfunctools.schema.references import resolve
from pyfunctools.schema.walk import subschemas
from pyfunctools.sources.python.docstring import Docs
from pyfunctools.sources.python.fields import doc_of
from pyfunctools.sources.python.names import shown
from pyfunctools.sources.python.sets import only_sets
from pyfunctools.sources.python.signature import EMPTY, Input, Signature

if TYPE_CHECKING:
    from pyfunctools.schema.result import Failure
    from pyfunctools.sources.python.hints import Adapter

Objects: TypeAlias = dict[str, object]
"""Arguments as the objects the hints name, by the parameter's name."""

_REMEDY = (
    "Write a hint that JSON has a form for (a dataclass, a TypedDict, a pydantic model, ...), or "
    "let the program give it: `Context[...]`, `Annotated[..., Inject(...)]`."
)


class Arguments(NamedTuple):
    """What reads the arguments of one callable.

    `keys` are the parameters' names in JSON. `plain` has, by that name, the parameter's own and the
    types of what is handed over just as it comes; `filled` says that pydantic has a default to fill
    in. `others` is the name of `**kwargs`, `taken` what none of it may be called. With `sets`
    every array of `uniqueItems` in the schema is a set.
    """

    adapter: "Adapter"
    keys: Mapping[str, str]
    required: frozenset[str]
    filled: bool
    plain: Mapping[str, tuple[str, frozenset[type]]]
    others: str | None
    taken: frozenset[str]
    sets: bool = True

    def read(self, arguments: JsonObject) -> "Objects | Failure":
        """Give the objects, or what the hints or a validator of the user's refuse of `arguments`.

        What is handed over is never the caller's own list or object.
        """
        if not self.required <= arguments.keys():
            from pyfunctools.sources.python.refusals import missing

            return missing(arguments, self.required - arguments.keys())
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
            from pyfunctools.sources.python.refusals import unwanted

            return unwanted(arguments, self.taken & rest.keys())
        given = {key: value for key, value in arguments.items() if key in known}
        objects = self._built({**given, others: rest})
        if isinstance(objects, dict):
            return objects
        from pyfunctools.sources.python.refusals import without

        return without(objects, others, arguments)

    def _built(self, arguments: JsonObject) -> "Objects | Failure":
        import json

        try:
            return self.adapter.validate_json(json.dumps(arguments))
        except Exception as error:  # a validator of the user's may raise anything
            from pyfunctools.sources.python.refusals import raised

            return raised(error, arguments)


_NOT_PLAIN: tuple[str, frozenset[type]] = ("", frozenset())


def arguments_of(signature: Signature, docs: Docs) -> tuple[JsonSchema, Arguments]:
    """Give the schema of what a callable takes, one closed object, and what reads it.

    Raises:
        DefinitionError: a parameter has a hint that pydantic has no schema for.
    """
    from pyfunctools.sources.python.hints import (
        adapter_of,
        fields_of,
        has_default,
        key_of,
        plain_of,
        schema_of,
    )

    hints = {each.name: each.hint for each in signature.inputs}
    try:
        adapter = adapter_of(hints, signature.names)
        made = schema_of(adapter, signature.names)
    except Exception as error:  # pydantic and the hints' classes may raise anything
        raise _culprit(signature, error) from error
    fields = fields_of(adapter)
    arguments = Arguments(
        adapter=adapter,
        keys={name: key_of(name, field) for name, field in fields.items()},
        required=frozenset(
            key_of(each.name, fields[each.name]) for each in signature.inputs if each.required
        ),
        filled=has_default(fields),
        plain=plain_of(fields),
        others=next((each.name for each in signature.inputs if each.kind == "others"), None),
        taken=signature.taken,
    )
    schema = _schema(signature, docs, made, arguments)
    return schema, arguments._replace(sets=only_sets(schema))


def _schema(signature: Signature, docs: Docs, made: JsonObject, arguments: Arguments) -> JsonSchema:
    places = cast("Mapping[str, JsonSchema]", made.get("properties", {}))
    properties: dict[str, JsonSchema] = {}
    additional: JsonValue = False
    for each in signature.inputs:
        key = arguments.keys[each.name]
        if each.kind == "others":
            additional = places[key].get("additionalProperties", True)
        else:
            properties[key] = _property(each, places[key], made, docs, signature)
    schema: dict[str, JsonValue] = {
        "type": "object",
        "properties": properties,
        "required": [key for key in properties if key in arguments.required],
        "additionalProperties": additional,
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
    """Say whether pydantic keeps what stands here secret, so that no default is shown."""
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
    """Give the error that names the parameter whose hint has no schema."""
    from pyfunctools.sources.python.hints import adapter_of, schema_of

    for each in signature.inputs:
        try:
            schema_of(adapter_of({each.name: each.hint}, signature.names), {})
        except Exception as reason:  # as above
            return no_schema(f"{signature.where}({each.name})", each.hint, reason)
    return DefinitionError(signature.where, f"Its hints have no JSON Schema: {error}", _REMEDY)


def no_schema(
    where: str, hint: object, reason: Exception, remedy: str = _REMEDY
) -> DefinitionError:
    """Give the error of a hint that pydantic has no schema for."""
    first, _, rest = str(reason).partition("\n")
    said = first.partition(". ")[0].rstrip(".")
    if said.endswith(":"):  # the cause stands below, at the end of it
        said = shortened(" ".join((said, *rest.split())), 300)
    if "regex" in said:
        remedy = "Write a pattern without look-around and references back, which Rust's has not."
    return DefinitionError(where, f"The hint `{shown(hint)}` has no JSON Schema: {said}.", remedy)
