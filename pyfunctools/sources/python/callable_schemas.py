"""The schemas of a callable's parameters and output, and the conversion of its output to JSON."""

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache, partial
from typing import NamedTuple, cast

from pyfunctools._json import JsonObject, JsonSchema, JsonValue, members_of
from pyfunctools._lazy import Lazy
from pyfunctools._text import shortened
from pyfunctools.errors import DefinitionError
from pyfunctools.schema.ground.references import resolve
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.sources.python.callable_signature import EMPTY, Input, Signature
from pyfunctools.sources.python.core_schema import MisuseError, declared_name, lost_marks
from pyfunctools.sources.python.docstrings import Docs, doc_of
from pyfunctools.sources.python.hint_scope import Namespace, hint_text
from pyfunctools.sources.python.hints import (
    Adapter,
    HintReading,
    has_plain_schema,
    json_default,
    output_adapter,
    output_schema,
    read_hints,
)
from pyfunctools.sources.python.unlisted_names import UNLISTED, with_owners

_REMEDY = (
    "Write a hint that JSON has a form for (a dataclass, a TypedDict, a pydantic model, ...), or "
    "let the program provide it: `Context[...]`, `Annotated[..., Inject(...)]`."
)


class WrittenParameters(NamedTuple):
    """The schema of a callable's parameters, one closed object.

    `unlisted` is the schema with `UNLISTED`, or `None`.
    """

    schema: JsonSchema
    unlisted: JsonSchema | None


def read_parameters(
    signature: Signature, docs: Docs
) -> tuple[HintReading, Mapping[str, str], Lazy[WrittenParameters]]:
    """Return the parameters as pydantic reads them, the name of each in JSON, and their schema.

    The schema is written when it is first read, unless that may fail.

    Raises:
        DefinitionError: pydantic has no schema for a hint, or a mark in it would have no effect.
    """
    try:
        reading = read_hints({each.name: each.hint for each in signature.inputs}, signature.names)
    except Exception as error:  # pydantic and the hints' classes may raise anything
        raise _error_of_parameter(signature, error) from error
    _check_marks(signature, reading)
    keys = _keys_of(signature, reading)
    written = Lazy(partial(_written, signature, docs, reading, keys))
    if reading.written.made:
        _ = written.value
    return reading, keys, written


def _written(
    signature: Signature, docs: Docs, reading: HintReading, keys: Mapping[str, str]
) -> WrittenParameters:
    schema = _schema(signature, docs, reading, keys)
    if not any(isinstance(each, dict) and UNLISTED in each for _, each in subschemas(schema)):
        return WrittenParameters(schema, None)
    return WrittenParameters(with_owners(schema), schema)


def _keys_of(signature: Signature, reading: HintReading) -> Mapping[str, str]:
    """Return the name in JSON of each parameter."""
    keys: dict[str, str] = {}
    for name, field in reading.fields.items():
        key = declared_name(name, field)
        first = next((other for other, known in keys.items() if known == key), None)
        if first is not None:
            raise DefinitionError(
                f"{signature.where}({name})",
                f"It is called {key!r} in JSON, and so is `{first}`.",
                "Give one of them another alias.",
            )
        keys[name] = key
    return keys


def _check_marks(signature: Signature, reading: HintReading) -> None:
    """Refuse hints with a human mark that the schema lacks: the model could set the value."""
    if not reading.is_marked:
        return
    lost = next(lost_marks(reading.core, reading.written.value), None)
    if lost is not None:
        raise DefinitionError(
            f"{signature.where}({lost.path})",
            "It is marked as human, and a later annotation or a JSON Schema hook removes the "
            "mark: the model could set it.",
            'Put the mark last (`Annotated[..., human()]`), or let the hook write `"x-human": '
            "true`.",
        )


def _schema(
    signature: Signature, docs: Docs, reading: HintReading, keys: Mapping[str, str]
) -> JsonSchema:
    generated = reading.written.value
    places = cast("Mapping[str, JsonSchema]", members_of(generated.get("properties")))
    properties = {
        keys[each.name]: _property(each, places[keys[each.name]], reading, docs, signature)
        for each in signature.inputs
        if each.kind != "kwargs" and keys[each.name] in places  # else the hint hides it
    }
    required = [keys[each.name] for each in signature.inputs if each.required]
    schema: dict[str, JsonValue] = {
        "type": "object",
        "properties": properties,
        "required": [key for key in required if key in properties],
        "additionalProperties": False,
    }
    if kwargs := next((each.name for each in signature.inputs if each.kind == "kwargs"), None):
        schema["additionalProperties"] = places[keys[kwargs]].get("additionalProperties", True)
        unlisted = {
            **members_of(generated.get(UNLISTED)),
            **{name: key for name, key in keys.items() if name not in properties},
        }
        unlisted = {n: key for n, key in unlisted.items() if n not in (kwargs, keys[kwargs])}
        if unlisted:
            schema[UNLISTED] = unlisted
    if "$defs" in generated:
        schema["$defs"] = generated["$defs"]
    return schema


def _property(
    each: Input, place: JsonSchema, reading: HintReading, docs: Docs, signature: Signature
) -> JsonSchema:
    schema = dict(place)
    description = doc_of(each.hint) or docs.parameters.get(each.name)
    if description and "description" not in schema:
        schema["description"] = description
    if each.default is EMPTY and "default" not in schema:
        return schema
    if _is_secret(place):  # then no default is shown
        schema.pop("default", None)
    elif each.default is not EMPTY:
        schema.pop("default", None)
        if each.default is not None or _allows_null(place, reading.written.value):
            with suppress(Exception):  # it is not JSON: the parameter is optional all the same
                core = reading.fields[each.name]
                schema["default"] = json_default(each.hint, each.default, signature.names, core)
    return schema


def _is_secret(place: JsonSchema) -> bool:
    """Return whether a schema or a part of it is of a secret type of pydantic."""
    inner = (schema for _, schema in subschemas(place))
    return any(isinstance(schema, dict) and schema.get("writeOnly") is True for schema in inner)


def _allows_null(place: JsonSchema | bool, root: JsonObject) -> bool:
    schema = resolve(root, place)
    if not isinstance(schema, dict):
        return schema is True
    branches = schema.get("anyOf") or schema.get("oneOf")
    if branches:
        return any(_allows_null(each, root) for each in cast("list[JsonSchema]", branches))
    return schema.get("type", "null") == "null" and "enum" not in schema


def _error_of_parameter(signature: Signature, error: Exception) -> DefinitionError:
    for each in signature.inputs:
        where = f"{signature.where}({each.name})"
        try:
            read_hints({each.name: each.hint}, signature.names)
        except MisuseError as misuse:
            reason = f"In `{hint_text(each.hint)}` {misuse.reason}"
            return DefinitionError(where, reason, misuse.remedy)
        except Exception as reason:  # as above
            return _no_schema(where, each.hint, reason, _REMEDY)
    return DefinitionError(signature.where, f"Its hints have no JSON Schema: {error}", _REMEDY)


def _no_schema(where: str, hint: object, error: Exception, remedy: str) -> DefinitionError:
    first, _, rest = str(error).partition("\n")
    reason = first.partition(". ")[0].rstrip(".")
    if reason.endswith(":"):  # the cause follows at the end of the message
        reason = shortened(" ".join((reason, *rest.split())), 300)
    if "regex" in reason:
        remedy = "Write a pattern without look-around and back-references: Rust has neither."
    text = f"The hint `{hint_text(hint)}` has no JSON Schema: {reason}."
    return DefinitionError(where, text, remedy)


_OUTPUT_REMEDY = (
    "Write a hint that JSON has a form for (a dataclass, a TypedDict, a pydantic model, ...), or "
    "return an `Outcome`: its `text` for the model, its `value` for the program."
)


class CallableOutput(NamedTuple):
    """The schema of a callable's output and its adapter, both `None` without a hint.

    Values of the type `plain` are JSON as they are.
    """

    schema: JsonSchema | None = None
    adapter: Adapter | None = None
    plain: type[int] | None = None


def read_output(signature: Signature, docs: Docs) -> Lazy[CallableOutput]:
    """Return the schema of a callable's output, written when it is read, unless that may fail.

    Raises:
        DefinitionError: pydantic has no schema for the hint.
    """
    hint = signature.output
    if hint is EMPTY:
        return _NO_OUTPUT
    output = Lazy(partial(_output_of, signature, docs))
    if not has_plain_schema(hint):
        _ = output.value
    return output


_NO_OUTPUT = Lazy.of(CallableOutput())


def _output_of(signature: Signature, docs: Docs) -> CallableOutput:
    hint = signature.output
    try:
        shared = has_plain_schema(hint)
        schema, adapter = _shared_output(hint) if shared else _output(hint, signature.names)
    except Exception as error:  # pydantic and the hint's classes may raise anything
        raise _no_schema(f"{signature.where} -> return", hint, error, _OUTPUT_REMEDY) from error
    if docs.returns and "description" not in schema:
        schema = {**schema, "description": docs.returns}
    plain = bool if hint is bool else int if hint is int else None
    return CallableOutput(schema or None, adapter, plain)


def output_as_json(value: object, output: CallableOutput) -> JsonValue:
    """Return an output as JSON, by pydantic's rules.

    A value that does not match its hint is serialized by its type, so that the mistake is visible.

    Raises:
        Exception: whatever serializing the value raises.
    """
    if isinstance(value, int) and type(value) is output.plain:
        return value
    adapter = output.adapter or _shared_output(object)[1]
    return adapter.serializer.to_python((value,), mode="json", by_alias=True, warnings=False)[0]


def _output(hint: object, names: Namespace) -> tuple[JsonSchema, Adapter]:
    adapter = output_adapter(hint, names)
    return output_schema(adapter, hint, names), adapter


@lru_cache(maxsize=256)
def _shared_output(hint: object) -> tuple[JsonSchema, Adapter]:
    return _output(hint, {})
