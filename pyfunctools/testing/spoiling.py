"""The mistakes that models make, made on purpose of right arguments."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Final, TypeAlias

from pyfunctools._json import JsonObject, JsonValue
from pyfunctools.schema.ground.path import Keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """Arguments as a model might write them: `text`, made of `arguments`, which are right.

    `kind` says what was done to them. Some of it is repaired, and some is refused with feedback.
    """

    kind: str
    text: str
    arguments: Mapping[str, Any]


Slip: TypeAlias = Callable[[Random, Any], str | None]
"""Returns the text of a mistake that is made of a copy of right arguments, if it can be."""


def slips(random: Random, arguments: JsonObject) -> Iterator[Mistake]:
    """Yield each kind of mistake that can be made of right arguments, in random order."""
    kinds = list(SLIPS)
    random.shuffle(kinds)
    for kind in kinds:
        text = SLIPS[kind](random, json.loads(json.dumps(arguments)))
        if text is not None:
            yield Mistake(kind=kind, text=text, arguments=arguments)


def _places(value: JsonValue, keys: Keys = ()) -> Iterator[tuple[Keys, JsonValue]]:
    if keys:
        yield keys, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _places(inner, (*keys, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _places(inner, (*keys, index))


def _below(value: Any, keys: Iterable[str | int]) -> Any:
    for key in keys:
        value = value[key]
    return value


def _changed(fits: Callable[[JsonValue], bool], change: Callable[[Random, Any], JsonValue]) -> Slip:
    """Return a slip that changes one place whose value fits."""

    def slip(random: Random, value: JsonValue) -> str | None:
        places = [keys for keys, inner in _places(value) if fits(inner)]
        if not places:
            return None
        *above, last = random.choice(places)
        holder = _below(value, above)
        holder[last] = change(random, holder[last])
        return json.dumps(value)

    return slip


def _missing(random: Random, value: Any) -> str | None:
    places = [keys for keys, _ in _places(value) if isinstance(keys[-1], str)]
    if not places:
        return None
    *above, last = random.choice(places)
    holder = _below(value, above)
    del holder[last]
    return json.dumps(value)


def _renamed(random: Random, value: Any) -> str | None:
    """Return the text with a key in the other of the two usual spellings."""
    places = [
        keys for keys, _ in _places(value) if isinstance(k := keys[-1], str) and _other(k) != k
    ]
    if not places:
        return None
    *above, last = random.choice(places)
    holder = _below(value, above)
    holder[_other(str(last))] = holder.pop(last)
    return json.dumps(value)


def _other(key: str) -> str:
    if "_" in key.strip("_"):
        return re.sub(r"(?<=[a-z0-9])_([a-z])", lambda found: found[1].upper(), key)
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: f"_{found[1].lower()}", key)


def _written(change: Callable[[Random, str], str | None]) -> Slip:
    """Return a slip that changes the text alone."""

    def slip(random: Random, value: JsonValue) -> str | None:
        before = json.dumps(value)
        after = change(random, before)
        return None if after == before else after

    return slip


def _python(_: Random, text: str) -> str | None:
    return repr(json.loads(text))


def _cut(random: Random, text: str) -> str | None:
    return text[: random.randrange(1, len(text))] if len(text) > 2 else None


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_text(value: JsonValue) -> bool:
    return isinstance(value, str) and value.upper() != value


SLIPS: Final[dict[str, Slip]] = {
    "number as text": _changed(_is_number, lambda _, value: json.dumps(value)),
    "boolean as text": _changed(lambda v: isinstance(v, bool), lambda _, v: str(v).lower()),
    "text in capitals": _changed(_is_text, lambda _, value: value.upper()),
    "a number in words": _changed(_is_number, lambda _, value: "a few"),
    "null": _changed(lambda value: value is not None, lambda _, value: None),
    "in a list": _changed(lambda v: not isinstance(v, list), lambda _, value: [value]),
    "without its list": _changed(lambda v: isinstance(v, list) and len(v) == 1, lambda _, v: v[0]),
    "object as text": _changed(lambda v: isinstance(v, dict | list), lambda _, v: json.dumps(v)),
    "missing": _missing,
    "key spelled otherwise": _renamed,
    "unknown key": lambda _, value: json.dumps({**value, "reasoning": "It is what was asked for."}),
    "Python's words and quotes": _written(_python),
    "trailing comma": _written(lambda _, text: re.sub(r"(?<=[^{])}$", ",}", text)),
    "keys without quotes": _written(lambda _, text: re.sub(r'"([A-Za-z_]\w*)":', r"\1:", text)),
    "in a fence": _written(lambda _, text: f"```json\n{text}\n```"),
    "with words before": _written(lambda _, text: f"Here are the arguments:\n{text}"),
    "with a comment": _written(lambda _, text: f"{text[:-1]} // that is all\n}}"),
    "cut off": _written(_cut),
    "as text": _written(lambda _, text: json.dumps(text)),
}
"""What models do to arguments, by what it is called."""
