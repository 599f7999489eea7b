"""Halcyon: weather and ocean-wave models in parallel on the sphere."""

__version__ = "0.1.0"
