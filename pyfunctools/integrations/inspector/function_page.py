"""The page of one function: both sides, and what a vendor gets."""

from collections.abc import Mapping
from typing import Any

from pyfunctools import Controller, Function, PyfunctoolsError
from pyfunctools.dialects.table import DIALECTS
from pyfunctools.integrations.inspector.markup import (
    Child,
    Markup,
    code_block,
    facts,
    json_text,
    tag,
)
from pyfunctools.integrations.inspector.schema_tree import SchemaTree
from pyfunctools.record.origin import origin_text
from pyfunctools.schema.separation.shown import without_values

_TRAITS = ("deprecated", "read_only", "destructive", "idempotent", "confirm")


def function_article(
    controller: Controller, function: Function, dialect: str, tried: Markup
) -> Markup:
    """Return what is shown of a function; `tried` is the section with the form."""
    words = [each.replace("_", " ") for each in _TRAITS if getattr(function, each)]
    tokens = controller.select(names=[function.name]).report().tokens
    known = [origin_text(function.origin), *function.tags, *words, f"{tokens:,} tokens"]
    separated, output = function.separated, function.output
    human = separated and separated.human
    notes = [tag("li", str(each)) for each in function.notes]
    return tag(
        "article",
        tag("h1", function.name),
        facts(known),
        bool(function.description) and tag("p", function.description, class_="prose"),
        tag(
            "div",
            _side("What the model sees", function.llm),
            _side("What the person gives", human and without_values(human)),
            class_="sides",
        ),
        output
        and tag("details", tag("summary", "What comes back"), _schema(output), class_="panel"),
        bool(function.notes) and tag("ul", notes, class_="panel"),
        _vendor(controller, function, dialect),
        tried,
    )


def _side(title: str, schema: Mapping[str, Any] | None) -> Markup:
    shown = tag("p", "Nothing.") if schema is None else _schema(schema)
    return tag("section", tag("h2", title), shown, class_="panel")


def _schema(schema: Mapping[str, Any]) -> Child:
    text = code_block(json_text(schema))
    return SchemaTree(schema).markup(), tag("details", tag("summary", "JSON"), text)


def _vendor(controller: Controller, function: Function, dialect: str) -> Markup:
    options = [tag("option", each, value=each, selected=each == dialect) for each in DIALECTS]
    label = tag("label", "Dialect ", tag("select", options, name="dialect"))
    choice = tag("form", label, " ", tag("button", "Show"), method="get", action="#vendor")
    try:
        tools = controller.select(names=[function.name]).tools(dialect)
    except PyfunctoolsError as error:
        shown: Child = tag("p", str(error), class_="problem")
    else:
        losses = tools.losses.get(function.name, ())
        lost = [tag("li", f"{each.path} {each.keyword}: {each.how}") for each in losses]
        shown = (
            tag(
                "p", f"{tools.bytes:,} bytes, {len(losses)} loss{'' if len(losses) == 1 else 'es'}."
            ),
            lost and tag("p", "What this vendor cannot express, at its place:"),
            lost and (SchemaTree(function.llm, losses).markup(), tag("ul", lost)),
            code_block(json_text(list(tools))),
        )
    title = tag("h2", "What a vendor gets")
    return tag("section", title, choice, shown, id="vendor", class_="panel")
