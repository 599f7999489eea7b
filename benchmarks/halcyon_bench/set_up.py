"""Time and memory of the set-up from a mesh file: each rank reads a slice, or the whole mesh."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from halcyon import graph
from halcyon._core.decomposition import MeshFile
from halcyon.decomposition import LocalMesh
from halcyon.halo import Field, Halo
from halcyon.launch import measure
from halcyon.mesh import read_mpas
from halcyon_bench.timing import Clock, memory

if TYPE_CHECKING:
    from mpi4py import MPI

PARTS = ("open", "slice", "partition", "decompose", "mesh", "halo")


def set_up(comm: MPI.Comm, path: str, layers: int) -> dict[str, Any]:
    """Collective. Distributed set-up. Returns `seconds`, the wall time of each of the PARTS, and `bytes`, the
    peak memory that each rank adds."""
    from halcyon.comm import communicator

    clock, core_comm, before = Clock(comm), communicator(comm), memory("VmRSS")
    with clock.part("open"):
        file = MeshFile(core_comm, path)
    with clock.part("slice"):
        mesh_slice = file.slice()
    with clock.part("partition"):
        owners = mesh_slice.partition(core_comm)
    with clock.part("decompose"):
        part = mesh_slice.decompose(core_comm, owners, layers)
    del mesh_slice
    with clock.part("mesh"):
        local = file.local_mesh(part)
    with clock.part("halo"):
        Halo(comm, local.part, [Field("cell", "float64", (30,))], method="isend_irecv")
    return {"seconds": clock.seconds, "bytes": comm.allgather(memory("VmHWM") - before)}


def replicated_set_up(comm: MPI.Comm, path: str, layers: int) -> dict[str, Any]:
    """Collective. Replicated set-up, in which each rank reads the whole mesh and extracts its part. Returns
    the same as `set_up`, with the part `all`."""
    clock, before = Clock(comm), memory("VmRSS")
    with clock.part("all"):
        mesh = read_mpas(path)
        owners = graph.partition(mesh.cell_offsets, mesh.cells_on_cell, comm.size)
        LocalMesh(mesh, owners, comm.rank, layers)
    return {"seconds": clock.seconds, "bytes": comm.allgather(memory("VmHWM") - before)}


def on_ranks(ranks: int, variant: str, path: Path, layers: int = 2) -> dict[str, Any]:
    """Runs `set_up` (variant "set_up") or `replicated_set_up` ("whole") in a new job. Raises RunError if it
    fails, ConfigError for an invalid configuration."""
    work = {"set_up": set_up, "whole": replicated_set_up}[variant]
    return measure.run_on_ranks(ranks, f"{variant}, {ranks} ranks", work, str(path), layers)


def table(found: dict[str, Any]) -> str:
    """Table of seconds by part and memory by rank."""
    seconds = "  ".join(f"{name} {value:.2f}" for name, value in found["seconds"].items())
    mib = "  ".join(f"{rank_bytes / 2**20:.0f}" for rank_bytes in found["bytes"])
    return f"seconds by part: {seconds}\nMiB by rank: {mib}"
