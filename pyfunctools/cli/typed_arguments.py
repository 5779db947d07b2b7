"""Arguments from the `name=value` words of a command line."""

import json
from collections.abc import Sequence

from pyfunctools._json import JsonSchema, JsonValue, members_of
from pyfunctools.errors import DefinitionError
from pyfunctools.record.function import GROUPS, Function


def json_arguments(words: Sequence[str], function: Function) -> str:
    """Return the arguments in `name=value` words as JSON text.

    A value is a text, which coercion may convert, or JSON if it begins with `{` or `[`. Dots enter
    objects (`body.card.owner=Ada`), and a name that is repeated makes a list. The group of an
    operation's parameter may be left out if it is clear: `kind=green` for `query.kind`.

    Raises:
        DefinitionError: a word is not `name=value`, or two words contradict each other.
    """
    arguments: dict[str, JsonValue] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise DefinitionError(
                repr(word),
                "This is not `name=value`.",
                "Write `city=Oslo`, or pass JSON with `--args`.",
            )
        _put(arguments, _steps(name, function.llm), _value(text), name)
    return json.dumps(arguments)


def _value(text: str) -> JsonValue:
    if text[:1] not in ("{", "["):
        return text
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value


def _steps(name: str, schema: JsonSchema) -> list[str]:
    """Return the path that a name means: `kind` is `query`, `kind` if only `query` has a `kind`."""
    properties = members_of(schema.get("properties"))
    if name in properties:
        return [name]
    first = name.partition(".")[0]
    if first not in properties:
        inner = {group: members_of(properties.get(group)).get("properties") for group in GROUPS}
        groups = [group for group in GROUPS if first in members_of(inner[group])]
        if len(groups) == 1:
            return [groups[0], *name.split(".")]
    return name.split(".")


def _put(into: dict[str, JsonValue], steps: list[str], value: JsonValue, name: str) -> None:
    for step in steps[:-1]:
        inner = into.setdefault(step, {})
        if not isinstance(inner, dict):
            raise DefinitionError(name, f"{step!r} already has a value that is not an object.")
        into = inner
    last = steps[-1]
    known = into.get(last)
    if last not in into:
        into[last] = value
    elif isinstance(known, list):
        into[last] = [*known, value]
    else:
        into[last] = [known, value]
