"""A call with everything in it, whose `repr` tells nothing of that."""

from functools import partial


class BoundCall(partial[object]):
    """A callable with its arguments: a frame of a traceback that shows its locals shows none."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<call with {len(self.args) + len(self.keywords)} arguments>"
