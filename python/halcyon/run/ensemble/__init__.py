"""Ensembles of runs of a wave case: their members, runs and statistics."""
