"""The start of a run of the atmosphere from the file that its case names: of any model, or of another run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import atmosphere
from halcyon.base import ConfigError
from halcyon.config.atmosphere import AtmosphereCase
from halcyon.decomposition import LocalMesh
from halcyon.io import Placement
from halcyon.launch.errors import agreed
from halcyon.run.input.forcing import placed
from halcyon.run.start.air import air_of
from halcyon.run.start.asked import ground_given, start_of
from halcyon.run.start.shallow_water import shallow_water_of
from halcyon.run.start.target import Target
from halcyon.run.state.identity import identity
from halcyon.run.state.restart_state import RestartState, is_restart, open_restart, require_alike

if TYPE_CHECKING:
    from mpi4py import MPI

_MATTERS = ("mesh", *(f"equations.{name}" for name in ("set", "precision", "radius", "rotation", "gravity")))
_ADVICE = " Make them alike, or start from a fields file, which serves any mesh and levels."


def set_from_restart(
    case: AtmosphereCase,
    mesh: LocalMesh,
    core: atmosphere.Core,
    held: RestartState,
    comm: MPI.Comm,
    core_comm: Any,
) -> None:
    """Collective. Raises ConfigError for a file of another mesh, time, planet, levels or equations."""
    ranks = held.ranks(case, core_comm)
    reader, state, theirs = open_restart(ranks, case.initial.file, comm)
    ours = identity(case, mesh, 0.0, comm)
    _require_alike(case, state, ours, theirs)
    _require_tracers(case, theirs.get("tracers", []))
    found = {row.name: np.empty_like(core.prognostic(row.name)) for row in held.variables}
    held.read(reader, held.placements(ranks), found.__getitem__)
    name = "ground_geopotential" if case.equations.has_levels else "ground"
    cells = np.asarray(mesh.part.cells.to_global)
    ground = np.empty(len(cells), found[name].dtype)
    reader.read(-1, Placement(ranks, cells, mesh.n_items[0]), [(name, ground)])
    reader.close()
    tracers = np.array([found[each] for each in case.tracers], float)
    core.set_state(ground=ground.astype(float), tracers=tracers, **_about(found, ground))
    for name, values in found.items():
        core.prognostic(name)[...] = values


def _about(found: dict[str, np.ndarray], ground: np.ndarray) -> dict[str, np.ndarray]:
    """What `Core.set_state` takes of a state; what it makes of it is then written over."""
    wind = found["normal_wind"].astype(float)
    if "surface_pressure" not in found:
        thickness = found["layer_thickness"].astype(float).reshape(-1)
        return {"surface": thickness + ground[: len(thickness)], "wind": wind}
    temperature = np.full(found["potential_temperature"].shape, 273.15)
    return {"surface": found["surface_pressure"].astype(float), "wind": wind, "temperature": temperature}


def _require_alike(case: AtmosphereCase, state: Any, ours: Any, theirs: Any) -> None:
    levels = "levels." if case.equations.has_levels else "mesh"
    require_alike(
        case,
        state,
        ours,
        theirs,
        lambda name: name in _MATTERS or name.startswith(levels),
        what="state",
        advice=_ADVICE,
    )
    if theirs.get("initial.type") == "cosine_bell" or theirs.get("initial.tilt"):
        place = case.place("initial", "file")
        raise ConfigError(
            f"{place}: {case.initial.file} is of a start whose planet turns around another axis, or whose"
            " wind stays, which a file does not say. Resume that run, or start from another."
        )


def _require_tracers(case: AtmosphereCase, theirs: list[str]) -> None:
    for i, name in enumerate(case.tracers):
        if name not in theirs:
            there = f"It has: {', '.join(theirs)}." if theirs else "It has none."
            raise ConfigError(
                f"{case.place('tracers', i)}: {case.initial.file} has no tracer '{name}'. {there} Leave it"
                " out, or start from another file."
            )


def set_start(
    case: AtmosphereCase,
    mesh: LocalMesh,
    core: atmosphere.Core,
    held: RestartState,
    comm: MPI.Comm,
    core_comm: Any,
) -> None:
    """Collective. Sets a core to the state of the file that the case names; each rank reads what it needs.

    held: of the core, what restart files hold.
    Raises InputError and ConfigError, on all ranks, for a file that does not serve the start."""
    given = case.initial
    with agreed(comm), placed(case, "initial", "file"):
        of_run = is_restart(given.file)
    if of_run:
        set_from_restart(case, mesh, core, held, comm, core_comm)
        return
    with agreed(comm):
        target = Target.of(mesh, case.levels.interfaces(), given.smoothing)
        ground, gravity = ground_given(case, target.outlines), case.equations.gravity
        with start_of(case) as source:
            if case.equations.has_levels:
                gas_constant = atmosphere.Air().gas_constant
                state = air_of(source, target, gas_constant, gravity, ground, case.tracers)
            else:
                state = shallow_water_of(source, target, None if ground is None else ground / gravity)
            core.set_state(**state)
