"""How each vendor wraps functions, a model's turn, and the results of its calls.

`vendors.envelope_of` returns the envelope of a dialect. Each is one file; all are imported with
`vendors`. Envelopes and `reply`, which reads responses for `parse_calls`, share `blocks`.
"""

from pyfunctools.envelopes.envelope import (
    CallResult,
    Delta,
    Ended,
    Envelope,
    ModelCall,
    ModelTurn,
    ResultWriter,
    StreamReader,
)

__all__ = [
    "CallResult",
    "Delta",
    "Ended",
    "Envelope",
    "ModelCall",
    "ModelTurn",
    "ResultWriter",
    "StreamReader",
]
