"""`halcyon partition` as a user calls it."""

import os
import subprocess
import sys

import numpy as np
import pytest

import halcyon.mesh
from halcyon import graph


@pytest.fixture(scope="module")
def mesh():
    return halcyon.mesh.uniform(3, tolerance=1e-3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, mesh):
    path = tmp_path_factory.mktemp("partition")
    halcyon.mesh.write_mpas(path / "mesh.nc", mesh)
    return path


def partition(folder, *arguments):
    """The command in a process of its own, in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "halcyon", "partition", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"HALCYON_CACHE": str(folder / "cache")},
        timeout=50,
    )


def test_files_and_table(folder, mesh):
    done = partition(folder, "mesh.nc", "--parts", "4,16", "--method", "recursive", "--contiguous")
    assert (done.returncode, done.stderr) == (0, "")
    said = done.stdout.splitlines()
    assert said[:3] == [
        "reading mesh.nc",
        "cutting 642 cells into 4 parts",
        "cutting 642 cells into 16 parts",
    ]
    assert said[3].split() == [
        "parts",
        "cells",
        "min",
        "mean",
        "max",
        "imbalance",
        "edge",
        "cut",
        "split",
        "file",
    ]
    for n, line in zip((4, 16), said[4:], strict=True):
        owners = halcyon.mesh.read_partition(folder / f"graph.info.part.{n}", 642)
        report = graph.partition_report(mesh.cell_offsets, mesh.cells_on_cell, owners)
        figures = [report.n_parts, report.least_weight, f"{642 / n:.1f}", report.most_weight]
        figures += [f"{report.imbalance:.3f}", report.edge_cut, 0, f"graph.info.part.{n}"]
        assert line.split() == [str(figure) for figure in figures]


def test_two_levels_into_a_folder(folder, mesh):
    (folder / "parts").mkdir()
    done = partition(folder, "mesh.nc", "--parts", 8, "--ranks-per-node", 4, "--seed", 3, "--output", "parts")
    assert (done.returncode, done.stderr) == (0, "")
    owners = halcyon.mesh.read_partition(folder / "parts/graph.info.part.8", 642)
    lists = mesh.cell_offsets, mesh.cells_on_cell
    assert np.array_equal(owners, graph.two_level_partition(*lists, 8, 4, seed=3))
    head, row = done.stdout.splitlines()[-2:]
    assert "between nodes" in head
    assert row.split()[6] == str(graph.partition_report(*lists, owners // 4).edge_cut)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["mesh.nc", "--parts", "8,x"], "--parts 8,x: give whole numbers from 1 on with commas between"),
        (["mesh.nc", "--parts", "0"], "--parts 0: give whole numbers"),
        (["mesh.nc", "--parts", "2,643"], "The run has 643 ranks but the mesh only 642 cells."),
        (["mesh.nc", "--parts", "2", "--method", "rib"], "There is no partition method 'rib'."),
        (["mesh.nc", "--parts", "2", "--output", "none"], "there is no folder none. Make it, or choose"),
        (["none.nc", "--parts", "2"], "none.nc"),
    ],
)
def test_mistakes_are_one_error_and_write_nothing(folder, arguments, expected):
    done = partition(folder, *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
    assert expected in done.stderr
    assert not (folder / "graph.info.part.2").exists()
