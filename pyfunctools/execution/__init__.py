"""Runs calls: Python functions in this process, HTTP requests, applications, MCP servers.

`pipeline` has the steps of a call, `person` those in which a person takes part. A runner runs the
function: `local`, `http`, `asgi` or `mcp`. `request` makes an HTTP request, as data, of a route and
arguments; `http` sends it.
"""
