"""The targets of references, and the classes that mark schemas during merging."""

from pyfunctools._json import JsonSchema, JsonValue, items_of
from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.references import Lookup, defined_name
from pyfunctools.schema.normalization.check_input import check_schema, is_bundled
from pyfunctools.schema.normalization.spelling import translate
from pyfunctools.schema.vocabulary import ASSERTIONS, UNEVALUATED

_PASSED_ON = frozenset({"$ref", "allOf"})


class Targets:
    """The targets of references: in the schema's `own` definitions, or from the lookup."""

    def __init__(self, own: JsonSchema, lookup: Lookup | None) -> None:
        self.own = own
        self._lookup = lookup
        self._sound: set[str] = set()

    def at(self, reference: str) -> JsonSchema | bool | None:
        """Return the schema at a reference, not normalized, or `None`."""
        name = defined_name(reference)
        target = self.own.get(name) if name is not None else None
        if target is None and self._lookup is not None:
            target = self._lookup(reference)
        return target if isinstance(target, dict | bool) else None

    def to_merge(self, reference: str) -> JsonSchema | bool | None:
        """Return the schema at a reference if it can be merged into another one, else `None`.

        A target with `unevaluated*`, `$defs`, anchors or an `$id` means something else elsewhere.
        """
        target = self.at(reference)
        if not isinstance(target, dict):
            return target
        if not UNEVALUATED.isdisjoint(target) or "$defs" in target:
            return None
        if defined_name(reference) not in self.own and not is_bundled(check_schema(target)):
            return None
        return target

    def follow(self, reference: str) -> None:
        """Check that a reference leads to something other than references."""
        passed: list[str] = []
        step: str | None = reference
        while step is not None and step not in self._sound:
            if step in passed:
                cycle = " -> ".join([*passed[passed.index(step) :], step])
                raise SchemaError(f"the references form a cycle: {cycle}")
            passed.append(step)
            target = self.at(step)
            step = sole_reference(target) if isinstance(target, dict) else None
        self._sound.update(passed)


def sole_reference(schema: JsonSchema) -> str | None:
    """Return the reference of a schema without other constraints, or `None`."""
    if "$ref" not in schema and "allOf" not in schema:
        return None
    found: set[str] = set()
    stack: list[JsonValue] = [schema]
    while stack:
        part = stack.pop()
        if not isinstance(part, dict):
            if part is False:
                return None
            continue
        node = part if part.keys() <= _PASSED_ON else translate(part)
        if any(keyword in ASSERTIONS and keyword not in _PASSED_ON for keyword in node):
            return None
        if isinstance(reference := node.get("$ref"), str):
            found.add(reference)
        if len(found) > 1:
            return None
        stack.extend(items_of(node.get("allOf")))
    return found.pop() if len(found) == 1 else None


class Joined(dict[str, JsonValue]):
    """An `allOf` made by merging: the subschemas that merged schemas have at one place."""


class Copied(dict[str, JsonValue]):
    """A subschema of a merged definition; its own references are not merged again.

    So an `allOf` is merged with definitions one level deep only, and schemas that refer to each
    other do not grow without end.
    """


class Finished(dict[str, JsonValue]):
    """A branch of `allOf` that is not merged; only its subschemas must still be normalized."""


def is_copied(schema: JsonSchema) -> bool:
    """Return whether a schema consists only of parts of merged definitions."""
    if isinstance(schema, Joined) and isinstance(branches := schema["allOf"], list):
        return all(isinstance(branch, Copied | bool) for branch in branches)
    return isinstance(schema, Copied)
