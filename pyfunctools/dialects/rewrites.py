"""A normalized schema rewritten for a profile, with the change of its values and the losses.

Every subschema is visited once, and rewritten in this order:

1. simplification: `simplified`, which also removes keywords that no model needs;
2. references: kept, freed of keywords beside them, or replaced by their definitions;
3. alternatives: `oneOf` -> `anyOf`, `const` -> `enum`, lists of values and types;
4. names: a property whose name the vendor refuses is renamed;
5. maps and tuples: a map -> an array of pairs, a tuple -> an array of any of its items;
6. `required`: if every property must be in it, an optional one accepts null instead;
7. bounds: an unsupported keyword moves into the description, as `@keyword value`;
8. closed objects: `additionalProperties: false` where the profile requires it.

Last, the schema is compared with the limits of the profile.

`{"properties": {"n": {"type": "integer", "uniqueItems": true}}}` becomes, for a strict OpenAI,
`{"properties": {"n": {"type": ["integer", "null"], "description": "@uniqueItems true"}},
"required": ["n"], "additionalProperties": false}`, and null for `n` becomes a missing `n` again.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of
from pyfunctools.dialects.change import SAME, Change
from pyfunctools.dialects.choices import fold_union, refuse_maps_beside_arrays, rewrite_choices
from pyfunctools.dialects.containers import rewrite_containers
from pyfunctools.dialects.inlining import circular_places, inlined, inlined_within
from pyfunctools.dialects.simplify import as_object, simplified, types_as_branches
from pyfunctools.dialects.subschema import Loss, RewriteContext, Rewritten, Subschema, described
from pyfunctools.dialects.table import Profile
from pyfunctools.schema.ground.references import (
    defined_name,
    recursive_definitions,
    reference_to,
    resolve,
)
from pyfunctools.schema.ground.walk import children, subschemas
from pyfunctools.schema.outline.json_types import texts_of
from pyfunctools.schema.vocabulary import ASSERTIONS, BELOW, COMPOSITION, ONE_SCHEMA, UNEVALUATED

_MAX_UNROLLED: Final = 2
"""How often a definition is nested in itself where no reference is allowed."""
_MAX_PLACES: Final = 1_000
"""The most places of definitions that losses name."""
_DEFINED: Final = "\0"
"""Stands around the name of a definition, as the beginning of a path in it."""
_ROOT_REFUSED: Final = (*COMPOSITION, "const", "enum", "not")
_JUDGING: Final = ONE_SCHEMA - BELOW | UNEVALUATED
"""Keywords whose subschema validates the value, and does not change it."""
_BY_NAME: Final = _JUDGING | {
    "allOf",
    "dependentRequired",
    "dependentSchemas",
    "oneOf",
    "patternProperties",
}
"""Keywords that are dropped if properties are renamed: they refer to the old names."""


def rewritten(
    schema: JsonSchema, profile: Profile, inline: bool | None
) -> tuple[dict[str, JsonValue], Change, tuple[Loss, ...]]:
    """Return a normalized schema rewritten for the profile, the change of its values, the losses.

    With `inline`, references are replaced by their definitions; with `None` the profile decides.
    A definition that is used once is always inlined, unless `inline` is false.
    """
    renames = profile.key is not None and not all(
        re.fullmatch(profile.key, name) for name in _property_names(schema)
    )
    if renames:
        enums = "scalars" if profile.enums == "any" else profile.enums
        profile = replace(profile, keywords=profile.keywords - _BY_NAME, enums=enums)
    inlines = profile.references == "never" or (inline is None and profile.references == "inlined")
    if inlines:
        inline = None
    whole = simplified(schema if inline is False else inlined(schema, once=not inline))
    placed: dict[str, str] | None = None
    if inlines and "$defs" in whole:
        unrolled = _MAX_UNROLLED if profile.references == "never" else 0
        shorter, placed = inlined_within(whole, unrolled)
        whole = simplified(shorter)
    if not profile.type_lists:
        whole = types_as_branches(whole)
    reshapes = renames or profile.complete or not profile.maps
    rewriter = _Rewriter(whole, profile, placed, reshapes=reshapes)
    made, change = rewriter.whole()
    return made, change, tuple(rewriter.located_losses())


def _property_names(schema: JsonSchema) -> Iterator[str]:
    for _, inner in subschemas(schema):
        if isinstance(inner, dict):
            yield from members_of(inner.get("properties"))
            yield from texts_of(inner.get("required"))


class _Rewriter(RewriteContext):
    """Rewrites one schema for one profile.

    `placed` has the places where the definitions are written; other references to them are cut.
    """

    def __init__(
        self, root: JsonSchema, profile: Profile, placed: dict[str, str] | None, *, reshapes: bool
    ) -> None:
        super().__init__(root, profile, reshapes=reshapes)
        self.placed = placed
        self._recursive = recursive_definitions(root)
        self._uses: dict[str, list[tuple[str, str]]] = {}
        self._cut_here: set[int] = set()
        if self._recursive and not profile.required_recursion:
            self.circular, self._cut_here = circular_places(root)

    def located_losses(self) -> Iterator[Loss]:
        """Yield the losses; one in a definition has the path of every use of the definition."""
        places = self._places_of_definitions()
        for loss in self.losses:
            if loss.path.startswith(_DEFINED):
                _, name, below = loss.path.split(_DEFINED, 2)
                for place in places.get(name, ()):
                    yield Loss(path=place + below, keyword=loss.keyword, how=loss.how)
            else:
                yield loss

    def _places_of_definitions(self) -> dict[str, list[str]]:
        inner: dict[str, list[tuple[str, str]]] = {}
        for name, uses in self._uses.items():
            for holder, below in uses:
                inner.setdefault(holder, []).append((name, below))
        places: dict[str, list[str]] = {}
        queue = [("", "", frozenset[str]())]
        for holder, path, above in queue:  # grows while it is read
            for name, below in inner.get(holder, ()):
                if name not in above and len(queue) <= _MAX_PLACES:
                    places.setdefault(name, []).append(path + below)
                    queue.append((name, path + below, above | {name}))
        return places

    def whole(self) -> Rewritten:
        """Return the whole schema rewritten, with the definitions that it uses."""
        body = {keyword: value for keyword, value in self.root.items() if keyword != "$defs"}
        if not self.profile.root_union:
            body = self._without_root_union(body)
        made, change = self.rewrite(body, "$input")
        self.inside.clear()
        while waiting := [name for name in self._uses if name not in self.made]:
            for name in waiting:
                inner = self.definitions.get(name, True)
                self.made[name] = self.rewrite(as_object(inner), f"{_DEFINED}{name}{_DEFINED}")
        if self.made:
            made = {**made, "$defs": self.rewritten_definitions}
        for keyword in exceeded_limits(made, self.profile):
            self.lose("$input", keyword, "refused")
        refuse_maps_beside_arrays(self)
        return made, change

    def rewrite(self, schema: JsonSchema | bool, path: str) -> Rewritten:
        if schema is False or schema == {"not": {}}:
            return self._rewrite_false(path)
        original = schema if isinstance(schema, dict) else {}
        node = Subschema(self, original, path)
        if isinstance(original.get("$ref"), str):
            return self._rewrite_reference(node)
        above = len(self.inside)
        change = rewrite_choices(node)
        if change is None:
            change = rewrite_containers(node)
        self._rewrite_judging(node)
        node.describe_unsupported()
        del self.inside[above:]
        if self.profile.lone_union and "anyOf" in node.schema:
            return _alone(node.schema), change
        return node.schema, change

    def _rewrite_false(self, path: str) -> Rewritten:
        if "not" in self.profile.keywords:
            return {"not": {}}, SAME
        self.lose(path, "not")
        return {"type": "string"} if self.profile.json_text else {}, SAME

    def _rewrite_judging(self, node: Subschema) -> None:
        """Rewrite the subschemas that validate the value, and do not change it."""
        for keyword, inner in node.schema.items():
            if keyword in _JUDGING and isinstance(inner, dict):
                node.schema[keyword] = node.rewrite(inner, node.path)[0]
            elif keyword == "dependentSchemas" and isinstance(inner, dict):
                node.schema[keyword] = {
                    name: node.rewrite(as_object(each), node.path)[0]
                    for name, each in inner.items()
                }

    def _rewrite_reference(self, node: Subschema) -> Rewritten:
        name = defined_name(str(node.schema.pop("$ref"))) or ""
        is_cut = self.placed is not None and name not in self._recursive
        if is_cut or self.profile.references == "never" or id(node.original) in self._cut_here:
            return self._cut(node, name)
        # Beside a reference that changes values there may be nothing else that does.
        is_bare = self.profile.references == "bare" or (
            self.reshapes and not ASSERTIONS.isdisjoint(node.schema)
        )
        if name in self._recursive and not self.profile.recursion:
            node.lose("$ref", "refused")
        *_, holder, below = ("", *node.path.split(_DEFINED, 2))
        self._uses.setdefault(name, []).append((holder, below))
        change = Change(definition=lambda: self.made[name][1])
        bare: dict[str, JsonValue] = {"$ref": reference_to(name)}
        if not node.schema:
            return bare, change
        if not is_bare:
            return {**bare, **node.rewrite(node.schema, node.path)[0]}, change
        for keyword in sorted(node.schema.keys() - {"description"}):
            node.describe(keyword)
        return {"anyOf": [bare], **node.take_description()}, change

    def _cut(self, node: Subschema, name: str) -> Rewritten:
        """Return the type of a definition in the place of a reference to it."""
        node.lose("$ref", "loosened")
        if self.placed is not None and name in self.placed:
            node.notes.append(f"As {self.placed[name]}.")
        named = as_object(resolve(self.root, as_object(self.definitions[name]))).get("type")
        kept: JsonSchema = {"type": named} if isinstance(named, str) else {}
        return node.rewrite({**kept, **node.take_description()}, node.path)

    def _without_root_union(self, body: JsonSchema) -> JsonSchema:
        """Return the root without its alternatives, with the properties of their branches."""
        node = Subschema(self, body, "$input")
        for keyword in _ROOT_REFUSED:
            if keyword in body:
                fold_union(node, keyword)
        return {**node.schema, **node.take_description()}


def _alone(schema: JsonSchema) -> dict[str, JsonValue]:
    """Return a union with the keywords beside it moved into its first branch."""
    first, *others = items_of(schema["anyOf"])
    beside = {keyword: value for keyword, value in schema.items() if keyword != "anyOf"}
    if not beside:
        return dict(schema)
    branch = as_object(first)
    made = {**branch, **beside, **described(beside.get("description"), branch.get("description"))}
    return {"anyOf": [_alone(made) if "anyOf" in made else made, *others]}


_LONG_ENUM: Final = 250
"""The most strings in one `enum` whose characters are not counted."""


def exceeded_limits(schema: JsonSchema, profile: Profile) -> list[str]:
    """Return the limits that a schema exceeds: `properties`, `enum`, `levels`.

    The levels of the root and of each definition are counted separately, all else together.
    """
    limits = (profile.properties, profile.enum_values, profile.levels, profile.characters)
    if limits == (None, None, None, None):
        return []
    names, values, defined = list[str](), list[JsonValue](), members_of(schema.get("$defs"))
    longest = levels = 0
    queue: list[tuple[JsonSchema | bool, int]] = [(schema, 0)]
    for inner, level in queue:  # grows while it is read
        if isinstance(inner, dict):
            levels = max(levels, level)
            names += members_of(inner.get("properties"))
            enum = items_of(inner.get("enum"))
            if sum(isinstance(value, str) for value in enum) > _LONG_ENUM:
                longest = max(longest, _characters(enum))
            values += [*enum, *([inner["const"]] if "const" in inner else [])]
            for (keyword, *_), below in children(inner):
                deeper = level + (keyword in ("properties", "items"))
                queue.append((below, 0 if keyword == "$defs" else deeper))
    exceeded = {
        "properties": _exceeds(len(names), profile.properties)
        or _exceeds(_characters([*names, *defined, *values]), profile.characters),
        "enum": _exceeds(len(values), profile.enum_values)
        or _exceeds(longest, profile.enum_characters),
        "levels": _exceeds(levels, profile.levels),
    }
    return [keyword for keyword, is_exceeded in exceeded.items() if is_exceeded]


def _exceeds(count: int, limit: int | None) -> bool:
    return limit is not None and count > limit


def _characters(values: Iterable[JsonValue]) -> int:
    return sum(len(value) for value in values if isinstance(value, str))
