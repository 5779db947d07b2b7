"""Path templates: `/users/{id}`, and `/users/:id`, which means the same."""

import re
from functools import lru_cache
from typing import NamedTuple

_SEGMENT = re.compile(r"(?:\{[^{}]*\}|[^/?#])+")
_SLASH_INSIDE = re.compile(r"\{[^{}]*/")
_EXPRESSION = re.compile(r"\{([^{}]*)\}|^:([A-Za-z_][A-Za-z0-9_]*)", re.ASCII)

OPERATORS = "+#./;*"
"""What RFC 6570 puts around a name in a template; some documents do."""


class Template(NamedTuple):
    """What a path says: the segments that are fixed, the parameters' names, what is beside them."""

    fixed: tuple[str, ...]
    names: tuple[str, ...]
    beside: tuple[str, ...]


@lru_cache(maxsize=4096)
def template_of(path: str) -> Template:
    """Split a template; empty segments count for nothing.

    A query or a fragment that somebody wrote into the path makes segments more. `{?a,b}` and
    `{&a,b}` of RFC 6570 name query parameters, which are declared on their own, and count for
    nothing.
    """
    fixed: list[str] = []
    names: list[str] = []
    beside: list[str] = []
    is_plain = "?" not in path and "#" not in path and not _SLASH_INSIDE.search(path)
    for segment in path.split("/") if is_plain else _SEGMENT.findall(path):
        if "{" not in segment and segment[:1] != ":":
            if segment:
                fixed.append(segment)
        elif (
            segment[0] == "{" and segment.find("}") == len(segment) - 1 and segment[1] not in "?&}"
        ):
            names.append(segment[1:-1])  # nearly always
        else:
            found = [braced or colon for braced, colon in _EXPRESSION.findall(segment)]
            found = [name for name in found if name[:1] not in ("?", "&")]
            rest = _EXPRESSION.sub("", segment)
            names += found
            if rest:
                (beside if found else fixed).append(rest)
    return Template(tuple(fixed), tuple(names), tuple(beside))


def template_names(path: str) -> list[str]:
    """Return the names of the parameters in a template, in their order, each once.

    Nothing behind a `#` is sent, and so there are none.
    """
    return list(dict.fromkeys(template_of(path.partition("#")[0] if "#" in path else path).names))
