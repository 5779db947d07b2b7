"""Marks that stand in the hints and not in their JSON Schema: an annotation or a hook took them.

The hints are read as pydantic describes them (core schemas), and beside each the subschemas that
the JSON Schema has for the same place. A place whose hint is marked has to be marked there too, or
a place above it.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias, cast

from pyfunctools._json import JsonObject, JsonSchema
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.separation.predicates import is_human_by_default
from pyfunctools.sources.python.aliases import items_at, opened
from pyfunctools.sources.python.core import (
    INNER,
    CoreSchema,
    fields_in,
    is_secret,
    key_of,
    replaced_in,
)
from pyfunctools.sources.python.markers import HUMAN_KEY

_Places: TypeAlias = tuple[JsonSchema, ...]
"""What a JSON Schema says of one place: subschemas, references followed and branches opened."""


def vanished(core: CoreSchema, made: JsonSchema, root: JsonSchema | None = None) -> Iterator[str]:
    """Return where the hints are marked and the schema is not, such as `card.pin`.

    `made` is the JSON Schema of `core`; references in it lead into `root`, itself by default.
    """
    root = made if root is None else root
    reader = _CoreReader(root)
    reader.begin(core, opened(root, [made]), ())
    yield from reader.found()


class _CoreReader:
    def __init__(self, root: JsonSchema) -> None:
        self._root = root
        self._definitions: dict[str, CoreSchema] = {}
        self._queue: list[tuple[CoreSchema, _Places, tuple[str, ...]]] = []
        self._seen: set[tuple[int, ...]] = set()

    def begin(self, core: CoreSchema, places: _Places, keys: tuple[str, ...]) -> None:
        """Put a hint into the queue, once for each of the places it stands at."""
        key = (id(core), *map(id, places))
        if key not in self._seen:
            self._seen.add(key)
            self._queue.append((core, places, keys))

    def found(self) -> Iterator[str]:
        for core, places, keys in self._queue:  # grows while it is read
            name = keys[-1] if keys else ""
            if any(is_human_by_default(Path.of((name,)), each) for each in places):
                continue
            metadata = cast("CoreSchema", core.get("metadata") or {})
            if HUMAN_KEY in metadata or (is_secret(core) and not _are_models(places)):
                yield ".".join(keys)
            else:
                self._below(core, places, keys)

    def _below(self, core: CoreSchema, places: _Places, keys: tuple[str, ...]) -> None:
        kind = str(core["type"])
        if kind == "definitions":
            for each in cast("list[CoreSchema]", core["definitions"]):
                self._definitions[str(each["ref"])] = each
            self.begin(cast("CoreSchema", core["schema"]), places, keys)
        elif kind == "definition-ref":
            target = self._definitions.get(str(core["schema_ref"]))
            if target is not None:
                self.begin(target, places, keys)
        elif kind == "function-plain":
            for inner in replaced_in(core):
                self.begin(inner, places, keys)
        elif kind in _BELOW:
            self._one_step(core, places, keys)
        else:
            # Of two readings that are said of one place, the schema tells the one for JSON.
            passed = _ASIDE if kind in ("json-or-python", "lax-or-strict") else ()
            for inner in _inner(core, passed):
                self.begin(inner, places, keys)

    def _one_step(self, core: CoreSchema, places: _Places, keys: tuple[str, ...]) -> None:
        fields = list(fields_in(core))
        for number, (name, field) in enumerate(fields):
            at = [*_at(places, "properties", key_of(name, field)), *items_at(places, number)]
            self.begin(cast("CoreSchema", field["schema"]), opened(self._root, at), (*keys, name))
        if fields:
            return
        if core["type"] == "dict":
            named = [each for place in places for each in _values(place)]
            steps = (("values_schema", named), ("keys_schema", _at(places, "propertyNames")))
            for key, found in steps:
                if key in core:
                    self.begin(cast("CoreSchema", core[key]), opened(self._root, found), keys)
            return
        if core["type"] == "json":
            content = opened(self._root, _at(places, "contentSchema"))
            for inner in _inner(core, ()):
                self.begin(inner, content, keys)
            return
        for number, inner in enumerate(_inner(core, ())):
            self.begin(inner, opened(self._root, items_at(places, number)), (*keys, str(number)))


_BELOW = frozenset(
    {
        "arguments",
        "dataclass-args",
        "dict",
        "frozenset",
        "generator",
        "json",
        "list",
        "model-fields",
        "named-tuple",
        "set",
        "tuple",
        "typed-dict",
    }
)
"""Kinds whose inner schemas are about places one step further."""
_ASIDE = ("python_schema", "strict_schema")


def _inner(core: CoreSchema, without: Sequence[str]) -> Iterator[CoreSchema]:
    """Return the core schemas right below one."""
    stack = [core[key] for key in reversed(INNER) if key in core and key not in without]
    while stack:
        held = stack.pop()
        if isinstance(held, dict) and isinstance(cast("CoreSchema", held).get("type"), str):
            yield cast("CoreSchema", held)
        elif isinstance(held, dict):
            stack += reversed([*cast("dict[str, object]", held).values()])
        elif isinstance(held, list | tuple):
            stack += reversed([*cast("list[object]", held)])


def _at(places: _Places, *steps: str) -> list[object]:
    found: list[object] = list(places)
    for step in steps:
        held = (cast("JsonObject", each) for each in found if isinstance(each, dict))
        found = [each[step] for each in held if step in each]
    return found


def _values(place: JsonSchema) -> Iterator[object]:
    if "additionalProperties" in place:
        yield place["additionalProperties"]
    patterns = place.get("patternProperties")
    if isinstance(patterns, dict):
        yield from patterns.values()


def _are_models(places: _Places) -> bool:
    """Return whether somebody says that a place is the model's, whatever its type."""
    return any(place.get("x-human") is False for place in places)
