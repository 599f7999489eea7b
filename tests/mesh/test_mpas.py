"""MPAS files: the same bits back, other programs' habits, and broken files."""

import os

import numpy as np
import pytest
from netCDF4 import Dataset

import halcyon.mesh
from halcyon.base import InputError, RunError

ARRAYS = [name for name in dir(halcyon.mesh.Mesh) if not name.startswith(("_", "n_"))]


def assert_equal(one, other):
    for name in ARRAYS:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


@pytest.mark.parametrize("name", ["g3", "varied", "part"])
def test_round_trip_is_bitwise(name, request, tmp_path):
    mesh = request.getfixturevalue(name)
    path = tmp_path / "mesh.nc"
    halcyon.mesh.write_mpas(str(path), mesh)
    assert_equal(halcyon.mesh.read_mpas(str(path)), mesh)
    assert [file.name for file in tmp_path.iterdir()] == ["mesh.nc"]


def test_depths_come_back(mpas_file, part):
    assert np.array_equal(halcyon.mesh.read_mpas(str(mpas_file)).bottom_depth, part.bottom_depth)


def test_the_file_is_cdf5_with_mpas_variables(mpas_file):
    assert mpas_file.read_bytes()[:4] == b"CDF\x05"
    with Dataset(mpas_file) as file:
        assert file.on_a_sphere == "YES" and file.sphere_radius == 1 and file.mesh_spec == "1.0"
        assert file.Conventions == "MPAS" and file.is_periodic == "NO"
        dimensions = "nCells nEdges nVertices maxEdges maxEdges2 TWO vertexDegree"
        assert " ".join(sorted(file.dimensions)) == " ".join(sorted(dimensions.split()))
        wanted = (
            " cellsOnCell edgesOnCell verticesOnCell nEdgesOnCell cellsOnEdge verticesOnEdge edgesOnEdge"
            " nEdgesOnEdge weightsOnEdge cellsOnVertex edgesOnVertex kiteAreasOnVertex areaCell areaTriangle"
            " dcEdge dvEdge angleEdge meshDensity boundaryVertex cellQuality gridSpacing triangleQuality"
            " obtuseTriangle bottomDepth"
        )
        for where in ("Cell", "Edge", "Vertex"):
            wanted += "".join(f" {name}{where}" for name in ("lat", "lon", "x", "y", "z"))
            wanted += f" indexTo{where}ID"
        assert set(file.variables) == set(wanted.split())
        n = file["nEdgesOnCell"][:].data
        columns = np.arange(file.dimensions["maxEdges"].size)
        assert (file["edgesOnCell"][:].data[columns >= n[:, None]] == 0).all()
        assert file["cellsOnCell"][:].min() == 0 and file["edgesOnCell"][:].max() == len(file["dcEdge"])
        assert set(np.unique(file["boundaryVertex"][:])) == {0, 1}


def copy_with(source, target, *, radius=1.0, widen=0, junk=0, format="NETCDF4"):
    """A copy as another program might write it: radius, wider tables, junk in the padding."""
    power = dict.fromkeys("xyz", 1) | {"dcEdge": 1, "dvEdge": 1}
    power |= dict.fromkeys(("areaCell", "areaTriangle", "kiteAreasOnVertex"), 2)
    with Dataset(source) as old, Dataset(target, "w", format=format) as new:
        for name, dimension in old.dimensions.items():
            extra = {"maxEdges": widen, "maxEdges2": 2 * widen}.get(name, 0)
            new.createDimension(name, dimension.size + extra)
        new.setncatts({"on_a_sphere": "YES             ", "sphere_radius": radius})
        for name, variable in old.variables.items():
            made = new.createVariable(name, variable.dtype, variable.dimensions)
            scale = radius ** power.get(name, power.get(name[0], 0) if name[1:2].isupper() else 0)
            values = variable[:].data * np.asarray(scale, variable.dtype) if scale != 1 else variable[:].data
            made[:] = np.full(made.shape, junk, variable.dtype)
            made[tuple(slice(n) for n in values.shape)] = values


def test_other_radius_padding_and_format(mpas_file, part, tmp_path):
    other = tmp_path / "other.nc"
    copy_with(mpas_file, other, radius=6371229.0, widen=3, junk=7)
    mesh = halcyon.mesh.read_mpas(str(other))
    assert np.array_equal(mesh.edges_on_edge, part.edges_on_edge)
    assert np.array_equal(mesh.vertices_on_cell, part.vertices_on_cell)
    np.testing.assert_allclose(mesh.cell_points, part.cell_points, rtol=0, atol=1e-15)
    np.testing.assert_allclose(mesh.area_cell, part.area_cell, rtol=1e-14)
    np.testing.assert_allclose(mesh.dc_edge, part.dc_edge, rtol=1e-14)


def test_other_start_of_verticesOnCell(mpas_file, part):  # noqa: N802 - MPAS' name
    with Dataset(mpas_file, "a") as file:
        table = file["verticesOnCell"][:]
        for row, n in zip(table, file["nEdgesOnCell"][:], strict=True):
            row[:n] = np.roll(row[:n], 1)
        file["verticesOnCell"][:] = table
    assert np.array_equal(halcyon.mesh.read_mpas(str(mpas_file)).vertices_on_cell, part.vertices_on_cell)


def put(name, at, value):
    def change(file):
        file[name][at] = value

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (put("edgesOnCell", (6, 2), 99999), ["edgesOnCell of cell 7 is 99999", "1..", "again"]),
        (put("edgesOnCell", (6, 2), 0), ["edgesOnCell of cell 7 is 0"]),
        (put("verticesOnCell", (6, 2), -4), ["verticesOnCell of cell 7 is -4"]),
        (put("verticesOnCell", (6, 2), 1), ["verticesOnCell of cell 7", "not the ends"]),
        (put("cellsOnCell", (6, 2), 1), ["cellsOnCell of cell 7 names cell 1"]),
        (put("nEdgesOnCell", 6, 2), ["nEdgesOnCell is 2 at entry 7"]),
        (put("nEdgesOnCell", 6, 40), ["nEdgesOnCell is 40 at entry 7"]),
        (put("areaCell", 6, -1.0), ["areaCell of cell 7 is -1"]),
        (put("areaCell", 6, np.nan), ["areaCell is not a number at entry 7"]),
        (put("xCell", 6, 3.0), ["Cell 7 lies", "sphere_radius"]),
        (put("dcEdge", 6, 0.0), ["dcEdge and dvEdge of edge 7 (cell "]),
        (lambda file: file.renameVariable("weightsOnEdge", "w"), ["no variable weightsOnEdge"]),
        (lambda file: file.renameDimension("maxEdges", "m"), ["no dimension maxEdges", "MPAS"]),
        (lambda file: file.setncattr("on_a_sphere", "NO"), ["on_a_sphere is 'NO'"]),
        (lambda file: file.setncattr("sphere_radius", -1.0), ["sphere_radius is -1"]),
    ],
)
def test_broken_meshes_are_refused(mpas_file, change, words):
    with Dataset(mpas_file, "a") as file:
        change(file)
    with pytest.raises(InputError) as caught:
        halcyon.mesh.read_mpas(str(mpas_file))
    for word in (str(mpas_file), *words):
        assert word in str(caught.value)


def test_clockwise_lists_are_refused(mpas_file):
    with Dataset(mpas_file, "a") as file:
        file["verticesOnEdge"][:] = file["verticesOnEdge"][:, ::-1]
    with pytest.raises(InputError, match=r"cell 1.*counter-clockwise"):
        halcyon.mesh.read_mpas(str(mpas_file))


@pytest.mark.parametrize("share", [0.99, 0.5, 0.001])
def test_truncated_files_are_refused(mpas_file, share):
    os.truncate(mpas_file, int(share * mpas_file.stat().st_size))
    with pytest.raises(InputError, match="cut short"):
        halcyon.mesh.read_mpas(str(mpas_file))


def test_promised_size_of_every_classic_format(tmp_path):
    for format in ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"):
        path = tmp_path / f"{format}.nc"
        with Dataset(path, "w", format=format) as file:
            file.createDimension("time", None)
            file.createDimension("x", 5)
            file.createVariable("fixed", "f8", ("x",))[:] = 1
            file.createVariable("a", "i2", ("time", "x"))[:3] = 1
            file.createVariable("b", "f4", ("time", "x"))[:3] = 1
        halcyon.mesh.require_whole(str(path))
        os.truncate(path, path.stat().st_size - 4)
        with pytest.raises(InputError, match="cut short"):
            halcyon.mesh.require_whole(str(path))


def test_files_that_are_no_meshes(tmp_path):
    with pytest.raises(InputError, match="Cannot open"):
        halcyon.mesh.read_mpas(str(tmp_path / "none.nc"))
    text = tmp_path / "text.nc"
    text.write_text("not a mesh")
    with pytest.raises(InputError, match="netCDF"):
        halcyon.mesh.read_mpas(str(text))


def test_unwritable_folder(part, tmp_path):
    with pytest.raises(RunError, match="Cannot write"):
        halcyon.mesh.write_mpas(str(tmp_path / "none" / "mesh.nc"), part)
