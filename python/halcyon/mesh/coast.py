"""Land polygons: GSHHG's binned shorelines, from Debian's package gmt-gshhg-low, or a GeoJSON file.

GSHHG (Wessel and Smith 1996) splits its polygons into bins of equal size in longitude and latitude. A bin has
segments of shoreline and the level (0 sea, 1 land, 2 lake, ...) of its corners.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import shapely
from shapely import affinity

from halcyon.base import EARTH_RADIUS, ConfigError, InputError
from halcyon.mesh.geojson import read_polygons
from halcyon.mesh.spec import GSHHG

if TYPE_CHECKING:
    from halcyon.mesh.spec import Coast


RESOLUTIONS = "cli"  # coarse, low, intermediate
LAND_LEVELS = (1, 5)  # shores of continents and islands, and the edge of Antarctica's ice
CLOSED = 4  # value of the entry side for a segment that is closed within its bin
FULL = 65535  # size of a bin in the units of its points


def shoreline_file(resolution: str) -> Path:
    """Returns the path of the GSHHG file of a resolution c, l or i.

    Raises ConfigError for another resolution, InputError if the file is not installed."""
    if len(resolution) != 1 or resolution not in RESOLUTIONS:
        raise ConfigError(
            f"coast resolution is '{resolution}', but GSHHG has c (25 km), l (5 km) and i (1 km) here."
        )
    path = GSHHG / f"binned_GSHHS_{resolution}.nc"
    if not path.is_file():
        raise InputError(
            f"The shoreline file {path} is missing. Install the Debian package gmt-gshhg-low "
            "(apt-get install gmt-gshhg-low), or give a GeoJSON file of land as coast source."
        )
    return path


def land(resolution: str, box: tuple[float, float, float, float]) -> shapely.MultiPolygon:
    """Returns the land in a box, without lakes, as a shapely geometry in degrees.

    resolution: c, l or i. box: (west, south, east, north) [degrees]; the result has longitudes of west..east.
    Raises ConfigError and InputError as `shoreline_file`."""
    shores = _shores(shoreline_file(resolution))
    west, south, east, north = box
    size = shores.bin_degrees
    columns = range(int(np.floor(west / size)), int(np.ceil(east / size)))
    rows = range(
        max(0, int(np.floor((90 - north) / size))), min(shores.n_rows, int(np.ceil((90 - south) / size)))
    )
    pieces = []
    for row in rows:
        for column in columns:
            bin_land = shores.land_of_bin(row, column)
            is_within = shores.bin_is_within(box, row, column)
            pieces += bin_land if is_within else list(shapely.intersection(bin_land, shapely.box(*box)))
    joined = shapely.get_parts(shapely.disjoint_subset_union_all(pieces)) if pieces else []
    return shapely.MultiPolygon([part for part in joined if part.geom_type == "Polygon"])


def read_geojson(path: str | os.PathLike[str], box: tuple[float, float, float, float]) -> shapely.Geometry:
    """Returns the land in a box from the polygons of a GeoJSON file (RFC 7946), as a shapely geometry in
    degrees; empty for open sea.

    Raises InputError if the file is missing, is not GeoJSON, or has no polygon at all."""
    west, _, east, _ = box
    shapes = [shape for shape in read_polygons(path, "coast") if not shape.is_empty]
    if not shapes:
        raise InputError(f"The coast file {path} has no polygon. Give polygons of land, in degrees.")
    copies = [affinity.translate(shape, shift) for shape in shapes for shift in (-360, 0, 360)]
    copies = [shape for shape in copies if shape.bounds[0] < east and shape.bounds[2] > west]
    return shapely.intersection(shapely.union_all(copies), shapely.box(*box))


def land_of(coast: Coast, box: tuple[float, float, float, float]) -> shapely.MultiPolygon:
    """Returns the land in a box from a `Coast`, whose resolution must not be auto, without islands below
    `Coast.minimum_area`; empty for open sea."""
    shape = land(coast.resolution, box) if coast.source == "gshhg" else read_geojson(Path(coast.source), box)
    return without_small(shape, coast.minimum_area)


def without_small(shape: shapely.Geometry, minimum_area: float) -> shapely.MultiPolygon:
    """Returns the polygons of a geometry in degrees with at least `minimum_area` [m2]."""
    parts = [part for part in shapely.get_parts(shape) if part.geom_type == "Polygon"]
    return shapely.MultiPolygon([part for part in parts if area(part) >= minimum_area])


def area(shape: shapely.Geometry) -> float:
    """Returns the area [m2] of a geometry in degrees on the sphere, by the equal-area projection (lon, sin
    lat)."""
    projected = shapely.transform(
        shape, lambda p: np.column_stack([np.radians(p[:, 0]), np.sin(np.radians(p[:, 1]))])
    )
    return projected.area * EARTH_RADIUS**2


@cache
def _shores(path: Path) -> _Shores:
    return _Shores(path)


class _Shores:
    """The shorelines of a GSHHG file, in memory.

    corners: (bin) levels of the corners; the south-west corner in bits 9-11. info: (segment) number of points
    in bits 9 and above, level in bits 6-8, entry side in bits 0-2. x, y: (point) position in the bin,
    0..1."""

    def __init__(self, path: Path) -> None:
        from netCDF4 import Dataset

        try:
            with Dataset(path) as file:
                self.bin_degrees = int(file["Bin_size_in_minutes"][0]) / 60
                self.n_columns = int(file["N_bins_in_360_longitude_range"][0])
                self.n_rows = int(file["N_bins_in_180_degree_latitude_range"][0])
                self.first_segment = file["Id_of_first_segment_in_a_bin"][:].data
                self.n_segments = file["N_segments_in_a_bin"][:].data
                self.corners = file["Embedded_node_levels_in_a_bin"][:].data
                self.info = file["Embedded_npts_levels_exit_entry_for_a_segment"][:].data
                self.first_point = file["Id_of_first_point_in_a_segment"][:].data
                self.x = file["Relative_longitude_from_SW_corner_of_bin"][:].data.view(np.uint16) / FULL
                self.y = file["Relative_latitude_from_SW_corner_of_bin"][:].data.view(np.uint16) / FULL
        except (OSError, IndexError) as error:
            raise InputError(f"{path} is not a GSHHG file: {error}. Reinstall gmt-gshhg-low.") from None

    def land_of_bin(self, row: int, column: int) -> list[shapely.Polygon]:
        """Returns the land polygons of a bin. Rows are counted from the north, columns eastward from
        Greenwich, modulo 360 degrees."""
        bin_index = row * self.n_columns + column % self.n_columns
        west, south = column * self.bin_degrees, 90 - (row + 1) * self.bin_degrees
        frame = shapely.box(west, south, west + self.bin_degrees, south + self.bin_degrees)
        rings, pieces = self._shores_of_bin(bin_index, west, south)
        corner_is_land = self.corners[bin_index] >> 9 & 7 > 0
        if not pieces:
            return [frame] if corner_is_land else rings
        return rings + _faces(frame, pieces, (west, south), corner_is_land)

    def bin_is_within(self, box: tuple[float, float, float, float], row: int, column: int) -> bool:
        """Whether a bin is within a box (west, south, east, north) [degrees]."""
        west, north = column * self.bin_degrees, 90 - row * self.bin_degrees
        inside = box[0] <= west and west + self.bin_degrees <= box[2]
        return inside and box[1] <= north - self.bin_degrees and north <= box[3]

    def _shores_of_bin(
        self, bin_index: int, west: float, south: float
    ) -> tuple[list[shapely.Polygon], list[shapely.LineString]]:
        """Returns the islands within a bin as polygons, and the shorelines that cross it as lines."""
        rings, pieces = [], []
        begin = self.first_segment[bin_index]
        for segment in range(begin, begin + self.n_segments[bin_index]):
            info = int(self.info[segment])
            if info >> 6 & 7 not in LAND_LEVELS:
                continue
            first_point = self.first_point[segment]
            points = slice(first_point, first_point + (info >> 9))
            line = np.column_stack(
                [west + self.x[points] * self.bin_degrees, south + self.y[points] * self.bin_degrees]
            )
            if info & 7 != CLOSED:
                pieces.append(shapely.linestrings(line))
            elif len(line) > 3:
                rings.append(shapely.make_valid(shapely.polygons(line)))
        return rings, pieces


def _faces(
    frame: shapely.Polygon,
    pieces: list[shapely.LineString],
    corner: tuple[float, float],
    corner_is_land: bool,
) -> list[shapely.Polygon]:
    """Returns the polygons of land in a bin that shorelines divide. A line from land to a corner of the bin
    crosses an even number of shorelines if the corner is land, an odd number if it is sea."""
    shores = shapely.multilinestrings(pieces)
    edges = shapely.node(shapely.geometrycollections([frame.exterior, *pieces]))
    faces = shapely.get_parts(shapely.polygonize(shapely.get_parts(edges)))
    return [face for face in faces if corner_is_land != _crosses_oddly(face, shores, corner)]


def _crosses_oddly(
    face: shapely.Polygon, shores: shapely.MultiLineString, corner: tuple[float, float]
) -> bool:
    inside = shapely.point_on_surface(face)
    ray = shapely.linestrings([corner, (inside.x, inside.y)])
    return bool(shapely.get_num_geometries(shapely.intersection(ray, shores)) % 2) and ray.intersects(shores)
