"""What a decomposition gives each rank and what it costs in messages, from one process for any run."""

from halcyon._core.decomposition import Decomposition
from halcyon.decomposition.areas import Areas, Places, areas_of, places_of
from halcyon.decomposition.nodes import Traffic, block_map, reordered_map, traffic
from halcyon.decomposition.volumes import Volumes, halo_volumes

__all__ = [
    "Areas",
    "Decomposition",
    "Places",
    "Traffic",
    "Volumes",
    "areas_of",
    "block_map",
    "halo_volumes",
    "places_of",
    "reordered_map",
    "traffic",
]
