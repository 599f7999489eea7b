"""Runs of the wave model: mesh, spectrum, forcing and wave model of a case as a `RunModel`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import __version__, wave
from halcyon.base import ConfigError, InputError, RunError, format_bytes
from halcyon.comm import communicator
from halcyon.config.case import Case, FetchLaw, FromRestart
from halcyon.config.mesh import ExistingMesh, Spectrum
from halcyon.config.physics import known_variables
from halcyon.decomposition import LocalMesh
from halcyon.io.attributes import Origin
from halcyon.io.fields_file import OwnedMesh
from halcyon.launch.errors import all_ranks_raise
from halcyon.physics import SpectrumScheme, spectrum_scheme
from halcyon.run.input.boundary import OpenBoundary
from halcyon.run.input.cell_functions import is_source_term
from halcyon.run.input.cells import cell_description, local_mesh_of, middle_of_longitudes, station_cells
from halcyon.run.input.forcing import make_forcing
from halcyon.run.input.open_cells import open_cells
from halcyon.run.input.schemes import load_schemes, scheme_error
from halcyon.run.model import NO_FAILURE, PartTimes, Record, RunModel, StepFailure
from halcyon.run.output.records import OutputContents
from halcyon.run.reductions import elementwise_minimum, maximum, minimum
from halcyon.run.report import halo_exchange_text
from halcyon.run.series.series import StationSeries, field_of, values_of
from halcyon.run.series.spectra import SpectraRecords, spectra_points
from halcyon.run.state.identity import identity
from halcyon.run.state.restart import Restarts
from halcyon.run.state.restart_state import BEFORE_RECORD, RestartState
from halcyon.run.steps import WaveSteps, check_currents, wave_steps

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.io.vertical_axis import VerticalAxis

# Simulated time [s] between collective checks for failures, also where records are rare. A check is one small
# reduction, which is negligible compared with an hour of steps.
CHECK_EVERY_S = 3600.0
MONITORED = ("significant_height", "first_bin_share")  # variables for the progress line and for warnings
LARGEST = "largest_significant_height"  # updated after each step if in output.variables
FIRST_BIN_HEIGHT = 1.0  # [m]; lower waves give no warning for energy at the lowest frequency (bin 0)
FIRST_BIN_SHARE = 0.05  # of the variance; a larger share means that the sea outgrows the frequencies
DEPTH = "depth"
# Variables read from files, each with the option of `forcing` that names the files.
FORCED_VARIABLES = {
    "water_level": "water_level",
    "eastward_current": "current",
    "northward_current": "current",
    "ice_fraction": "ice",
}


class Model(RunModel):
    """The wave model on this rank; a step of the time loop is a source step."""

    case: Case
    steps: WaveSteps

    def __init__(self, case: Case, mesh_file: Path, comm: MPI.Comm, times: PartTimes) -> None:
        super().__init__(case, mesh_file, comm, times)
        with all_ranks_raise(comm):
            self.grid = spectral_grid(case.mesh.spectrum)
            _check_physics(case, self.grid)
            terms = filter(is_source_term, case.physics.schemes)
            schemes = load_schemes(case, spectrum_scheme, [*terms], "physics", "schemes")
        self.mesh = local_mesh_of(case, mesh_file, comm)
        _check_depths(self.mesh, case, comm)
        self.forcing = make_forcing(case, self.mesh, comm)
        self.boundary = None if case.boundary is None else OpenBoundary(case, self.mesh, self.grid, comm)
        with all_ranks_raise(comm):
            limits_s = cfl_limits_of(case, self.mesh, self.grid)
        middle = middle_of_longitudes(case, self.mesh, comm)
        stations = station_cells(case, self.mesh, comm, middle)
        limits_s = elementwise_minimum(comm, limits_s)
        with all_ranks_raise(comm):
            self.steps = wave_steps(case, limits_s)
        self.check_steps = max(1, int(CHECK_EVERY_S // self.steps.source_step_s))
        self.core_comm = communicator(comm)
        self.model = model_of(case, self.mesh, self.grid, self.steps, self.core_comm, schemes)
        with all_ranks_raise(comm):
            table = known_variables(case, [*wave.wave_variables(), *self.model.scheme_variables])
        self.variables = table
        self._set_clock(0)
        outputs = [v for v in table.values() if v.output and v.name != DEPTH]
        series_variables = [v for v in outputs if v.name in case.output.variables or self._is_in_series(v)]
        spectra_files = spectra_points(case, self.mesh, stations, comm, middle)
        self.contents = OutputContents(
            part=OwnedMesh.of(self.mesh, middle=middle),
            fixed=table[DEPTH],
            variables=[table[name] for name in case.output.variables if name != DEPTH],
            series=StationSeries(case, stations, self.model, comm, series_variables, self.origin(), middle),
            spectra=[
                SpectraRecords(case, points, self.grid, self.model, comm, self.core_comm, self.origin())
                for points in spectra_files
            ],
            title="Waves",
            origin=self.origin(),
        )
        self._monitored = list(dict.fromkeys([*(v.name for v in self.contents.variables), *MONITORED]))
        self.restart_state = self._restart_state()
        self._exclude_from_transport()
        self.identity = identity(case, self.mesh, self.steps.step_s, comm)
        self.max_height, self.warned_of_first_bin, self._failure = 0.0, False, NO_FAILURE

    def origin(self) -> Origin:
        return Origin(
            title="", version=__version__, references=wave.physics_references(self.case.physics.set)
        )

    def plan_rows(self, n_done: int = 0) -> list[tuple[str, str]]:
        spectrum, steps, comm = self.case.mesh.spectrum, self.steps, self.comm
        cells, bins = self.mesh.n_items[0], spectrum.frequencies * spectrum.directions
        n_source_steps = steps.n_steps - n_done
        n_steps = n_source_steps * steps.transport_steps
        step_text = f"{n_steps:,} transport steps of {steps.step_s:g} s"
        substeps = [n_substeps for _, n_substeps in steps.bands]
        if max(substeps) > 1:
            step_text += f", in {min(substeps)} to {max(substeps)} substeps by frequency band"
        step_text += f", {n_source_steps:,} source steps of {steps.source_step_s:g} s"
        grid = f"{spectrum.frequencies} frequencies x {spectrum.directions} directions"
        sides = [] if self.boundary is None else self.boundary.table()
        return [
            ("cells", f"{cells:,}"),
            ("spectrum", f"{grid} = {bins:,} bins"),
            *(
                ("storm" if i == 0 else "", text)
                for storm in self.forcing.storms
                for i, text in enumerate(filter(None, storm))
            ),
            ("ranks", str(comm.size)),
            ("exchange", halo_exchange_text(self.model.exchange, comm.size)),
            ("steps", step_text),
            ("memory", format_bytes(comm.allreduce(self.model.memory_bytes))),
            *((("boundary", "")[i > 0], row) for i, row in enumerate(sides)),
        ]

    def start(self, restarts: Restarts) -> None:
        """Sets the wind and the initial wave state, then ice, currents, water level and boundary."""
        self._set_wind(0)
        if isinstance(self.case.initial, FromRestart):
            restarts.initialize_from(self.case.initial.file, self.identity)
        elif isinstance(self.case.initial, FetchLaw):
            initial = self.case.initial
            self.model.set_fetch_law(initial.fetch, cap_light_winds=initial.cap_light_winds)
        else:
            self.model.set_calm()
        self._set_ice_and_water(0)
        self._set_boundary(0)
        self._update_largest_heights()

    def state(self) -> dict[str, Any]:
        state = {"max_height": self.max_height, "warned_of_first_bin": self.warned_of_first_bin}
        return state if self.boundary is None else state | {"boundary": self.boundary.report.state()}

    def _set_clock(self, number: int) -> None:
        """Tells the added source terms the number of completed source steps, and the time of the start."""
        self.model.set_clock(number, self.case.time.start.replace(tzinfo=UTC).timestamp())

    def resume(self, number: int, state: Mapping[str, Any]) -> None:
        self._set_clock(number)
        self.max_height, self.warned_of_first_bin = state["max_height"], state["warned_of_first_bin"]
        if self.boundary is not None:
            self.boundary.report.resume(state.get("boundary"))
        if state.get(BEFORE_RECORD, False):
            self._set_ice_and_water(number - 1)  # as during the step that the record belongs to

    def step(self, number: int) -> None:
        """Computes transport, then the source terms with the wind at the middle of the step."""
        self._set_ice_and_water(number - 1)
        for i in range(self.steps.transport_steps):
            self._set_boundary(number - 1 + (i + 0.5) / self.steps.transport_steps)
            self.model.transport(self.steps.step_s)
        self._set_wind(number - 0.5)
        cell, height = self.model.sources(self.steps.source_step_s)
        if cell >= 0:
            self._record_failure(cell, number, self._blow_up_error(cell, height, number))
        cell, scheme, message, result, bin_, value = self.model.scheme_failure
        if cell >= 0:
            frequency, direction = divmod(bin_, self.grid.n_directions)
            location = f"{cell_description(self.mesh, cell)}, frequency {frequency}, direction {direction}"
            result, start = f"{result} = {value:g}", self.steps.time(number - 1)
            text = scheme_error(scheme, message, result, location, number, start)
            self._record_failure(cell, number, RunError(text))
        self._update_largest_heights()

    def record(self, number: int, check: Callable[[], None]) -> Record:
        if number > 0:
            self._set_wind(number)
        check()
        if self.boundary is not None:
            with self.times.measure("forcing"):
                self.boundary.measure(self.model, number * self.steps.source_step_s)
        values = values_of(self.model, self._monitored)
        heights = values["significant_height"]
        share = float(np.max(values["first_bin_share"][heights > FIRST_BIN_HEIGHT], initial=0))
        highest = maximum(self.comm, float(np.max(heights, initial=0)))
        share = maximum(self.comm, share)
        warns = share > FIRST_BIN_SHARE and not self.warned_of_first_bin
        self.max_height = max(self.max_height, highest)
        self.warned_of_first_bin |= warns
        warning = (
            f"a spectrum has {100 * share:.0f} % of its variance at its lowest frequency"
            f" ({self.grid.frequency[0]:.4g} Hz): longer waves are not resolved and leave the spectrum. Lower"
            " mesh.spectrum.first_frequency."
        )
        return Record(values, f"max Hs {highest:.1f} m", warning if warns else "")

    def values(self, number: int, name: str) -> tuple[np.ndarray, VerticalAxis | None]:
        if number > 0:
            self._set_wind(number)
        return values_of(self.model, [name])[name], None

    @property
    def memory_bytes(self) -> int:
        return self.model.memory_bytes

    def failure(self) -> StepFailure:
        return self._failure

    def summary_fields(self) -> dict[str, Any]:
        boundary = None if self.boundary is None else self.boundary.report
        return {"max_height": self.max_height, "boundary": boundary}

    def part_times(self) -> dict[str, float]:
        times = self.model.times
        return {
            "transport": times.transport_s,
            "sources": times.sources_s,
            "exchange": times.exchange_s,
            "forcing": self.times["forcing"],
        }

    def _update_largest_heights(self) -> None:
        """Updates the largest significant height so far, if it is in output.variables."""
        if LARGEST in self.case.output.variables:
            self.model.update_largest_height()

    def _exclude_from_transport(self) -> None:
        """Keeps cells with prescribed spectra, and local sides (equations.sides), out of transport."""
        cells = [np.empty(0, int)] if self.boundary is None else [self.boundary.cells]
        if self.case.equations.sides == "local":
            cells.append(open_cells(self.mesh, None).cells)
        self.model.hold_cells(np.unique(np.concatenate(cells)).astype(np.int32))

    def _set_wind(self, number: float) -> None:
        """Collective. Sets the wind at the time after `number` source steps, which may be fractional."""
        with self.times.measure("forcing"):
            cell = self.forcing.set_wind(self.model, number * self.steps.source_step_s)
        if cell >= 0:
            location = f"{cell_description(self.mesh, cell)}, {self.steps.time(number):%Y-%m-%d %H:%M} UTC"
            error = InputError(f"The wind is not a finite number at {location}. Correct forcing.wind.")
            self._record_failure(cell, number, error)
        self._check_functions(number)

    def _check_functions(self, number: float) -> None:
        """Keeps the error of a function of wind or ice, if it is the first failure of this rank."""
        if self.forcing.error:
            self._record_failure(0, number, RunError(self.forcing.error))

    def _set_ice_and_water(self, number: float) -> None:
        """Collective. Updates ice, currents and water level. Raises ConfigError if the currents are too
        strong for the transport step."""
        with self.times.measure("forcing"):
            changed = self.forcing.set_ice_and_water(self.model, number * self.steps.source_step_s)
        self._check_functions(number)
        if changed:
            limits_s = elementwise_minimum(self.comm, np.asarray(self.model.cfl_limits))
            with all_ranks_raise(self.comm):
                check_currents(self.case, self.steps, limits_s)

    def _set_boundary(self, number: float) -> None:
        """Collective. Sets the boundary spectra at the time after `number` source steps, which may be
        fractional."""
        if self.boundary is not None:
            with self.times.measure("forcing"):
                self.boundary.set(self.model, number * self.steps.source_step_s)

    def _record_failure(self, cell: int, number: float, error: Exception) -> None:
        """Keeps the first failure of this rank, at an owned cell."""
        if self._failure is NO_FAILURE:
            self._failure = StepFailure(
                sort_key=(number, int(self.mesh.part.cells.to_global[cell])), error=error
            )

    def _blow_up_error(self, cell: int, height: float, number: int) -> RunError:
        """The error of a blow-up at a cell. `height`: significant wave height [m]; NaN if the spectrum is
        negative or not finite."""
        problem = (
            "is not a finite number, or negative" if np.isnan(height) else f"reaches Hs = {height:.1f} m"
        )
        return RunError(
            f"The run blew up: action at {cell_description(self.mesh, cell)} {problem} in source step"
            f" {number}, {self.steps.time(number):%Y-%m-%d %H:%M} UTC."
            " Shorten time.source_step, or check wind and depth there."
        )

    def _is_in_series(self, variable: Any) -> bool:
        """Whether the time series at stations include a variable although it is not in output.variables: if
        it is not accumulated over steps, and does not need forcing files that the case lacks."""
        group = FORCED_VARIABLES.get(variable.name)
        return not variable.restart and (group is None or getattr(self.case.forcing, group) is not None)

    def _restart_state(self) -> RestartState:
        """The state in restart files, which includes accumulated output variables only if requested, and the
        wave stress only if the physics set keeps it."""
        spectrum, requested, model = self.case.mesh.spectrum, self.case.output.variables, self.model
        restart = [v for v in wave.wave_variables() if v.restart and (not v.output or v.name in requested)]
        restart = [v for v in restart if v.name != "wave_stress" or model.keeps_wave_stress]
        restart += model.scheme_variables
        return RestartState(
            variables=restart,
            sizes=[
                ("cell", self.comm.allreduce(model.n_owned)),
                ("frequency", spectrum.frequencies),
                ("direction", spectrum.directions),
            ],
            owned={"cell": model.owned_cells},
            array_of=lambda name: field_of(model, name),
        )


def spectral_grid(spectrum: Spectrum) -> wave.SpectralGrid:
    """The spectral grid of a case."""
    return wave.SpectralGrid(
        frequencies=spectrum.frequencies,
        first_frequency=spectrum.first_frequency,
        ratio=spectrum.ratio,
        directions=spectrum.directions,
    )


def cfl_limits_of(case: Case, local: LocalMesh, grid: wave.SpectralGrid) -> np.ndarray:
    """CFL limits [s] (frequency) of this rank's part of the mesh."""
    return wave.cfl_limits(
        local.mesh,
        grid,
        great_circle=case.equations.great_circle_turning,
        scheme=case.equations.scheme,
        swell_age=case.equations.swell_age,
        strongest_current=case.time.strongest_current,
    )


def model_of(
    case: Case,
    mesh: LocalMesh,
    grid: wave.SpectralGrid,
    steps: WaveSteps,
    core_comm: Any,
    schemes: Sequence[SpectrumScheme] = (),
) -> wave.Model:
    """Collective. This rank's model, with its part of the mesh."""
    # The C++ API takes numbers as doubles.
    options = {name: float(v) if type(v) is int else v for name, v in case.physics.values().items()}
    return wave.Model(
        core_comm,
        mesh,
        grid,
        great_circle=case.equations.great_circle_turning,
        refraction=case.equations.refraction,
        scheme=case.equations.scheme,
        swell_age=case.equations.swell_age,
        bands=steps.bands,
        least_depth=case.equations.least_depth,
        ice_threshold=case.equations.ice_threshold,
        physics=case.physics.set,
        physics_options=options,
        schemes=list(schemes),
        method=case.exchange.method,
        overlap=case.exchange.overlap,
    )


def _check_physics(case: Case, grid: wave.SpectralGrid) -> None:
    """Raises ConfigError if the source terms do not support the spectral grid."""
    try:
        wave.make_physics(case.physics.set, grid, **case.physics.values())
    except ConfigError as error:
        raise ConfigError(f"{case.location('mesh', 'spectrum')}: {error}") from None


def _check_depths(local: LocalMesh, case: Case, comm: MPI.Comm) -> None:
    """Collective. Raises InputError for a mesh without depths, or for the first cell whose depth is not
    positive."""
    depth = np.asarray(local.mesh.bottom_depth)
    with all_ranks_raise(comm):
        if len(depth) != local.mesh.n_cells and not isinstance(case.mesh, ExistingMesh):
            raise ConfigError(
                f"{case.location('mesh')}: the mesh has no depths. Give the group mesh.depth, or sea: true."
            )
        if len(depth) != local.mesh.n_cells and isinstance(case.mesh, ExistingMesh):
            raise InputError(
                f"The mesh {case.mesh.file} has no depths: it needs the variable bottomDepth(nCells) [m]."
            )
    ids = local.part.cells.to_global[: local.part.cells.n_owned]
    dry_cells = np.flatnonzero(~(depth[: len(ids)] > 0))
    first_id = minimum(comm, min((int(ids[cell]) for cell in dry_cells), default=local.n_items[0]))
    with all_ranks_raise(comm):
        for cell in dry_cells[ids[dry_cells] == first_id]:  # on the owner of the first dry cell
            raise InputError(
                f"The mesh {getattr(case.mesh, 'file', 'of the case')} has a depth of {depth[cell]:g} m at"
                f" {cell_description(local, cell)}. bottomDepth is positive down; remove land from the mesh."
            )
