"""The functions and skipped operations of a document; schemas are made when first needed.

The texts for a search are read from the document, without making a schema.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from os import PathLike
from typing import Literal, TypeAlias, get_args

from pyfunctools._json import JsonObject, JsonValue, items_of, members_of, text_of
from pyfunctools._lazy import Lazy
from pyfunctools._text import quantity, visible
from pyfunctools.errors import DefinitionError, DocumentError
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.note import Note, hidden_notes
from pyfunctools.record.function import Function, Reading, Skipped
from pyfunctools.record.search_texts import SearchTexts, properties_of, property_texts
from pyfunctools.route import IDEMPOTENT, NO_NAMES, SAFE, ConnectionNames
from pyfunctools.schema.separation.predicates import IsHuman, is_human_by_default
from pyfunctools.sources.openapi.bodies import BodyInput, is_persons
from pyfunctools.sources.openapi.document import Document, DocumentPlace, DocumentResolver
from pyfunctools.sources.openapi.function_schemas import SchemaMaker
from pyfunctools.sources.openapi.load import check_version, load
from pyfunctools.sources.openapi.naming import Naming, name_all
from pyfunctools.sources.openapi.operation_parameters import ParameterInput
from pyfunctools.sources.openapi.operations import operations, skipped
from pyfunctools.sources.openapi.routes import Plan, Routes

Describe: TypeAlias = Literal["model", "full", "brief"]
"""`model` leaves out texts that the schemas have, `full` nothing, and `brief` every `@` line."""

_MOST_SCHEMES = 20
"""The most lines of `@security`: one list in a document is repeated in every description."""

OnSkip = Literal["collect", "raise"]
"""The treatment of operations that cannot become functions."""

_KNOWN_METHODS = IDEMPOTENT | {"POST", "PATCH"}


def read_document(
    source: str | bytes | PathLike[str] | JsonObject,
    *,
    names: Naming = "accessor",
    describe: Describe = "model",
    is_human: IsHuman | None = is_human_by_default,
    on_skip: OnSkip = "collect",
    resolver: DocumentResolver | None = None,
    limits: Limits = DEFAULT_LIMITS,
    connected: ConnectionNames = NO_NAMES,
    hinted: bool = False,
) -> Reading:
    """Return the functions of an OpenAPI or Swagger document.

    A required parameter among `connected` is set by the connection, and is not an argument. With
    `hinted` the document is made from type hints, and formats are as pydantic reads them. Other
    documents are read only through `resolver`.

    Raises:
        DocumentError: the document cannot be read, or, with `on_skip="raise"`, an operation cannot
            become a function.
        DefinitionError: an option is invalid, or `names` returned no name.
    """
    _check_choice("describe", describe, get_args(Describe))
    _check_choice("on_skip", on_skip, get_args(OnSkip))
    if not callable(names):
        _check_choice("names", names, ("accessor", "operation_id"))
    loaded = load(source, limits)
    check_version(loaded.root, loaded.name)
    document = Document(loaded, resolver, limits)
    routes = Routes(document, connected)
    maker = SchemaMaker(document, is_human, hinted=hinted)
    is_sound = not loaded.may_have_hidden and all(map(document.has_schema_at, loaded.references))
    plans, left_out = _planned(document, routes, None if is_sound else maker)
    if left_out and on_skip == "raise":
        raise _skipped_error(document.name, left_out)
    info = members_of(document.root.get("info"))
    return Reading(
        functions=tuple(_functions(document, plans, maker, names, describe, is_human)),
        skipped=tuple(left_out),
        title=visible(text_of(info.get("title"))),
        description=visible(text_of(info.get("description"))),
    )


def _planned(
    document: Document, routes: Routes, maker: SchemaMaker | None
) -> tuple[list[Plan], list[Skipped]]:
    """Return the plans of all operations, and those skipped; a `maker` tries their schemas too."""
    plans, left_out = list[Plan](), list[Skipped]()
    for operation in operations(document):
        if isinstance(operation, Skipped):
            left_out.append(operation)
            continue
        try:
            plan = routes.plan(operation)
            if maker is not None:
                maker.make(plan)
            plans.append(plan)
        except DocumentError as error:
            left_out.append(skipped(operation.where, error, operation.pointer))
    return plans, left_out


def _functions(
    document: Document,
    plans: Sequence[Plan],
    maker: SchemaMaker,
    names: Naming,
    describe: Describe,
    is_human: IsHuman | None,
) -> Iterator[Function]:
    texts = OperationTexts(document, describe, is_human)
    make, searched = maker.make, texts.searched  # one object for all functions
    for plan, name in zip(plans, name_all([plan.route for plan in plans], names), strict=True):
        method, operation = plan.route.method, plan.route.operation
        is_known = method in _KNOWN_METHODS
        tags = _tags(operation)
        notes = [Note(text=text, pointer=plan.pointer) for text in plan.notes]
        notes += hidden_notes("the tags", "".join(tags))
        yield Function(
            name=name,
            description=texts.description(plan, tags),
            deprecated=operation.get("deprecated") is True,
            tags=tuple(map(visible, tags)),
            title=visible(text_of(operation.get("summary"))).strip() or None,
            read_only=method in SAFE if is_known else None,
            destructive={"DELETE": True}.get(method, False if method in SAFE else None),
            idempotent=method in IDEMPOTENT if is_known else None,
            _noted=tuple(notes),
            origin=plan.route,
            _contract=Lazy(make, plan, lock=maker.lock),
            _searched=Lazy(searched, plan, tags, lock=maker.lock),
        )


def _tags(operation: JsonObject) -> tuple[str, ...]:
    tags = operation.get("tags")
    listed = [tags] if isinstance(tags, str) else items_of(tags)
    return tuple([tag for tag in listed if isinstance(tag, str)])


def _check_choice(option: str, value: object, allowed: tuple[object, ...]) -> None:
    if value not in allowed:
        choices = " or ".join(map(repr, allowed))
        raise DefinitionError(option, f"{value!r} is not one of the choices.", f"Write {choices}.")


def _skipped_error(name: str, left_out: Sequence[Skipped]) -> DocumentError:
    *others, last = left_out  # the error itself tells the pointer of the last one
    lines = [f"{entry.where}: {entry.reason} (at {entry.pointer})" for entry in others]
    title = f"{quantity(len(left_out), 'operation')} cannot become functions:"
    reason = "\n".join([title, *lines, f"{last.where}: {last.reason}"])
    return DocumentError(name, reason, pointer=last.pointer)


class OperationTexts:
    """The texts of the functions of one document: the descriptions, and the texts for a search.

    The parts of a description, in this order: the summary; the description, as the next paragraph;
    `@param` for a parameter whose description its schema does not have; `@security` with the names
    of schemes and scopes; `@tag`; `@deprecated`.
    """

    def __init__(self, document: Document, describe: Describe, is_human: IsHuman | None) -> None:
        self._document = document
        self._describe: Describe = describe
        self._is_human = is_human

    def description(self, plan: Plan, tags: tuple[str, ...]) -> str:
        """Return the description of an operation's function."""
        operation = plan.route.operation
        summary = text_of(operation.get("summary")).strip()
        description = text_of(operation.get("description")).strip()
        paragraphs = (
            "" if description.startswith(summary) else summary,
            description,
            "" if self._describe == "brief" else "\n".join(self._lines(plan, tags)),
        )
        return "\n\n".join(filter(None, paragraphs)).replace("\r\n", "\n")

    def _lines(self, plan: Plan, tags: tuple[str, ...]) -> Iterator[str]:
        for entry in plan.inputs:
            yield from self._param(entry.parameter.name, entry, entry.parameter.argument)
        if plan.body is not None:
            argument = plan.body.body.argument
            yield from self._param(argument[0], plan.body, argument)
        schemes = dict.fromkeys(
            " ".join(("@security", name, *scopes))
            for requirement in plan.route.security[:_MOST_SCHEMES]
            for name, scopes in islice(requirement.items(), _MOST_SCHEMES)
        )
        yield from islice(schemes, _MOST_SCHEMES)
        for tag in tags:
            yield f"@tag {tag}"
        if plan.route.operation.get("deprecated") is True:
            yield "@deprecated"

    def _param(
        self, name: str, entry: ParameterInput | BodyInput, argument: tuple[str, ...]
    ) -> Iterator[str]:
        """Yield the line of an input, unless its schema says the same, or a person gives it."""
        of_schema, text = text_of(entry.schema.fields.get("description")), entry.description
        if self._describe == "full":
            text = text or of_schema
        elif not of_schema or text in of_schema:
            return
        text = text.strip()
        if text and not self._is_persons(entry.schema, argument, entry.is_human):
            yield f"@param {name} {text}"

    def _is_persons(
        self, place: DocumentPlace, argument: tuple[str, ...], mark: bool | None = None
    ) -> bool:
        return is_persons(self._document, place, argument, self._is_human, mark=mark)

    def searched(self, plan: Plan, tags: tuple[str, ...]) -> SearchTexts:
        """Return the texts of an operation for a search; what a person gives is left out."""
        body = plan.body

        def follow(schema: JsonValue) -> JsonValue:
            place = (plan.inputs[0] if body is None else body).schema
            try:
                return self._document.follow(place._replace(value=schema)).value
            except DocumentError:
                return schema

        given: list[tuple[str, JsonObject]] = [
            (each.parameter.name, {**each.schema.fields, "description": each.description})
            for each in plan.inputs
            if not self._is_persons(each.schema, each.parameter.argument, each.is_human)
        ]
        if body is not None:
            argument = body.body.argument
            if not self._is_persons(body.schema, argument, body.is_human):
                given += (
                    (name, schema)
                    for name, schema in properties_of(body.schema.value, follow)
                    if not self._is_persons(body.schema._replace(value=schema), (*argument, name))
                )
        return SearchTexts(
            name=text_of(plan.route.operation.get("operationId")),
            path=plan.route.path,
            method=plan.route.method,
            tags=" ".join(self._with_parents(tags)),
            **property_texts(given, follow),
        )

    def _with_parents(self, tags: tuple[str, ...]) -> dict[str, None]:
        """Return tags with their parents (OpenAPI 3.2, 4.8.22), each followed by its summary."""
        texts, queue = dict[str, None](), list(tags)
        for name in queue:  # grows while it is read
            if name not in texts:
                texts[name] = None
                if (tag := self._tags.get(name)) is not None:
                    texts[text_of(tag.get("summary"))] = None
                    queue += filter(None, [text_of(tag.get("parent"))])
        return texts

    @cached_property
    def _tags(self) -> dict[str, JsonObject]:
        """The tags that the document declares, by name."""
        listed = map(members_of, items_of(self._document.root.get("tags")))
        return {text_of(each.get("name")): each for each in listed}
