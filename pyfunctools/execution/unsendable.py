"""`UnsendableError`: a value that cannot be written in a request."""


class UnsendableError(Exception):
    """A value that cannot be written in a request. Never leaves `execution`.

    `expected` describes a valid value in one line; `keys` lead from the parameter to the value.
    """

    def __init__(self, expected: str, keys: tuple[str | int, ...] = ()) -> None:
        super().__init__(expected)
        self.expected = expected
        self.keys = keys
