"""The state of a run of the atmosphere on one rank, and its steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import atmosphere
from halcyon.config.atmosphere import AtmosphereCase
from halcyon.decomposition import LocalMesh
from halcyon.io.fields_file import OwnedMesh
from halcyon.run.atmosphere_steps import AtmosphereSteps
from halcyon.run.core_run import CoreRun
from halcyon.run.held import Held
from halcyon.run.identity import identity
from halcyon.run.stop import Stop

if TYPE_CHECKING:
    from mpi4py import MPI


def state_of(mesh: LocalMesh, core: atmosphere.Core) -> Held:
    """What restart files hold."""
    n_cells, n_edges, _ = mesh.n_items
    used = {name for variable in core.variables if variable.restart for name in variable.dimensions}
    sizes = {"level": core.n_levels, "interface": core.n_levels + 1}
    columns = {name: size for name, size in sizes.items() if name in used}
    return Held(
        variables=[variable for variable in core.variables if variable.restart],
        sizes=[("cell", n_cells), ("edge", n_edges), *columns.items()],
        owned={"cell": core.owned_cells, "edge": core.owned_edges},
        array=core.prognostic,
    )


class Cells:
    """Where trouble is: the cell."""

    def __init__(self, mesh: LocalMesh) -> None:
        self._mesh = mesh

    def id(self, trouble: Any) -> int:
        """The global id of the cell, or -1."""
        return -1 if trouble.cell < 0 else int(self._mesh.part.cells.to_global[trouble.cell])

    def words(self, trouble: Any) -> str:
        """`cell 12 (3.00 E 4.00 N)`"""
        mesh = self._mesh.mesh
        lon, lat = np.degrees((mesh.cell_longitude[trouble.cell], mesh.cell_latitude[trouble.cell]))
        return f"cell {self.id(trouble)} ({lon:.2f} E {lat:.2f} N)"


class AtmosphereRun(CoreRun):
    """The state of a run of the atmosphere between its steps."""

    def __init__(
        self,
        case: AtmosphereCase,
        mesh: LocalMesh,
        steps: AtmosphereSteps,
        core: atmosphere.Core,
        comm: MPI.Comm,
        core_comm: Any,
        stop: Stop,
    ) -> None:
        super().__init__(
            case,
            core,
            steps,
            title="Atmosphere",
            part=OwnedMesh.of(mesh, core.ground),
            held=state_of(mesh, core),
            named=identity(case, mesh, steps.step_s, comm),
            places=Cells(mesh),
            comm=comm,
            core_comm=core_comm,
            stop=stop,
        )

    def model_s(self) -> dict[str, float]:
        times = self.core.times
        return {"computation": times.compute_s, "exchange": times.exchange_s}
