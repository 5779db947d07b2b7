"""What references lead to when schemas are merged, and the marks that merging leaves."""

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.references import Lookup, defined_name
from pyfunctools.schema.normalization.check_input import check_schema, is_bundled
from pyfunctools.schema.normalization.spelling import translate
from pyfunctools.schema.vocabulary import ASSERTIONS, UNEVALUATED

_PASSED_ON = frozenset({"$ref", "allOf"})


class Targets:
    """What references lead to: the schema's `own` definitions, and what the lookup gives."""

    def __init__(self, own: JsonSchema, lookup: Lookup | None) -> None:
        self.own = own
        self._lookup = lookup
        self._merged: dict[str, JsonSchema | bool | None] = {}
        self._sound: set[str] = set()

    def at(self, reference: str) -> JsonSchema | bool | None:
        """Return the schema at a reference as it was written, or `None` where there is none."""
        name = defined_name(reference)
        target = self.own.get(name) if name is not None else None
        if target is None and self._lookup is not None:
            target = self._lookup(reference)
        return target if isinstance(target, dict | bool) else None

    def to_merge(self, reference: str) -> JsonSchema | bool | None:
        """Return the schema at a reference if it can be merged into another one.

        It cannot where it looks at what others evaluated, or names places of its own: such a one
        says what it means only where it stands.
        """
        if reference not in self._merged:
            self._merged[reference] = self._to_merge(reference)
        return self._merged[reference]

    def _to_merge(self, reference: str) -> JsonSchema | bool | None:
        target = self.at(reference)
        if not isinstance(target, dict):
            return target
        if not UNEVALUATED.isdisjoint(target) or "$defs" in target:
            return None
        if defined_name(reference) not in self.own and not is_bundled(check_schema(target)):
            return None
        return target

    def follow(self, reference: str) -> None:
        """Make sure that a reference leads to more than references.

        Raises:
            SchemaError: it leads back to itself.
        """
        passed: list[str] = []
        step: str | None = reference
        while step is not None and step not in self._sound:
            if step in passed:
                circle = " -> ".join([*passed[passed.index(step) :], step])
                raise SchemaError(f"the references lead in a circle: {circle}")
            passed.append(step)
            target = self.at(step)
            step = sole_reference(target) if isinstance(target, dict) else None
        self._sound.update(passed)


def sole_reference(schema: JsonSchema) -> str | None:
    """Return the reference that is all a schema says, but for annotations."""
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
        if isinstance(branches := node.get("allOf"), list):
            stack.extend(branches)
    return found.pop() if len(found) == 1 else None


class Joined(dict[str, JsonValue]):
    """An `allOf` made by merging: a subschema that several of the merged schemas have."""


class Copied(dict[str, JsonValue]):
    """A subschema that came with a definition: what it refers to is not merged in again.

    So each `allOf` of an author takes in the definitions it names, one level deep, and schemas that
    name each other do not grow without end.
    """


class Finished(dict[str, JsonValue]):
    """A branch of `allOf` that is not merged: it is done but for what lies below it."""


def is_copied(schema: JsonSchema) -> bool:
    """Return whether all that a schema says came with definitions that were merged in."""
    if isinstance(schema, Joined) and isinstance(branches := schema["allOf"], list):
        return all(isinstance(branch, Copied | bool) for branch in branches)
    return isinstance(schema, Copied)
