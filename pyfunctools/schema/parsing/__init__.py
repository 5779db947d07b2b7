"""Parses a model's text, which may be broken JSON, as a JSON value. `parse` is the verb."""
