"""One walk over a whole document: its size, its depth and its references; and mappings as JSON."""

from collections.abc import Iterable, Mapping
from datetime import date, time
from gc import is_tracked
from json import dumps
from math import isfinite
from typing import TypeAlias, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.limits import Limits
from pyfunctools.schema.ground.path import pointer_of

_ParsedJson: TypeAlias = dict[str, "_ParsedJson"] | list["_ParsedJson"] | str | int | float | None
"""JSON as `json.loads` makes it: built-in classes only."""


def survey(root: JsonObject, name: str, limits: Limits) -> frozenset[str]:
    """Return the value of every `$ref` in a document, and check its size and depth.

    A part that is shared (a YAML alias) counts each time it is met.
    """
    references: set[str] = set()
    most = limits.document_nodes
    nodes = 1

    # Recursion is twice as fast as a work list, and goes no deeper than the limit.
    def visit(values: Iterable[_ParsedJson], levels: int) -> None:
        nonlocal nodes
        for value in values:
            if type(value) is dict:
                nodes += len(value)
                if "$ref" in value:
                    reference = value["$ref"]
                    if isinstance(reference, str):
                        references.add(reference)
                if not levels:
                    raise too_many_levels(name, limits)
                # The garbage collector does not track a dict without containers, which most are.
                # Such a dict need not be entered.
                if is_tracked(value):
                    visit(value.values(), levels - 1)
            elif type(value) is list:
                nodes += len(value)
                if not levels:
                    raise too_many_levels(name, limits)
                visit(value, levels - 1)
        if nodes > most:
            raise too_many_nodes(name, limits)

    try:
        visit([cast("_ParsedJson", root)], limits.document_depth)
    except RecursionError:
        raise too_many_levels(name, limits) from None
    return frozenset(references)


def too_many_nodes(name: str, limits: Limits) -> DocumentError:
    """Return the error for a document of too many nodes."""
    return DocumentError(
        name,
        f"This has more than {limits.document_nodes} nodes, aliases counted each time.",
        remedy="Raise `Limits(document_nodes=...)` if you trust it.",
    )


def too_many_levels(name: str, limits: Limits) -> DocumentError:
    """Return the error for a document that is nested too deep."""
    return DocumentError(name, f"This is nested more than {limits.document_depth} deep.")


def mapping_as_json(root: Mapping[str, object], name: str, limits: Limits) -> JsonObject:
    """Return a mapping as JSON: itself if it is JSON already, else a copy.

    In the copy keys are text (`200` is `"200"`), other mappings are `dict`, tuples are `list`, and
    dates are text again, as they stood in the YAML file.
    """
    if _is_json(root):
        return cast("JsonObject", root)
    try:
        return cast("JsonObject", _Copier(name, limits).copy(root))
    except RecursionError:
        raise too_many_levels(name, limits) from None


_ATOMS = frozenset({str, int, float, bool, type(None)})
_EXACT = _ATOMS | {dict, list}


def _is_json(root: object) -> bool:
    """Return whether a value is JSON of the built-in classes, of any size and depth."""
    if type(root) is not dict:
        return False
    todo: list[object] = [root]
    seen = set[int]()
    for container in todo:  # grows while it is read
        held, place = cast("list[object]", container), id(container)
        if type(container) is dict:
            members = cast("dict[object, object]", container)
            if {*map(type, members)} - {str}:
                return False
            held = cast("list[object]", members.values())
        kinds = {*map(type, held)}
        if not kinds <= _EXACT:
            return False
        if float in kinds and not all(isfinite(v) for v in held if type(v) is float):
            return False
        if not kinds <= _ATOMS and place not in seen:
            seen.add(place)  # once: it may contain itself
            todo += [value for value in held if type(value) is dict or type(value) is list]
    return True


class _Copier:
    """A copier of Python objects as JSON."""

    def __init__(self, name: str, limits: Limits) -> None:
        self._name = name
        self._limits = limits
        self._nodes = 1

    def copy(self, value: object, *keys: str) -> JsonValue:
        if isinstance(value, Mapping):
            members = cast("Mapping[object, object]", value)
            self._count(len(members), keys)
            named = ((self._key(key, keys), inner) for key, inner in members.items())
            return {name: self.copy(inner, *keys, name) for name, inner in named}
        if isinstance(value, list | tuple):
            items = cast("list[object]", value)
            self._count(len(items), keys)
            return [self.copy(inner, *keys, str(index)) for index, inner in enumerate(items)]
        if isinstance(value, bool) or value is None:
            return value
        for kind in (str, int, float):
            if isinstance(value, kind) and (kind is not float or isfinite(cast("float", value))):
                return kind(value)
        if isinstance(value, date | time):
            return value.isoformat()
        raise self._error(f"A {type(value).__name__} is not a JSON value.", keys)

    def _count(self, nodes: int, keys: tuple[str, ...]) -> None:
        if len(keys) >= self._limits.document_depth:
            raise too_many_levels(self._name, self._limits)
        self._nodes += nodes
        if self._nodes > self._limits.document_nodes:
            raise too_many_nodes(self._name, self._limits)

    def _key(self, key: object, keys: tuple[str, ...]) -> str:
        if isinstance(key, bool) or key is None:
            return dumps(key)
        if isinstance(key, str | int | float | date):
            return str(key)
        raise self._error(f"A {type(key).__name__} cannot be a key of a JSON object.", keys)

    def _error(self, reason: str, keys: tuple[str, ...]) -> DocumentError:
        return DocumentError(self._name, reason, pointer=pointer_of(keys))
