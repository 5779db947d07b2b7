"""A call with its arguments, and a `repr` that hides them."""

from functools import partial


class BoundCall(partial[object]):
    """A callable with its arguments; its `repr` hides them, also in a traceback with variables."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<call with {len(self.args) + len(self.keywords)} arguments>"
