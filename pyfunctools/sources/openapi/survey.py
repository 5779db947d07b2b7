"""One walk over a whole document: its size, its depth and its references; and mappings as JSON."""

from collections.abc import Iterable, Mapping
from datetime import date, time
from gc import is_tracked
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

    Raises:
        DocumentError: there are more nodes or levels than `limits` allow.
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

    Raises:
        DocumentError: a value has no form in JSON, or the mapping is too large or too deep (for
            example, it contains itself).
    """
    copier = _Copier(name, limits)
    try:
        copy = copier.copy(root)
    except RecursionError:
        raise too_many_levels(name, limits) from None
    return cast("JsonObject", copy if copier.differs else root)


_SCALARS = frozenset({str, int, bool, type(None)})


class _Copier:
    """A copier of Python objects as JSON; `differs` is true once something was converted."""

    def __init__(self, name: str, limits: Limits) -> None:
        self.differs = False
        self._name = name
        self._limits = limits
        self._nodes = 1
        self._path: list[str | int] = []

    def copy(self, value: object) -> JsonValue:
        if isinstance(value, Mapping):
            members = cast("Mapping[object, object]", value)
            self._enter(members, dict)
            made: dict[str, JsonValue] = {}
            for key, inner in members.items():
                self._path[-1] = name = key if type(key) is str else self._key(key)
                made[name] = inner if type(inner) in _SCALARS else self.copy(inner)  # pyright: ignore[reportArgumentType]
            self._path.pop()
            return made
        if isinstance(value, list | tuple):
            items = cast("list[object]", value)
            self._enter(items, list)
            copies: list[JsonValue] = []
            for self._path[-1], inner in enumerate(items):
                copies.append(inner if type(inner) in _SCALARS else self.copy(inner))  # pyright: ignore[reportArgumentType]
            self._path.pop()
            return copies
        return self._scalar(value)

    def _enter(self, container: Mapping[object, object] | list[object], exact: type) -> None:
        if len(self._path) >= self._limits.document_depth:
            raise too_many_levels(self._name, self._limits)
        self._nodes += len(container)
        if self._nodes > self._limits.document_nodes:
            raise too_many_nodes(self._name, self._limits)
        self.differs = self.differs or type(container) is not exact
        self._path.append("")

    def _key(self, key: object) -> str:
        self.differs = True
        if isinstance(key, bool):
            return "true" if key else "false"
        if key is None:
            return "null"
        if isinstance(key, str | int | float | date):
            return str(key)
        kind = type(key).__name__
        raise self._error(f"A {kind} cannot be a key of a JSON object.", *self._path[:-1])

    def _scalar(self, value: object) -> JsonValue:
        self.differs = self.differs or type(value) is not float
        if isinstance(value, str):
            return str(value)
        if isinstance(value, int):
            return int(value)
        if isinstance(value, float) and isfinite(value):
            return float(value)
        if isinstance(value, date | time):
            return value.isoformat()
        raise self._error(f"A {type(value).__name__} is not a JSON value.", *self._path)

    def _error(self, reason: str, *keys: str | int) -> DocumentError:
        return DocumentError(self._name, reason, pointer=pointer_of(keys))
