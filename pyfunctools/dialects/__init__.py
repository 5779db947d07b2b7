"""The schemas that each vendor accepts, as dated data, and the rewrites that make them.

`render` is the verb; the vendors are rows of `table`.
"""
