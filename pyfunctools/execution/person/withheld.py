"""What a model is not told of a call in which a person, or a fixed secret, has a part.

It is a rule, not a search. The model is told what the library wrote, what the function returned,
and what was raised for it (`Retry`, an `Outcome`, an issue). The message of any other exception and
the words of a server are withheld, since a program may write a value in any form. In what is told
the values themselves are `***`, as they were given and sent: secrets everywhere, other values in
errors.
"""

from base64 import urlsafe_b64decode
from collections.abc import Iterable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, cast

from pyfunctools._json import JsonValue
from pyfunctools.execution.person.answers import path_of
from pyfunctools.execution.person.masking import Masker
from pyfunctools.execution.person.uploads import SCALARS, plain_json
from pyfunctools.limits import DEFAULT_LIMITS
from pyfunctools.record.contract import HumanSide
from pyfunctools.record.file import File
from pyfunctools.record.function import Function, contract_of
from pyfunctools.record.outcome import Outcome, Request
from pyfunctools.schema.ground.json_values import preview_scalar
from pyfunctools.schema.ground.path import ROOT

_SHORTEST_BASE64 = 8
_MASKS_NOTHING = Masker(())


@dataclass(slots=True, repr=False)
class Withheld:
    """What a person (`given`) and the program (`fixed`) gave in one call.

    Both are nested as the parameters of `function`, or anything that a person gave wrongly; `llm`
    is the model's part. `answers` are a person's answers to questions of a server.
    """

    function: Function
    llm: JsonValue
    given: tuple[object, ...] = ()
    fixed: tuple[JsonValue, ...] = ()
    answers: list[JsonValue] = field(default_factory=list[JsonValue])
    secret_answers: list[JsonValue] = field(default_factory=list[JsonValue])
    _has_objects: bool = False
    _found: dict[int, tuple[set[str], set[str], set[str]]] = field(default_factory=dict[int, Any])
    _maskers: dict[tuple[int, bool], Masker] = field(default_factory=dict[tuple[int, bool], Masker])

    def add_answers(self, values: Mapping[str, object], secret: Set[str]) -> None:
        """Add a person's answers to a server; `secret` are the paths of secrets."""
        for name, value in values.items():
            answers = self.secret_answers if path_of(name) in secret else self.answers
            answers.append(plain_json(value))

    def add_objects(self, bound: Mapping[str, object]) -> None:
        """Add what a method gets in a person's places, such as a default that a factory made."""
        written: dict[str, object] = {}
        for each in (*self.given, self.llm):
            if isinstance(each, dict):
                written |= cast("dict[str, object]", each)
        if SCALARS.issuperset(map(type, bound.values())) and bound == written:
            return
        objects = self._with_fields(bound, DEFAULT_LIMITS.depth)
        separated, side = self.function.separated, self._side
        if separated is not None and side is not None:
            own = separated.part(objects, "human")
            self.secret_answers.append(side.secrets.part(own, "human"))
            self._has_objects = self._has_objects or _is_filled(own, self.fixed)

    def _with_fields(self, value: object, depth: int) -> JsonValue:
        """Return a value with objects as their fields, by their names in JSON; add its secrets."""
        if type(value) in SCALARS:
            return cast("JsonValue", value)
        reveal: object = getattr(value, "get_secret_value", None)
        if callable(reveal):
            self.secret_answers.append(plain_json(value))
        elif depth and isinstance(value, Mapping):
            members = cast("Mapping[object, object]", value).items()
            return {str(key): self._with_fields(inner, depth - 1) for key, inner in members}
        elif depth and isinstance(value, list | tuple | Set):
            items = cast("Iterable[object]", value)
            return [self._with_fields(inner, depth - 1) for inner in items]
        elif names := _field_names(value):
            held = {key: getattr(value, name, None) for key, name in names.items()}
            return self._with_fields(held, depth)
        return plain_json(value)

    @property
    def withholds(self) -> bool:
        """Whether the model is told no message of an exception or of a server."""
        given, side = (*self.given, *self.answers, *self.secret_answers), self._side
        if self._has_objects or any(map(_is_filled, given)):
            return True
        return side is not None and (side.has_defaults or any(map(side.has_secret, self.fixed)))

    def masked(self, outcome: Outcome) -> Outcome:
        """Return the outcome with the values as `***`; `value` and `exception` are the same."""
        masked = self._masker(is_error=outcome.reason is not None).outcome(outcome)
        if masked.exception is None or not self.withholds:
            return masked
        _drop_our_frames(masked.exception)
        return replace(masked, _is_withheld=True)

    def value(self, value: JsonValue) -> JsonValue:
        """Return JSON with all values as `***`."""
        return self._masker(is_error=True).value(value)

    def request(self, request: Request, secrets: Iterable[JsonValue]) -> Request:
        """Return a request with these secrets, and those among the values, as `***`."""
        shown = self._masker(is_error=False).request(request)
        return Masker(_texts(secrets)).request(shown)

    def text(self, text: str) -> str:
        """Return a text with all values as `***`."""
        return self._masker(is_error=True).text(text)

    @property
    def _side(self) -> HumanSide | None:
        contract = contract_of(self.function)
        return None if contract.separated is None else contract.human_side

    def _masker(self, *, is_error: bool) -> Masker:
        count = len(self.given) + len(self.fixed) + len(self.answers) + len(self.secret_answers)
        if not count and not (self._side and self._side.secret_defaults):
            return _MASKS_NOTHING
        if count not in self._found:  # what was given only grows
            self._found[count] = self._given_texts()
        secrets, others, known = self._found[count]
        if (count, is_error) not in self._maskers:
            made = Masker(secrets, others if is_error else (), known)
            self._maskers[count, is_error] = made
        return self._maskers[count, is_error]

    def _given_texts(self) -> tuple[set[str], set[str], set[str]]:
        """Return the texts of secrets, of all that was given, and of what the model wrote."""
        side, names, secret = self._side, frozenset[str](), list(self.secret_answers)
        given = [*map(plain_json, self.given), *map(plain_json, self.fixed)]
        if side is not None:
            names = side.property_names
            secret += [*side.secret_defaults, *[side.secrets.part(g, "human") for g in given]]
        secrets, others = _texts(secret, names), _texts((*given, *self.answers), names)
        return secrets, others, _texts((self.llm,)) if secrets or others else others


def _drop_our_frames(error: BaseException) -> None:
    """Remove our frames from the beginning of an exception's traceback: they hold values."""
    step = error.__traceback__
    while step is not None and str(step.tb_frame.f_globals.get("__name__")).startswith(_OURS):
        step = step.tb_next
    error.__traceback__ = step


_OURS = "pyfunctools."


def _field_names(value: object) -> dict[str, str]:
    """Return the names of an object's fields by their names in JSON."""
    named = cast("Mapping[str, object]", getattr(type(value), "__pydantic_fields__", {}))
    if not named and is_dataclass(value):
        return {each.name: each.name for each in fields(value)}
    found: dict[str, str] = {}
    for name, each in named.items():
        alias = getattr(each, "validation_alias", None)
        first = next(iter(getattr(alias, "choices", ())), alias)
        found[first if isinstance(first, str) else name] = name
    return found


def _is_filled(value: object, known: Iterable[object] = ()) -> bool:
    """Return whether anything is in a value that is in none of the `known` values."""
    if isinstance(value, Mapping):
        held: list[Any] = [each for each in known if isinstance(each, Mapping)]
        members = cast("Mapping[object, object]", value).items()
        return any(_is_filled(inner, [each.get(key) for each in held]) for key, inner in members)
    is_empty = value is None or (isinstance(value, list) and not value)  # no `==` of an object
    return not is_empty and all(each is None for each in known)


def _texts(values: Iterable[JsonValue], names: Set[str] = frozenset()) -> set[str]:
    """Return the texts in which values and keys were given or sent, except the `names`."""
    found, left = set[str](), list(values)
    for value in left:  # grows while it is read
        if isinstance(value, dict):
            if not value.keys() <= names:
                found |= {key for key in value if key not in names and not key.startswith(ROOT)}
            left += value.values()
        elif isinstance(value, list | tuple):
            left += cast("list[JsonValue]", value)
        else:
            found.update(_texts_of(value))
    return found


def _texts_of(value: object) -> list[str]:
    if isinstance(value, File):
        found = [str(value), value.filename or ""]
        with suppress(UnicodeDecodeError):
            found.append(value.content.decode())
        return found
    if isinstance(value, str):
        found = [str(value)]
        if len(value) >= _SHORTEST_BASE64:  # a method with a `bytes` parameter gets its content
            with suppress(ValueError):
                decoded = urlsafe_b64decode(value.replace("+", "-").replace("/", "_")).decode()
                found.append(decoded if decoded.isprintable() else "")
        return found
    if value is None or isinstance(value, bool):
        return []
    if isinstance(value, int | float):
        return [preview_scalar(value), str(value)]
    with suppress(Exception):  # the application's code may raise anything
        return [str(value)]
    return []
