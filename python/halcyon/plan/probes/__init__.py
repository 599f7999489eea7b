"""Benchmarks of a model step on this machine, for `halcyon plan` and `halcyon bench`."""
