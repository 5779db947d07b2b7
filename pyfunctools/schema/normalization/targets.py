"""The targets of references, those of a `discriminator` too, and marks of schemas in merging."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice

from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of
from pyfunctools._text import shortened
from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.references import defined_name, reference_to, steps_of
from pyfunctools.schema.normalization.spelling import translate
from pyfunctools.schema.outline.json_types import listed_values, schemas_of, texts_of
from pyfunctools.schema.vocabulary import ALL_OF, ASSERTIONS, UNIONS


class Targets:
    """The targets of references; `definition` returns a bundled definition by its name."""

    def __init__(self, definition: Callable[[str], JsonSchema | bool | None]) -> None:
        self._definition = definition
        self._sound: set[str] = set()

    def at(self, reference: str) -> JsonSchema | bool | None:
        """Return the schema at a reference, not normalized, or `None`."""
        name = defined_name(reference)
        return None if name is None else self._definition(name)

    def follow(self, reference: str) -> None:
        """Check that a reference leads to something other than references."""
        passed: list[str] = []
        step: str | None = reference
        while step is not None and step not in self._sound:
            if step in passed:
                cycle = shortened(" -> ".join([*passed[passed.index(step) :], step]), 200)
                raise SchemaError(f"the references form a cycle: {cycle}")
            passed.append(step)
            target = self.at(step)
            step = sole_reference(target) if isinstance(target, dict) else None
        self._sound.update(passed)


def sole_reference(schema: JsonSchema | bool) -> str | None:
    """Return the reference of a schema without other constraints, or `None`."""
    if isinstance(schema, bool) or ALL_OF.isdisjoint(schema):
        return None
    found: set[str] = set()
    stack: list[JsonValue] = [schema]
    while stack:
        part = stack.pop()
        if not isinstance(part, dict):
            if part is False:
                return None
            continue
        node = part if part.keys() <= ALL_OF else translate(part)
        if any(keyword in ASSERTIONS and keyword not in ALL_OF for keyword in node):
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

    So schemas that refer to each other do not grow without end.
    """


def is_copied(schema: JsonSchema) -> bool:
    """Return whether a schema consists only of parts of merged definitions."""
    if isinstance(schema, Joined) and isinstance(branches := schema["allOf"], list):
        return all(isinstance(branch, Copied | bool) for branch in branches)
    return isinstance(schema, Copied)


_MOST_PARENTS = 100
"""Most schemas that are read to find the values of the property in one branch."""

_DEFINITIONS = (("components", "schemas"), ("definitions",), ("$defs",))
"""Where a document holds its schemas."""


def complete_mapping(node: JsonSchema, definitions: Targets) -> JsonSchema:
    """Return a schema whose `discriminator` maps all branches, with references as targets.

    The values of a missing branch are those that its property lists, if no other branch has them,
    or else its name (OpenAPI 3.1, 4.8.25).
    """
    given = members_of(node.get("discriminator"))
    if not isinstance(name := given.get("propertyName"), str):
        return node
    branches = list(dict.fromkeys(_branches(node)))
    mapping: dict[str, JsonValue] = {
        value: _reference(target, branches, definitions)
        for value, target in members_of(given.get("mapping")).items()
        if isinstance(target, str)
    }
    missing = [branch for branch in branches if branch not in mapping.values()]
    listed = {branch: _listed(branch, name, definitions) for branch in missing}
    counts = Counter(value for values in listed.values() for value in values)
    for branch, values in listed.items():
        own = defined_name(branch) or branch.rpartition("/")[2]
        for value in [v for v in values if counts[v] == 1 and own not in values] or [own]:
            mapping.setdefault(value, branch)
    return {**node, "discriminator": {**given, "mapping": mapping} if mapping else given}


def _branches(node: JsonSchema) -> Iterator[str]:
    for keyword in UNIONS:
        for branch in schemas_of(node.get(keyword)):
            if isinstance(branch, dict) and (reference := sole_reference(branch)) is not None:
                yield reference


def _reference(target: str, branches: list[str], definitions: Targets) -> str:
    """Return the reference for a target in a mapping: a name, or a reference into the document."""
    steps = steps_of(target)
    if steps and steps[:-1] in _DEFINITIONS:
        return reference_to(str(steps[-1]))
    named = reference_to(target)
    if steps is None and (named in branches or definitions.at(named) is not None):
        return named
    return target


def _listed(branch: str, name: str, definitions: Targets) -> list[str]:
    """Return the texts that a branch, or a schema it refers to, lists for a property."""
    found: list[str] | None = None
    queue: list[JsonValue] = [{"$ref": branch}]
    for part in islice(queue, _MOST_PARENTS):  # grows while it is read
        schema = members_of(part)
        if isinstance(reference := schema.get("$ref"), str):
            queue.append(definitions.at(reference))
        queue += items_of(schema.get("allOf"))
        values = _texts(members_of(schema.get("properties")).get(name), definitions)
        if values is not None:
            found = values if found is None else [value for value in found if value in values]
    return found or []


def _texts(schema: JsonValue, definitions: Targets) -> list[str] | None:
    if isinstance(schema, dict) and (reference := sole_reference(schema)) is not None:
        schema = definitions.at(reference)
    values = listed_values(schema) if isinstance(schema, dict) else None
    return None if values is None else texts_of(values)
