"""Which arrays are sets: JSON Schema says `uniqueItems` of them, and of some lists.

A set that a model filled twice is the same set. A list in which nothing may stand twice may have
been meant otherwise, so for one such list in a function nothing is taken for a set.
"""

from pyfunctools._json import JsonSchema
from pyfunctools.schema.ground.walk import subschemas

SET = "x-pyfunctools-set"
"""What the generator writes beside the `uniqueItems` of a set, until `only_sets` takes it out."""


def only_sets(schema: JsonSchema) -> bool:
    """Return whether every array of `uniqueItems` is a set, and take what says so out of it."""
    only = True
    for _, inner in subschemas(schema):
        if isinstance(inner, dict):
            is_set = inner.pop(SET, None) is not None
            only = only and (is_set or inner.get("uniqueItems") is not True)
    return only
