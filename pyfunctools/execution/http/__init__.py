"""HTTP: the only package that imports an HTTP library."""
