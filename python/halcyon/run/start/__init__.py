"""Starts of atmosphere and spectral model from files, of other runs or reanalyses, or by their names."""
