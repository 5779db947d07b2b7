"""A route and arguments -> the HTTP request that they are; nothing is sent here."""
