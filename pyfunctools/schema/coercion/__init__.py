"""A value -> what the schema says a wrong spelling must have meant. `coerce` is the verb."""
