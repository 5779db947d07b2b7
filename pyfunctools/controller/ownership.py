"""Whose a place is where nobody said otherwise, without loading the engine to name it."""

from typing import TYPE_CHECKING, cast

from pyfunctools._json import JsonSchema

if TYPE_CHECKING:
    from pyfunctools.schema.ground.path import Path
    from pyfunctools.schema.separation.predicates import IsHuman


def default(path: "Path", schema: JsonSchema) -> bool:
    """Return whether a place is the human's where nobody said otherwise.

    See `pyfunctools.schema.separation.predicates.is_human_by_default`, which this is.
    """
    from pyfunctools.schema.separation.predicates import is_human_by_default

    return is_human_by_default(path, schema)


def predicate_of(given: object) -> "IsHuman | None":
    """Return what decides whose a place is, `default` being what it stands for.

    Raises:
        DefinitionError: it is neither a function nor `None`.
    """
    from pyfunctools.schema.separation.predicates import check_predicate, is_human_by_default

    check_predicate(given)
    return is_human_by_default if given is default else cast("IsHuman | None", given)
