"""Python classes and callables as functions: type hints, docstrings and the decorator.

The records of this room are named tuples: to define a frozen dataclass takes half a millisecond,
and a program that lists its functions defines all of these first.
"""
