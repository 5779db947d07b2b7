"""Runs calls: Python functions in this process, HTTP requests, applications, MCP servers.

Only this package does input and output. `request` is pure: it makes a request, as data, from a
route and arguments. `http` sends it.
"""
