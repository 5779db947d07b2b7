"""Arguments from `name=value` words of a command line."""

import json
from collections.abc import Sequence

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.errors import DefinitionError
from pyfunctools.record.function import GROUPS, Function


def arguments_of(words: Sequence[str], function: Function) -> str:
    """Return the arguments that `name=value` words say, as JSON text.

    A value is text, which the schema reads further; one that begins with `{` or `[` is JSON. A name
    leads inside by dots (`body.card.owner=Ada`), and one that is given more than once is a list.
    A name that only one group of an operation has needs no group: `kind=green` for `query.kind`.

    Raises:
        DefinitionError: a word is no `name=value`, or two cannot be given together.
    """
    made: dict[str, JsonValue] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise DefinitionError(
                repr(word),
                "This is not `name=value`.",
                "Write `city=Oslo`; JSON is given by `--args`.",
            )
        _put(made, _steps(name, function.llm), _value(text), name)
    return json.dumps(made)


def _value(text: str) -> JsonValue:
    if text[:1] not in ("{", "["):
        return text
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value


def _steps(name: str, schema: JsonSchema) -> list[str]:
    """Return the way to what a name means: a property, one of a group, or one inside."""
    properties = _properties(schema)
    if name in properties:
        return [name]
    first = name.partition(".")[0]
    if first not in properties:
        groups = [each for each in GROUPS if first in _properties(properties.get(each))]
        if len(groups) == 1:
            return [groups[0], *name.split(".")]
    return name.split(".")


def _properties(schema: JsonValue) -> JsonObject:
    named = schema.get("properties") if isinstance(schema, dict) else None
    return named if isinstance(named, dict) else {}


def _put(into: dict[str, JsonValue], steps: list[str], value: JsonValue, name: str) -> None:
    for step in steps[:-1]:
        inner = into.setdefault(step, {})
        if not isinstance(inner, dict):
            raise DefinitionError(name, f"{step!r} has a value already, and nothing inside.")
        into = inner
    last = steps[-1]
    known = into.get(last)
    if last not in into:
        into[last] = value
    elif isinstance(known, list):
        into[last] = [*known, value]
    else:
        into[last] = [known, value]
