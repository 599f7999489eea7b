"""The wind of the storms of a case, alone or within a background wind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon.base import EARTH_RADIUS, ConfigError, InputError
from halcyon.config.case import Case
from halcyon.config.forcing import Storms
from halcyon.config.storm import Storm
from halcyon.decomposition import LocalMesh
from halcyon.launch.errors import from_root
from halcyon.mesh.cf_file import in_unit
from halcyon.mesh.sphere import position_text, to_points
from halcyon.run.input.cell_fields import CellFields
from halcyon.run.reductions import maximum
from halcyon.wave.gridded.catalogue import Catalogue, vector_at
from halcyon.wave.records import TimeInterpolation, seconds_since
from halcyon.wave.track import Track, check_tracks, read_track
from halcyon.wave.track.perturbation import Errors, perturbed_track
from halcyon.wave.wind import Options, estimates_text, vortex_wind
from halcyon.wave.wind.blend import FADE_S, BlendedWind, Calm, StormAtCells, WindAtCells
from halcyon.wave.wind.quadrature import CellPoints
from halcyon.wave.wind.removal import Vortex, find_vortex

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.config.run_case import RunCase

WIND = ("forcing", "wind")
Box = tuple[float, float, float, float]  # west, east, south, north [degrees]


@contextmanager
def locate_errors(case: RunCase, *location: str | int) -> Iterator[None]:
    """Prefixes errors that the body raises with file and line of an option of the case."""
    try:
        yield
    except (ConfigError, InputError) as error:
        raise type(error)(f"{case.location(*location)}: {error}") from None


def tracks_of(case: Case, *, perturbed: bool = True) -> list[Track]:
    """The tracks of the storms of a case, with the perturbations of the case if `perturbed`; none if its wind
    is not of storms. Raises ConfigError or InputError, with file and line of the case, if one cannot be
    read."""
    tracks = []
    for i, (location, storm) in enumerate(_storms(case).items()):
        with locate_errors(case, *WIND, *location):
            track = read_track(**storm.track_options())
        tracks.append(_perturbed(track, storm, i, case.time.start) if perturbed else track)
    return tracks


def basin_warnings(case: Case) -> list[str]:
    """Texts on tracks that begin in the eastern or southern hemisphere, for which there is no table, but are
    perturbed by the errors of the Atlantic since the case names no others. Raises errors as `tracks_of`."""
    texts = []
    for track, (location, storm) in zip(tracks_of(case, perturbed=False), _storms(case).items(), strict=True):
        given = storm.perturbation
        if given is None or given.member == 0 or "errors" in given.model_fields_set:
            continue
        latitude, longitude = track.positions(_begin(track, storm, case.time.start))
        if latitude < 0 or longitude % 360 < 180:
            texts.append(
                f"{case.location(*WIND, *location, 'track')}: the forecast begins at"
                f" {position_text(float(longitude), float(latitude))}, but the errors are those of NHC's"
                " forecasts in the Atlantic. Give errors: a table of this basin, or errors: atlantic."
            )
    return texts


def _storms(case: Case) -> dict[tuple[str | int, ...], Storm]:
    wind = case.forcing.wind
    return wind.storms if isinstance(wind, Storms) else {}


def _begin(track: Track, storm: Storm, start: datetime) -> np.datetime64:
    """The time at which the forecast of a perturbed track begins."""
    assert storm.perturbation is not None
    begin = in_unit(storm.perturbation.begin or start, "s")
    return begin if storm.perturbation.begin or track.cycle is None else max(begin, track.cycle)


def _perturbed(track: Track, storm: Storm, number: int, start: datetime) -> Track:
    """The track of a storm of the case with its perturbation; number: of the storm."""
    perturbation = storm.perturbation
    if perturbation is None or perturbation.member == 0:
        return track
    table = perturbation.errors
    return perturbed_track(
        track,
        member=perturbation.member,
        seed=perturbation.seed,
        storm=number,
        errors=table if isinstance(table, str) else Errors(*map(tuple, table.model_dump().values())),
        begin=_begin(track, storm, start),
        correlation=perturbation.correlation,
        ambient_pressure=100 * storm.ambient_pressure,
    )


def check_storms(case: Case, tracks: list[Track], box: Box) -> None:
    """Raises InputError unless the tracks cover the run and come near the region."""
    with locate_errors(case, *WIND):
        has_background = case.forcing.wind.background is not None
        check_tracks(tracks, case.time.start, case.time.end, box, partial=has_background)


class Environment:
    """A gridded background wind at the owned cells without the vortices of storms."""

    def __init__(
        self,
        fields: CellFields,
        catalogues: Sequence[Catalogue],
        tracks: list[Track],
        points: np.ndarray,
        start: np.datetime64,
        comm: MPI.Comm,
    ) -> None:
        """fields, catalogues: of the background; points (cell, 3): unit vectors of the cells. Raises
        InputError if the records of both components have other times."""
        times = [np.array([record.time for record in each.records]) for each in catalogues]
        if not np.array_equal(times[0], times[1]):
            raise InputError(
                f"{catalogues[0].grid.path}: the eastward and the northward wind have different times, so"
                " vortices cannot be removed. Give the same times, or `vortex: kept`."
            )
        self._fields, self._catalogues, self._tracks, self._comm = fields, catalogues, tracks, comm
        self._points, self._times = points, times[0]
        self._records = TimeInterpolation(seconds_since(start, times[0]), self._without_vortices)

    def at(self, time_s: float) -> np.ndarray:
        """Collective. The eastward and northward wind [m s-1] (2, cell) at a time since the start [s]."""
        for record in self._records.records_to_read(time_s):
            self._records.read(record, time_s)
        return self._records.at(time_s)

    def _without_vortices(self, record: int) -> np.ndarray:
        wind = self._fields.at(self._records.times_s[record])
        for vortex in from_root(self._comm, lambda: self._vortices(record)):
            wind = [*vortex.environment(self._points, *wind)]
        return np.array(wind)

    def _vortices(self, record: int) -> list[Vortex]:
        """The vortices near the storms that exist at the time of a record."""
        margin, time, vortices = np.timedelta64(int(FADE_S), "s"), self._times[record], []
        for track in self._tracks:
            if track.times[0] - margin <= time <= track.times[-1] + margin:
                latitude, longitude = track.positions(time)
                sample = partial(vector_at, self._catalogues, record)
                vortices.append(find_vortex(sample, float(longitude), float(latitude)))
        return [vortex for vortex in vortices if vortex is not None]


_SEEN = 0.9  # part of the largest wind that a mesh should see


def storm_titles(case: Case, tracks: list[Track]) -> list[str]:
    """The titles of tracks, with the records whose radius of maximum wind or wind radii are estimated."""
    options = [Options(**storm.vortex_options()) for storm in _storms(case).values()]
    return [
        "; ".join(filter(None, (track.title, estimates_text(track, each))))
        for track, each in zip(tracks, options, strict=True)
    ]


@dataclass(frozen=True)
class OnMesh:
    """A storm on a mesh, at the record with the strongest wind whose centre is within a cell: the largest
    wind of the vortex, and that on the mesh [m s-1]; the spacing of the mesh there, and the radius of maximum
    wind [m]; file and line of the record, and its time."""

    wind: float
    seen: float
    spacing: float
    radius: float
    location: str
    time: np.datetime64

    @property
    def text(self) -> str:
        """The row of the plan."""
        return (
            f"strongest on the mesh at {str(self.time)[:16].replace('T', ' ')}: radius of maximum wind"
            f" {self.radius / 1e3:.0f} km, cells {self.spacing / 1e3:.0f} km wide with {self.seen:.0f} of"
            f" {self.wind:.0f} m/s"
        )

    @property
    def warning(self) -> str:
        """A text if the mesh does not see the largest wind, within 10 %; else empty."""
        if self.seen >= _SEEN * self.wind:
            return ""
        return (
            f"{self.location}: the largest wind on the mesh is {self.seen:.0f} of {self.wind:.0f} m/s: the"
            f" cells there are {self.spacing / 1e3:.0f} km wide, the radius of maximum wind is"
            f" {self.radius / 1e3:.0f} km. Refine mesh.spacing there."
        )


def storms_on_mesh(case: Case, tracks: list[Track], local: LocalMesh, comm: MPI.Comm) -> list[OnMesh | None]:
    """Collective. Each storm on the mesh, None if its centre is outside during the run."""
    if not tracks:
        return []
    points = cell_points(case, local)
    return [
        _on_mesh(case, track, Options(**storm.vortex_options()), points, local, comm)
        for track, storm in zip(tracks, _storms(case).values(), strict=True)
    ]


def _on_mesh(
    case: Case, track: Track, options: Options, points: CellPoints, local: LocalMesh, comm: MPI.Comm
) -> OnMesh | None:
    start, end = (np.datetime64(time, "s") for time in (case.time.start, case.time.end))
    wind = track.wind * options.factor(track)
    nearest = [
        _nearest_cell(local, track, i, comm) if start <= time <= end else (np.inf, np.nan)
        for i, time in enumerate(track.times)
    ]
    inside = [i for i, (distance, spacing) in enumerate(nearest) if distance < spacing and wind[i] > 0]
    if not inside:
        return None
    i = max(inside, key=lambda i: wind[i])
    vortex = vortex_wind(track, start=track.times[0], options=options)
    time_s = float((track.times[i] - track.times[0]).astype(int))
    speed = np.hypot(*WindAtCells(vortex, points).at(time_s))
    return OnMesh(
        wind=wind[i],
        seen=maximum(comm, float(speed.max(initial=0))),
        spacing=nearest[i][1],
        radius=vortex.vortex(time_s).radius,
        location=track.location(i),
        time=track.times[i],
    )


def _nearest_cell(local: LocalMesh, track: Track, i: int, comm: MPI.Comm) -> tuple[float, float]:
    """Collective. The distance [m] of the nearest cell from the centre of a storm in record i, and the
    spacing of the mesh there [m]."""
    n_owned = local.part.cells.n_owned
    offset = np.asarray(local.mesh.cell_points[:n_owned]) - to_points(track.longitude[i], track.latitude[i])
    distance = EARTH_RADIUS * np.sqrt((offset * offset).sum(axis=1))
    cell = int(np.argmin(distance))
    area = float(local.mesh.area_cell[cell]) * EARTH_RADIUS**2
    spacing = float(np.sqrt(2 / np.sqrt(3) * area))  # between the centres of regular hexagons
    return min(comm.allgather((float(distance[cell]), spacing)))


def cell_points(case: Case, local: LocalMesh) -> CellPoints:
    """The points in the owned cells at which the winds of storms are evaluated."""
    mesh, n_owned = local.mesh, local.part.cells.n_owned
    if case.forcing.wind.has_cell_means:
        return CellPoints.of_cells(mesh, n_owned)
    return CellPoints.centres(mesh.cell_latitude[:n_owned], mesh.cell_longitude[:n_owned])


def storm_wind(
    case: Case, tracks: list[Track], local: LocalMesh, background: CellFields | Environment | None
) -> Any:
    """The `Forcing.wind` of a case with storms: a wind at the owned cells."""
    wind, n_owned = case.forcing.wind, local.part.cells.n_owned
    options = [Options(**storm.vortex_options()) for storm in wind.storms.values()]
    start = np.datetime64(case.time.start, "s")
    points = cell_points(case, local)
    if len(tracks) == 1 and wind.outer_m is None:
        return WindAtCells(vortex_wind(tracks[0], start=start, options=options[0]), points)
    return BlendedWind(
        [
            StormAtCells(
                vortex_wind(track, start=start, options=each, margin_s=FADE_S),
                points,
                times_s=tuple((track.times[[0, -1]] - start).astype(float)),
            )
            for track, each in zip(tracks, options, strict=True)
        ],
        background or Calm(n_owned),
        np.asarray(local.mesh.cell_points[:n_owned]),
        inner=wind.inner_radius,
        outer=wind.outer_m,
    )
