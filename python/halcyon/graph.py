"""Adjacency graphs: partition by METIS."""

from halcyon._core.graph import partition

__all__ = ["partition"]
