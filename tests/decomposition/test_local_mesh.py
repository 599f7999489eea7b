"""Parts that are read from a mesh file equal the parts of the whole mesh; invalid files raise errors on all
ranks."""

import netCDF4
import numpy as np
import pytest
from mpi4py import MPI

import halcyon.mesh
from halcyon import graph
from halcyon.base import ConfigError, InputError
from halcyon.decomposition import LocalMesh, Slice, decompose, read_local_mesh
from tests.mesh import mpas_files
from tests.support import sea_states

pytestmark = pytest.mark.mpi


@pytest.fixture(scope="module")
def mesh():
    return sea_states.bay()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder for all ranks."""
    comm = MPI.COMM_WORLD
    return comm.bcast(tmp_path_factory.mktemp("meshes") if comm.rank == 0 else None, root=0)


def written(folder, mesh, name="mesh.nc", format="cdf5"):
    """Collective. Writes a mesh file on rank 0 and returns its path."""
    if MPI.COMM_WORLD.rank == 0:
        halcyon.mesh.write_mpas(str(folder / name), mesh, format)
    MPI.COMM_WORLD.Barrier()
    return folder / name


def arrays(mesh):
    """All arrays of a mesh, by name."""
    names = [name for name in dir(mesh) if isinstance(getattr(mesh, name), np.ndarray)]
    assert len(names) > 20
    return {name: getattr(mesh, name) for name in names}


def differing(local, reference):
    """Names of the arrays and index maps that differ between two local meshes."""
    expected = arrays(reference.mesh)
    found = [name for name, array in arrays(local.mesh).items() if not np.array_equal(array, expected[name])]
    for kind in ("cells", "edges", "vertices"):
        one, other = getattr(local.part, kind), getattr(reference.part, kind)
        if not np.array_equal(one.to_global, other.to_global) or one.n_owned != other.n_owned:
            found.append(kind)
    return found


@pytest.mark.parametrize("layers", [1, 3])
def test_a_part_of_the_file_is_the_part_of_the_whole(comm, folder, mesh, layers):
    path = written(folder, mesh)
    local = read_local_mesh(comm, path, layers=layers)
    reference = sea_states.local_mesh(mesh, comm, layers=layers)
    assert differing(local, reference) == []
    assert local.n_items == reference.n_items == [mesh.n_cells, mesh.n_edges, mesh.n_vertices]
    assert local.most_edges == reference.most_edges


def test_nothing_may_be_one_more_than_there_are(comm, folder, mesh):
    """A file may mark a missing neighbour with nCells + 1 instead of 0."""
    path = written(folder, mesh, "mpas.nc")
    if comm.rank == 0:
        with mpas_files.editing(path) as file:
            cells = file["cellsOnCell"]
            lists, lengths = cells[:], file["nEdgesOnCell"][:]
            missing = (lists == 0) & (np.arange(lists.shape[1]) < lengths[:, None])
            assert missing.any()
            cells[:] = np.where(missing, mesh.n_cells + 1, lists)
    comm.Barrier()
    assert halcyon.mesh.is_canonical(str(path))
    assert differing(read_local_mesh(comm, path, layers=2), sea_states.local_mesh(mesh, comm, layers=2)) == []


def test_owners_may_be_given_on_rank_0(comm, folder, mesh):
    """Owners that are given on rank 0 only determine the local meshes of all ranks."""
    owners = (np.arange(mesh.n_cells) * 7 % 5 % comm.size).astype(np.int32)
    local = read_local_mesh(comm, written(folder, mesh), owners=owners if comm.rank == 0 else None)
    assert differing(local, LocalMesh(mesh, owners, comm.rank)) == []


def test_local_lists_point_to_what_they_pointed_to(comm, mesh):
    """Local lists of an owned cell, mapped to global ids, are the lists of the whole mesh."""
    local = sea_states.local_mesh(mesh, comm, layers=2)
    cells = local.part.cells.to_global
    for cell in range(local.part.cells.n_owned):
        local_range = slice(*local.mesh.cell_offsets[cell : cell + 2])
        whole_range = slice(*mesh.cell_offsets[cells[cell] : cells[cell] + 2])
        for kind in ("cells", "edges", "vertices"):
            indices = getattr(local.mesh, f"{kind}_on_cell")[local_range]
            ids = np.where(indices >= 0, getattr(local.part, kind).to_global[indices], -1)
            assert np.array_equal(ids, getattr(mesh, f"{kind}_on_cell")[whole_range])


def test_the_checksum_knows_no_partition_but_every_cell(comm, mesh):
    """The checksum is the same for any partition, and changes with the last bit of one cell's depth."""

    def checksum(mesh, comm, **options):
        return comm.allreduce(sea_states.local_mesh(mesh, comm, **options).checksum) % 2**64

    alone = checksum(mesh, MPI.COMM_SELF)
    assert checksum(mesh, comm) == checksum(mesh, comm, seed=7, layers=2) == alone
    other = sea_states.bay()
    depth = np.array(other.bottom_depth)
    depth[17] = np.nextafter(depth[17], 0)
    other.bottom_depth = depth
    assert checksum(other, comm) != alone


def test_a_file_that_is_no_such_mesh(comm, folder, mesh):
    """A netCDF-4 file is refused with the command that converts it; an empty file with what it lacks."""
    with pytest.raises(InputError, match=r"not a classic netCDF file.*halcyon convert"):
        read_local_mesh(comm, written(folder, mesh, "other.nc", "netcdf4"))
    path = folder / "empty.nc"
    if comm.rank == 0:
        netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC").close()
    comm.Barrier()
    with pytest.raises(InputError, match="has no dimension nCells"):
        read_local_mesh(comm, path)


def test_a_file_with_a_wrong_edge(comm, folder, mesh):
    path = written(folder, mesh, "wrong.nc")
    if comm.rank == 0:
        with mpas_files.editing(path) as file:
            file["edgesOnCell"][mesh.n_cells - 1, 0] = 10**6
    comm.Barrier()
    expected = f"edgesOnCell contains 1000000, but indices are 1..{mesh.n_edges}"
    with pytest.raises(InputError, match=expected):
        read_local_mesh(comm, path)


def test_a_neighbour_that_only_one_cell_knows(comm, folder, mesh):
    path = written(folder, mesh, "lopsided.nc")
    if comm.rank == 0:
        with mpas_files.editing(path) as file:
            file["cellsOnCell"][mesh.n_cells - 1, 0] = 1
    comm.Barrier()
    with pytest.raises(InputError, match=r"Cell \d+ has the neighbour \d+, but not vice versa"):
        read_local_mesh(comm, path)


def test_a_sphere_of_another_radius(comm, folder, mesh):
    path = written(folder, mesh, "earth.nc")
    if comm.rank == 0:
        with mpas_files.editing(path) as file:
            file.sphere_radius = 6371229.0
    comm.Barrier()
    with pytest.raises(InputError, match=r"not on the unit sphere.*halcyon convert"):
        read_local_mesh(comm, path)


def test_owners_that_are_too_few_and_ranks_that_are_too_many(comm, folder, mesh):
    path = written(folder, mesh)
    with pytest.raises(InputError, match=f"There are 3 owners of the {mesh.n_cells} cells"):
        read_local_mesh(comm, path, owners=np.zeros(3, np.int32) if comm.rank == 0 else None)
    few = halcyon.mesh.cut(mesh, (np.arange(mesh.n_cells) < 2).astype(np.uint8))
    path = written(folder, few, "few.nc")
    if comm.size > few.n_cells:
        with pytest.raises(ConfigError):
            read_local_mesh(comm, path)
    else:
        owners = graph.partition(few.cell_offsets, few.cells_on_cell, comm.size)
        assert differing(read_local_mesh(comm, path), LocalMesh(few, owners, comm.rank)) == []


def ring_slice(comm, n=30):
    """This rank's slice of a ring of n cells, and its cells; edge i is between cells i - 1 and i."""
    cells = np.arange(n * comm.rank // comm.size, n * (comm.rank + 1) // comm.size)
    offsets = 2 * np.arange(len(cells) + 1, dtype=np.int32)
    slice = Slice(n, offsets, np.stack([(cells - 1) % n, (cells + 1) % n], axis=1).ravel())
    slice.share("edge", offsets, np.stack([cells, (cells + 1) % n], axis=1).ravel(), n)
    return slice, cells


def test_slices_of_any_mesh_are_decomposed():
    """The part of a ring, given as one slice per rank, has the requested owned cells and two halo layers."""
    comm = MPI.COMM_WORLD
    slice, cells = ring_slice(comm)
    part = decompose(comm, slice, (cells % comm.size).astype(np.int32), layers=2)
    owned = part.cells.to_global[: part.cells.n_owned]
    assert sorted(owned) == [cell for cell in range(30) if cell % comm.size == comm.rank]
    with_halo = {(cell + step) % 30 for cell in owned for step in range(-2, 3)}
    assert set(part.cells.to_global) == with_halo
    by_metis = decompose(comm, slice)
    assert sum(comm.allgather(by_metis.cells.n_owned)) == 30
    assert sum(comm.allgather(by_metis.edges.n_owned)) == 30


def test_slices_that_cannot_be_are_one_error_on_all_ranks():
    comm = MPI.COMM_WORLD
    slice, cells = ring_slice(comm)
    with pytest.raises(InputError, match=f"is owned by rank {comm.size}"):
        decompose(comm, slice, np.full(len(cells), comm.size, np.int32))
    with pytest.raises(InputError, match="A slice has lists of 1 cells"):
        decompose(comm, Slice(90, np.array([0, 1], np.int32), np.array([1])))
    with pytest.raises(InputError, match="Cell 0 has the cell 7, but the numbers are 0 to 4"):
        Slice(5, np.array([0, 1], np.int32), np.array([7]))
