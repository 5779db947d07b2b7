"""HTTP requests, sent and answered: the only package that imports an HTTP library."""
