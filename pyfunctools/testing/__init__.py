"""Tools for tests: scripted models and persons, strategies of arguments and mistakes, a fuzzer.

They work with any controller; `Controller.replaced` replaces the code of some of its functions.
Strategies and `fuzz` need hypothesis: `pip install 'pyfunctools-llm[testing]'`.
"""

from typing import TYPE_CHECKING

from pyfunctools._face import lazy_face

if TYPE_CHECKING:
    from pyfunctools.testing.scripted import ScriptedModel as ScriptedModel
    from pyfunctools.testing.scripted import ScriptedPerson as ScriptedPerson
    from pyfunctools.testing.spoiling import Mistake as Mistake
    from pyfunctools.testing.strategies import Finding as Finding, arguments as arguments
    from pyfunctools.testing.strategies import fuzz as fuzz, mistakes as mistakes

_HOMES = {
    "strategies": "Finding arguments fuzz mistakes",
    "spoiling": "Mistake",
    "scripted": "ScriptedModel ScriptedPerson",
}
__all__, __getattr__, __dir__ = lazy_face(__name__, _HOMES)
