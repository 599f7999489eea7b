"""`halcyon partition`."""

import numpy as np
import pytest
from netCDF4 import Dataset

import halcyon.mesh
from halcyon import graph
from tests.support import command


@pytest.fixture(scope="module")
def mesh():
    return halcyon.mesh.uniform(3, tolerance=1e-3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, mesh):
    """A folder with the file of the mesh."""
    path = tmp_path_factory.mktemp("partition")
    halcyon.mesh.write_mpas(path / "mesh.nc", mesh)
    return path


def partition(folder, *arguments):
    """Runs the command in a folder."""
    return command.halcyon("partition", *arguments, folder=folder, HALCYON_CACHE=str(folder / "cache"))


def test_files_and_table(folder, mesh):
    """The printed table has the figures of `graph.partition_report` for the written files."""
    done = partition(folder, "mesh.nc", "--parts", "4,16", "--method", "recursive", "--contiguous")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[:3] == [
        "reading mesh.nc",
        "partitioning 642 cells into 4 parts",
        "partitioning 642 cells into 16 parts",
    ]
    assert lines[3].split() == [
        "parts",
        "cells",
        "min",
        "mean",
        "max",
        "imbalance",
        "edge",
        "cut",
        "disconnected",
        "file",
    ]
    for n, line in zip((4, 16), lines[4:], strict=True):
        owners = halcyon.mesh.read_partition(folder / f"graph.info.part.{n}", 642)
        report = graph.partition_report(mesh.cell_offsets, mesh.cells_on_cell, owners)
        figures = [report.n_parts, report.least_weight, f"{642 / n:.1f}", report.most_weight]
        figures += [f"{report.imbalance:.3f}", report.edge_cut, 0, f"graph.info.part.{n}"]
        assert line.split() == [str(figure) for figure in figures]


def test_two_levels_into_a_folder(folder, mesh):
    """The file has the partition of `graph.two_level_partition`, and the table the edges cut between
    nodes."""
    (folder / "parts").mkdir()
    done = partition(folder, "mesh.nc", "--parts", 8, "--ranks-per-node", 4, "--seed", 3, "--output", "parts")
    assert (done.returncode, done.stderr) == (0, "")
    owners = halcyon.mesh.read_partition(folder / "parts/graph.info.part.8", 642)
    adjacency = mesh.cell_offsets, mesh.cells_on_cell
    assert np.array_equal(owners, graph.two_level_partition(*adjacency, 8, 4, seed=3))
    head, row = done.stdout.splitlines()[-2:]
    assert "between nodes" in head
    assert row.split()[6] == str(graph.partition_report(*adjacency, owners // 4).edge_cut)


def test_weights_of_variables_and_files(folder, mesh):
    """Weights from a variable of the mesh file and from a text file give the partition of
    `graph.partition`."""
    rng = np.random.default_rng(5)
    work, traffic = rng.integers(1, 20, mesh.n_cells), rng.integers(1, 9, mesh.n_edges)
    with Dataset(folder / "weighed.nc", "w") as target, Dataset(folder / "mesh.nc") as source:
        target.setncatts(vars(source))
        for name, dimension in source.dimensions.items():
            target.createDimension(name, len(dimension))
        for name, variable in source.variables.items():
            target.createVariable(name, variable.dtype, variable.dimensions)[...] = variable[...]
        target.createVariable("work", "f8", ("nCells",))[...] = work
    (folder / "traffic.txt").write_text("\n".join(map(str, traffic)) + "\n")
    (folder / "weighed").mkdir()
    weights = ["--cell-weights", "work", "--edge-weights", "traffic.txt"]
    done = partition(folder, "weighed.nc", "--parts", 5, *weights, "--output", "weighed")
    assert (done.returncode, done.stderr) == (0, "")
    owners = halcyon.mesh.read_partition(folder / "weighed/graph.info.part.5", 642)
    weights_by_kind = {"node_weights": work, "edge_weights": traffic[mesh.edges_on_cell]}
    adjacency = mesh.cell_offsets, mesh.cells_on_cell
    assert np.array_equal(owners, graph.partition(*adjacency, 5, **weights_by_kind))
    report = graph.partition_report(*adjacency, owners, **weights_by_kind)
    head, row = done.stdout.splitlines()[-2:]
    assert head.split()[:3] == ["parts", "weight", "min"]
    assert row.split()[1] == f"{report.least_weight:,}" == f"{np.bincount(owners, work).min():,.0f}"
    assert row.split()[5] == f"{report.edge_cut:,}"


def test_a_mesh_of_a_name_and_of_a_yaml_file(folder):
    (folder / "g2.yaml").write_text("mesh: {level: 2, sea: false, tolerance: 0.01}\n")
    (folder / "two").mkdir()
    for mesh in ("G2", "g2.yaml"):
        done = partition(folder, mesh, "--parts", 3, "--output", "two")
        assert (done.returncode, done.stderr) == (0, "")
        assert "partitioning 162 cells into 3 parts" in done.stdout
        assert len(halcyon.mesh.read_partition(folder / "two/graph.info.part.3", 162)) == 162


@pytest.mark.parametrize(
    ("option", "text", "expected"),
    [
        pytest.param(
            "--cell-weights",
            "few",
            "few: there are 2 weights, but the mesh has 642 cells. Give one per cell.",
            id="--cell-weights-few-few: there are 2 weights, but the mesh has 642 cells. Give one each.",
        ),
        ("--edge-weights", "few", "few: there are 2 weights, but the mesh has 1,920 edges"),
        pytest.param(
            "--cell-weights",
            "words",
            "words:2: the weight is '1.5', but must be a whole number of at",
            id="--cell-weights-words-words:2: the weight is '1.5', but must be a whole number from 0 on, of",
        ),
        pytest.param(
            "--cell-weights",
            "work",
            "there is no such file, and no such variable in mesh.nc. It has angle",
            id="--cell-weights-work-there is no such file, nor a variable so called in mesh.nc. It has angle",
        ),
        ("--cell-weights", "areaCell", "areaCell of cell 0 is 0.0"),
        ("--cell-weights", "areaTriangle", "there are 1,280 weights, but the mesh has 642 cells"),
        pytest.param(
            "--cell-weights",
            "zeros",
            "All node weights are 0. Give at least one node a positive weight.",
            id="--cell-weights-zeros-All nodes weigh 0. Give some of them work.",
        ),
        ("--cell-weights", "large", "large:1: the weight is '9999999999', but must be a whole number"),
    ],
)
def test_weights_that_cannot_be(folder, option, text, expected):
    """Invalid weights print one line with the expected text."""
    (folder / "few").write_text("1\n2\n")
    (folder / "large").write_text("9999999999\n" * 642)
    (folder / "words").write_text("1\n1.5\n")
    (folder / "zeros").write_text("0\n" * 642)
    done = partition(folder, "mesh.nc", "--parts", 2, option, text)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
    assert expected in done.stderr
    assert not (folder / "graph.info.part.2").exists()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param(
            ["G2", "--parts", "2", "--cell-weights", "work"],
            "'G2' is not a netCDF file with such a variable",
            id="arguments0-'G2' is no netCDF file with a variable so called",
        ),
        (["mesh.nc", "--parts", "8,x"], "--parts 8,x: give whole numbers from 1 on with commas between"),
        (["mesh.nc", "--parts", "0"], "--parts 0: give whole numbers"),
        (["mesh.nc", "--parts", "2,643"], "The run has 643 ranks but the mesh only 642 cells."),
        (["mesh.nc", "--parts", "2", "--method", "rib"], "There is no partition method 'rib'."),
        pytest.param(
            ["mesh.nc", "--parts", "2", "--output", "none"],
            "there is no folder none. Create it, or choose",
            id="arguments5-there is no folder none. Make it, or choose",
        ),
        (["none.nc", "--parts", "2"], "none.nc"),
    ],
)
def test_mistakes_are_one_error_and_write_nothing(folder, arguments, expected):
    done = partition(folder, *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
    assert expected in done.stderr
    assert not (folder / "graph.info.part.2").exists()
