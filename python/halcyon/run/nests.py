"""Spectra that a run writes as the boundary of others."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from halcyon import wave
from halcyon.base import InputError
from halcyon.config.boundary import Nest
from halcyon.config.case import Case
from halcyon.io.nest_file import NestFile
from halcyon.run.assemble import Parts
from halcyon.run.errors import agreed, input_agreed
from halcyon.run.places import nearest_cells

if TYPE_CHECKING:
    from mpi4py import MPI

NEAR = 2.0  # widths of a cell, within which a point of a nest has a spectrum


class Nests:
    """The nests of a case. Collective in all it does. Rank 0 writes; files are whole at its end."""

    def __init__(self, case: Case, parts: Parts, comm: MPI.Comm) -> None:
        """Raises InputError where the points of a nest cannot be read, or none lies in the sea of the run."""
        self._comm, self._case, self._grid = comm, case, parts.grid
        self._nests = [_NestCells(case, i, parts, comm) for i in range(len(case.output.nests))]
        self._files: list[NestFile] = []

    @property
    def paths(self) -> list[Path]:
        return [self._case.folder / f"nest_{nest.name}.nc" for nest in self._case.output.nests]

    def open(self, n_records: int) -> None:
        """Begins the files, or goes on behind so many records."""
        with input_agreed(self._comm):
            if self._comm.rank == 0:
                self._files = [NestFile(path, n_records=n_records) for path in self.paths]
                for file, nest in zip(self._files, self._nests, strict=True):
                    self._open(file, nest, n_records)

    def write(self, time: datetime, model: wave.Model) -> None:
        """Adds a record at a time of the run."""
        gathered = [nest.gathered(model, self._grid) for nest in self._nests]
        with agreed(self._comm):
            for file, density in zip(self._files, gathered, strict=False):
                file.write(time, density)

    def sync(self) -> None:
        """Brings the records to the disk, for a restart."""
        with agreed(self._comm):
            for file in self._files:
                file.sync()

    def close(self) -> list[Path]:
        """Makes the files whole. Gives their names."""
        with agreed(self._comm):
            for file in self._files:
                file.close()
        return self.paths

    def _open(self, file: NestFile, nest: _NestCells, n_records: int) -> None:
        if n_records:
            file.go_on()
            return
        file.begin(
            frequency=self._grid.frequency,
            direction=self._grid.direction,
            longitude=nest.longitude,
            latitude=nest.latitude,
            title=f"Boundary of {nest.name}: {self._case.heading}",
        )


class _NestCells:
    """The cells that stand for the points of a nest: their centres [degrees] (point), on all ranks, and which
    of them this rank owns: (point, local cell)."""

    def __init__(self, case: Case, number: int, parts: Parts, comm: MPI.Comm) -> None:
        """Collective."""
        self._comm = comm
        nest = case.output.nests[number]
        self.name, place = nest.name, case.place("output", "nests", number)
        with agreed(comm):
            longitude, latitude = points_of_nest(nest, place)
        cells, centres = nearest_cells(longitude, latitude, parts.mesh, comm, within=NEAR)
        with agreed(comm):
            if not len(cells):
                raise InputError(f"{place}: no point of the nest '{nest.name}' lies in the sea of this run.")
        self.longitude, self.latitude = centres
        local = {int(cell): i for i, cell in enumerate(parts.mesh.part.cells.to_global)}
        n_owned = parts.mesh.part.cells.n_owned
        self._mine = [(row, local[c]) for row, c in enumerate(cells) if local.get(c, n_owned) < n_owned]

    def gathered(self, model: wave.Model, grid: wave.SpectralGrid) -> np.ndarray | None:
        """Collective. The densities [m2 s rad-1] (point, frequency, direction), on rank 0."""
        rows = [row for row, _ in self._mine]
        mine = rows, np.asarray(model.action)[[cell for _, cell in self._mine]]
        found = self._comm.gather(mine, root=0)
        if found is None:
            return None
        table = np.empty((len(self.longitude), grid.n_frequencies, grid.n_directions), np.float32)
        for rows, action in found:
            table[rows] = action * np.asarray(grid.sigma)[:, None]
        return table


def points_of_nest(nest: Nest, place: str) -> tuple[np.ndarray, np.ndarray]:
    """Longitudes and latitudes [degrees] of the points of a nest. Raises InputError where they cannot be
    read."""
    if nest.mesh is not None:
        return _boundary_of(nest.mesh)
    try:
        table = np.genfromtxt(nest.points, delimiter=",", names=True, ndmin=1)
        longitude, latitude = table["longitude"], table["latitude"]
    except (OSError, ValueError) as error:
        raise InputError(
            f"{place}: {nest.points} must be CSV with the columns longitude and latitude: {error}."
        ) from None
    wrong = ~((np.abs(latitude) <= 90) & (longitude >= -180) & (longitude <= 540))
    if wrong.any():
        raise InputError(f"{place}: {nest.points} has no position in row {np.flatnonzero(wrong)[0] + 1}.")
    return longitude, latitude


def _boundary_of(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Centres of the cells of a mesh that lack a neighbour."""
    from halcyon import mesh

    found = mesh.read_mpas(str(path))
    lacking = np.asarray(found.cells_on_cell) < 0
    cells = np.unique(np.repeat(np.arange(found.n_cells), np.diff(found.cell_offsets))[lacking])
    return np.degrees(found.cell_longitude[cells]), np.degrees(found.cell_latitude[cells])
