"""Simulations of YAML cases: closed forms, sweeps, the cache of results, and errors."""

import os
import signal
import time

import numpy as np
import pytest

from halcyon.base import ConfigError, InputError
from halcyon.config.points import expand_case
from halcyon.config.yaml_source import Source
from halcyon.mesh import uniform, write_mpas
from halcyon.simulate import many, simulate, single, sweep
from halcyon.simulate.build import build_setup

CROSSBAR = {"type": "crossbar", "nodes": 8}
ONE_MESSAGE = {"workload": {"type": "alltoall", "block_bytes": 1_000_000}, "ranks": 2, "topology": CROSSBAR}


def test_two_ranks_take_latency_and_size_over_bandwidth():
    case = ONE_MESSAGE | {"machine": {"injection_bandwidth": 1e9, "ejection_bandwidth": 1e9}}
    case["engine"] = {"fidelity": "analytic"}
    found = simulate(case)
    assert found["time"].item() == pytest.approx(1e-6 + 1e-3 + 1e6 / 100e9)  # a rank's own block is copied
    assert found["injection_bound"].item() == pytest.approx(1e-3)
    assert (found["messages"].item(), found["bytes"].item()) == (2, 2_000_000)
    assert found["finish"].sizes == {"rank": 2}


@pytest.mark.parametrize("fidelity", ["packet", "chunk", "reserve"])
def test_a_transposition_has_three_stages_and_keeps_to_its_bounds(fidelity):
    found = simulate(
        {
            "workload": {"type": "transposition", "grid": [96, 64, 16], "ranks": [4, 8]},
            "ranks": 32,
            "topology": {"type": "fat_tree", "down": [8, 4], "up": [8]},
            "engine": {"fidelity": fidelity},
            "record": {"ranks": True, "links": True, "link_bins": 20, "pairs": 4},
        }
    )
    ends = found["stage_last"].values
    assert ends.shape == (3,) and np.all(np.diff(ends) > 0)
    assert ends[-1] == pytest.approx(found["time"].item())
    for bound in ("injection_bound", "ejection_bound", "link_bound"):
        assert 0 < found[bound].item() <= found["time"].item()
    assert found["stage_finish"].sizes == {"rank": 32, "stage": 3}
    assert found["stage_finish"].values.max() == pytest.approx(found["time"].item())
    assert found["delayed"].sum() == found["messages"] == found["pair_messages"].sum()
    assert found["link_bytes"].sum() == found["byte_hops"]
    assert np.array_equal(found["link_bin_bytes"].sum("bin"), found["link_bytes"])
    assert 10 < found.sizes["bin"] <= 20 and np.all(found["link_bin_wait"] >= 0)
    assert found["bin_from"][-1] < found["time"] <= found["bin_to"][-1]


def test_a_pipeline_of_groups_hides_what_one_group_cannot():
    def time_s(groups: int) -> float:
        work = {"type": "pipeline", "grid": [960, 640, 16], "ranks": [4, 4], "computation": 5e-9}
        case = {
            "workload": work | {"groups": groups},
            "ranks": 16,
            "topology": {"type": "crossbar", "nodes": 16},
        }
        found = simulate(case)
        assert found["bytes"] == 960 * 640 * 16 * 8 * 3 / 4 * 2  # all blocks except a quarter, there and back
        return found["time"].item()

    compute_s = 960 * 640 * 16 / 16 * 5e-9
    one_way_s = 960 * 640 * 16 * 8 / 16 * 3 / 4 / 12.5e9
    assert time_s(1) >= compute_s + 2 * one_way_s
    assert compute_s < time_s(4) < compute_s + one_way_s


def test_a_sweep_has_a_point_for_each_combination():
    case = ONE_MESSAGE | {
        "series": [
            {"name": "ring", "workload.algorithm": "ring-1"},
            {"name": "burst", "workload.algorithm": "burst"},
        ],
        "sweep": {"ranks": [2, 4, 8], "machine.injection_latency": [1e-6, 1e-3]},
    }
    found = sweep(case)
    assert found.sizes == {"point": 12}
    assert list(found["series"].values[:6]) == ["ring"] * 6
    slow = found["time"].values[found["machine.injection_latency"].values == 1e-3]
    fast = found["time"].values[found["machine.injection_latency"].values == 1e-6]
    assert np.all(slow > fast)
    with pytest.raises(ConfigError, match="has 12 simulations"):
        simulate(case)


def test_what_was_simulated_is_found_again_unless_something_changes(cache, monkeypatch):
    """Equal cases are read from the cache; other cases and damaged files are simulated."""
    result = simulate(ONE_MESSAGE)
    assert len(list(cache.iterdir())) == 1
    with monkeypatch.context() as patched:
        patched.setattr(many, "simulate_one", None)
        assert simulate(ONE_MESSAGE | {"title": "the same"}).equals(result)
    simulate(ONE_MESSAGE | {"engine": {"seed": 2}})
    assert len(list(cache.iterdir())) == 2
    for damaged in cache.iterdir():
        damaged.write_bytes(b"no netCDF")
    assert simulate(ONE_MESSAGE).drop_vars("cpu_time").equals(result.drop_vars("cpu_time"))


def test_a_file_that_changes_makes_another_case(tmp_path):
    """A changed placement file of the same name is not answered from the cache."""
    file = tmp_path / "nodes.txt"
    case = ONE_MESSAGE | {"placement": {"file": str(file)}}
    local_messages = []
    for nodes in ("0\n1\n", "3\n3\n"):
        file.write_text(nodes)
        case["machine"] = {"ranks_per_node": 2}
        local_messages.append(simulate(case)["local_messages"].item())
    assert local_messages == [0, 2]


def test_a_mesh_that_changes_makes_another_case(tmp_path):
    """A changed mesh file of the same name is not answered from the cache."""
    mesh = tmp_path / "mesh.nc"
    case = ONE_MESSAGE | {"workload": {"type": "mesh_halo", "mesh": str(mesh), "bins": 10}, "ranks": 4}
    sent_bytes = []
    for level in (2, 3):
        write_mpas(mesh, uniform(level, tolerance=0.01))
        sent_bytes.append(simulate(case)["bytes"].item())
    assert sent_bytes[0] < sent_bytes[1]


def unreceived_message(folder, ranks):
    """A record in which rank 0 sends a message that no rank receives, which only the simulation detects."""
    lines = ["halcyon schedule 1", f"ranks {ranks}", "buffer data", "rank 8", "part", "send 1 0 0 0 8 1 0"]
    lines += ["start 0", "wait 0", "run 0 0", *["rank 8"] * (ranks - 1)]
    (folder / "deaf.txt").write_text("\n".join(lines) + "\n")
    return {"type": "replay", "file": str(folder / "deaf.txt")}


def test_an_interrupted_sweep_goes_on(tmp_path):
    """After a sweep that fails at its last point, the earlier points are in the cache."""
    good = [{"name": f"good {n}", "workload.block_bytes": n} for n in (1000, 2000)]
    case = ONE_MESSAGE | {
        "series": [*good, {"name": "bad", "workload": unreceived_message(tmp_path, 5), "ranks": 5}]
    }
    with pytest.raises(
        InputError, match=r"^the case: bad: The schedule does not complete: No receive matches"
    ):
        sweep(case, workers=1)
    cached = []
    points = expand_case(Source("case", case | {"series": good}), tmp_path)
    many.simulate_all(points, on_result=lambda point, data, was_cached: cached.append(was_cached))
    assert cached == [True, True]


@pytest.mark.parametrize("fidelity", ["reserve", "analytic"])
@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"workload": {"type": "transposition", "computation": 1e-3}, "ranks": 4}, "Rank 0 is busy"),
        ({"workload.block_bytes": 10**10, "machine.memory_bandwidth": 1000}, "Rank 0 is busy"),
        ({"workload.block_bytes": 10**12, "machine.memory_bandwidth": 1000}, "Rank 0 is busy"),
        ({"workload.block_bytes": 10**12, "machine.injection_bandwidth": 1000}, "in flight"),
        ({"workload": {"type": "gcr", "iterations": 10**6, "computation": 1000}}, "Rank [01] is busy"),
        (
            {
                "workload": {"type": "transposition", "grid": [10**6, 10**6, 256], "computation": 1},
                "ranks": 1,
            },
            "Rank 0 is busy",
        ),
    ],
    ids=[
        *(f"changes{i}-Rank 0 works" for i in range(3)),
        "changes3-under way",
        "changes4-Rank [01] works",
        "changes5-Rank 0 works",
    ],
)
def test_what_lasts_beyond_the_end_of_time_is_refused(fidelity, changes, text):
    """Simulated times beyond 2^62 ps (53 days) raise an error instead of overflowing."""
    overrides = [f"engine.fidelity={fidelity}"]
    overrides += [f"{name}={value}" for name, value in changes.items() if "." in name]
    case = ONE_MESSAGE | {name: value for name, value in changes.items() if "." not in name}
    with pytest.raises(InputError, match=rf"{text} .*until .* s of simulated time or later, .* \(53 days\)"):
        simulate(case, overrides)


@pytest.mark.parametrize("nodes", [4194304, 4194305, 20000000])
def test_more_nics_than_can_be_numbered_are_refused(nodes):
    crossbar = {"type": "crossbar", "nodes": nodes}
    with pytest.raises(ConfigError, match=rf"crossbar of {nodes} nodes has 0 links and \d+ NICs"):
        simulate(ONE_MESSAGE | {"topology": crossbar, "machine": {"nics_per_node": 1024}})


def test_a_halo_of_absurd_width_is_refused_at_once():
    halo = {"type": "grid_halo", "grid": [100, 100, 1], "width": 1_000_000}
    with pytest.raises(ConfigError, match=r"wraps around a grid of 100 x 100 columns more than 100 times"):
        simulate(ONE_MESSAGE | {"workload": halo, "ranks": 4})


def test_a_sweep_with_an_impossible_value_fails_before_the_first_simulation(cache):
    case = ONE_MESSAGE | {"sweep": {"ranks": [2, 4, 999]}}
    with pytest.raises(ConfigError, match=r"^the case: ranks 999: There are 999 ranks, but crossbar of "):
        sweep(case)
    assert not cache.exists()


def test_links_without_latency_go_on_one_thread_unless_threads_are_given():
    """One thread is used by default where links have no latency; a request for two raises an error."""
    torus = {"topology": {"type": "torus", "sizes": [4, 2]}, "ranks": 8}
    instant = ONE_MESSAGE | torus | {"machine": {"links": {"latency": 0.0}}}
    assert simulate(instant)["time"] > 0
    with pytest.raises(ConfigError, match="Several threads need link latencies of at least 1 ns"):
        simulate(instant | {"engine": {"seed": 2}}, threads=2)
    with pytest.raises(ConfigError, match="'reserve' supports one thread"):
        simulate(ONE_MESSAGE | {"engine": {"fidelity": "reserve"}}, threads=2)


@pytest.mark.parametrize(
    ("changes", "threads"),
    [
        ({}, 64),
        ({"machine": {"links": {"latency": 0.9e-9}}}, 1),
        ({"machine": {"links": {"latency": 0.9e-9}, "switch_latency": 0.1e-9}}, 64),
        ({"engine": {"fidelity": "packet"}}, 64),
        ({"engine": {"fidelity": "analytic"}}, 1),
    ],
)
def test_threads_on_a_hundred_cores(tmp_path, changes, threads):
    """Number of threads for 10^6 and 255 ranks on 100 cores and 1 core."""
    (point,) = expand_case(Source("case", ONE_MESSAGE | changes), tmp_path)
    machine = build_setup(point.case).machine
    assert single.usable_threads(point.case, machine, 10**6, 100) == threads
    assert single.usable_threads(point.case, machine, 10**6, 1) == 1
    assert single.usable_threads(point.case, machine, 255, 100) == 1


def test_a_cache_that_cannot_be_written_is_said_once(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("HALCYON_CACHE", str(tmp_path / "file"))
    with pytest.warns(UserWarning, match="results cannot be cached in") as warnings:
        found = sweep(ONE_MESSAGE | {"sweep": {"ranks": [2, 4, 8]}})
    assert found.sizes == {"point": 3} and len(warnings) == 1


def test_a_disk_that_fills_up_loses_no_result(monkeypatch):
    def fail(path, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(many.cache, "write", fail)
    with pytest.warns(UserWarning, match="No space left on device") as warnings:
        assert sweep(ONE_MESSAGE | {"sweep": {"ranks": [2, 4, 8]}}).sizes == {"point": 3}
    assert len(warnings) == 1


def test_what_killed_writers_left_is_removed(cache):
    """Partial files older than an hour are deleted, newer ones are kept."""
    cache.mkdir(parents=True)
    for name, age_s in (("old.nc.17.part", 7200), ("new.nc.18.part", 60)):
        (cache / name).touch()
        os.utime(cache / name, times=(time.time() - age_s,) * 2)
    simulate(ONE_MESSAGE)
    assert [path.name for path in cache.glob("*.part")] == ["new.nc.18.part"]


def test_an_interruption_does_not_break_the_writing_of_a_result(cache, monkeypatch):
    """SIGINT during the write of a result takes effect after it: the cached file is complete."""
    to_netcdf = many.cache.xr.Dataset.to_netcdf

    def interrupt_and_write(data, path, **options):
        signal.raise_signal(signal.SIGINT)
        time.sleep(0)
        to_netcdf(data, path, **options)

    with monkeypatch.context() as patched:
        patched.setattr(many.cache.xr.Dataset, "to_netcdf", interrupt_and_write)
        with pytest.raises(KeyboardInterrupt):
            simulate(ONE_MESSAGE)
    assert [path.suffix for path in cache.iterdir()] == [".nc"]
    monkeypatch.setattr(many, "simulate_one", None)
    assert simulate(ONE_MESSAGE)["time"] > 0


CONTENDED = {
    "workload": {"type": "alltoall", "block_bytes": 100_000},
    "ranks": 16,
    "topology": {"type": "dragonfly", "group": [4], "groups": 4, "global_links": 1},
    "routing": "valiant",
}


def test_the_error_by_halving_the_chunk():
    """chunk_error is the relative change of the time when chunks are half as large."""
    found = simulate(CONTENDED)
    assert found["chunk_bytes"] == 4 * 1024
    half = simulate(CONTENDED | {"engine": {"chunk_bytes": 2 * 1024, "chunk_error": False}})
    assert np.isnan(half["chunk_error"])
    assert found["chunk_error"].item() == found["time"].item() / half["time"].item() - 1 != 0
    assert sweep(CONTENDED)["chunk_error"].values.tolist() == [found["chunk_error"].item()]


def test_the_error_is_found_unasked_for_one_small_simulation_alone(monkeypatch):
    """By default chunk_error is computed for a single case with few ranks, and not for sweeps."""
    two_sizes = {"sweep": {"ranks": [4, 16]}}
    assert np.all(np.isnan(sweep(CONTENDED | two_sizes)["chunk_error"]))
    requested = CONTENDED | two_sizes | {"engine": {"chunk_error": True}}
    assert not np.any(np.isnan(sweep(requested)["chunk_error"]))
    assert np.isnan(simulate(CONTENDED | {"engine": {"fidelity": "packet"}})["chunk_error"])
    monkeypatch.setattr(single, "MAX_RANKS_FOR_AUTO_ERROR", 15)
    assert np.isnan(simulate(CONTENDED | {"engine": {"seed": 2}})["chunk_error"])
    whole = simulate(CONTENDED | {"engine": {"chunk_bytes": 1, "chunk_error": True}, "ranks": 2})
    assert np.isnan(whole["chunk_error"])


def test_approximate_results_say_so():
    halo = {"type": "mesh_halo", "mesh": "G2", "cut": "estimate", "bins": 10}
    texts = [
        simulate(CONTENDED | changes).attrs["approximate"]
        for changes in (
            {},
            {"engine": {"fidelity": "reserve"}},
            {"engine": {"fidelity": "analytic"}},
            {"workload": halo},
        )
    ]
    assert texts[0] == "" and texts[1].startswith("reserve: ") and texts[2].startswith("analytic: ")
    assert texts[3] == "halo volumes estimated for compact patches"
    found = sweep(CONTENDED | {"sweep": {"engine.fidelity": ["chunk", "reserve"]}})
    assert list(found["approximate"].values) == texts[:2]


def test_names_of_files_begin_beside_the_case(tmp_path, monkeypatch):
    """Relative paths in a case are relative to the folder of the case."""
    folder = tmp_path / "cases"
    folder.mkdir()
    write_mpas(folder / "mesh.nc", uniform(2, tolerance=0.01))
    (folder / "net.txt").write_text("switches 2\nnodes 4\ncable 0 1\n")
    (folder / "nodes.txt").write_text("0 1 2 3\n")
    (folder / "ours.yaml").write_text("topology: {type: graph, file: net.txt}\n")
    (folder / "case.yaml").write_text(
        "workload: {type: mesh_halo, mesh: mesh.nc, bins: 10}\nranks: 4\nmachine: ours.yaml\n"
        "placement: {file: nodes.txt}\n"
    )
    monkeypatch.chdir(tmp_path)
    assert simulate("cases/case.yaml").attrs["topology"] == "network of 2 switches, 1 cable and 8 nodes"


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"topology": None}, "topology is missing"),
        ({"ranks": None}, "ranks is missing"),
        ({"ranks": 9}, "9"),
        ({"topology": "fattree-L", "record": {"link_bins": 60}}, "link_bins = 60 for .* links. Give 0 .. 9"),
        ({"topology": "fattree-XL"}, "fattree-XL"),
        ({"routing": "d_mod_k"}, "d_mod_k"),
        ({"workload": {"type": "alltoall", "block_bytes": 8, "algorithm": "ring-0"}}, "ring-0"),
        pytest.param(
            {"workload": {"type": "transposition", "grid": [8, 8, 4]}, "ranks": 11},
            "ranks = 11 cannot be divided into at most 4 along x and 8 along y, as the grid requires. Use 10",
            id="changes7-ranks = 11 cannot be divided into at most 4 along x and 8 along y, as the grid "
            "needs. Take 10.",
        ),
        (
            {"workload": {"type": "transposition", "grid": [8, 8, 4], "ranks": [2, 2]}, "ranks": 8},
            r"workload.ranks = \[2, 2\] makes 4 ranks, but ranks = 8",
        ),
        pytest.param(
            {"workload": {"type": "pipeline", "grid": [8, 8, 4], "groups": 5}, "ranks": 4},
            "4 fields and levels cannot be divided into 5 groups. Give 1 to 4.",
            id="changes9-4 fields and levels make no 5 groups. Use 1 to 4.",
        ),
        ({"workload": {"type": "mesh_halo", "mesh": "G1", "cut": "estimate"}, "ranks": 50}, "has 42 cells"),
        ({"workload": {"type": "mesh_halo", "mesh": "big.nc", "cut": "estimate"}}, "such as G10"),
        pytest.param(
            {"workload": {"type": "mesh_halo", "cells": 100}},
            "workload.cells requires an estimate",
            id="changes12-workload.cells is for an estimate",
        ),
        ({"workload": {"type": "mesh_halo", "mesh": "G99", "cut": "estimate", "cells": 100}}, "no mesh G99"),
        pytest.param(
            {"placement": {"file": "/nowhere"}},
            "/nowhere cannot be read as the node of each rank",
            id="changes14-/nowhere gives no placement",
        ),
    ],
)
def test_what_cannot_be(changes, text):
    """Invalid cases raise an error with this text."""
    case = {key: value for key, value in (ONE_MESSAGE | changes).items() if value is not None}
    with pytest.raises(Exception, match=text) as failed:
        simulate(case)
    assert type(failed.value).__name__ in ("ConfigError", "InputError")
