"""The schema engine: pure functions over JSON Schema, the same for every source.

Its verbs are `normalize`, `parse`, `coerce`, `validate`, `separate` and `merge`. They never raise
on a value (they return `Success` or `Failure`) and never change their arguments. Each is imported
when it is first used.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyfunctools.schema.coercion.coerce import coerce
    from pyfunctools.schema.ground.issue import Side
    from pyfunctools.schema.ground.path import Path
    from pyfunctools.schema.normalization.normalize import normalize
    from pyfunctools.schema.parsing.parse import parse
    from pyfunctools.schema.result import Failure, Issue, Repair, Result, Success
    from pyfunctools.schema.separation.separate import Separated, merge, separate
    from pyfunctools.schema.validation.validator import Validator, validate

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
    "coercion.coerce": ("coerce",),
    "ground.path": ("Path",),
    "normalization.normalize": ("normalize",),
    "parsing.parse": ("parse",),
    "ground.issue": ("Issue", "Side"),
    "result": ("Failure", "Repair", "Result", "Success"),
    "separation.separate": ("Separated", "merge", "separate"),
    "validation.validator": ("Validator", "validate"),
}
_HOME_OF = {name: f"{__name__}.{home}" for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(__import__(home, fromlist=[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
