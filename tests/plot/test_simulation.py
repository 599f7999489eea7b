"""Pictures of simulations: names, looks of lines, bins of delays, the best radix."""

import numpy as np
import pytest
import xarray as xr

from halcyon.config.points import Point
from halcyon.config.simulation import Simulation
from halcyon.config.yaml_source import Source
from halcyon.network import FatTree, linear_placement, machine, make_routing, options
from halcyon.network import simulate as simulate_network
from halcyon.plot.messages import coarse
from halcyon.plot.point_names import name_of
from halcyon.plot.simulation import best_radices, looks
from halcyon.schedule import alltoall

CASE = Simulation(workload={"type": "gcr"}, ranks=8, topology="fattree-M")


def point(series, **swept):
    values = {key.replace("__", "."): value for key, value in swept.items()}
    return Point(series, values, CASE, Source("case.yaml", {}))


def test_points_are_named_with_units():
    assert name_of(point("simulated", machine__links__bandwidth=1e11)) == "simulated, 100 GB/s"
    assert name_of(point("", machine__links__latency=1e-5)) == "10 us"
    assert name_of(point("", workload__radix=4, routing="ugal")) == "radix 4, ugal"
    assert name_of(point("torus")) == "torus"


def test_a_value_has_a_colour_and_a_series_a_dash_where_both_vary():
    both = list(looks([(series, value) for series in ("a", "b") for value in ("1", "2", "3")]))
    assert [look["color"] for look in both[:3]] == [look["color"] for look in both[3:]]
    assert len({look["color"] for look in both}) == 3
    assert {look["linestyle"] for look in both[:3]} == {"-"}
    assert {look["linestyle"] for look in both[3:]} == {"--"}
    for lines in ([("a", ""), ("b", ""), ("c", "")], [("", "1"), ("", "2"), ("", "3")]):
        one = list(looks(lines))
        assert len({look["color"] for look in one}) == 3 and {look["linestyle"] for look in one} == {"-"}


def test_coarse_bins_hold_the_messages_of_the_fine_ones_within_them():
    tree = FatTree([4, 4], [2])
    parts = alltoall(16, 100_000), tree, make_routing(tree, "minimal"), machine()
    result = simulate_network(*parts, linear_placement(tree, 16), options())
    edges = np.asarray(result.delay_edges_s)
    data = xr.Dataset(
        {"delayed": ("delay", result.delay_messages)},
        coords={"delay_from": ("delay", edges[:-1]), "delay_to": ("delay", edges[1:])},
    )
    counts, bounds = coarse(data)
    assert counts.sum() == 16 * 15
    np.testing.assert_allclose(bounds[2:] / bounds[:-2], 2)
    for count, low, high in zip(counts, bounds[:-1], bounds[1:], strict=True):
        within = (edges[:-1] > low * (1 - 1e-9)) & (edges[1:] < high * (1 + 1e-9))
        assert np.asarray(result.delay_messages)[within].sum() == count


@pytest.mark.parametrize("messages", [0, 1])
def test_delays_of_few_messages(messages):
    times = np.array([[1e-6, 1.125e-6]] * messages).reshape(-1, 2).T
    data = xr.Dataset(
        {"delayed": ("delay", [1] * messages)},
        coords={"delay_from": ("delay", times[0]), "delay_to": ("delay", times[1])},
    )
    counts, bounds = coarse(data)
    assert counts.sum() == messages and bounds.size == counts.size + 1


def test_the_best_radix_is_that_of_the_shortest_time():
    times = {(8, 2): 3.0, (8, 4): 1.0, (8, 8): 2.0, (64, 2): 5.0, (64, 4): 7.0, (64, 8): 5.0}
    points = [point("", ranks=ranks, workload__radix=radix) for ranks, radix in times]
    found = [xr.Dataset({"time": time}) for time in times.values()]
    assert best_radices(points, found) == {8: 4, 64: 2}
