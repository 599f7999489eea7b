"""Simulations in Python: models that a program or a notebook drives, and the results of runs.

Their names are those of the package `halcyon`."""
