"""Tools for tests: a scripted model and person, a strategy of arguments, a fuzzer.

They work with any controller; `Controller.replaced` replaces the code of some of its functions.
`arguments` and `fuzz` need hypothesis: `pip install 'pyfunctools-llm[testing]'`.
"""

from typing import TYPE_CHECKING

from pyfunctools._face import lazy_face

if TYPE_CHECKING:
    from pyfunctools.testing.scripted import ScriptedModel as ScriptedModel
    from pyfunctools.testing.scripted import ScriptedPerson as ScriptedPerson
    from pyfunctools.testing.strategies import Finding as Finding
    from pyfunctools.testing.strategies import arguments as arguments, fuzz as fuzz

_HOMES = {"strategies": "Finding arguments fuzz", "scripted": "ScriptedModel ScriptedPerson"}
__all__, __getattr__, __dir__ = lazy_face(__name__, _HOMES)
