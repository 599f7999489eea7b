"""What a decomposition gives each rank and what it costs in messages, from one process for any run."""

from halcyon.decomposition.nodes import Traffic, block_map, reordered_map, traffic
from halcyon.decomposition.part import Part, decompose
from halcyon.decomposition.volumes import Volumes, halo_volumes

__all__ = [
    "Part",
    "Traffic",
    "Volumes",
    "block_map",
    "decompose",
    "halo_volumes",
    "reordered_map",
    "traffic",
]
