"""What a schema wants at each place of a value, and which branch of a union was meant."""
