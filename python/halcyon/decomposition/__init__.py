"""What a decomposition gives each rank and what it costs in messages, from one process for any run."""

from halcyon._core.decomposition import Decomposition, LocalMesh, Slice
from halcyon.decomposition.local_mesh import Areas, Places, areas_of, decompose, places_of, read_local_mesh
from halcyon.decomposition.nodes import Traffic, block_map, reordered_map, traffic
from halcyon.decomposition.volumes import Volumes, halo_volumes, schedule_volumes

__all__ = [
    "Areas",
    "Decomposition",
    "LocalMesh",
    "Places",
    "Slice",
    "Traffic",
    "Volumes",
    "areas_of",
    "block_map",
    "decompose",
    "halo_volumes",
    "places_of",
    "read_local_mesh",
    "reordered_map",
    "schedule_volumes",
    "traffic",
]
