"""The sources of functions: Python, documents, applications and MCP servers."""
