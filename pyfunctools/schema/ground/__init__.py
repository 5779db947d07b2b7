"""What every room of the engine stands on: paths, walks, references, JSON values and previews."""
