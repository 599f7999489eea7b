"""GRIST grid files, written here as GRIST writes them: tables (component, point) of reals, one-based, unit
sphere. Source: grist_grid_file_vars.F90 and slimGridFile.sh of github.com/Xu-Kai/SW-GRIST at 5660633."""

import numpy as np
import pytest
from netCDF4 import Dataset

import halcyon.mesh
from halcyon.base import InputError

RANDOM = np.random.default_rng(3)


def write_grist(path, mesh, *, turned=False, areas=("planar", "geodesic"), without=()):
    """Writes the variables of `NAME.2d.nc` that are read, with triangles and their corners shuffled.

    turned: tables (point, component); areas: kinds of areas in plg_area, the geodesic last; without: names of
    missing tables.
    """
    triangles = RANDOM.permutation(np.asarray(mesh.cells_on_vertex))
    triangles = RANDOM.permuted(triangles, axis=1) + 1.0
    counts = np.diff(mesh.cell_offsets).astype(float)
    tables = {
        "vtx_p": np.asarray(mesh.cell_points),
        "vtx_ltln_nnb": np.column_stack([mesh.cell_latitude, mesh.cell_longitude, counts]),
        "tri_v": triangles,
        "plg_area": np.column_stack([np.asarray(mesh.area_cell)] * len(areas)),
    }
    tables["plg_area"][:, :-1] *= 0.9  # the planar one
    dimension_of = {"vtx": "location_nv", "plg": "location_nv", "tri": "location_nt"}
    with Dataset(path, "w", format="NETCDF3_64BIT_DATA") as file:
        file.createDimension("location_nv", mesh.n_cells)
        file.createDimension("location_nt", mesh.n_vertices)
        for n, name in enumerate(("none", "ntwo", "nthree"), 1):
            file.createDimension(name, n)
        for name in tables.keys() - set(without):
            dimensions = [("none", "ntwo", "nthree")[tables[name].shape[1] - 1], dimension_of[name[:3]]]
            table = tables[name].T
            if turned:
                dimensions, table = dimensions[::-1], table.T
            file.createVariable(name, "f8", dimensions)[:] = table


def is_close(found, mesh):
    """Asserts that two meshes are equal to rounding, whatever the order of edges; returns True."""
    np.testing.assert_allclose(found.cell_points, mesh.cell_points, rtol=0, atol=1e-15)
    pairs = [np.unique(either.cells_on_edge, axis=0) for either in (found, mesh)]
    assert np.array_equal(*pairs)
    assert max(halcyon.mesh.identities(found).area, halcyon.mesh.identities(found).divergence) < 1e-14
    np.testing.assert_allclose(found.area_cell, mesh.area_cell, rtol=1e-12)
    return True


@pytest.mark.parametrize(
    "options",
    [{}, {"turned": True}, {"areas": ("geodesic",)}, {"without": ("vtx_p",)}, {"without": ("plg_area",)}],
)
def test_a_grid_becomes_our_mesh(g3, tmp_path, options):
    """A GRIST file of a mesh, in each of its forms, is read as this mesh."""
    write_grist(tmp_path / "g3.2d.nc", g3, **options)
    assert is_close(halcyon.mesh.read_grist(tmp_path / "g3.2d.nc"), g3)
    assert is_close(halcyon.mesh.read_mesh(tmp_path / "g3.2d.nc"), g3)


def put(name, index, value):
    """Returns a change that sets one entry of a table."""

    def change(file):
        file[name][index] = value

    return change


def without_points(latitude):
    """Returns a change that leaves only latitudes and longitudes of cells, of which one is wrong [rad]."""

    def change(file):
        file.renameVariable("vtx_p", "p")
        file["vtx_ltln_nnb"][0, 6] = latitude

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("tri_v", (1, 6), 643.0), ["tri_v of triangle 7 names cell 643", "1..642", "again"]),
        (put("tri_v", (1, 6), 1.5), ["tri_v of triangle 7 names cell 1.5"]),
        (put("tri_v", (1, 6), np.nan), ["tri_v of triangle 7 names cell nan"]),
        (
            lambda file: put("tri_v", (0, 6), file["tri_v"][1, 6])(file),
            ["Triangle 6 (generators", "has no area"],
        ),
        (lambda file: put("tri_v", (slice(None), 6), file["tri_v"][:, 7])(file), ["Three triangles meet"]),
        (put("vtx_p", (0, 6), 3.0), ["vtx_p of cell 7 lies 3", "unit sphere"]),
        (without_points(7.0), ["the latitude of vtx_ltln_nnb is 401.07 at cell 7", "from -90 to 90"]),
        (put("plg_area", (1, 6), 0.1), ["plg_area of cell 7 is 0.1", "square radii"]),
        (lambda file: file.renameVariable("tri_v", "t"), ["no tri_v", ".2d.nc"]),
    ],
)
def test_broken_grids_are_refused(g3, tmp_path, change, words):
    path = tmp_path / "g3.2d.nc"
    write_grist(path, g3)
    with Dataset(path, "a") as file:
        change(file)
    with pytest.raises(InputError) as caught:
        halcyon.mesh.read_grist(path)
    for word in (str(path), *words):
        assert word in str(caught.value)


def test_a_file_that_is_neither_kind(tmp_path):
    path = tmp_path / "g3.0d.nc"
    with Dataset(path, "w") as file:
        file.createVariable("mesh_nv", "i8", ())[:] = 642
    with pytest.raises(InputError, match=r"neither the variables of MPAS .* nor of GRIST's \.2d\.nc"):
        halcyon.mesh.read_mesh(path)
