"""Measurements of Halcyon on this machine; `benchmarks/` compares them with other software and thresholds."""
