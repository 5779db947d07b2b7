"""Random functions with a human part, and the search for its values in a text."""

import copy
import json
from collections.abc import Callable
from random import Random
from typing import Any

from random_schemas import HUMAN, MARK, Schemas

from pyfunctools import Function
from pyfunctools.errors import DefinitionError, SchemaError

NUMBER = 73737000
"""Numbers of the human's begin with these digits."""

MENTIONING = {"const", "default", "dependentRequired", "enum", "examples", "required"}


def _count(**arguments: Any) -> int:
    return len(arguments)


def random_function(random: Random, handler: Callable[..., object] = _count) -> Function:
    """Return a function with random parameters, which may be human at any place."""
    while True:
        parameters = Schemas(random, marks=True).root()
        if parameters.get("type") != "object":
            continue
        before = copy.deepcopy(parameters)
        try:
            function = Function.from_schema(name="f", parameters=parameters, handler=handler)
        except (DefinitionError, SchemaError):  # null is valid too, or a reference refers to itself
            continue
        assert parameters == before
        if function.separated is not None and not contradicts_itself(function.parameters):
            return function


def contradicts_itself(schema: Any) -> bool:
    """Return whether a closed object mentions a name that it excludes, which then has no owner.

    Contradicting members of `allOf` are merged to such objects.
    """
    if isinstance(schema, list):
        return any(map(contradicts_itself, schema))
    if not isinstance(schema, dict):
        return False
    mentions = {key: inner for key, inner in schema.items() if key in MENTIONING}
    is_closed = schema.get("additionalProperties") is False
    lacking = [name for name in HUMAN if name not in schema.get("properties", {})]
    if is_closed and any(name in json.dumps(mentions) for name in lacking):
        return True
    return any(map(contradicts_itself, schema.values()))


def leaked(text: str, wrote: str) -> list[str]:
    words = (MARK, str(NUMBER)[:5], *HUMAN)
    return [word for word in words if word in text and word not in wrote]
