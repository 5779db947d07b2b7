"""The schema engine: pure functions over JSON Schema, the same for every source.

Its verbs are `normalize`, `parse`, `coerce`, `validate`, `separate` and `merge`. They never raise
on a value (they return `Success` or `Failure`) and never change their arguments. Each is imported
when it is first used.
"""

from typing import TYPE_CHECKING

from pyfunctools._face import lazy_face

if TYPE_CHECKING:
    from pyfunctools.schema.coercion.coerce import coerce as coerce
    from pyfunctools.schema.ground.issue import Side as Side
    from pyfunctools.schema.ground.path import Path as Path
    from pyfunctools.schema.normalization.normalize import normalize as normalize
    from pyfunctools.schema.parsing.parse import parse as parse
    from pyfunctools.schema.result import (
        Failure as Failure,
        Issue as Issue,
        Repair as Repair,
        Result as Result,
        Success as Success,
    )
    from pyfunctools.schema.separation.separate import (
        Separated as Separated,
        merge as merge,
        separate as separate,
    )
    from pyfunctools.schema.validation.validator import Validator as Validator, validate as validate

_HOMES = {
    "coercion.coerce": "coerce",
    "ground.path": "Path",
    "normalization.normalize": "normalize",
    "parsing.parse": "parse",
    "ground.issue": "Issue Side",
    "result": "Failure Repair Result Success",
    "separation.separate": "Separated merge separate",
    "validation.validator": "Validator validate",
}
__all__, __getattr__, __dir__ = lazy_face(__name__, _HOMES)
