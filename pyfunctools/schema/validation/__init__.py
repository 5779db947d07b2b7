"""Whether a value is right, and why not. `validate` and `Validator` are the verbs."""
