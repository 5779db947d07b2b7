"""Whether a value is valid, and why not. `validate` is the verb; `Validator` is for many values."""
