"""The calls in the output of a model, in the notation of any model family."""
