"""Adjacency graphs: partition by METIS, and orders in which neighbours are near in memory."""

from halcyon._core.graph import ORDERS, bfs_order, hilbert_order, morton_order, partition, rcm_order

__all__ = ["ORDERS", "bfs_order", "hilbert_order", "morton_order", "partition", "rcm_order"]
