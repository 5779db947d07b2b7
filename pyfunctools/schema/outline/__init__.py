"""The parts of a schema that apply to each place in a value, and the branch of a union for it."""
