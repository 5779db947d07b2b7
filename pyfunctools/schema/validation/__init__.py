"""Whether a value is valid, and why not. The verb is `validate`; `Validator` is for many values."""
