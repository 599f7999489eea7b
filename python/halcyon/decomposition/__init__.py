"""Decompositions of a mesh among ranks, and the cost of their halo exchanges, which one process can compute
for a run with any number of ranks."""

from halcyon._core.decomposition import Decomposition, LocalMesh, Slice
from halcyon.decomposition.local_mesh import (
    Areas,
    EntityAreas,
    areas_of,
    decompose,
    entity_areas_of,
    read_local_mesh,
)
from halcyon.decomposition.nodes import Traffic, block_map, reordered_map, traffic
from halcyon.decomposition.volumes import Volumes, halo_volumes, schedule_volumes
from halcyon.deprecated import provide

__all__ = [
    "Areas",
    "Decomposition",
    "EntityAreas",
    "LocalMesh",
    "Slice",
    "Traffic",
    "Volumes",
    "areas_of",
    "block_map",
    "decompose",
    "entity_areas_of",
    "halo_volumes",
    "read_local_mesh",
    "reordered_map",
    "schedule_volumes",
    "traffic",
]

provide(__name__)
