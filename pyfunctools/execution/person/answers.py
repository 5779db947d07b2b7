"""What a person gave: nested as the schema, or flat by path as a form sends it."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import date, time, timedelta
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
"""Items of the longest list that flat answers make."""


@dataclass(slots=True)
class Answers:
    """What was given at one place, and below it by the steps to there.

    `own` is what was given for the place itself. Of flat answers a blank one is none.
    """

    own: Given = ABSENT
    is_flat: bool = False
    inside: "dict[str | int, Answers]" = field(default_factory=dict[str | int, "Answers"])

    @property
    def is_given(self) -> bool:
        """Whether anything was given here or below."""
        is_own = self.own is not ABSENT and not (self.is_flat and is_blank(self.own))
        return is_own or any(inner.is_given for inner in self.inside.values())

    def child(self, step: str | int) -> "Answers":
        """Return what was given one step further."""
        inner = self.inside.get(step)
        if inner is not None:
            return inner
        own = self.own
        if isinstance(own, dict) and step in own:
            return Answers(own[str(step)], self.is_flat)
        if isinstance(own, list) and isinstance(step, int) and step < len(own):
            return Answers(own[step], self.is_flat)
        return Answers(is_flat=self.is_flat)

    def nested(self) -> Given:
        """Return all that was given here, nested; `ABSENT` where nothing was."""
        if not self.is_flat:
            return self.own
        if not self.is_given:
            return ABSENT
        held = {step: inner.nested() for step, inner in self.inside.items()}
        held = {step: value for step, value in held.items() if value is not ABSENT}
        if not held:
            return self.own
        if all(isinstance(step, int) and step < _LONGEST for step in held):
            count = max(step for step in held if isinstance(step, int)) + 1
            return [_filled(held.get(n, ABSENT)) for n in range(count)]
        own = self.own if isinstance(self.own, dict) else {}
        return {**own, **{str(step): value for step, value in held.items()}}

    def joined(self, values: Mapping[str, JsonValue], is_wanted: bool) -> Given:
        """Return an object of answers for its parts, and of what was given beside them."""
        if not self.is_flat:
            return self.own
        if self.own is not ABSENT and not is_blank(self.own) and not isinstance(self.own, dict):
            return self.own  # JSON as text, or wrong
        given = self.nested()
        whole = {**(given if isinstance(given, dict) else {}), **values}
        return whole if whole or is_wanted else ABSENT

    def listed(self, values: Sequence[Given]) -> Given:
        """Return a list of answers for its items, and of what was given beside them."""
        if not self.is_flat or isinstance(self.own, list):
            return self.own
        if not self.is_given and all(value is ABSENT for value in values):
            return ABSENT
        given = self.nested()
        if not isinstance(given, list):
            return given if isinstance(given, dict) else [*map(_filled, values)]
        return [*map(_filled, values), *given[len(values) :]]

    def chosen(self, names: Iterable[str]) -> str | None:
        """Return the one of these names that was given for the place itself."""
        text = self.own.strip().casefold() if isinstance(self.own, str) else None
        return next((name for name in names if name.casefold() == text), None)

    def without_own(self) -> "Answers":
        """Return what was given below, where the place itself only says of which kind it is."""
        if isinstance(self.own, str) and self.is_flat:
            return Answers(is_flat=True, inside=self.inside)
        return self

    def count(self, most: int) -> int | None:
        """Return how many items were given, or are to be; `None` where that is not known."""
        if isinstance(self.own, list):
            return len(self.own)
        steps = [step for step, inner in self.inside.items() if inner.is_given]
        least = max((n + 1 for n in steps if isinstance(n, int)), default=0)
        said = str(self.own).strip() if isinstance(self.own, str | int) else ""
        if said.isascii() and said.isdigit() and len(said) < 6:
            least = max(least, int(said))
        elif said or not steps:
            return None
        return least if least <= most else None


def answers_of(human: object) -> Answers:
    """Return what a person gave as a tree; it is flat where every key is the path of a place."""
    mapping = isinstance(human, Mapping)
    value = with_files(dict(cast("JsonObject", human)) if mapping else human)
    if not mapping or not value:
        return Answers() if human is None else Answers(value)
    given = cast("dict[object, JsonValue]", value)
    root = Answers(is_flat=True)
    for key, each in given.items():
        keys = parse_path(key) if isinstance(key, str) else None
        if keys is None:
            return Answers(value)
        node = root
        for step in keys:
            node = node.inside.setdefault(step, Answers(is_flat=True))
        node.own = each
    return root


def is_blank(value: object) -> bool:
    """True if a field of a form was left empty."""
    if isinstance(value, File):
        return not value.content and not value.filename
    return isinstance(value, str) and not value.strip()


_PLAIN = frozenset({str, int, float, bool, type(None)})


def plain_json(value: object) -> JsonValue:
    """Return the JSON of what a person or a program gave: secrets, dates, enums, models.

    What has none is returned as it is, for the schema to refuse.
    """
    if type(value) in _PLAIN or isinstance(value, File):
        return cast("JsonValue", value)
    if isinstance(value, Mapping):
        held = cast("Mapping[object, object]", value)
        return {_key(key): plain_json(inner) for key, inner in held.items()}
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
    if isinstance(value, timedelta) or _has_fields(value):
        from pydantic import TypeAdapter

        adapter = TypeAdapter[object](object)
        if isinstance(value, timedelta):
            return cast("JsonValue", adapter.dump_python(value, mode="json"))
        return plain_json(adapter.dump_python(value, by_alias=True))
    return cast("JsonValue", value)


def as_meant(function: Function, value: JsonValue) -> JsonValue:
    """Return a person's values with each text as the schema wants it; what else they are stays."""
    wanted = contract_of(function).human_side.value.validator
    if wanted.is_valid(value):
        return value
    for repair in coerced(wanted.outline, value).repairs:
        is_text = isinstance(repair.before, str) and not isinstance(repair.before, File)
        if is_text and repair.kind in _OF_TEXTS:
            value = _put(value, repair.path.keys, repair.before, repair.after)
    return value


_OF_TEXTS = frozenset({"boolean", "constant", "item", "json", "null", "number"})
"""The repairs of a value that was a text."""


def _put(value: JsonValue, keys: Keys, before: JsonValue, after: JsonValue) -> JsonValue:
    """Return a copy with `after` at the end of these steps, where `before` stands."""
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


def _key(key: object) -> str:
    return cast("str", key.value if isinstance(key, Enum) else key)


def _has_fields(value: object) -> bool:
    kind = type(value)
    return hasattr(kind, "__pydantic_fields__") or hasattr(kind, "__dataclass_fields__")


def _filled(value: Given) -> JsonValue:
    return None if value is ABSENT else value
