"""Calibration: the fit recovers the machine whose timings are simulated, and reports its errors."""

import numpy as np
import pytest

from halcyon.base import RunError
from halcyon.calibrate.fit import error_statistics, fit_machine, time_of
from halcyon.calibrate.load import NodeLoad, busy_ticks, require_quiet
from halcyon.calibrate.rank import oversubscription_warning
from halcyon.calibrate.suite import Layout, Timing, probes

NETWORK = {"injection_latency": 1e-3, "injection_bandwidth": 1.2e7}
NODE = {"memory_latency": 4e-7, "memory_bandwidth": 5e9}
PROTOCOL = {"eager_bytes": 65000}
OVERHEADS = ("send_overhead", "receive_overhead")  # timings depend mainly on the larger of the two


@pytest.mark.parametrize(
    ("nodes", "machine"),
    [
        ((0, 1), {**NETWORK, "send_overhead": 2e-5, "receive_overhead": 4e-5, **PROTOCOL}),
        (
            (0, 0),
            {
                **NODE,
                "send_overhead": 3e-7,
                "receive_overhead": 2e-7,
                **PROTOCOL,
                "memory_channels": 2,
                "memory_eager_bytes": 4032,
            },
        ),
        ((0, 1, 2), {**NETWORK, "send_overhead": 2e-5, "receive_overhead": 4e-5, **PROTOCOL}),
        (
            (0, 1, 2),
            {**NETWORK, "send_overhead": 2e-5, "receive_overhead": 4e-5, **PROTOCOL, "messages_at_once": 16},
        ),
    ],
)
def test_the_fit_finds_a_machine_again(nodes, machine):
    """From timings with 2 % noise, options are recovered within 5 % and the larger overhead within 15 %."""
    layout = Layout(nodes)
    selected = list(probes(layout))
    times = [time_of(probe, layout, machine) for probe in selected]
    factors = np.random.default_rng(1).uniform(0.98, 1.02, len(times))
    noisy = [time * factor for time, factor in zip(times, factors, strict=True)]
    fit = fit_machine(
        layout, machine["eager_bytes"], selected, [Timing(time, time, time, 1) for time in noisy]
    )
    assert fit.options.keys() == machine.keys()
    for name, value in machine.items():
        if name not in OVERHEADS:
            assert fit.options[name] == pytest.approx(value, rel=0.05)
    largest = max(machine[name] for name in OVERHEADS)
    assert max(fit.options[name] for name in OVERHEADS) == pytest.approx(largest, rel=0.15)
    assert error_statistics(noisy, fit.simulated)["percentile_95"] < 0.05


def test_all_pairs_and_a_crowd_are_probed_where_there_are_nodes_enough():
    names = {
        nodes: [probe.name for probe in probes(Layout(nodes))] for nodes in [(0, 0), (0, 1), (0, 1, 2, 3)]
    }
    assert not any("all pairs" in name or "lowest first" in name for name in names[0, 0] + names[0, 1])
    assert any("between nodes, all pairs: 4 of" in name for name in names[0, 1, 2, 3])
    assert names[0, 1, 2, 3][-1].endswith("from each to each, lowest first")


def test_crowded_nodes_are_said():
    assert oversubscription_warning(Layout((0, 0, 1)), [2, 2, 1]) is None
    assert oversubscription_warning(Layout((0, 0, 0, 1)), [2, 2, 2, 4]) == (
        "3 ranks share 2 cores on a node: they wait for each other, which the simulation "
        "does not model, and times vary more. Start no more ranks than cores."
    )


QUIET = NodeLoad(other_cores=0.05, spare_cores=0, load_average=0.3)
STEADY = [Timing(median=1e-6, lower=0.9e-6, upper=1.3e-6, runs=20)] * 3


def test_a_quiet_machine_is_accepted():
    """Also with other processes on cores that have no rank, and with one disturbed probe."""
    require_quiet(QUIET, STEADY, NODE | NETWORK)
    elsewhere = NodeLoad(other_cores=5.0, spare_cores=6, load_average=5.0)
    require_quiet(elsewhere, [Timing(1e-3, 1e-6, 1e-2, 20), *STEADY], NODE)


@pytest.mark.parametrize(
    ("load", "timings", "options", "seen"),
    [
        (NodeLoad(1.8, 1, 11.2), STEADY, NODE, r"1.8 cores .*\(1 have no rank\), .* average of 11.2"),
        (QUIET, [Timing(2e-6, 1e-6, 4e-6, 20)] * 3, NODE, r"upper quartiles of times are 4.0 times the"),
        (QUIET, STEADY, NODE | {"memory_latency": 7.2e-3}, r"memory_latency is 7.2 ms, above .* 100 us"),
        (QUIET, STEADY, NODE | {"memory_bandwidth": 1e6}, r"memory_bandwidth is 1e\+06 B/s, below the"),
    ],
)  # fmt: skip
def test_a_busy_machine_is_refused_with_what_was_seen(load, timings, options, seen):
    with pytest.raises(
        RunError, match=rf"^calibrate: the machine is too busy .*{seen}.* No machine file is written"
    ):
        require_quiet(load, timings, options)


def test_time_that_cores_were_busy():
    """All but idle and waiting time of the given cores, with the time stolen by other virtual machines."""
    lines = [
        "cpu  99 99 99 99 99 99 99 99 0 0",
        "cpu0 1 2 4 1000 2000 8 16 32 64 128",
        "cpu1 100 0 0 5 5 0 0 0 0 0",
        "cpu10 7 0 0 5 5 0 0 0 0 0",
        "intr 12 3",
    ]
    assert busy_ticks(lines, {0}) == 1 + 2 + 4 + 8 + 16 + 32
    assert busy_ticks(lines, {1, 10}) == 107
