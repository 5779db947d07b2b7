"""The schemas of a callable's parameters and output, and the conversion of its output to JSON."""

from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple, cast

from pydantic_core import SchemaSerializer, from_json, to_json

from pyfunctools._json import JsonObject, JsonSchema, JsonValue, members_of
from pyfunctools._lazy import Lazy
from pyfunctools._text import shortened
from pyfunctools.errors import DefinitionError
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.sources.python.callable_signature import EMPTY, Input, Signature
from pyfunctools.sources.python.core_schema import (
    LOST_REMEDY,
    CoreSchema,
    declared_name,
    lost_marks,
)
from pyfunctools.sources.python.docstrings import Docs, doc_of
from pyfunctools.sources.python.hint_scope import Namespace, hint_text
from pyfunctools.sources.python.hints import (
    input_schema,
    output_core,
    output_schema,
    output_serializer,
    read_hints,
    spelled,
)
from pyfunctools.sources.python.unlisted_names import UNLISTED, with_owners

if TYPE_CHECKING:
    from pyfunctools.schema.outline.outline import Outline

_JSON = (
    "Write a hint that JSON has a form for (a dataclass, a TypedDict, a pydantic model, ...), or "
)
_REMEDY = f"{_JSON}let the program provide it: `Context[...]`, `Annotated[..., Inject(...)]`."
_OUTPUT_REMEDY = (
    f"{_JSON}return an `Outcome`: its `text` for the model, its `value` for the program."
)


class WrittenParameters(NamedTuple):
    """The schema of a callable's parameters, one closed object.

    `unlisted` is the outline of the schema with `UNLISTED`, or `None`.
    """

    schema: JsonSchema
    unlisted: "Outline | None"


class CallableParameters:
    """The parameters of a callable as pydantic reads them; `keys` has the name in JSON of each.

    `written` is their schema: made when it is first read, unless that may fail.

    Raises:
        DefinitionError: pydantic has no schema for a hint, a mark in it would have no effect, or
            two parameters have one name in JSON.
    """

    __slots__ = ("docs", "keys", "reading", "signature", "written")

    def __init__(self, signature: Signature, docs: Docs) -> None:
        hints = {each.name: each.hint for each in signature.inputs}
        try:
            self.reading = read_hints(hints, signature.names)
        except Exception as error:  # pydantic and the hints' classes may raise anything
            raise _error_of_parameter(signature, error) from error
        self.signature, self.docs = signature, docs
        self.keys = {name: declared_name(name, each) for name, each in self.reading.fields.items()}
        first = {key: name for name, key in reversed(self.keys.items())}
        for name, key in self.keys.items():
            if first[key] != name:
                reason = f"It is called {key!r} in JSON, and so is `{first[key]}`."
                remedy = "Give one of them another alias."
                raise DefinitionError(f"{signature.where}({name})", reason, remedy)
        self.written = Lazy(self._written)
        if not self.reading.is_plain:
            _ = self.written.value

    def _written(self) -> WrittenParameters:
        """Return their schema.

        Raises:
            DefinitionError: pydantic has no schema for a hint, or the schema has lost a mark.
        """
        from pyfunctools.schema.outline.outline import Outline  # for the few that need it

        signature, reading = self.signature, self.reading
        try:
            generated, has_unlisted = input_schema(reading.core, signature.names)
        except Exception as error:  # pydantic and the hints' classes may raise anything
            raise _error_of_parameter(signature, error) from error
        if reading.marked_in and not reading.is_plain:
            place = Outline(generated).place
            for lost in lost_marks(reading.core, place, reading.marked_in):
                raise DefinitionError(
                    f"{signature.where}({lost.path})",
                    "It is marked as human, and a later annotation or a JSON Schema hook removes "
                    "the mark: the model could set it.",
                    LOST_REMEDY,
                )
        schema = self._schema(generated)
        if not has_unlisted and UNLISTED not in schema:
            return WrittenParameters(schema, None)
        return WrittenParameters(with_owners(schema), Outline(schema))

    def _schema(self, generated: JsonObject) -> JsonSchema:
        inputs, keys = self.signature.inputs, self.keys
        places = cast("Mapping[str, JsonSchema]", members_of(generated.get("properties")))
        properties = {
            keys[each.name]: self._property(each, places[keys[each.name]], generated)
            for each in inputs
            if each.kind != "kwargs" and keys[each.name] in places  # else the hint hides it
        }
        required = [keys[each.name] for each in inputs if each.required]
        schema: dict[str, JsonValue] = {
            "type": "object",
            "properties": properties,
            "required": [key for key in required if key in properties],
            "additionalProperties": False,
        }
        if kwargs := next((each.name for each in inputs if each.kind == "kwargs"), None):
            schema["additionalProperties"] = places[keys[kwargs]].get("additionalProperties", True)
            hidden = {name: key for name, key in keys.items() if name not in properties}
            unlisted = {**members_of(generated.get(UNLISTED)), **hidden}
            unlisted = {n: key for n, key in unlisted.items() if n not in (kwargs, keys[kwargs])}
            if unlisted:
                schema[UNLISTED] = unlisted
        if "$defs" in generated:
            schema["$defs"] = generated["$defs"]
        return schema

    def _property(self, each: Input, place: JsonSchema, root: JsonObject) -> JsonSchema:
        schema = dict(place)
        description = doc_of(each.hint) or self.docs.parameters.get(each.name)
        if description and "description" not in schema:
            schema["description"] = description
        if each.default is not EMPTY:
            schema.pop("default", None)
            with suppress(Exception):  # no JSON, or no value of its hint: optional all the same
                key = self.keys[each.name]
                text = default_text(key, each.default)
                _ = self.reading.read(text)
                schema["default"] = from_json(text, allow_inf_nan=False)[key]
        parts = subschemas(place) if "default" in schema else ()
        if any(members_of(inner).get("writeOnly") is True for _, inner in parts):
            del schema["default"]  # of a secret type of pydantic
        return schema


def default_text(key: str, default: object) -> bytes:
    """Return an object of JSON with a default.

    Raises:
        Exception: the default has no JSON form; its class may raise anything.
    """
    return to_json({key: default}, bytes_mode="base64", inf_nan_mode="constants")


def _error_of_parameter(signature: Signature, error: Exception) -> DefinitionError:
    for each in signature.inputs:
        where = f"{signature.where}({each.name})"
        try:
            alone = read_hints({each.name: each.hint}, signature.names)
            if not alone.is_plain:
                _ = input_schema(alone.core, signature.names)
        except DefinitionError as misuse:
            reason = f"In `{hint_text(each.hint)}` {misuse.reason}"
            return DefinitionError(where, reason, misuse.remedy)
        except Exception as reason:  # as above
            return _no_schema(where, each.hint, reason, _REMEDY)
    return DefinitionError(signature.where, f"Its hints have no JSON Schema: {error}", _REMEDY)


def _no_schema(where: str, hint: object, error: Exception, remedy: str) -> DefinitionError:
    first, _, rest = str(error).partition("\n")
    reason = first.partition(". ")[0].rstrip(".")
    if reason.endswith(":"):  # the cause follows at the end of the message
        whole = " ".join((reason, *rest.split()))
        reason = shortened(whole.rpartition("SchemaError: ")[2], 300)
    if "regex" in reason:
        remedy = "Write a pattern without look-around and back-references: Rust has neither."
    text = f"The hint `{hint_text(hint)}` has no JSON Schema: {reason}."
    return DefinitionError(where, text, remedy)


class CallableOutput(NamedTuple):
    """The schema of a callable's output, `None` without a hint, and its serializer."""

    schema: JsonSchema | None
    serializer: SchemaSerializer


def read_output(signature: Signature, docs: Docs) -> Lazy[CallableOutput]:
    """Return the schema of a callable's output, written when it is read, unless that may fail.

    Raises:
        DefinitionError: pydantic has no schema for the hint.
    """
    hint = object if signature.output is EMPTY else signature.output
    with suppress(Exception):  # not hashable, or it needs the names
        if (known := _known_output(hint, spelled(hint))) is not None:
            return Lazy(lambda: _described(known.value, docs.returns))
    try:
        output = _output(output_core(hint, signature.names)[0], signature.names)
    except Exception as error:  # pydantic and the hint's classes may raise anything
        raise _no_schema(f"{signature.where} -> return", hint, error, _OUTPUT_REMEDY) from error
    return Lazy.of(_described(output, docs.returns))


@lru_cache(maxsize=256)
def _known_output(hint: object, spelled: object) -> Lazy[CallableOutput] | None:
    """Return an output if its schema can always be written, and needs no namespace.

    It is kept for the hint as it is `spelled`.
    """
    core, is_plain = output_core(hint, {})
    return Lazy(partial(_output, core, {})) if is_plain else None


def _output(core: CoreSchema, names: Namespace) -> CallableOutput:
    return CallableOutput(output_schema(core, names) or None, output_serializer(core))


def _described(output: CallableOutput, text: str) -> CallableOutput:
    """Return an output with the description of the docstring, if it has none."""
    schema = output.schema
    if not text or schema is None or "description" in schema:
        return output
    return output._replace(schema={**schema, "description": text})
