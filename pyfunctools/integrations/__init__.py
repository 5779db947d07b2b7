"""A controller in other SDKs: one module for each, imported by its own name."""
