"""Runs of the spectral model on any number of ranks and sets of them: bits, and times of exchanges."""

import pytest
from mpi4py import MPI

from halcyon.config.spectral import TUNED_OPTIONS
from tests.run import runs
from tests.run.runs import differing_air
from tests.run.spectral_cases import CASE, CASES
from tests.transform.sets import all_sets


@pytest.mark.mpi
@pytest.mark.ranks(4)  # 1 x 4, 2 x 2 and 4 x 1 sets
@pytest.mark.parametrize(
    ("name", "grid"),
    [
        (name, grid)
        for name in CASES
        for grid in (
            ("full", "reduced", "octahedral")
            if name in ("barotropic", "shallow_water", "primitive")
            else ("octahedral",)
        )
    ],
)
def test_any_sets_write_the_same_and_go_on(comm, common_folder, name, grid):
    """For all sets, a run that is stopped and resumed on one rank fewer writes the bits of the whole run on
    one rank."""
    name, equations, rows = f"{name}_{grid}", CASES[name], f"mesh.grid={grid}"
    path, whole = common_folder / f"{name}.yaml", common_folder / f"{name}_whole"
    if comm.rank == 0:
        path.write_text(CASE.format(equations=equations))
        assert runs.run(MPI.COMM_SELF, path, whole, rows, "restart.interval=none")
    comm.barrier()
    for v, w in all_sets(comm.size):
        folder = common_folder / f"{name}_{v}_{w}"
        assert not runs.run(comm, path, folder, rows, f"exchange.sets=[{v}, {w}]", stop=runs.StopAfter(17))
        fewer = comm.Split(0 if comm.rank < max(1, comm.size - 1) else 1, comm.rank)
        if comm.rank < max(1, comm.size - 1):
            assert runs.run(fewer, path, folder, rows, resume=True)
        fewer.Free()
        comm.barrier()
        assert differing_air(whole, folder) == [], (v, w)


@pytest.mark.mpi
@pytest.mark.ranks(1, 2)
def test_what_transforms_took_and_hid_is_told(comm, common_folder, capfd):
    """Figures and printed text have consistent times of the transforms and of their exchanges."""
    path, folder = common_folder / "told.yaml", common_folder / "told"
    if comm.rank == 0:
        path.write_text(CASE.format(equations=CASES["primitive"]))
    comm.barrier()
    assert runs.run(comm, path, folder, f"exchange={{sets: [{comm.size}, 1], groups: 2, progress: poll}}")
    printed, figures = capfd.readouterr().out, runs.status(folder)["figures"]
    assert {"Legendre", "Fourier", "computation", "exchange"} <= figures["parts_s"].keys()
    assert min(figures["parts_s"].values()) >= 0
    if comm.size == 1:
        assert "exchange_hidden" not in figures
        return
    assert figures["exchange"] == "2 groups, isend_irecv, burst, poll"
    found = figures["exchange_of_a_step"]
    assert 0 < found["work_s"] < found["blocking_s"] and found["spread_s"] >= 0
    lost_s, exchanged_s = (found[each] - found["work_s"] for each in ("pipelined_s", "blocking_s"))
    if found["hidden"] is None:
        assert exchanged_s < max(0.03 * found["blocking_s"], found["spread_s"]) + 2e-6
        assert figures["exchange_hidden"] is None
    else:
        assert found["hidden"] == pytest.approx(1 - lost_s / exchanged_s, abs=0.02 / exchanged_s * 1e-3)
        assert figures["exchange_hidden"] == pytest.approx(found["chr"], abs=1e-4)
    assert 0 < found["ceiling"] < 1
    assert found["efficiency"] == pytest.approx(found["work_s"] / found["pipelined_s"], rel=0.01)
    if comm.rank == 0:
        assert f"ranks      {comm.size}, in {comm.size} x 1 sets\n" in printed
        settings = "groups 2, ahead 1, method isend_irecv, algorithm burst, progress poll"
        assert f"exchange   {settings}" in printed
        assert "transform exchange: 2 groups, isend_irecv, burst, poll; " in printed
        assert "transforms per step: " in printed and "possible), efficiency " in printed


@pytest.mark.mpi
@pytest.mark.ranks(2)
def test_measured_exchanges_change_no_bits(comm, common_folder):
    """Exchange settings chosen by measurement do not change the results."""
    path, whole, folder = (common_folder / f"measured{ending}" for ending in (".yaml", "_whole", "_out"))
    if comm.rank == 0:
        path.write_text(CASE.format(equations=CASES["primitive"]))
        assert runs.run(MPI.COMM_SELF, path, whole)
    comm.barrier()
    assert runs.run(comm, path, folder, "exchange={groups: auto, progress: thread, core: shared, retune: 20}")
    assert differing_air(whole, folder) == []
    if comm.size > 1:
        groups, rest = runs.status(folder)["figures"]["exchange"].split(maxsplit=1)
        assert 1 <= int(groups) <= 4 and rest.endswith("isend_irecv, burst, thread")
    blocking = folder.with_name("blocking_measured")
    assert runs.run(comm, path, blocking, "exchange={groups: auto, ahead: 0}")
    assert differing_air(whole, blocking) == []
    everything = ", ".join(f"{name}: auto" for name in TUNED_OPTIONS)
    again = folder.with_name("all_measured")
    assert runs.run(comm, path, again, f"exchange={{{everything}}}")
    assert differing_air(whole, again) == []
    if comm.size > 1:
        found = runs.status(again)["figures"]["exchange"]
        assert "auto" not in found and found.split(", ")[-1] in ("none", "poll", "thread")
