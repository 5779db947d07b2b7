"""The list of functions, the page of one (both sides, a vendor's words), the page of sizes."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request

from pyfunctools import Controller, Function, PyfunctoolsError, Skipped
from pyfunctools._text import quantity, shortened
from pyfunctools.dialects.table import DIALECTS
from pyfunctools.integrations.inspector.markup import (
    Child,
    Markup,
    code_block,
    facts,
    joined,
    json_block,
    raw,
    tag,
)
from pyfunctools.record.origin import origin_text
from pyfunctools.schema.separation.predicates import without_values

_PAGE = """\
<!doctype html><html lang="en"><head><meta charset="utf-8">\
<meta name="viewport" content="width=device-width, initial-scale=1">\
<meta name="color-scheme" content="light dark"><title>{title} · pyfunctools</title>\
<link rel="stylesheet" href="{root}/static/inspector.css"><link rel="icon" href="data:,">\
<script src="{root}/static/inspector.js" defer></script></head><body><header>\
<nav aria-label="Pages"><b>{name}</b> <a href="{root}/">Functions</a> \
<a href="{root}/waiting">Waiting</a> <a href="{root}/size">Size</a> </nav></header>\
<main>{body}</main></body></html>"""
_AROUND, _BEFORE = 60, 6  # the most functions beside one, and of those above it


def whole_page(root: str, controller: Controller, title: str, body: Child) -> Markup:
    """Return a page with its head and the links to the others."""
    name = controller.name or "pyfunctools"
    parts = {"title": title, "name": name, "body": body, "root": raw(root)}
    return Markup(_PAGE.format_map({name: joined(each) for name, each in parts.items()}))


def function_list(
    root: str, controller: Controller, found: Sequence[Function], note: Child = None, here: str = ""
) -> Markup:
    """Return a list of functions, which a search as you type replaces; `here` is being shown."""
    return tag(
        "section",
        note and tag("p", note, class_="problem"),
        tag("p", f"{len(found):,} of {quantity(len(controller), 'function')}", role="status"),
        tag("ul", [_item(root, each, here) for each in found], class_="functions"),
        id="found",
    )


def beside(root: str, controller: Controller, here: Function) -> Markup:
    """Return the search, and the functions around one: of its first tag, or of all without tags."""
    near = [each for each in controller if each.tags[:1] == here.tags[:1]]
    at = next((n for n, each in enumerate(near) if each.name == here.name), 0)
    shown = near[max(at - _BEFORE, 0) :][:_AROUND]
    listed = function_list(root, controller, shown, here=here.name)
    return tag("aside", search_field(root), listed, aria_label="Functions")


def search_field(root: str, query: str = "") -> Markup:
    """Return the form to find functions."""
    field = tag("input", type="search", id="q", name="q", value=query, autocomplete="off")
    label = tag("label", "Search", for_="q")
    inner = (label, field, tag("button", "Find"))
    return tag("form", inner, method="get", action=f"{root}/", role="search")


def tag_list(root: str, controller: Controller, wanted: str | None) -> Child:
    """Return a link to the functions of each tag."""
    tags = sorted({each for function in controller for each in function.tags})
    addresses = {each: f"{root}/?{urlencode({'tag': each})}" for each in tags}
    links = (tag("a", each, href=addresses[each], aria_current=each == wanted) for each in tags)
    listed = tag("ul", [tag("li", each) for each in links], class_="tags")
    title = tag("summary", quantity(len(tags), "tag"))
    return bool(tags) and tag("details", title, listed, open=wanted is not None)


def skipped_list(skipped: Iterable[Skipped]) -> Child:
    """Return what could not become a function, and why."""
    told = ((tag("code", each.where), each.reason, tag("small", each.pointer)) for each in skipped)
    rows = [tag("li", where, " ", reason, " ", pointer) for where, reason, pointer in told]
    return rows and tag("details", tag("summary", f"{len(rows):,} skipped"), tag("ul", rows))


def _item(root: str, function: Function, here: str) -> Markup:
    name, said = function.name, shortened(function.description.partition("\n")[0], 160)
    link = tag("a", name, href=f"{root}/functions/{name}", aria_current=name == here)
    return tag("li", link, tag("small", origin_text(function.origin)), tag("span", said))


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
        and tag("details", tag("summary", "What comes back"), json_block(output), class_="panel"),
        bool(function.notes) and tag("ul", notes, class_="panel"),
        _vendor(controller, function, dialect),
        tried,
    )


def _side(title: str, schema: Mapping[str, Any] | None) -> Markup:
    shown = tag("p", "Nothing.") if schema is None else json_block(schema)
    return tag("section", tag("h2", title), shown, class_="panel")


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
        count = f"{len(losses)} loss{'' if len(losses) == 1 else 'es'}"
        shown = (
            tag("p", f"{tools.bytes:,} bytes, {count}."),
            lost and (tag("p", "What this vendor cannot express:"), tag("ul", lost)),
            json_block(list(tools)),
        )
    title = tag("h2", "What a vendor gets")
    return tag("section", title, choice, shown, id="vendor", class_="panel")


_OPENAI = 128
"""The most functions that OpenAI accepts, whose list is the default of `export`."""


def size_section(
    request: Request, controller: Controller, tokens: Mapping[str, int], total: int, source: str
) -> Child:
    """Return a button for each tag and function; a press adds it to the choice, or takes it out.

    `tokens` are those of each function, by name.
    """
    members: dict[str, list[str]] = {}
    for function in controller:
        for each in function.tags or ("",):
            members.setdefault(each, []).append(function.name)
    tags = _pressed(request, "tag", members)
    names = _pressed(request, "name", tokens)
    pressed = [*(("tag", each) for each in tags), *(("name", each) for each in names)]
    hidden = [tag("input", type="hidden", name=kind, value=each) for kind, each in pressed]
    sizes = {each: sum(tokens[name] for name in inside) for each, inside in members.items()}
    shown: set[str] = set()
    blocks: list[Markup] = []
    for each in sorted(members, key=lambda each: -sizes[each]):
        # A function with two tags stands under the larger one.
        inside = sorted(set(members[each]) - shown, key=lambda name: (-tokens[name], name))
        shown.update(inside)
        head = _button("tag", each, sizes[each], tags) if each else tag("b", "(no tag)")
        leaves = [_button("name", name, tokens[name], names) for name in inside]
        blocks.append(tag("div", head, tag("div", leaves, class_="leaves"), class_="group"))
    of_tags = {name for each in tags for name in members[each]}
    chosen = {name: size for name, size in tokens.items() if name in of_tags or name in names}
    # Tags and names together would be the functions that meet both.
    kind, picked = ("tag", tags) if chosen.keys() == of_tags else ("name", [*chosen])
    choice = _choice(source, chosen, kind, picked)
    inner = (tag("div", hidden, id="pressed"), tag("div", blocks, id="map"))
    return (
        tag("h1", "Size"),
        tag("p", f"{quantity(len(controller), 'function')}, about {total:,} tokens for a model."),
        tag("section", choice, id="choice", class_="panel"),
        tag("form", inner, method="get", action=f"{request.scope.get('root_path', '')}/size"),
    )


def _pressed(request: Request, kind: str, known: Mapping[str, object]) -> list[str]:
    """Return the known names of the choice; a toggled one is taken out, or in."""
    pressed = request.query_params.getlist(kind)
    toggled = request.query_params.getlist(f"toggle-{kind}")
    changed = {each: None for each in [*pressed, *toggled] if each and each in known}
    return [each for each in changed if each not in pressed or each not in toggled]


def _button(kind: str, name: str, size: int, pressed: Sequence[str]) -> Markup:
    return tag(
        "button",
        tag("span", name),
        " ",
        tag("small", f"{size:,}", tag("span", " tokens", class_="words")),
        name=f"toggle-{kind}",
        value=name,
        aria_pressed="true" if name in pressed else "false",
        data_size=size,
        title=f"{name}: {size:,} tokens",
    )


def _choice(source: str, chosen: Mapping[str, int], kind: str, picked: Sequence[str]) -> Child:
    """Return the chosen functions, with their tokens, as code and as a command."""
    if not chosen:
        return tag("p", "Press tags and functions to choose them.")
    words = ["pyfunctools", "export", source, *(f"--{kind}={each}" for each in picked)]
    words += ["--dialect=anthropic"] if len(chosen) > _OPENAI else []
    size = f"{quantity(len(chosen), 'function')}, about {sum(chosen.values()):,} tokens"
    return (
        tag("p", tag("b", size)),
        code_block(f"controller.select({kind}s={picked!r})", aria_label="Code"),
        code_block(shlex.join(words), aria_label="Command"),
    )
