"""A mapping that somebody hands in, as JSON."""

from collections.abc import Iterable, Mapping
from datetime import date, time
from math import isfinite
from typing import TypeGuard, cast

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.limits import Limits
from pyfunctools.schema.ground.path import Keys, pointer_of
from pyfunctools.sources.openapi.survey import too_deep, too_many_nodes

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
        name, f"A {type(value).__name__} is no JSON value.", pointer=pointer_of(keys)
    )


def _key(key: object, name: str, keys: Keys) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    if key is None:
        return "null"
    if isinstance(key, str | int | float | date):
        return str(key)
    raise DocumentError(
        name, f"A {type(key).__name__} is no key of a JSON object.", pointer=pointer_of(keys)
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
