"""Shared by all packages of the engine: paths, walks, references, JSON values and previews."""
