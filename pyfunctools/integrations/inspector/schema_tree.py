"""A JSON Schema as a tree that a person reads: types, bounds, defaults, descriptions."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from pyfunctools import Loss
from pyfunctools._json import members_of
from pyfunctools.integrations.inspector.markup import Child, Markup, tag

_MOST = 1_500
"""The most places of a tree; the JSON beside it is whole."""
_BOUNDS = {
    "minimum": "≥ {}",
    "maximum": "≤ {}",
    "exclusiveMinimum": "> {}",
    "exclusiveMaximum": "< {}",
    "multipleOf": "multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} properties",
    "maxProperties": "at most {} properties",
    "pattern": "matches {}",
    "format": "{}",
    "contentEncoding": "{}",
    "contentMediaType": "{}",
    "const": "always {}",
    "default": "default {}",
}
_UNIONS = {"allOf": "all of", "anyOf": "any of", "oneOf": "one of"}


class SchemaTree:
    """The places of a schema as nested lists, each loss at its place."""

    def __init__(self, schema: Mapping[str, Any], losses: Sequence[Loss] = ()) -> None:
        self._root = schema
        self._losses = losses
        self._left = _MOST

    def markup(self) -> Markup:
        """Return the whole tree."""
        here = self._lost("$input")
        inner = self._members(self._root, "$input", ())
        if not inner and _type_of(self._root) != "object":
            inner = [self._node("value", self._root, "$input", ())]
        return tag("ul", here and tag("li", here), inner or tag("li", "Nothing."), class_="tree")

    def _node(self, name: Child, given: object, path: str, seen: tuple[str, ...]) -> Markup:
        self._left -= 1
        schema, seen, title = self._resolved(given, seen)
        said = schema.get("description")
        line = (
            name,
            " ",
            tag("span", title or _type_of(schema), class_="type"),
            [[" ", tag("span", each, class_="bound")] for each in _bounds(schema)],
            tag("span", said, class_="help") if isinstance(said, str) and said else None,
            self._lost(path),
        )
        is_repeated = title is not None and title.startswith("↑")
        inner = [] if is_repeated else self._members(schema, path, seen)
        if not inner:
            return tag("li", line)
        opened = len(seen) < 2 and path.count(".") < 3
        return tag("li", tag("details", tag("summary", line), tag("ul", inner), open=opened))

    def _members(self, schema: Mapping[str, Any], path: str, seen: tuple[str, ...]) -> list[Markup]:
        found: list[Markup] = []
        for name, each, step in _places(schema):
            if self._left <= 0:
                return [*found, tag("li", "…")]
            found.append(self._node(name, each, path + step, seen))
        return found

    def _resolved(
        self, given: Any, seen: tuple[str, ...]
    ) -> tuple[Mapping[str, Any], tuple[str, ...], str | None]:
        """Return a schema behind its reference, the references above it, and its title."""
        schema = members_of(given)
        reference = schema.get("$ref")
        if given is True or given == {}:
            return schema, seen, "anything"
        if not isinstance(reference, str):
            return schema, seen, None
        name = reference.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
        if reference in seen:
            return schema, seen, f"↑ {name}"
        target = self._root if reference == "#" else members_of(self._root.get("$defs")).get(name)
        return {**members_of(target), **schema}, (*seen, reference), name

    def _lost(self, path: str) -> Markup | None:
        found = [each for each in self._losses if each.path == path]
        texts = [f"{each.keyword}: {each.how}" for each in found]
        return tag("span", [tag("em", text) for text in texts], class_="lost") if found else None


def _places(schema: Mapping[str, Any]) -> Iterator[tuple[Child, object, str]]:
    """Yield the name, the schema and the step to each place inside a value."""
    required = schema.get("required", ())
    for name, each in members_of(schema.get("properties")).items():
        needed = name in required and (" ", tag("b", "required"))
        yield (tag("code", name), needed), each, f".{name}"
    for pattern, each in members_of(schema.get("patternProperties")).items():
        yield f"/{pattern}/", each, ".*"
    if isinstance(schema.get("additionalProperties"), dict):
        yield "any name", schema["additionalProperties"], ".*"
    for n, each in enumerate(schema.get("prefixItems", ())):
        yield f"item {n + 1}", each, "[]"
    if isinstance(schema.get("items"), dict):
        yield "each item", schema["items"], "[]"
    for keyword, words in _UNIONS.items():
        for n, each in enumerate(schema.get(keyword, ())):
            yield f"{words}, {n + 1}", each, "|"


def _type_of(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(_short(each) for each in schema["enum"])
    types = schema.get("type")
    if isinstance(types, list):
        return " | ".join(map(str, cast("list[object]", types)))
    return str(types) if types else next((w for k, w in _UNIONS.items() if k in schema), "any")


def _bounds(schema: Mapping[str, Any]) -> Iterator[str]:
    for keyword, words in _BOUNDS.items():
        if keyword in schema:
            value = schema[keyword]
            is_word = keyword in ("format", "pattern", "contentEncoding", "contentMediaType")
            yield words.format(value if is_word else _short(value))
    for keyword in ("deprecated", "uniqueItems", "readOnly", "writeOnly"):
        if schema.get(keyword) is True:
            yield keyword
    if schema.get("additionalProperties") is True:
        yield "other names too"


def _short(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
