"""The targets of the references in a schema."""

from typing import Any
from urllib.parse import unquote


def references(schema: Any) -> set[str]:
    """Return the targets of each `$ref` and each mapping of a discriminator, as pointers."""
    found: set[str] = set()
    stack = [schema]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            mapping = one.get("mapping") if isinstance(one.get("propertyName"), str) else None
            pointed = [one.get("$ref"), *(mapping.values() if isinstance(mapping, dict) else ())]
            found |= {_plain(each) for each in pointed if isinstance(each, str)}
            stack.extend(one.values())
        elif isinstance(one, list):
            stack.extend(one)
    return found


def _plain(pointer: str) -> str:
    return unquote(pointer).replace("~1", "/").replace("~0", "~")
