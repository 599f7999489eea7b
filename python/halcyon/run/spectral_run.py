"""The state of a run of the spectral model on one rank, and its steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from halcyon import spectral
from halcyon.config.spectral import SpectralCase
from halcyon.io.fields_file import OwnedMesh
from halcyon.io.grid_file import OwnedGrid
from halcyon.run.atmosphere_steps import AtmosphereSteps
from halcyon.run.core_run import CoreRun
from halcyon.run.grid_boxes import GaussianBoxes
from halcyon.run.held import Held
from halcyon.run.identity import identity
from halcyon.run.spectral_exchange import SpectralExchange
from halcyon.run.stop import Stop

if TYPE_CHECKING:
    from mpi4py import MPI


def part_of(model: spectral.Model) -> OwnedGrid | OwnedMesh:
    """What this rank writes: points of latitudes and longitudes where rows are alike, else boxes."""
    grid = model.grid
    if len(grid.shape) == 1:
        return GaussianBoxes(grid).part(model.points, model.ground)
    return OwnedGrid(model.points, grid.latitude, grid.longitude, model.ground, model.sets[0] == 1)


def state_of(model: spectral.Model) -> Held:
    """What restart files hold: coefficients, those of several levels level by level."""
    count = (model.truncation + 1) * (model.truncation + 2) // 2
    levels = np.arange(model.n_levels, dtype=np.int64)[:, None] * count
    owned = {
        "coefficient": model.coefficients,
        "level_coefficient": np.ascontiguousarray(levels + model.coefficients).ravel(),
    }
    counts = {"coefficient": count, "level_coefficient": model.n_levels * count}
    used = [name for name in owned if name in {variable.dimensions[0] for variable in model.held}]
    return Held(
        variables=model.held,
        sizes=[*((name, counts[name]) for name in used), ("part", 2)],
        owned={name: owned[name] for name in used},
        array=model.prognostic,
    )


class Points:
    """Where trouble is: the point of the grid."""

    def __init__(self, model: spectral.Model) -> None:
        self._grid, self._points = model.grid, model.points

    def id(self, trouble: Any) -> int:
        """The number of the point in the grid, or -1."""
        return -1 if trouble.point < 0 else int(self._points[trouble.point])

    def words(self, trouble: Any) -> str:
        """`3.00 E 4.00 N`"""
        longitude, latitude = self._grid.place(self.id(trouble))
        return f"{longitude:.2f} E {latitude:.2f} N"


class SpectralRun(CoreRun):
    """The state of a run of the spectral model between its steps."""

    def __init__(
        self,
        case: SpectralCase,
        steps: AtmosphereSteps,
        model: spectral.Model,
        comm: MPI.Comm,
        core_comm: Any,
        stop: Stop,
    ) -> None:
        super().__init__(
            case,
            model,
            steps,
            title="Spectral model",
            part=part_of(model),
            held=state_of(model),
            named=identity(case, None, steps.step_s, comm),
            places=Points(model),
            comm=comm,
            core_comm=core_comm,
            stop=stop,
        )
        self.exchange = SpectralExchange(case, model, comm)

    def all(self) -> None:
        self.exchange.begin()
        super().all()

    def figures(self) -> dict[str, Any]:
        if self.comm.size == 1:
            return {}
        exchange = self.exchange
        return {"hidden": exchange.hidden(), "exchange": exchange.text(), "hiding": exchange.hiding}

    def step(self, number: int) -> None:
        self.core.step(self.steps.step_s, check=False)  # `trouble` is told every few steps
        self.exchange.after(number)

    def take(self, state: Mapping[str, Any]) -> None:
        super().take(state)
        self.core.go_on()

    def model_s(self) -> dict[str, float]:
        taken = self.core.transforms
        rest_s = self.core.compute_s - taken.legendre_s - taken.fourier_s
        parts_s = {"Legendre": taken.legendre_s, "Fourier": taken.fourier_s, "computation": rest_s}
        trials_s = {"trials": self.exchange.trials_s} if self.comm.size > 1 else {}
        return {**parts_s, "exchange": taken.exchange_s, **trials_s}
