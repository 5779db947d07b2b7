"""Which schemas an `allOf` puts together, with the definitions that must be merged into it."""

from dataclasses import dataclass

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.errors import SchemaError
from pyfunctools.schema.normalization.conjunction import Conjunction
from pyfunctools.schema.normalization.spelling import translate
from pyfunctools.schema.normalization.targets import Copied, Targets
from pyfunctools.schema.vocabulary import ASSERTIONS, UNEVALUATED

MOST_INHERITED = 64
"""Targets that one `allOf` may reach, past those it names itself, and still be merged."""

MOST_BRANCHES = 1_000
"""Branches of their `allOf` that are looked through for it, past four for each of its own."""

MOST_MERGED = 50_000
"""Branches and properties that one schema merges out of definitions; then references stay."""


@dataclass(slots=True)
class _Part:
    """One of the schemas that hold together: `apart` where it must stay a branch of its own."""

    node: dict[str, JsonValue]
    referenced: bool
    apart: JsonSchema | bool | None = None

    @property
    def reference(self) -> str | None:
        found = self.node.get("$ref")
        return found if isinstance(found, str) else None

    def says(self, *but: str) -> bool:
        """Whether it says anything about a value, but for these keywords."""
        if self.apart is not None:
            return True
        return any(keyword in ASSERTIONS and keyword not in but for keyword in self.node)


class Merger:
    """Merges each `allOf` of a schema with what its branches refer to."""

    def __init__(self, definitions: Targets) -> None:
        self._definitions = definitions
        self._merged = 0

    def merge(
        self, node: JsonSchema, *, copied: bool, known_as: str | None
    ) -> dict[str, JsonValue]:
        """Return a spelled schema with its `allOf` merged into it.

        A reference is replaced by what it means only if something else must hold with it, and
        neither in what was `copied` from a definition nor beside the schema's own `$ref`.
        Otherwise it becomes the `$ref` of the whole, and a second one stays under `allOf`: both
        hold. `known_as` is the reference to the schema itself; that it must fit itself says
        nothing.

        Raises:
            SchemaError: it says nothing but that it must fit itself.
        """
        known: set[str] = set() if known_as is None else {known_as}
        parts = _without(self._parts(node, False, set()), known)
        if not copied and "$ref" not in node and _must_merge(parts):
            parts = self._expanded(parts, known) or parts
        whole = Conjunction()
        for part in parts:
            if part.apart is None:
                whole.add(part.node, part.referenced)
            else:
                whole.leave(part.apart)
        return whole.result()

    def _parts(self, site: JsonSchema | bool, referenced: bool, seen: set[str]) -> list[_Part]:
        """Return a schema and the branches of its `allOf`, and theirs, in the order of the text.

        Branches that are references which were `seen` are left out.
        """
        parts: list[_Part] = []
        stack: list[tuple[JsonValue, bool]] = [(site, referenced)]
        while stack:
            schema, copied = stack.pop()
            copied = copied or isinstance(schema, Copied)
            if not isinstance(schema, dict):
                if schema is False:
                    parts.append(_Part({}, copied, apart=False))
                continue
            own = translate(schema)
            if schema is not site and not UNEVALUATED.isdisjoint(own):
                parts.append(_Part({}, copied, apart=Copied(schema) if copied else schema))
                continue
            branches = own.pop("allOf", None)
            parts.append(_Part(own, copied))
            if isinstance(branches, list):
                self._merged += len(branches) if referenced else 0
                stack.extend((b, copied) for b in reversed(branches) if not _is_among(b, seen))
        return parts

    def _expanded(self, parts: list[_Part], known: set[str]) -> list[_Part] | None:
        """Return the parts with all references followed, or `None` where that is too much."""
        if self._merged > MOST_MERGED or self._inherits_too_much(parts):
            return None
        seen = set(known)
        found: list[_Part] = []
        stack = parts[::-1]
        while stack:
            part = stack.pop()
            reference = part.reference
            if reference is None:
                found.append(part)
                continue
            target = None if reference in seen else self._definitions.to_merge(reference)
            if target is None and reference not in seen:
                found.append(part)
            elif len(part.node) > 1:
                rest = {keyword: v for keyword, v in part.node.items() if keyword != "$ref"}
                found.append(_Part(rest, part.referenced))
            seen.add(reference)
            if target is not None:
                self._merged += _size(target)
                stack.extend(reversed(self._parts(target, True, seen)))
            if self._merged > MOST_MERGED:
                return None
        if not any(part.says() for part in found):
            raise _circle(seen)
        return found

    def _inherits_too_much(self, parts: list[_Part]) -> bool:
        """Return whether the references lead on to more than is worth a copy of it all.

        Where everything refers to everything, each schema would be a copy of all the others.
        """
        seen = {part.reference for part in parts if part.reference is not None}
        most = len(seen) + MOST_INHERITED
        steps = 4 * len(seen) + MOST_BRANCHES
        stack: list[JsonValue] = [self._definitions.at(reference) for reference in seen]
        while stack:
            branch = stack.pop()
            if not isinstance(branch, dict):
                continue
            reference = branch.get("$ref")
            if isinstance(reference, str) and reference not in seen:
                seen.add(reference)
                stack.append(self._definitions.at(reference))
            if isinstance(branches := branch.get("allOf"), list):
                steps -= len(branches)
                stack.extend(branches)
            if steps < 0 or len(seen) > most:
                return True
        return False


def _must_merge(parts: list[_Part]) -> bool:
    references = {part.reference for part in parts} - {None}
    if len(references) == 1:
        return any(part.says("$ref", "discriminator", "type") for part in parts)
    return bool(references)


def _without(parts: list[_Part], known: set[str]) -> list[_Part]:
    """Return the parts without these references."""
    if not any(part.reference in known for part in parts):
        return parts
    for part in parts:
        if part.reference in known:
            del part.node["$ref"]
    if not any(part.says() for part in parts):
        raise _circle(known)
    return parts


def _is_among(branch: JsonValue, seen: set[str]) -> bool:
    if not isinstance(branch, dict) or len(branch) > 1:
        return False
    reference = branch.get("$ref")
    return isinstance(reference, str) and reference in seen


def _size(target: JsonSchema | bool) -> int:
    properties = target.get("properties") if isinstance(target, dict) else None
    return 1 + (len(properties) if isinstance(properties, dict) else 0)


def _circle(references: set[str]) -> SchemaError:
    return SchemaError(f"the references form a cycle: {', '.join(sorted(references))}")
