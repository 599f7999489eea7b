"""Forcing of a wave run: wind, ice, currents and water level, built from the case and set in the model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import wave
from halcyon._core.wave import Wind
from halcyon.config.case import Case
from halcyon.config.forcing import (
    CellWind,
    ConstantWind,
    Current,
    Gridded,
    GriddedOverSea,
    GriddedVector,
    GriddedWind,
    SeaScalar,
    Storms,
    WaterLevel,
)
from halcyon.config.mesh import GeneratedMesh
from halcyon.config.run_case import RunCase
from halcyon.decomposition import LocalMesh
from halcyon.launch.errors import all_ranks_raise, from_root
from halcyon.run.input.cell_fields import CellFields
from halcyon.run.input.cell_functions import CellFunctions, has_ice_functions
from halcyon.run.input.cell_winds import WindOnCells
from halcyon.run.input.storms import (
    WIND,
    Box,
    Environment,
    basin_warnings,
    check_storms,
    locate_errors,
    storm_titles,
    storm_wind,
    storms_on_mesh,
    tracks_of,
)
from halcyon.run.progress import print_on_root
from halcyon.run.reductions import minimum
from halcyon.wave import gridded
from halcyon.wave.gridded import Catalogue, Quantity, catalogue, require_change, select_period
from halcyon.wave.track import Track
from halcyon.wave.wind import constant_wind

if TYPE_CHECKING:
    from mpi4py import MPI

Location = tuple[str, ...]  # the group of the case that names the files
BACKGROUND = (*WIND, "background")
ICE, CURRENT = ("forcing", "ice"), ("forcing", "current")
WATER_LEVEL = ("forcing", "water_level")


@dataclass
class Forcing:
    """Wind on the owned cells; ice, currents and water level on all cells of this rank, None for fields that
    the case does not have."""

    wind: Any  # a C++ `Wind`, or an object whose `at(time_s)` returns eastward and northward wind [m s-1]
    ice: CellFields | None
    current: CellFields | None
    water_level: CellFields | None
    update_s: float  # interval of updates of ice, currents and water level [s]
    duration_s: float  # duration of the run [s]
    functions: CellFunctions  # of a Python program, which change wind and ice
    n_cells: int  # cells of this rank, with those of its halo
    source_step_s: float  # time for which a wind is used [s]
    storms: list[tuple[str, str]]  # title of the track of each storm, and a text on the storm on the mesh
    error: str = ""  # text of the first error of a function; empty: none
    _updated_interval_s: float = -1.0  # beginning of the interval of the last update [s]

    def set_wind(self, model: wave.Model, time_s: float) -> int:
        """Collective. Sets the wind at a time since the start [s]. Returns the owned cell with the lowest
        global id where the wind is not finite, or -1."""
        given = (self.wind, time_s) if isinstance(self.wind, Wind) else self.wind.at(time_s)
        cell = model.set_wind(*given)
        if cell >= 0 or not self.functions.has("wind"):
            return cell
        names = ("eastward_wind", "northward_wind")
        wind = {name: np.array(getattr(model, name), float) for name in names}
        self.error = self.error or self.functions.change("wind", wind, time_s, self.source_step_s)
        return model.set_wind(*wind.values())

    def set_ice_and_water(self, model: wave.Model, time_s: float) -> bool:
        """Collective. Sets ice, currents and water level if an update is due at a time since the start [s].
        The values are of the middle of the update interval, so that a resumed run has the same values.
        Returns whether currents or water level have changed."""
        begin_s = math.floor(time_s / self.update_s) * self.update_s
        if begin_s == self._updated_interval_s:
            return False
        self._updated_interval_s = begin_s
        middle_s = _update_time_s(time_s, self.update_s, self.duration_s)
        if self.ice is not None or self.functions.has("ice"):
            fraction = (
                np.zeros(self.n_cells) if self.ice is None else np.array(self.ice.at(middle_s)[0], float)
            )
            ice = {"ice_fraction": fraction}
            self.error = self.error or self.functions.change("ice", ice, middle_s, self.update_s)
            model.set_ice(np.clip(fraction, 0, 1).astype(np.float32))
        if self.current is None and self.water_level is None:
            return False
        empty = np.empty(0)
        current = self.current.at(middle_s) if self.current else (empty, empty)
        water_level = self.water_level.at(middle_s) if self.water_level else (empty,)
        model.set_water(*(values.astype(np.float32) for values in (*water_level, *current)))
        return True


def sea_depends_on_end(case: RunCase, state_s: float, duration_s: float) -> bool:
    """Whether a run that lasts `duration_s` has other ice, currents or water level than the case in the steps
    before a state at `state_s` [s since the start]: near the end of a run they are those of its end."""
    if not isinstance(case, Case):
        return False
    if not ({ICE, CURRENT, WATER_LEVEL} & gridded_groups(case).keys() or has_ice_functions(case)):
        return False
    last_s, update_s = state_s - case.time.source_step, case.forcing.update
    return _update_time_s(last_s, update_s, duration_s) != _update_time_s(last_s, update_s, case.duration_s)


def _update_time_s(time_s: float, update_s: float, duration_s: float) -> float:
    """The time of the ice, currents and water level in use at `time_s`: the middle of the update interval,
    but at most the end of the run."""
    return min(math.floor(time_s / update_s) * update_s + update_s / 2, duration_s)


def make_forcing(case: Case, local: LocalMesh, comm: MPI.Comm) -> Forcing:
    """Collective. The forcing of a case, checked to cover the run and the mesh. Raises the same error on all
    ranks."""
    catalogues, tracks = from_root(comm, lambda: (catalogues_of(case), tracks_of(case)))
    groups = gridded_groups(case)
    start, n_owned = np.datetime64(case.time.start, "ms"), local.part.cells.n_owned

    def cell_fields(location: Location, n_cells: int) -> CellFields | None:
        if location not in catalogues:
            return None
        where = case.location(*location)
        for text in filter(None, (each.gap_text for each in catalogues[location][:1])):
            print_on_root(comm, f"warning: {where}: {text}")
        options: dict[str, Any] = {"reach": reach_of(groups[location]), "location": where}
        return CellFields(catalogues[location], local, n_cells, start, comm, **options)

    n_local = local.mesh.n_cells
    wind = cell_fields(WIND, n_owned)
    background: Any = cell_fields(BACKGROUND, n_owned)
    box = _box(case, local, comm)
    if tracks:
        from_root(comm, lambda: check_storms(case, tracks_of(case, perturbed=False), box))
        for text in from_root(comm, lambda: basin_warnings(case)):
            print_on_root(comm, f"warning: {text}")
    with all_ranks_raise(comm):
        if background is not None and case.forcing.wind.background.vortex == "removed":
            points = np.asarray(local.mesh.cell_points[:n_owned])
            background = Environment(background, catalogues[BACKGROUND], tracks, points, start, comm)
    with all_ranks_raise(comm):
        functions = CellFunctions(case, local)
    wind = wind or _other_wind(case, tracks, local, background, comm)
    on_mesh = storms_on_mesh(case, tracks, local, comm)
    for storm in filter(None, on_mesh):
        if storm.warning:
            print_on_root(comm, f"warning: {storm.warning}")
    return Forcing(
        wind=wind,
        ice=cell_fields(ICE, n_local),
        current=cell_fields(CURRENT, n_local),
        water_level=cell_fields(WATER_LEVEL, n_local),
        update_s=case.forcing.update,
        duration_s=case.duration_s,
        functions=functions,
        source_step_s=case.time.source_step,
        n_cells=n_local,
        storms=[
            (title, storm.text if storm else "")
            for title, storm in zip(storm_titles(case, tracks), on_mesh, strict=True)
        ],
    )


def _box(case: Case, local: LocalMesh, comm: MPI.Comm) -> Box:
    """Collective. The bounds of the region, or of a mesh without a region."""
    if isinstance(case.mesh, GeneratedMesh) and case.mesh.region:
        region = case.mesh.region
        return region.west, region.east, region.south, region.north
    longitude, latitude = np.degrees(local.mesh.cell_longitude), np.degrees(local.mesh.cell_latitude)
    # The maximum over ranks is the negative minimum of the negative values.
    west, minus_east, south, minus_north = (
        minimum(comm, bound) for bound in (longitude.min(), -longitude.max(), latitude.min(), -latitude.max())
    )
    return west, -minus_east, south, -minus_north


def _other_wind(
    case: Case,
    tracks: list[Track],
    local: LocalMesh,
    background: CellFields | Environment | None,
    comm: MPI.Comm,
) -> Any:
    """The `Forcing.wind` of a case with storms, a wind on cells, a constant wind or without wind."""
    wind = case.forcing.wind
    if isinstance(wind, Storms):
        with all_ranks_raise(comm):
            return storm_wind(case, tracks, local, background)
    if isinstance(wind, CellWind):
        return WindOnCells(case, local, comm)
    if isinstance(wind, ConstantWind):
        return constant_wind(speed=wind.constant.speed, direction=wind.constant.direction)
    return constant_wind(speed=0.0, direction=0.0)


def gridded_groups(case: Case) -> dict[Location, Gridded]:
    """The groups of a case that name files of fields on longitude-latitude grids."""
    wind = case.forcing.wind
    groups = {
        WIND: wind if isinstance(wind, GriddedWind) else None,
        BACKGROUND: wind.background if isinstance(wind, Storms) else None,
        ICE: case.forcing.ice,
        CURRENT: case.forcing.current,
        WATER_LEVEL: case.forcing.water_level,
    }
    return {location: group for location, group in groups.items() if group is not None}


def reach_of(group: Gridded) -> float:
    """Distance [m] up to which missing values are filled from neighbouring grid points."""
    return group.reach if isinstance(group, GriddedOverSea) else 0.0


def catalogues_of(case: Case) -> dict[Location, list[Catalogue]]:
    """The records that the run needs, one catalogue per quantity of each group.

    Raises ConfigError or InputError, with file and line of the case, for unsuitable files."""
    catalogues = {}
    for location, group in gridded_groups(case).items():
        with locate_errors(case, *location):
            catalogues[location] = _catalogues(case, group)
    return catalogues


def forcing_files(case: Case) -> dict[str, list[Path]]:
    """The forcing files that the run reads, by the option that names the files."""
    catalogues = catalogues_of(case)
    return {
        ".".join((*location, "files")): sorted({path for each in of_group for path in each.paths})
        for location, of_group in catalogues.items()
    }


def _catalogues(case: Case, group: Gridded) -> list[Catalogue]:
    """The records that the run needs from the files of a group, one catalogue per quantity."""
    quantities, names = _quantities(group)
    start, end = (np.datetime64(time, "ms") for time in (case.time.start, case.time.end))
    components = group.components if isinstance(group, GriddedVector) else "auto"
    climatology = group.climatology == "monthly"
    catalogues = catalogue(
        group.files,
        quantities,
        names=names,
        unit=group.units,
        components=components,
        select=group.select,
        means=climatology,
    )
    for of_quantity in catalogues:
        of_quantity.grid.fill_passes(reach_of(group))  # raises for a reach that the grid does not support
    catalogues = [
        select_period(of_quantity, start, end, climatology=climatology, longest_gap=group.longest_gap)
        for of_quantity in catalogues
    ]
    if isinstance(group, GriddedWind) and not (group.steady or climatology):
        require_change(catalogues)
    return catalogues


def _quantities(group: Any) -> tuple[tuple[Quantity, ...], list[str] | None]:
    """The quantities of a group, and the names of their variables if the case gives them."""
    if isinstance(group, SeaScalar):
        quantity = gridded.LEVEL if isinstance(group, WaterLevel) else gridded.ICE
        return (quantity,), [group.variable] if group.variable else None
    names = group.variables and [group.variables.eastward, group.variables.northward]
    return gridded.CURRENT if isinstance(group, Current) else gridded.WIND, names
