"""The prompt and the answer's schema for a model without function calling."""
