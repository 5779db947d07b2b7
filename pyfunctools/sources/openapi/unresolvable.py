"""Which operations reach a reference that leads nowhere, found without reading every schema."""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.schema.ground.references import MAX_HOPS
from pyfunctools.schema.ground.walk import children
from pyfunctools.schema.normalization.inlining import sole_reference
from pyfunctools.sources.openapi.document import Document, Place, Resource

_Key: TypeAlias = tuple[Resource, str]
"""A reference, and what it is resolved in."""


class Reach:
    """What the schemas of one document lead to.

    As a rule every reference in a document leads somewhere inside it. Then nothing can be wrong
    with any operation, and none is looked into.
    """

    def __init__(self, document: Document, references: Iterable[str]) -> None:
        self._document = document
        self._sound: set[_Key] = set()
        self._broken: dict[_Key, str] = {}
        self.all_well = all(map(self._leads_inside, references))

    def problem(self, place: Place) -> str | None:
        """Return why the schema at this place cannot be built, or `None` where it can."""
        if self.all_well:
            return None
        # Each reference that is open, with those of its target that are still to be looked at.
        path: list[tuple[_Key, Iterator[_Key]]] = []
        passed: set[_Key] = set()
        todo = self._references(place)
        while True:
            for key in todo:
                if key in self._sound or key in passed:
                    continue
                reason = self._broken.get(key)
                if reason is None:
                    target = self._target(key)
                    if isinstance(target, Place):
                        passed.add(key)
                        path.append((key, todo))
                        todo = self._references(target)
                        break
                    reason = target
                self._broken.update((broken, reason) for broken, _ in path)
                self._broken[key] = reason
                return reason
            else:
                if not path:
                    self._sound |= passed
                    return None
                _, todo = path.pop()

    def _leads_inside(self, reference: str) -> bool:
        value: JsonValue = self._document.root
        for step in reference.split("/"):
            if step != "#":
                value = value.get(step) if isinstance(value, dict) else None
        if isinstance(value, dict) and "$ref" not in value and "allOf" not in value:
            return True  # so simple, nearly always
        if not self._document.is_local(reference):
            return False
        return isinstance(self._target((self._document.main, reference)), Place)

    def _target(self, key: _Key) -> Place | str:
        """Return what a reference leads to, or what is wrong with it."""
        resource, reference = key
        try:
            place = target = self._document.target(reference, resource)
            for _ in range(MAX_HOPS):
                if not isinstance(place.value, dict | bool):
                    return (
                        f"The reference {reference[:200]!r} leads to something that is no schema."
                    )
                following = _next(place.value)
                if following is None:
                    return target
                place = self._document.target(following, place.resource)
        except DocumentError as error:
            return error.reason
        return f"The reference {reference[:200]!r} leads in a circle."

    def _references(self, place: Place) -> Iterator[_Key]:
        stack: list[tuple[JsonSchema | bool, Resource]] = []
        if isinstance(place.value, dict | bool):
            stack.append((place.value, place.resource))
        while stack:
            schema, resource = stack.pop()
            if isinstance(schema, bool):
                continue
            resource = self._document.scope(schema, resource)
            reference = schema.get("$ref")
            if isinstance(reference, str):
                yield resource, reference
            stack.extend((inner, resource) for _, inner in children(schema))


def _next(schema: JsonSchema | bool) -> str | None:
    if isinstance(schema, bool):
        return None
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return reference
    return sole_reference(schema) if "allOf" in schema else None
