"""Which function a written name means."""

import re
from collections.abc import Iterable
from typing import Final

from pyfunctools._json import JsonObject, members_of
from pyfunctools._text import shortened
from pyfunctools.errors import DefinitionError
from pyfunctools.record.function import Function, contract_of
from pyfunctools.schema.ground.did_you_mean import near_names

_ODD: Final = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST: Final = 200
_MOST_CLOSE: Final = 64
_ALIKE: Final = 0.8
_AROUND: Final = " \t\r\n`*\"'"


class FunctionNames:
    """The functions by name, and by the ways in which models write their names.

    Raises:
        DefinitionError: one of them is no `Function`.
    """

    __slots__ = ("_close", "_found", "functions")

    def __init__(self, functions: Iterable[Function]) -> None:
        self.functions: dict[str, Function] = {}
        if not isinstance(functions, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise _no_function(functions)
        for function in functions:
            if not isinstance(function, Function):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise _no_function(function)
            self.functions.setdefault(function.name, function)
        self._found: dict[str, Function | None] = {}
        self._close: dict[str, tuple[str, ...]] = {}

    def find(self, written: str) -> Function | None:
        r"""Return the function that a written name means, or `None`.

        That is the one of exactly this name; else of this name with `_` for what no name has
        (`math.sqrt` for `math_sqrt`), `\_` being a `_`; else the only one whose name is what the
        written one ends in, behind a dot: `functions.get_weather`, `api.math.sqrt`.
        """
        function = self.functions.get(written)
        if function is not None:
            return function
        if written not in self._found:
            self._found[written] = self._search(written)
        return self._found[written]

    def _search(self, written: str) -> Function | None:
        name = written.strip(_AROUND).replace("\\_", "_")
        if not name or len(name) > _LONGEST:
            return None
        function = self.functions.get(_ODD.sub("_", name))
        if function is not None:
            return function
        parts = _PARTS.split(name)
        ends = {_ODD.sub("_", ".".join(parts[n:])) for n in range(1, len(parts))}
        if parts[-1] == "call":  # `weather.call(...)`, as Llama 3.1 writes it
            ends.add(_ODD.sub("_", ".".join(parts[:-1])))
        found = [self.functions[end] for end in ends if end in self.functions]
        return found[0] if len(found) == 1 else None

    def short(self, written: str) -> Function | None:
        """Return the only function that may be meant by a name nobody has, if its arguments fit.

        That is one of the same letters and digits (`getRate` for `get_rate`), or one whose name
        ends in all of a written one of two words: models leave the front of a name away that was
        written with dots for them, or shorten it (`get_rate`, `cur.get_rate` for
        `currency.get_rate`).
        """
        name = written.strip(_AROUND).replace("\\_", "_")
        if len(name) > _LONGEST:
            return None
        front, _, last = name.rpartition(".")
        said, end = _spoken(name), "_" + last if "_" in last.strip("_") else "\0"
        found = [
            function
            for other, function in self.functions.items()
            if _spoken(other) == said or (other.endswith(end) and other.startswith(front))
        ]
        return found[0] if len(found) == 1 else None

    def alike(self, written: str) -> bool:
        """Return whether a written name is so near to that of a function that it may be meant."""
        from difflib import SequenceMatcher

        if self.short(written) is not None:
            return True

        return any(
            SequenceMatcher(None, _ODD.sub("_", shortened(written, 64)), name).ratio() > _ALIKE
            for name in self.close(written)
        )

    def close(self, written: str) -> tuple[str, ...]:
        """Return the names that resemble a written one, the closest first.

        Only the first 64 names are looked up.
        """
        if written not in self._close:
            if len(self._close) >= _MOST_CLOSE:
                return ()
            self._close[written] = self._resembling(written)
        return self._close[written]

    def _resembling(self, written: str) -> tuple[str, ...]:
        name = _ODD.sub("_", shortened(written, 64))
        last = _PARTS.split(written)[-1][:64]
        near = [*near_names(name, self.functions), *near_names(last, self.functions)]
        return tuple(dict.fromkeys(near))[:3]


def _spoken(name: str) -> str:
    """Return the letters and digits of a name."""
    return "".join(filter(str.isalnum, name)).lower()


def properties_of(function: Function) -> JsonObject:
    """Return the properties of a function's parameters."""
    return members_of(contract_of(function).parameters.get("properties"))


def _no_function(given: object) -> DefinitionError:
    return DefinitionError(
        "parse_calls",
        f"A {type(given).__name__} is not a function record.",
        "Give the `functions` of a controller, or what `function_of` or `from_schema` gives.",
    )


_PARTS: Final = re.compile(r"\.|::|/")
