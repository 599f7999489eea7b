"""Scaling of a model on a machine, from measured computation and simulated communication."""
