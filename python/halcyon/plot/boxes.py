"""Fields on latitudes and longitudes as fields on faces, so that all figures draw them alike."""

import numpy as np
import xarray as xr

_AXES = ("lat", "lon")


def as_faces(dataset):
    """A dataset with fields (..., lat, lon, ...) as one with fields (..., face, ...) on boxes around the
    points, with the variables that `halcyon.plot.cells.cells_of` reads; any other as it is.

    Latitudes may go either way; longitudes go eastward around the globe."""
    if not all(name in dataset.dims and dataset[name].dims == (name,) for name in _AXES):
        return dataset
    lat, lon = (dataset[name].values for name in _AXES)
    centres = np.meshgrid(lat, lon, indexing="ij")
    found = {"lat": ("face", centres[0].ravel()), "lon": ("face", centres[1].ravel()), **_corners(lat, lon)}
    for name, variable in dataset.variables.items():
        if name not in _AXES:
            found[name] = _flat(variable)
    made = xr.Dataset(found, attrs=dataset.attrs)
    made.encoding = dataset.encoding
    return made


def _flat(variable):
    if not {*_AXES} <= {*variable.dims}:
        return variable
    at = variable.dims.index("lat")
    rest = [name for name in variable.dims if name not in _AXES]
    ordered = variable.transpose(*rest[:at], *_AXES, *rest[at:])
    shape = (*ordered.shape[:at], -1, *ordered.shape[at + 2 :])
    dims = (*rest[:at], "face", *rest[at:])
    return xr.Variable(dims, ordered.values.reshape(shape), variable.attrs)


def _corners(lat, lon):
    """Nodes at the corners of the boxes, and those of each face, counter-clockwise."""
    sides = np.concatenate([[90.0 * np.sign(lat[0])], (lat[:-1] + lat[1:]) / 2, [90.0 * np.sign(lat[-1])]])
    width = 360 / len(lon)
    west = lon - width / 2
    node_lat, node_lon = np.meshgrid(sides, west, indexing="ij")
    row, column = np.meshgrid(np.arange(len(lat)), np.arange(len(lon)), indexing="ij")
    east = (column + 1) % len(lon)
    corners = [row * len(lon) + column, (row + 1) * len(lon) + column]
    corners += [(row + 1) * len(lon) + east, row * len(lon) + east]
    faces = np.stack(corners, axis=-1).reshape(-1, 4)
    if lat[0] < lat[-1]:
        faces = faces[:, ::-1]
    return {
        "node_lon": ("node", node_lon.ravel()),
        "node_lat": ("node", node_lat.ravel()),
        "face_nodes": (("face", "max_nodes"), faces),
    }
