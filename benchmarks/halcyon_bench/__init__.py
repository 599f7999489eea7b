"""Measurements of Halcyon on this machine; `benchmarks/` sets them beside peers and bars."""
