"""HTML as text: everything is escaped but what `tag` made; invisible characters are shown.

`SchemaTree` is a JSON Schema as a person reads it: types, bounds, defaults, descriptions.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any, TypeAlias, cast

from pyfunctools import File, Loss
from pyfunctools._json import JsonObject, members_of, text_of
from pyfunctools.schema.ground.json_values import escape_invisible
from pyfunctools.schema.ground.references import defined_name
from pyfunctools.schema.outline.expected import expected
from pyfunctools.schema.outline.outline import Outline, Part


class Markup(str):
    """HTML that is safe to send."""

    __slots__ = ()


Child: TypeAlias = "str | Iterable[Child] | bool | None"
"""What an element contains: texts, which are escaped, `Markup`, and lists of these."""

_EMPTY = frozenset({"input", "link", "meta"})
_AS_GIVEN = frozenset({"value", "href", "action"})
"""Attributes that the browser sends back, so that no character is replaced."""


def tag(name: str, /, *children: Child, **attributes: str | int | bool | None) -> Markup:
    """Return an element; `class_` and `aria_label` are the attributes `class` and `aria-label`."""
    start = f"<{name}{''.join(_attribute(*each) for each in attributes.items())}>"
    if name in _EMPTY:
        return Markup(start)
    inner = joined(children)
    # The parser drops a line feed at the beginning of these two.
    line = "\n" if name in ("pre", "textarea") and inner.startswith("\n") else ""
    return Markup(f"{start}{line}{inner}</{name}>")


def joined(children: Child) -> Markup:
    """Return children one after another."""
    if children is None or isinstance(children, bool):
        return Markup()
    if isinstance(children, Markup):
        return children
    if isinstance(children, str):
        return Markup(escape(escape_invisible(children)))
    return Markup("".join(map(joined, children)))


def spaced(children: Iterable[Child]) -> Child:
    """Return children with a space behind each; empty ones are left out."""
    return [[each, " "] for each in children if each]


def facts(texts: Iterable[str | None]) -> Markup | None:
    """Return short texts in a row."""
    shown = spaced(tag("span", each, class_="fact") for each in texts if each)
    return tag("p", shown) if shown else None


def raw(text: str) -> Markup:
    """Return text for a `textarea`: it comes back from the browser as it is."""
    return Markup(escape(text))


def json_text(value: object) -> str:
    """Return a value as JSON of several lines, each file by its name and size."""
    try:
        return json.dumps(_plain(value), ensure_ascii=False, indent=2, default=repr)
    except RecursionError:  # or it contains itself
        return f"<{type(value).__name__}, nested too deeply>"


def _plain(value: object) -> object:
    if isinstance(value, File):
        return f"<file {value.filename or ''}, {len(value.content):,} bytes>"
    if isinstance(value, Mapping):
        members = cast("Mapping[Any, Any]", value)
        return {str(key): _plain(each) for key, each in members.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in cast("Sequence[Any]", value)]
    return f"<{len(value):,} bytes>" if isinstance(value, bytes) else value


def code_block(text: Child, **attributes: str) -> Markup:
    """Return text in a `pre` that the keyboard can scroll."""
    return tag("pre", text, tabindex="0", **attributes)


def _attribute(name: str, value: str | int | bool | None) -> str:
    name = name.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return ""
    if value is True and not name.startswith("aria-"):
        return f" {name}"
    text = "true" if value is True else str(value)
    return f' {name}="{escape(text if name in _AS_GIVEN else escape_invisible(text))}"'


_MOST = 1_500
"""The most places of a tree; the JSON beside it is whole."""
_UNIONS = {"allOf": "all of", "anyOf": "any of", "oneOf": "one of"}


class SchemaTree:
    """The places of a schema as nested lists, each loss at its place."""

    def __init__(self, schema: Mapping[str, Any], losses: Sequence[Loss] = ()) -> None:
        self._root = Outline(cast("JsonObject", schema)).root
        self._losses = losses
        self._left = _MOST

    def markup(self) -> Markup:
        """Return the whole tree."""
        here = self._lost("$input")
        inner = self._members(self._root, "$input", ())
        if not inner and self._root.rules.get("type") != "object":
            inner = [self._node("value", self._root, "$input", ())]
        return tag("ul", here and tag("li", here), inner or tag("li", "Nothing."), class_="tree")

    def _node(self, name: Child, part: Part, path: str, seen: tuple[Part, ...]) -> Markup:
        """Return a place; `seen` are the definitions around it, which are not shown again."""
        self._left -= 1
        *above, target = part.reference_chain()
        rules = [each.rules for each in (*above, target)]
        said = [text_of(each["description"]) for each in rules if "description" in each]
        defaults = [each["default"] for each in rules if "default" in each]
        bounds = [f"default {json.dumps(each, ensure_ascii=False)}" for each in defaults]
        line = (
            name,
            " ",
            tag("span", ("↑ " if target in seen else "") + _type_of(part, target), class_="type"),
            [(" ", tag("span", each, class_="bound")) for each in bounds[:1]],
            tag("span", said[0], class_="help") if said and said[0] else None,
            self._lost(path),
        )
        around = (*seen, target) if above else seen
        inner = [] if target in seen else self._members(target, path, around)
        if not inner:
            return tag("li", line)
        opened = len(around) < 2 and path.count(".") < 3
        return tag("li", tag("details", tag("summary", line), tag("ul", inner), open=opened))

    def _members(self, part: Part, path: str, seen: tuple[Part, ...]) -> list[Markup]:
        found: list[Markup] = []
        for name, each, step in _places(part):
            if self._left <= 0:
                return [*found, tag("li", "…")]
            found.append(self._node(name, each, path + step, seen))
        return found

    def _lost(self, path: str) -> Markup | None:
        found = [each for each in self._losses if each.path == path]
        texts = [f"{each.keyword}: {each.how}" for each in found]
        return tag("span", [tag("em", text) for text in texts], class_="lost") if found else None


def _places(part: Part) -> Iterator[tuple[Child, Part, str]]:
    """Yield the name, the part and the step to each place inside a value."""
    for name, each in part.declared.items():
        needed = name in part.required and (" ", tag("b", "required"))
        yield (tag("code", name), needed), each, f".{name}"
    patterns = members_of(part.rules.get("patternProperties"))
    others = [(f"/{pattern}/", part.below("patternProperties", pattern)) for pattern in patterns]
    first, rest = part.items
    items = [*((f"item {n}", each) for n, each in enumerate(first, 1)), ("each item", rest)]
    for listed, step in (([*others, ("any name", part.rest)], ".*"), (items, "[]")):
        for name, each in listed:
            if each is not None and each.schema is not False:
                yield name, each, step
    for keyword, words in _UNIONS.items():
        for n, each in enumerate(part.branches(keyword), 1):
            yield f"{words}, {n}", each, "|"


def _type_of(part: Part, target: Part) -> str:
    """Return the name of a definition with parts of its own, else what is valid in one line."""
    reference = part.rules.get("$ref")
    name = defined_name(reference) if isinstance(reference, str) else None
    return (name or "object") if target.declared else expected(part)
