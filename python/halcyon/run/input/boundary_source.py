"""The spectra of the files of a boundary, and their records at the points that a rank uses."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import numpy as np

from halcyon import wave
from halcyon.base import ConfigError
from halcyon.config.case import Case
from halcyon.config.mesh import GeneratedMesh, Region
from halcyon.run.input.forcing import locate_errors
from halcyon.wave.gridded.catalogue import needed_records
from halcyon.wave.records import TimeInterpolation, files_text, seconds_since
from halcyon.wave.spectra import Rebinning, SpectraSource, open_sources
from halcyon.wave.spectra.energy import Moments


def boundary_sources(case: Case) -> list[SpectraSource]:
    """The boundary spectra of a case, of the times that the run needs. Raises ConfigError or InputError, with
    file and line of the case, for unsuitable files."""
    boundary = case.boundary
    assert boundary is not None
    with locate_errors(case, "boundary"):
        place = boundary.position
        sources = open_sources(
            boundary.files,
            directions=boundary.directions,
            variable=boundary.variable,
            select=boundary.select,
            position=None if place is None else (place.longitude, place.latitude),
        )
        n_points = sum(len(source.longitude) for source in sources)
        if boundary.distance is None and region_of(case) is None and n_points == 1:
            raise ConfigError(
                "the mesh has no region with open sides, and the spectra have one point: give "
                "boundary.distance, the largest distance between a boundary cell and the point [m]."
            )
        return [_needed(case, source) for source in sources]


def region_of(case: Case) -> Region | None:
    """The box of the mesh; None if the mesh is from a file or cut by a polygon."""
    mesh = case.mesh
    return mesh.region if isinstance(mesh, GeneratedMesh) and mesh.polygon is None else None


def _needed(case: Case, source: SpectraSource) -> SpectraSource:
    """The records that the run needs; stationary spectra, and those of a single time of the run (such as a
    restart file of SWAN), are those of its start and its end."""
    start, end = (np.datetime64(time, "ms") for time in (case.time.start, case.time.end))
    if not len(source.times) or (len(source.times) == 1 and start <= source.times[0] <= end):
        return replace(source, times=np.array([start, end]), read=lambda _, points: source.read(0, points))
    assert case.boundary is not None
    label = f"{files_text(source.paths)}: the boundary"
    needed = needed_records(source.times, start, end, case.boundary.longest_gap, label)
    return replace(
        source,
        times=source.times[needed],
        read=lambda record, points: source.read(record + needed.start, points),
    )


class PointRecords:
    """The records of a source at the points in use: action on the grid of the run, and moments on the
    source's own bins (see `Moments`), both linear in time."""

    def __init__(self, source: SpectraSource, grid: wave.SpectralGrid, start: datetime) -> None:
        bins, tail = (source.frequency, source.direction), {"tail_of_last": source.tail_of_last}
        self.source, self.moments = source, Moments(*bins, **tail)
        self._rebinning = Rebinning(*bins, grid, **tail)
        self._grid = grid
        self._times_s = seconds_since(start, source.times)
        self._samples: dict[int, np.ndarray] = {}  # by point: m0 over frequencies of some records
        self.points = np.empty(0, int)
        self._values = TimeInterpolation(self._times_s, self._load)

    def without_spectra(self, points: np.ndarray) -> np.ndarray:
        """Whether points (n) have no value at the first, the middle and the last record: they are on land, or
        not in the model that wrote the file. Keeps the energies of these records for `is_zero`."""
        new = np.array([point for point in points.tolist() if point not in self._samples], int)
        if len(new):
            last = len(self.source.times) - 1
            values = [self.source.read(record, new) for record in sorted({0, last // 2, last})]
            energies = np.array([self.moments.of(each)[:, 0] for each in values])
            self._samples |= {point: energies[:, i] for i, point in enumerate(new.tolist())}
        return np.array(
            [bool(np.isnan(self._samples[point]).any(axis=1).all()) for point in points.tolist()], bool
        )

    def use(self, points: np.ndarray) -> None:
        """Sets the points in use, ascending."""
        self.points = points

    @property
    def is_zero(self) -> bool:
        """Whether the points in use have no energy in the records that `without_spectra` read."""
        return all(not np.nan_to_num(self._samples[point]).any() for point in self.points.tolist())

    @property
    def is_constant(self) -> bool:
        """Whether the records that `without_spectra` read are equal at each point in use."""
        samples = [self._samples[point] for point in self.points.tolist()]
        return all(np.array_equal(each, np.broadcast_to(each[0], each.shape)) for each in samples)

    def read(self, time_s: float) -> None:
        """Reads the records that `action` and `moments_at` need at a time since the start [s]."""
        for record in self._values.records_to_read(time_s) if len(self.points) else []:
            self._values.read(record, time_s)

    def action(self, time_s: float) -> np.ndarray:
        """The action density [m2 s2] (point in use, frequency, direction)."""
        shape = len(self.points), self._grid.n_frequencies, self._grid.n_directions
        return (
            self._values.at(time_s)[:, : shape[1] * shape[2]].reshape(shape) if shape[0] else np.empty(shape)
        )

    def moments_at(self, time_s: float) -> np.ndarray:
        """The moments [m2 s] (point in use, 3, frequency of the source and tail)."""
        n_bins = self._grid.n_frequencies * self._grid.n_directions
        return self._values.at(time_s)[:, n_bins:].reshape(len(self.points), 3, -1)

    def _load(self, record: int) -> np.ndarray:
        """The action and the moments of a record, side by side (point in use, value)."""
        density = self.source.density(record, self.points)
        n = len(self.points)
        parts = self._rebinning.action(density), self.moments.of(density)
        return np.concatenate([part.reshape(n, -1) for part in parts], axis=1)
