"""Python classes and callables as functions: type hints, docstrings and the decorator.

The records here are named tuples: defining a frozen dataclass takes half a millisecond, and a
program that lists its functions would have to define all of them first.
"""
