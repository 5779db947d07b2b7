"""What each vendor's schemas may say, as dated data, and the rewrites that make a schema say it.

`render` is the verb; the vendors are rows of `table`.
"""
