"""Files of the spectra of selected cells: at stations with `spectrum: true`, and at boundaries of nests."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import wave
from halcyon.base import ConfigError, InputError, read_text
from halcyon.config import load_case
from halcyon.config.case import Case
from halcyon.config.forcing import Nest
from halcyon.config.mesh import FileMesh, GeneratedMesh, Region
from halcyon.decomposition import LocalMesh
from halcyon.io import IoOptions, Progress, io_ranks
from halcyon.io.attributes import Origin
from halcyon.io.spectra_file import SpectraFile
from halcyon.launch.errors import all_ranks_raise
from halcyon.mesh import read_mpas
from halcyon.run.input.cells import Centres, Station, nearest_cells
from halcyon.run.output.files import BackgroundFiles, file_state, last_hours, reopen, with_title
from halcyon.run.reductions import minimum

if TYPE_CHECKING:
    from mpi4py import MPI

MOST_SIDE_POINTS = 2000
MAX_NEST_DISTANCE = 2.0  # between a point of a nest and the cell that represents it, in cell widths


@dataclass(frozen=True)
class SpectraPoints:
    """The points of a file of spectra."""

    file: str  # name of the file
    title: str  # title of the file
    names: list[str]  # names of the points
    cells: list[int]  # global ids of the cells that represent the points
    coordinates: list[tuple[float, float]]  # longitudes and latitudes [degrees] of the cells' centres


def spectra_points(
    case: Case, mesh: LocalMesh, stations: list[Station], comm: MPI.Comm, middle: float
) -> list[SpectraPoints]:
    """Collective. The points of each file of spectra of a case: a file of the stations with spectra, and a
    file per nest, with longitudes around `middle`.

    Raises InputError if the points of a nest cannot be read, or no point is in a sea cell."""
    nests = [_nest_points(case, i, mesh, comm, middle) for i in range(len(case.output.nests))]
    return [points for points in (_station_points(case, stations), *nests) if points.names]


def _station_points(case: Case, stations: list[Station]) -> SpectraPoints:
    requested = [i for i, s in enumerate(case.output.stations) if s.spectrum or case.output.spectra]
    names, selected = [case.output.stations[i].name for i in requested], [stations[i] for i in requested]
    coordinates = [(station.longitude, station.latitude) for station in selected]
    title = "Wave spectra at stations"
    return SpectraPoints("spectra.nc", title, names, [station.cell for station in selected], coordinates)


def _nest_points(case: Case, index: int, mesh: LocalMesh, comm: MPI.Comm, middle: float) -> SpectraPoints:
    nest = case.output.nests[index]
    cells, centres = _nest_cells(nest, case.location("output", "nests", index), mesh, comm, middle)
    names = [f"{nest.name}_{i}" for i in range(1, len(cells) + 1)]
    coordinates = list(zip(*centres, strict=True))
    return SpectraPoints(f"nest_{nest.name}.nc", f"Boundary of {nest.name}", names, cells, coordinates)


def _nest_cells(
    nest: Nest, location: str, mesh: LocalMesh, comm: MPI.Comm, middle: float
) -> tuple[list[int], Centres]:
    """Collective. The cells (ascending global ids) nearest to the points of a nest, and their centres.
    location: file and line of the nest's options, for errors.

    Raises InputError if the points cannot be read, or no point is in a sea cell."""
    area = minimum(comm, float(np.min(mesh.mesh.area_cell[: mesh.part.cells.n_owned], initial=np.inf)))
    with all_ranks_raise(comm):
        longitude, latitude = points_of_nest(nest, location, math.sqrt(area) / 2)
    cells, centres = nearest_cells(
        longitude, latitude, mesh, comm, max_widths=MAX_NEST_DISTANCE, middle=middle
    )
    with all_ranks_raise(comm):
        if not cells:
            raise InputError(f"{location}: no point of the nest '{nest.name}' lies in the sea of this run.")
    return cells, centres


def points_of_nest(nest: Nest, location: str, step: float = 0.01) -> tuple[np.ndarray, np.ndarray]:
    """Longitudes and latitudes [degrees] of the points of a nest. step: distance [rad] of points along the
    sides of a region. Raises ConfigError or InputError if they cannot be read."""
    if nest.case is not None:
        mesh = load_case(nest.case).mesh
        if isinstance(mesh, FileMesh):
            return _boundary_of(mesh.file)
        if not isinstance(mesh, GeneratedMesh) or mesh.region is None or mesh.polygon is not None:
            raise ConfigError(
                f"{location}: {nest.case} has neither mesh.region nor mesh.file, so the sides of the nest "
                f"'{nest.name}' are not known. Give the mesh: halcyon mesh {nest.case.name}, then mesh: FILE."
            )
        return _sides_of(mesh.region, step)
    if nest.region is not None:
        return _sides_of(nest.region, step)
    if nest.mesh is not None:
        return _boundary_of(nest.mesh)
    assert nest.points is not None  # the last possibility
    try:
        text = read_text(nest.points, "CSV with the columns longitude and latitude")
        rows = csv.DictReader(text.splitlines(), skipinitialspace=True)
        if not {"longitude", "latitude"} <= {*(rows.fieldnames or ())}:
            raise csv.Error("its first line does not name these columns")
        table = np.array([_position(row) for row in rows]).reshape(-1, 2)
    except InputError as error:
        raise InputError(f"{location}: {error}") from None
    except csv.Error as error:
        raise InputError(
            f"{location}: {nest.points} must be CSV with the columns longitude and latitude: {error}."
        ) from None
    longitude, latitude = table.T
    # Up to 540 E, as the eastern side of a region across the date line.
    is_invalid = ~((np.abs(latitude) <= 90) & (longitude >= -180) & (longitude <= 540))
    if is_invalid.any():
        raise InputError(
            f"{location}: {nest.points} has no valid longitude and latitude in row"
            f" {np.flatnonzero(is_invalid)[0] + 1} after the first line."
        )
    return longitude, latitude


def _position(row: dict[str, str]) -> tuple[float, float]:
    """Longitude and latitude [degrees]; NaN if missing."""
    try:
        return float(row["longitude"]), float(row["latitude"])
    except (TypeError, ValueError):
        return np.nan, np.nan


def _sides_of(region: Region, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Points along the sides of a box, at most `step` [rad] apart unless they are MOST_SIDE_POINTS."""
    west, east, south, north = region.west, region.east, region.south, region.north
    sides = [((west, south), (east, south)), ((west, north), (east, north))]
    if east - west < 360:
        sides += [((west, south), (west, north)), ((east, south), (east, north))]
    points = []
    for begin, end in sides:
        n = math.ceil(math.radians(max(end[0] - begin[0], end[1] - begin[1])) / step) + 1
        points.append(np.linspace(begin, end, min(n, MOST_SIDE_POINTS)))
    longitude, latitude = np.concatenate(points).T
    return longitude, latitude


def _boundary_of(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Centres of the cells of a mesh that lack a neighbour."""
    mesh = read_mpas(str(path))
    is_missing = np.asarray(mesh.cells_on_cell) < 0
    cells = np.unique(np.repeat(np.arange(mesh.n_cells), np.diff(mesh.cell_offsets))[is_missing])
    return np.degrees(mesh.cell_longitude[cells]), np.degrees(mesh.cell_latitude[cells])


class SpectraRecords:
    """Writes a file of spectra, one record per output interval. All methods are collective.

    @param core_comm communicator of the file
    """

    def __init__(
        self,
        case: Case,
        points: SpectraPoints,
        grid: wave.SpectralGrid,
        model: wave.Model,
        comm: MPI.Comm,
        core_comm: Any,
        origin: Origin,
    ) -> None:
        self._case, self._model, self._comm, self._grid = case, model, comm, grid
        self._origin = with_title(origin, case, points.title)
        self._points, self.path = points, case.folder / points.file
        local_index = {int(cell): i for i, cell in enumerate(model.owned_cells)}
        self._owned_points = np.array(
            [i for i, cell in enumerate(points.cells) if cell in local_index], np.int64
        )
        self._cells = np.array([local_index[points.cells[i]] for i in self._owned_points], np.int32)
        self._ranks = io_ranks(core_comm, IoOptions(**case.io.model_dump()), n_bytes=self._record_bytes)
        self._file: SpectraFile | None = None
        self._is_complete = False

    @property
    def _record_bytes(self) -> int:
        """Size of the spectra of one record, 4 bytes per value."""
        return 4 * len(self._points.cells) * self._grid.n_frequencies * self._grid.n_directions

    def write(self, hours: float) -> None:
        """Writes the present spectra, `hours` after the start of the run."""
        if self._is_complete:
            return
        if self._file is None:
            self._file = self._new_file(progress=None)
        self._file.write(hours, self._values())

    def flush(self) -> None:
        """Waits until the records are on the disk. Raises RunError if one could not be written."""
        if self._file is not None:
            self._file.flush()

    def check(self) -> None:
        """Raises RunError if a background write has failed; does not wait."""
        if self._file is not None:
            self._file.check()

    def close(self, background: BackgroundFiles) -> None:
        """Closes the file, which is completed in the background."""
        if self._file is not None:
            background.close(self.path, self._file)
            self._file = None

    def state(self) -> list[Any] | None:
        """The progress of the file, for JSON; None without an open file."""
        return file_state(self._file)

    def resume(self, state: list[Any] | None) -> list[Path]:
        """Resumes from a state. Returns the file if it was completed later, with all records of the run.

        Raises InputError if the file does not match the state."""
        self._file, self._is_complete = reopen(
            self._comm,
            self.path,
            self._n_records,
            last_hours(self._case, self._case.time.start, self._n_records),
            state,
            self._new_file,
        )
        return [self.path] if self._is_complete else []

    @property
    def _n_records(self) -> int:
        return math.ceil(self._case.duration_s / self._case.output.interval) + 1

    def _new_file(self, progress: Progress | None) -> SpectraFile:
        return SpectraFile(
            self._ranks,
            self.path,
            self._owned_points,
            self._points.names,
            [self._points.coordinates[i] for i in self._owned_points],
            self._grid,
            start=self._case.time.start,
            origin=self._origin,
            n_records=self._n_records,
            progress=progress,
        )

    def _values(self) -> dict[str, np.ndarray]:
        """The variables of a record at the owned points, named as in files of WAVEWATCH III."""
        model, cells = self._model, self._cells
        sigma = np.asarray(self._grid.sigma)[:, np.newaxis]
        east, north = (np.asarray(wind, float)[cells] for wind in (model.eastward_wind, model.northward_wind))
        return {
            "efth": model.action[cells] * sigma,  # variance density
            "dpt": np.asarray(model.depth)[cells],
            "wnd": np.hypot(east, north),
            "wnddir": np.degrees(np.arctan2(-east, -north)) % 360,
        }
