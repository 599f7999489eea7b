"""What drives a run, and what its waves meet on their way: made from its case, set in its model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import wave
from halcyon.config.case import Case
from halcyon.config.forcing import ConstantWind, TrackWind
from halcyon.decomposition import LocalMesh
from halcyon.launch.errors import agreed, from_root
from halcyon.run import forcing_files as files
from halcyon.run.cell_fields import CellFields
from halcyon.wave.wind.at_cells import Calm, WindAtCells

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.wave.track import Track

Box = tuple[float, float, float, float]


@dataclass
class Forcing:
    """Winds on the owned cells, and ice, currents and water level on all cells of this rank.

    wind: an object whose `at(time_s)` gives the eastward and northward wind [m s-1]; the others are None
    where the case has none.
    """

    wind: Any
    ice: CellFields | None
    current: CellFields | None
    level: CellFields | None
    update_s: float
    duration_s: float
    _set_at: float = -1.0

    def set_wind(self, model: wave.Model, time_s: float) -> int:
        """Collective. Sets the wind of a time of the run [s]. Gives the owned cell of the lowest global id
        where it is not finite, or -1."""
        if isinstance(self.wind, WindAtCells):
            return self.wind.set_in(model, time_s)
        return model.set_wind(*self.wind.at(time_s))

    def set_medium(self, model: wave.Model, time_s: float) -> bool:
        """Collective. Sets ice, currents and water level where another update is due at a time [s]: they have
        the values of the middle of its interval, so that they depend on the time alone. Gives whether the
        water has changed."""
        begin = math.floor(time_s / self.update_s) * self.update_s
        if begin == self._set_at:
            return False
        self._set_at = begin
        middle = min(begin + self.update_s / 2, self.duration_s)
        if self.ice is not None:
            (fraction,) = self.ice.at(middle)
            model.set_ice(np.clip(fraction, 0, 1).astype(np.float32))
        if self.current is None and self.level is None:
            return False
        nothing = np.empty(0)
        current = self.current.at(middle) if self.current else (nothing, nothing)
        level = self.level.at(middle) if self.level else (nothing,)
        model.set_water(*(values.astype(np.float32) for values in (*level, *current)))
        return True


def forcing_of(case: Case, local: LocalMesh, box: Box, comm: MPI.Comm) -> Forcing:
    """Collective. The forcing of a case, checked to cover the run and the mesh. Raises what does not do on
    all ranks."""
    found = from_root(comm, lambda: files.catalogues_of(case))
    groups = files.gridded_groups(case)
    start, n_owned = np.datetime64(case.time.start, "ms"), local.part.cells.n_owned

    def fields(location: files.Location, n_cells: int) -> CellFields | None:
        if location not in found:
            return None
        reach = files.reach_of(groups[location])
        return CellFields(found[location], local, n_cells, start, comm, reach=reach)

    n_local = local.mesh.n_cells
    wind = fields(files.WIND, n_owned)
    background = fields(files.BACKGROUND, n_owned)
    with agreed(comm):
        wind = wind or formula_wind(case, local, box, background)
    return Forcing(
        wind,
        fields(files.ICE, n_local),
        fields(files.CURRENT, n_local),
        fields(files.WATER_LEVEL, n_local),
        update_s=case.forcing.update,
        duration_s=case.duration_s,
    )


def formula_wind(case: Case, local: LocalMesh, box: Box, background: CellFields | None) -> Any:
    """The wind of a case that names a track, a constant or nothing, on the owned cells. Raises InputError for
    a track that does not serve."""
    from halcyon.wave.wind import Options, constant_wind, vortex_wind
    from halcyon.wave.wind.blend import BlendedWind

    given, n_owned = case.forcing.wind, local.part.cells.n_owned
    places = local.mesh.cell_latitude[:n_owned], local.mesh.cell_longitude[:n_owned]
    if not isinstance(given, TrackWind):
        speed, direction = (
            (given.constant.speed, given.constant.direction)
            if isinstance(given, ConstantWind)
            else (0.0, 0.0)
        )
        return WindAtCells(constant_wind(speed=speed, direction=direction), *places)
    track = _checked_track(case, given, box)
    start = np.datetime64(case.time.start, "s")
    vortex = vortex_wind(track, start=start, options=Options(**given.vortex_options()))
    inside = WindAtCells(vortex, *places)
    if given.outer_m is None:
        return inside
    return BlendedWind(
        vortex,
        inside,
        background or Calm(),
        np.asarray(local.mesh.cell_points[:n_owned]),
        inner=given.inner_radius,
        outer=given.outer_m,
        times_s=tuple((track.times[[0, -1]] - start).astype(float)),
    )


def track_of(case: Case) -> Track:
    """The track of a case that names one. Raises InputError where it cannot be read."""
    from halcyon.wave.track import read_track

    return read_track(**case.forcing.wind.track_options())


def _checked_track(case: Case, given: TrackWind, box: Box) -> Track:
    track = track_of(case)
    start, end = (np.datetime64(time, "s") for time in (case.time.start, case.time.end))
    track.check(start, end, box, in_part=given.background is not None)
    return track
