"""Shared by every room of the engine: paths, walks, references, JSON values and previews."""
