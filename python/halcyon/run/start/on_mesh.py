"""The initial state of an atmosphere run from a file: a fields file of any model or a reanalysis, or a
restart file of another run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import atmosphere
from halcyon.base import ConfigError
from halcyon.config.atmosphere import AtmosphereCase
from halcyon.decomposition import LocalMesh
from halcyon.io import Placement
from halcyon.launch.errors import all_ranks_raise
from halcyon.run.input.forcing import locate_errors
from halcyon.run.progress import print_on_root
from halcyon.run.start.air import air_state
from halcyon.run.start.case_files import open_start, orography_of_case
from halcyon.run.start.shallow_water import shallow_water_state
from halcyon.run.start.target import TargetMesh
from halcyon.run.state.identity import identity
from halcyon.run.state.restart_state import (
    NO_RECORD,
    RestartState,
    is_restart,
    open_restart,
    require_compatible,
    require_variables,
)

if TYPE_CHECKING:
    from mpi4py import MPI

_REQUIRED_EQUAL = (
    "mesh",
    *(f"equations.{name}" for name in ("set", "precision", "moist", "radius", "rotation", "gravity")),
)
_DRY_STATE = ("surface_pressure", "potential_temperature")
_ADVICE = " Make them equal, or start from a fields file, which may have any mesh and levels."


def set_from_restart(
    case: AtmosphereCase,
    mesh: LocalMesh,
    core: atmosphere.Core,
    restart_state: RestartState,
    comm: MPI.Comm,
    core_comm: Any,
) -> None:
    """Collective. Sets a core to the state of the restart file `initial.file`. Raises ConfigError if mesh,
    time, planet, levels or equations of the file do not match."""
    ranks = restart_state.ranks(case, core_comm)
    reader, state, file_identity = open_restart(ranks, case.initial.file, comm)
    run_identity = identity(case, mesh, step_s=0.0, comm=comm)  # the steps are not compared
    _require_compatible(case, state, run_identity, file_identity)
    _require_tracers(case, file_identity.get("tracers", []))
    missing = restart_state.missing_in(reader)
    own = {row.name for row in atmosphere.variables_of(case.equations.set)} | {*core.tracers}
    require_variables(case.initial.file, reader, [name for name in missing if name in own])
    for name in missing:  # fields of physics schemes
        print_on_root(comm, f"note: {case.initial.file} has no {name}, which starts from 0.")
    values = {row.name: np.zeros_like(core.prognostic(row.name)) for row in restart_state.variables}
    restart_state.read(reader, restart_state.placements(ranks), values.__getitem__, skipped=missing)
    ground_name = "ground_geopotential" if case.equations.has_levels else "ground"
    cells = np.asarray(mesh.part.cells.to_global)
    ground = np.empty(len(cells), values[ground_name].dtype)
    placement = Placement(ranks, cells, mesh.n_items[0])
    reader.read(NO_RECORD, placement, [(ground_name, ground)])
    reader.close()
    tracers = np.array([values[name] for name in core.tracers], float)
    core.set_state(ground=ground.astype(float), tracers=tracers, **_provisional_state(values, ground))
    for name, array in values.items():
        variable: Any = core.prognostic(name)
        variable[...] = array
    core.set_reference_temperature(state.get("reference_temperature", []))
    core.keep_initial_state()


def _provisional_state(values: dict[str, np.ndarray], ground: np.ndarray) -> dict[str, np.ndarray]:
    """Valid arguments of `Core.set_state`; the prognostic variables are overwritten afterwards."""
    wind = values["normal_wind"].astype(float)
    if "layer_thickness" in values:
        thickness = values["layer_thickness"].astype(float).reshape(-1)
        return {"surface": thickness + ground[: len(thickness)], "wind": wind}
    is_moist = "dry_air_surface_pressure" in values
    ps, theta = ("dry_air_surface_pressure", "moist_potential_temperature") if is_moist else _DRY_STATE
    temperature = np.full(values[theta].shape, 273.15)
    return {"surface": values[ps].astype(float), "wind": wind, "temperature": temperature}


def _require_compatible(case: AtmosphereCase, state: Any, run_identity: Any, file_identity: Any) -> None:
    # With levels, all options of `levels` must be equal, too. Without levels, the prefix selects only "mesh",
    # which is in _REQUIRED_EQUAL anyway.
    prefix = "levels." if case.equations.has_levels else "mesh"
    require_compatible(
        case,
        state,
        run_identity,
        file_identity,
        lambda name: name in _REQUIRED_EQUAL or name.startswith(prefix),
        _ADVICE,
    )
    if file_identity.get("initial.type") == "cosine_bell" or file_identity.get("initial.tilt"):
        location = case.location("initial", "file")
        raise ConfigError(
            f"{location}: {case.initial.file} is from a run with a tilted rotation axis or a prescribed wind,"
            " which a restart file does not include. Resume that run, or start from another file."
        )


def _require_tracers(case: AtmosphereCase, file_tracers: list[str]) -> None:
    for i, name in enumerate(case.tracers):
        if name not in file_tracers:
            present = f"It has: {', '.join(file_tracers)}." if file_tracers else "It has no tracers."
            raise ConfigError(
                f"{case.location('tracers', i)}: {case.initial.file} has no tracer '{name}'. {present}"
                f" Remove '{name}' from tracers, or start from another file."
            )


def set_start(
    case: AtmosphereCase,
    mesh: LocalMesh,
    core: atmosphere.Core,
    restart_state: RestartState,
    comm: MPI.Comm,
    core_comm: Any,
) -> None:
    """Collective. Sets a core to the state of the initial state file; each rank reads only the data it needs.

    restart_state: the core's state in restart files.
    Raises InputError and ConfigError, on all ranks, for an unsuitable file."""
    initial = case.initial
    with all_ranks_raise(comm), locate_errors(case, "initial", "file"):
        is_restart_file = is_restart(initial.file)
    if is_restart_file:
        set_from_restart(case, mesh, core, restart_state, comm, core_comm)
        return
    with all_ranks_raise(comm):
        target = TargetMesh.of(mesh, case.levels.interfaces(), initial.smoothing)
        ground, gravity = orography_of_case(case, target.polygons), case.equations.gravity
        with open_start(case) as source:
            if case.equations.has_levels:
                air = atmosphere.Air()
                vapour = air.vapour_gas_constant if case.equations.moist else None
                state = air_state(
                    *(source, target, air.gas_constant, gravity, ground, case.tracers),
                    vapour_gas_constant=vapour,
                )
            else:
                state = shallow_water_state(source, target, None if ground is None else ground / gravity)
            core.set_state(**state)
