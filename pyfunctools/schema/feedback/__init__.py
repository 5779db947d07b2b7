"""The text about invalid arguments, for the model that sent them or for a person; JSON to read."""
