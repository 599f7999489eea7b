"""Layouts are measured, and the values read are checked; the times are not checked."""

import json
import subprocess

import numpy as np
import pytest

from halcyon.base import ConfigError, RunError
from halcyon.launch import measure as job
from halcyon_bench.io_cases import Case, global_ids, request_of
from halcyon_bench.io_layouts import measured, on_ranks, table
from halcyon_bench.io_methods import factory_named, layout_names
from halcyon_bench.pictures.io_layouts import groups_plot, layouts_plot, ranks_plot

PARTS = ("set_up", "write", "read", "total", "set_up_cpu", "write_cpu", "read_cpu")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HALCYON_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("order", ["shuffled", "natural"])
@pytest.mark.parametrize(("items", "n"), [("cells", 642), ("all", 6 * 642)])
def test_each_item_belongs_to_one_rank(order, items, n):
    """Items of the ranks are disjoint; contiguous runs are long in natural order, short in shuffled order."""
    request = request_of(Case("G3", 2, order, 3, items))
    ids, counts = zip(*(global_ids(request, rank) for rank in range(3)), strict=True)
    assert set(counts) == {n}
    assert np.array_equal(np.sort(np.concatenate(ids)), np.arange(n))
    mean_run = n / sum(np.count_nonzero(np.diff(np.sort(each)) != 1) + 1 for each in ids)
    assert mean_run < 2 if order == "shuffled" else mean_run > 10


def test_parts_are_kept(monkeypatch):
    """The partition of a mesh is read from the cache for other cases on the same mesh."""
    request = request_of(Case("g3", 2, "natural", 3))
    monkeypatch.setattr("halcyon.mesh.make", lambda spec: pytest.fail("the parts were made again"))
    assert request_of(Case("G3", 6, "shuffled", 3))["owners"] == request["owners"]


def test_a_refined_mesh():
    assert global_ids(request_of(Case("G4X2", 1, "natural", 2)), 0)[1] == 2562


def test_all_layouts_of_a_job(tmp_path):
    """Each layout has times that add up to its total; the written files are removed; all figures are
    drawn."""
    found = on_ranks(Case("G3", 2, "shuffled", 2), layout_names(2), repetitions=2, folder=tmp_path)
    assert list(found) == ["direct", "groups of 2", "box of 2", "gather", "auto"]
    for taken in found.values():
        assert all(taken[part] >= 0 for part in PARTS)
        assert taken["total"] == pytest.approx(taken["set_up"] + taken["write"] + taken["read"])
    assert found["direct"]["said"] == "direct: 2 of 2 ranks write"
    assert "box: 2 of 2 ranks write" in table(found)
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]
    layouts_plot(tmp_path / "layouts.png", {"a": found, "b": found})
    groups_plot(tmp_path / "groups.png", found, "a case")
    ranks_plot(tmp_path / "ranks.png", {1: found, 2: found}, "a case")
    for name in ("layouts", "groups", "ranks"):
        assert (tmp_path / f"{name}.png").read_bytes()[:4] == b"\x89PNG"


class Forgetful:
    """A layout that reads other values than were written."""

    description = "forgetful"

    def write(self, path, values):
        open(path, "w").close()

    def read(self, path, values):
        values[:] = 1


def test_other_values_are_noticed(comm, tmp_path):
    """A layout that reads other values than it has written is an error."""
    request = request_of(Case("G2", 1, "natural", 1)) | {"repetitions": 1}
    with pytest.raises(RunError, match="forgetful: the values that were read differ from those written"):
        measured(comm, request, {"bad": lambda *arguments: Forgetful()}, tmp_path)


def test_a_job_that_fails():
    with pytest.raises(
        ConfigError, match=r"failed \(G2 x 1, cells, natural, 2 ranks\): There is no layout 'ring'"
    ):
        on_ranks(Case("G2", 1, "natural", 2), ["ring"], repetitions=1)


@pytest.mark.parametrize("name", ["ring", "groups", "box of 0", "groups of -1", "direct of 2", ""])
def test_names_of_no_layout(name):
    with pytest.raises(ConfigError, match=f"There is no layout '{name}'. Give direct"):
        factory_named(name)


@pytest.mark.parametrize(
    ("case", "text"),
    [
        ({"order": "random"}, "order is 'random', but must be one of shuffled, natural"),
        ({"items": "edges"}, "items is 'edges', but must be one of cells, all"),
        ({"levels": 0}, "levels is 0, but must be at least 1"),
        ({"ranks": 0}, "ranks is 0, but must be at least 1"),
    ],
)
def test_cases_that_cannot_be(case, text):
    with pytest.raises(ConfigError, match=text):
        Case(**case)


def test_no_such_mesh():
    with pytest.raises(ConfigError, match="'cubed' is neither a file nor the name of a mesh"):
        request_of(Case(mesh="cubed"))


def test_the_last_line_counts(monkeypatch):
    """Output of MPI before the result is ignored."""
    output = "a warning of mpirun\n" + json.dumps({"direct": {"write": 1.0}}) + "\n"
    job_result = subprocess.CompletedProcess([], 0, stdout=output, stderr="")
    monkeypatch.setattr(job.subprocess, "run", lambda *arguments, **options: job_result)
    assert on_ranks(Case("G2", 1, "natural", 1), ["direct"], repetitions=1) == {"direct": {"write": 1.0}}
