"""The limits of everything that is read, written or kept."""

from dataclasses import dataclass, fields

from pyfunctools.errors import DefinitionError, wrong_type


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits that protect against hostile input.

    Sizes are in bytes, times in seconds; depths count nested objects and arrays. A value at its
    limit is accepted; a larger one is rejected. Texts for the model (`issues`, `outcome`) are
    shortened instead, and of the cached renderings the oldest are dropped.

    Raises:
        DefinitionError: a limit is not a number, or less than 0.
    """

    text: int = 1 << 20
    """Arguments from a model, as UTF-8."""
    depth: int = 64
    """Nesting of arguments."""
    issues: int = 32
    """Issues in a feedback text."""
    document: int = 64 << 20
    """An OpenAPI document, as text."""
    document_nodes: int = 2_000_000
    """Objects, arrays and scalars in a document; each use of a YAML alias counts."""
    document_depth: int = 256
    """Nesting of a document."""
    response: int = 10 << 20
    """The decoded body of an HTTP response."""
    deadline: float = 30.0
    """One HTTP call: connecting, sending, reading and decoding together."""
    redirects: int = 0
    """Redirects that are followed."""
    retries: int = 0
    """How often an idempotent request is repeated."""
    outcome: int = 32_768
    """Characters of the text of an outcome."""
    cache: int = 8
    """Renderings that are cached for each function."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value: object = getattr(self, each.name)
            kinds = int | float if each.name == "deadline" else int
            if isinstance(value, bool) or not isinstance(value, kinds) or not value >= 0:
                raise DefinitionError(
                    f"Limits({each.name})",
                    f"{value!r} is not a valid limit.",
                    f"Write a number from 0 up; the default is {each.default!r}.",
                )


DEFAULT_LIMITS = Limits()
"""The default limits."""


def checked_limits(given: object) -> Limits:
    """Return the given limits, by default `Limits()`.

    Raises:
        DefinitionError: the argument is not a `Limits`.
    """
    if given is None:
        return DEFAULT_LIMITS
    if isinstance(given, Limits):
        return given
    raise wrong_type("limits", "a `Limits`", given, "Write `limits=Limits(deadline=10)`.")
