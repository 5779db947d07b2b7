"""A normalized schema -> one that a profile takes, with the change of its values and the losses.

Every schema is walked once, and these rewrites are made at each, in this order:

1. fewer words: as `compact` says, which also leaves out what is for no model;
2. references: kept, freed of what stands beside them, or replaced by what they mean;
3. alternatives: `oneOf` -> `anyOf`, `const` -> `enum`, enums and type lists as they may be;
4. names: a property whose name a vendor refuses gets another;
5. maps and tuples: a map -> an array of pairs, a tuple -> an array of what may stand in it;
6. required: where every property has to be, an optional one takes null instead;
7. bounds: what the profile does not say goes into the description, as `@keyword value`;
8. closed: where every object has to be, it is; then the profile's limits are counted.

`{"properties": {"n": {"type": "integer", "uniqueItems": true}}}` becomes, for a strict OpenAI,
`{"properties": {"n": {"type": ["integer", "null"], "description": "@uniqueItems true"}},
"required": ["n"], "additionalProperties": false}`, and null for `n` becomes no `n` again.
"""

import re
from dataclasses import replace
from typing import Final

from pyfunctools._json import JsonSchema, JsonValue, members_of
from pyfunctools.dialects.change import SAME, Change
from pyfunctools.dialects.choices import Choices
from pyfunctools.dialects.compact import compact, spread
from pyfunctools.dialects.containers import Containers, texts
from pyfunctools.dialects.counting import over_limits
from pyfunctools.dialects.loss import Loss
from pyfunctools.dialects.nulls import as_object
from pyfunctools.dialects.table import Profile
from pyfunctools.dialects.telling import Rewrite, Rewritten, Telling
from pyfunctools.schema.ground.references import (
    defined_name,
    inline,
    recursive_definitions,
    reference_to,
    resolve,
)
from pyfunctools.schema.ground.walk import subschemas
from pyfunctools.schema.vocabulary import BELOW, COMPOSITION, ONE_SCHEMA, UNEVALUATED

_UNROLLED: Final = 2
"""How often a definition stands inside itself where no reference may stand."""
_LARGE: Final = 1_000
"""Schemas after which a rendering without references stops unrolling."""
_JUDGING: Final = ONE_SCHEMA - BELOW | UNEVALUATED
"""Keywords with a schema that judges, and of which no value is made."""
_BY_NAME: Final = _JUDGING | {
    "allOf",
    "dependentRequired",
    "dependentSchemas",
    "oneOf",
    "patternProperties",
}
"""Keywords that are left off a schema in which properties are renamed: they go by the old names."""


def rewritten(
    schema: JsonSchema, profile: Profile, inlined: bool | None
) -> tuple[dict[str, JsonValue], Change, tuple[Loss, ...]]:
    """Return a normalized schema as the profile takes it.

    `inlined` says whether references are replaced by what they mean; with `None` the profile says
    so, and what is referred to once is in any case, as are all where no reference may stand.
    """
    renames = profile.key is not None and _has_other_names(schema, profile.key)
    if renames:
        enums = "scalars" if profile.enums == "any" else profile.enums
        profile = replace(profile, keywords=profile.keywords - _BY_NAME, enums=enums)
    if profile.references == "never" or (inlined is None and profile.references == "inlined"):
        inlined = True
    whole = schema if inlined is False else inline(schema, once=not inlined)
    reshapes = renames or profile.complete or not profile.maps
    whole = compact(whole)
    if not profile.type_lists:
        whole = spread(whole)
    telling = Telling(profile)
    made, change = _Rewriter(whole, profile, telling, reshapes=reshapes).root()
    return made, change, tuple(telling.losses)


def _has_other_names(schema: JsonSchema, key: str) -> bool:
    """Return whether some property has a name that does not match."""
    for _, inner in subschemas(schema):
        if isinstance(inner, dict):
            named = inner.get("properties")
            names = [*(named if isinstance(named, dict) else ()), *texts(inner.get("required"))]
            if not all(re.fullmatch(key, name) for name in names):
                return True
    return False


class _Rewriter:
    """Rewrites one schema for one profile; `reshapes` says whether values may change by it."""

    def __init__(
        self, root: JsonSchema, profile: Profile, telling: Telling, *, reshapes: bool
    ) -> None:
        self._root = root
        self._profile = profile
        self._telling = telling
        self._definitions = members_of(root.get("$defs"))
        self._recursive = recursive_definitions(root)
        self._made: dict[str, Rewritten] = {}
        self._queued: dict[str, str] = {}
        self._inside: list[str] = []
        self._count = 0
        self._containers = Containers(root, profile, telling, self._schema)
        self._choices = Choices(
            root, profile, telling, self._schema, self._written, reshapes=reshapes
        )

    def root(self) -> Rewritten:
        """Return the whole schema, with the definitions that it reaches."""
        body = {keyword: value for keyword, value in self._root.items() if keyword != "$defs"}
        if not self._profile.root_union:
            body = self._without_root_union(body)
        made, change = self._schema(body, "$input")
        while waiting := [name for name in self._queued if name not in self._made]:
            for name in waiting:
                inner = self._definitions.get(name, True)
                self._made[name] = self._schema(as_object(inner), self._queued[name])
        if self._made:
            made = {**made, "$defs": self._written()}
        for keyword in over_limits(made, self._profile):
            self._telling.lose_at("$input", keyword, "refused")
        self._choices.refuse_mixed()
        return made, change

    def _schema(self, schema: JsonSchema | bool, path: str) -> Rewritten:
        self._count += 1
        if schema is False or schema == {"not": {}}:
            return self._nothing(path)
        was = schema if isinstance(schema, dict) else {}
        node = Rewrite(was, dict(was), path, [])
        if isinstance(was.get("$ref"), str):
            return self._reference(node)
        change = self._choices.rewrite(node)
        if change is None:
            change = self._containers.rewrite(node)
        self._others(node)
        self._telling.bounds(node)
        return node.made, change

    def _written(self) -> dict[str, JsonValue]:
        return {name: made for name, (made, _) in self._made.items()}

    def _others(self, node: Rewrite) -> None:
        """Rewrite what else holds schemas: they judge a value and change nothing of it."""
        for keyword, inner in node.made.items():
            if keyword in _JUDGING and isinstance(inner, dict):
                node.made[keyword] = self._schema(inner, node.path)[0]
            elif keyword == "dependentSchemas" and isinstance(inner, dict):
                node.made[keyword] = {
                    name: self._schema(as_object(each), node.path)[0]
                    for name, each in inner.items()
                }

    def _reference(self, node: Rewrite) -> Rewritten:
        reference = str(node.made.pop("$ref"))
        name = defined_name(reference)
        if name is None or (name not in self._definitions):
            return self._to_root(node, reference)
        if self._profile.references == "never":
            return self._unrolled(node, name)
        if name in self._recursive and not self._profile.recursion:
            self._telling.lose(node, "$ref", "refused")
        self._queued.setdefault(name, node.path)
        change = Change(definition=lambda: self._made[name][1])
        referring: dict[str, JsonValue] = {"$ref": reference_to(name)}
        if not node.made:
            return referring, change
        if self._profile.references != "bare":
            beside, _ = self._schema(node.made, node.path)
            return {**referring, **beside}, change
        for keyword in sorted(node.made.keys() - {"description"}):
            self._telling.tell(node, keyword)
        text = self._telling.described(node)
        return {"anyOf": [referring], **({"description": text} if text else {})}, change

    def _to_root(self, node: Rewrite, reference: str) -> Rewritten:
        """Return a reference to the root, or what can be said of one that leads elsewhere."""
        if reference == "#" and self._profile.recursion and self._profile.references != "never":
            return {"$ref": "#"}, SAME
        self._telling.lose(node, "$ref", "refused" if self._profile.closed else "loosened")
        return {}, SAME

    def _unrolled(self, node: Rewrite, name: str) -> Rewritten:
        """Return what a recursive reference means, some turns deep."""
        if self._inside.count(name) >= _UNROLLED or self._count > _LARGE:
            self._telling.lose(node, "$ref", "loosened")
            kind = as_object(resolve(self._root, as_object(self._definitions[name]))).get(
                "type", "object"
            )
            return {"type": kind if isinstance(kind, str) else "object"}, SAME
        self._inside.append(name)
        made, change = self._schema({**as_object(self._definitions[name]), **node.made}, node.path)
        self._inside.pop()
        return made, change

    def _nothing(self, path: str) -> Rewritten:
        if "not" in self._profile.keywords:
            return {"not": {}}, SAME
        self._telling.lose_at(path, "not", "refused" if self._profile.closed else "loosened")
        return {}, SAME

    def _without_root_union(self, body: JsonSchema) -> JsonSchema:
        """Return the root with what its alternatives declare among its own properties."""
        unions = [keyword for keyword in COMPOSITION if keyword in body]
        if not unions:
            return body
        made = dict(body)
        node = Rewrite(body, made, "$input", [])
        named = body.get("properties")
        properties: dict[str, JsonValue] = dict(named) if isinstance(named, dict) else {}
        for keyword in unions:
            branches = made[keyword]
            for branch in branches if isinstance(branches, list) else ():
                inner = as_object(resolve(self._root, as_object(branch))).get("properties")
                for name, schema in inner.items() if isinstance(inner, dict) else ():
                    properties.setdefault(name, schema)
            self._telling.tell(node, keyword)
        made["properties"] = properties
        if text := self._telling.described(node):
            made["description"] = text
        return made
