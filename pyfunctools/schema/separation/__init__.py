"""The model's and the human's side of a schema. `separate` and `merge` are the verbs."""
