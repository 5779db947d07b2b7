"""The schemas and the description of a function, made of its plan when somebody asks for them.

The description follows six rules, in this order: the summary; the description, as the next
paragraph; `@param` for a parameter that has something to say which its schema does not; `@security`
with the names of schemes and scopes; `@tag`; `@deprecated`.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from threading import RLock
from typing import Literal, NamedTuple, TypeAlias

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools._text import visible
from pyfunctools.errors import DocumentError, SchemaError
from pyfunctools.note import Note
from pyfunctools.record.contract import Contract
from pyfunctools.record.function import GROUPS
from pyfunctools.route import Requirement
from pyfunctools.schema.ground.marks import human_mark
from pyfunctools.schema.normalization.clean import with_visible_texts
from pyfunctools.schema.normalization.read_write import without_read_only, without_write_only
from pyfunctools.schema.separation.predicates import IsHuman
from pyfunctools.sources.openapi.document import Document, DocumentPlace
from pyfunctools.sources.openapi.document_definitions import DocumentDefinitions
from pyfunctools.sources.openapi.document_notes import Oddities, notes_on
from pyfunctools.sources.openapi.operation_parameters import ParameterInput
from pyfunctools.sources.openapi.routes import Plan

Describe: TypeAlias = Literal["model", "full", "brief"]
"""How much a description says: what the schema leaves out, everything, or no tags at all."""

_MOST_SCHEMES = 20
"""Lines of `@security`: what stands once in a document stands in each of its descriptions."""


def describe_operation(
    summary: str,
    description: str,
    *,
    params: Iterable[tuple[str, str]] = (),
    security: Sequence[Requirement] = (),
    tags: Sequence[str] = (),
    deprecated: bool = False,
) -> str:
    """Return the description of an operation; `params` are the names and texts for `@param`."""
    lines = [f"@param {name} {text}" for name, text in params]
    if security:
        named = dict.fromkeys(
            " ".join(("@security", name, *scopes))
            for requirement in security[:_MOST_SCHEMES]
            for name, scopes in islice(requirement.schemes.items(), _MOST_SCHEMES)
        )
        lines += islice(named, _MOST_SCHEMES)
    lines += [f"@tag {tag}" for tag in tags]
    if deprecated:
        lines.append("@deprecated")
    summary, description = summary.strip(), description.strip()
    paragraphs = (
        "" if description.startswith(summary) else summary,
        description,
        "\n".join(lines),
    )
    text = "\n\n".join(filter(None, paragraphs))
    return text.replace("\r\n", "\n") if "\r" in text else text


_Named = tuple[JsonSchema | bool, bool]
"""A schema, and whether it is required."""


class SchemaMaker:
    """The maker of the schemas of all functions of one document.

    They share what they are made of: whoever calls `make` holds the `lock`.
    """

    def __init__(self, document: Document, is_human: IsHuman | None) -> None:
        self.lock = RLock()
        self._name = document.name
        self._is_human = is_human
        self._definitions = DocumentDefinitions(document)
        self._oddities = Oddities(document, self._definitions)
        # The input is kept with what was made of it, so that its id stays its own.
        self._inputs: dict[int, tuple[ParameterInput, _Made]] = {}

    def make(self, plan: Plan) -> Contract:
        """Return the contract of a function.

        Raises:
            DocumentError: one of them cannot be read.
        """
        try:
            parameters, output = self._parameters(plan), self._output(plan)
            path = tuple(i.argument[0] for i in plan.route.parameters if i.location == "path")
            notes = partial(self._notes, plan)
            return Contract.of(parameters, output, self._is_human, notes, first=path)
        except SchemaError as error:
            where = f"{plan.route.method} {plan.route.path}"
            raise DocumentError(
                self._name, f"The schemas of {where} cannot be read: {error}.", pointer=plan.pointer
            ) from error

    def _notes(self, plan: Plan) -> tuple[Note, ...]:
        with self.lock:
            return tuple(notes_on(plan, self._oddities))

    def _parameters(self, plan: Plan) -> JsonSchema:
        whole: dict[str, _Named] = {}
        groups: dict[str, dict[str, _Named]] = {}
        reached: dict[str, JsonValue] = {}
        names: list[str] = []
        for entry in plan.inputs:
            made = self._input(entry)
            names += made.names
            reached |= made.reached
            first, *rest = entry.parameter.argument
            holder = groups.setdefault(first, {}) if rest else whole
            holder[rest[0] if rest else first] = made.schema, entry.parameter.required
        for name in sorted(groups, key=_rank):
            required = any(required for _, required in groups[name].values())
            whole[name] = _closed(groups[name]), required
        if plan.body is not None:
            made = self._sent(plan.body.schema)
            names += made.names
            reached |= made.reached
            schema = _annotated(made.schema, _said(plan.body.description, plan.body.is_human))
            whole[plan.body.body.argument[0]] = schema, plan.body.body.required
        shared = self._definitions.closure(names).schemas
        return _complete(_closed(whole), {**shared, **reached} if reached else shared)

    def _input(self, entry: ParameterInput) -> "_Made":
        known = self._inputs.get(id(entry))
        if known is None:
            made = self._sent(entry.schema)
            said = _said(entry.description, entry.is_human)
            if entry.deprecated:
                said["deprecated"] = True
            if entry.examples:
                said["examples"] = [with_visible_texts(example) for example in entry.examples]
            made = made._replace(schema=_annotated(made.schema, said))
            known = self._inputs[id(entry)] = entry, made
        return known[1]

    def _sent(self, place: DocumentPlace) -> "_Made":
        """Return a schema as it is sent: no `readOnly`, `oneOf` as `anyOf` where that is meant.

        Most schemas need neither, and share their definitions with what is received.
        """
        ready = self._definitions.ready(place)
        closure = self._definitions.closure(ready.names)
        has = ready.has | closure.has
        if "oneOf" in has:
            ready = self._definitions.ready(place, sent=True)
            closure = self._definitions.closure(ready.names, sent=True)
        elif "readOnly" not in has:
            return _Made(ready.schema, ready.names, {})
        if isinstance(ready.schema, bool) or "readOnly" not in has:
            return _Made(ready.schema, (), closure.schemas)
        return _Made(*_parted(without_read_only(_complete(ready.schema, closure.schemas))))

    def _output(self, plan: Plan) -> JsonSchema | None:
        if plan.output is None:
            return None
        ready = self._definitions.ready(plan.output)
        if isinstance(ready.schema, bool):
            return {} if ready.schema else {"not": {}}
        closure = self._definitions.closure(ready.names)
        schema = _complete(ready.schema, closure.schemas)
        return without_write_only(schema) if "writeOnly" in ready.has | closure.has else schema


class _Made(NamedTuple):
    """A schema, the definitions it names that are as in the document, and those that are not."""

    schema: JsonSchema | bool
    names: tuple[str, ...]
    reached: JsonSchema


def _complete(schema: JsonSchema, definitions: JsonSchema) -> JsonSchema:
    return {**schema, "$defs": definitions} if definitions else schema


def _parted(schema: JsonSchema) -> tuple[JsonSchema, tuple[str, ...], JsonSchema]:
    definitions = schema.get("$defs")
    rest = {key: value for key, value in schema.items() if key != "$defs"}
    return rest, (), definitions if isinstance(definitions, dict) else {}


def _closed(named: dict[str, _Named]) -> JsonSchema:
    made: dict[str, JsonValue] = {
        "type": "object",
        "properties": {name: schema for name, (schema, _) in named.items()},
    }
    required: list[JsonValue] = [name for name, (_, is_required) in named.items() if is_required]
    if required:
        made["required"] = required
    return {**made, "additionalProperties": False}


def _said(description: str, is_human: bool | None) -> dict[str, JsonValue]:
    said: dict[str, JsonValue] = {}
    if description:
        said["description"] = visible(description)
    if is_human is not None:
        said["x-human"] = is_human
    return said


def _annotated(schema: JsonSchema | bool, said: JsonSchema) -> JsonSchema | bool:
    """Return a schema with the parameter's own annotations where it has none.

    A mark of the human's counts wherever it stands.
    """
    if schema is False or not said:
        return schema
    if not isinstance(schema, dict):
        return said
    is_human = human_mark(schema, said)
    marked = {} if is_human is None else {"x-human": is_human}
    return {**schema, **said, **schema, **marked}


def _rank(group: str) -> int:
    return GROUPS.index(group.rstrip("_"))
