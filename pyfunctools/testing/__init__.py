"""Tools for tests: scripted models and persons, strategies of arguments and mistakes, a fuzzer.

They work with any controller; `Controller.replaced` replaces the code of some of its functions.
Strategies and `fuzz` need hypothesis: `pip install 'pyfunctools-llm[testing]'`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyfunctools.testing.scripted import ScriptedModel, ScriptedPerson
    from pyfunctools.testing.spoiling import Mistake
    from pyfunctools.testing.strategies import Finding, arguments, fuzz, mistakes

__all__ = [
    "Finding",
    "Mistake",
    "ScriptedModel",
    "ScriptedPerson",
    "arguments",
    "fuzz",
    "mistakes",
]

_FROM = {
    "Finding": "strategies",
    "Mistake": "spoiling",
    "ScriptedModel": "scripted",
    "ScriptedPerson": "scripted",
    "arguments": "strategies",
    "fuzz": "strategies",
    "mistakes": "strategies",
}


def __getattr__(name: str) -> object:
    # Lazily: scripted models and persons work without hypothesis.
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_FROM[name]}"), name)
