"""Converts values of a wrong type, such as `"4"` for `4`, without loss. `coerce` is the verb."""
