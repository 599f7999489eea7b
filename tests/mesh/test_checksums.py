"""Mesh files carry checksums, hold plausible depths, and are written by one process at a time."""

import subprocess
import sys

import numpy as np
import pytest

import halcyon.mesh
from halcyon.base import InputError
from halcyon.decomposition import read_local_mesh
from halcyon.io import verify
from halcyon.mesh import cache
from tests.io.damage import check_cuts, check_flips
from tests.mesh import mpas_files


@pytest.fixture(scope="module")
def mesh():
    """G1 with depths."""
    mesh = halcyon.mesh.uniform(1)
    mesh.bottom_depth = np.linspace(10.0, 5000.0, mesh.n_cells)
    return mesh


@pytest.fixture(params=["mpas cdf5", "mpas netcdf4", "ugrid cdf5", "ugrid netcdf4"])
def file(request, tmp_path, mesh):
    kind, format = request.param.split()
    write = {"mpas": halcyon.mesh.write_mpas, "ugrid": halcyon.mesh.write_ugrid}[kind]
    write(tmp_path / "mesh.nc", mesh, format)
    return tmp_path / "mesh.nc"


def test_damage_of_a_mesh_file_is_found(file, tmp_path):
    verified = verify(str(file))
    assert verified.header_checked and verified.n_checked == verified.n_variables
    check_cuts(file, tmp_path / "cut.nc", 20)
    assert check_flips(file, tmp_path / "flipped.nc", 40) > 35


def flip_depth(path, mesh):
    """Flips the lowest bit of the depth of a cell."""
    data, depth = path.read_bytes(), mesh.bottom_depth[7:8].astype(">f8").tobytes()
    assert data.count(depth) == 1
    path.write_bytes(data.replace(depth, depth[:-1] + bytes([depth[-1] ^ 1])))


def test_a_damaged_depth_is_refused(mesh, tmp_path):
    halcyon.mesh.write_mpas(path := tmp_path / "mesh.nc", mesh)
    flip_depth(path, mesh)
    for read in (halcyon.mesh.read_mpas, halcyon.mesh.is_canonical):
        with pytest.raises(InputError, match=r"mesh\.nc is damaged: the checksum of bottomDepth .*ncatted"):
            read(str(path))


@pytest.mark.mpi
def test_ranks_find_the_damage_of_a_mesh_file(comm, common_folder, mesh):
    """The checksums are added up over the ranks that read the file."""
    path = common_folder / "mesh.nc"
    if comm.rank == 0:
        halcyon.mesh.write_mpas(path, mesh)
    comm.barrier()
    read_local_mesh(comm, path)
    if comm.rank == 0:
        flip_depth(path, mesh)
    comm.barrier()
    with pytest.raises(InputError, match="checksum of bottomDepth is wrong"):
        read_local_mesh(comm, path)


def test_a_damaged_mesh_of_the_cache_is_made_again(mesh, tmp_path, monkeypatch):
    monkeypatch.setenv("HALCYON_CACHE", str(tmp_path))
    lines = []
    path = cache._find_or_make("key", lambda: mesh, lines.append, needs_depth=True)
    whole = path.read_bytes()
    flip_depth(path, mesh)
    del lines[:]
    cache._find_or_make("key", lambda: mesh, lines.append, needs_depth=True)
    assert path.read_bytes() == whole
    assert [line.split(":")[0] for line in lines] == [
        "The cached mesh is broken and will be generated again",
        f"mesh of {mesh.n_cells} cells written to {path}",
    ]


@pytest.mark.parametrize("depth", [9.96921e36, -1e4, np.nan, np.inf])
def test_a_depth_that_the_earth_has_not(mesh, tmp_path, depth):
    """A mesh of another program, which has no checksums."""
    halcyon.mesh.write_mpas(path := tmp_path / "mesh.nc", mesh)
    with mpas_files.editing(path) as file:
        file["bottomDepth"][7] = 4000.0
    assert halcyon.mesh.read_mpas(str(path)).bottom_depth[7] == 4000
    with mpas_files.editing(path) as file:
        file["bottomDepth"][7] = depth
    with pytest.raises(InputError, match=r"mesh\.nc: bottomDepth is .* at (cell|entry) 8"):
        halcyon.mesh.read_mpas(str(path))


WRITER = """\
import sys
import halcyon.mesh
for _ in range(4):
    halcyon.mesh.write_mpas(sys.argv[1], halcyon.mesh.uniform(3))
"""


def test_a_mesh_is_written_by_many_at_once(tmp_path):
    """Each process has its own temporary file; a symbolic link is replaced."""
    (tmp_path / "target").write_text("precious")
    path = tmp_path / "mesh.nc"
    path.symlink_to("target")
    writers = [subprocess.Popen([sys.executable, "-P", "-c", WRITER, path]) for _ in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert verify(str(path)).header_checked and not path.is_symlink()
    assert (tmp_path / "target").read_text() == "precious"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["mesh.nc", "target"]
