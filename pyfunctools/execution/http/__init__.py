"""HTTP: the only room that names an HTTP library."""
