"""The conversation and the prompt."""
