"""The names of functions: from the path by the accessor rule, from `operationId`, or the caller's.

A name is a matter of its own operation. Only operations that would share one name look at each
other: the one whose path spells that name plainly keeps it, the others end in a hash of their own
method and path. In a path `/users/{id}` and `/users/:id` mean the same.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Literal, NamedTuple, TypeAlias, cast

from pyfunctools._json import JsonValue
from pyfunctools.errors import DefinitionError
from pyfunctools.route import Route

_SEGMENT = re.compile(r"(?:\{[^{}]*\}|[^/?#])+")
_EXPRESSION = re.compile(r"\{([^{}]*)\}|^:([A-Za-z_][A-Za-z0-9_]*)", re.ASCII)

OPERATORS = "+#./;*"
"""What RFC 6570 puts around a name in a template; some documents do."""


class NamedPath(NamedTuple):
    """A path taken apart: its fixed segments, its parameters, the text beside them."""

    fixed: tuple[str, ...]
    names: tuple[str, ...]
    beside: tuple[str, ...]


@lru_cache(maxsize=4096)
def template_of(path: str) -> NamedPath:
    """Split a template; empty segments count for nothing.

    A query or a fragment that somebody wrote into the path makes segments more. `{?a,b}` and
    `{&a,b}` of RFC 6570 name query parameters, which are declared on their own, and count for
    nothing.
    """
    fixed: list[str] = []
    names: list[str] = []
    beside: list[str] = []
    for segment in _SEGMENT.findall(path):
        if "{" not in segment and segment[0] != ":":
            fixed.append(segment)
            continue
        found = [braced or colon for braced, colon in _EXPRESSION.findall(segment)]
        found = [name for name in found if name[:1] not in ("?", "&")]
        rest = _EXPRESSION.sub("", segment)
        names += found
        if rest:
            (beside if found else fixed).append(rest)
    return NamedPath(tuple(fixed), tuple(names), tuple(beside))


def template_names(path: str) -> list[str]:
    """Return the names of the parameters in a template, in their order, each once.

    Nothing behind a `#` is sent, and so there are none.
    """
    return list(dict.fromkeys(template_of(path.partition("#")[0] if "#" in path else path).names))


Naming: TypeAlias = Literal["accessor", "operation_id"] | Callable[[Route], str]
"""How functions are named."""

LENGTH = 64
"""The characters of a name."""

_HASH = 8
_OUTSIDE = re.compile(r"[^A-Za-z0-9_]", re.ASCII)
_OUTSIDE_OF_ID = re.compile(r"[^A-Za-z0-9_-]", re.ASCII)


class Candidate(NamedTuple):
    """The name an operation would have if it were alone.

    `exact` says that it is spelled as the document spells it; `longer` tells more, for where that
    is needed to tell two apart.
    """

    name: str
    exact: bool
    longer: str | None = None


def name_all(routes: Sequence[Route], names: Naming = "accessor") -> list[str]:
    """Return the routes their names: unique, at most 64 characters, and always the same ones.

    Raises:
        DefinitionError: `names` is a function, and raised or gave something other than a text.
    """
    candidates = [candidate(route, names) for route in routes]
    groups: dict[str, list[int]] = {}
    for index, (name, _, _) in enumerate(candidates):
        groups.setdefault(name, []).append(index)
    if len(groups) == len(candidates):
        return list(groups)
    result = [name for name, _, _ in candidates]
    taken = set(groups)
    losers: dict[str, list[int]] = {}
    for group in groups.values():
        for index in _losers(group, candidates):
            losers.setdefault(candidates[index].longer or "", []).append(index)
    for longer, indices in losers.items():
        alone = len(indices) == 1 and longer and longer not in taken
        for index in indices:
            result[index] = longer if alone else _hashed(result[index], routes[index], taken)
            taken.add(result[index])
    return result


def candidate(route: Route, names: Naming) -> Candidate:
    """Return the name of one route as if there were no other.

    Raises:
        DefinitionError: `names` is a function, and raised or gave something other than a text.
    """
    if callable(names):
        return _plain(_called(names, route), route)
    if names == "operation_id":
        identifier = route.operation.get("operationId")
        if isinstance(identifier, str) and identifier:
            return _plain(identifier, route)
    own: JsonValue = route.operation.get("x-samchon-accessor")
    parts = own.split(".") if isinstance(own, str) else own
    if isinstance(parts, list) and parts and all(isinstance(p, str) and p for p in parts):
        words = [str(part) for part in parts]
        return _joined(words, route)
    return _accessor(route)


def _accessor(route: Route) -> Candidate:
    method = route.method.lower()
    last = "erase" if method == "delete" else method
    fixed, names, beside = template_of(route.path)
    if names:
        raised = [name[:1].upper() + name[1:] for name in [n.strip(OPERATORS) for n in names]]
        last += "By" + "And".join(raised)
    found = _joined([*fixed, last], route)
    if not beside:
        trimmed = len(route.path) > 1 and (route.path[-1] == "/" or "//" in route.path)
        return found._replace(exact=False) if trimmed else found
    tail = "_".join(_OUTSIDE.sub("_", rest).strip("_") for rest in beside).strip("_")
    longer = f"{found.name}_{tail}"
    return Candidate(found.name, False, longer if tail and len(longer) <= LENGTH else None)


def _joined(parts: list[str], route: Route) -> Candidate:
    plainly = "_".join(parts)
    name = _begun(_OUTSIDE.sub("_", plainly))
    if len(name) <= LENGTH:
        return Candidate(name, name == plainly)
    # Of so long a name only the end is kept: no more of it than that is gone through.
    spaces = [part[-2 * LENGTH :] for part in parts[-LENGTH - 2 : -1]]
    parts = [_OUTSIDE.sub("_", part) for part in (*spaces, parts[-1])]
    while len(parts) > 1 and len(name) > LENGTH:
        # The last namespace goes word by word: what a name is about stands at its end.
        head, _, tail = parts[0].lstrip("_").partition("_")
        parts = [tail, *parts[1:]] if len(parts) == 2 and head and tail else parts[1:]
        name = _begun("_".join(parts))
    if len(name) > LENGTH:
        name = _ended(name, route, _HASH)
    return Candidate(name, False)


def _plain(text: str, route: Route) -> Candidate:
    name = _begun(_OUTSIDE_OF_ID.sub("_", text))
    if len(name) > LENGTH:
        name = _ended(name, route, _HASH)
    return Candidate(name, name == text)


def _losers(group: list[int], candidates: Sequence[Candidate]) -> list[int]:
    if len(group) == 1:
        return []
    exact = [index for index in group if candidates[index].exact]
    return [index for index in group if index not in exact] if len(exact) == 1 else group


def _hashed(name: str, route: Route, taken: set[str]) -> str:
    length = _HASH
    while (made := _ended(name, route, length)) in taken and length < 2 * LENGTH:
        length += _HASH
    return made


def _ended(name: str, route: Route, length: int) -> str:
    digest = blake2b(f"{route.method} {route.path}".encode(errors="surrogatepass")).hexdigest()
    tail = "_" + digest[: min(length, LENGTH - 1)]
    return name[: LENGTH - len(tail)] + tail


def _begun(name: str) -> str:
    return name if name and not name[0].isdigit() and name[0] != "-" else "_" + name


def _called(names: Callable[[Route], str], route: Route) -> str:
    where = f"{route.method} {route.path}"
    try:
        given = cast("object", names(route))
    except Exception as error:  # the caller's code may raise anything
        raise DefinitionError(where, f"`names` raised {type(error).__name__}: {error}.") from error
    if not isinstance(given, str) or not given:
        raise DefinitionError(where, f"`names` gave {given!r}.", "Give a text for every route.")
    return given
