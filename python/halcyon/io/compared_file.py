"""A netCDF file of a run as it is compared with another: its variables, and the words for its places."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from halcyon.base import InputError
from halcyon.io.vertical_axis import axis_of
from halcyon.mesh.cf_file import open_netcdf, times_of

if TYPE_CHECKING:
    import xarray as xr

_NAMED_BY = ("coordinates", "node_coordinates", "face_coordinates", "face_node_connectivity", "bounds")


class ComparedFile:
    """A file that is open, for one with-block.

    axis: its `VerticalAxis`, where it has one. Raises InputError where it cannot be read or was cut short."""

    def __init__(self, path: Path) -> None:
        self.path, self._file = path, open_netcdf(path, as_stored=True)
        self.axis = axis_of(self._file)

    def __enter__(self) -> ComparedFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def kind(self) -> str:
        """What the file holds: fields, stations, a restart, or other variables."""
        if "halcyon_state" in self._file.attrs:
            return "restart"
        if self._file.filter_by_attrs(cf_role="mesh_topology").data_vars:
            return "fields"
        return "stations" if self._file.attrs.get("featureType") == "timeSeries" else "other"

    def variables(self) -> list[str]:
        """Names of the variables with data: numbers on dimensions, but for axes and what places them."""
        axes = {*self._file.dims}
        if self.axis is not None:
            axes.update(variable.name for variable in self.axis.variables)
        for name, variable in self._file.variables.items():
            if "cf_role" in variable.attrs:
                axes.add(name)
            for key in _NAMED_BY:
                axes.update(variable.attrs.get(key, "").split())
        found = self._file.variables.items()
        return [name for name, v in found if v.ndim and v.dtype.kind in "fiu" and name not in axes]

    def variable(self, name: str) -> xr.DataArray:
        """The variable, whose values come as they are stored. Raises InputError for a packed one."""
        found = self._file[name]
        if {"scale_factor", "add_offset"} & {*found.attrs}:
            raise InputError(f"{self.path}: '{name}' is packed (scale_factor). Unpack it first.")
        return found

    def values(self, name: str) -> np.ndarray | None:
        """All values of a variable; None where there is none."""
        return self._file[name].values if name in self._file.variables else None

    def names(self) -> list[str] | None:
        """Of the stations; None where there are none."""
        if "station" in self._file.variables and "names" in self._file["station"].attrs:
            return json.loads(self._file["station"].attrs["names"])
        rows = self.values("station_name")
        return None if rows is None else [b"".join(row).rstrip(b"\0 ").decode() for row in rows]

    def times(self) -> np.ndarray | None:
        """datetime64[ms] (time): of the records, or of a restart; None where nothing tells."""
        if self.kind == "restart":
            return np.array([json.loads(self._file.attrs["halcyon_state"])["time"]], "datetime64[ms]")
        return times_of(self.path, self._file["time"]) if "time" in self._file.variables else None

    def word(self, dimension: str, index: int) -> str:
        """What stands at an index of a dimension: a time, a cell with its place, a station."""
        if dimension == "time":
            return str(self.times()[index].astype("datetime64[s]"))
        if dimension == "station":
            return str((self.names() or {})[index])
        if self.axis is not None and dimension == self.axis.name:
            return self.axis.words(index)
        if dimension in ("face", "cell") and "lon" in self._file.variables:
            lon, lat = (float(self._file[name][index]) for name in ("lon", "lat"))
            return f"cell {index} ({lon:.2f} E {lat:.2f} N)"
        return f"{dimension} {index}"
