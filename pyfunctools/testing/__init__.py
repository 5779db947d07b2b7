"""What tests of functions are made of: scripted models and persons, arguments, mistakes, a fuzzer.

A controller under test is an ordinary one; `Controller.replaced` puts other code behind some of its
functions. Strategies and `fuzz` need hypothesis: `pip install 'pyfunctools[testing]'`.
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
    # Lazily: whoever writes a script for a model needs no hypothesis.
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_FROM[name]}"), name)
