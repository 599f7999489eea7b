"""Repetitions of a simulation with different seeds, and noise."""

import numpy as np
import pytest

from halcyon.base import ConfigError
from halcyon.simulate import simulate, sweep

CASE = {
    "workload": {"type": "alltoall", "block_bytes": 20_000, "algorithm": "ring-4"},
    "topology": {"type": "dragonfly", "group": [4], "groups": 4, "global_links": 3, "nodes_per_switch": 2},
    "routing": "valiant",
    "ranks": 32,
    "engine": {"seed": 3},
}


def test_repetitions_are_the_simulations_with_their_seeds():
    """Five repetitions have the times of five seeds; the result is that of the median."""
    alone = [simulate(CASE | {"engine": {"seed": seed}}) for seed in range(3, 8)]
    times = [data["time"].item() for data in alone]
    found = simulate(CASE | {"repetitions": 5})
    assert found["times"].values.tolist() == times and len(set(times)) > 1
    median = sorted(range(5), key=times.__getitem__)[2]
    assert found["time"].item() == times[median]
    assert np.array_equal(found["finish"], alone[median]["finish"])
    assert "times" not in alone[0]


def test_each_variant_of_a_sweep_is_repeated():
    swept = {"sweep": {"ranks": [8, 32]}, "repetitions": 3}
    found = sweep({name: value for name, value in CASE.items() if name != "ranks"} | swept)
    assert found["times"].shape == (2, 3) and found["ranks"].values.tolist() == [8, 32]
    assert np.array_equal(np.median(found["times"], axis=1), found["time"])
    assert found["times"].values[1].tolist() == simulate(CASE | {"repetitions": 3})["times"].values.tolist()


def test_repetitions_are_not_an_option_of_a_variant():
    with pytest.raises(ConfigError, match="repetitions is an option of the whole case"):
        sweep(CASE | {"sweep": {"repetitions": [1, 2]}})
    with pytest.raises(ConfigError, match="repetitions = 0"):
        simulate(CASE | {"repetitions": 0})
    with pytest.raises(ConfigError, match="repetitions = 'many'"):
        simulate(CASE | {"repetitions": "many"})


NOISY = {"send_overhead": 1e-6, "receive_overhead": 1e-6, "noise_period": 1e-2, "noise_duration": 2.5e-4}


def test_a_seed_that_is_no_number_is_an_error():
    with pytest.raises(ConfigError, match=r"engine\.seed = 'x'"):
        sweep(CASE | {"sweep": {"engine.seed": [1, "x"]}, "repetitions": 2})


def test_ugal_takes_no_detours_on_an_idle_network_with_large_chunks():
    """Each node of a HyperX sends over a link of its own: all messages take one link, whatever the chunks."""
    case = {
        "workload": {"type": "traffic", "pattern": "shift", "shift": 2, "message_bytes": 10**6},
        "ranks": 8,
    }
    case |= {"topology": {"type": "hyperx", "sizes": [8]}, "routing": "ugal"}
    for chunk_bytes in (4096, 16384, 65536):
        found = simulate(case | {"engine": {"chunk_bytes": chunk_bytes, "chunk_error": False}})
        assert found["byte_hops"].item() == found["bytes"].item() == 8e6


def test_noise_delays_computation_by_its_share():
    """A computation of many periods takes 1 / (1 - duration / period) times as long on each rank, up to one
    detour (Hoefler et al. 2010: 100 Hz, 2.5 %)."""
    work = {"type": "gcr", "iterations": 1, "computation": 10.0}
    case = {"workload": work, "topology": {"type": "crossbar", "nodes": 16}, "ranks": 16, "machine": NOISY}
    noisy = simulate(case)["time"].item()
    assert noisy == pytest.approx(2 * 10.0 / (1 - 2.5e-2), abs=1e-3)


@pytest.mark.parametrize(("overhead", "phases"), [(0.0, 1), (1e-9, 2)])
def test_noise_delays_a_collective_by_the_longest_detours_of_its_ranks(overhead, phases):
    """A quarter of 200 ranks begin an all-to-all during a detour; it ends with the last of these, on average
    after 1 - 1 / (200 / 4) of the duration. If receiving takes time too, ranks are in detours then, too."""
    duration = 2.5e-4
    case = {"workload": {"type": "alltoall", "block_bytes": 1, "algorithm": "burst"}, "ranks": 200}
    case |= {"topology": {"type": "crossbar", "nodes": 200}, "repetitions": 20}
    machine = {"send_overhead": 1e-9, "receive_overhead": overhead}
    noise = {"noise_period": 1e-3, "noise_duration": duration}
    quiet = simulate(case | {"repetitions": 1, "machine": machine})["time"].item()
    delays = simulate(case | {"machine": machine | noise})["times"].values - quiet
    expected = phases * duration * (1 - 1 / 50)
    assert quiet < 0.05 * duration and np.mean(delays) == pytest.approx(expected, rel=0.05)


def test_noise_of_impossible_duration():
    with pytest.raises(ConfigError, match=r"noise_duration is 0\.02 s, but must be shorter"):
        simulate(CASE | {"machine": NOISY | {"noise_duration": 0.02}})
    with pytest.raises(ConfigError, match=r"but noise_period is 0\. Give both, or neither"):
        simulate(CASE | {"machine": {"noise_duration": 1e-3}})
    with pytest.raises(ConfigError, match="by 1 ps or more"):
        simulate(CASE | {"machine": {"noise_period": 1e-9, "noise_duration": 0.9999999e-9}})


def test_noise_is_the_same_with_threads():
    case = CASE | {"workload": CASE["workload"] | {"algorithm": "ring-2"}, "machine": NOISY}
    one, two = (simulate(case, threads=threads)["finish"].values for threads in (1, 2))
    assert np.array_equal(one, two)
