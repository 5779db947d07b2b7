"""Makes an HTTP request from a route and arguments; nothing is sent here."""
