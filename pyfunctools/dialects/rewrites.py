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
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of
from pyfunctools.dialects.change import SAME, Change
from pyfunctools.dialects.choices import refuse_maps_beside_arrays, rewrite_choices
from pyfunctools.dialects.containers import rewrite_containers
from pyfunctools.dialects.counting import exceeded_limits
from pyfunctools.dialects.loss import Loss
from pyfunctools.dialects.nulls import as_object
from pyfunctools.dialects.simplify import simplified, types_as_branches
from pyfunctools.dialects.subschema import RewriteContext, Rewritten, Subschema
from pyfunctools.dialects.table import Profile
from pyfunctools.schema.ground.references import (
    defined_name,
    inline,
    recursive_definitions,
    reference_to,
    resolve,
)
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.outline.json_types import texts_of
from pyfunctools.schema.vocabulary import ASSERTIONS, BELOW, COMPOSITION, ONE_SCHEMA, UNEVALUATED

_MAX_UNROLLED: Final = 2
"""How often a definition is nested in itself where no reference is allowed."""
_LARGE: Final = 1_000
"""Subschemas after which a rendering without references stops unrolling."""
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
    schema: JsonSchema, profile: Profile, inlined: bool | None
) -> tuple[dict[str, JsonValue], Change, tuple[Loss, ...]]:
    """Return a normalized schema rewritten for the profile, the change of its values, the losses.

    With `inlined`, references are replaced by their definitions; with `None` the profile decides.
    A definition that is used once is always inlined, unless `inlined` is false.
    """
    renames = profile.key is not None and not all(
        re.fullmatch(profile.key, name) for name in _property_names(schema)
    )
    if renames:
        enums = "scalars" if profile.enums == "any" else profile.enums
        profile = replace(profile, keywords=profile.keywords - _BY_NAME, enums=enums)
    if profile.references == "never" or (inlined is None and profile.references == "inlined"):
        inlined = True
    whole = simplified(schema if inlined is False else inline(schema, once=not inlined))
    if not profile.type_lists:
        whole = types_as_branches(whole)
    reshapes = renames or profile.complete or not profile.maps
    rewriter = _Rewriter(whole, profile, reshapes=reshapes)
    made, change = rewriter.root()
    return made, change, tuple(rewriter.losses)


def _property_names(schema: JsonSchema) -> Iterator[str]:
    for _, inner in subschemas(schema):
        if isinstance(inner, dict):
            yield from members_of(inner.get("properties"))
            yield from texts_of(inner.get("required"))


class _Rewriter:
    """Rewrites one schema for one profile; `reshapes` is true if that may change values."""

    def __init__(self, root: JsonSchema, profile: Profile, *, reshapes: bool) -> None:
        self._context = RewriteContext(
            root=root,
            profile=profile,
            reshapes=reshapes,
            rewrite=self._rewrite,
            rewritten_definitions=self._rewritten_definitions,
        )
        self._root = root
        self._profile = profile
        self._definitions = self._context.definitions
        self._recursive = recursive_definitions(root)
        self._made: dict[str, Rewritten] = {}
        self._queued: dict[str, str] = {}
        self._inside: list[str] = []
        self._count = 0
        self.losses = self._context.losses

    def root(self) -> Rewritten:
        """Return the whole schema rewritten, with the definitions that it uses."""
        body = {keyword: value for keyword, value in self._root.items() if keyword != "$defs"}
        if not self._profile.root_union:
            body = self._without_root_union(body)
        made, change = self._rewrite(body, "$input")
        while waiting := [name for name in self._queued if name not in self._made]:
            for name in waiting:
                inner = self._definitions.get(name, True)
                self._made[name] = self._rewrite(as_object(inner), self._queued[name])
        if self._made:
            made = {**made, "$defs": self._rewritten_definitions()}
        for keyword in exceeded_limits(made, self._profile):
            self._context.lose("$input", keyword, "refused")
        refuse_maps_beside_arrays(self._context)
        return made, change

    def _rewritten_definitions(self) -> dict[str, JsonValue]:
        return {name: made for name, (made, _) in self._made.items()}

    def _rewrite(self, schema: JsonSchema | bool, path: str) -> Rewritten:
        self._count += 1
        if schema is False or schema == {"not": {}}:
            return self._rewrite_false(path)
        original = schema if isinstance(schema, dict) else {}
        node = Subschema(self._context, original, dict(original), path)
        if isinstance(original.get("$ref"), str):
            return self._rewrite_reference(node)
        change = rewrite_choices(node)
        if change is None:
            change = rewrite_containers(node)
        self._rewrite_judging(node)
        node.describe_unsupported()
        return node.schema, change

    def _rewrite_false(self, path: str) -> Rewritten:
        if "not" in self._profile.keywords:
            return {"not": {}}, SAME
        self._context.lose(path, "not")
        return {}, SAME

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
        reference = str(node.schema.pop("$ref"))
        name = defined_name(reference)
        if name is None or name not in self._definitions:
            if reference == "#" and self._profile.recursion and self._profile.references != "never":
                return {"$ref": "#"}, SAME
            node.lose("$ref")
            return {}, SAME
        if self._profile.references == "never":
            return self._unrolled(node, name)
        is_bare = self._profile.references == "bare"
        if self._context.reshapes and not is_bare and not ASSERTIONS.isdisjoint(node.schema):
            return self._merged(node, name)
        if name in self._recursive and not self._profile.recursion:
            node.lose("$ref", "refused")
        self._queued.setdefault(name, node.path)
        change = Change(definition=lambda: self._made[name][1])
        bare: dict[str, JsonValue] = {"$ref": reference_to(name)}
        if not node.schema:
            return bare, change
        if not is_bare:
            return {**bare, **node.rewrite(node.schema, node.path)[0]}, change
        for keyword in sorted(node.schema.keys() - {"description"}):
            node.describe(keyword)
        return {"anyOf": [bare], **node.take_description()}, change

    def _merged(self, node: Subschema, name: str) -> Rewritten:
        """Return a definition and the keywords beside its reference as one schema, with one change.

        A definition that leads back to itself, and one that cannot be merged, is left to local
        validation.
        """
        merged: JsonSchema = {"allOf": [self._definitions[name], node.schema]}
        if name not in self._recursive and name not in self._inside:
            whole = normalize({**merged, "$defs": self._definitions})
            merged = {keyword: value for keyword, value in whole.items() if keyword != "$defs"}
        if "allOf" in merged:
            node.lose("$ref")
            merged = node.schema
        self._inside.append(name)
        made = node.rewrite(merged, node.path)
        self._inside.pop()
        return made

    def _unrolled(self, node: Subschema, name: str) -> Rewritten:
        """Return a recursive definition in the place of its reference, a few levels deep."""
        target = as_object(self._definitions[name])
        if self._inside.count(name) >= _MAX_UNROLLED or self._count > _LARGE:
            node.lose("$ref", "loosened")
            named = as_object(resolve(self._root, target)).get("type")
            return {"type": named if isinstance(named, str) else "object"}, SAME
        self._inside.append(name)
        made = node.rewrite({**target, **node.schema}, node.path)
        self._inside.pop()
        return made

    def _without_root_union(self, body: JsonSchema) -> JsonSchema:
        """Return the root without its unions, and with the properties of their branches."""
        unions = [keyword for keyword in COMPOSITION if keyword in body]
        if not unions:
            return body
        node = Subschema(self._context, body, dict(body), "$input")
        properties = dict(members_of(body.get("properties")))
        for keyword in unions:
            branches = body[keyword]
            for branch in items_of(branches):
                inner = as_object(resolve(self._root, as_object(branch))).get("properties")
                for name, schema in members_of(inner).items():
                    properties.setdefault(name, schema)
            node.describe(keyword)
        return {**node.schema, "properties": properties, **node.take_description()}
