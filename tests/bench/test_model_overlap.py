"""Overlap in steps of the semi-Lagrangian model: times add up and records are cut and scaled as defined; the
times themselves are not checked."""

import re

import pytest

from halcyon import network, schedule
from halcyon._core.transform import SphereSets
from halcyon.config.spectral import Gaussian
from halcyon.launch.measure import run_on_ranks
from halcyon.simulate.spectral_step import make_schedule, step_events, step_messages
from halcyon_bench.model_overlap import BLOCKING, PARTS, Case, Variant, measured, one_rank_steps, steps_of

RECORD = """halcyon schedule 1
ranks 2
buffer data
rank 8
part
send 1 0 0 0 8 1 0
start 0
part
send 1 1 0 0 3 1 0
start 1
run 0 5
run 1 7
run 0 1
run 1 0.5
rank 8
part
receive 0 0 0 0 8 1 0
start 0
part
send 0 1 0 0 3 1 0
start 1
run 0 2
run 1 1
run 0 2
run 1 0.5
"""


def test_the_steps_of_a_record_are_scaled():
    """What precedes the first message of three bytes is cut; 4 s of computation become 8 s."""
    ranks = steps_of(RECORD, 8.0).split("rank 8\n")[1:]
    runs = [re.findall(r"^run (.*)$", rank, re.MULTILINE) for rank in ranks]
    values = [[tuple(map(float, run.split())) for run in of_rank] for of_rank in runs]
    assert values == [[(1, 0), (0, 2), (1, 1)], [(1, 0), (0, 4), (1, 1)]]


def test_steps_on_ranks():
    """Parts add up to the step; one group of levels and fields, and three, and naps, which take at least the
    time of the computation."""
    case = Case(10, 4, sets=(2, 1), step_s=600.0, steps=1)
    alone = one_rank_steps(case)
    assert alone["transpositions"] == 0 and alone["solver"] > 0 and 0.5 < alone["to_grid"] < 1
    found = run_on_ranks(2, "steps", measured, case, [BLOCKING, Variant(3, "ialltoallv", "poll")], 0.1)
    assert [Variant(*result["variant"]) for result in found] == [BLOCKING, Variant(3, "ialltoallv", "poll")]
    for result in found:
        assert all(result[name] > 0 for name in PARTS)
        mean_s = sum(result[name] for name in PARTS)
        assert mean_s <= result["step"] * (1 + 1e-9)
        assert result["nap_step"] >= 0.04 and 0 < result["nap_calls"] < result["nap_step"]


def test_a_method_that_is_refused_is_said():
    case = Case(10, 2, sets=(1, 2), step_s=600.0, steps=1)
    refused, done = run_on_ranks(2, "steps", measured, case, [Variant(3), Variant(2)], 0.01)
    assert "3" in refused["error"] and "step" not in refused
    assert done["step"] > 0


@pytest.mark.parametrize("groups", [1, 3])
def test_a_step_as_a_schedule(tmp_path, groups):
    """On every rank: the computation of a step, and the bytes of ten transforms, of six arrays of
    coefficients and of the halo, in messages of each group."""
    part_s = {"Fourier": 1.0, "Legendre": 2.0, "departures": 3.0, "interpolation": 4.0, "solver": 5.0}
    part_s |= {"others": 6.0, "to_grid": 0.75}
    sets, levels = (2, 2), 6
    grid = Gaussian(truncation=31, grid="reduced", points_per_wave=2).gaussian_grid
    messages = step_messages(grid, 31, levels, sets, width=4)
    work = make_schedule(tmp_path / "step.txt", messages, list(step_events(part_s, groups)), groups)
    for rank in range(work.n_ranks):
        schedule.check(work, rank)
    counts = schedule.counts(work)
    assert counts.compute_s == pytest.approx(21.0)
    assert counts.sent_bytes.sum() == counts.received_bytes.sum()
    sent = sum(sum(rank["send"].values()) for ranks in messages.values() for rank in ranks)
    assert sent <= counts.sent_bytes.sum() <= sent + groups * counts.messages.sum()
    n_messages = {name: sum(len(rank["send"]) for rank in ranks) for name, ranks in messages.items()}
    assert counts.messages.sum() == n_messages.pop("velocity") + groups * sum(n_messages.values())
    shares = SphereSets(grid.core, 31, sets)
    once = (schedule.counts(shares.schedule("synthesis", levels, True, "burst")), 3)
    part = (schedule.counts(shares.schedule("synthesis", levels, False, "burst")), 4)
    expected = sum(n * each.sent_bytes.sum() for each, n in (once, part))
    found = [rank["send"] for name in messages if name.startswith("synthesis") for rank in messages[name]]
    assert sum(sum(each.values()) for each in found) == expected


def test_groups_shorten_a_simulated_step(tmp_path):
    """With groups, and never without, messages travel during the computation of transforms and halos."""
    part_s = dict.fromkeys(("Fourier", "Legendre", "departures", "interpolation", "solver"), 0.0004)
    part_s |= {"others": 1e-4, "to_grid": 0.7}
    grid = Gaussian(truncation=31, grid="reduced", points_per_wave=2).gaussian_grid
    messages, topology = step_messages(grid, 31, 12, (2, 2), width=4), network.FatTree([4], [])
    machine = network.machine(injection_bandwidth=1e9)

    def step_s(groups, **options):
        events = list(step_events(part_s, groups, **options))
        work = make_schedule(tmp_path / "step.txt", messages, events, groups)
        placement, routing = network.linear_placement(topology, 4), network.make_routing(topology)
        return network.simulate(work, topology, routing, machine, placement, network.options()).time_s

    work_s = sum(part_s[name] for name in part_s if name != "to_grid")
    assert work_s < step_s(4) < step_s(1) < step_s(1, blocking=True)
    assert step_s(1, transforms_only=True) == step_s(1, transforms_only=True, blocking=True)
