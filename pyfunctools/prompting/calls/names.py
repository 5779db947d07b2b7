"""The function that a written name means."""

import re
from collections.abc import Iterable
from typing import Final, cast

from pyfunctools._json import JsonObject, members_of
from pyfunctools._text import shortened
from pyfunctools.errors import wrong_type
from pyfunctools.record.function import Function, contract_of
from pyfunctools.schema.ground.did_you_mean import is_misspelled, letters_of, near_names

_INVALID: Final = re.compile(r"[^A-Za-z0-9_-]")
_MAX_LENGTH: Final = 200
_MAX_CACHED: Final = 64
_AROUND: Final = " \t\r\n`*\"'"


class FunctionNames:
    """Functions by their names, and by the spellings that models use for them.

    Raises:
        DefinitionError: an item is not a `Function`.
    """

    __slots__ = ("_close", "functions")

    def __init__(self, functions: Iterable[Function]) -> None:
        self.functions: dict[str, Function] = {}
        for function in functions_in(functions, "parse_calls"):
            self.functions.setdefault(function.name, function)
        self._close: dict[str, tuple[str, ...]] = {}

    def find(self, written: str) -> Function | None:
        r"""Return the function that a written name means, or `None`.

        It has exactly this name; else this name with `_` for invalid characters (`math.sqrt` for
        `math_sqrt`) and for `\_`; else it is the only function whose name is the end of the written
        name, behind a dot: `functions.get_weather`, `api.math.sqrt`.
        """
        if written in self.functions:
            return self.functions[written]
        name = written.strip(_AROUND).replace("\\_", "_")
        if not name or len(name) > _MAX_LENGTH:
            return None
        function = self.functions.get(_INVALID.sub("_", name))
        if function is not None:
            return function
        parts = _PARTS.split(name)
        ends = {_INVALID.sub("_", ".".join(parts[n:])) for n in range(1, len(parts))}
        if parts[-1] == "call":  # `weather.call(...)`, as Llama 3.1 writes it
            ends.add(_INVALID.sub("_", ".".join(parts[:-1])))
        found = [self.functions[end] for end in ends if end in self.functions]
        return found[0] if len(found) == 1 else None

    def guess(self, written: str) -> Function | None:
        """Return the only function that an unknown name may mean; the caller checks its arguments.

        It has the same letters and digits (`getRate` for `get_rate`), or its name ends with the
        last part of the written name, if this has two words: models drop or shorten the front of a
        name with dots (`get_rate`, `cur.get_rate` for `currency.get_rate`).
        """
        name = written.strip(_AROUND).replace("\\_", "_")
        if len(name) > _MAX_LENGTH:
            return None
        front, _, last = name.rpartition(".")
        letters, end = letters_of(name), "_" + last if "_" in last.strip("_") else "\0"
        found = [
            function
            for other, function in self.functions.items()
            if letters_of(other) == letters or (other.endswith(end) and other.startswith(front))
        ]
        return found[0] if len(found) == 1 else None

    def is_near(self, written: str) -> bool:
        """Return whether a written name is so close to a function's name that it may be meant."""
        name = _INVALID.sub("_", written)
        near = (is_misspelled(name, each) for each in self.close(written))
        return self.guess(written) is not None or any(near)

    def close(self, written: str) -> tuple[str, ...]:
        """Return the function names that are similar to a written one, the closest first.

        After 64 different names the result is empty: each search costs time.
        """
        if written not in self._close:
            if len(self._close) >= _MAX_CACHED:
                return ()
            name = _INVALID.sub("_", shortened(written, 64))
            last = _PARTS.split(written)[-1][:64]
            near = [*near_names(name, self.functions), *near_names(last, self.functions)]
            self._close[written] = tuple(dict.fromkeys(near))[:3]
        return self._close[written]


def properties_of(function: Function) -> JsonObject:
    """Return the properties of a function's parameters."""
    return members_of(contract_of(function).parameters.get("properties"))


def functions_in(given: object, taker: str) -> list[Function]:
    """Return the functions that `taker` was given.

    Raises:
        DefinitionError: these are no functions, or an item is not a `Function`.
    """
    remedy = "Write a controller, or `[function]`; `function_of` and `from_schema` make functions."
    if not isinstance(given, Iterable):
        raise wrong_type(taker, "functions", given, remedy)
    found: list[Function] = []
    for each in cast("Iterable[object]", given):
        if not isinstance(each, Function):
            raise wrong_type(taker, "only `Function`s", each, remedy)
        found.append(each)
    return found


_PARTS: Final = re.compile(r"\.|::|/")
