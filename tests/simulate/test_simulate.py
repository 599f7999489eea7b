"""Simulations by their options: closed forms, sweeps, the cache, and what cannot be."""

import numpy as np
import pytest

from halcyon.base import ConfigError
from halcyon.mesh import uniform, write_mpas
from halcyon.simulate import many, simulate, sweep

CROSSBAR = {"type": "crossbar", "nodes": 8}
ONE_MESSAGE = {"workload": {"type": "alltoall", "block_bytes": 1_000_000}, "ranks": 2, "topology": CROSSBAR}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of the test's own."""
    monkeypatch.setenv("HALCYON_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache/simulations"


def test_two_ranks_take_latency_and_size_over_bandwidth():
    case = ONE_MESSAGE | {"machine": {"injection_bandwidth": 1e9, "ejection_bandwidth": 1e9}}
    case["engine"] = {"fidelity": "analytic"}
    found = simulate(case)
    assert found["time"].item() == pytest.approx(1e-6 + 1e-3 + 1e6 / 100e9)  # one's own block is copied
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
    with pytest.raises(ConfigError, match="asks for 12 simulations"):
        simulate(case)


def test_what_was_simulated_is_found_again_unless_something_changes(cache, monkeypatch):
    first = simulate(ONE_MESSAGE)
    assert len(list(cache.iterdir())) == 1
    with monkeypatch.context() as patched:
        patched.setattr(many, "computed", None)
        assert simulate(ONE_MESSAGE | {"title": "the same"}).equals(first)
    simulate(ONE_MESSAGE | {"engine": {"seed": 2}})
    assert len(list(cache.iterdir())) == 2
    for kept in cache.iterdir():
        kept.write_bytes(b"no netCDF")
    assert simulate(ONE_MESSAGE).drop_vars("cpu_time").equals(first.drop_vars("cpu_time"))


def test_a_file_that_changes_makes_another_case(tmp_path):
    file = tmp_path / "nodes.txt"
    case = ONE_MESSAGE | {"placement": {"file": str(file)}}
    times = []
    for nodes in ("0\n1\n", "3\n3\n"):
        file.write_text(nodes)
        case["machine"] = {"ranks_per_node": 2}
        times.append(simulate(case)["local_messages"].item())
    assert times == [0, 2]


def test_a_mesh_that_changes_makes_another_case(tmp_path):
    mesh = tmp_path / "mesh.nc"
    case = ONE_MESSAGE | {"workload": {"type": "mesh_halo", "mesh": str(mesh), "bins": 10}, "ranks": 4}
    found = []
    for level in (2, 3):
        write_mpas(mesh, uniform(level, tolerance=0.01))
        found.append(simulate(case)["bytes"].item())
    assert found[0] < found[1]


def test_an_interrupted_sweep_goes_on(cache):
    case = ONE_MESSAGE | {"sweep": {"ranks": [2, 4, 999]}}
    with pytest.raises(ConfigError, match=r"^ranks 999: "):
        sweep(case)
    known = []
    from halcyon.config.points import points_of
    from halcyon.config.yaml_source import Source

    points = points_of(Source("case", case | {"sweep": {"ranks": [2, 4]}}), cache)
    many.simulate_all(points, done=lambda point, data, was_known: known.append(was_known))
    assert known == [True, True]


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
        (
            {"workload": {"type": "transposition", "grid": [8, 8, 4]}, "ranks": 11},
            "ranks = 11 cannot be divided into at most 4 along x and 8 along y, as the grid needs. Take 10.",
        ),
        (
            {"workload": {"type": "transposition", "grid": [8, 8, 4], "ranks": [2, 2]}, "ranks": 8},
            r"workload.ranks = \[2, 2\] makes 4 ranks, but ranks = 8",
        ),
        ({"workload": {"type": "mesh_halo", "mesh": "G1", "cut": "estimate"}, "ranks": 50}, "has 42 cells"),
        ({"workload": {"type": "mesh_halo", "mesh": "big.nc", "cut": "estimate"}}, "such as G10"),
        ({"workload": {"type": "mesh_halo", "cells": 100}}, "workload.cells is for an estimate"),
        ({"placement": {"file": "/nowhere"}}, "/nowhere gives no placement"),
    ],
)
def test_what_cannot_be(changes, text):
    case = {key: value for key, value in (ONE_MESSAGE | changes).items() if value is not None}
    with pytest.raises(Exception, match=text) as failed:
        simulate(case)
    assert type(failed.value).__name__ in ("ConfigError", "InputError")
