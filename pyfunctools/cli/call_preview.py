"""What is shown before a call that may do harm: where it goes, and all that it carries."""

import json
from collections.abc import Iterator

from rich.console import Console
from rich.panel import Panel

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.cli.display import compact, plain
from pyfunctools.cli.field import followed, hides
from pyfunctools.cli.typed_line import is_yes
from pyfunctools.execution.person.masking import MASK
from pyfunctools.record.file import File
from pyfunctools.record.function import Function
from pyfunctools.record.origin import place
from pyfunctools.route import Route
from pyfunctools.schema.ground.path import Keys


def asks_first(function: Function) -> bool:
    """Return whether a person is asked before this function runs."""
    return function.confirm or function.destructive is True


def approved(function: Function, arguments: JsonObject, server: str | None) -> bool:
    """Show the call, its secrets hidden, and ask whether to go on.

    Raises:
        typer.Abort: the input has ended, or the person has ended it.
    """
    shown = compact(masked(function, arguments))
    text = f"{address(function, server)}\n\n{shown}"
    title = "about to run, and destructive" if function.destructive else "about to run"
    console = Console(stderr=True)
    console.print(Panel(plain(text), title=title, title_align="left", border_style="yellow"))
    return is_yes(f"Run {function.name}?")


def address(function: Function, server: str | None) -> str:
    """Return where a call goes: method and address, or the method's qualified name."""
    origin = function.origin
    if not isinstance(origin, Route):
        return place(origin)
    base = server or ""
    if server == "document":
        base = origin.servers[0].url if origin.servers else ""
    return f"{origin.method} {base.rstrip('/')}{origin.path}"


def masked(function: Function, arguments: JsonObject) -> JsonValue:
    """Return arguments to look at: `***` for each secret, and of a file its name and size.

    What sounds like a secret is one where it is the human's: it was typed without echo.
    """
    return _Masker(function).masked([function.parameters], arguments, ())


class _Masker:
    def __init__(self, function: Function) -> None:
        self._root = function.parameters
        self._separated = function.separated

    def masked(self, said: list[JsonSchema], value: JsonValue, keys: Keys) -> JsonValue:
        """Return what is shown of a value of which these schemas speak."""
        bodies = [body for schema in said for body in _bodies(self._root, schema)]
        if value is not None and any(self._hides(body, keys) for body in bodies):
            return MASK
        if isinstance(value, File):
            return f"<file {json.dumps(value.filename)}, {len(value.content)} bytes>"
        if isinstance(value, dict):
            return {
                name: self.masked(
                    [s for b in bodies for s in _named(b, name)], inner, (*keys, name)
                )
                for name, inner in value.items()
            }
        if isinstance(value, list):
            return [
                self.masked([s for b in bodies for s in _items(b, n)], inner, (*keys, n))
                for n, inner in enumerate(value)
            ]
        return value

    def _hides(self, body: JsonSchema, keys: Keys) -> bool:
        owner = "llm" if self._separated is None else self._separated.owner(keys)
        return hides(body, keys, by_name=owner == "human")


def _bodies(root: JsonSchema, schema: JsonSchema) -> list[JsonSchema]:
    """Return all that may hold at the place of a schema, the branches of its unions too."""
    bodies = [followed(root, schema)]
    for body in bodies:  # grows while it is read
        for branch in _branches(body):
            if isinstance(branch, dict) and (one := followed(root, branch)) not in bodies:
                bodies.append(one)
    return bodies


def _branches(body: JsonSchema) -> Iterator[JsonValue]:
    for keyword in ("anyOf", "oneOf"):
        branches = body.get(keyword)
        yield from branches if isinstance(branches, list) else ()
    yield from (body.get("then"), body.get("else"))
    conditional = body.get("dependentSchemas")
    yield from conditional.values() if isinstance(conditional, dict) else ()


def _named(body: JsonSchema, name: str) -> list[JsonSchema]:
    properties, patterns = body.get("properties"), body.get("patternProperties")
    found: list[JsonValue] = []
    if isinstance(properties, dict) and name in properties:
        found.append(properties[name])
    else:
        found.append(body.get("additionalProperties"))
    found += patterns.values() if isinstance(patterns, dict) else []  # rather one too many
    return [inner for inner in found if isinstance(inner, dict)]


def _items(body: JsonSchema, index: int) -> list[JsonSchema]:
    listed, rest = body.get("prefixItems"), body.get("items")
    inner = listed[index] if isinstance(listed, list) and index < len(listed) else rest
    return [inner] if isinstance(inner, dict) else []
