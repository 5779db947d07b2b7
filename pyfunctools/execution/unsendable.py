"""`UnsendableError`: a value that cannot be written where it has to stand."""


class UnsendableError(Exception):
    """A value that cannot be written where it has to stand. Never leaves this room.

    `expected` says what could be, in one line; `keys` lead from the parameter to the place.
    """

    def __init__(self, expected: str, keys: tuple[str | int, ...] = ()) -> None:
        super().__init__(expected)
        self.expected = expected
        self.keys = keys
