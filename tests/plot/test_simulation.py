"""Figures of simulations: labels, line styles, bins of delays, the best radix."""

import itertools

import numpy as np
import pytest
import xarray as xr

from halcyon.config.points import SweepPoint
from halcyon.config.simulation import Simulation
from halcyon.config.yaml_source import Source
from halcyon.network import FatTree, linear_placement, machine, make_routing, options
from halcyon.network import simulate as simulate_network
from halcyon.plot.messages import coarse_histogram, density
from halcyon.plot.point_names import label_of
from halcyon.plot.simulation import _radix, _times, best_radices, line_styles
from halcyon.plot.style import legend, new_axes
from halcyon.schedule import alltoall

CASE = Simulation(workload={"type": "gcr"}, ranks=8, topology="fattree-M")


def point(series, **swept):
    """A simulation of a series with these swept options; `__` stands for a dot."""
    values = {key.replace("__", "."): value for key, value in swept.items()}
    return SweepPoint(series, values, CASE, Source("case.yaml", {}))


def test_points_are_named_with_units():
    """Labels have values with units."""
    assert label_of(point("simulated", machine__links__bandwidth=1e11)) == "simulated, 100 GB/s"
    assert label_of(point("", machine__links__latency=1e-5)) == "10 us"
    assert label_of(point("", workload__radix=4, routing="ugal")) == "radix 4, ugal"
    assert label_of(point("torus")) == "torus"


def test_a_value_has_a_colour_and_a_series_a_dash_where_both_vary():
    """Colours and dashes of lines by value and series; if only one of the two varies, by colour."""
    both = list(line_styles([(series, value) for series in ("a", "b") for value in ("1", "2", "3")]))
    assert [line_style["color"] for line_style in both[:3]] == [
        line_style["color"] for line_style in both[3:]
    ]
    assert len({line_style["color"] for line_style in both}) == 3
    assert {line_style["linestyle"] for line_style in both[:3]} == {"-"}
    assert {line_style["linestyle"] for line_style in both[3:]} == {"--"}
    for lines in ([("a", ""), ("b", ""), ("c", "")], [("", "1"), ("", "2"), ("", "3")]):
        one = list(line_styles(lines))
        assert len({line_style["color"] for line_style in one}) == 3 and {
            line_style["linestyle"] for line_style in one
        } == {"-"}


def test_coarse_bins_hold_the_messages_of_the_fine_ones_within_them():
    """Counts of coarse bins of delays are the sums of the fine bins within them."""
    tree = FatTree([4, 4], [2])
    parts = alltoall(16, 100_000), tree, make_routing(tree, "minimal"), machine()
    result = simulate_network(*parts, linear_placement(tree, 16), options())
    edges = np.asarray(result.delay_edges_s)
    data = xr.Dataset(
        {"delayed": ("delay", result.delay_messages)},
        coords={"delay_from": ("delay", edges[:-1]), "delay_to": ("delay", edges[1:])},
    )
    counts, bounds = coarse_histogram(data)
    assert counts.sum() == 16 * 15
    np.testing.assert_allclose(bounds[2:] / bounds[:-2], 2)
    for count, low, high in zip(counts, bounds[:-1], bounds[1:], strict=True):
        is_within = (edges[:-1] > low * (1 - 1e-9)) & (edges[1:] < high * (1 + 1e-9))
        assert np.asarray(result.delay_messages)[is_within].sum() == count


@pytest.mark.parametrize("messages", [0, 1])
def test_delays_of_few_messages(messages):
    times = np.array([[1e-6, 1.125e-6]] * messages).reshape(-1, 2).T
    data = xr.Dataset(
        {"delayed": ("delay", [1] * messages)},
        coords={"delay_from": ("delay", times[0]), "delay_to": ("delay", times[1])},
    )
    counts, bounds = coarse_histogram(data)
    assert counts.sum() == messages and bounds.size == counts.size + 1


def test_messages_spread_evenly_over_doublings_have_one_density():
    """The density is messages per doubling of the delay."""
    edges = np.array([0.5, 0.75, 1.0, 1.5, 2.0])
    assert density(100 * np.log2(edges[1:] / edges[:-1]), edges) == pytest.approx(50)
    assert density(np.zeros(4), edges).tolist() == [0] * 4


LONG = ("dragonfly-MM, UGAL of SST/macro", "a name of a series that is longer than a line of a legend is")


@pytest.mark.parametrize("names", [list("abcdef"), [*LONG, *"cdef"]])
def test_a_legend_beside_the_axes_stays_within_the_picture(names):
    figure, axes = new_axes()
    for name in names:
        axes.plot([1, 2], [1, 2], label=name)
    legend(axes)
    figure.canvas.draw()
    box = axes.get_legend().get_window_extent()
    assert axes.get_window_extent().x1 <= box.x0 < box.x1 <= figure.bbox.x1


def tick_texts(axis):
    return [text.get_text() for text in axis.get_ticklabels(which="both") if text.get_text()]


def picture(points, times, kind="times"):
    """The axes of a figure of simulations with these times."""
    case = CASE.model_copy(update={"picture": CASE.picture.model_copy(update={"kind": kind})})
    points = [SweepPoint(one.series, one.swept, case, one.source) for one in points]
    attrs = {"approximate": "", "ranks": 8}
    results = [xr.Dataset({"time": value}, attrs=attrs) for value in times]
    figure = {"times": _times, "radix": _radix}[kind](points, results)
    figure.canvas.draw()
    return figure.axes[0]


def test_the_numbers_of_ranks_that_were_simulated_stand_at_their_axis():
    """Ticks are the simulated numbers of ranks, as far as the texts do not overlap."""
    ranks = [20, 50, 100, 200, 1000, 20000]
    axes = picture([point("", ranks=each) for each in ranks], [1.0] * 6)
    assert tick_texts(axes.xaxis) == ["20", "50", "100", "200", "1,000", "20,000"]
    close = [100, *range(200, 1000, 25), 1000]
    axes = picture([point("", ranks=each) for each in close], [1.0] * len(close))
    ticks = tick_texts(axes.xaxis)
    assert {"100", "200", "500", "1,000"} <= set(ticks) and len(ticks) < 20
    boxes = [text.get_window_extent() for text in axes.get_xticklabels()]
    assert all(one.x1 < other.x0 for one, other in itertools.pairwise(boxes))


def test_other_options_stand_at_their_axis_with_units_and_zero_is_no_mistake():
    """Ticks of other options have units; an axis with the value 0 is linear."""
    axes = picture([point("", machine__links__bandwidth=each) for each in (1e9, 1e12)], [1.0, 2.0])
    assert tick_texts(axes.xaxis) == ["1 GB/s", "1000 GB/s"] and axes.get_xlabel() == "bandwidth of links"
    axes = picture([point("", machine__injection_latency=each) for each in (0.0, 1e-6)], [1.0, 2.0])
    assert axes.get_xscale() == "linear"


def test_radices_are_whole_numbers():
    points = [point("", ranks=ranks, workload__radix=8) for ranks in (200, 300, 1000)]
    axes = picture(points, [1.0] * 3, "radix")
    assert all(tick == int(tick) for tick in axes.get_yticks())
    assert tick_texts(axes.xaxis) == ["200", "300", "1,000"]


def test_bars_have_an_axis_of_times():
    axes = picture([point(name) for name in "ab"], [1e-4, 4e-4])
    assert axes.get_xlabel() == "time" and tick_texts(axes.xaxis)[:2] == ["0 s", "50 us"]


def test_the_best_radix_is_that_of_the_shortest_time():
    times = {(8, 2): 3.0, (8, 4): 1.0, (8, 8): 2.0, (64, 2): 5.0, (64, 4): 7.0, (64, 8): 5.0}
    points = [point("", ranks=ranks, workload__radix=radix) for ranks, radix in times]
    results = [xr.Dataset({"time": time}) for time in times.values()]
    assert best_radices(points, results) == {8: 4, 64: 2}
