"""The calls in what a model wrote, whatever its family's habit."""
