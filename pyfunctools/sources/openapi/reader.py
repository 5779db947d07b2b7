"""A document in, functions out; their schemas are made when somebody asks for them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from typing import Literal, get_args

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools._text import visible
from pyfunctools.errors import DefinitionError, DocumentError
from pyfunctools.limits import DEFAULT_LIMITS, Limits
from pyfunctools.note import Note, hidden_notes
from pyfunctools.record.function import Function, Skipped, noted
from pyfunctools.route import IDEMPOTENT, NO_NAMES, SAFE, ConnectionNames, Server
from pyfunctools.schema.ground.marks import human_mark
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.separation.predicates import IsHuman, ask, is_human_by_default
from pyfunctools.schema.vocabulary import COMPOSITION
from pyfunctools.sources.openapi.bodies import BodyInput
from pyfunctools.sources.openapi.document import Document, DocumentResolver
from pyfunctools.sources.openapi.function_schemas import (
    Describe,
    SchemaMaker,
    describe_operation,
)
from pyfunctools.sources.openapi.load import check_version, load
from pyfunctools.sources.openapi.naming import Naming, name_all
from pyfunctools.sources.openapi.operation_parameters import ParameterInput
from pyfunctools.sources.openapi.operations import operations
from pyfunctools.sources.openapi.routes import Plan, Routes

OnSkip = Literal["collect", "raise"]
"""What is done with operations that cannot become functions."""

_KNOWN = IDEMPOTENT | {"POST", "PATCH"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentReading:
    """The functions of a document, its skipped operations, title, description and servers."""

    functions: tuple[Function, ...]
    skipped: tuple[Skipped, ...] = ()
    title: str = ""
    description: str = ""
    servers: tuple[Server, ...] = ()


def read(
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

    A required parameter that is `connected` is the connection's, and not an argument. Nothing
    outside the document is read but what `resolver` gives. The document is kept as it is, and the
    functions' schemas are made of it later: it must not be changed while they are used.

    Raises:
        DocumentError: the document cannot be read, or, with `on_skip="raise"`, an operation cannot
            become a function.
        DefinitionError: an option is none of those it may be, or `names` gave no name.
    """
    _choose("describe", describe, get_args(Describe))
    _choose("on_skip", on_skip, get_args(OnSkip))
    if not callable(names):
        _choose("names", names, ("accessor", "operation_id"))
    loaded = load(source, limits)
    check_version(loaded.root, loaded.name)
    document = Document(loaded, resolver, limits)
    routes = Routes(document, loaded.references, connected)
    plans, skipped = _planned(document, routes)
    if skipped and on_skip == "raise":
        raise _refused(document.name, skipped)
    functions = tuple(_functions(document, plans, names, describe, is_human))
    info = document.root.get("info")
    return DocumentReading(
        functions=functions,
        skipped=tuple(skipped),
        title=visible(_text(info, "title")),
        description=visible(_text(info, "description")),
        servers=routes.servers.main,
    )


def _planned(document: Document, routes: Routes) -> tuple[list[Plan], list[Skipped]]:
    plans: list[Plan] = []
    skipped: list[Skipped] = []
    for operation in operations(document):
        planned = operation if isinstance(operation, Skipped) else routes.plan(operation)
        if isinstance(planned, Skipped):
            skipped.append(planned)
        else:
            plans.append(planned)
    return plans, skipped


def _functions(
    document: Document,
    plans: Sequence[Plan],
    names: Naming,
    describe: Describe,
    is_human: IsHuman | None,
) -> Iterator[Function]:
    maker = SchemaMaker(document, is_human)
    texts = _Texts(document, describe, is_human)
    for plan, name in zip(plans, name_all([plan.route for plan in plans], names), strict=True):
        method, operation = plan.route.method, plan.route.operation
        known, tags = method in _KNOWN, _tags(operation)
        text = texts.of(plan, tags)
        function = Function(
            name=name,
            description=text,
            deprecated=operation.get("deprecated") is True,
            tags=tags,
            title=_text(operation, "summary").strip() or None,
            read_only=method in SAFE if known else None,
            destructive={"DELETE": True}.get(method, False if method in SAFE else None),
            idempotent=method in IDEMPOTENT if known else None,
            _noted=tuple([Note(text=text, pointer=plan.pointer) for text in plan.notes]),
            origin=plan.route,
            _contract=Lazy(partial(maker.make, plan), maker.lock),
        )
        # What the description hides, and only that, may be hidden in the title and the tags too.
        hidden = len(text) > len(function.description)
        yield _shown(function) if hidden or describe == "brief" else function


def _shown(function: Function) -> Function:
    notes = hidden_notes("the tags", "".join(function.tags))
    shown = replace(
        function,
        title=visible(function.title or "").strip() or None,
        tags=tuple(map(visible, function.tags)),
    )
    return noted(shown, notes)


class _Texts:
    """The descriptions of the functions of one document."""

    def __init__(self, document: Document, describe: Describe, is_human: IsHuman | None) -> None:
        self._document = document
        self._describe: Describe = describe
        self._is_human = is_human

    def of(self, plan: Plan, tags: tuple[str, ...]) -> str:
        """Return the description of a function."""
        operation = plan.route.operation
        summary, description = _text(operation, "summary"), _text(operation, "description")
        if self._describe == "brief":
            return describe_operation(summary, description)
        return describe_operation(
            summary,
            description,
            params=self._params(plan),
            security=plan.route.security,
            tags=tags,
            deprecated=operation.get("deprecated") is True,
        )

    def _params(self, plan: Plan) -> Iterator[tuple[str, str]]:
        for entry in plan.inputs:
            text = self._said(entry)
            if text and not self._is_the_humans(entry, entry.parameter.argument):
                yield entry.parameter.name, text
        if plan.body is not None:
            text, argument = self._said(plan.body), plan.body.body.argument
            if text and not self._is_the_humans(plan.body, argument):
                yield argument[0], text

    def _said(self, entry: ParameterInput | BodyInput) -> str:
        """Return the `@param` text of a parameter; empty if its schema says it already."""
        description, own = entry.description, _text(entry.schema.value, "description")
        if self._describe == "full":
            return (description or own).strip()
        return "" if not own or description in own else description.strip()

    def _is_the_humans(self, entry: ParameterInput | BodyInput, argument: tuple[str, ...]) -> bool:
        if self._is_human is None:
            return False
        is_human = human_mark(entry.schema.value, {"x-human": entry.is_human})
        said: JsonObject = {} if is_human is None else {"x-human": is_human}
        todo, seen = [entry.schema], set[int]()
        for place in todo:  # grows while it is read: one alternative of the human's is enough
            found = self._document.follow(place)
            whole: dict[str, JsonValue] = {}
            for part in (found.value, place.value, said):
                whole |= part if isinstance(part, dict) else {}
            whole.pop("$ref", None)
            if ask(self._is_human, Path.of(argument), whole):
                return True
            said = {}
            if id(found.value) not in seen:
                seen.add(id(found.value))
                for keyword in COMPOSITION:
                    branches = whole.get(keyword)
                    listed = branches if isinstance(branches, list) else []
                    todo += [found.below(branch, keyword) for branch in listed]
        return False


def _tags(operation: JsonObject) -> tuple[str, ...]:
    tags = operation.get("tags")
    listed = [tags] if isinstance(tags, str) else tags
    if not isinstance(listed, list):
        return ()
    return tuple([tag for tag in listed if isinstance(tag, str)])


def _text(value: JsonValue, key: str) -> str:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def _choose(option: str, value: object, allowed: tuple[object, ...]) -> None:
    if value not in allowed:
        choices = ", ".join(map(repr, allowed))
        raise DefinitionError(option, f"{value!r} is not one of the choices.", f"Write {choices}.")


def _refused(name: str, skipped: Sequence[Skipped]) -> DocumentError:
    count = len(skipped)
    what = "1 operation" if count == 1 else f"{count} operations"
    lines = [f"{entry.where}: {entry.reason} (at {entry.pointer})" for entry in skipped]
    return DocumentError(
        name, "\n".join([f"{what} cannot become functions:", *lines]), pointer=skipped[0].pointer
    )
