"""Human marks in hints that an annotation or a schema hook removed from the JSON Schema.

The core schema of the hints is walked beside the JSON Schema. A part that is marked in the core
schema has to be marked in the JSON Schema too, or be inside a marked part.

Example: in `Annotated[Human[str], WithJsonSchema({"type": "string"})]` only the core schema has the
mark, not the JSON Schema: the model could set the value.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias, cast

from pyfunctools._json import JsonSchema
from pyfunctools.schema.ground.path import Path
from pyfunctools.schema.separation.predicates import is_human_by_default
from pyfunctools.sources.python.core_schema import (
    INNER,
    CoreSchema,
    declared_name,
    fields_in,
    is_secret_type,
    replaced_in,
)
from pyfunctools.sources.python.markers import HUMAN_KEY
from pyfunctools.sources.python.unlisted_names import applicable, items_at, property_at

_Places: TypeAlias = tuple[JsonSchema, ...]
"""The schemas that apply to one value: references followed, branches included."""


class LostMark(NamedTuple):
    """A place where a mark is lost, such as `card.pin`, with its schemas as they are written.

    A mark of a secret type (`is_secret`) is no mark of this library.
    """

    path: str
    is_secret: bool
    schemas: _Places


def lost_marks(
    core: CoreSchema, schema: JsonSchema, root: JsonSchema | None = None
) -> Iterator[LostMark]:
    """Yield the places where a mark is lost.

    `schema` is the JSON Schema of `core`; its references lead into `root`, itself by default.
    """
    root = schema if root is None else root
    definitions: dict[str, CoreSchema] = {}
    queue: list[tuple[tuple[str, ...], CoreSchema, _Places, _Places]]
    queue = [((), core, applicable(root, [schema]), (schema,))]
    seen: set[tuple[int, frozenset[int]]] = set()
    for path, part, places, written in queue:  # grows while it is read
        key = id(part), frozenset(map(id, places))
        name = Path.of(path[-1:])
        if key in seen or any(is_human_by_default(name, each) for each in places):
            continue
        seen.add(key)
        metadata = cast("CoreSchema", part.get("metadata") or {})
        is_models = any(place.get("x-human") is False for place in places)
        if HUMAN_KEY in metadata or (is_secret_type(part) and not is_models):
            yield LostMark(".".join(path), HUMAN_KEY not in metadata, written)
            continue
        for step, inner, schemas in _parts(part, places, definitions):
            below, own = places, written
            if schemas is not places:
                own = tuple(cast("JsonSchema", each) for each in schemas if isinstance(each, dict))
                below = applicable(root, own)
            queue.append(((*path, *step), inner, below, own))


_CorePart: TypeAlias = tuple[tuple[str, ...], CoreSchema, Iterable[object]]
"""A core schema directly below another one, after the steps to it, with its JSON Schemas."""


def _parts(
    core: CoreSchema, places: _Places, definitions: dict[str, CoreSchema]
) -> Iterator[_CorePart]:
    kind = core["type"]
    if kind == "definitions":
        for each in cast("list[CoreSchema]", core["definitions"]):
            definitions[str(each["ref"])] = each
        yield (), cast("CoreSchema", core["schema"]), places
    elif kind == "definition-ref":
        if (target := definitions.get(str(core["schema_ref"]))) is not None:
            yield (), target, places
    elif kind == "dict":
        names = [place.get("propertyNames") for place in places]
        for key, schemas in (("values_schema", property_at(places, None)), ("keys_schema", names)):
            if key in core:
                yield (), cast("CoreSchema", core[key]), schemas
    elif fields := fields_in(core):
        for number, (name, field) in enumerate(fields.items()):
            schemas = [*property_at(places, declared_name(name, field)), *items_at(places, number)]
            yield (name,), cast("CoreSchema", field["schema"]), schemas
    elif kind in _WITH_ITEMS:
        for number, inner in enumerate(_inner(core)):
            yield (str(number),), inner, items_at(places, number)
    else:
        content = [place.get("contentSchema") for place in places] if kind == "json" else places
        replaced = replaced_in(core) if kind == "function-plain" else _inner(core)
        yield from (((), inner, content) for inner in replaced)


_WITH_ITEMS = frozenset(
    {"arguments", "frozenset", "generator", "list", "named-tuple", "set", "tuple"}
)


def _inner(core: CoreSchema) -> Iterator[CoreSchema]:
    """Yield the core schemas directly below one, without those that are not for JSON."""
    aside = _NOT_JSON if core["type"] in ("json-or-python", "lax-or-strict") else ()
    stack = [core[key] for key in reversed(INNER) if key in core and key not in aside]
    while stack:
        held = stack.pop()
        if isinstance(held, dict) and isinstance(cast("CoreSchema", held).get("type"), str):
            yield cast("CoreSchema", held)
        elif isinstance(held, dict):
            stack += reversed([*cast("dict[str, object]", held).values()])
        elif isinstance(held, list | tuple):
            stack += reversed([*cast("list[object]", held)])


_NOT_JSON = ("python_schema", "strict_schema")
