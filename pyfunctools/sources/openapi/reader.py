"""The functions and skipped operations of a document; schemas are made when first needed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from typing import Literal, get_args

from pyfunctools._json import JsonObject, items_of, members_of, text_of
from pyfunctools._lazy import Lazy
from pyfunctools._text import quantity, visible
from pyfunctools.errors import DefinitionError, DocumentError
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.note import Note, hidden_notes
from pyfunctools.record.function import Function, Skipped
from pyfunctools.route import IDEMPOTENT, NO_NAMES, SAFE, ConnectionNames, Server
from pyfunctools.schema.separation.predicates import IsHuman, is_human_by_default
from pyfunctools.sources.openapi.descriptions import Describe, Descriptions
from pyfunctools.sources.openapi.document import Document, DocumentResolver
from pyfunctools.sources.openapi.function_schemas import SchemaMaker
from pyfunctools.sources.openapi.load import check_version, load
from pyfunctools.sources.openapi.naming import Naming, name_all
from pyfunctools.sources.openapi.operations import operations
from pyfunctools.sources.openapi.routes import Plan, Routes

OnSkip = Literal["collect", "raise"]
"""The treatment of operations that cannot become functions."""

_KNOWN_METHODS = IDEMPOTENT | {"POST", "PATCH"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentReading:
    """The functions of a document, its skipped operations, title, description and servers."""

    functions: tuple[Function, ...]
    skipped: tuple[Skipped, ...] = ()
    title: str = ""
    description: str = ""
    servers: tuple[Server, ...] = ()


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
) -> DocumentReading:
    """Return the functions of an OpenAPI or Swagger document.

    A required parameter among `connected` is set by the connection, and is not an argument. Other
    documents are read only through `resolver`. The document is not copied: it must not be changed
    while its functions are used, since their schemas are made from it later.

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
    routes = Routes(document, loaded.references, connected)
    plans: list[Plan] = []
    skipped: list[Skipped] = []
    for operation in operations(document):
        planned = operation if isinstance(operation, Skipped) else routes.plan(operation)
        if isinstance(planned, Skipped):
            skipped.append(planned)
        else:
            plans.append(planned)
    if skipped and on_skip == "raise":
        raise _skipped_error(document.name, skipped)
    info = members_of(document.root.get("info"))
    return DocumentReading(
        functions=tuple(_functions(document, plans, names, describe, is_human)),
        skipped=tuple(skipped),
        title=visible(text_of(info.get("title"))),
        description=visible(text_of(info.get("description"))),
        servers=routes.servers.main,
    )


def _functions(
    document: Document,
    plans: Sequence[Plan],
    names: Naming,
    describe: Describe,
    is_human: IsHuman | None,
) -> Iterator[Function]:
    maker = SchemaMaker(document, is_human)
    descriptions = Descriptions(document, describe, is_human)
    for plan, name in zip(plans, name_all([plan.route for plan in plans], names), strict=True):
        method, operation = plan.route.method, plan.route.operation
        is_known = method in _KNOWN_METHODS
        tags = _tags(operation)
        notes = [Note(text=text, pointer=plan.pointer) for text in plan.notes]
        if tags:
            notes += hidden_notes("the tags", "".join(tags))
        yield Function(
            name=name,
            description=descriptions.of(plan, tags),
            deprecated=operation.get("deprecated") is True,
            tags=tuple(map(visible, tags)),
            title=visible(text_of(operation.get("summary"))).strip() or None,
            read_only=method in SAFE if is_known else None,
            destructive={"DELETE": True}.get(method, False if method in SAFE else None),
            idempotent=method in IDEMPOTENT if is_known else None,
            _noted=tuple(notes),
            origin=plan.route,
            _contract=Lazy(partial(maker.make, plan), maker.lock),
        )


def _tags(operation: JsonObject) -> tuple[str, ...]:
    tags = operation.get("tags")
    listed = [tags] if isinstance(tags, str) else items_of(tags)
    return tuple([tag for tag in listed if isinstance(tag, str)])


def _check_choice(option: str, value: object, allowed: tuple[object, ...]) -> None:
    if value not in allowed:
        choices = ", ".join(map(repr, allowed))
        raise DefinitionError(option, f"{value!r} is not one of the choices.", f"Write {choices}.")


def _skipped_error(name: str, skipped: Sequence[Skipped]) -> DocumentError:
    lines = [f"{entry.where}: {entry.reason} (at {entry.pointer})" for entry in skipped]
    title = f"{quantity(len(skipped), 'operation')} cannot become functions:"
    return DocumentError(name, "\n".join([title, *lines]), pointer=skipped[0].pointer)
