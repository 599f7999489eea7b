"""What goes wrong in a run on some rank: all ranks stop for the first of it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from halcyon.base import InputError, RunError
from halcyon.decomposition import LocalMesh
from halcyon.launch.errors import agreed
from halcyon.run.steps import Steps

if TYPE_CHECKING:
    from mpi4py import MPI


class Trouble:
    """The first trouble of this rank, of a source step (halves: the wind between) and a cell (global id)."""

    def __init__(self, mesh: LocalMesh, steps: Steps, comm: MPI.Comm) -> None:
        self._mesh, self._steps, self._comm = mesh.mesh, steps, comm
        self._cells = mesh.part.cells.to_global
        self._where: tuple[float, float] = (math.inf, 0)
        self._error: Exception | None = None

    def no_wind(self, cell: int, number: float) -> None:
        """The wind is not finite at an owned cell."""
        self._note(
            cell,
            number,
            InputError(
                f"The wind is not a finite number at {self._place(cell)},"
                f" {self._steps.time(number):%Y-%m-%d %H:%M} UTC. Mend forcing.wind."
            ),
        )

    def blow_up(self, cell: int, height: float, number: int) -> None:
        """The spectrum of an owned cell went wrong; height [m] is NaN where it is not finite or negative."""
        said = "is not a finite number, or negative" if np.isnan(height) else f"reaches Hs = {height:.1f} m"
        self._note(
            cell,
            number,
            RunError(
                f"The run blew up: action at {self._place(cell)} {said} in source step {number},"
                f" {self._steps.time(number):%Y-%m-%d %H:%M} UTC."
                " Shorten time.source_step, or look at wind and depth there."
            ),
        )

    def stop(self) -> None:
        """Collective. Raises the first trouble of all ranks: of the earliest step, then the lowest cell."""
        from mpi4py import MPI

        first = self._comm.allreduce(self._where, op=MPI.MIN)
        with agreed(self._comm):
            if self._error is not None and self._where == first:
                raise self._error

    def _note(self, cell: int, number: float, error: Exception) -> None:
        if self._error is None:
            self._where, self._error = (number, int(self._cells[cell])), error

    def _place(self, cell: int) -> str:
        """`cell 1234 (128.31 E 34.50 N)`"""
        lon, lat = np.degrees((self._mesh.cell_longitude[cell], self._mesh.cell_latitude[cell]))
        return f"cell {self._cells[cell]} ({lon:.2f} E {lat:.2f} N)"
