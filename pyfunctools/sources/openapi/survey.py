"""One walk over a whole document: how large it is, how deep, and what it refers to."""

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.errors import DocumentError
from pyfunctools.limits import Limits


def survey(root: JsonObject, name: str, limits: Limits) -> frozenset[str]:
    """Give every text that stands under a `$ref`, having counted the nodes and the depth.

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
    def into_object(container: JsonObject, levels: int) -> None:
        nonlocal nodes
        nodes += len(container)
        if levels < 0 or nodes > most:
            raise too_deep(name, limits) if levels < 0 else too_many_nodes(name, limits)
        if "$ref" in container:
            reference = container["$ref"]
            if isinstance(reference, str):
                references.add(reference)
        for value in container.values():
            if isinstance(value, dict):
                into_object(value, levels - 1)
            elif isinstance(value, list):
                into_array(value, levels - 1)

    def into_array(container: list[JsonValue], levels: int) -> None:
        nonlocal nodes
        nodes += len(container)
        if levels < 0 or nodes > most:
            raise too_deep(name, limits) if levels < 0 else too_many_nodes(name, limits)
        for value in container:
            if isinstance(value, dict):
                into_object(value, levels - 1)
            elif isinstance(value, list):
                into_array(value, levels - 1)

    try:
        into_object(root, limits.document_depth - 1)
    except RecursionError:
        raise too_deep(name, limits) from None
    return frozenset(references)


def too_many_nodes(name: str, limits: Limits) -> DocumentError:
    """Give the refusal of a document of too many nodes."""
    return DocumentError(
        name,
        f"This has more than {limits.document_nodes} nodes, aliases counted each time.",
        remedy="Raise `Limits(document_nodes=...)` if you trust it.",
    )


def too_deep(name: str, limits: Limits) -> DocumentError:
    """Give the refusal of a document of too many levels."""
    return DocumentError(name, f"This is nested more than {limits.document_depth} deep.")
