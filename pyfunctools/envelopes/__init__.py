"""How each vendor wraps functions, a model's turn, and the results of its calls.

`envelope_of` returns an envelope by its name. Each is one file; all are imported when the first is
used (`vendors`). Envelopes and `reply`, which reads responses for `parse_calls`, share `blocks`.
"""

from typing import TYPE_CHECKING

from pyfunctools.envelopes.envelope import (
    CallResult,
    Delta,
    Envelope,
    ModelCall,
    ModelTurn,
    ResultWriter,
    StreamReader,
)

if TYPE_CHECKING:
    from pyfunctools.envelopes.vendors import ENVELOPES, envelope_of

__all__ = [
    "ENVELOPES",
    "CallResult",
    "Delta",
    "Envelope",
    "ModelCall",
    "ModelTurn",
    "ResultWriter",
    "StreamReader",
    "envelope_of",
]


def __getattr__(name: str) -> object:
    if name not in ("ENVELOPES", "envelope_of"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pyfunctools.envelopes import vendors

    return getattr(vendors, name)
