"""Alternatives as a profile takes them: unions, what is combined, listed values, types."""

from collections.abc import Callable, Sequence
from typing import Final

from pyfunctools._json import JsonObject, JsonSchema, JsonValue, members_of
from pyfunctools.dialects.change import SAME, Branch, Change
from pyfunctools.dialects.containers import Walk
from pyfunctools.dialects.judges import Later, guess, judge, may_be_array
from pyfunctools.dialects.nulls import NULL, as_object
from pyfunctools.dialects.table import EVERYTHING, Profile
from pyfunctools.dialects.telling import Rewrite, Rewritten, Telling
from pyfunctools.schema.ground.references import resolve
from pyfunctools.schema.normalization.normalize import normalize
from pyfunctools.schema.outline.json_types import json_type
from pyfunctools.schema.vocabulary import KEYWORDS

_TYPES: Final = ("object", "array", "string", "number", "integer", "boolean", "null")
_SHAPING: Final = frozenset({"additionalProperties", "items", "prefixItems", "properties"})
"""Keywords whose schemas change values."""
_BY_TYPE: Final = {
    name: row.judges[0]
    for name, row in KEYWORDS.items()
    if row.about == "below" or name == "required"
}
"""Types that a keyword tells where a schema leaves its type open."""


class Choices:
    """Rewrites the alternatives of one schema; `walk` does what they are.

    `written` are the definitions as they have been rewritten; `reshapes` says whether values may
    change at all.
    """

    def __init__(
        self,
        root: JsonSchema,
        profile: Profile,
        telling: Telling,
        walk: Walk,
        written: Callable[[], JsonObject],
        *,
        reshapes: bool,
    ) -> None:
        self._root = root
        self._profile = profile
        self._telling = telling
        self._walk = walk
        self._written = written
        self._reshapes = reshapes
        self._definitions = members_of(root.get("$defs"))
        self._unions: list[tuple[str, Sequence[JsonValue], Change]] = []

    def rewrite(self, node: Rewrite) -> Change | None:
        """Rewrite the alternatives; `None` where the schema is no union afterwards."""
        self._combined(node)
        change = self._union(node)
        if change is None:
            self._values(node)
            self._types(node)
        return change

    def refuse_mixed(self) -> None:
        """Refuse each union of a map and of lists, where a map is a list of pairs."""
        for path, branches, union in self._unions:
            has_map = any(each.pairs for each in union.here())
            if has_map and may_be_array(branches, self._definitions):
                self._telling.lose_at(path, "anyOf", "refused")

    def _combined(self, node: Rewrite) -> None:
        """Fold an `allOf` that the profile does not take into the schema around it."""
        members = node.made.get("allOf")
        if not isinstance(members, list):
            return
        if "allOf" in self._profile.keywords:
            made = [self._walk(as_object(member), node.path)[0] for member in members]
            node.made["allOf"] = made
            return
        del node.made["allOf"]
        self._telling.lose(node, "allOf", "refused" if self._profile.closed else "loosened")
        for member in members:
            inner = as_object(resolve(self._root, as_object(member)))
            for keyword, value in inner.items():
                known = node.made.get(keyword)
                if isinstance(known, dict) and isinstance(value, dict):
                    node.made[keyword] = {**value, **known}
                elif keyword in EVERYTHING - {"$ref"} and keyword not in node.made:
                    node.made[keyword] = value

    def _union(self, node: Rewrite) -> Change | None:
        """Rewrite `anyOf` and `oneOf`; `None` where the schema is no union afterwards."""
        if "oneOf" in node.made and "oneOf" not in self._profile.keywords:
            branches = node.made.pop("oneOf")
            if "anyOf" in node.made:
                self._telling.tell(node, "oneOf", branches)
            else:
                self._telling.lose(node, "oneOf", "loosened")
                node.made["anyOf"] = branches
        keyword = next((each for each in ("anyOf", "oneOf") if each in node.made), None)
        listed = None if keyword is None else node.made[keyword]
        if keyword is None or not isinstance(listed, list):
            return None
        branches = [as_object(branch) for branch in listed]
        beside = node.made.keys() - {keyword, "description", "default"}
        if beside and self._profile.closed:
            node.made.pop(keyword)
            typed = any(_has_type(branch) for branch in branches)
            self._telling.tell(node, keyword, listed, "refused" if typed else None)
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
            self._telling.tell(node, keyword, listed)
            return None
        self._values(node)
        self._types(node)
        judged = zip(branches, made, strict=True)
        union = Change(
            branches=[self._branch(before, *each) for before, each in judged],
            meant_before=Later(lambda: guess(branches, self._definitions)),
            meant_after=Later(lambda: guess([each for each, _ in made], self._written())),
        )
        self._unions.append((node.path, branches, union))
        return union

    def _branches(self, path: str, branches: Sequence[JsonValue]) -> list[Rewritten]:
        return [self._walk(as_object(branch), path) for branch in branches]

    def _only(self, node: Rewrite, keyword: str, branch: JsonSchema) -> Change:
        """Rewrite a union of one branch, null aside, as that branch."""
        del node.made[keyword]
        made, change = self._walk(branch, node.path)
        node.made = {**made, **node.made}
        return change

    def _branch(self, before: JsonSchema, after: JsonSchema, change: Change) -> Branch:
        was = Later(lambda: judge(before, self._definitions))
        made = Later(lambda: judge(after, self._written()))
        if self._profile.nullable:
            made = Later(lambda: judge(normalize(after), {}))
        return Branch(before=was, after=made, change=change)

    def _values(self, node: Rewrite) -> None:
        """Rewrite `const` and `enum`."""
        made = node.made
        if "const" in made and "const" not in self._profile.keywords:
            value, listed = made.pop("const"), made.get("enum")
            if isinstance(listed, list) and value not in listed:  # then nothing fits
                self._telling.tell(node, "enum")
            made["enum"] = [value]
        values = made.get("enum", [made["const"]] if "const" in made else None)
        if not isinstance(values, list):
            return
        kinds: list[JsonValue] = sorted({json_type(each) for each in values}, key=_TYPES.index)
        kind = kinds[0] if len(kinds) == 1 else kinds
        if "enum" in made and not self._profile.takes_values(values):
            self._telling.tell(node, "enum")
            if kind is not kinds:
                made.setdefault("type", kind)
        elif not self._profile.untyped:
            made.setdefault("type", kind)

    def _types(self, node: Rewrite) -> None:
        """Name the type where it has to be named."""
        made = node.made
        if "type" in made or self._profile.untyped or "anyOf" in made or "enum" in made:
            return
        told = next((kind for keyword, kind in _BY_TYPE.items() if keyword in made), None)
        if told is not None:
            made["type"] = told
            self._telling.lose(node, "type", "loosened")
        elif self._profile.closed:
            self._telling.lose(node, "type", "refused")


def _has_type(branch: JsonSchema) -> bool:
    """Return whether a branch says what its values are."""
    return not branch.keys().isdisjoint({"$ref", "const", "enum", "properties", "type"})
