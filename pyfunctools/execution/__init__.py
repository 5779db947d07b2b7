"""Runs calls: Python functions in this process, HTTP requests, applications, MCP servers.

Only this package does input and output. `request` and its modules are pure: they make a request, as
data, of a route and arguments. `http` sends it.
"""
