"""From a model's text to a JSON value. `parse` is the verb."""
