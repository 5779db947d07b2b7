"""Function calling in plain text: the prompt for a model, and the calls in its answer."""
