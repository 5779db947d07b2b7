"""One walk over a whole document: how large it is, how deep, and what it refers to."""

from collections.abc import Iterable
from gc import is_tracked
from typing import TypeAlias, cast

from pyfunctools._json import JsonObject
from pyfunctools.errors import DocumentError
from pyfunctools.limits import Limits

_Plain: TypeAlias = dict[str, "_Plain"] | list["_Plain"] | str | int | float | None
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
    def into(values: Iterable[_Plain], levels: int) -> None:
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
        into([cast("_Plain", root)], limits.document_depth)
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
