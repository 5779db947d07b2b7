"""A JSON Schema as a tree that a person reads: types, bounds, defaults, descriptions."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from pyfunctools import Loss
from pyfunctools._json import JsonObject, members_of, text_of
from pyfunctools.integrations.inspector.markup import Child, Markup, tag
from pyfunctools.schema.ground.references import defined_name
from pyfunctools.schema.outline.expected import expected
from pyfunctools.schema.outline.outline import Outline, Part

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
        bounds = [f"default {_short(each['default'])}" for each in rules if "default" in each]
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
    items = [(f"item {n}", each) for n, each in enumerate(first, 1)]
    for listed, step in (([*others, ("any name", part.rest)], ".*"), (items, "[]")):
        for name, each in listed:
            if each is not None and each.schema is not False:
                yield name, each, step
    if rest is not None and rest.schema is not False:
        yield "each item", rest, "[]"
    for keyword, words in _UNIONS.items():
        for n, each in enumerate(part.branches(keyword), 1):
            yield f"{words}, {n}", each, "|"


def _type_of(part: Part, target: Part) -> str:
    """Return the name of a definition with parts of its own, else what is valid in one line."""
    reference = part.rules.get("$ref")
    name = defined_name(reference) if isinstance(reference, str) else None
    return (name or "object") if target.declared else expected(part)


def _short(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
