"""Winds on the cells of the mesh, from a netCDF file without positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from halcyon.base import InputError
from halcyon.config.case import Case
from halcyon.config.forcing import CellWind
from halcyon.decomposition import LocalMesh
from halcyon.launch.errors import all_ranks_raise
from halcyon.mesh.cf_file import reading, time_of, times_of
from halcyon.mesh.data_file import open_data
from halcyon.wave.gridded import WIND

if TYPE_CHECKING:
    import xarray as xr
    from mpi4py import MPI

_CELLS = ("nCells", "cell")  # dimensions of cells


class WindOnCells:
    """The wind of a file on the owned cells, interpolated linearly in time. The order of the file's cells is
    that of the mesh file."""

    def __init__(self, case: Case, local: LocalMesh, comm: MPI.Comm) -> None:
        """Collective. Raises the same InputError on all ranks for a file that does not fit mesh or run."""
        self._comm, self._wind = comm, case.forcing.wind
        self._ids = np.asarray(local.part.cells.to_global[: local.part.cells.n_owned])
        self._records: dict[int, list[np.ndarray]] = {}  # both components of the records in memory
        with all_ranks_raise(comm):
            self._times_s = _times_s(case, self._wind, local.n_items[0])

    def at(self, time_s: float) -> tuple[np.ndarray, np.ndarray]:
        """Collective. Returns the eastward and northward wind [m s-1] (owned cell) at a time since the start
        [s]."""
        after = min(int(np.searchsorted(self._times_s, time_s)), len(self._times_s) - 1)
        before = max(after - 1, 0)
        with all_ranks_raise(self._comm):
            self._records = {i: self._records.get(i) or self._read(i) for i in (before, after)}
        length = self._times_s[after] - self._times_s[before]
        weight = (time_s - self._times_s[before]) / length if length > 0 else 0.0
        first, second = self._records[before], self._records[after]
        east, north = ((1 - weight) * a + weight * b for a, b in zip(first, second, strict=True))
        return east, north

    def _read(self, record: int) -> list[np.ndarray]:
        with open_data(self._wind.cells, None) as file, reading(self._wind.cells):
            return [np.asarray(file[name][record], float)[self._ids] for name in _names(self._wind, file)]


def _times_s(case: Case, wind: CellWind, n_cells: int) -> np.ndarray:
    """The times of the records [s since the start of the run]. Raises InputError for an unsuitable file."""
    start, end_s = np.datetime64(case.time.start, "ms"), case.duration_s
    with open_data(wind.cells, None) as file, reading(wind.cells):
        variable, *others = (file[name] for name in _names(wind, file))
        for each in (variable, *others):
            _require_on_cells(wind, each, n_cells)
        time = time_of(file, variable)
        if (time is None) == (wind.interval is None):
            text = "has no times of its records: give the option interval" if time is None else "has times"
            raise InputError(
                f"{wind.cells} {text}{'' if time is None else ': leave out the option interval'}."
            )
        if time is not None:
            times_s: np.ndarray = (times_of(wind.cells, time) - start) / np.timedelta64(1, "s")
        else:
            assert wind.interval is not None
            times_s = np.arange(variable.shape[0]) * wind.interval
    if not (np.diff(times_s) > 0).all() or times_s[0] > 0 or times_s[-1] < end_s:
        raise InputError(
            f"{wind.cells} has {len(times_s)} records from {times_s[0]:g} to {times_s[-1]:g} s after the"
            f" start of the run, which lasts {end_s:g} s. Give increasing times that cover the run."
        )
    return times_s


def _names(wind: CellWind, file: xr.Dataset) -> list[str]:
    """The names of both components in an open file."""
    given = wind.variables
    names = [given.eastward, given.northward] if given else ["u10", "v10"]
    for name in names:
        if name not in file.variables:
            raise InputError(f"{wind.cells} has no variable {name}. Name both by the option variables.")
    return names


def _require_on_cells(wind: CellWind, variable: xr.DataArray, n_cells: int) -> None:
    if variable.ndim != 2 or variable.dims[1] not in _CELLS or variable.shape[1] != n_cells:
        raise InputError(
            f"{wind.cells}: {variable.name} is on {', '.join(map(str, variable.dims))} with"
            f" {variable.shape} values. It must be on a time and the {n_cells} cells of the mesh (nCells)."
        )
    if "units" in variable.attrs:
        label = f"{wind.cells}: {variable.name}"
        if WIND[0].factor(str(variable.attrs["units"]), label, "Give winds in m s-1.") != 1:
            raise InputError(f"{label} is in {variable.attrs['units']}. Give winds in m s-1.")
