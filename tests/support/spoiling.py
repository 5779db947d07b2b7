"""Typical mistakes of models, made on purpose in valid arguments."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from operator import delitem
from random import Random
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st

from pyfunctools import Function
from pyfunctools._json import JsonObject, JsonValue, items_of
from pyfunctools.testing.strategies import fitting


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """A `text` as a model might write it, made from valid `arguments` by one mistake.

    `kind` names the mistake. Some mistakes are repaired, others are refused with feedback.
    """

    kind: str
    text: str
    arguments: Mapping[str, Any]


Slip: TypeAlias = Callable[[Random, Any], str | None]
"""Makes a mistake in valid arguments, which it may change; returns the text, or `None`."""


def mistakes(function: Function) -> st.SearchStrategy[Mistake]:
    """Return a strategy of arguments with a typical mistake."""

    def slip(random: Random) -> Mistake:
        return next(possible_mistakes(random, fitting(function, "llm", random)))

    return st.randoms(use_true_random=False).map(slip)


def possible_mistakes(random: Random, arguments: JsonObject) -> Iterator[Mistake]:
    """Yield a mistake of each kind that is possible in these arguments, in random order."""
    kinds = list(SLIPS)
    random.shuffle(kinds)
    for kind in kinds:
        text = SLIPS[kind](random, json.loads(json.dumps(arguments)))
        if text is not None:
            yield Mistake(kind=kind, text=text, arguments=arguments)


def _places(value: JsonValue) -> Iterator[tuple[Any, Any]]:
    """Yield the holder and the key of each value inside."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(items_of(value)):
        yield value, key
        yield from _places(inner)


def _at_one_place(
    fits: Callable[[str | int, JsonValue], bool], change: Callable[[Any, Any], object]
) -> Slip:
    """Return a slip that calls `change(holder, key)` at one place whose key and value fit."""

    def slip(random: Random, arguments: Any) -> str | None:
        places = [(holder, key) for holder, key in _places(arguments) if fits(key, holder[key])]
        if not places:
            return None
        change(*random.choice(places))
        return json.dumps(arguments)

    return slip


def _changed(fits: Callable[[Any], bool], change: Callable[[Any], JsonValue]) -> Slip:
    """Return a slip that changes one value that fits."""

    def replace(holder: Any, key: str | int) -> None:
        holder[key] = change(holder[key])

    return _at_one_place(lambda _, value: fits(value), replace)


def _rename(holder: Any, key: str) -> None:
    holder[key.title().replace("_", "")] = holder.pop(key)


def _in_text(change: Callable[[Random, str], str | None]) -> Slip:
    """Return a slip that changes the JSON text."""

    def slip(random: Random, value: JsonValue) -> str | None:
        before = json.dumps(value)
        after = change(random, before)
        return None if after == before else after

    return slip


def _cut(random: Random, text: str) -> str | None:
    return text[: random.randrange(1, len(text))] if len(text) > 2 else None


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_single(value: JsonValue) -> bool:
    return isinstance(value, list) and len(value) == 1


def _is_text(value: JsonValue) -> bool:
    return isinstance(value, str) and value.upper() != value


SLIPS: Final[dict[str, Slip]] = {
    "number as text": _changed(_is_number, json.dumps),
    "boolean as text": _changed(lambda value: isinstance(value, bool), json.dumps),
    "text in capitals": _changed(_is_text, str.upper),
    "a number in words": _changed(_is_number, lambda _: "a few"),
    "null": _changed(lambda value: value is not None, lambda _: None),
    "in a list": _changed(lambda value: not isinstance(value, list), lambda value: [value]),
    "without its list": _changed(_is_single, lambda value: value[0]),
    "object as text": _changed(lambda value: isinstance(value, dict | list), json.dumps),
    "missing": _at_one_place(lambda key, _: isinstance(key, str), delitem),
    "key spelled otherwise": _at_one_place(lambda key, _: isinstance(key, str), _rename),
    "unknown key": lambda _, value: json.dumps({**value, "reasoning": "It is what was asked for."}),
    "Python's words and quotes": _in_text(lambda _, text: repr(json.loads(text))),
    "trailing comma": _in_text(lambda _, text: re.sub(r"(?<=[^{])}$", ",}", text)),
    "keys without quotes": _in_text(lambda _, text: re.sub(r'"([A-Za-z_]\w*)":', r"\1:", text)),
    "in a fence": _in_text(lambda _, text: f"```json\n{text}\n```"),
    "with words before": _in_text(lambda _, text: f"Here are the arguments:\n{text}"),
    "with a comment": _in_text(lambda _, text: f"{text[:-1]} // that is all\n}}"),
    "cut off": _in_text(_cut),
    "as text": _in_text(lambda _, text: json.dumps(text)),
}
"""Mistakes by kind."""
