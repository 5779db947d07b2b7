"""The schemas that an `allOf` merges: its branches, and the definitions that they refer to."""

from dataclasses import dataclass

from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of
from pyfunctools.errors import SchemaError
from pyfunctools.schema.normalization.conjunction import Conjunction
from pyfunctools.schema.normalization.spelling import translate
from pyfunctools.schema.normalization.targets import Copied, Targets
from pyfunctools.schema.vocabulary import ASSERTIONS, UNEVALUATED

MOST_INHERITED = 64
"""Most targets that one `allOf` merges beyond those that it names itself."""

MOST_BRANCHES = 1_000
"""Most `allOf` branches of targets that are searched, plus four for each reference."""

MOST_MERGED = 50_000
"""Most branches and properties of definitions that one schema merges; other references stay."""


@dataclass(slots=True)
class _Part:
    """One of the schemas under an `allOf`; `apart` is set if it must stay a separate branch."""

    node: dict[str, JsonValue]
    referenced: bool
    apart: JsonSchema | bool | None = None

    @property
    def reference(self) -> str | None:
        found = self.node.get("$ref")
        return found if isinstance(found, str) else None

    def constrains(self, *ignored: str) -> bool:
        return self.apart is not None or not (ASSERTIONS & self.node.keys()).issubset(ignored)


class Merger:
    """Merges each `allOf` of a schema with the definitions that its branches refer to."""

    def __init__(self, definitions: Targets) -> None:
        self._definitions = definitions
        self._merged = 0

    def merge(
        self, node: JsonSchema, *, copied: bool, known_as: str | None
    ) -> dict[str, JsonValue]:
        """Return a translated schema with its `allOf` merged into it.

        A reference is replaced by its definition only if other constraints apply too, and neither
        in a schema that was `copied` from a definition nor beside the schema's own `$ref`.
        Otherwise it becomes the `$ref` of the result, and a second one stays under `allOf`.
        `known_as` is the reference to the schema itself, which is left out.
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
        """Return a schema, the branches of its `allOf`, and their branches, in document order.

        Branches that are only a reference in `seen` are left out.
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
            branches = items_of(own.pop("allOf", None))
            parts.append(_Part(own, copied))
            self._merged += len(branches) if referenced else 0
            stack.extend((b, copied) for b in reversed(branches) if not _is_among(b, seen))
        return parts

    def _expanded(self, parts: list[_Part], known: set[str]) -> list[_Part] | None:
        """Return the parts with references replaced by their targets, or `None` if too large."""
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
                self._merged += 1 + len(members_of(members_of(target).get("properties")))
                stack.extend(reversed(self._parts(target, True, seen)))
            if self._merged > MOST_MERGED:
                return None
        if not any(part.constrains() for part in found):
            raise _cycle(seen)
        return found

    def _inherits_too_much(self, parts: list[_Part]) -> bool:
        """Return whether the references reach too many schemas to merge them all.

        If all schemas refer to each other, each would become a copy of all others.
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
            branches = items_of(branch.get("allOf"))
            steps -= len(branches)
            stack.extend(branches)
            if steps < 0 or len(seen) > most:
                return True
        return False


def _must_merge(parts: list[_Part]) -> bool:
    references = {part.reference for part in parts} - {None}
    if len(references) == 1:
        return any(part.constrains("$ref", "discriminator", "type") for part in parts)
    return bool(references)


def _without(parts: list[_Part], known: set[str]) -> list[_Part]:
    circular = [part for part in parts if part.reference in known]
    for part in circular:
        del part.node["$ref"]
    if circular and not any(part.constrains() for part in parts):
        raise _cycle(known)
    return parts


def _is_among(branch: JsonValue, seen: set[str]) -> bool:
    return isinstance(branch, dict) and len(branch) == 1 and branch.get("$ref") in seen


def _cycle(references: set[str]) -> SchemaError:
    return SchemaError(f"the references form a cycle: {', '.join(sorted(references))}")
