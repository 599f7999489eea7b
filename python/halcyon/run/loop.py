"""A run of the wave model on all ranks: its set-up."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from halcyon.config.case import Case
from halcyon.launch.errors import agreed
from halcyon.run import report
from halcyon.run.assemble import model_of, parts_of
from halcyon.run.course import Draw, complete
from halcyon.run.steps import steps_of
from halcyon.run.stop import Stop
from halcyon.run.wave_run import WaveRun

if TYPE_CHECKING:
    from mpi4py import MPI


def execute(
    case: Case,
    mesh: Path,
    comm: MPI.Comm,
    stop: Stop,
    resumed: Callable[[], None] | None = None,
    draw: Draw | None = None,
) -> None:
    """Collective. Runs a wave case on all ranks, from its input to its pictures.

    @param mesh the file that the ranks read
    @param resumed given where the run goes on from a restart file: called on all ranks once its state is set
    """
    from halcyon.comm import communicator

    began = clock.perf_counter()
    parts = parts_of(case, mesh, comm)
    with agreed(comm):
        steps = steps_of(case, parts.cfl_limits_s)
    core_comm = communicator(comm)
    model = model_of(case, parts, steps, core_comm)
    run = WaveRun(case, parts, steps, model, comm, core_comm, stop)
    complete(run, report.plan_text(_plan(run)), began, resumed, draw)


def _plan(run: WaveRun) -> report.Plan:
    """Collective."""
    case, steps, comm = run.case, run.steps, run.comm
    return report.Plan(
        case=str(case.path),
        cells=run.parts.mesh.n_items[0],
        frequencies=case.mesh.spectrum.frequencies,
        directions=case.mesh.spectrum.directions,
        ranks=comm.size,
        start=case.time.start,
        end=case.time.end,
        step_s=steps.step_s,
        source_step_s=steps.source_step_s,
        memory_bytes=comm.allreduce(run.model.memory_bytes),
        exchange=run.model.exchange,
        files=run.recorder.ranks.description,
        background=case.io.background,
        restart_s=case.restart.interval,
        folder=case.folder,
    )
