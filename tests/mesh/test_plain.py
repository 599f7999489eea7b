"""Mesh files of which ranks can read slices, and the copy that is written for other files."""

import numpy as np
import pytest

import halcyon.mesh
from halcyon.base import InputError
from halcyon.config import load_case
from halcyon.config.mesh_file import prepare_mesh
from tests.mesh import mpas_files
from tests.run import case
from tests.support import sea_states


def rotated(file):
    """Rotates the vertices of a cell."""
    vertices, n = file["verticesOnCell"], int(file["nEdgesOnCell"][0])
    vertices[0, :n] = np.roll(vertices[0, :n], 1)


def larger(file):
    """Doubles the radius of the sphere."""
    file.sphere_radius = 2.0
    for name in ("Cell", "Edge", "Vertex"):
        for axis in "xyz":
            file[axis + name][:] *= 2
    for name, power in {
        "dcEdge": 1,
        "dvEdge": 1,
        "areaCell": 2,
        "areaTriangle": 2,
        "kiteAreasOnVertex": 2,
    }.items():
        file[name][:] *= 2**power


def without_weights(file):
    file.renameVariable("weightsOnEdge", "other")


CHANGES = {"rotated": rotated, "larger": larger, "without weights": without_weights}


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A case with a mesh file, and an empty cache of meshes."""
    monkeypatch.setenv("HALCYON_CACHE", str(tmp_path / "cache"))
    return case.write_case(tmp_path)


def test_what_halcyon_writes_is_read_as_it_is(path):
    """A file in the layout that Halcyon writes is read without a copy."""
    file = path.with_name(case.MESH)
    assert halcyon.mesh.is_canonical(str(file))
    assert prepare_mesh(load_case(path), print) == file
    assert not (path.parent / "cache").exists()


@pytest.mark.parametrize("change", CHANGES)
def test_another_file_is_copied_once(path, change):
    """A file in another layout is copied to the cache, with a message; the next run takes the copy."""
    file, loaded = path.with_name(case.MESH), load_case(path)
    with mpas_files.editing(file) as opened:
        CHANGES[change](opened)
    messages = []
    copy = prepare_mesh(loaded, messages.append)
    assert copy.parent == path.parent / "cache"
    assert len(messages) == 1 and str(copy) in messages[0]
    assert halcyon.mesh.is_canonical(str(copy))
    copied, original = halcyon.mesh.read_mpas(str(copy)), halcyon.mesh.read_mpas(str(file))
    assert np.array_equal(copied.vertices_on_cell, original.vertices_on_cell)
    assert np.array_equal(copied.cell_points, original.cell_points)
    assert prepare_mesh(loaded, messages.append) == copy
    assert len(messages) == 1


def test_netcdf_4_is_copied_and_a_broken_file_is_not(path):
    """A netCDF-4 file is copied; a wrong index is refused."""
    file, loaded = path.with_name(case.MESH), load_case(path)
    halcyon.mesh.write_mpas(str(file), sea_states.bay(), "netcdf4")
    assert prepare_mesh(loaded, lambda text: None) != file
    halcyon.mesh.write_mpas(str(file), sea_states.bay())
    with mpas_files.editing(file) as opened:
        opened["cellsOnCell"][7, 0] = 10**6
    with pytest.raises(InputError, match="cellsOnCell of cell 8"):
        prepare_mesh(loaded, print)
