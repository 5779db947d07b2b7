"""References of every kind, replaced by references to definitions at the root: `#/$defs/NAME`."""

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote, urldefrag, urljoin

from pyfunctools._json import JsonSchema, JsonValue, items_of, members_of
from pyfunctools.errors import SchemaError
from pyfunctools.schema.ground.path import array_index, pointer_of
from pyfunctools.schema.ground.references import (
    defined_name,
    numbered,
    reference_to,
    steps_of,
)
from pyfunctools.schema.ground.walk import children
from pyfunctools.schema.normalization.check_input import is_early
from pyfunctools.schema.normalization.prepare import bundled_below
from pyfunctools.schema.outline.json_types import schemas_by_name
from pyfunctools.schema.vocabulary import (
    ANCHORS,
    ASSERTIONS,
    DRAFT,
    DYNAMIC_REFERENCES,
    IDENTITY,
    ONE_SCHEMA,
    SCHEMA_LIST,
    SCHEMA_MAP,
)

_GONE = IDENTITY - {"id"} | DRAFT
_ASSERTING = ASSERTIONS - {"$ref"}
_HOLDING = SCHEMA_MAP | SCHEMA_LIST | ONE_SCHEMA
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")


class _Target(NamedTuple):
    """A schema and the URI of its resource (2020-12 core, 4.3.5)."""

    schema: JsonSchema | bool
    resource: str


def bundle(schema: JsonSchema) -> JsonSchema:
    """Return a copy in which all references are `#/$defs/NAME`, without anchors or `$id`s.

    The target of every reference becomes a definition at the root, named after the reference: a
    definition of a subschema, a part of a schema, the root, an anchor, a schema with an `$id`. A
    reference without a target stays, made absolute if there is an `$id`.

    `$schema` has these effects: up to draft-07 the keywords beside a `$ref` are dropped, in
    draft-04 `id` is `$id`, and in every draft no value is valid for an empty `enum`. (Documents
    without `$schema` write one where the values are not known.)

    Raises:
        SchemaError: it has a `$dynamicRef` or a `$recursiveRef`, whose targets depend on the
            references followed before.
    """
    return _Bundle(schema).run()


class _Bundle:
    def __init__(self, root: JsonSchema) -> None:
        self._root = root
        self._stated = "$schema" in root
        self._early = is_early(root)
        self._id = "id" if is_early(root, "34") else "$id"
        self._base = self._within(root, "")
        self._resources: dict[str, _Target] = {}
        self._anchors: dict[tuple[str, str], JsonSchema] = {}
        self._read()
        self._dangling = {
            str(name)
            for schema, base in self._with_bases()
            if isinstance(reference := schema.get("$ref"), str)
            and (name := defined_name(reference)) is not None
            and self._find(reference, base) is None
        }
        self._targets: dict[str, _Target] = {}
        self._queue: list[str] = []
        self._names: dict[tuple[int, str], str] = {}
        self._numbered: dict[str, Iterator[str]] = {}

    def run(self) -> JsonSchema:
        for keyword in ("$defs", "definitions"):
            for name, inner in schemas_by_name(self._root.get(keyword)).items():
                self._name(_Target(inner, self._within(inner, self._base)), name)
        body = self._bundled(_Target(self._root, self._base))
        definitions = {
            name: self._bundled(self._targets[name]) for name in self._queue
        }  # which grows
        return {**members_of(body), **({"$defs": definitions} if definitions else {})}

    def _bundled(self, target: _Target) -> JsonSchema | bool:
        schema, resource = target
        if not isinstance(schema, dict):
            return schema
        return bundled_below(self._translated(schema, resource), resource, self._prepare)

    def _read(self) -> None:
        for schema, base in self._with_bases():
            self._resources.setdefault(base, _Target(schema, base))
            for keyword in ANCHORS:
                if isinstance(name := schema.get(keyword), str):
                    self._anchors.setdefault((base, name), schema)
            if isinstance(name := schema.get(self._id), str) and name.startswith("#"):
                self._anchors.setdefault((base, name[1:]), schema)

    def _with_bases(self) -> Iterator[tuple[JsonSchema, str]]:
        stack = [(self._root, self._base)]
        while stack:
            schema, base = stack.pop()
            yield schema, base
            below = (inner for _, inner in children(schema) if isinstance(inner, dict))
            stack += ((inner, self._within(inner, base)) for inner in below)

    def _within(self, schema: JsonSchema | bool, base: str) -> str:
        """Return the URI of a schema's resource: its own `$id`, or that of the schema around it."""
        members = members_of(schema)
        given = members.get(self._id)
        ignored = self._early and "$ref" in members
        if not isinstance(given, str) or given.startswith("#") or ignored:
            return base
        return _absolute(base, given)[0]

    def _prepare(self, schema: JsonSchema, outside: str) -> tuple[JsonSchema, str]:
        resource = self._within(schema, outside)
        return self._translated(schema, resource), resource

    def _translated(self, schema: JsonSchema, resource: str) -> JsonSchema:
        for keyword in sorted(DYNAMIC_REFERENCES & schema.keys()):
            if isinstance(schema[keyword], str):
                raise SchemaError(
                    f"`{keyword}` cannot be normalized: put its target into `$defs`, "
                    "and refer to it with `$ref`"
                )
        alone = self._early and isinstance(schema.get("$ref"), str)
        node = {
            keyword: value
            for keyword, value in schema.items()
            if keyword not in _GONE
            and not (keyword == self._id and isinstance(value, str))
            and not (alone and keyword in _ASSERTING)
        }
        if self._stated and node.get("enum") == []:
            del node["enum"]
            node["allOf"] = [*items_of(node.get("allOf")), False]
        if isinstance(reference := node.get("$ref"), str):
            node["$ref"] = self._reference(reference, resource)
        return node

    def _reference(self, reference: str, resource: str) -> str:
        """Return the reference to the definition of a target.

        One without a target is made absolute, or leads to a definition that does not exist.
        """
        if (target := self._find(reference, resource)) is not None:
            return reference_to(self._name(target, _name_of(reference)))
        if (name := defined_name(reference)) is not None:
            return reference_to(name)
        if not reference.startswith("#"):
            absolute = _absolute(resource, reference) if resource else ()
            return "#".join(filter(None, absolute)) or reference
        steps = steps_of(reference) or ("",)
        if steps[0] not in _HOLDING:
            return reference
        if len(steps) > 1 and steps[0] == "$defs" and steps[1] not in self._targets:
            return reference
        return reference_to(pointer_of(steps))

    def _find(self, reference: str, resource: str) -> _Target | None:
        uri, fragment = _absolute(resource, reference)
        root = self._resources.get(uri)
        if root is None:
            return None
        if fragment and not fragment.startswith("/"):
            anchored = self._anchors.get((uri, unquote(fragment)))
            return None if anchored is None else _Target(anchored, uri)
        value: JsonValue = root.schema
        for step in steps_of("#" + fragment) or ():
            if isinstance(value, dict) and step in value:
                value = value[str(step)]
            elif isinstance(value, list) and (index := array_index(step, len(value))) is not None:
                value = value[index]
            else:
                return None
            if isinstance(value, dict) and (within := self._within(value, uri)) in self._resources:
                uri = within
        return _Target(value, uri) if isinstance(value, dict | bool) else None

    def _name(self, target: _Target, wanted: str) -> str:
        """Return the name of the definition of a schema; add the definition if it is new."""
        key = (id(target.schema), target.resource)
        if key not in self._names:
            names = self._numbered.setdefault(wanted, numbered(wanted))
            taken = self._targets, self._dangling
            name = next(n for n in names if not any(n in each for each in taken))
            self._names[key] = name
            self._targets[name] = target
            self._queue.append(name)
        return self._names[key]


def _absolute(base: str, reference: str) -> tuple[str, str]:
    """Return the URI and the fragment of a reference (RFC 3986, 5.2)."""
    if reference.startswith("#"):
        return base, reference[1:]
    try:
        uri, fragment = urldefrag(urljoin(base, reference))
    except ValueError:
        return reference, ""
    return uri, fragment


def _name_of(reference: str) -> str:
    """Return the name for the definition of a reference's target."""
    path, _, fragment = reference.partition("#")
    steps = [str(step) for step in steps_of("#" + fragment) or (fragment,)]
    if steps[:2] == ["components", "schemas"]:
        del steps[:2]
    words = [step for step in steps if step not in SCHEMA_MAP] if fragment else []
    if not words:
        words = [path.rstrip("/").rpartition("/")[2].partition(".")[0]]
    safe = [_UNSAFE.sub("_", word).strip("_") for word in words]
    return "_".join(filter(None, safe)) or "root"
