"""Path templates: `/users/{id}`, and `/users/:id`, which means the same."""

import re
from typing import NamedTuple

_SEGMENT = re.compile(r"(?:\{[^{}]*\}|[^/?#])+")
_BRACES = re.compile(r"\{([^{}]*)\}")
_SLASH_INSIDE = re.compile(r"\{[^{}]*/")
_EXPRESSION = re.compile(r"\{([^{}]*)\}|^:([A-Za-z_][A-Za-z0-9_]*)", re.ASCII)

OPERATORS = "+#./;*"
"""What RFC 6570 puts around a name in a template; some documents do."""


class Template(NamedTuple):
    """What a path says: the segments that are fixed, the parameters' names, what is beside them."""

    fixed: list[str]
    names: list[str]
    beside: list[str]


def template_of(path: str) -> Template:
    """Take a template apart; empty segments count for nothing.

    A query or a fragment that somebody wrote into the path makes segments more. `{?a,b}` and
    `{&a,b}` of RFC 6570 name query parameters, which are declared on their own, and count for
    nothing.
    """
    template = Template([], [], [])
    is_plain = "?" not in path and "#" not in path and not _SLASH_INSIDE.search(path)
    for segment in path.split("/") if is_plain else _SEGMENT.findall(path):
        if "{" not in segment and segment[:1] != ":":
            if segment:
                template.fixed.append(segment)
            continue
        if segment[0] == "{" and segment.find("}") == len(segment) - 1 and segment[1] not in "?&}":
            template.names.append(segment[1:-1])  # nearly always
            continue
        found = [braced or colon for braced, colon in _EXPRESSION.findall(segment)]
        names = [name for name in found if name[:1] not in ("?", "&")]
        template.names.extend(names)
        beside = _EXPRESSION.sub("", segment)
        if beside:
            (template.beside if names else template.fixed).append(beside)
    return template


def template_names(path: str) -> list[str]:
    """Give the names of the parameters in a template, in their order, each once.

    Nothing behind a `#` is sent, and so there are none.
    """
    path = path.partition("#")[0]
    if "{" not in path and "/:" not in path:
        return []
    if "?" not in path and "/:" not in path:
        return list(dict.fromkeys(_BRACES.findall(path)))
    return list(dict.fromkeys(template_of(path).names))
