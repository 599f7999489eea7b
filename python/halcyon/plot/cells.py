"""The cells of a UGRID file as polygons, and what a run wrote on them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import xarray as xr

from halcyon.base import InputError
from halcyon.plot.boxes import as_faces


@dataclass(frozen=True)
class Cells:
    """Voronoi cells in degrees: polygons [(corner, 2) longitude and latitude] and centres (cell)."""

    polygons: list[np.ndarray]
    longitude: np.ndarray
    latitude: np.ndarray

    @property
    def box(self):
        """west, east, south, north [degrees] of all centres."""
        return self.longitude.min(), self.longitude.max(), self.latitude.min(), self.latitude.max()


def cells_of(dataset) -> Cells:
    """The cells of an open UGRID file; one across the date line stays in one piece.

    It holds `node_lon`, `node_lat` [degrees] (node), `face_nodes` (face, corner) counted from 0 with a fill
    below 0, and the centres `lon`, `lat` [degrees] (face).
    """
    nodes = np.stack([_values(dataset, "node_lon"), _values(dataset, "node_lat")], axis=1)
    longitude, latitude = _values(dataset, "lon"), _values(dataset, "lat")
    middle = longitude[0]
    longitude = middle + _turn(longitude - middle)
    return Cells(
        [
            _polygon(nodes, corners, centre)
            for corners, centre in zip(_values(dataset, "face_nodes"), longitude, strict=True)
        ],
        longitude,
        latitude,
    )


def open_files(files) -> list[xr.Dataset]:
    """Opens one file, many, or passes datasets through."""
    files = [files] if isinstance(files, str | Path | xr.Dataset) else list(files)
    if not files:
        raise InputError("There is no file to draw. Give the fields_*.nc files of a run.")
    return [_open(file) for file in files]


def _open(file):
    if isinstance(file, xr.Dataset):
        return file
    try:
        return as_faces(xr.open_dataset(file, engine="netcdf4", decode_timedelta=False))
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or error
        raise InputError(f"{file} cannot be read as netCDF: {said}.") from None


def values_of(dataset, name) -> xr.DataArray:
    """A variable of a file; InputError with what the file holds when it is missing."""
    if name not in dataset.variables:
        source = dataset.encoding.get("source", "the dataset")
        raise InputError(f"{source}: there is no variable '{name}'. It holds {', '.join(dataset.variables)}.")
    return dataset[name]


def _values(dataset, name):
    return values_of(dataset, name).values


def _polygon(nodes, corners, centre):
    polygon = nodes[corners[corners >= 0].astype(int)]
    return np.column_stack([centre + _turn(polygon[:, 0] - centre), polygon[:, 1]])


def _turn(degrees):
    """The same turn within -180 to 180."""
    return (degrees + 180) % 360 - 180
