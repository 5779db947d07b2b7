"""A value in a wrong spelling -> the value that was meant. The verb is `coerce`."""
