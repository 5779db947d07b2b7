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

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.dialects.change import KEY, SAME, VALUE, Branch, Change
from pyfunctools.dialects.compact import compact, spread
from pyfunctools.dialects.loss import How, Loss
from pyfunctools.dialects.nulls import NULL, as_object, nullable, takes_null
from pyfunctools.dialects.pieces import (
    SILENT,
    Later,
    both,
    drop,
    guess,
    has_other_names,
    has_type,
    judge,
    may_be,
    may_be_array,
    over_limits,
    texts,
    without_object,
)
from pyfunctools.dialects.table import ARRAYS, EVERYTHING, OBJECTS, Profile
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.ground.references import (
    defined_name,
    definition,
    inline,
    recursive,
    resolve,
)
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.outline.json_types import type_of
from pyfunctools.schema.vocabulary import COMPOSED, KEYWORDS, SEES_SIBLINGS, SINGLE, SLOTS

Rewritten = tuple[dict[str, JsonValue], Change]
"""A schema as the profile takes it, and what happens to its values."""

_UNROLLED: Final = 2
"""How often a definition stands inside itself where no reference may stand."""
_TOLD: Final = 160
"""Characters of a value that is told in a description."""
_LARGE: Final = 1_000
"""Schemas after which a rendering without references stops unrolling."""
_TYPES: Final = ("object", "array", "string", "number", "integer", "boolean", "null")
_JUDGING: Final = SINGLE - SLOTS | SEES_SIBLINGS
"""Keywords with a schema that judges, and of which no value is made."""
_BY_NAME: Final = _JUDGING | {
    "allOf",
    "dependentRequired",
    "dependentSchemas",
    "oneOf",
    "patternProperties",
}
"""Keywords that are left off a schema in which properties are renamed: they go by the old names."""
_SHAPING: Final = frozenset({"additionalProperties", "items", "prefixItems", "properties"})
"""Keywords whose schemas change values."""
_BY_TYPE: Final = {
    name: row.judges[0]
    for name, row in KEYWORDS.items()
    if row.about == "below" or name == "required"
}
"""Types that a keyword tells where a schema leaves its type open."""


def rewritten(
    schema: JsonSchema, profile: Profile, inlined: bool | None
) -> tuple[dict[str, JsonValue], Change, tuple[Loss, ...]]:
    """Return a normalized schema as the profile takes it.

    `inlined` says whether references are replaced by what they mean; with `None` the profile says
    so, and what is referred to once is in any case, as are all where no reference may stand.
    """
    renames = profile.key is not None and has_other_names(schema, profile.key)
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
    writer = _Writer(whole, profile, reshapes=reshapes)
    made, change = writer.root()
    return made, change, tuple(writer.losses)


@dataclass(slots=True)
class _Node:
    """A schema on its way: what it was, what it is becoming, and where it stands.

    `told` are lines for its description.
    """

    was: JsonSchema
    made: dict[str, JsonValue]
    path: str
    told: list[str]


class _Writer:
    """Rewrites one schema for one profile; `reshapes` says whether values may change by it."""

    def __init__(self, root: JsonSchema, profile: Profile, *, reshapes: bool) -> None:
        self._root = root
        self._profile = profile
        self._reshapes = reshapes
        definitions = root.get("$defs")
        self._definitions: JsonObject = definitions if isinstance(definitions, dict) else {}
        self._recursive = recursive(root)
        self._made: dict[str, Rewritten] = {}
        self._queued: dict[str, str] = {}
        self._inside: list[str] = []
        self._unions: list[tuple[str, Sequence[JsonValue], Change]] = []
        self._count = 0
        self.losses: list[Loss] = []

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
            made = {**made, "$defs": self._written}
        refused = [("$input", keyword) for keyword in over_limits(made, self._profile)]
        refused += [
            (path, "anyOf")
            for path, branches, union in self._unions
            if any(each.pairs for each in union.here())
            and may_be_array(branches, self._definitions)
        ]
        self.losses += [Loss(path=at, keyword=each, how="refused") for at, each in refused]
        return made, change

    def _schema(self, schema: JsonSchema | bool, path: str) -> Rewritten:
        self._count += 1
        if schema is False or schema == {"not": {}}:
            return self._nothing(path)
        was = schema if isinstance(schema, dict) else {}
        node = _Node(was, dict(was), path, [])
        if isinstance(was.get("$ref"), str):
            return self._reference(node)
        self._combined(node)
        change = self._union(node)
        if change is None:
            self._values(node)
            self._types(node)
            held, listed = self._object(node), self._array(node)
            change = both(held, listed) if held and listed else held or listed or SAME
        self._others(node)
        self._bounds(node)
        return node.made, change

    @property
    def _written(self) -> dict[str, JsonValue]:
        return {name: made for name, (made, _) in self._made.items()}

    def _others(self, node: _Node) -> None:
        """Rewrite what else holds schemas: they judge a value and change nothing of it."""
        for keyword, inner in node.made.items():
            if keyword in _JUDGING and isinstance(inner, dict | bool):
                node.made[keyword] = self._schema(inner, node.path)[0]
            elif keyword == "dependentSchemas" and isinstance(inner, dict):
                node.made[keyword] = {
                    name: self._schema(as_object(each), node.path)[0]
                    for name, each in inner.items()
                }

    # 2. references

    def _reference(self, node: _Node) -> Rewritten:
        reference = str(node.made.pop("$ref"))
        name = defined_name(reference)
        if name is None or (name not in self._definitions):
            return self._to_root(node, reference)
        if self._profile.references == "never":
            return self._unrolled(node, name)
        if name in self._recursive and not self._profile.recursion:
            self._lose(node, "$ref", "refused")
        self._queued.setdefault(name, node.path)
        change = Change(definition=lambda: self._made[name][1])
        referring: dict[str, JsonValue] = {"$ref": definition(name)}
        if not node.made:
            return referring, change
        if self._profile.references != "bare":
            beside, _ = self._schema(node.made, node.path)
            return {**referring, **beside}, change
        for keyword in sorted(node.made.keys() - {"description"}):
            self._tell(node, keyword)
        text = self._described(node)
        return {"anyOf": [referring], **({"description": text} if text else {})}, change

    def _to_root(self, node: _Node, reference: str) -> Rewritten:
        """Return a reference to the root, or what can be said of one that leads elsewhere."""
        if reference == "#" and self._profile.recursion and self._profile.references != "never":
            return {"$ref": "#"}, SAME
        self._lose(node, "$ref", "refused" if self._profile.closed else "loosened")
        return {}, SAME

    def _unrolled(self, node: _Node, name: str) -> Rewritten:
        """Return what a recursive reference means, some turns deep."""
        if self._inside.count(name) >= _UNROLLED or self._count > _LARGE:
            self._lose(node, "$ref", "loosened")
            kind = as_object(resolve(self._root, as_object(self._definitions[name]))).get(
                "type", "object"
            )
            return {"type": kind if isinstance(kind, str) else "object"}, SAME
        self._inside.append(name)
        made, change = self._schema({**as_object(self._definitions[name]), **node.made}, node.path)
        self._inside.pop()
        return made, change

    # 3. alternatives

    def _combined(self, node: _Node) -> None:
        """Fold an `allOf` that the profile does not take into the schema around it."""
        members = node.made.get("allOf")
        if not isinstance(members, list):
            return
        if "allOf" in self._profile.keywords:
            made = [self._schema(as_object(member), node.path)[0] for member in members]
            node.made["allOf"] = made
            return
        del node.made["allOf"]
        self._lose(node, "allOf", "refused" if self._profile.closed else "loosened")
        for member in members:
            inner = as_object(resolve(self._root, as_object(member)))
            for keyword, value in inner.items():
                known = node.made.get(keyword)
                if isinstance(known, dict) and isinstance(value, dict):
                    node.made[keyword] = {**value, **known}
                elif keyword in EVERYTHING - {"$ref"} and keyword not in node.made:
                    node.made[keyword] = value

    def _union(self, node: _Node) -> Change | None:
        """Rewrite `anyOf` and `oneOf`; `None` where the schema is no union afterwards."""
        if "oneOf" in node.made and "oneOf" not in self._profile.keywords:
            branches = node.made.pop("oneOf")
            if "anyOf" in node.made:
                self._tell(node, "oneOf", branches)
            else:
                self._lose(node, "oneOf", "loosened")
                node.made["anyOf"] = branches
        keyword = next((each for each in ("anyOf", "oneOf") if each in node.made), None)
        listed = None if keyword is None else node.made[keyword]
        if keyword is None or not isinstance(listed, list):
            return None
        branches = [as_object(branch) for branch in listed]
        beside = node.made.keys() - {keyword, "description", "default"}
        if beside and self._profile.closed:
            node.made.pop(keyword)
            typed = any(has_type(branch) for branch in branches)
            self._tell(node, keyword, listed, "refused" if typed else None)
            return None
        if keyword == "anyOf" and isinstance(others := node.made.get("oneOf"), list):
            node.made["oneOf"] = [each[0] for each in self._branches(node.path, others)]
        if self._profile.nullable and NULL in branches and len(branches) > 1:
            branches.remove(NULL)
            node.made["nullable"] = True
            if len(branches) == 1 and not beside:
                return self._only(node, keyword, branches[0])
        made = self._branches(node.path, branches)
        node.made[keyword] = [schema for schema, _ in made]
        if not self._reshapes or all(change is SAME for _, change in made):
            return None if beside else SAME
        if not beside.isdisjoint(_SHAPING):  # two would change one value
            self._tell(node, keyword, listed)
            return None
        self._values(node)
        self._types(node)
        judged = zip(branches, made, strict=True)
        union = Change(
            branches=[self._branch(before, *each) for before, each in judged],
            meant_before=Later(lambda: guess(branches, self._definitions)),
            meant_after=Later(lambda: guess([each for each, _ in made], self._written)),
        )
        self._unions.append((node.path, branches, union))
        return union

    def _branches(self, path: str, branches: Sequence[JsonValue]) -> list[Rewritten]:
        return [self._schema(as_object(branch), path) for branch in branches]

    def _only(self, node: _Node, keyword: str, branch: JsonSchema) -> Change:
        """Rewrite a union of one branch, null aside, as that branch."""
        del node.made[keyword]
        made, change = self._schema(branch, node.path)
        node.made = {**made, **node.made}
        return change

    def _branch(self, before: JsonSchema, after: JsonSchema, change: Change) -> Branch:
        was = Later(lambda: judge(before, self._definitions))
        made = Later(lambda: judge(after, self._written))
        if self._profile.nullable:
            made = Later(lambda: judge(normalize(after), {}))
        return Branch(before=was, after=made, change=change)

    def _values(self, node: _Node) -> None:
        """Rewrite `const` and `enum`."""
        made = node.made
        if "const" in made and "const" not in self._profile.keywords:
            value, listed = made.pop("const"), made.get("enum")
            if isinstance(listed, list) and value not in listed:  # then nothing fits
                self._tell(node, "enum")
            made["enum"] = [value]
        values = made.get("enum", [made["const"]] if "const" in made else None)
        if not isinstance(values, list):
            return
        kinds: list[JsonValue] = sorted({type_of(each) for each in values}, key=_TYPES.index)
        kind = kinds[0] if len(kinds) == 1 else kinds
        if "enum" in made and not self._profile.takes_values(values):
            self._tell(node, "enum")
            if kind is not kinds:
                made.setdefault("type", kind)
        elif not self._profile.untyped:
            made.setdefault("type", kind)

    def _types(self, node: _Node) -> None:
        """Name the type where it has to be named."""
        made = node.made
        if "type" in made or self._profile.untyped or "anyOf" in made or "enum" in made:
            return
        told = next((kind for keyword, kind in _BY_TYPE.items() if keyword in made), None)
        if told is not None:
            made["type"] = told
            self._lose(node, "type", "loosened")
        elif self._profile.closed:
            self._lose(node, "type", "refused")

    # 4. to 6. objects

    def _object(self, node: _Node) -> Change | None:
        made = node.made
        named = made.get("properties")
        properties = named if isinstance(named, dict) else {}
        if not may_be(made, "object", named, made.get("additionalProperties")):
            drop(made, OBJECTS)
            return None
        if not self._profile.maps and not properties and self._is_map(node):
            return self._pairs(node)
        if self._profile.maps and "patternProperties" not in self._profile.keywords:
            self._without_patterns(node)
        change = self._properties(node, {**properties, **self._undeclared(node, properties)})
        rest = made.get("additionalProperties")
        if isinstance(rest, dict) and self._profile.maps:
            made["additionalProperties"], inner = self._schema(rest, node.path + ".*")
            change.rest = inner
        elif self._profile.closed:
            if rest not in (None, False) or "patternProperties" in made:
                self._lose(node, "additionalProperties", "refused")
            elif rest is None:
                self._lose(node, "additionalProperties", "loosened")
            made.pop("patternProperties", None)
            made["additionalProperties"] = False
        patterns = made.get("patternProperties")
        if isinstance(patterns, dict) and "patternProperties" in self._profile.keywords:
            made["patternProperties"] = {
                pattern: self._schema(as_object(inner), node.path + ".*")[0]
                for pattern, inner in patterns.items()
            }
        return change

    def _without_patterns(self, node: _Node) -> None:
        """Allow any other name what the patterns let some have."""
        patterns, rest = node.made.get("patternProperties"), node.made.get("additionalProperties")
        if isinstance(patterns, dict) and rest not in (None, True):
            self._tell(node, "patternProperties")
            listed = [*patterns.values(), *([] if rest is False else [rest])]
            node.made["additionalProperties"] = listed[0] if len(listed) == 1 else {"anyOf": listed}

    def _is_map(self, node: _Node) -> bool:
        if node.made.get("additionalProperties") is False:
            return bool(node.made.get("patternProperties"))
        return self._profile.closed

    def _undeclared(self, node: _Node, properties: JsonObject) -> JsonObject:
        """Return what may stand at names that are required and not declared.

        Where a profile says all of JSON Schema they stay as they are: patterns may be about them.
        """
        if "patternProperties" in self._profile.keywords:
            return {}
        rest = node.made.get("additionalProperties", True)
        return {name: rest for name in texts(node.made.get("required")) if name not in properties}

    def _properties(self, node: _Node, properties: JsonObject) -> Change:
        made, path = node.made, node.path
        names = dict(self._names(properties))
        required = texts(made.get("required"))
        members: dict[str, Change] = {}
        written: dict[str, JsonValue] = {}
        absent: set[str] = set()
        filled: set[str] = set()
        for name, inner in properties.items():
            below = str(Path.of((name,), path))
            schema, change = self._schema(as_object(inner), below)
            if self._profile.complete and name not in required:
                filled.add(name)
                if takes_null(self._root, as_object(inner)):
                    self.losses.append(Loss(path=below, keyword="required", how="loosened"))
                else:
                    absent.add(name)
                if not takes_null(None, schema):
                    schema = nullable(schema, listed=self._profile.type_lists)
            written[names.get(name, name)] = schema
            if change is not SAME:
                members[name] = change
        if properties or self._profile.closed:
            made["properties"] = written
        asked = list(properties) if self._profile.complete else required
        if asked or (self._profile.complete and "properties" in made):
            made["required"] = [names.get(name, name) for name in asked]
        else:
            made.pop("required", None)
        return Change(
            names=names, members=members, filled=frozenset(filled), absent=frozenset(absent)
        )

    def _names(self, properties: JsonObject) -> Iterator[tuple[str, str]]:
        """Yield the properties that have to be renamed, with a name that is not taken."""
        if self._profile.key is None:
            return
        taken = {name for name in properties if re.fullmatch(self._profile.key, name)}
        for name in [name for name in properties if name not in taken]:
            base = re.sub(r"[^A-Za-z0-9_]", "_", name)[:60] or "_"
            base = base if re.fullmatch(self._profile.key, base) else f"_{base}"
            new, count = base, 1
            while new in taken:
                count += 1
                new = f"{base[:58]}_{count}"
            taken.add(new)
            yield name, new

    # 5. maps and tuples

    def _pairs(self, node: _Node) -> Change | None:
        """Rewrite a map as an array of pairs, each with a `key` and a `value`."""
        made, path = node.made, node.path
        patterns = made.pop("patternProperties", None)
        rest = made.pop("additionalProperties", None)
        key: JsonSchema = as_object(made.pop("propertyNames", {}))
        if isinstance(patterns, dict) and len(patterns) == 1 and rest is False:
            ((pattern, rest),) = patterns.items()
            key = {"pattern": pattern}
        is_list = "array" in texts(made.get("type"))
        if not isinstance(rest, dict) or not rest or is_list or texts(made.get("required")):
            self._lose(node, "additionalProperties", "refused")
            made.pop("required", None)
            made["additionalProperties"] = False
            return SAME
        value, change = self._schema(rest, path + ".*")
        name, _ = self._schema({"type": "string", **key}, path + ".*")
        for old, new in (("minProperties", "minItems"), ("maxProperties", "maxItems")):
            if old in made:
                made[new] = made.pop(old)
        made |= {
            "type": without_object(made.get("type")),
            "items": {
                "type": "object",
                "properties": {KEY: name, VALUE: value},
                "required": [KEY, VALUE],
                "additionalProperties": False,
            },
        }
        node.told.append("A map, as a list of its keys with their values, each key once.")
        self._lose(node, "additionalProperties", "told")
        return Change(pairs=True, rest=change)

    def _array(self, node: _Node) -> Change | None:
        made, path = node.made, node.path + "[]"
        front, rest = made.get("prefixItems"), made.get("items", True)
        if not may_be(made, "array", front, made.get("items")):
            drop(made, ARRAYS)
            return None
        listed = list(front) if isinstance(front, list) else []
        first = [self._schema(as_object(each), path) for each in listed]
        later = None if rest is False else self._schema(as_object(rest), path)
        if rest is True and not self._profile.untyped and not first:
            return None if later is None else Change(items=later[1])
        if first and not self._profile.tuples:
            most = made.get("maxItems")
            filled = isinstance(most, int) and most <= len(first)
            return self._widened(node, first, None if filled else later)
        if first:
            made["prefixItems"] = [each[0] for each in first]
        if "items" in made and later is not None and rest is not True:
            made["items"] = later[0]
        return Change(front=[each[1] for each in first], items=None if later is None else later[1])

    def _widened(self, node: _Node, first: list[Rewritten], later: Rewritten | None) -> Change:
        """Rewrite a tuple as an array in which each of its items may stand."""
        made = node.made
        made.pop("prefixItems")
        self._lose(node, "prefixItems", "loosened")
        if node.was.get("items") is False:
            made.setdefault("maxItems", len(first))
        each: list[JsonValue] = []
        for schema, _ in [*first, *([] if later is None else [later])]:
            if schema not in each:
                each.append(schema)
        made["items"] = each[0] if len(each) == 1 else {"anyOf": each}
        changes = [change for _, change in first]
        if not all(change is SAME for change in changes):
            self._lose(node, "prefixItems", "refused" if self._profile.closed else "loosened")
        return Change(front=changes, items=None if later is None else later[1])

    # 7. bounds

    def _bounds(self, node: _Node) -> None:
        """Put into the description what the profile does not say, and write it."""
        made, profile = node.made, self._profile
        name = made.get("format")
        if isinstance(name, str) and profile.formats is not None and name not in profile.formats:
            self._tell(node, "format")
        pattern = made.get("pattern")
        if isinstance(pattern, str) and not profile.takes_pattern(pattern):
            self._tell(node, "pattern")
        least = made.get("minItems")
        if isinstance(least, int) and least > (profile.most_min_items or least):
            self._tell(node, "minItems")
        for keyword in [each for each in made if each not in profile.keywords]:
            self._tell(node, keyword)
        text = self._described(node)
        if text:
            made["description"] = text

    def _tell(
        self, node: _Node, keyword: str, value: JsonValue = None, how: How | None = None
    ) -> None:
        """Leave a keyword out and say it in the description, if it is short enough."""
        value = node.made.pop(keyword, value)
        text = json.dumps(value, ensure_ascii=False)
        short = len(text) <= _TOLD and keyword not in SILENT
        if short:
            node.told.append(f"@{keyword} {value if isinstance(value, str) else text}")
        self._lose(node, keyword, how or ("told" if short else "loosened"))

    def _described(self, node: _Node) -> str:
        told, node.told = node.told, []
        written = node.made.get("description")
        return "\n".join([*([written] if isinstance(written, str) and written else []), *told])

    def _lose(self, node: _Node, keyword: str, how: How) -> None:
        self.losses.append(Loss(path=node.path, keyword=keyword, how=how))

    # 8. the root

    def _nothing(self, path: str) -> Rewritten:
        how: How = "refused" if self._profile.closed else "loosened"
        self.losses.append(Loss(path=path, keyword="not", how=how))
        return {}, SAME

    def _without_root_union(self, body: JsonSchema) -> JsonSchema:
        """Return the root with what its alternatives declare among its own properties."""
        unions = [keyword for keyword in COMPOSED if keyword in body]
        if not unions:
            return body
        made = dict(body)
        node = _Node(body, made, "$input", [])
        named = body.get("properties")
        properties: dict[str, JsonValue] = dict(named) if isinstance(named, dict) else {}
        for keyword in unions:
            branches = made[keyword]
            for branch in branches if isinstance(branches, list) else ():
                inner = as_object(resolve(self._root, as_object(branch))).get("properties")
                for name, schema in inner.items() if isinstance(inner, dict) else ():
                    properties.setdefault(name, schema)
            self._tell(node, keyword)
        made["properties"] = properties
        if text := self._described(node):
            made["description"] = text
        return made
