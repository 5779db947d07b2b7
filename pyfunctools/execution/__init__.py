"""What carries a call out: a Python callable in process, an HTTP request, an MCP session.

The only wing of the house with input and output. `request` and everything it is made of is pure:
a route and arguments become a request, as data. `http` sends it.
"""
