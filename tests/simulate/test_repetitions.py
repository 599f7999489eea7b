"""Repetitions of a simulation with different seeds."""


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
