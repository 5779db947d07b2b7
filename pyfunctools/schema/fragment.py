"""The part of a schema that judges one value: what lies further away is left to other parts.

jsonschema-rs gives all complaints about a value at once. Under a recursive union it gives those of
every branch at every level, whose number multiplies with each level; for an array of 100,000 wrong
items it makes 100,000 of them; each holds a copy of what it is about; and all that uses more of the
stack than a thread may have. A fragment keeps it from that. It has no unions, no items and no
references to what may lead back to it; these are `Check`s: does this schema hold, yes or no? What
is wrong behind one is found by judging the value against the fragment behind it.
"""

from collections.abc import Iterable, KeysView
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from pyfunctools._json import JsonSchema, JsonValue
from pyfunctools.errors import SchemaError
from pyfunctools.schema.compiled import Compiled, reference_to
from pyfunctools.schema.path import Keys, pointer_of
from pyfunctools.schema.references import lookup, steps_of
from pyfunctools.schema.walk import LISTED, NAMED, SINGLE

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

Kind: TypeAlias = Literal[
    "required", "closed", "union", "schema", "items", "members", "names", "if", "whole"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A schema of which a fragment only asks whether it holds.

    It judges what stands at `path` below the fragment's value, and `at` are the steps to it in the
    whole schema; it is part of `node`. `test` says the same alone, but for the first two, which
    need none. `kind` says what to do where it does not hold:

    - `required`: each of `names` must be a property; with `when`, only where that is one.
    - `closed`: no property may have another name than one of `names`.
    - `union`: choose a branch, one step further by its index.
    - `schema`: judge the same value against it.
    - `items`: judge each item from index `start` on against it.
    - `members`: judge each property, for which the `test` alone does not hold, against it.
    - `names`: the same with the name of the property.
    - `if`: judge the value against `then` or `else`, which stand beside `if` at `at`.
    - `whole`: ask for what nothing evaluates (`unevaluatedProperties`), or say just that it fails.
    """

    kind: Kind
    path: Keys
    at: Keys
    node: JsonSchema
    test: JsonSchema
    start: int = 0
    names: KeysView[str] = field(default_factory=lambda: dict[str, None]().keys())
    when: str | None = None


@dataclass(frozen=True, slots=True)
class Fragment:
    """A fragment of a schema: what judges the value at once, and the checks after that.

    Those of the kind `whole` come last, for they tell something only where the others hold. The
    last that asks for more than names is at `decisive`, -1 where there is none. `nodes` leads from
    each schema in `schema` to the one of the whole that it was made of.
    """

    schema: JsonSchema | bool
    checks: tuple[Check, ...]
    nodes: dict[int, JsonSchema]
    validator: "Validator"
    decisive: int

    def node(self, error: "ValidationError") -> JsonSchema | bool:
        """Give the schema of the whole that a complaint is about."""
        # Only `false` itself complains as a whole; a keyword's `false` belongs to its schema.
        if type(error.kind).__name__ == "FalseSchema":
            return False
        current: JsonValue = self.schema
        found: JsonSchema | bool = self.nodes.get(id(current), True)
        for step in error.schema_path:
            if isinstance(current, dict) and step in current:
                current = current[str(step)]
            elif isinstance(current, list) and isinstance(step, int):
                current = current[step]
            else:
                break
            found = self.nodes.get(id(current), found)
        return found


class Fragments:
    """The fragments of one schema, each made when it is first asked for."""

    def __init__(self, compiled: Compiled) -> None:
        self._compiled = compiled
        self._made: dict[Keys, Fragment] = {}
        self._wholes: dict[Keys, Validator] = {}
        # The schema is kept beside what was made of it, so that its identity is not used again.
        self._tests: dict[int, tuple[JsonSchema, Validator]] = {}

    def at(self, keys: Keys) -> Fragment:
        """Give the fragment of the schema at these steps.

        Raises:
            SchemaError: what stands there cannot be judged apart from the whole.
        """
        made = self._made.get(keys)
        if made is None:
            builder = _Builder(self._compiled)
            schema = builder.fragment(self.schema(keys), keys)
            validator = self._compiled.part(schema)
            checks = sorted(builder.checks, key=lambda check: check.kind == "whole")
            asking = [n for n, check in enumerate(checks) if check.kind not in _NAMING]
            decisive = max(asking, default=-1)
            made = Fragment(schema, tuple(checks), builder.nodes, validator, decisive)
            self._made[keys] = made
        return made

    def schema(self, keys: Keys) -> JsonSchema | bool:
        """Give the schema at these steps of the whole.

        Raises:
            SchemaError: no schema stands there.
        """
        try:
            found = lookup(self._compiled.schema, reference_to(keys))
        except LookupError:
            found = None
        if not isinstance(found, dict | bool):
            raise SchemaError("no schema stands here", pointer_of(keys))
        return found

    def whole(self, keys: Keys) -> "Validator":
        """Give the compiled schema at these steps, with all that it leads to.

        Raises:
            SchemaError: what stands there cannot be judged apart from the whole.
        """
        made = self._wholes.get(keys)
        if made is None:
            made = self._compiled.part({"$ref": self._compiled.address(keys)})
            self._wholes[keys] = made
        return made

    def test(self, check: Check) -> "Validator":
        """Give the compiled test of a check.

        Raises:
            SchemaError: it cannot be judged apart from the whole.
        """
        made = self._tests.get(id(check.test))
        if made is None:
            made = self._tests[id(check.test)] = (check.test, self._compiled.part(check.test))
        return made[1]


_NESTED = 15
"""Schemas inside each other in one fragment before what lies further down becomes a check."""
_INLINED = 64
"""Schemas of one fragment after which references in it are no longer followed but checked."""
_UNIONS = ("anyOf", "oneOf")
_UNKNOWN = ("$dynamicRef", "$recursiveRef", "unevaluatedItems", "unevaluatedProperties")
_APART = ("contains", "not")
_IDENTITY = {"$anchor", "$dynamicAnchor", "$id", "$recursiveAnchor", "$schema", "id"}
_REQUIRED = {"dependentRequired", "required"}
_NAMING = ("closed", "required")
_CHOICE = {*_UNIONS, "$comment", "description", "discriminator", "examples", "title"}
_HANDLED = SINGLE | LISTED | NAMED | {*_UNKNOWN, *_IDENTITY, *_REQUIRED, "$ref"}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the builder is: in the whole schema, in the value, and what references led there."""

    at: Keys
    path: Keys
    inside: frozenset[int]
    depth: int = 0

    def below(self, at: Keys, path: Keys = ()) -> "_Place":
        return _Place((*self.at, *at), (*self.path, *path), self.inside, self.depth + 1)


class _Builder:
    """Builds one fragment, noting its checks and what each schema in it is made of."""

    def __init__(self, compiled: Compiled) -> None:
        self._compiled = compiled
        self.checks: list[Check] = []
        self.nodes: dict[int, JsonSchema] = {}

    def fragment(self, schema: JsonSchema | bool, at: Keys) -> JsonSchema | bool:
        """Give the fragment of the schema that stands at these steps."""
        inside = frozenset({id(schema)})
        return self._fragment(schema, _Place(at, (), inside))

    def _fragment(self, schema: JsonSchema | bool, place: _Place) -> JsonSchema | bool:
        if not isinstance(schema, dict):
            return schema
        if self._compiled.legacy and "$ref" in schema:
            schema = {"$ref": schema["$ref"]}
        made = {keyword: value for keyword, value in schema.items() if keyword not in _HANDLED}
        self.nodes[id(made)] = schema
        if isinstance(properties := schema.get("properties"), dict):
            made["properties"] = {
                name: self._inner(inner, place.below(("properties", name), (name,)))
                for name, inner in properties.items()
            }
        for keyword in ("items", "prefixItems"):
            if isinstance(listed := schema.get(keyword), list):
                made[keyword] = [
                    self._inner(inner, place.below((keyword, n), (n,)))
                    for n, inner in enumerate(listed)
                ]
        for keyword in _APART:
            if isinstance(inner := schema.get(keyword), dict | bool):
                made[keyword] = self._refer(place, keyword) if isinstance(inner, dict) else inner
        patterns = schema.get("patternProperties")
        if schema.get("additionalProperties") is False and patterns:
            made["additionalProperties"] = False
            made.setdefault("properties", {})
            made["patternProperties"] = _free(patterns)
        if also := self._also(schema, place):
            made["allOf"] = also
        self._check(schema, place)
        return made

    def _inner(self, inner: JsonValue, place: _Place) -> JsonValue:
        if isinstance(inner, dict) and place.depth > _NESTED:
            self._note("schema", place, inner, self._refer(place))
            return {}
        return self._fragment(inner, place) if isinstance(inner, dict | bool) else inner

    def _also(self, schema: JsonSchema, place: _Place) -> list[JsonValue]:
        listed = schema.get("allOf")
        also = [
            self._inner(inner, place.below(("allOf", n)))
            for n, inner in enumerate(listed if isinstance(listed, list) else ())
        ]
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return also
        steps = steps_of(reference) if self._compiled.one_resource else None
        try:
            target = None if steps is None else lookup(self._compiled.schema, reference)
        except LookupError:
            target = None
        if steps is None or not isinstance(target, dict | bool):
            self._note("whole", place, schema, self._refer(place))
        elif _is_choice(target):  # which adds nothing but a check
            also.append(self._fragment(target, _Place(steps, place.path, place.inside)))
        elif id(target) in place.inside or len(self.nodes) > _INLINED or place.depth > _NESTED:
            there = _Place(steps, place.path, place.inside)
            self._note("schema", there, schema, self._refer(there))
        else:
            inside = place.inside | {id(target)}
            there = _Place(steps, place.path, inside, place.depth + 1)
            also.append(self._fragment(target, there))
        return also

    def _check(self, schema: JsonSchema, place: _Place) -> None:
        self._check_names(schema, place)
        for keyword in _UNIONS:
            if isinstance(branches := schema.get(keyword), list):
                there = place.below((keyword,))
                test = {keyword: [self._refer(there, n) for n in range(len(branches))]}
                self._note("union", there, schema, test)
        self._check_items(schema, place)
        self._check_members(schema, place)
        if "if" in schema and ("then" in schema or "else" in schema):
            parts = [keyword for keyword in ("if", "then", "else") if keyword in schema]
            self._note("if", place, schema, {part: self._refer(place, part) for part in parts})
        for keyword in ("dependentSchemas", "dependencies"):
            named = schema.get(keyword)
            for name, inner in named.items() if isinstance(named, dict) else ():
                if isinstance(inner, dict | bool):
                    there = place.below((keyword, name))
                    self._note("schema", there, schema, {keyword: {name: self._refer(there)}})
        if any(keyword in schema for keyword in _UNKNOWN):
            self._note("whole", place, schema, self._refer(place))

    def _check_names(self, schema: JsonSchema, place: _Place) -> None:
        if names := _texts(schema.get("required")):
            self._note("required", place, schema, {}, names=names)
        for keyword in ("dependentRequired", "dependencies"):
            needs = schema.get(keyword)
            for when, inner in needs.items() if isinstance(needs, dict) else ():
                if names := _texts(inner):
                    self._note("required", place, schema, {}, names=names, when=when)
        if schema.get("additionalProperties") is False and not schema.get("patternProperties"):
            properties = schema.get("properties")
            names = properties if isinstance(properties, dict) else ()
            self._note("closed", place, schema, {}, names=names)

    def _check_items(self, schema: JsonSchema, place: _Place) -> None:
        keyword, first = "items", schema.get("prefixItems")
        if isinstance(schema.get(keyword), list):
            keyword, first = "additionalItems", schema[keyword]
        items = schema.get(keyword, True)
        if isinstance(items, dict) or items is False:
            there = place.below((keyword,))
            start = len(first) if isinstance(first, list) else 0
            self._note("items", there, schema, self._refer(there), start=start)

    def _check_members(self, schema: JsonSchema, place: _Place) -> None:
        patterns = schema.get("patternProperties")
        for pattern in patterns if isinstance(patterns, dict) else ():
            there = place.below(("patternProperties", pattern))
            self._note(
                "members", there, schema, {"patternProperties": {pattern: self._refer(there)}}
            )
        if isinstance(schema.get("additionalProperties"), dict):
            there = place.below(("additionalProperties",))
            test = {
                "properties": _free(schema.get("properties")),
                "patternProperties": _free(patterns),
                "additionalProperties": self._refer(there),
            }
            self._note("members", there, schema, test)
        if isinstance(schema.get("propertyNames"), dict | bool):
            there = place.below(("propertyNames",))
            self._note("names", there, schema, {"propertyNames": self._refer(there)})

    def _note(
        self,
        kind: Kind,
        place: _Place,
        node: JsonSchema,
        test: JsonSchema,
        *,
        start: int = 0,
        names: Iterable[str] = (),
        when: str | None = None,
    ) -> None:
        self.checks.append(
            Check(
                kind=kind,
                path=place.path,
                at=place.at,
                node=node,
                test=test,
                start=start,
                names=dict.fromkeys(names).keys(),
                when=when,
            )
        )

    def _refer(self, place: _Place, *steps: str | int) -> JsonSchema:
        return {"$ref": self._compiled.address((*place.at, *steps))}


def _is_choice(schema: JsonSchema | bool) -> bool:
    """Say whether a schema is nothing but a union."""
    return (
        isinstance(schema, dict)
        and schema.keys() <= _CHOICE
        and any(keyword in schema for keyword in _UNIONS)
    )


def _texts(value: JsonValue) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _free(properties: JsonValue) -> JsonSchema:
    """Give the same properties, each free to be anything."""
    return {name: {} for name in properties} if isinstance(properties, dict) else {}
