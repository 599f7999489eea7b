"""Reads fields from files for plotting: on the polygons of cells, or on boxes around grid points, at one
level."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from halcyon.base import InputError
from halcyon.config.abbreviations import did_you_mean
from halcyon.mesh.cf_file import open_decoded, reading
from halcyon.mesh.sphere import middle_of, wrapped

_AXES = ("lat", "lon")


def as_faces(dataset: xr.Dataset) -> xr.Dataset:
    """Converts a dataset on a longitude-latitude grid to a dataset on a mesh, as `cells_of` expects it: the
    box around each grid point becomes a cell, and the dimensions lat and lon of each field become the
    dimension face. A dataset without lat and lon is returned unchanged.

    The grid must be global. Latitudes are ascending or descending; longitudes increase eastward in equal
    steps."""
    if not all(name in dataset.dims and dataset[name].dims == (name,) for name in _AXES):
        return dataset
    lat, lon = (dataset[name].values for name in _AXES)
    centres = np.meshgrid(lat, lon, indexing="ij")
    variables: dict[Any, Any] = {
        "lat": ("face", centres[0].ravel()),
        "lon": ("face", centres[1].ravel()),
        **_corners(lat, lon),
    }
    for name, variable in dataset.variables.items():
        if name not in _AXES:
            variables[name] = _with_faces(variable)
    converted = xr.Dataset(variables, attrs=dataset.attrs)
    converted.encoding = dataset.encoding
    return converted


def _with_faces(variable: xr.Variable) -> xr.Variable:
    """A variable with its dimensions lat and lon merged into face."""
    if not {*_AXES} <= {*variable.dims}:
        return variable
    position = variable.dims.index("lat")
    others = [name for name in variable.dims if name not in _AXES]
    before, after = others[:position], others[position:]
    ordered = variable.transpose(*before, *_AXES, *after)
    shape = (*ordered.shape[:position], -1, *ordered.shape[position + 2 :])
    dims = (*before, "face", *after)
    return xr.Variable(dims, ordered.values.reshape(shape), variable.attrs)


def _corners(lat: np.ndarray, lon: np.ndarray) -> dict[str, tuple[Any, ...]]:
    """Nodes at the corners of the boxes, and the nodes of each face, counter-clockwise."""
    parallels = np.concatenate(
        [[90.0 * np.sign(lat[0])], (lat[:-1] + lat[1:]) / 2, [90.0 * np.sign(lat[-1])]]
    )
    width = 360 / len(lon)
    west = lon - width / 2
    node_lat, node_lon = np.meshgrid(parallels, west, indexing="ij")
    row, column = np.meshgrid(np.arange(len(lat)), np.arange(len(lon)), indexing="ij")
    next_column = (column + 1) % len(lon)
    corners = [row * len(lon) + column, (row + 1) * len(lon) + column]
    corners += [(row + 1) * len(lon) + next_column, row * len(lon) + next_column]
    faces = np.stack(corners, axis=-1).reshape(-1, 4)
    if lat[0] < lat[-1]:
        faces = faces[:, ::-1]
    return {
        "node_lon": ("node", node_lon.ravel()),
        "node_lat": ("node", node_lat.ravel()),
        "face_nodes": (("face", "max_nodes"), faces),
    }


@dataclass(frozen=True)
class Cells:
    """Cells in degrees: per cell a polygon (corner, 2) of longitude and latitude, and the centre."""

    polygons: list[np.ndarray]
    longitude: np.ndarray
    latitude: np.ndarray

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The bounding box west, east, south, north [degrees] of all centres."""
        return self.longitude.min(), self.longitude.max(), self.latitude.min(), self.latitude.max()


def cells_of(dataset: xr.Dataset) -> Cells:
    """The cells of an open UGRID file; a polygon across the date line is not split.

    The file has `node_lon`, `node_lat` [degrees] (node), `face_nodes` (face, corner), counted from 0 with a
    negative fill value, and the centres `lon`, `lat` [degrees] (face).
    """
    nodes = np.stack([_values(dataset, "node_lon"), _values(dataset, "node_lat")], axis=1)
    longitude, latitude = _values(dataset, "lon"), _values(dataset, "lat")
    longitude = wrapped(longitude, middle_of(longitude))
    return Cells(
        [
            _polygon(nodes, corners, centre)
            for corners, centre in zip(_values(dataset, "face_nodes"), longitude, strict=True)
        ],
        longitude,
        latitude,
    )


def open_files(files: Any) -> list[xr.Dataset]:
    """Opens one or several files; datasets are returned unchanged."""
    files = [files] if isinstance(files, str | Path | xr.Dataset) else list(files)
    if not files:
        raise InputError("No file is given. Give the fields_*.nc files of a run.")
    return [_open(file) for file in files]


def _open(file: str | os.PathLike[str] | xr.Dataset) -> xr.Dataset:
    if isinstance(file, xr.Dataset):
        return file
    with reading(file, "as netCDF"):
        return as_faces(open_decoded(file))


def values_of(dataset: xr.Dataset, name: str) -> xr.DataArray:
    """A variable of a file. If it is missing, raises InputError that lists the variables of the file."""
    if name not in dataset.variables:
        near = did_you_mean(name, map(str, dataset.variables))
        hint = f"Did you mean '{near}'? " if near else ""
        source = dataset.encoding.get("source", "the dataset")
        raise InputError(
            f"{source}: there is no variable '{name}'. {hint}"
            f"The variables are {', '.join(map(str, dataset.variables))}."
        )
    return dataset[name]


def _values(dataset: xr.Dataset, name: str) -> np.ndarray:
    return values_of(dataset, name).values


def _polygon(nodes: np.ndarray, corners: np.ndarray, centre: float) -> np.ndarray:
    polygon = nodes[corners[corners >= 0].astype(int)]
    return np.column_stack([wrapped(polygon[:, 0], centre), polygon[:, 1]])


PREFERRED_PRESSURE = 85000.0  # level of maps by default [Pa]
_TOLERANCE = 1e-4  # relative tolerance of a requested level: texts print levels with five digits


def on_level(dataset: xr.Dataset, variable: str, at: float | None = None) -> tuple[xr.DataArray, str | None]:
    """A variable (time, face) of an open file at one level, as an xarray array, and the level as text such as
    `pressure 85000 Pa`, or None for a variable without levels.

    at: the value of the vertical coordinate; by default 85000 Pa for a pressure coordinate, else the middle
    level. Raises InputError for an unknown level, and for a level of a variable without levels."""
    field = values_of(dataset, variable)
    name = vertical_dimension(dataset, field)
    if name is None:
        if at is not None:
            raise InputError(f"--at {at:g}: {variable} has no levels. Omit --at.")
        return field, None
    axis = dataset[name]
    index = _indices_by_preference(axis)[0] if at is None else _index_of_level(axis, variable, at)
    units = axis.attrs.get("units", "")
    text = f"{name} {axis.values[index]:.5g}" + (f" {units}" if units not in ("", "1") else "")
    return field.isel({name: index}), text


def levels_by_preference(dataset: xr.Dataset, variable: str) -> list[float | None]:
    """The levels of a variable in order of preference, first the default of `on_level`; [None] without
    levels."""
    name = vertical_dimension(dataset, values_of(dataset, variable))
    return (
        [None]
        if name is None
        else [float(dataset[name].values[i]) for i in _indices_by_preference(dataset[name])]
    )


def vertical_dimension(dataset: xr.Dataset, field: xr.DataArray) -> Any:
    """The vertical dimension of a field, or None."""
    names = [name for name in field.dims if name in dataset.variables]
    return next((name for name in names if dataset[name].attrs.get("axis") == "Z"), None)


def _indices_by_preference(axis: xr.DataArray) -> np.ndarray:
    if axis.attrs.get("standard_name") == "air_pressure":
        return np.argsort(abs(axis.values - PREFERRED_PRESSURE), kind="stable")
    return np.argsort(abs(np.arange(axis.size) - axis.size // 2), kind="stable")


def _index_of_level(axis: xr.DataArray, variable: str, at: float) -> int:
    nearest = int(np.argmin(abs(axis.values - at)))
    value = float(axis.values[nearest])
    if abs(value - at) > _TOLERANCE * max(abs(value), abs(at)):
        known = ", ".join(f"{value:.5g}" for value in axis.values)
        units = axis.attrs.get("units", "1")
        unit = "" if units == "1" else f" [{units}]"
        raise InputError(
            f"--at {at:g}: {variable} has no such level. The levels of {axis.name}{unit} are {known}."
        )
    return nearest
