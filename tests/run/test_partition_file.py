"""A run whose ranks own what a file says: the same bits, and one error where the file does not do."""

import re

import numpy as np
import pytest

import case
import halcyon.mesh
import seas
from halcyon import graph


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A case beside the files graph.info.part.2, an odd one of METIS, and graph.info.part.4, strips."""
    folder = tmp_path_factory.mktemp("partition_file")
    mesh = seas.bay()
    lists = mesh.cell_offsets, mesh.cells_on_cell
    halcyon.mesh.write_partition(folder / "graph.info.part.2", graph.partition(*lists, 2, seed=11))
    strips = (4 * np.argsort(np.argsort(mesh.cell_longitude)) // mesh.n_cells).astype(np.int32)
    halcyon.mesh.write_partition(folder / "graph.info.part.4", strips)
    return case.write_case(folder, case=case.CASE.replace("T06:00", "T01:00"), mesh=mesh)


def options(file):
    return "--set", f"partition={{method: file, file: {file}}}"


def test_the_results_do_not_change(path):
    alone = case.run_both(path, ranks=[1])[1]
    runs = [alone]
    for n in (2, 4):
        runs.append(case.run_both(path, *options(f"graph.info.part.{n}"), ranks=[n])[n])
    assert [(code, err) for code, _, err, _ in runs] == [(0, "")] * 3
    for *_, folder in runs[1:]:
        for name in ("fields_20220901T0000.nc", "stations.nc"):
            assert case.differing(alone[-1] / name, folder / name) == []
        assert (folder / "stations.csv").read_bytes() == (alone[-1] / "stations.csv").read_bytes()


@pytest.mark.parametrize(
    ("file", "ranks", "expected"),
    [
        (
            "graph.info.part.2",
            3,
            r"--set partition={.*}: \S+/graph.info.part.2 has 2 parts, but the run 3 ranks. Start 2 ranks, or",
        ),
        ("graph.info.part.5", 5, r"does not exist\. Did you mean 'graph.info.part.[24]'"),
        ("mesh.nc", 6, r"mesh.nc:1: the part of a cell is 'CDF"),
    ],
)
def test_a_file_that_does_not_do(path, file, ranks, expected):
    code, _, err, folder = case.run_both(path, *options(file), ranks=[ranks])[ranks]
    assert code == 2
    assert re.fullmatch(r"error: [^\n]+\n", err), err
    assert re.search(expected, err), err
    assert not folder.exists()


def test_a_file_that_does_not_do_without_the_launcher(path):
    code, _, err, _ = case.run_under_mpirun(path, *options("graph.info.part.4"), ranks=[2])[2]
    assert code == 2
    assert re.fullmatch(r"error: [^\n]+has 4 parts, but the run 2 ranks[^\n]+\n", err), err
