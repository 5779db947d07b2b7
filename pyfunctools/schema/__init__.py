"""The schema engine: pure functions over JSON Schema, the same for every source.

Its verbs are `normalize`, `parse`, `coerce`, `validate`, `separate` and `merge`. None of them
raises on a value: they answer `Success` or `Failure`. None changes what it is given. Each is loaded
when it is first asked for.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyfunctools.schema.coerce import coerce
    from pyfunctools.schema.merge import merge
    from pyfunctools.schema.normalize import normalize
    from pyfunctools.schema.parse import parse
    from pyfunctools.schema.path import Path
    from pyfunctools.schema.result import Failure, Issue, Repair, Result, Side, Success
    from pyfunctools.schema.separate import Separated, separate
    from pyfunctools.schema.validate import Validator, validate

__all__ = [
    "Failure",
    "Issue",
    "Path",
    "Repair",
    "Result",
    "Separated",
    "Side",
    "Success",
    "Validator",
    "coerce",
    "merge",
    "normalize",
    "parse",
    "separate",
    "validate",
]

_HOMES = {
    "coerce": ("coerce",),
    "merge": ("merge",),
    "normalize": ("normalize",),
    "parse": ("parse",),
    "path": ("Path",),
    "result": ("Failure", "Issue", "Repair", "Result", "Side", "Success"),
    "separate": ("Separated", "separate"),
    "validate": ("Validator", "validate"),
}
_HOME_OF = {name: f"{__name__}.{home}" for home, names in _HOMES.items() for name in names}


class _Face(ModuleType):
    """This module, in which the name that a verb shares with its file is always the verb."""

    def __setattr__(self, name: str, value: object) -> None:
        # Python sets each file that it has loaded as an attribute of the package.
        if isinstance(value, ModuleType) and name in __all__:
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Face


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(__import__(home, fromlist=[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
