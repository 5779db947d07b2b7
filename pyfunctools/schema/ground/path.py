"""The place of a value: `$input.items[0].name`."""

import re
from collections.abc import Iterable
from typing import TypeAlias

from pyfunctools._json import JsonValue

Keys: TypeAlias = tuple[str | int, ...]
"""The steps from the root: names of properties and indexes of items."""

ROOT = "$input"
"""The beginning of every path in arguments."""
OUTPUT = "$output"
"""The beginning of every path in what a function returned."""

_STEP = re.compile(
    r'\.([A-Za-z_$][A-Za-z0-9_$-]*)|\[([0-9]{1,9})\]|\[("(?:[^"\\]|\\.)*")\]', re.ASCII
)


class Path(str):
    """A place in a value, as text: `$input.items[0]["first name"]`.

    A name that is no identifier stands in brackets and quotes, escaped as in JSON. `keys` are the
    steps that the path was made of.
    """

    keys: Keys = ()

    @classmethod
    def of(cls, keys: Iterable[str | int], root: str = ROOT) -> "Path":
        """Return the path of these steps."""
        steps = tuple(keys)
        text = root
        for key in steps:
            if isinstance(key, int):
                text += f"[{key}]"
            elif key.isascii() and key.replace("$", "_").isidentifier():
                text += "." + key
            else:
                from json import dumps  # few names need it

                text += f"[{dumps(key)}]"
        path = cls(text)
        path.keys = steps
        return path

    @property
    def pointer(self) -> str:
        """The same place as a JSON Pointer (RFC 6901); the root is the empty text."""
        return pointer_of(self.keys)


def parse_path(text: str) -> Keys | None:
    """Return the steps of a path as `Path.of` writes it; `None` for any other text.

    A name with a hyphen may also follow a dot: `$input.header.x-tenant`.
    """
    if not text.startswith(ROOT):
        return None
    from json import loads

    keys: list[str | int] = []
    at = len(ROOT)
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None:
            return None
        name, index, quoted = found.groups()
        try:
            keys.append(name or (int(index) if index else loads(quoted)))
        except ValueError:
            return None
        at = found.end()
    return tuple(keys)


def value_at(value: JsonValue, keys: Keys) -> tuple[JsonValue] | None:
    """Return the value at the end of these steps, in a tuple; `None` if a step does not exist."""
    for key in keys:
        if isinstance(value, dict) and key in value:
            value = value[str(key)]
        elif isinstance(value, list | tuple) and isinstance(key, int) and 0 <= key < len(value):
            value = value[key]
        else:
            return None
    return (value,)


def with_value(value: JsonValue, keys: Keys, inner: JsonValue) -> JsonValue:
    """Return a copy of a value with another one at the end of the keys."""
    if not keys:
        return inner
    key, below = keys[0], keys[1:]
    if isinstance(value, list):
        items = list(value)
        items[int(key)] = with_value(items[int(key)], below, inner)
        return items
    members = value if isinstance(value, dict) else {}
    return {**members, str(key): with_value(members.get(str(key)), below, inner)}


def array_index(key: str | int, length: int) -> int | None:
    """Return a step as an index, or `None` if an array of this length has no item there.

    In a JSON Pointer the index is a text: `"0"`.
    """
    if isinstance(key, str) and not (key.isascii() and key.isdigit() and len(key) < 20):
        return None
    return int(key) if 0 <= int(key) < length else None


def pointer_of(keys: Iterable[str | int]) -> str:
    """Return the JSON Pointer of these steps (RFC 6901, section 3)."""
    return "".join(["/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys])
