"""How each vendor wraps functions, a model's turn, and the results of its calls.

`envelope_of` is the verb. The vendors are a file each, over one reader of blocks (`blocks`), which
`parse_calls` uses too (`reply`): so they are loaded only when they are asked for.
"""

from typing import TYPE_CHECKING

from pyfunctools.envelopes.envelope import (
    Answering,
    CallResult,
    Delta,
    Envelope,
    Spoken,
    SpokenCall,
    StreamReading,
)

if TYPE_CHECKING:
    from pyfunctools.envelopes.vendors import ENVELOPES, envelope_of

__all__ = [
    "ENVELOPES",
    "Answering",
    "CallResult",
    "Delta",
    "Envelope",
    "Spoken",
    "SpokenCall",
    "StreamReading",
    "envelope_of",
]


def __getattr__(name: str) -> object:
    if name not in ("ENVELOPES", "envelope_of"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pyfunctools.envelopes import vendors

    return getattr(vendors, name)
