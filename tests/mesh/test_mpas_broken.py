"""Broken MPAS files are refused, with the variable, the index and the remedy."""

import numpy as np
import pytest

import halcyon.mesh
from halcyon.base import InputError
from tests.mesh import mpas_files


def put(name, index, value):
    """Returns a change that sets one entry (index from 0) of a table."""

    def change(tables):
        tables[name][index] = value

    return change


def swap(name, one, other):
    """Returns a change that exchanges two entries of a table."""

    def change(tables):
        table = tables[name]
        table[one], table[other] = np.copy(table[other]), np.copy(table[one])

    return change


def scale(name, factor):
    """Returns a change that multiplies a table."""

    def change(tables):
        tables[name] = tables[name] * factor

    return change


def one_less(name, index):
    """Returns a change that decreases one entry of a table by 1."""

    def change(tables):
        tables[name][index] -= 1

    return change


WRONG_ENTRIES = [  # a change of a valid file, and the words of the error; indices in files count from 1
    # out of range, not a number
    (put("edgesOnCell", (6, 2), 99999), ["edgesOnCell of cell 7 is 99999", "1..", "again"]),
    (put("edgesOnCell", (6, 2), 0), ["edgesOnCell of cell 7 is 0"]),
    (put("verticesOnCell", (6, 2), -4), ["verticesOnCell of cell 7 is -4"]),
    (put("cellsOnCell", (6, 2), 99999), ["cellsOnCell of cell 7 is 99999", "0..642"]),
    (put("cellsOnEdge", (6, 1), 99999), ["cellsOnEdge of edge 7 is 99999"]),
    (put("verticesOnEdge", (6, 1), 0), ["verticesOnEdge of edge 7 is 0"]),
    (put("cellsOnVertex", (6, 1), 99999), ["cellsOnVertex of vertex 7 is 99999"]),
    (put("edgesOnVertex", (6, 1), -1), ["edgesOnVertex of vertex 7 is -1"]),
    (put("edgesOnEdge", (6, 1), 99999), ["edgesOnEdge of edge 7 is 99999"]),
    (put("nEdgesOnCell", 6, 2), ["nEdgesOnCell is 2 at entry 7"]),
    (put("nEdgesOnCell", 6, 40), ["nEdgesOnCell is 40 at entry 7"]),
    (put("nEdgesOnEdge", 6, 40), ["nEdgesOnEdge is 40 at entry 7"]),
    (put("areaCell", 6, np.nan), ["areaCell is not a number at entry 7"]),
    (put("meshDensity", 6, np.inf), ["meshDensity is not a number at entry 7"]),
    (put("angleEdge", 6, np.nan), ["angleEdge is not a number at entry 7"]),
    (put("xCell", 6, 3.0), ["Cell 7 lies", "sphere_radius"]),
    (put("zVertex", 6, np.nan), ["Vertex 7 lies nan"]),
    # lists that disagree
    (one_less("nEdgesOnCell", 6), ["edgesOnCell of cell 7", "counter-clockwise"]),
    (put("verticesOnCell", (6, 2), 1), ["verticesOnCell of cell 7", "not the ends"]),
    (put("cellsOnCell", (6, 2), 1), ["cellsOnCell of cell 7 names cell 1 across edge"]),
    (put("cellsOnCell", (6, 2), 643), ["cellsOnCell of cell 7 names cell 0"]),
    (put("cellsOnCell", (6, 2), 0), ["cellsOnCell of cell 7 names cell 0"]),
    (put("edgesOnCell", (6, 2), 1900), ["edgesOnCell of cell 7 names edge 1900, whose cellsOnEdge"]),
    (swap("edgesOnCell", (6, 1), (6, 2)), ["of cell 7"]),
    (swap("cellsOnEdge", (0, 0), (0, 1)), ["edgesOnCell of cell 1", "k x n"]),
    (put("cellsOnEdge", (0, 0), 500), ["edgesOnCell of cell 1 names edge 1"]),
    (put("cellsOnEdge", (0, 1), 0), ["cellsOnCell of cell 1 names cell"]),
    (put("cellsOnEdge", 6, 0), ["cellsOnEdge of edge 7 names no cell"]),
    (swap("verticesOnEdge", (0, 0), (0, 1)), ["edgesOnCell of cell 1", "k x n"]),
    (put("verticesOnEdge", (0, 0), 900), ["edgesOnCell of cell 1", "does not begin where"]),
    (put("cellsOnVertex", (6, 1), 0), ["cellsOnVertex of vertex 7", "is between cells"]),
    (put("cellsOnVertex", (6, 1), 500), ["cellsOnVertex of vertex 7", "is between cells"]),
    (put("edgesOnVertex", (6, 1), 1900), ["edgesOnVertex of vertex 7 (cell ", "verticesOnEdge"]),
    (put("edgesOnVertex", (6, 1), 0), ["edgesOnVertex of vertex 7 (cell "]),
    (put("edgesOnEdge", (6, 1), 1900), ["edgesOnEdge and weightsOnEdge of edge 7 (cell ", "Remove"]),
    (put("edgesOnEdge", (6, 1), 0), ["edgesOnEdge and weightsOnEdge of edge 7"]),
    (one_less("nEdgesOnEdge", 6), ["edgesOnEdge and weightsOnEdge of edge 7"]),
    (swap("weightsOnEdge", (6, 1), (6, 3)), ["edgesOnEdge and weightsOnEdge of edge 7"]),
    (put("weightsOnEdge", (6, 1), np.nan), ["edgesOnEdge and weightsOnEdge of edge 7"]),
    # sizes
    (put("areaCell", 6, -1.0), ["areaCell of cell 7 is -1"]),
    (put("areaTriangle", 6, -1.0), ["areaTriangle of vertex 7 (cell "]),
    (put("kiteAreasOnVertex", (6, 1), np.nan), ["areaTriangle of vertex 7 (cell ", "add up to nan"]),
    (put("kiteAreasOnVertex", (6, 1), -1e-3), ["areaTriangle of vertex 7 (cell "]),
    (put("dcEdge", 6, 0.0), ["dcEdge of edge 7 (cell ", "is 0 radii"]),
    (put("dvEdge", 6, -1.0), ["dvEdge of edge 7 (cell ", "is -1 radii"]),
    (put("angleEdge", 6, 90.0), ["angleEdge of edge 7 (cell ", "is 90"]),
    (swap("xCell", 6, 100), ["Cell 7 lies"]),
    (scale("areaCell", 6371.0**2), ["areaCell of cell 1", "sphere_radius"]),
    (scale("dcEdge", 6371.0), ["dcEdge of edge 1 ", "its unit, sphere_radius"]),
    (
        lambda tables: tables.update(verticesOnEdge=tables["verticesOnEdge"][:, ::-1]),
        ["edgesOnCell of cell 1"],
    ),
    # missing
    (mpas_files.leave_out("areaCell"), ["no variable areaCell"]),
    (mpas_files.leave_out("areaTriangle"), ["no variable areaTriangle"]),
]


@pytest.mark.parametrize(("change", "words"), WRONG_ENTRIES)
def test_a_wrong_entry_is_named(mpas_folder, tmp_path, change, words):
    path = tmp_path / "other.nc"
    mpas_files.copy(mpas_folder / "g3.nc", path, change)
    with pytest.raises(InputError) as caught:
        halcyon.mesh.read_mpas(path)
    for word in (str(path), *words):
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda file: file.renameDimension("maxEdges", "m"), ["no dimension maxEdges", "MPAS"]),
        (lambda file: file.renameDimension("vertexDegree", "v"), ["no dimension vertexDegree"]),
        (lambda file: file.setncattr("on_a_sphere", "NO"), ["on_a_sphere is 'NO'"]),
        (lambda file: file.setncattr("on_a_sphere", "MAYBE"), ["on_a_sphere is 'MAYBE'"]),
        (lambda file: file.setncattr("sphere_radius", -1.0), ["sphere_radius is -1"]),
        (lambda file: file.setncattr("sphere_radius", "one"), ["sphere_radius is not a number"]),
        (lambda file: file.setncattr("sphere_radius", 6371229.0), ["Cell 1 lies", "Correct sphere_radius"]),
    ],
)
def test_wrong_headers(mpas_folder, tmp_path, change, words):
    path = tmp_path / "other.nc"
    path.write_bytes((mpas_folder / "g3.nc").read_bytes())
    with mpas_files.editing(path) as file:
        change(file)
    with pytest.raises(InputError) as caught:
        halcyon.mesh.read_mpas(path)
    for word in (str(path), *words):
        assert word in str(caught.value)


@pytest.mark.parametrize("reals", ["f8", "f4"])
def test_any_single_wrong_index_is_refused(mpas_folder, tmp_path, reals):
    """In each list, replacing a random entry in use by another valid index is detected, and the error names
    the list."""
    rng = np.random.default_rng(5)
    names = {"cellsOnCell": "areaCell", "edgesOnCell": "dcEdge", "verticesOnCell": "areaTriangle"}
    names |= {"cellsOnEdge": "areaCell", "verticesOnEdge": "areaTriangle", "cellsOnVertex": "areaCell"}
    names |= {"edgesOnVertex": "dcEdge", "edgesOnEdge": "dcEdge"}
    for name, counted in names.items():  # `counted`: a table with one entry per possible index

        def change(tables, name=name, counted=counted):
            row = rng.integers(len(tables[name]))
            column = rng.integers(2 if name.endswith("Edge") and name[0] != "e" else 3)
            n = len(tables[counted])
            tables[name][row, column] = (tables[name][row, column] + rng.integers(n - 1)) % n + 1

        mpas_files.copy(mpas_folder / "g3.nc", tmp_path / "other.nc", change, reals=reals)
        with pytest.raises(InputError, match=name):
            halcyon.mesh.read_mpas(tmp_path / "other.nc")
