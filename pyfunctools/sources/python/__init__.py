"""Python classes and callables as functions: type hints, docstrings and the decorator."""
