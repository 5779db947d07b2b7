"""The whole of a document in one walk: copied as JSON, measured, and what it refers to."""

from collections.abc import Iterable, Mapping
from datetime import date, time
from gc import is_tracked
from math import isfinite
from typing import TypeAlias, TypeGuard, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.limits import Limits
from pyfunctools.schema.ground.path import Keys, pointer_of

_PlainData: TypeAlias = dict[str, "_PlainData"] | list["_PlainData"] | str | int | float | None
"""JSON as its reader makes it: no class of one's own."""


def survey(root: JsonObject, name: str, limits: Limits) -> frozenset[str]:
    """Return every text that stands under a `$ref`, having counted the nodes and the depth.

    A part that is shared (a YAML alias) counts each time it is met. Dicts and lists are all that is
    gone into: `plain` has seen to it that there is nothing else.

    Raises:
        DocumentError: there are more nodes or levels than `limits` allow.
    """
    references: set[str] = set()
    most = limits.document_nodes
    nodes = 1

    # Recursion takes half the time of a list of what is left to do, and goes no deeper than the
    # limit allows.
    def into(values: Iterable[_PlainData], levels: int) -> None:
        nonlocal nodes
        for value in values:
            if type(value) is dict:
                nodes += len(value)
                if "$ref" in value:
                    reference = value["$ref"]
                    if isinstance(reference, str):
                        references.add(reference)
                if not levels:
                    raise too_deep(name, limits)
                # What the garbage collector does not track holds no object and no array, and most
                # do not: then each of the values need not be fetched from memory.
                if is_tracked(value):
                    into(value.values(), levels - 1)
            elif type(value) is list:
                nodes += len(value)
                if not levels:
                    raise too_deep(name, limits)
                into(value, levels - 1)
        if nodes > most:
            raise too_many_nodes(name, limits)

    try:
        into([cast("_PlainData", root)], limits.document_depth)
    except RecursionError:
        raise too_deep(name, limits) from None
    return frozenset(references)


def too_many_nodes(name: str, limits: Limits) -> DocumentError:
    """Return the refusal of a document of too many nodes."""
    return DocumentError(
        name,
        f"This has more than {limits.document_nodes} nodes, aliases counted each time.",
        remedy="Raise `Limits(document_nodes=...)` if you trust it.",
    )


def too_deep(name: str, limits: Limits) -> DocumentError:
    """Return the refusal of a document of too many levels."""
    return DocumentError(name, f"This is nested more than {limits.document_depth} deep.")


_SCALARS = frozenset({str, int, bool, type(None)})


def plain(root: Mapping[str, object], name: str, limits: Limits) -> JsonObject:
    """Return a mapping as JSON: itself where it is that already, else a copy.

    In the copy keys are text (`200` is `"200"`), other mappings `dict`, tuples `list`, and dates
    the text that a YAML reader made them of.

    Raises:
        DocumentError: there is something in it that JSON has no word for, or it is too large or
            too deep (it holds itself, say).
    """
    nodes, is_json = 1, True
    level: list[object] = [root]
    for _ in range(limits.document_depth):
        below: list[object] = []
        for container in level:
            is_json = is_json and _is_json(container)
            for value in _values(container):
                nodes += 1
                if _is_mapping(value) or _is_sequence(value):
                    below.append(value)
                elif is_json:
                    is_json = type(value) in _SCALARS or _is_finite(value)
        if nodes > limits.document_nodes:
            raise too_many_nodes(name, limits)
        if not below:
            return cast("JsonObject", root) if is_json else _copy(root, name)
        level = below
    raise too_deep(name, limits)


def _copy(root: Mapping[str, object], name: str) -> JsonObject:
    result: dict[str, JsonValue] = {}
    queue: list[tuple[object, dict[str, JsonValue] | list[JsonValue], Keys]] = [(root, result, ())]
    for source, target, keys in queue:
        pairs = source.items() if _is_mapping(source) else enumerate(_values(source))
        for key, value in pairs:
            step = _key(key, name, keys) if isinstance(target, dict) else len(target)
            made: JsonValue
            if _is_mapping(value):
                made = {}
                queue.append((value, made, (*keys, step)))
            elif _is_sequence(value):
                made = []
                queue.append((value, made, (*keys, step)))
            else:
                made = _scalar(value, name, (*keys, step))
            if isinstance(target, list):
                target.append(made)
            else:
                target[str(step)] = made
    return result


def _scalar(value: object, name: str, keys: Keys) -> JsonValue:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value)
    if _is_finite(value):
        return float(value)
    if isinstance(value, date | time):
        return value.isoformat()
    raise DocumentError(
        name, f"A {type(value).__name__} is not a JSON value.", pointer=pointer_of(keys)
    )


def _key(key: object, name: str, keys: Keys) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    if key is None:
        return "null"
    if isinstance(key, str | int | float | date):
        return str(key)
    raise DocumentError(
        name, f"A {type(key).__name__} cannot be a key of a JSON object.", pointer=pointer_of(keys)
    )


def _is_json(container: object) -> bool:
    if not _is_mapping(container):
        return type(container) is list
    keys = tuple(container)
    return type(container) is dict and all(type(key) is str for key in keys)


def _values(container: object) -> Iterable[object]:
    if _is_mapping(container):
        return container.values()
    return container if _is_sequence(container) else ()


def _is_mapping(value: object) -> TypeGuard[Mapping[object, object]]:
    return isinstance(value, Mapping)


def _is_sequence(value: object) -> TypeGuard[list[object] | tuple[object, ...]]:
    return isinstance(value, list | tuple)


def _is_finite(value: object) -> TypeGuard[float]:
    return isinstance(value, float) and isfinite(value)
