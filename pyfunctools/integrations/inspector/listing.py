"""The frame of every page, and the list of functions."""

from collections.abc import Iterable, Sequence
from urllib.parse import urlencode

from pyfunctools import Controller, Function, Skipped
from pyfunctools._text import shortened
from pyfunctools.integrations.inspector.markup import Child, Markup, spaced, tag
from pyfunctools.record.origin import origin_text

_AROUND, _BEFORE = 60, 6  # the most functions beside one, and of those above it


def whole_page(root: str, controller: Controller, title: str, body: Child) -> Markup:
    """Return a page with its head and the links to the others."""
    links = [("/", "Functions"), ("/waiting", "Waiting"), ("/size", "Size")]
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{title} · pyfunctools"),
        tag("link", rel="stylesheet", href=f"{root}/static/inspector.css"),
        tag("link", rel="icon", href="data:,"),
        tag("script", src=f"{root}/static/inspector.js", defer=True),
    )
    nav = tag(
        "nav",
        tag("b", controller.name or "pyfunctools"),
        " ",
        spaced(tag("a", text, href=f"{root}{path}") for path, text in links),
        aria_label="Pages",
    )
    content = (head, tag("body", tag("header", nav), tag("main", body)))
    return Markup("<!doctype html>" + tag("html", content, lang="en"))


def function_list(
    root: str, controller: Controller, found: Sequence[Function], note: Child = None, here: str = ""
) -> Markup:
    """Return a list of functions, which a search as you type replaces; `here` is being shown."""
    return tag(
        "section",
        note and tag("p", note, class_="problem"),
        tag("p", f"{len(found):,} of {len(controller):,} functions", role="status"),
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
    links = [
        tag("a", each, href=f"{root}/?{urlencode({'tag': each})}", aria_current=each == wanted)
        for each in tags
    ]
    listed = tag("ul", [tag("li", each) for each in links], class_="tags")
    title = tag("summary", f"{len(tags)} tags")
    return bool(tags) and tag("details", title, listed, open=wanted is not None)


def skipped_list(skipped: Iterable[Skipped]) -> Child:
    """Return what could not become a function, and why."""
    rows = [
        tag("li", tag("code", each.where), " ", each.reason, " ", tag("small", each.pointer or ""))
        for each in skipped
    ]
    return rows and tag("details", tag("summary", f"{len(rows):,} skipped"), tag("ul", rows))


def _item(root: str, function: Function, here: str) -> Markup:
    name, said = function.name, shortened(function.description.partition("\n")[0], 160)
    link = tag("a", name, href=f"{root}/functions/{name}", aria_current=name == here)
    return tag("li", link, tag("small", origin_text(function.origin)), tag("span", said))
