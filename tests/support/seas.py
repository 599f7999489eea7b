"""Small seas on which several tests run the wave model."""

import functools

import numpy as np
from mpi4py import MPI

import halcyon.mesh
from halcyon import graph, wave
from halcyon.base import EARTH_RADIUS
from halcyon.comm import communicator
from halcyon.decomposition import LocalMesh


def core_comm(comm=MPI.COMM_SELF):
    """Collective. The communicator of C++ that belongs to one of mpi4py; made once."""
    return _core_comm(comm.py2f())


@functools.cache
def _core_comm(handle):
    return communicator(MPI.Comm.f2py(handle))


@functools.cache
def triangulation(level):
    """That of G<level>, roughly converged: meshes are made of it anew, with depths."""
    from halcyon.mesh import scvt

    return scvt.uniform(level, tolerance=1e-4)


def sphere(level, depth=5000.0):
    """G<level> all under water of a depth [m], a number or a function of latitude and longitude [rad]."""
    return with_depth(halcyon.mesh.voronoi_mesh(triangulation(level)), depth)


def with_depth(mesh, depth):
    """The same mesh with a depth [m], a number or a function of latitude and longitude [rad]."""
    values = depth(mesh.cell_latitude, mesh.cell_longitude) if callable(depth) else depth
    mesh.bottom_depth = np.broadcast_to(np.asarray(values, float), mesh.n_cells).copy()
    return mesh


def bay(level=4):
    """A cut sea of some 400 cells around an island, shoaling from 4000 m to 6 m towards the north."""
    whole = halcyon.mesh.voronoi_mesh(triangulation(level))
    lat, lon = np.degrees(whole.cell_latitude), np.degrees(whole.cell_longitude)
    keep = (lat > 0) & (lat < 50) & (lon > 100) & (lon < 175)
    keep &= (np.abs(lat - 27) > 6) | (np.abs(lon - 130) > 7)
    mesh = halcyon.mesh.cut(whole, keep.astype(np.uint8))
    return with_depth(mesh, lambda lat, lon: np.maximum(6, 4000 * (1 - np.degrees(lat) / 48)))


def spectral_grid(frequencies=8, directions=36, first_frequency=0.06, ratio=1.1):
    """Few frequencies: as many as the transfer of the physics needs."""
    return wave.SpectralGrid(
        frequencies=frequencies, first_frequency=first_frequency, ratio=ratio, directions=directions
    )


def local_mesh(mesh, comm=MPI.COMM_SELF, *, partition="kway", seed=1, layers=2):
    """This rank's part of a mesh."""
    owners = graph.partition(mesh.cell_offsets, mesh.cells_on_cell, comm.size, method=partition, seed=seed)
    return LocalMesh(mesh, owners, comm.rank, layers)


def model(mesh, grid, comm=MPI.COMM_SELF, *, partition="kway", seed=1, layers=2, **options):
    """Collective. A wave model on the ranks of comm; options as `halcyon.wave.Model`."""
    local = local_mesh(mesh, comm, partition=partition, seed=seed, layers=layers)
    return wave.Model(core_comm(comm), local, grid, **options)


def deep_group_speed(grid):
    """cg = g / (2 sigma) of deep water [m s-1] (frequency)."""
    from halcyon.base import GRAVITY

    return GRAVITY / (2 * np.array(grid.sigma))


def arc(speed, time_s):
    """The angle [rad] that a speed [m s-1] covers on the Earth."""
    return speed * time_s / EARTH_RADIUS


def gathered(comm, cells, values):
    """Collective. The values (owned cell, ...) of all ranks in the order of global ids."""
    cells, values = comm.allgather(np.asarray(cells)), comm.allgather(np.asarray(values))
    ids = np.concatenate(cells)
    assert np.array_equal(np.sort(ids), np.arange(len(ids)))
    return np.concatenate(values)[np.argsort(ids)]
