"""`halcyon convert` of meshes: each format, and errors."""

import os

import numpy as np
import pytest
from netCDF4 import Dataset

import halcyon.mesh
from tests.mesh import mpas_files
from tests.support import command


@pytest.fixture(scope="module")
def mesh():
    return halcyon.mesh.uniform(2)


@pytest.fixture
def file(tmp_path, mesh):
    """A file of the mesh, in the format of MPAS."""
    halcyon.mesh.write_mpas(tmp_path / "mesh.nc", mesh)
    return tmp_path / "mesh.nc"


def convert(*arguments):
    return command.halcyon("convert", *arguments)


@pytest.mark.parametrize("format", ["cdf5", "netcdf4"])
def test_to_mpas(file, tmp_path, format, mesh):
    """The converted file has the requested netCDF format and the same mesh."""
    done = convert(file, tmp_path / "out.nc", "--to", format)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{tmp_path}/out.nc: 162 cells as {format}\n"
    with Dataset(tmp_path / "out.nc") as out:
        assert out.data_model == {"cdf5": "NETCDF3_64BIT_DATA", "netcdf4": "NETCDF4"}[format]
    converted = halcyon.mesh.read_mpas(tmp_path / "out.nc")
    assert np.array_equal(converted.weights_on_edge, mesh.weights_on_edge)


def test_to_ugrid(file, tmp_path):
    assert convert(file, tmp_path / "out.nc", "--to", "ugrid").returncode == 0
    with Dataset(tmp_path / "out.nc") as out:
        assert out["mesh"].cf_role == "mesh_topology"


def test_to_a_graph_by_name(file, tmp_path):
    """The name graph.info implies the graph format."""
    assert convert(file, tmp_path / "graph.info").returncode == 0
    assert (tmp_path / "graph.info").read_text().startswith("162 480\n")


def test_from_a_grist_grid(tmp_path, mesh):
    with Dataset(tmp_path / "g2.2d.nc", "w") as grid:
        for name, table in (("vtx_p", mesh.cell_points), ("tri_v", np.asarray(mesh.cells_on_vertex) + 1.0)):
            for axis, size in enumerate(np.transpose(table).shape):
                grid.createDimension(f"{name}_{axis}", size)
            grid.createVariable(name, "f8", (f"{name}_0", f"{name}_1"))[:] = np.transpose(table)
    assert convert(tmp_path / "g2.2d.nc", tmp_path / "out.nc", "--to", "cdf5").returncode == 0
    assert halcyon.mesh.read_mpas(tmp_path / "out.nc").n_edges == 480


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["none.nc", "out.nc", "--to", "cdf5"], 2, ["none.nc cannot be read as netCDF: No such file"]),
        (
            ["text.nc", "out.nc", "--to", "cdf5"],
            2,
            ["text.nc cannot be read as netCDF", "Give a netCDF file."],
        ),
        (
            ["other.nc", "out.nc", "--to", "cdf5"],
            2,
            ["other.nc is not a mesh", "Give a mesh in one of these formats"],
        ),
        (["broken.nc", "out.nc", "--to", "ugrid"], 2, ["broken.nc: areaCell of cell 7 is -1"]),
        (["mesh.nc", "out.nc", "--to", "hdf5"], 2, ["--to hdf5", "cdf5, netcdf4, ugrid, graph"]),
        (["mesh.nc", "out.nc"], 2, ["out.nc does not imply a format", "--to"]),
        (["mesh.nc", "./mesh.nc", "--to", "ugrid"], 2, ["mesh.nc is also an input file"]),
        (["mesh.nc", "nowhere/out.nc", "--to", "cdf5"], 2, ["there is no folder nowhere"]),
        (["mesh.nc", "link.nc", "--to", "ugrid"], 2, ["link.nc is also an input file"]),
        (["mesh.nc", "taken.nc", "--to", "cdf5"], 2, ["taken.nc is a folder"]),
        (["mesh.nc", "new/", "--to", "cdf5"], 2, ["new/ is a folder"]),
        (["mesh.nc", "/dev/null", "--to", "cdf5"], 2, ["/dev/null is not a regular file"]),
        (["mesh.nc", "/proc/out.info"], 2, ["/proc/out.info: the folder /proc cannot be written to"]),
        (
            ["mesh.nc", "/proc/out.nc", "--to", "cdf5"],
            2,
            ["/proc/out.nc: the folder /proc cannot be written to"],
        ),
        (
            ["mesh.nc", "/proc/out.nc", "--to", "ugrid"],
            2,
            ["/proc/out.nc: the folder /proc cannot be written to"],
        ),
    ],
)
def test_mistakes_are_one_error(file, tmp_path, monkeypatch, arguments, code, words):
    """An invalid request prints one line with the expected words and writes no file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.nc").write_text("not a mesh")
    (tmp_path / "taken.nc").mkdir()
    (tmp_path / "link.nc").symlink_to("mesh.nc")
    (tmp_path / "broken.nc").write_bytes(file.read_bytes())
    with mpas_files.editing("broken.nc") as broken:
        broken["areaCell"][6] = -1
    with Dataset("other.nc", "w") as other:
        other.createDimension("x", 3)
    before = sorted(os.listdir())
    done = convert(*arguments)
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("error: ") and len(done.stderr.splitlines()) == 1
    for word in words:
        assert word in done.stderr
    assert sorted(os.listdir()) == before
