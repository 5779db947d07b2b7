"""What functions are read from: Python, documents, applications and MCP servers."""
