"""The keys of plain data that a TypedDict does not declare: pydantic accepts them."""

import types
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from typing_extensions import (
    NotRequired,
    ReadOnly,
    Required,
    TypeAliasType,
    get_type_hints,
    is_typeddict,
)


def unknown_keys(value: Any, hint: Any, path: str = "") -> Iterator[str]:
    """Yield the path of each key, and of each literal, that a hint does not declare."""
    yield from min((list(found) for found in _readings(value, hint, path)), key=len, default=[])


def _readings(value: Any, hint: Any, path: str) -> Iterator[Iterator[str]]:
    origin, inner = get_origin(hint), get_args(hint)
    if isinstance(hint, TypeAliasType):
        yield from _readings(value, hint.__value__, path)
    elif origin in (Annotated, Required, NotRequired, ReadOnly):
        yield from _readings(value, inner[0], path)
    elif origin in (Union, types.UnionType):
        for each in inner:
            yield from _readings(value, each, path)
    elif is_typeddict(hint):
        if isinstance(value, dict):
            yield _of_typed_dict(value, hint, path)
    elif origin is Literal:
        yield iter(() if value in inner else (f"{path}={value!r}",))
    elif isinstance(value, list):
        if inner and origin is not dict:
            yield (
                key
                for n, each in enumerate(value)
                for key in unknown_keys(each, inner[0], f"{path}[{n}]")
            )
    elif not isinstance(value, dict) or hint in (object, Any) or origin is not None:
        yield iter(())


@cache
def _hints(hint: Any) -> dict[str, Any]:
    return get_type_hints(hint, include_extras=True)


def _of_typed_dict(value: dict[str, Any], hint: Any, path: str) -> Iterator[str]:
    hints = _hints(hint)
    for key, inner in value.items():
        if key not in hints:
            yield f"{path}.{key}"
        else:
            yield from unknown_keys(inner, hints[key], f"{path}.{key}")
