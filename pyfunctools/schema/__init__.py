"""The schema engine: pure functions over JSON Schema, the same for every source.

Its verbs are `normalize`, `parse`, `coerce`, `validate`, `separate` and `merge`. None of them
raises on a value: they answer `Success` or `Failure`. None changes what it is given.
"""

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
