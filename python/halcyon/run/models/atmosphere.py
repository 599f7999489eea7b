"""Runs of the atmosphere: the dynamical core of a case as a `RunModel`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import __version__, atmosphere
from halcyon.atmosphere.levels import lowest_surface_pressure
from halcyon.base import ConfigError
from halcyon.comm import communicator
from halcyon.config.atmosphere import SURFACE_PRESSURE, AtmosphereCase
from halcyon.config.initial import FromFile
from halcyon.config.physics import labels_text
from halcyon.decomposition import LocalMesh
from halcyon.io.attributes import Origin
from halcyon.io.fields_file import OwnedMesh
from halcyon.launch.errors import all_ranks_raise
from halcyon.physics import ColumnScheme
from halcyon.run.input.cells import cell_description, local_mesh_of, middle_of_longitudes
from halcyon.run.model import PartTimes
from halcyon.run.models.core import CoreModel, check_physics_steps, physics_of
from halcyon.run.progress import print_on_root
from halcyon.run.reductions import minimum
from halcyon.run.report import halo_exchange_text
from halcyon.run.start.on_mesh import set_start
from halcyon.run.state.identity import identity
from halcyon.run.state.restart import Restarts
from halcyon.run.state.restart_state import RestartState
from halcyon.run.steps import CORE_LIMIT, core_steps, shortened, steps_of_record

if TYPE_CHECKING:
    from mpi4py import MPI


REFERENCES = (
    "Ringler et al. 2010, doi:10.1016/j.jcp.2009.12.007; Thuburn et al. 2009, doi:10.1016/j.jcp.2009.08.006;"
    " Wicker and Skamarock 2002; Gassmann 2013, doi:10.1002/qj.1960"
)


class Model(CoreModel):
    """The atmosphere on this rank."""

    case: AtmosphereCase

    def __init__(self, case: AtmosphereCase, mesh_file: Path, comm: MPI.Comm, times: PartTimes) -> None:
        super().__init__(case, mesh_file, comm, times)
        self.mesh, self.core_comm = local_mesh_of(case, mesh_file, comm), communicator(comm)
        with all_ranks_raise(comm):
            physics = physics_of(case)
        core = core_of(case, self.mesh, comm, self.core_comm, physics)
        lowest_pa, longest_s = (
            _lowest_surface_pressure(case, core, comm),
            _longest_stable_step(case, core, comm),
        )
        with all_ranks_raise(comm):
            _check_levels(case, lowest_pa)
            steps = core_steps(case, longest_s)
            check_physics_steps(case, steps.step_s)
        self._first_step_s = steps.step_s  # also of a resumed run, whose core begins with the initial state
        part = OwnedMesh.of(self.mesh, core.ground, middle=middle_of_longitudes(case, self.mesh, comm))
        self.set_core(core, steps, part, "Atmosphere")
        self.restart_state = restart_state_of(self.mesh, core)
        self.identity = identity(case, self.mesh, steps.step_s, comm)

    def origin(self) -> Origin:
        model = f"global atmosphere model, {self._set_name}"
        return Origin(title="", version=__version__, references=REFERENCES, model=model)

    @property
    def _set_name(self) -> str:
        """`moist hydrostatic`"""
        equations = self.case.equations
        return f"{'moist ' if equations.moist else ''}{equations.set.replace('_', ' ')}"

    def plan_rows(self, n_done: int = 0) -> list[tuple[str, str]]:
        equations, core = self.case.equations, self.core
        levels = f" of {core.n_levels} levels" if core.n_levels > 1 else ""
        scheme = ", semi-implicit" if self.case.is_semi_implicit else ""
        precision = f"{equations.precision} bits"
        physics = f" with {labels_text(self.case.physics)}" if self.case.physics else ""
        start = self.case.initial.description
        equations_text = f"{self._set_name}{scheme}{physics}, {precision}, from {start}"
        cells = ("cells", f"{self.mesh.n_items[0]:,}{levels}")
        n_ranks = self.comm.size
        exchange = halo_exchange_text(core.exchange, n_ranks)
        return self.common_plan_rows(
            cells, equations=equations_text, ranks=str(n_ranks), exchange=exchange, n_done=n_done
        )

    def start(self, restarts: Restarts) -> None:
        """The state was set when the core was created."""

    def adapt_steps(self, number: int) -> int:
        """Shortens automatic steps where winds have grown."""
        if self.case.time.step != "auto":
            return number
        if self.steps.step_s <= CORE_LIMIT * minimum(self.comm, self.core.longest_step()):
            return number
        longest_s = _longest_stable_step(self.case, self.core, self.comm)
        with all_ranks_raise(self.comm):
            steps = shortened(self.case, longest_s, self._first_step_s)
            check_physics_steps(self.case, steps.step_s)
        now = self.steps.time(number)
        print_on_root(
            self.comm, f"steps      {steps.step_s:g} s from {now:%Y-%m-%d %H:%M} on: winds have grown"
        )
        new_number = number // self.steps.steps_per_record * steps.steps_per_record
        self.steps, self.start_number = steps, self.start_number + new_number - number
        self._set_clock(new_number)
        return new_number

    def state(self) -> dict[str, Any]:
        return {
            "reference_temperature": self.core.reference_temperature,
            "steps_per_record": self.steps.steps_per_record,
        }

    def resume(self, number: int, state: Mapping[str, Any]) -> None:
        if "steps_per_record" in state:  # else that of the start, which is set
            self.steps = steps_of_record(self.case, state["steps_per_record"])
        super().resume(number, state)
        if "reference_temperature" in state:  # else that of the initial state, which is set
            self.core.set_reference_temperature(state["reference_temperature"])

    def location_id(self, failure: Any) -> int:
        return -1 if failure.cell < 0 else int(self.mesh.part.cells.to_global[failure.cell])

    def location_description(self, failure: Any) -> str:
        return cell_description(self.mesh, failure.cell)

    def part_times(self) -> dict[str, float]:
        return {"computation": self.core.times.compute_s, "exchange": self.core.times.exchange_s}


def _prognostic(core: atmosphere.Core, name: str) -> np.ndarray:
    values: Any = core.prognostic(name)  # an array, whose type depends on the precision
    return values


def restart_state_of(mesh: LocalMesh, core: atmosphere.Core) -> RestartState:
    """The state of a core in restart files."""
    n_cells, n_edges, _ = mesh.n_items
    used_dimensions = {name for row in core.variables if row.restart for name in row.dimensions}
    vertical_sizes = {
        "level": core.n_levels,
        "interface": core.n_levels + 1,
        "tracer_level": len(core.tracers) * core.n_levels,
    }
    used_sizes = {name: size for name, size in vertical_sizes.items() if name in used_dimensions}
    return RestartState(
        variables=[variable for variable in core.variables if variable.restart],
        sizes=[("cell", n_cells), ("edge", n_edges), *used_sizes.items()],
        owned={"cell": core.owned_cells, "edge": core.owned_edges},
        array_of=partial(_prognostic, core),
    )


def core_of(
    case: AtmosphereCase,
    mesh: LocalMesh,
    comm: MPI.Comm,
    core_comm: Any,
    physics: Sequence[ColumnScheme] = (),
) -> atmosphere.Core:
    """Collective. This rank's part of the core, with the initial state of the case."""
    equations = case.equations
    planet = atmosphere.Planet(
        radius=equations.radius, rotation=equations.rotation, gravity=equations.gravity
    )
    scheme = atmosphere.Scheme(
        vertex_energy=0.0 if equations.keep_energy else equations.vertex_energy,
        anticipation=equations.anticipation,
        diffusion=equations.diffusion,
        divergence_damping=equations.divergence_damping,
        transport_order=equations.transport_order,
        upwinding=equations.upwinding,
        monotone=equations.monotone,
        viscosity=equations.viscosity,
        scalar_viscosity=equations.scalar_viscosity,
        **equations.automatic,
    )
    core = atmosphere.make_core(
        core_comm,
        mesh,
        planet,
        scheme,
        equations=equations.set,
        single=equations.precision == 32,
        method=case.exchange.method,
        overlap=case.exchange.overlap,
        semi_implicit=case.is_semi_implicit,
        tolerance=case.time.tolerance,
        air=_air_options_of(case, physics) if equations.has_levels else None,
    )
    if isinstance(case.initial, FromFile):
        set_start(case, mesh, core, restart_state_of(mesh, core), comm, core_comm)
    else:
        core.set(case.initial.type, case.initial.options())
    return core


def _air_options_of(case: AtmosphereCase, physics: Sequence[ColumnScheme]) -> atmosphere.AirOptions:
    """The options of a core with levels."""
    equations, sponge = case.equations, case.equations.sponge
    a, b = case.levels.interfaces()
    damping = {} if sponge is None else {"sponge_pressure": sponge.pressure, "sponge_rate": sponge.rate}
    return atmosphere.AirOptions(
        a=a.tolist(),
        b=b.tolist(),
        off_centring=0.5 if equations.keep_energy else equations.off_centring,
        physics=list(physics),
        keep_energy=equations.keep_energy,
        moist=equations.moist,
        tracers=case.tracers,
        **damping,
    )


def _longest_stable_step(case: AtmosphereCase, core: atmosphere.Core, comm: MPI.Comm) -> float:
    """Collective. The longest stable step at the start [s], for `time.step: auto` with a margin for growing
    winds."""
    is_automatic = case.time.step == "auto"
    return minimum(comm, core.longest_step_with_margin() if is_automatic else core.longest_step())


def _lowest_surface_pressure(case: AtmosphereCase, core: atmosphere.Core, comm: MPI.Comm) -> float:
    """Collective. The lowest surface pressure at the start [Pa]; infinity without levels."""
    if not case.equations.has_levels:
        return float("inf")
    name = "dry_air_surface_pressure" if case.equations.moist else SURFACE_PRESSURE
    return minimum(comm, float(_prognostic(core, name).min(initial=float("inf"))))


def _check_levels(case: AtmosphereCase, lowest_pa: float) -> None:
    """Raises ConfigError if the lowest surface pressure [Pa] is too low for the levels, as over high
    mountains."""
    if not case.equations.has_levels:
        return
    top_pa = float(case.levels.interfaces()[0][0])
    allowed_pa = lowest_surface_pressure(top_pa)
    if lowest_pa < allowed_pa:
        raise ConfigError(
            f"{case.location('initial')}: the lowest surface pressure is {lowest_pa:.0f} Pa, but levels with"
            f" their top at {top_pa:g} Pa need at least {allowed_pa:g} Pa. Lower the mountains or the top"
            " pressure."
        )
