"""A schema taken apart, and what it takes to take values of it apart."""

from collections.abc import Collection, Sequence

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools._lazy import Lazy
from pyfunctools.schema.ground.path import Keys
from pyfunctools.schema.normalization.check_input import admit
from pyfunctools.schema.outline.clock import Formats
from pyfunctools.schema.result import Issue
from pyfunctools.schema.separation.graph import Graph, graph_of
from pyfunctools.schema.separation.ownership import Ownership, Place
from pyfunctools.schema.separation.predicates import IsHuman, any_of
from pyfunctools.schema.separation.side_writer import Part
from pyfunctools.schema.separation.sides import written
from pyfunctools.schema.separation.sieve import (
    ABSENT,
    Given,
    Own,
    filled,
    has,
    is_plain,
    is_too_deep,
    items,
    members,
    opened,
    own,
    present,
)
from pyfunctools.schema.validation.validator import Validator


class Division:
    """A schema, its two sides, and whose each place in its values is.

    All is made when first asked for, and kept. A copy or a pickle has what the predicate answered,
    not the predicate.
    """

    def __init__(self, graph: Graph, formats: Formats = True) -> None:
        self._graph = graph
        self._formats: Formats = formats
        self.schema = graph.schema
        self.whole = Validator(graph.schema, formats=formats)
        self._ownership = Lazy(lambda: Ownership(graph))
        self._llm = Lazy(lambda: written(self.ownership, "llm"))
        self._human = Lazy(lambda: written(self.ownership, "human"))
        self._validators: dict[Part, Validator] = {}

    def __reduce__(self) -> tuple[object, ...]:
        return (Division, (self._graph, self._formats))

    @property
    def ownership(self) -> Ownership:
        """Whose each place is."""
        return self._ownership.value

    def side(self, part: Part) -> JsonSchema:
        """Return the schema of one side."""
        return (self._llm if part == "llm" else self._human).value

    def validator(self, part: Part) -> Validator:
        """Return the validator of one side."""
        known = self._validators.get(part)
        if known is None:
            schema = self.side(part)
            new = self.whole if schema is self.schema else Validator(schema, formats=self._formats)
            known = self._validators.setdefault(part, new)
        return known

    def own(self, part: Part, value: JsonValue) -> Own:
        """Return what of a value that one side gave is its own."""
        return own(self.ownership, part, value)

    def split(self, value: JsonValue) -> tuple[JsonValue, JsonValue]:
        """Return the model's part and the human's part of a whole value."""
        if is_too_deep(value):
            return {}, value
        root = self.ownership.root
        llm, human = self._split(root, value)
        if human is ABSENT and root.owner == "mixed" and not isinstance(value, dict):
            human = self._shaped(root, "human", value)
        return ({} if llm is ABSENT else llm), ({} if human is ABSENT else human)

    def _split(self, place: Place, value: JsonValue) -> tuple[Given, Given]:
        if place.owner == "llm":
            return value, ABSENT
        if place.owner == "human" or not is_plain(opened(value)):
            return ABSENT, value
        value = opened(value)
        child = self.ownership.child
        if isinstance(value, dict):
            parts = {key: self._split(child(place, key), value[key]) for key in value}
            human = present({key: part for key, (_, part) in parts.items()})
            return present({key: part for key, (part, _) in parts.items()}), human or ABSENT
        if isinstance(value, list):
            pairs = [self._split(child(place, n), item) for n, item in enumerate(value)]
            llm = filled([part for part, _ in pairs])
            if all(part is ABSENT for _, part in pairs):
                return llm, ABSENT
            theirs = [
                self._shaped(child(place, n), "human", item) if part is ABSENT else part
                for n, (item, (_, part)) in enumerate(zip(value, pairs, strict=True))
            ]
            return llm, filled(theirs)
        return value, ABSENT

    def complaints(self, part: Part, whole: Given, mine: Given, other: Given) -> Sequence[Issue]:
        """Return what the schema of one side says of its part of a whole.

        The part has the shape of the whole: what it lacks is missing at its place, and not with all
        that is around it.
        """
        shaped = self._shaped(self.ownership.root, part, whole, mine, other)
        verdict = self.validator(part).validate({} if shaped is ABSENT else shaped, part)
        return () if verdict else verdict.issues

    def _shaped(
        self, place: Place, part: Part, whole: Given, mine: Given = ABSENT, other: Given = ABSENT
    ) -> Given:
        if place.owner != "mixed" or whole is ABSENT:
            return mine if place.owner == part else ABSENT
        child = self.ownership.child
        if isinstance(whole, dict):
            ours, theirs = members(mine), members(other)
            return present(
                {
                    key: self._shaped(
                        child(place, key),
                        part,
                        inner,
                        ours.get(key, ABSENT),
                        theirs.get(key, ABSENT),
                    )
                    for key, inner in whole.items()
                    # A key that only the human wrote is nothing for the model to see.
                    if part == "human" or key in ours or key in place.names
                }
            )
        if isinstance(whole, list):
            rows = zip(whole, items(mine, len(whole)), items(other, len(whole)), strict=True)
            return filled([self._shaped(child(place, n), part, *r) for n, r in enumerate(rows)])
        return whole if part == "llm" else None

    def is_humans(self, keys: Keys, llm: Given, human: Given) -> bool:
        """Return whether what stands at a path is the human's, of what the two sides gave.

        So is what stands under a key that is not declared, if only the human wrote it.
        """
        names: Collection[str] = ()
        for depth, place in enumerate(self.ownership.at(keys)):
            met = keys[:depth]
            is_declared = not met or isinstance(met[-1], int) or met[-1] in names
            if not is_declared and has(human, met) and not has(llm, met):
                return True
            if place.owner != "mixed":
                return place.owner == "human"
            names = place.names
        return False


def divide(schema: JsonSchema, is_human: IsHuman | None, formats: Formats = True) -> Division:
    """Return the division of a schema by a predicate; with none nothing is the human's.

    Raises:
        DefinitionError: the predicate raised something.
        SchemaError: the schema holds what is not JSON, is nested too deeply or too large.
    """
    admit(schema)
    return Division(graph_of(schema, is_human or any_of()), formats)
