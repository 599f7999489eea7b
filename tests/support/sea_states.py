"""Small meshes and wave models for tests of several modules."""

import functools

import numpy as np
from mpi4py import MPI

import halcyon.mesh
from halcyon import graph, wave
from halcyon.base import EARTH_RADIUS
from halcyon.comm import communicator
from halcyon.decomposition import LocalMesh


def core_comm(comm=MPI.COMM_SELF):
    """Collective. The C++ communicator of an mpi4py communicator; later calls return the same object."""
    return _core_comm(comm.py2f())


@functools.cache
def _core_comm(handle):
    return communicator(MPI.Comm.f2py(handle))


@functools.cache
def triangulation(level):
    """The triangulation of the uniform mesh G<level> (10 * 4**level + 2 cells), roughly converged."""
    from halcyon.mesh import scvt

    return scvt.uniform(level, tolerance=1e-4)


def sphere(level, depth=5000.0):
    """The mesh G<level> without land; depth [m]: a number or a function of latitude and longitude [rad]."""
    return with_depth(halcyon.mesh.voronoi_mesh(triangulation(level)), depth)


def with_depth(mesh, depth):
    """Sets the depth [m] of a mesh: a number or a function of latitude and longitude [rad]."""
    values = depth(mesh.cell_latitude, mesh.cell_longitude) if callable(depth) else depth
    mesh.bottom_depth = np.broadcast_to(np.asarray(values, float), mesh.n_cells).copy()
    return mesh


def bay(level=4):
    """A regional sea around an island (about 400 cells on G4), 4000 m deep in the south, 6 m in the north."""
    whole = halcyon.mesh.voronoi_mesh(triangulation(level))
    lat, lon = np.degrees(whole.cell_latitude), np.degrees(whole.cell_longitude)
    is_sea = (lat > 0) & (lat < 50) & (lon > 100) & (lon < 175)
    is_sea &= (np.abs(lat - 27) > 6) | (np.abs(lon - 130) > 7)
    mesh = halcyon.mesh.cut(whole, is_sea.astype(np.uint8))
    return with_depth(mesh, lambda lat, lon: np.maximum(6, 4000 * (1 - np.degrees(lat) / 48)))


def spectral_grid(frequencies=8, directions=36, first_frequency=0.06, ratio=1.1):
    """A grid of wave frequencies [Hz] and directions; 8 frequencies are the fewest that the nonlinear
    transfer allows."""
    return wave.SpectralGrid(
        frequencies=frequencies, first_frequency=first_frequency, ratio=ratio, directions=directions
    )


def local_mesh(mesh, comm=MPI.COMM_SELF, *, partition="kway", seed=1, layers=2):
    """This rank's part of a mesh."""
    owners = graph.partition(mesh.cell_offsets, mesh.cells_on_cell, comm.size, method=partition, seed=seed)
    return LocalMesh(mesh, owners, comm.rank, layers)


def model(mesh, grid, comm=MPI.COMM_SELF, *, partition="kway", seed=1, layers=2, **options):
    """Collective. A wave model on the ranks of comm; options as for `halcyon.wave.Model`."""
    local = local_mesh(mesh, comm, partition=partition, seed=seed, layers=layers)
    return wave.Model(core_comm(comm), local, grid, **options)


def deep_group_speed(grid):
    """Group speed in deep water [m s-1] (frequency): cg = g / (2 sigma)."""
    from halcyon.base import GRAVITY

    return GRAVITY / (2 * np.array(grid.sigma))


def arc(speed, time_s):
    """The angle [rad] along a great circle that a wave of a speed [m s-1] travels in a time."""
    return speed * time_s / EARTH_RADIUS


def gathered(comm, cells, values):
    """Collective. Gathers the values (owned cell, ...) of all ranks, ordered by global id.

    cells: the global ids of the owned cells of this rank.
    """
    cells, values = comm.allgather(np.asarray(cells)), comm.allgather(np.asarray(values))
    ids = np.concatenate(cells)
    assert np.array_equal(np.sort(ids), np.arange(len(ids)))
    return np.concatenate(values)[np.argsort(ids)]
