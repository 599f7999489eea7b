"""The wave model."""
