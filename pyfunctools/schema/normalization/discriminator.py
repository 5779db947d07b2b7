"""`discriminator`: the branch of a union for each value of a property."""

from collections import Counter, deque
from collections.abc import Iterator

from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of
from pyfunctools.schema.ground.references import defined_name, reference_to, steps_of
from pyfunctools.schema.normalization.targets import Targets, sole_reference
from pyfunctools.schema.outline.json_types import listed_values, schemas_of, texts_of
from pyfunctools.schema.vocabulary import UNIONS

_MOST_PARENTS = 100
"""Most schemas that are read to find the values of the property in one branch."""

_DEFINITIONS = (("components", "schemas"), ("definitions",), ("$defs",))
"""Where a document holds its schemas."""


def complete_mapping(node: dict[str, JsonValue], definitions: Targets) -> None:
    """Add the missing branches to the mapping of a `discriminator`, with references as targets.

    The values of a missing branch are those that its property lists, if no other branch has them,
    or else its name (OpenAPI 3.1, 4.8.25).
    """
    given = members_of(node.get("discriminator"))
    if not isinstance(name := given.get("propertyName"), str):
        return
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
        own = _name_of(branch)
        for value in [v for v in values if counts[v] == 1 and own not in values] or [own]:
            mapping.setdefault(value, branch)
    node["discriminator"] = {**given, "mapping": mapping} if mapping else given


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


def _name_of(reference: str) -> str:
    name = defined_name(reference)
    return reference.rpartition("/")[2] if name is None else name


def _listed(branch: str, name: str, definitions: Targets) -> list[str]:
    """Return the texts that a branch, or a schema it refers to, lists for a property."""
    found: list[str] | None = None
    queue: deque[JsonValue] = deque([{"$ref": branch}])
    for _ in range(_MOST_PARENTS):
        if not queue:
            break
        schema = queue.popleft()
        if not isinstance(schema, dict):
            continue
        if isinstance(reference := schema.get("$ref"), str):
            queue.append(definitions.at(reference))
        queue.extend(items_of(schema.get("allOf")))
        values = _texts(members_of(schema.get("properties")).get(name), definitions)
        if values is not None:
            found = values if found is None else [value for value in found if value in values]
    return found or []


def _texts(schema: JsonValue, definitions: Targets) -> list[str] | None:
    if isinstance(schema, dict) and (reference := sole_reference(schema)) is not None:
        schema = definitions.at(reference)
    values = listed_values(schema) if isinstance(schema, dict) else None
    return None if values is None else texts_of(values)
