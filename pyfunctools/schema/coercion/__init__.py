"""From a value in a wrong spelling to the value that was meant. `coerce` is the verb."""
