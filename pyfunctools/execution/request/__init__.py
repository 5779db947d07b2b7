"""The HTTP request, as data, for a route and arguments. Nothing is sent here.

A value that cannot be sent is an `UnsendableError`, of which `assembly` makes an issue; a wrong
setting of the program is a `DefinitionError`.
"""
