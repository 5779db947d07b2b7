"""Whether a value is valid, and all its issues. `validate` is the verb."""
