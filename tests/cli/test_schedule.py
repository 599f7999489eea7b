"""`halcyon schedule` and `halcyon plot decomposition`."""

import json
import sys

import numpy as np
import pytest

from halcyon import cli, graph, mesh
from halcyon.plot.index_path import index_path
from tests.support.command import halcyon


@pytest.fixture
def refused(monkeypatch, capsys):
    """A function that runs the command in this process, checks that it prints one error only, and returns its
    text."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["halcyon", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        captured = capsys.readouterr()
        assert (ended.value.code, captured.out) == (2, "")
        assert captured.err.startswith("error: ") and len(captured.err.splitlines()) == 1
        return captured.err

    return run


@pytest.fixture(scope="module")
def g3_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("meshes") / "g3.nc"
    mesh.write_mpas(str(path), mesh.uniform(3, tolerance=1e-3))
    return path


@pytest.fixture(scope="module")
def g3_parts(tmp_path_factory, g3_file):
    """Partition files with 4 and 6 parts, strips of longitude."""
    longitude = mesh.read_mesh(g3_file).cell_longitude % (2 * np.pi)
    folder = tmp_path_factory.mktemp("parts")
    files = {n: folder / f"graph.info.part.{n}" for n in (4, 6)}
    for n, file in files.items():
        mesh.write_partition(file, (longitude / (2 * np.pi) * n).astype(np.int32))
    return files


def test_parts_of_files(g3_file, g3_parts, tmp_path):
    """Both commands accept partition files instead of a number of ranks."""
    files = [word for file in g3_parts.values() for word in ("--partition-file", file)]
    done = halcyon("schedule", g3_file, *files, "--on", "edges", "--ranks-per-node", 2, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["partition"] == {"files": [str(file) for file in g3_parts.values()]}
    assert [run["ranks"] for run in report["runs"]] == [4, 6]
    assert [run["edges_owned"]["mean"] for run in report["runs"]] == [480, 320]
    assert list(report["runs"][0]["nodes"]) == ["as they come", "reordered"]
    picture = tmp_path / "cut.png"
    options = ["--partition-file", g3_parts[4], "--rank", 3, "--on", "vertices", "--output", picture]
    done = halcyon("plot", "decomposition", g3_file, *options)
    assert (done.returncode, done.stdout) == (0, f"picture    {picture}\n"), done.stderr


def test_parts_of_files_that_do_not_fit(refused, g3_file, g3_parts, tmp_path):
    file = ["--partition-file", g3_parts[4]]
    assert "but the mesh has 162 cells" in refused("schedule", "G2", *file)
    assert "--ranks 4 does not go with --partition-file" in refused("schedule", g3_file, *file, "--ranks", 4)
    assert "another file has 4 parts, too" in refused("schedule", g3_file, *file, *file)
    output = ["--output", tmp_path / "cut.png"]
    assert "--rank is 4, but the ranks are 0 to 3" in refused(
        "plot", "decomposition", g3_file, *file, "--rank", 4, *output
    )
    assert "--ranks 8 does not go with" in refused(
        "plot", "decomposition", g3_file, *file, "--ranks", 8, *output
    )
    assert "cannot be read" in refused("schedule", g3_file, "--partition-file", "none.part.4")


def test_tables_and_pictures(g3_file, tmp_path):
    done = halcyon(
        *("schedule", g3_file, "--ranks", "2,8,40", "--ranks-per-node", 4, "--plot", tmp_path),
        *("--layers", 2, "--bytes-per-value", 8, "--bins", 10, "--steps", 5),
    )
    assert done.returncode == 0, done.stderr
    assert f"{g3_file}: 642 cells; 2 halo layers, 80 bytes per cell, 5 steps" in done.stdout
    rows = [line.split()[0] for line in done.stdout.splitlines() if line[:1].isdigit()]
    assert rows == ["2", "8", "40", *["2"] * 3, *["8"] * 3, *["40"] * 3]
    for name in ("volumes.png", "distribution.png"):
        assert f"picture    {tmp_path / name}" in done.stdout
        assert (tmp_path / name).read_bytes()[:4] == b"\x89PNG"


def test_json_of_a_named_mesh():
    """Counts and bytes of the JSON output are consistent."""
    done = halcyon("schedule", "G2", "--ranks", "1,4", "--ranks-per-node", "2", "--json")
    report = json.loads(done.stdout)
    assert (report["mesh"], report["cells"], report["ranks_per_node"]) == ("G2", 162, 2)
    assert report["exchange"] == {"bins": 1260, "bytes_per_value": 4, "layers": 1, "steps": 60, "on": "cells"}
    one, four = report["runs"]
    assert one["messages"] == {"min": 0, "mean": 0, "max": 0} and one["bytes_total"] == 0
    assert four["symmetric"] and four["messages"]["max"] <= 3
    assert four["cells_owned"]["mean"] == 40.5
    assert four["bytes_total"] == 60 * 4 * four["bytes_received"]["mean"]
    assert list(four["nodes"]) == ["as they come", "reordered", "two levels"]
    for between in four["nodes"].values():
        assert between["nodes"] == 2 and between["links"] <= 4
    between = four["nodes"]["as they come"]
    assert between["bytes_between"] + between["bytes_within"] == four["bytes_total"] / 60


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["G2", "--ranks", "0"], "--ranks 0: give whole numbers from 1 on"),
        (["G2", "--ranks", "8,many"], "--ranks 8,many: give whole numbers"),
        (["G2", "--ranks", "8,,9"], "--ranks 8,,9: give whole numbers"),
        (["G2", "--ranks", "8,163"], "163 ranks are more than the mesh has cells (162)"),
        (["G2", "--ranks", "2", "--layers", "0"], "layers is 0, but must be at least 1"),
        (["G2", "--ranks", "2", "--bins", "10000000"], "bins is 10000000, but must be at least 1, at most"),
        (["G2", "--ranks", "2", "--ranks-per-node", "0"], "--ranks-per-node is 0"),
        (["G2", "--ranks", "2", "--plot", "/nowhere"], "--plot /nowhere: there is no such folder"),
        (["G2", "--ranks", "2", "--method", "best"], "There is no partition method 'best'"),
        (["G11"], "level"),
        (["nothing.nc"], "'nothing.nc' is neither a file nor the name of a mesh"),
        ([__file__], "test_schedule.py"),
        (["G2", "--ranks", "2", "--on", "faces"], "on is 'faces', but must be one of cells, edges, vertices"),
        (["none.yaml"], "'none.yaml' is neither a file nor the name of a mesh"),
        pytest.param(
            ["G2", "--ranks", "9" * 30],
            f"--ranks {'9' * 30}: give whole numbers from 1 on",
            id="arguments14-ranks are more than the mesh has cells",
        ),
    ],
)
def test_mistakes_of_schedule(refused, arguments, expected):
    assert expected in refused("schedule", *arguments)


def test_a_picture_of_a_decomposition(g3_file, tmp_path):
    path = tmp_path / "cut.png"
    done = halcyon("plot", "decomposition", g3_file, "--ranks", 4, "--layers", 2, "--output", path)
    assert (done.returncode, done.stdout) == (0, f"picture    {path}\n"), done.stderr
    assert path.read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--ranks", "0"], "--ranks is 0, but must be at least 1"),
        (["--ranks", "643"], "643 ranks are more than the mesh has cells (642)"),
        (["--ranks", "4", "--rank", "4"], "--rank is 4, but the ranks are 0 to 3"),
        (["--layers", "0"], "--layers is 0"),
        (["--on", "faces"], "--on is 'faces', but must be one of cells, edges, vertices"),
        (["--order", "best"], "--order best: there is no such order. Give natural"),
        pytest.param(
            ["--output", "cut.xyz"], "unknown picture format", id="arguments6-no picture is called so"
        ),
    ],
)
def test_mistakes_of_a_picture(refused, g3_file, tmp_path, arguments, expected):
    output = ["--output", tmp_path / "cut.png"] if "--output" not in arguments else []
    assert expected in refused("plot", "decomposition", g3_file, *arguments, *output)


@pytest.mark.parametrize("on", ["cells", "edges", "vertices"])
def test_index_paths_are_those_of_meshes_in_that_order(on):
    """The path through some items in an order is that of the reordered mesh."""
    sphere = mesh.uniform(3, tolerance=1e-3)
    points = {"cells": "cell_points", "edges": "edge_points", "vertices": "vertex_points"}[on]
    chosen = np.flatnonzero(getattr(sphere, points)[:, 2] > 0.5)
    for order in graph.ORDERS:
        path = index_path(sphere, order, chosen, on)
        ordered_points = np.asarray(getattr(mesh.ordered(sphere, order), points))
        assert np.array_equal(getattr(sphere, points)[path], ordered_points[ordered_points[:, 2] > 0.5]), (
            order
        )
