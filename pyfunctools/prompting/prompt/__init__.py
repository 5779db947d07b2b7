"""The prompt, and the schema of the answer, for a model without function calling."""
