"""How much of anything is read or told, in one place."""

from dataclasses import dataclass, fields

from pyfunctools.errors import DefinitionError, wrong_type


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The bounds on hostile input, each settable.

    Sizes are bytes, times are seconds, depths count nested objects and arrays. A value at the limit
    is read; one past it is refused with a clear error.

    Raises:
        DefinitionError: one is no number, or less than 0.
    """

    text: int = 1 << 20
    """Arguments a model wrote, as UTF-8."""
    depth: int = 64
    """Nesting of arguments."""
    issues: int = 32
    """Issues that a feedback text spells out."""
    document: int = 64 << 20
    """An OpenAPI document, as text."""
    document_nodes: int = 2_000_000
    """Objects, arrays and scalars in a document, YAML aliases counted each time."""
    document_depth: int = 256
    """Nesting of a document."""
    response: int = 10 << 20
    """The decoded body of an HTTP answer."""
    deadline: float = 30.0
    """One HTTP call in all: connecting, sending, reading and decoding."""
    redirects: int = 0
    """Redirects that are followed."""
    retries: int = 0
    """How often an idempotent request is sent again."""
    outcome: int = 32_768
    """Characters of an outcome's text."""
    cache: int = 8
    """Renderings that are kept of each function."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value: object = getattr(self, each.name)
            kinds = int | float if each.name == "deadline" else int
            if isinstance(value, bool) or not isinstance(value, kinds) or not value >= 0:
                raise DefinitionError(
                    f"Limits({each.name})",
                    f"{value!r} is no limit.",
                    f"Give a number from 0 on; the default is {each.default!r}.",
                )


DEFAULT_LIMITS = Limits()
"""The limits that hold by default."""


def checked_limits(given: object) -> Limits:
    """Return the limits that were given, by default `Limits()`.

    Raises:
        DefinitionError: they are not a `Limits`.
    """
    if given is None:
        return DEFAULT_LIMITS
    if isinstance(given, Limits):
        return given
    raise wrong_type("limits", "a `Limits`", given, "Write `limits=Limits(deadline=10)`.")
