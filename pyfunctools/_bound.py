"""A function call with its arguments, whose `repr` does not show them."""

from functools import partial


class BoundCall(partial[object]):
    """A callable with its arguments; a traceback that shows local variables does not show them."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<call with {len(self.args) + len(self.keywords)} arguments>"
