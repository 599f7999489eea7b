"""Which model a case runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from halcyon.config.atmosphere import AtmosphereCase
from halcyon.config.run_case import RunCase
from halcyon.config.spectral import SpectralCase

if TYPE_CHECKING:
    from mpi4py import MPI

    from halcyon.run.course import Draw
    from halcyon.run.stop import Stop


def execute(
    case: RunCase,
    mesh: Path | None,
    comm: MPI.Comm,
    stop: Stop,
    resumed: Callable[[], None] | None = None,
    draw: Draw | None = None,
) -> None:
    """Collective. Runs a case of any model on all ranks, from its input to its pictures.

    @param mesh the file that the ranks read; None for the spectral model, which has none
    @param resumed given where the run goes on from a restart file: called on all ranks once its state is set
    @param draw draws the pictures of the run in a folder, and gives their paths; without it there are none
    """
    if isinstance(case, AtmosphereCase):
        from halcyon.run import atmosphere_loop

        atmosphere_loop.execute(case, mesh, comm, stop, resumed, draw)
    elif isinstance(case, SpectralCase):
        from halcyon.run import spectral_loop

        spectral_loop.execute(case, comm, stop, resumed, draw)
    else:
        from halcyon.run import loop

        loop.execute(case, mesh, comm, stop, resumed, draw)
