"""How each vendor wraps functions, a model's turn, and the results of its calls.

`envelope.py` has what they share, `vendors.envelope_of` returns the envelope of a dialect; all are
imported with `vendors`. Envelopes and `reply`, which reads responses for `parse_calls`, share
`blocks`.
"""
