"""The limits of everything that is read, written or kept."""

from dataclasses import dataclass, fields
from math import inf

from pyfunctools.errors import DefinitionError, wrong_type


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits that protect against hostile input.

    Sizes are in bytes, times in seconds; depths count nested objects and arrays. A value at its
    limit is accepted; a larger one is rejected. Texts for the model (`issues`, `outcome`) are
    shortened instead, and of the cached renderings the oldest are dropped.

    Raises:
        DefinitionError: a limit is not a number, less than 0, or a time of more than 1e9 s.
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
    call: float | None = None
    """One call of a function in this process; there is no limit without it."""
    redirects: int = 0
    """Redirects that are followed."""
    retries: int = 0
    """How often an idempotent request is repeated, after the pause that the server asks for."""
    outcome: int = 32_768
    """Characters of the text of an outcome."""
    cache: int = 8
    """Renderings that are cached for each function."""

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramLimits:
    """The limits of one program that a model wrote; see `Controller.programs`.

    A program at its limits runs to its end; beyond one of them it is stopped.

    Raises:
        DefinitionError: a limit is not a number, or less than 0.
    """

    seconds: float = 10.0
    """The time that it computes; waiting for its calls and for a person does not count."""
    memory: int = 64 << 20
    """Bytes of its values, and of the check of its types."""
    calls: int = 200
    """The calls that it makes."""
    output: int = 32_768
    """The characters that it prints."""
    depth: int = 100
    """Calls of its own functions inside each other."""

    def __post_init__(self) -> None:
        _check(self)


def _check(limits: Limits | ProgramLimits) -> None:
    for each in fields(limits):
        value: object = getattr(limits, each.name)
        if value is None and each.default is None:
            continue
        is_time = each.name in ("deadline", "call", "seconds")
        most, up = (1e9, "to 1e9") if is_time else (inf, "up")
        kinds = int | float if is_time else int
        if isinstance(value, bool) or not isinstance(value, kinds) or not 0 <= value <= most:
            raise DefinitionError(
                f"{type(limits).__name__}({each.name})",
                f"{value!r} is not a valid limit.",
                f"Write a number from 0 {up}; the default is {each.default!r}.",
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


def limits_of_methods(given: object) -> Limits:
    """Return the given limits for functions of this process, by default `Limits()`.

    Raises:
        DefinitionError: as `checked_limits`, or the time is limited for HTTP calls only.
    """
    limits = checked_limits(given)
    if limits.call is None and limits.deadline != DEFAULT_LIMITS.deadline:
        reason = "`deadline` is for HTTP calls, and these functions run in this process."
        raise DefinitionError("limits", reason, f"Write `Limits(call={limits.deadline:g})`.")
    return limits
