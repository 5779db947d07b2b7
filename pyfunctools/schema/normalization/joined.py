"""What merging `allOf` leaves in a schema, for when its turn comes: subschemas of three kinds."""

from pyfunctools._json import JsonSchema, JsonValue


class Joined(dict[str, JsonValue]):
    """An `allOf` made by merging: a subschema that several of the merged schemas have."""


class Copied(dict[str, JsonValue]):
    """A subschema that came with a definition: what it refers to is not merged in again.

    So each `allOf` of an author takes in the definitions it names, one level deep, and schemas that
    name each other do not grow without end.
    """


class Settled(dict[str, JsonValue]):
    """A branch of `allOf` that is not merged: it is done but for what lies below it."""


def is_copied(schema: JsonSchema) -> bool:
    """Return whether all that a schema says came with definitions that were merged in."""
    if isinstance(schema, Joined) and isinstance(branches := schema["allOf"], list):
        return all(isinstance(branch, Copied | bool) for branch in branches)
    return isinstance(schema, Copied)
