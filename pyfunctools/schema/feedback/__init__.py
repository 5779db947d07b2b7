"""The text a model is sent about what is wrong with its arguments."""
