"""What the endpoints of a FastAPI application say in their own code, written into its document.

FastAPI drops the metadata of `Annotated` where the default is a `Query(...)`, `Form(...)` and so
on, and knows no mark of this library. So the hints of each endpoint, and of everything it depends
on, are compared with the document. A dropped mark is written into a copy of the document; a mark
that has no place in it, or no effect in an endpoint, is an error.
"""

import inspect
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from pyfunctools._bound import bound_keywords
from pyfunctools._json import JsonObject, JsonSchema, JsonValue, items_of, json_copy, members_of
from pyfunctools.errors import DefinitionError
from pyfunctools.record.function import Function
from pyfunctools.route import Route
from pyfunctools.schema.outline.outline import Outline, Place
from pyfunctools.sources.python.callable_signature import (
    check_default,
    hints_of,
    injection_mark,
)
from pyfunctools.sources.python.core_schema import (
    LOST_REMEDY,
    CoreReader,
    CoreSchema,
    is_upload,
    lost_marks,
    read_core,
)
from pyfunctools.sources.python.decorators import Marks, marks_of
from pyfunctools.sources.python.docstrings import Docs, read_docstring
from pyfunctools.sources.python.hint_scope import function_behind, metadata_of
from pyfunctools.sources.python.markers import SECRET, HumanPart, marks_in
from pyfunctools.sources.python.unlisted_names import document_with_owners

if TYPE_CHECKING:
    from fastapi.dependencies.models import Dependant

_FORM, _MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
_LOCATIONS = ("path", "query", "header", "cookie")
_UNMARKED: tuple[object, ...] = (inspect.Parameter.empty, bool, dict, float, int, list, str)


class _Input(NamedTuple):
    """One input of an endpoint or of a dependency: its field, its own hint and its description.

    `location` is `body` or that of a parameter. A `bound` one is set by a `functools.partial`.
    """

    path: str
    location: str
    field: Any
    hint: object
    text: str | None
    bound: bool


class Endpoints:
    """The endpoints of an application: what their own code says beside the document.

    Raises:
        DefinitionError: a mark has no effect in an endpoint.
    """

    def __init__(self, routes: Iterable[Any]) -> None:
        self._classes: list[tuple[Set[str], Mapping[str, str | None]]] = []
        self._endpoints: list[_Endpoint] = []
        for route in routes:
            dependant, body = getattr(route, "dependant", None), getattr(route, "body_field", None)
            if dependant is None or getattr(route, "endpoint", None) is None:
                continue
            inputs = tuple(_inputs(str(route.path), dependant))
            has_upload = False
            if body is not None:
                reader, _ = _read(str(route.path), body.field_info.annotation)
                self._classes += (
                    ({*each.declared.values()}, each.others) for each in reader.classes
                )
                has_upload = any(map(is_upload, reader.marked))
            self._endpoints.append(_Endpoint(route, _checked(inputs), body, has_upload))

    def written_into(self, document: JsonObject, *, has_humans: bool) -> JsonObject:
        """Return a copy of a document with all this; without `has_humans`, without human marks.

        Raises:
            DefinitionError: a human mark has no place in the document.
        """
        document = json_copy(document)
        for each in self._endpoints:
            for operation in _operations(document, each.route):
                _describe(each.route, operation)
                if each.has_upload:
                    _as_multipart(operation)
                for entry in map(members_of, items_of(operation.get("parameters"))):
                    if entry.get("in") == "cookie":  # FastAPI reads the text as it was sent
                        cast("dict[str, JsonValue]", entry).setdefault("style", "cookie")
                places = _OperationPlaces(document, operation, each.body)
                for one in each.inputs:
                    places.write(one, has_humans)
        return document_with_owners(document, self._classes) if has_humans else document

    def with_settings(self, functions: Iterable[Function]) -> Iterator[Function]:
        """Yield functions with the settings of `@function` on their endpoints."""
        routes = {
            (method, each.route.path_format): each.route
            for each in self._endpoints
            for method in each.route.methods or ()
        }
        for function in functions:
            origin = cast("Route", function.origin)
            route = routes.get((origin.method, origin.path))
            yield function if route is None else _with_settings(function, route)


class _Endpoint(NamedTuple):
    route: Any
    inputs: tuple["_Input", ...]
    body: Any
    has_upload: bool


def _with_settings(function: Function, route: Any) -> Function:
    # Of a summary that FastAPI makes, only the title is kept.
    title = function.title or str(route.name).replace("_", " ").title()
    marks = marks_of(route.endpoint) or Marks()
    description = function.description if marks.description is None else marks.description
    named = {"name": marks.name or function.name, "title": title, "description": description}
    return replace(function, **{**named, **marks.traits})  # pyright: ignore[reportArgumentType]


def _operations(document: JsonObject, route: object) -> Iterator[dict[str, JsonValue]]:
    item = members_of(members_of(document.get("paths")).get(getattr(route, "path_format", "")))
    for method in getattr(route, "methods", None) or ():
        operation = item.get(str(method).lower())
        if isinstance(operation, dict):
            yield operation


def _inputs(path: str, dependant: "Dependant") -> Iterator[_Input]:
    call = dependant.call
    fields = {
        field.name: (location, field)
        for location in (*_LOCATIONS, "body")
        for field in getattr(dependant, f"{location}_params")
    }
    docs, bound, found = _docs_of(call), bound_keywords(call), hints_of(call)
    for name, parameter in found.parameters.items():
        where, written = f"{path}({name})", found.hints[name]
        hint: object = getattr(written, "__value__", written)  # of a type alias, as FastAPI
        default: object = parameter.default
        check_default(where, default.default if isinstance(default, FieldInfo) else default)
        location, field = fields.get(name, ("", None))
        if injection_mark(hint) is not None or (field is None and _marks(hint)):
            raise DefinitionError(
                where,
                "The mark in its hint has no effect in an endpoint of FastAPI.",
                "Write `Annotated[..., Depends(f)]` for a value of the program, and mark the "
                "parameters of `f` that a person gives.",
            )
        if field is not None:
            if isinstance(hint, str):
                reason = f"The hint {hint!r} cannot be evaluated."
                raise DefinitionError(where, reason, "Define its names in the module.")
            yield _Input(path, location, field, hint, docs.parameters.get(name), name in bound)
    for inner in dependant.dependencies:
        yield from _inputs(path, inner)


def _checked(inputs: tuple[_Input, ...]) -> tuple[_Input, ...]:
    """Return the inputs, if none that a `functools.partial` sets is also that of another one."""
    own = {(each.location, each.field.name) for each in inputs if not each.bound}
    for each in inputs:
        if each.bound and (each.location, each.field.name) in own:
            raise DefinitionError(
                f"{each.path}({each.field.name})",
                "A `functools.partial` sets it, and another function here takes it by this name.",
                "Rename one of the parameters.",
            )
    return inputs


def _marks(hint: object) -> dict[str, JsonValue]:
    """Return the keywords of the marks of a whole input, which FastAPI may have dropped."""
    marks = (mark for mark in marks_in(metadata_of(hint)) if isinstance(mark, HumanPart))
    return {keyword: value for mark in marks for keyword, value in mark.keywords().items()}


def _docs_of(call: object) -> Docs:
    behind = function_behind(call)
    text = getattr(call if isinstance(call, type) else behind, "__doc__", None)
    return read_docstring(text) if isinstance(text, str) else Docs()


def _describe(route: Any, operation: dict[str, JsonValue]) -> None:
    """Write the docstring of an endpoint, without its sections, and its settings."""
    endpoint = getattr(route, "endpoint", None)
    written = inspect.cleandoc(getattr(endpoint, "__doc__", None) or "").partition("\f")[0]
    docs = _docs_of(endpoint)
    if written and operation.get("description") == written.strip():
        operation["description"] = docs.text
        if docs.text and not getattr(route, "summary", None):
            operation.pop("summary", None)  # made of the name of the function
    if docs.returns:
        for schema in _schemas_in(operation, "responses"):
            schema.setdefault("description", docs.returns)
    traits = (marks_of(endpoint) or Marks()).traits
    if "deprecated" in traits:
        operation["deprecated"] = traits["deprecated"] is True
    if "tags" in traits:
        operation["tags"] = [*cast("tuple[str, ...]", traits["tags"])]


def _as_multipart(operation: dict[str, JsonValue]) -> None:
    """Send a form as one with files: FastAPI describes a model with an upload as one without."""
    body = members_of(operation.get("requestBody"))
    media = members_of(body.get("content")).items()
    content = {_MULTIPART if kind == _FORM else kind: each for kind, each in media}
    operation["requestBody"] = {**body, "content": content}


def _schemas_in(operation: JsonObject, part: str) -> Iterator[dict[str, JsonValue]]:
    """Yield the schemas of the request body, or of the responses with a status of success."""
    held = members_of(operation.get(part))
    bodies = [held] if part == "requestBody" else [held[k] for k in held if k.startswith("2")]
    for body in bodies:
        for media in members_of(members_of(body).get("content")).values():
            if isinstance(schema := members_of(media).get("schema"), dict):
                yield schema


def _read(where: str, hint: object) -> tuple[CoreReader, CoreSchema]:
    try:
        return read_core(hint)
    except DefinitionError as error:
        raise DefinitionError(where, f"In its inputs {error.reason}", error.remedy) from error
    except Exception as error:  # the user's classes may raise anything
        reason = f"Its inputs have no schema: {type(error).__name__}: {error}"
        raise DefinitionError(where, reason) from error


class _OperationPlaces:
    """The places of the inputs of one operation in the document, which are written to."""

    def __init__(self, document: JsonObject, operation: dict[str, JsonValue], body: object) -> None:
        self._document, self._operation, self._body = document, operation, body
        self.bodies = list(_schemas_in(operation, "requestBody"))

    def write(self, each: _Input, has_humans: bool) -> None:
        """Write what the hint and the docstring of one input say."""
        owners, names = self._owners(each), _names(each)
        named = [(owner, name) for owner in owners for name in owner if name in names]
        if each.bound:
            for owner, name in named:
                del owner[name]
            self._remove(each)
            return
        own = self.bodies if self._is_body(each) else [owner[name] for owner, name in named]
        schemas = [*{id(schema): schema for schema in own if isinstance(schema, dict)}.values()]
        if each.text and len(schemas) == 1:
            schemas[0].setdefault("description", each.text)
        if not has_humans or not getattr(each.field.field_info, "include_in_schema", True):
            return
        marked = _marks(each.hint)
        for schema in schemas:
            schema.update(marked)
        if marked and not schemas:
            raise _lost(each.path, each.field.name)
        if each.hint in _UNMARKED:
            return  # as most; without a hint it is `inspect.Parameter.empty`
        reader, core = _read(each.path, each.hint)
        if reader.marked:
            for schema in self._wholes(each, owners, schemas):
                _keep_marks(each.path, each.field.name, core, schema, self._document)

    def _wholes(
        self, each: _Input, owners: Iterable[JsonObject], schemas: list[dict[str, JsonValue]]
    ) -> Iterable[JsonObject]:
        """Return the schemas of a whole input; the fields of a model may be inputs of their own."""
        if not _models(each.hint) or (each.location == "body" and schemas):
            return schemas
        if each.location == "body":
            return self.bodies
        return [{"properties": owner, **_marks(each.hint)} for owner in owners]

    def _is_body(self, each: _Input) -> bool:
        return each.location == "body" and self._body is each.field

    def _owners(self, each: _Input) -> list[dict[str, JsonValue]]:
        """Return the mappings from names to schemas that may hold an input."""
        if each.location == "body":
            bodies = () if self._is_body(each) else self.bodies
            parts = _place_of(self._document, *bodies).possible.parts
            found = (part.rules.get("properties") for part in parts)
            return [held for held in found if isinstance(held, dict)]
        listed: dict[str, JsonValue] = {}
        for entry in map(members_of, items_of(self._operation.get("parameters"))):
            if entry.get("in") == each.location:
                name = str(entry.get("name"))
                # FastAPI writes the underscores of a header as hyphens.
                listed[name] = listed[name.replace("-", "_")] = entry.get("schema")
        return [listed]

    def _remove(self, each: _Input) -> None:
        """Remove an input that a `functools.partial` sets; the application uses its default."""
        if self._is_body(each):
            self._operation.pop("requestBody", None)
        self._operation["parameters"] = [
            entry
            for entry in map(members_of, items_of(self._operation.get("parameters")))
            if entry.get("in") != each.location
            or str(entry.get("name")).replace("-", "_") not in _names(each)
        ]


def _names(each: _Input) -> frozenset[str]:
    """Return the names by which a document may have an input, or the fields of a model."""
    models = _models(each.hint) if each.location != "body" else ()
    fields = {name: info for model in models for name, info in model.model_fields.items()}
    found: set[str] = set()
    for name, info in (fields or {each.field.name: each.field.field_info}).items():
        found |= {name, *_texts(info.alias), *_texts(info.validation_alias)}
    return frozenset({*found, *(name.replace("-", "_") for name in found)})


def _texts(alias: object) -> Iterator[str]:
    choices: Iterable[object] = getattr(alias, "choices", (alias,))
    yield from (each for each in choices if isinstance(each, str))


def _models(hint: object) -> list[type[BaseModel]]:
    """Return the models whose fields an application reads as parameters of their own."""
    if isinstance(hint, type):
        return [hint] if BaseModel in hint.__mro__ else []
    inner = get_args(hint)[:1] if metadata_of(hint) else get_args(hint)
    return [model for each in inner for model in _models(each)]


def _keep_marks(
    where: str, name: str, core: CoreSchema, schema: object, document: JsonObject
) -> None:
    """Write the secrets of a hint into its schema in a document, which FastAPI does not know."""
    for lost in list(lost_marks(core, _place_of(document, cast("JsonSchema", schema)))):
        schemas = [part.schema for part in lost.place.roots if isinstance(part.schema, dict)]
        if not lost.is_secret or not schemas:
            raise _lost(where, ".".join(filter(None, (name, lost.path))))
        for each in schemas:
            each.update(SECRET)


def _place_of(document: JsonObject, *schemas: JsonSchema) -> Place:
    """Return the place of all that these schemas of a document apply to."""
    outline = Outline({**document, "anyOf": [*schemas]})
    return outline.place_of(tuple(outline.root.branches("anyOf")))


def _lost(where: str, name: str) -> DefinitionError:
    reason = "It is marked as human, and the application's document lacks the mark."
    return DefinitionError(f"{where}({name})", reason, LOST_REMEDY)
