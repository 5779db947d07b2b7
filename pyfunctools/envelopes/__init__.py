"""How each vendor wraps functions, a model's turn, and the results of its calls.

`vendors.envelope_of` is the door. The vendors are a file each, over one reader of blocks
(`blocks`), which reads for `parse_calls` too; `envelope` is what they have in common.
"""
