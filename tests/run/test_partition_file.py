"""A run with a partition from a file: the same bits, and one error for an unsuitable file."""

import re

import numpy as np
import pytest

import halcyon.mesh
from halcyon import graph
from halcyon.base import ConfigError, InputError
from halcyon.config import load_case
from halcyon.run.prepare import check_partition
from tests.run import case, jobs
from tests.support import sea_states


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A case, with the partition files graph.info.part.2 (by METIS) and graph.info.part.4 (strips of
    longitude) in its folder."""
    folder = tmp_path_factory.mktemp("partition_file")
    mesh = sea_states.bay()
    lists = mesh.cell_offsets, mesh.cells_on_cell
    halcyon.mesh.write_partition(folder / "graph.info.part.2", graph.partition(*lists, 2, seed=11))
    strips = (4 * np.argsort(np.argsort(mesh.cell_longitude)) // mesh.n_cells).astype(np.int32)
    halcyon.mesh.write_partition(folder / "graph.info.part.4", strips)
    return case.write_case(folder, case=case.CASE.replace("T06:00", "T01:00"), mesh=mesh)


def options(file):
    return "--set", f"partition={{method: file, file: {file}}}"


def test_the_results_do_not_change(path):
    """Two and four ranks with partitions from files write the same bits as one rank."""
    folders = {n: path.with_name(f"ranks_{n}") for n in (1, 2, 4)}
    changes = {1: (), 2: options("graph.info.part.2"), 4: options("graph.info.part.4")}
    for n, folder in folders.items():
        code, _, err = jobs.run_to_end(jobs.command(path, folder, *changes[n], ranks=n))
        assert (code, err) == (0, "")
    for n in (2, 4):
        for name in ("fields_20220901T0000.nc", "stations.nc"):
            assert case.differing(folders[1] / name, folders[n] / name) == []
        assert (folders[1] / "stations.csv").read_bytes() == (folders[n] / "stations.csv").read_bytes()


@pytest.mark.parametrize(
    ("file", "ranks", "expected"),
    [
        pytest.param(
            "graph.info.part.2",
            3,
            r"file: graph.info.part.2}: \S+part.2 has 2 parts, but the run has 3 ranks. Start 2",
            id="graph.info.part.2-3-file: graph.info.part.2}: "
            r"\S+part.2 has 2 parts, but the run 3 ranks. Start 2",
        ),
        ("track.csv", 2, r"file: track.csv}: \S+/track.csv:1: the part of a cell is 'time,latitude"),
    ],
)
def test_a_file_that_does_not_do(path, file, ranks, expected):
    """A file for another number of ranks, or that is no partition, is refused with the option."""
    loaded = load_case(path, [options(file)[1]])
    with pytest.raises((ConfigError, InputError), match=r"^--set partition=.*" + expected):
        check_partition(loaded, ranks, path.with_name("mesh.nc"))


@pytest.mark.parametrize(
    "start",
    [
        pytest.param(case.run_on_each, id="run_both"),
        pytest.param(case.run_under_mpirun, id="run_under_mpirun"),
    ],
)
def test_a_wrong_number_of_ranks_is_one_error(path, start):
    code, _, err, folder = start(path, *options("graph.info.part.4"), ranks=[2])[2]
    assert code == 2
    assert re.fullmatch(r"error: [^\n]+has 4 parts, but the run has 2 ranks[^\n]+\n", err), err
    assert not folder.exists() or not [path for path in folder.iterdir() if path.name != ".lock"]
