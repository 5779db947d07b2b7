"""The HTTP request, as data, for a route and arguments. Nothing is sent here."""
