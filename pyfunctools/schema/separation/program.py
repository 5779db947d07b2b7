"""The program's part of the arguments: fixed values, bound arguments, a connection's parameters.

The program is the first of three owners: its places are separated from the whole, and what is left
is separated into the model's and the person's side. Neither of them sees a place of the program.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pyfunctools._json import JsonObject, JsonSchema, JsonValue
from pyfunctools.schema.ground.path import Keys, value_at
from pyfunctools.schema.result import Issue
from pyfunctools.schema.separation.separate import separate_normalized
from pyfunctools.schema.validation.validator import Validator


class WithProgram(NamedTuple):
    """The `whole` arguments, the program's part of them, and why they are invalid, if they are.

    `wrong` are the issues of the program's values, `issues` those of the others'.
    """

    whole: JsonObject
    program: JsonObject
    issues: tuple[Issue, ...] = ()
    wrong: tuple[Issue, ...] = ()


class ProgramPart:
    """A normalized schema separated into the places of the program and the rest.

    `places` are those of the paths that the schema has; `rest` is the schema without them, shared:
    do not change it.
    """

    __slots__ = ("_separated", "_whole", "places", "rest")

    def __init__(
        self, schema: JsonSchema, paths: Iterable[Keys], whole: Validator | None = None
    ) -> None:
        owned = dict.fromkeys(paths)
        self._whole = whole or Validator(schema)
        separated = separate_normalized(schema, lambda path, _: path.keys in owned, self._whole)
        self._separated = separated
        self.places = tuple(keys for keys in owned if separated.owner(keys) == "human")
        self.rest: JsonSchema = separated.shared("llm")

    def taken(self, rest: JsonValue) -> tuple[Keys, ...]:
        """Return the places of the program in which somebody else gave a value."""
        return tuple(keys for keys in self.places if value_at(rest, keys))

    def joined(self, rest: JsonObject, values: Mapping[Keys, JsonValue]) -> WithProgram:
        """Return the arguments with the program's values, validated as a whole.

        A value is left out if the object around it is missing and needs more than such values.
        """
        program: JsonObject = {}
        for keys, value in values.items():
            if self._has_room(rest, keys, values):
                program = _with(program, keys, value)
        merged = self._separated.merge({**rest}, program)  # `rest` may be of a subclass
        if merged:
            return WithProgram(merged.value, program)
        wrong = tuple(one for one in merged.issues if one.side == "human")
        issues = tuple(one for one in merged.issues if one.side != "human")
        return WithProgram(rest, program, issues, wrong)

    def _has_room(self, rest: JsonValue, keys: Keys, values: Iterable[Keys]) -> bool:
        """Return whether the objects around a place exist, or need only values of the program."""
        place = self._whole.outline.place
        for depth, key in enumerate(keys[:-1], 1):
            place = place.inside(key)
            found = value_at(rest, keys[:depth])
            if found is not None and not isinstance(found[0], dict):
                return False
            needed = {name for part in place.possible.parts for name in part.required}
            given = {each[depth] for each in values if each[:depth] == keys[:depth] != each}
            if found is None and not needed <= given:
                return False
        return True


def _with(value: JsonValue, keys: Keys, inner: JsonValue) -> JsonObject:
    """Return a copy of an object with a value at the end of the keys."""
    members = value if isinstance(value, dict) else {}
    key = str(keys[0])
    return {**members, key: inner if len(keys) == 1 else _with(members.get(key), keys[1:], inner)}
