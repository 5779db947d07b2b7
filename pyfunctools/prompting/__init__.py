"""For models that call functions in plain text: what they are told, and what they wrote."""
