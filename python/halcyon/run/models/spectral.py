"""Runs of the spectral model: the model of a case as a `RunModel`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import __version__, spectral
from halcyon.base import ConfigError, InputError
from halcyon.comm import communicator
from halcyon.config.initial import FromFile
from halcyon.config.physics import labels_text
from halcyon.config.spectral import SEMI_LAGRANGIAN, Gaussian, SpectralCase
from halcyon.io.attributes import Origin
from halcyon.io.fields_file import OwnedGrid, OwnedMesh
from halcyon.launch.errors import all_ranks_raise
from halcyon.mesh.sphere import position_text
from halcyon.physics import ColumnScheme
from halcyon.run.model import PartTimes
from halcyon.run.models.core import CoreModel, check_physics_steps, physics_of
from halcyon.run.output.gaussian_boxes import GaussianBoxes
from halcyon.run.reductions import minimum, raise_first
from halcyon.run.start.on_grid import set_start_from_file, state_of_start
from halcyon.run.state.identity import identity
from halcyon.run.state.restart import Restarts
from halcyon.run.state.restart_state import RestartState
from halcyon.run.steps import core_steps
from halcyon.transform.tuning import LISTS, ExchangeSettings, available_progress, make_progress

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.comm import Progress
    from halcyon.transform import Hiding

JET = 100.0  # wind [m s-1] for which an automatic step of the primitive equations must be stable


_SCHEMES = {
    "runge_kutta": "Runge-Kutta",
    "semi_implicit": "semi-implicit",
    SEMI_LAGRANGIAN: "semi-Lagrangian semi-implicit",
}

REFERENCES = (
    "Hoskins and Simmons 1975, doi:10.1002/qj.49710142918; Simmons and Burridge 1981,"
    " doi:10.1175/1520-0493(1981)109<0758:AEAAMC>2.0.CO;2; Williams 2009, doi:10.1175/2009MWR2724.1"
)


class Model(CoreModel):
    """The spectral model on this rank."""

    case: SpectralCase

    def __init__(self, case: SpectralCase, mesh_file: Path | None, comm: MPI.Comm, times: PartTimes) -> None:
        super().__init__(case, mesh_file, comm, times)
        with all_ranks_raise(comm):
            physics = physics_of(case)
        with all_ranks_raise(comm):
            model = model_of(case, comm, physics)
        _set_start(case, model, comm)
        # Winds may grow: an automatic step of the primitive equations is also stable for a jet.
        jet = JET if case.time.step == "auto" and case.equations.has_levels else 0.0
        longest_s = minimum(comm, model.longest_step(jet))
        with all_ranks_raise(comm):
            steps = core_steps(case, longest_s)
            check_physics_steps(case, steps.step_s)
        self.core_comm = communicator(comm)
        self.set_core(model, steps, owned_output_grid(model), "Spectral model")
        self.restart_state = restart_state_of(model)
        self.identity = identity(case, mesh=None, step_s=steps.step_s, comm=comm)
        self.exchange = SpectralExchange(case, model, comm)

    def origin(self) -> Origin:
        name = f"T{self.case.mesh.truncation}, {self.case.equations.set.replace('_', ' ')}"
        model = f"spectral model, {name} equations"
        return Origin(title="", version=__version__, references=REFERENCES, model=model)

    def plan_rows(self, n_done: int = 0) -> list[tuple[str, str]]:
        case, model = self.case, self.core
        levels = f", {model.n_levels} levels" if model.n_levels > 1 else ""
        scheme = _SCHEMES[case.scheme]
        grid = ("grid", f"T{model.truncation}, {_grid_text(case.mesh)}{levels}")
        v, w = model.sets
        moist = "moist " if case.equations.moist else ""
        physics = f" with {labels_text(case.physics)}" if case.physics else ""
        solver = ", solver gcr" if case.time.solver == "gcr" else ""
        start = case.initial.description
        precision = f"{case.equations.precision} bits"
        text = f"{moist}{case.equations.set}, {scheme}{solver}{physics}, {precision}, from {start}"
        ranks = "1" if v * w == 1 else f"{v * w}, in {v} x {w} sets"
        exchange = self.exchange.plan_text()
        return self.common_plan_rows(grid, equations=text, ranks=ranks, exchange=exchange, n_done=n_done)

    def start(self, restarts: Restarts) -> None:
        """The state was set when the model was created."""
        self._configure_exchange()

    def resume(self, number: int, state: Mapping[str, Any]) -> None:
        super().resume(number, state)
        self.core.resume(is_start=number == 0)
        self._configure_exchange()

    def step(self, number: int) -> None:
        try:
            self.core.step(self.steps.step_s, check=False)  # the time loop checks for failures
        except (ConfigError, InputError):  # of advection, on all ranks; an earlier failure may be the cause
            raise_first(self.comm, self.failure())
            raise
        with self.times.measure("trials"):
            self.exchange.retune_after(number)

    def location_id(self, failure: Any) -> int:
        return -1 if failure.point < 0 else int(self.core.points[failure.point])

    def location_description(self, failure: Any) -> str:
        """`3.00 E 4.00 N`"""
        longitude, latitude = self.core.grid.location(self.location_id(failure))
        return position_text(longitude, latitude)

    def part_times(self) -> dict[str, float]:
        transforms = self.core.transforms
        parts_s = {"Legendre": transforms.legendre_s, "Fourier": transforms.fourier_s}
        exchange_s = {"exchange": transforms.exchange_s}
        if self.case.equations.is_semi_lagrangian:
            advection = self.core.advection_costs
            parts_s |= {"departure points": advection.plan_s, "interpolation": advection.interpolate_s}
            exchange_s["halos"] = advection.start_s + advection.wait_s
            solver = self.core.solver_costs
            parts_s["solver"] = solver.solve_s - solver.transform_s - solver.exchange_s
            exchange_s["exchange"] += solver.exchange_s
        other_s = self.core.compute_s - sum(parts_s.values())
        trials_s = {"trials": self.times["trials"]} if self.comm.size > 1 else {}
        return {**parts_s, "computation": other_s, **exchange_s, **trials_s}

    def summary_fields(self) -> dict[str, Any]:
        fields, costs = {}, self.core.solver_costs
        if self.case.time.solver == "gcr" and costs.n_solutions:
            counts = {"iterations": costs.n_iterations, "allreduces": costs.n_allreduces}
            fields["solver"] = {name: count / costs.n_solutions for name, count in counts.items()}
        if self.comm.size == 1:
            return fields
        exchange = self.exchange
        return fields | {
            "exchange": exchange.text(),
            "hidden_share": exchange.hidden_share(),
            "transform_overlap": exchange.overlap,
        }

    def _configure_exchange(self) -> None:
        with self.times.measure("trials"):
            self.exchange.configure()


def owned_output_grid(model: spectral.Model) -> OwnedGrid | OwnedMesh:
    """This rank's part of the output grid: latitude-longitude points if all rows have equal length, else the
    boxes around the points."""
    grid = model.grid
    if len(grid.shape) == 1:  # rows of different lengths
        return GaussianBoxes(grid).owned_part(model.points, model.ground)
    v, _ = model.sets  # the points of each row are distributed over v ranks
    return OwnedGrid(model.points, grid.latitude, grid.longitude, model.ground, whole_rows=v == 1)


def restart_state_of(model: spectral.Model) -> RestartState:
    """The state in restart files: spectral coefficients, level by level. The dimension `part` has two
    elements: the real and the imaginary part."""
    n_coefficients = (model.truncation + 1) * (model.truncation + 2) // 2
    levels = np.arange(model.n_levels, dtype=np.int64)[:, None]
    owned = {
        "coefficient": model.coefficients,
        "level_coefficient": np.ascontiguousarray(levels * n_coefficients + model.coefficients).ravel(),
        "point": model.points,
        "level_point": (levels * model.grid.n_points + model.points).ravel(),
    }
    counts = {
        "coefficient": n_coefficients,
        "level_coefficient": model.n_levels * n_coefficients,
        "point": model.grid.n_points,
        "level_point": model.n_levels * model.grid.n_points,
    }
    dimensions = [
        name for name in owned if name in {variable.dimensions[0] for variable in model.restart_variables}
    ]
    keeps_tracers = any("tracer_level" in variable.dimensions for variable in model.restart_variables)
    return RestartState(
        variables=model.restart_variables,
        sizes=[
            *((name, counts[name]) for name in dimensions),
            ("part", 2),
            *([("level", model.n_levels)] if "point" in dimensions else []),
            *([("tracer_level", len(model.tracers) * model.n_levels)] if keeps_tracers else []),
        ],
        owned={name: owned[name] for name in dimensions},
        array_of=model.prognostic,
    )


def model_of(case: SpectralCase, comm: MPI.Comm, physics: Sequence[ColumnScheme] = ()) -> spectral.Model:
    """Collective. The model of a case, before its initial state is set."""
    equations, diffusion = case.equations, case.equations.hyperdiffusion
    return spectral.Model(
        equations.set,
        case.mesh.truncation,
        case.mesh.gaussian_grid,
        planet=spectral.Planet(
            radius=equations.radius, rotation=equations.rotation, gravity=equations.gravity
        ),
        scheme=case.scheme,
        precision=equations.precision,
        filter=case.time.filter,
        filter_share=case.time.filter_share,
        interpolation=equations.interpolation,
        monotone=equations.monotone,
        monotone_tracers=equations.monotone_tracers,
        tracers=case.tracers,
        moist=equations.moist,
        decentring=case.time.decentring,
        solver=case.time.solver,
        tolerance=case.time.tolerance,
        mass_fixer=equations.mass_fixer,
        halo=case.exchange.halo,
        level_groups=case.exchange.level_groups,
        diffusion=None if diffusion is None else (diffusion.order, diffusion.time_scale),
        levels=case.levels.interfaces() if equations.has_levels else None,
        physics=physics,
        memory=case.mesh.memory,
        comm=comm,
        sets=case.sets_for(comm.size),
    )


def _set_start(case: SpectralCase, model: spectral.Model, comm: MPI.Comm) -> None:
    """Collective. Sets the initial state."""
    if isinstance(case.initial, FromFile):
        set_start_from_file(case, model, comm)
        return
    with all_ranks_raise(comm):
        state = state_of_start(model, case.initial.type, case.initial.options())
    model.set(**state)


def _grid_text(mesh: Gaussian) -> str:
    """`32 latitudes x 64 longitudes`, or `octahedral, 44 rows of 20 to 104 points`"""
    if mesh.grid == "full":
        return f"{mesh.n_latitudes} latitudes x {mesh.n_longitudes} longitudes"
    return f"{mesh.grid}, {mesh.description}"


class SpectralExchange:
    """Settings of the exchanges within transforms; results do not depend on them. Collective."""

    def __init__(self, case: SpectralCase, model: spectral.Model, comm: MPI.Comm) -> None:
        self._options, self._model, self._comm = case.exchange, model, comm
        # Settings with 'auto' in the case are 'auto' here until they have been measured.
        self.settings = ExchangeSettings(*(getattr(case.exchange, name) for name in ExchangeSettings._fields))
        self.overlap: Hiding | None = None  # as measured last; None for one group or one rank
        self._progress_engines: dict[str, Progress] = {}  # by name

    def configure(self) -> None:
        """Sets or tunes the exchange, and measures its overlap with computation. Needs a model whose state is
        set."""
        if self._comm.size == 1:
            return
        if self._options.needs_tuning:
            self._tune()
        else:
            self._model.set_exchange(
                **self.settings._asdict() | {"progress": self._progress_engine(self.settings.progress)}
            )
        self._measure_overlap()

    def retune_after(self, number: int) -> None:
        """Measures the `auto` settings again every `exchange.retune` steps."""
        if self._comm.size == 1 or not self._options.retune or number % self._options.retune:
            return
        self._tune()
        self._measure_overlap()

    def hidden_share(self) -> float | None:
        """The share of the exchange time that is hidden behind computation in the last trials (`Hiding.chr`).
        None for one group or one rank, or if the exchange is too short to measure."""
        return None if self.overlap is None or self.overlap.hidden is None else self.overlap.chr

    def plan_text(self) -> str:
        """The row `exchange` of the plan: the options of the case's group `exchange`."""
        if self._comm.size == 1:
            return "none (one rank)"
        text = ", ".join(f"{name} {value}" for name, value in self.settings._asdict().items())
        return f"{text} (auto: measured at the start)" if "auto" in self.settings else text

    def text(self) -> str:
        """The settings, such as `3 groups, isend_irecv, burst, poll`."""
        return str(self.settings)

    def _measure_overlap(self) -> None:
        """Measures the transforms of a step with and without overlap."""
        self.overlap = self._model.hiding() if self.settings.groups > 1 else None

    def _tune(self) -> None:
        """Measures candidates for settings that are 'auto' in the case, and sets the fastest combination."""
        values = (getattr(self._options, name) for name in ExchangeSettings._fields)
        candidates: dict[str, Any] = {
            name: choices if value == "auto" else (value,)
            for value, (name, choices) in zip(values, LISTS.items(), strict=True)
        }
        names = (
            available_progress(candidates["progress"])
            if self._options.progress == "auto"
            else candidates["progress"]
        )
        candidates["progress"] = {name: self._progress_engine(name) for name in names}
        self._model.tune(**candidates)
        self.settings = self._model.exchange_settings

    def _progress_engine(self, name: str) -> Progress:
        """The progress engine of this name, made at its first use."""
        if name not in self._progress_engines:
            self._progress_engines |= make_progress(self._comm, [name], str(self._options.core))
        return self._progress_engines[name]
