"""The names of functions: by the accessor rule, by `operationId`, or by a function of the caller.

`GET /users/{id}` is `users_getById`. A name depends only on its operation, unless several would
share it: then the only name without replaced characters is kept, and the others get a longer name
or a hash of method and path. In a path, `{id}` and `:id` mean the same.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Literal, NamedTuple, TypeAlias, cast

from pyfunctools._json import items_of
from pyfunctools.errors import DefinitionError
from pyfunctools.record.origin import origin_text
from pyfunctools.route import SLOT, Route, slot_name

_SEGMENT = re.compile(rf"(?:{SLOT}|[^/?#])+")
_EXPRESSION = re.compile(rf"({SLOT})|^:([A-Za-z_][A-Za-z0-9_]*)", re.ASCII)


class SplitPath(NamedTuple):
    """The fixed segments of a path, its parameters, and the text beside parameters (`v{n}`)."""

    fixed: tuple[str, ...]
    names: tuple[str, ...]
    beside: tuple[str, ...]


@lru_cache(maxsize=4096)
def split_path(path: str) -> SplitPath:
    """Split a path template; empty segments are left out.

    A query or a fragment in the path makes further segments. `{?a,b}` and `{&a,b}` (RFC 6570) are
    left out: query parameters are declared on their own.
    """
    fixed: list[str] = []
    names: list[str] = []
    beside: list[str] = []
    for segment in _SEGMENT.findall(path):
        if "{" not in segment and segment[0] != ":":
            fixed.append(segment)
            continue
        found = [braced[1:-1] or colon for braced, colon in _EXPRESSION.findall(segment)]
        found = [name for name in found if name[:1] not in ("?", "&")]
        rest = _EXPRESSION.sub("", segment)
        names += found
        if rest:
            (beside if found else fixed).append(rest)
    return SplitPath(tuple(fixed), tuple(names), tuple(beside))


def path_parameters(path: str) -> list[str]:
    """Return the names of the parameters in a path, in order, each once; `#` ends the path."""
    return list(dict.fromkeys(split_path(path.partition("#")[0]).names))


Naming: TypeAlias = Literal["accessor", "operation_id"] | Callable[[Route], str]
"""The rule for names, or a function that returns the name for a route."""

LENGTH = 64
"""The most characters of a name."""

_HASH = 8
_INVALID = re.compile(r"[^A-Za-z0-9_]", re.ASCII)
_INVALID_IN_ID = re.compile(r"[^A-Za-z0-9_-]", re.ASCII)


class Candidate(NamedTuple):
    """The preferred name of an operation.

    It is `exact` if nothing in it was replaced. `longer` is for a `name` of several operations.
    """

    name: str
    exact: bool
    longer: str | None = None


def name_all(routes: Sequence[Route], names: Naming = "accessor") -> list[str]:
    """Return the names of the routes: unique, at most 64 characters, the same in every run.

    Raises:
        DefinitionError: `names` is a function, and raised or did not return a text.
    """
    candidates = [_candidate(route, names) for route in routes]
    groups: dict[str, list[int]] = {}
    for index, (name, _, _) in enumerate(candidates):
        groups.setdefault(name, []).append(index)
    result = [name for name, _, _ in candidates]
    taken = set(groups)
    losers: dict[str, list[int]] = {}
    for group in groups.values():
        for index in _losers(group, candidates):
            losers.setdefault(candidates[index].longer or "", []).append(index)
    for longer, indices in losers.items():
        is_free = len(indices) == 1 and longer and longer not in taken
        for index in indices:
            result[index] = longer if is_free else _unique(result[index], routes[index], taken)
            taken.add(result[index])
    return result


def _candidate(route: Route, names: Naming) -> Candidate:
    text = _called(names, route) if callable(names) else None
    if text is None and names == "operation_id":
        text = route.operation_id
    if text is not None:
        name = _bounded(_started(_INVALID_IN_ID.sub("_", text)), route)
        return Candidate(name, name == text)
    accessor = route.operation.get("x-samchon-accessor")
    parts = accessor.split(".") if isinstance(accessor, str) else items_of(accessor)
    texts = [part for part in parts if isinstance(part, str) and part]
    return _joined(texts, route) if texts and len(texts) == len(parts) else _from_path(route)


def _from_path(route: Route) -> Candidate:
    """Return the accessor of a route: `GET /users/{id}/posts` is `users_posts_getById`."""
    method = route.method.lower()
    last = "erase" if method == "delete" else method
    fixed, names, beside = split_path(route.path)
    if names:
        stripped = [slot_name(name) for name in names]
        last += "By" + "And".join([name[:1].upper() + name[1:] for name in stripped])
    found = _joined([*fixed, last], route)
    if not beside:
        has_empty = len(route.path) > 1 and (route.path[-1] == "/" or "//" in route.path)
        return found._replace(exact=False) if has_empty else found
    tail = "_".join(_INVALID.sub("_", rest).strip("_") for rest in beside).strip("_")
    longer = f"{found.name}_{tail}"
    return Candidate(found.name, False, longer if tail and len(longer) <= LENGTH else None)


def _joined(parts: list[str], route: Route) -> Candidate:
    text = "_".join(parts)
    name = _started(_INVALID.sub("_", text))
    if len(name) <= LENGTH:
        return Candidate(name, name == text)
    # Only the end of a long name is kept, so only the end is processed.
    namespaces = [part[-2 * LENGTH :] for part in parts[-LENGTH - 2 : -1]]
    parts = [_INVALID.sub("_", part) for part in (*namespaces, parts[-1])]
    while len(parts) > 1 and len(name) > LENGTH:
        # The last namespace is shortened word by word, from its beginning.
        head, _, tail = parts[0].lstrip("_").partition("_")
        parts = [tail, *parts[1:]] if len(parts) == 2 and head and tail else parts[1:]
        name = _started("_".join(parts))
    return Candidate(_bounded(name, route), False)


def _losers(group: list[int], candidates: Sequence[Candidate]) -> list[int]:
    if len(group) == 1:
        return []
    exact = [index for index in group if candidates[index].exact]
    return [index for index in group if index not in exact] if len(exact) == 1 else group


def _unique(name: str, route: Route, taken: set[str]) -> str:
    length = _HASH
    while (unique := _with_hash(name, route, length)) in taken and length < 2 * LENGTH:
        length += _HASH
    return unique


def _bounded(name: str, route: Route) -> str:
    return name if len(name) <= LENGTH else _with_hash(name, route, _HASH)


def _with_hash(name: str, route: Route, length: int) -> str:
    digest = blake2b(origin_text(route).encode(errors="surrogatepass")).hexdigest()
    tail = "_" + digest[: min(length, LENGTH - 1)]
    return name[: LENGTH - len(tail)] + tail


def _started(name: str) -> str:
    """Return a name that starts with a letter or an underscore."""
    return name if name and not name[0].isdigit() and name[0] != "-" else "_" + name


def _called(names: Callable[[Route], str], route: Route) -> str:
    where, remedy = origin_text(route), "Return a text for every route."
    try:
        name = cast("object", names(route))
    except Exception as error:  # the caller's code may raise anything
        reason = f"`names` raised {type(error).__name__}: {error}."
        raise DefinitionError(where, reason, remedy) from error
    if isinstance(name, str) and name:
        return name
    raise DefinitionError(where, f"`names` returned {name!r}.", remedy)
