"""The texts of an operation for a search, read from the document without making a schema."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from pyfunctools._json import JsonObject, JsonValue, items_of, members_of, text_of
from pyfunctools.errors import DocumentError
from pyfunctools.record.search_texts import SearchTexts, properties_of, property_texts
from pyfunctools.sources.openapi.document import Document, DocumentPlace
from pyfunctools.sources.openapi.routes import Plan

IsPersons: TypeAlias = Callable[[DocumentPlace, tuple[str, ...], bool | None], bool]
"""Returns whether a person gives an input: its schema, its path, and how it is marked."""


def texts_of_plan(
    document: Document,
    plan: Plan,
    tags: tuple[str, ...],
    known: Mapping[str, JsonObject],
    is_persons: IsPersons,
) -> SearchTexts:
    """Return the texts of an operation; `known` are the document's tags by name.

    What a person gives is left out.
    """
    place = plan.inputs[0].schema if plan.inputs else None
    if plan.body is not None:
        place = plan.body.schema

    def follow(schema: JsonValue) -> JsonValue:
        if place is None or "$ref" not in members_of(schema):
            return schema
        try:
            return document.follow(place._replace(value=schema)).value
        except DocumentError:
            return schema

    given: list[tuple[str, JsonObject]] = [
        (each.parameter.name, {**each.schema.fields, "description": each.description})
        for each in plan.inputs
        if not is_persons(each.schema, each.parameter.argument, each.is_human)
    ]
    if plan.body is not None:
        body, argument = plan.body.schema, plan.body.body.argument
        if not is_persons(body, argument, plan.body.is_human):
            given += (
                (name, schema)
                for name, schema in properties_of(body.value, follow)
                if not is_persons(body._replace(value=schema), (*argument, name), None)
            )
    return SearchTexts(
        name=text_of(plan.route.operation.get("operationId")),
        path=plan.route.path,
        method=plan.route.method,
        tags=" ".join(_with_parents(tags, known)),
        **property_texts(given, follow),
    )


def tags_of_document(document: Document) -> dict[str, JsonObject]:
    """Return the tags that a document declares, by name."""
    listed = map(members_of, items_of(document.root.get("tags")))
    return {text_of(each.get("name")): each for each in listed}


def _with_parents(tags: tuple[str, ...], known: Mapping[str, JsonObject]) -> dict[str, None]:
    """Return tags with their parents (OpenAPI 3.2, 4.8.22), each followed by its summary."""
    texts, queue = dict[str, None](), list(tags)
    for name in queue:
        if name not in texts:
            texts[name] = None
            if (tag := known.get(name)) is not None:
                texts[text_of(tag.get("summary"))] = None
                queue += filter(None, [text_of(tag.get("parent"))])
    return texts
