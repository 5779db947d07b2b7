"""A person's answers: nested as the schema, or flat by path as a form sends them."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import date, time
from decimal import Decimal
from enum import Enum
from typing import cast
from uuid import UUID

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.execution.person.uploads import with_files
from pyfunctools.record.file import File
from pyfunctools.record.function import Function, contract_of
from pyfunctools.schema.coercion.coerce import coerced
from pyfunctools.schema.ground.path import Keys, parse_path, value_at
from pyfunctools.schema.separation.side_values import ABSENT, Given

_LONGEST = 1_000
"""Items of the longest list that flat answers can fill."""


@dataclass(slots=True)
class Answers:
    """The answers at one place, as a tree.

    `own` is the answer for the place itself, and `inside` has the answers for its properties or
    items. Flat answers that are blank count as missing; one with answers inside it is a number of
    items, or the name of a branch.
    """

    own: Given = ABSENT
    is_flat: bool = False
    inside: "dict[str | int, Answers]" = field(default_factory=dict[str | int, "Answers"])

    @property
    def is_given(self) -> bool:
        """Whether anything was given here or below."""
        return self._has_own or any(inner.is_given for inner in self.inside.values())

    @property
    def _has_own(self) -> bool:
        return self.own is not ABSENT and not (self.is_flat and is_blank(self.own))

    def child(self, key: str | int) -> "Answers":
        """Return the answers at a property or an item."""
        inner = self.inside.get(key)
        if inner is not None:
            return inner
        found = value_at(cast("JsonValue", self.own), (key,))
        return Answers(ABSENT if found is None else found[0], self.is_flat)

    def nested(self) -> Given:
        """Return the answers here as one nested value, `ABSENT` if nothing was given."""
        if not self.is_flat:
            return self.own
        given = {key: inner.nested() for key, inner in self.inside.items()}
        given = {key: value for key, value in given.items() if value is not ABSENT}
        if not given:
            return self.own if self._has_own else ABSENT
        if all(isinstance(key, int) and key < _LONGEST for key in given):
            count = max(key for key in given if isinstance(key, int)) + 1
            return [_filled(given.get(n, ABSENT)) for n in range(count)]
        return {str(key): value for key, value in given.items()}

    def joined(self, values: Mapping[str, JsonValue], is_wanted: bool) -> Given:
        """Return an object of these values of its properties, and of further answers inside it."""
        given = self.nested()
        if not self.is_flat or (self._has_own and not isinstance(given, dict)):
            return given  # the schema judges it
        whole = {**(given if isinstance(given, dict) else {}), **values}
        return whole if whole or is_wanted else ABSENT

    def listed(self, values: Sequence[Given]) -> Given:
        """Return a list of these values of its items, and of further answers inside it."""
        given = self.nested()
        if not self.is_flat or isinstance(self.own, list) or isinstance(given, dict):
            return given
        if given is ABSENT and all(value is ABSENT for value in values):
            return ABSENT
        further = given[len(values) :] if isinstance(given, list) else []
        return [*map(_filled, values), *further]

    def chosen(self, names: Iterable[str]) -> str | None:
        """Return the name that was given as the answer for the place itself, if any."""
        text = self.own.strip().casefold() if isinstance(self.own, str) else None
        return next((name for name in names if name.casefold() == text), None)

    def without_own(self) -> "Answers":
        """Return the answers without a flat text for the place itself, which names a branch."""
        if isinstance(self.own, str) and self.is_flat:
            return Answers(is_flat=True, inside=self.inside)
        return self

    def count(self, most: int) -> int | None:
        """Return the number of items that were given or announced, `None` if it is unknown."""
        if isinstance(self.own, list):
            return len(self.own)
        given = [key for key, inner in self.inside.items() if inner.is_given]
        least = max((n + 1 for n in given if isinstance(n, int)), default=0)
        text = str(self.own).strip() if isinstance(self.own, str | int) else ""
        if text.isascii() and text.isdigit() and len(text) < 6:
            least = max(least, int(text))
        elif text or not given:
            return None
        return least if least <= most else None


def answers_of(human: object) -> Answers:
    """Return a person's answers as a tree; they are flat if every key is a path.

    Of a mixture nothing is taken: `merged` says so.
    """
    mapping = isinstance(human, Mapping)
    value = with_files(dict(cast("JsonObject", human)) if mapping else human)
    if not mapping or not value:
        return Answers() if human is None else Answers(value)
    given = cast("dict[object, JsonValue]", value)
    paths = {key: parse_path(key) if isinstance(key, str) else None for key in given}
    if not any(paths.values()) and () not in paths.values():
        return Answers(value)
    root = Answers(is_flat=True)
    is_mixed = None in paths.values()
    for key, each in given.items():
        node = root
        for step in paths[key] or ():
            is_mixed |= isinstance(node.own, dict | list)
            node = node.inside.setdefault(step, Answers(is_flat=True))
        node.own = each
        is_mixed |= isinstance(each, dict | list) and bool(node.inside)
    return Answers(value) if is_mixed else root


def is_blank(value: object) -> bool:
    """True if a field of a form was left empty."""
    if isinstance(value, File):
        return not value.content and not value.filename
    return isinstance(value, str) and not value.strip()


SCALARS = frozenset({str, int, float, bool, type(None)})


def plain_json(value: object) -> JsonValue:
    """Return a Python value as JSON: secrets, dates, decimals, enums, UUIDs.

    Other objects are returned unchanged, and the schema refuses them.
    """
    if type(value) in SCALARS or isinstance(value, File):
        return cast("JsonValue", value)
    if isinstance(value, Mapping):
        members: dict[str, JsonValue] = {}
        for key, inner in cast("Mapping[object, object]", value).items():
            name = cast("str", key.value if isinstance(key, Enum) else key)
            members[name] = plain_json(inner)
        return members
    if isinstance(value, list | tuple | Set):
        return [plain_json(item) for item in cast("Iterable[object]", value)]
    reveal: object = getattr(value, "get_secret_value", None)
    if callable(reveal):
        return plain_json(cast("Callable[[], object]", reveal)())
    if isinstance(value, Enum):
        return plain_json(value.value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal) and value.is_finite():
        return f"{value:f}"
    if isinstance(value, UUID):
        return str(value)
    return cast("JsonValue", value)


def coerced_texts(function: Function, value: JsonValue) -> JsonValue:
    """Return a person's values with texts coerced by the schema, and other values unchanged."""
    validator = contract_of(function).human_side.value.validator
    if validator.is_valid(value):
        return value
    for repair in coerced(validator.outline, value).repairs:
        is_text = isinstance(repair.before, str) and not isinstance(repair.before, File)
        if is_text and repair.kind in _OF_TEXTS:
            value = _put(value, repair.path.keys, repair.before, repair.after)
    return value


_OF_TEXTS = frozenset({"boolean", "constant", "item", "json", "null", "number"})
"""The kinds of repair that a text may have."""


def _put(value: JsonValue, keys: Keys, before: JsonValue, after: JsonValue) -> JsonValue:
    """Return a copy with `after` in place of `before` at these keys."""
    if not keys:
        return after if value == before else value
    inner = value_at(value, keys[:1])
    if inner is None:
        return value
    changed = _put(inner[0], keys[1:], before, after)
    if isinstance(value, dict):
        return {**value, str(keys[0]): changed}
    listed = list(cast("Sequence[JsonValue]", value))
    listed[cast("int", keys[0])] = changed
    return listed


def _filled(value: Given) -> JsonValue:
    return None if value is ABSENT else value
